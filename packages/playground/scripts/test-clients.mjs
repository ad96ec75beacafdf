// Runs the tests of paying clients against a built grainline server on the playground. Installs the clients from
// packages/playground/peers when they are missing or their lock has changed. Leaves no process and no file behind.
import '../../core/scripts/check-node.mjs';
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers';
import { setTimeout as wait } from 'node:timers/promises';
import { installPeers } from '../../core/scripts/install-peers.mjs';

const root = join(import.meta.dirname, '../../..');
const peers = join(import.meta.dirname, '../peers');
const server = join(root, 'packages/server/bin/grainline-server.js');
const START_MS = 30_000;

installPeers(peers, 'the clients (about 280 MB)');
const { startPlayground } = await import('../dist/index.js');
const folder = mkdtempSync(join(tmpdir(), 'grainline-clients-'));
const receiptKeyFile = join(folder, 'receipts.pem');
const { privateKey } = generateKeyPairSync('ed25519');
writeFileSync(receiptKeyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
const playground = await startPlayground({ keypairsIn: folder, chain: { slotMs: 50 } });
let seller;
try {
  seller = await startServer();
  process.exitCode = await runTests(seller.url);
} finally {
  await seller?.stop();
  await playground.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Starts the server by its command, on a free port, with the playground's settings and no others. */
async function startServer() {
  const child = spawn(process.execPath, [server], {
    env: {
      PATH: process.env.PATH,
      ...playground.environment,
      DATA_DIR: join(folder, 'data'),
      RECEIPT_KEY_FILE: receiptKeyFile,
      PORT: '0',
      RATE_LIMIT: 'off',
      DRAIN_MS: '0',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = await Promise.race([
    listeningAt(child.stdout),
    ended.then((code) => Promise.reject(new Error(`the server ended with code ${code}`))),
    new Promise((_, reject) => {
      setTimeout(() => reject(new Error('the server does not start')), START_MS).unref();
    }),
  ]);
  while (!(await fetch(`${url}/ready`)).ok) await wait(20);
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { url, stop };
}

async function listeningAt(output) {
  for await (const line of createInterface({ input: output })) {
    const [, url] = / listens on (http:\S+)$/.exec(line) ?? [];
    if (url === undefined) continue;
    // Later output is dropped, so the server never waits for a reader.
    setImmediate(() => output.resume());
    return url;
  }
  throw new Error('the server never said where it listens');
}

function runTests(url) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  // All files pay from one wallet, and some compare its balance.
  const child = spawn(
    process.execPath,
    [
      vitest,
      'run',
      '--config',
      'vitest.workspace.ts',
      '--project',
      'playground',
      '--no-file-parallelism',
      'test/clients',
    ],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        GRAINLINE_URL: url,
        SOLANA_RPC_URLS: playground.chain.url,
        GRAINLINE_KEYPAIR: playground.keypairFiles[0],
      },
    },
  );
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}
