// The client for Python against a service that sells on the play chain and signs receipts. A wallet of this process
// pays its offers, so that the client itself stays without a key.
import { execFile, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { readSettings, type RunningService, startService } from '@grainline/server';
import { type PaymentOrder, payWithKeypair } from '@grainline/x402/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Playground, startPlayground } from '../src/playground.ts';

const run = promisify(execFile);
const CLIENT = join(import.meta.dirname, '../../python');
const PYTHON = spawnSync('python3', ['--version']).status === 0;
if (!PYTHON) console.warn('SKIPPED: the client for Python; there is no python3.');

/** An offer as the client passes it to `pay`. */
interface PythonOffer {
  readonly pay_to: string;
  readonly amount: number;
  readonly asset: string;
  readonly network: string;
  readonly memo: string;
}

describe.skipIf(!PYTHON)('the client for Python', () => {
  const folder = mkdtempSync(join(tmpdir(), 'grainline-python-'));
  let playground: Playground;
  let service: RunningService;
  let wallet: Server;

  beforeAll(async () => {
    playground = await startPlayground({ chain: { slotMs: 20 } });
    const keyFile = join(folder, 'receipts.pem');
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(keyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
    const environment = {
      ...playground.environment,
      PORT: '0',
      DATA_DIR: folder,
      UPLOAD_KINDS: 'txt,markdown,pdf',
      RECEIPT_KEY_FILE: keyFile,
    };
    service = await startService(readSettings(environment), { log: { write: () => undefined } });
    await service.ready;
    wallet = await startWallet(playground);
  }, 60_000);
  afterAll(async () => {
    wallet.close();
    await service.stop();
    await playground.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('chunks, pays, cites and checks receipts', async () => {
    const { port } = wallet.address() as AddressInfo;
    const env = {
      ...process.env,
      PYTHONPATH: join(CLIENT, 'src'),
      PYTHONDONTWRITEBYTECODE: '1',
      GRAINLINE_URL: service.url,
      PAY_URL: `http://127.0.0.1:${port}`,
    };
    const discover = ['-m', 'unittest', 'discover', '-s', join(CLIENT, 'tests')];
    const { stderr } = await run('python3', discover, { env, timeout: 120_000 });
    expect(stderr).toMatch(/\nOK\n$/);
    expect(stderr).not.toContain('skipped');
  }, 130_000);
});

/** A wallet over HTTP: an offer comes in, the signature of its transfer goes out. */
async function startWallet({ chain, payers: [payer] }: Playground): Promise<Server> {
  if (payer === undefined) throw new Error('The playground has payers.');
  const pay = payWithKeypair({ rpcUrl: chain.url, keypair: payer.keypair });
  const server = createServer((request, response) => {
    void (async () => {
      const offer = (await json(request)) as PythonOffer;
      const order: PaymentOrder = {
        payTo: offer.pay_to,
        amount: BigInt(offer.amount),
        asset: offer.asset,
        network: offer.network,
        decimals: 6,
        memo: offer.memo,
      };
      const record = (): Promise<void> => Promise.resolve();
      response.end(await pay(order, { signal: AbortSignal.timeout(30_000), record }));
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return server;
}
