// Installs what only tests need: the packages of a folder `peers`, which has a manifest and a lock of its own, outside
// the workspaces. As a program it installs those of the packages that it is given, by default all for `test:all`.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The peers of the others serve benches. */
const TESTED = ['server', 'core', 'playground', 'models', 'cli', 'pipeline', 'web'];

/**
 * `npm ci` in the folder, unless what is installed there came from this very lock. Ends the process when it fails.
 *
 * @param {string} peers the folder
 * @param {string} what is installed, and how large it is, for whoever waits: `the clients (about 280 MB)`
 * @returns {boolean} whether there was anything to install
 */
export function installPeers(peers, what) {
  const stamp = join(peers, 'node_modules', '.installed-lock');
  const lock = createHash('sha256')
    .update(readFileSync(join(peers, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return false;
  console.log(`installing ${what} …`);
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js')
    ? [process.execPath, process.env.npm_execpath]
    : ['npm'];
  const [command, ...first] = npm;
  const { status } = spawnSync(command, [...first, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: peers,
    stdio: 'inherit',
    shell: process.platform === 'win32' && npm.length === 1,
    // Its install script, were it run, would fetch files of its own.
    env: { ...withoutWorkspaces(process.env), ONNXRUNTIME_NODE_INSTALL: 'skip' },
  });
  if (status !== 0) {
    console.error(`Could not install ${what}; see npm’s message above.`);
    process.exit(1);
  }
  writeFileSync(stamp, lock);
  return true;
}

/** npm hands its own settings down to scripts; those about the workspace must not reach an install outside it. */
function withoutWorkspaces(environment) {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^npm_config_(workspace|local_prefix)/i.test(name)),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const given = process.argv.slice(2);
  for (const name of given.length > 0 ? given : TESTED)
    installPeers(join(import.meta.dirname, '../..', name, 'peers'), `the packages of packages/${name}/peers`);
}
