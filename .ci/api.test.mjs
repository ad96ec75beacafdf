// Checks of the API reports on a package of their own.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { entriesOf, reportEntry, staleReports } from './api.mjs';

const root = mkdtempSync(join(tmpdir(), 'api-test-'));
const folder = join(root, 'package');
after(() => rmSync(root, { recursive: true, force: true }));

const TYPES = `/** Adds. */
export declare function add(a: number, b?: number): number;
export interface Sum { readonly total: number; }
`;
const write = (types) => writeFileSync(join(folder, 'index.d.ts'), types);
const report = (check) =>
  reportEntry({ folder, name: 'sample', report: 'index', types: './index.d.ts', check, temp: root });

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "name": "sample", "version": "1.0.0" }');
  write(TYPES);
});

test('entries are those with types, named by their path', () => {
  const exports = {
    '.': { types: './a.d.ts' },
    './b': { types: './b.d.ts' },
    './package.json': './package.json',
  };
  assert.deepEqual(entriesOf({ exports }), [
    { report: 'index', types: './a.d.ts' },
    { report: 'b', types: './b.d.ts' },
  ]);
});

test('a written report holds', () => {
  assert.deepEqual(report(false), []);
  assert.match(
    readFileSync(join(folder, 'api/index.api.md'), 'utf8'),
    /function add\(a: number, b\?: number\)/,
  );
  assert.deepEqual(report(true), []);
});

test('a missing report fails', () => {
  assert.equal(report(true).length, 1);
});

for (const [change, types] of [
  ['a name that is gone', TYPES.replace('interface Sum', 'interface Total')],
  ['a new name', `${TYPES}export declare const zero: 0;\n`],
  ['a parameter that is required', TYPES.replace('b?:', 'b:')],
  ['a member of another type', TYPES.replace('total: number', 'total: bigint')],
])
  test(`${change} fails, and keeps the report`, () => {
    report(false);
    const before = readFileSync(join(folder, 'api/index.api.md'), 'utf8');
    write(types);
    const [issue] = report(true);
    assert.match(issue, /npm run api/);
    assert.equal(readFileSync(join(folder, 'api/index.api.md'), 'utf8'), before);
  });

test('another comment changes nothing', () => {
  report(false);
  write(TYPES.replace('Adds.', 'Adds two numbers.'));
  assert.deepEqual(report(true), []);
});

test('the report of an entry that is gone is named', () => {
  report(false);
  assert.deepEqual(staleReports(folder, []), [join(folder, 'api/index.api.md')]);
  assert.deepEqual(staleReports(folder, [{ report: 'index' }]), []);
});
