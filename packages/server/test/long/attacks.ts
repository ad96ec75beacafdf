// A service on a bare port under attack, with its real limits: 1,000 requests that are never completed, then clients
// that read nothing of large answers. Prints when each attack ended, the memory that it took, and how quick /health
// was beside it; exits with 1 when a bound does not hold. About 90 seconds. Needs the build.
import { connect, type Socket } from 'node:net';
import { HALF_REQUESTS } from '../http/half-requests.ts';
import { createClient, HEALTH, quantile, sleep } from '@grainline/testing/load';
import { startService } from './service.ts';

const MIB = 1024 ** 2;
const HALVES = 1_000;
const READERS = 100;
/** Time in which a request ends that is never completed. */
const HALVES_ENDED_MS = 30_000;
/** Time in which the last slow reader ends; before it, the service makes all of their answers. */
const READERS_ENDED_MS = 90_000;
/** Time for /health, at the 99th percentile. */
const HEALTH_MS = 250;
/** Growth of memory, children included: 256 MiB of answers, and the 512 MiB heap of each of two children. */
const GROWTH_BYTES = (256 + 2 * 512) * MIB;
const PROBE_MS = 50;
/** By then all have connected. */
const CONNECTED_MS = 5_000;
/** The connection that asks for /health. */
const PROBE_HANDLES = 1;

const service = await startService();
const { hostname, port } = new URL(service.url);
/** Bounds that do not hold. */
const broken: string[] = [];

const halves = HALF_REQUESTS.map((bytes) => Buffer.from(bytes));
await attack(
  '1,000 requests that are never completed',
  { clients: HALVES, endedMs: HALVES_ENDED_MS },
  (count) => halves[count % halves.length] ?? '',
);
const body = JSON.stringify({
  tier: 'free',
  text: 'Nobody reads this sentence. '.repeat(180_000),
  unit: 'characters',
  chunk_size: 60_000,
});
const head = `POST /chunk HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
const question = Buffer.from(head + body);
await attack(
  '100 clients that do not read answers of 5 MB',
  { clients: READERS, endedMs: READERS_ENDED_MS },
  () => question,
);
await service.stop();
process.exit(broken.length > 0 ? 1 : 0);

/**
 * @param clients number of attacking connections
 * @param endedMs time in which all of them end
 * @param bytesOf bytes that each client sends
 */
async function attack(
  title: string,
  { clients, endedMs: mostMs }: { clients: number; endedMs: number },
  bytesOf: (count: number) => Buffer | string,
): Promise<void> {
  const before = service.memory();
  const handles = service.handles();
  const startedMs = performance.now();
  const sockets = Array.from({ length: clients }, (_, count) => begin(bytesOf(count)));
  let open = clients;
  const times: number[] = [];
  let most = before;
  const client = createClient(service.url, 1);
  while (open > 0 && performance.now() - startedMs < mostMs) {
    const { outcome, ms } = await client.send(HEALTH);
    if (outcome !== 200) throw new Error(`/health answered ${outcome}`);
    times.push(ms);
    most = Math.max(most, service.memory());
    await sleep(PROBE_MS);
    if (performance.now() - startedMs > CONNECTED_MS)
      open = Math.max(0, service.handles() - handles - PROBE_HANDLES);
  }
  client.close();
  for (const socket of sockets) socket.destroy();
  const endedMs = performance.now() - startedMs;
  const p99 = quantile(times, 0.99);
  if (open > 0 || p99 > HEALTH_MS || most - before > GROWTH_BYTES) broken.push(title);
  console.log(
    `${title}: ${clients - open} ended after ${(endedMs / 1000).toFixed(1)} s, /health p99 ${p99.toFixed(1)} ms, worst ${Math.max(...times).toFixed(1)} ms of ${times.length}, memory +${((most - before) / MIB).toFixed(0)} MiB`,
  );
}

/** Sends, and reads nothing more than the system does by itself: such a client does not notice its end. */
function begin(bytes: Buffer | string): Socket {
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  socket.write(bytes);
  return socket;
}
