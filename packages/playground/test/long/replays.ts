// Ten thousand requests at once for fifty payments, over two server processes on one store: each payment buys exactly
// one answer, whoever shows it, wherever, with whichever of four documents.
//
//   node packages/playground/test/long/replays.ts        REQUESTS=100000 for more
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPlayground } from '../../src/playground.ts';
import { earned, observe, payOnce, PRICE } from './payments.ts';
import { startServer } from '@grainline/testing/server-process';

const REQUESTS = Number(process.env['REQUESTS'] ?? 10_000);
const PAYMENTS = 50;
const DOCUMENTS = 4;
const CLIENTS = 40;
/** Sockets to each server; more requests than that wait in the client. */
const CONNECTIONS = 500;

const folder = mkdtempSync(join(tmpdir(), 'grainline-replays-'));
const playground = await startPlayground({ chain: { slotMs: 10 }, seed: 'replays', payers: 1 });
const [payer] = playground.payers;
if (payer === undefined) throw new Error('There is one.');
const settings = {
  ...playground.environment,
  PORT: '0',
  DATA_DIR: folder,
  WORKERS: '1',
  // Every request names a client of its own, so that none is refused for being one too many of one client.
  TRUSTED_PROXIES: '127.0.0.1',
  PAYMENT_WAIT_MS: '20000',
};
const servers = await Promise.all([startServer(settings), startServer(settings)]);
await Promise.all(servers.map((server) => server.ready()));
const store = observe(folder);
const proofs: string[] = [];
for (let paid = 0; paid < PAYMENTS; paid++) proofs.push(await payOnce(playground, payer, `replay ${paid}`));

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
/** Texts of the answers that each payment bought, and how often each refusal was given. */
const bought = new Map<string, Set<string>>(proofs.map((proof) => [proof, new Set()]));
const refused = new Map<string, number>();
let answered = 0;
let again = 0;
const began = performance.now();
await Promise.all(Array.from({ length: REQUESTS }, (_, index) => show(index)));
const seconds = (performance.now() - began) / 1000;

const wins = [...bought.values()].reduce((sum, texts) => sum + texts.size, 0);
console.log(`${REQUESTS} requests in ${seconds.toFixed(1)} s: ${answered} answered, ${again} sent again`);
console.log(`refused: ${JSON.stringify(Object.fromEntries(refused))}`);
console.log(
  `${PAYMENTS} payments: ${wins} answers bought, ${store.count('consumed')} consumed, ${await earned(playground)} earned`,
);
const isExact =
  wins === PAYMENTS &&
  [...bought.values()].every((texts) => texts.size === 1) &&
  store.count('consumed') === PAYMENTS &&
  (await earned(playground)) === PRICE * BigInt(PAYMENTS) &&
  [...refused.keys()].every((code) => code === 'payment_already_used');
store.close();
agent.destroy();
await Promise.all(servers.map((server) => server.stop()));
await playground.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(isExact ? 0 : 1);

/** Shows one of the payments with one of the documents to one of the servers, until the answer is final. */
async function show(index: number): Promise<void> {
  const proof = proofs[index % PAYMENTS] ?? '';
  const server = servers[Math.floor(index / PAYMENTS) % servers.length];
  const document = Math.floor(index / PAYMENTS / servers.length) % DOCUMENTS;
  const body = `--cut\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nDocument ${document}.\r\n--cut--\r\n`;
  for (;;) {
    const outgoing = request(`${server?.url ?? ''}/chunk/structure`, {
      method: 'POST',
      agent,
      headers: {
        'content-type': 'multipart/form-data; boundary=cut',
        'content-length': body.length,
        'x-payment': proof,
        'x-forwarded-for': `192.0.2.${index % CLIENTS}`,
      },
    });
    outgoing.end(body);
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    const { statusCode } = incoming;
    let text = '';
    for await (const piece of incoming.setEncoding('utf8')) text += String(piece);
    if (statusCode === 200) {
      answered++;
      bought.get(proof)?.add(text);
      return;
    }
    if (statusCode !== 503 && statusCode !== 429) {
      const { code } = JSON.parse(text) as { code: string };
      refused.set(code, (refused.get(code) ?? 0) + 1);
      return;
    }
    again++;
  }
}
