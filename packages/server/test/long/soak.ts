// Fifteen minutes at 70 % of what the service can do here: memory does not grow, no handle is left behind, and no
// answer is unexpected. First it is found out how fast one after another the same mix of requests is served by both
// processors.
//
//   node packages/server/test/long/soak.ts        MINUTES=15
import { pdfOf } from '../sandbox/tasks.ts';
import { createClient, type Outcome, type Sendable, sleep, uploadOf } from '@grainline/testing/load';
import { startService } from './service.ts';

const MINUTES = Number(process.env['MINUTES'] ?? 15);
const SHARE = 0.7;
const CLIENTS = 8;
/** Of the first quarter's memory. */
const MOST_GROWTH = 1.2;
const LOOK_MS = 1000;

const TEXT = 'All work and no play makes a dull text. '.repeat(2500);
const MIX: readonly Sendable[] = [
  ...Array.from({ length: 10 }, (_, at) => uploadOf(TEXT.slice(0, 1000 * (at + 1)), 'a.txt')),
  uploadOf(TEXT, 'b.txt'),
  uploadOf(TEXT, 'c.txt', 'structure'),
  uploadOf(TEXT.slice(0, 20_000), 'd.txt', 'semantic'),
  uploadOf(pdfOf(5), 'e.pdf'),
  uploadOf(TEXT.repeat(3), 'f.txt'),
  { method: 'GET', path: '/results/free_000000000000', headers: {}, body: Buffer.alloc(0) },
  uploadOf('%PDF-1.7 and nothing else', 'g.pdf'),
];
const EXPECTED: readonly Outcome[] = [200, 400, 404, 429];

const service = await startService({ WORKERS: '1' });
const client = createClient(service.url, CLIENTS * 4);
const counts = new Map<Outcome, number>();
let next = 0;
const sendNext = async (): Promise<void> => {
  const { outcome } = await client.send(MIX[next++ % MIX.length] ?? MIX[0]!);
  counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
};

const capacity = await measureCapacity(Math.min(60_000, MINUTES * 6_000));
console.log(
  `capacity: ${capacity.toFixed(1)} requests a second; soaking at ${(capacity * SHARE).toFixed(1)} for ${MINUTES} minutes`,
);
const samples: { readonly memory: number; readonly handles: number }[] = [];
const beganMs = performance.now();
const endMs = beganMs + MINUTES * 60_000;
let sent = 0;
const running = new Set<Promise<void>>();
let checkMs = beganMs;
while (performance.now() < endMs) {
  const due = ((performance.now() - beganMs) / 1000) * capacity * SHARE;
  for (; sent < due; sent++) {
    const one = sendNext().finally(() => running.delete(one));
    running.add(one);
  }
  if (performance.now() >= checkMs) {
    samples.push({ memory: service.memory(), handles: service.handles() });
    checkMs += LOOK_MS;
  }
  await sleep(5);
}
await Promise.all(running);
const hasStopped = await service.stop().then(
  () => true,
  (error: unknown) => {
    console.log(String(error));
    return false;
  },
);
client.close();

const quarter = (index: number) =>
  samples.slice(Math.floor((samples.length * index) / 4), Math.floor((samples.length * (index + 1)) / 4));
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const [first, last] = [quarter(0), quarter(3)];
const growth = mean(last.map(({ memory }) => memory)) / mean(first.map(({ memory }) => memory));
const handles = [first, last].map((part) => Math.max(...part.map((sample) => sample.handles))) as [
  number,
  number,
];
const unexpected = [...counts].filter(([outcome]) => !EXPECTED.includes(outcome));
console.log(
  `memory of the last quarter ${growth.toFixed(2)} × the first (${Math.round(mean(first.map(({ memory }) => memory)) / 2 ** 20)} MiB); at most ${handles.join(' and ')} handles; ${[...counts].map(([outcome, count]) => `${count} × ${outcome}`).join(', ')}`,
);
const holds =
  growth <= MOST_GROWTH && handles[1] <= handles[0] + CLIENTS && unexpected.length === 0 && hasStopped;
if (!holds) console.log('This is not as it should be.');
process.exit(holds ? 0 : 1);

/** Requests a second when every answer is followed by the next request. */
async function measureCapacity(ms: number): Promise<number> {
  const startedMs = performance.now();
  let done = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < startedMs + ms) {
      await sendNext();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, worker));
  return (done * 1000) / (performance.now() - startedMs);
}
