// Checks of the lock completion on small locks of its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingFrom, platformOf } from './complete-lock.mjs';

test('a platform is read from the name of its package', () => {
  assert.deepEqual(platformOf('@rollup/rollup-linux-arm64-musl'), {
    os: ['linux'],
    cpu: ['arm64'],
    libc: ['musl'],
  });
  assert.deepEqual(platformOf('@rollup/rollup-linux-arm-gnueabihf'), {
    os: ['linux'],
    cpu: ['arm'],
    libc: ['glibc'],
  });
  assert.deepEqual(platformOf('@esbuild/darwin-x64'), { os: ['darwin'], cpu: ['x64'] });
  assert.deepEqual(platformOf('@rollup/rollup-win32-x64-gnu'), { os: ['win32'], cpu: ['x64'] });
  assert.equal(platformOf('fsevents'), undefined);
});

test('only optional dependencies that nothing resolves are missing', () => {
  const packages = {
    '': {},
    'node_modules/a': { optionalDependencies: { 'a-linux-x64': '1.0.0', 'a-win32-x64': '1.0.0' } },
    'node_modules/a-linux-x64': {},
    'node_modules/b': { optionalDependencies: { 'a-linux-x64': '1.0.0' } },
    'node_modules/b/node_modules/c': { optionalDependencies: { 'b-linux-x64': '2.0.0' } },
    'node_modules/b/node_modules/b-linux-x64': {},
  };
  assert.deepEqual(
    [...missingFrom(packages)],
    [['node_modules/a-win32-x64', { name: 'a-win32-x64', version: '1.0.0' }]],
  );
});
