// Runs the contract of the stores against real databases and the official clients, from packages/core/peers, which it
// installs when they are missing or its lock has changed.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installPeers } from '../../core/scripts/install-peers.mjs';

installPeers(
  fileURLToPath(new URL('../../core/peers/', import.meta.url)),
  'the databases and their clients (about 740 MB)',
);
const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));
const config = fileURLToPath(new URL('../vitest.databases.ts', import.meta.url));
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--config', config, ...process.argv.slice(2)],
  {
    stdio: 'inherit',
  },
);
process.exitCode = status ?? 1;
