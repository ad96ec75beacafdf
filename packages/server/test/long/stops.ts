// Polite stops under load: a service that is told to stop while clients go on sending answers every request that it was
// sent, and ends with 0 in time. A client that is refused a connection may go elsewhere; one whose connection breaks
// without an answer has lost a request.
//
//   node packages/server/test/long/stops.ts        STOPS=50
import { pdfOf } from '../sandbox/tasks.ts';
import { createClient, type Outcome, type Sendable, sleep, uploadOf } from '@grainline/testing/load';
import { startService } from './service.ts';

const STOPS = Number(process.env['STOPS'] ?? 50);
const CLIENTS = 16;
/** SHUTDOWN_MS and what ends after it. */
const MOST_MS = 25_000;

const TEXT = 'All work and no play makes a dull text. '.repeat(2500);
const LOAD: readonly Sendable[] = [
  uploadOf('A short text.', 'a.txt'),
  uploadOf(TEXT, 'b.txt'),
  uploadOf(TEXT, 'c.txt', 'structure'),
  uploadOf(pdfOf(10), 'd.pdf'),
  uploadOf(TEXT.repeat(3), 'e.txt'),
];

const counts = new Map<Outcome, number>();
const stopMs: number[] = [];
let issues = 0;

for (let stop = 0; stop < STOPS; stop++) {
  const service = await startService({ WORKERS: '1' });
  const client = createClient(service.url, CLIENTS);
  let answered = 0;
  const run = async (first: number): Promise<void> => {
    for (let at = first; ; at++) {
      const { outcome, why } = await client.send(LOAD[at % LOAD.length] ?? LOAD[0]!);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      if (outcome === 200) answered += 1;
      if (outcome === 200) continue;
      if (outcome === 'lost') console.log(`stop ${stop}: a request was lost: ${why ?? ''}`);
      if (outcome !== 503 && outcome !== 'refused') issues += 1;
      return;
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, first) => run(first));
  // A different moment each time, once the service is at work.
  while (answered < CLIENTS) await sleep(5);
  await sleep((stop * 37) % 400);
  const ms = await service.stop().catch((error: unknown) => {
    console.log(`stop ${stop}: ${String(error)}`);
    return Infinity;
  });
  await Promise.all(clients);
  client.close();
  stopMs.push(ms);
  if (ms <= MOST_MS) continue;
  issues += 1;
  console.log(`stop ${stop}: ended after ${Math.round(ms)} ms`);
}

const outcomes = [...counts].map(([outcome, count]) => `${count} × ${outcome}`).join(', ');
console.log(`${STOPS} stops, ${issues} faults; at most ${Math.round(Math.max(...stopMs))} ms; ${outcomes}`);
process.exit(issues === 0 ? 0 : 1);
