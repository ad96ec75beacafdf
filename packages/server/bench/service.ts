// `npm run bench -w @grainline/server`: what a request costs beside bare node:http, and how long /health takes while
// the service is busy. Needs the build. Ratios hold on any machine; times say what machine and what else it does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { recordResults } from '@grainline/testing/results';
import { endWithUs } from '@grainline/testing/processes';
import { pdfOf } from '../test/sandbox/tasks.ts';
import { createClient, HEALTH, quantile, type Sendable, sleep, uploadOf } from '@grainline/testing/load';
import { cpuOf, startService } from '../test/long/service.ts';

/** Goals: of processor time beside the floor, and of /health in ms. */
const GOALS = { cpu: 20, withPdfs: 100, with256: 250 };
const REQUESTS = 400;
/** Before anything counts: V8 compiles the last of what a request goes through after some thousand of them. */
const WARM_UP = 2000;
/** An odd number, for the median. */
const ROUNDS = 7;
/** The floor costs so little, and the system counts in hundredths of a second: it is asked as much more often. */
const FLOOR_REQUESTS = 10 * REQUESTS;
const PDFS = 50;
const PROBE_MS = 10;

const TEXT = 'All work and no play makes a dull text. '.repeat(2500).slice(0, 100_000);
const upload = uploadOf(TEXT, 'a.txt');

await recordResults(import.meta.dirname, 'cost of a request', compareCost);
await recordResults(import.meta.dirname, 'health beside PDFs', probeWithPdfs);
await recordResults(import.meta.dirname, 'health beside 256 connections', probeWith256);

/** Processor time of one request, in ms, sent by 32 connections. */
async function costOf(url: string, cpuMs: () => number, requests = REQUESTS): Promise<number> {
  const client = createClient(url, 32);
  const before = cpuMs();
  let left = requests;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const { outcome } = await client.send(upload);
      if (outcome !== 200) throw new Error(`answered ${outcome}`);
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  client.close();
  return (cpuMs() - before) / requests;
}

async function compareCost(): Promise<void> {
  const floor = spawn(process.execPath, [fileURLToPath(new URL('floor.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithUs(floor);
  const [line] = (await once(createInterface(floor.stdout), 'line')) as [string];
  const floorUrl = line.split(' ').at(-1) ?? '';
  const service = await startService();
  // Both are warm before anything counts.
  await costOf(floorUrl, () => 0, FLOOR_REQUESTS);
  await costOf(service.url, () => 0, WARM_UP);
  const [costs, floors]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const bare = await costOf(floorUrl, () => cpuOf(floor.pid ?? 0), FLOOR_REQUESTS);
    const ours = await costOf(service.url, () => service.cpuMs());
    costs.push(ours);
    floors.push(bare);
    console.log(
      `100 kB of text, free tier: ${ours.toFixed(2)} ms of processor time, bare node:http ${bare.toFixed(3)} ms: ${(ours / bare).toFixed(1)} ×`,
    );
  }
  floor.kill('SIGTERM');
  await service.stop();
  // Of each alone: what else the machine does falls on one of the two more often than on both.
  const [ours, bare] = [quantile(costs, 0.5), quantile(floors, 0.5)];
  console.log(
    `medians ${ours.toFixed(2)} and ${bare.toFixed(3)} ms: ${(ours / bare).toFixed(1)} × (goal: at most ${GOALS.cpu})\n`,
  );
}

/** Asks /health every so often while the work runs. */
async function probe(url: string, work: Promise<unknown>): Promise<number[]> {
  const client = createClient(url, 1);
  const times: number[] = [];
  let isOver = false;
  void work.finally(() => (isOver = true));
  while (!isOver) {
    const { outcome, ms } = await client.send(HEALTH);
    if (outcome !== 200) throw new Error(`/health answered ${outcome}`);
    times.push(ms);
    await sleep(PROBE_MS);
  }
  client.close();
  return times;
}

function show(title: string, times: readonly number[], goal: number): void {
  const [p50, p99, worst] = [quantile(times, 0.5), quantile(times, 0.99), Math.max(...times)];
  console.log(
    `${title}: /health p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, worst ${worst.toFixed(1)} ms of ${times.length} (goal: p99 at most ${goal})`,
  );
}

async function probeWithPdfs(): Promise<void> {
  const service = await startService();
  const client = createClient(service.url, 8);
  const pdf = uploadOf(pdfOf(100), 'a.pdf');
  const startedMs = performance.now();
  let left = PDFS;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const { outcome } = await client.send(pdf);
      if (outcome !== 200) throw new Error(`a PDF got ${outcome}`);
    }
  };
  const times = await probe(service.url, Promise.all(Array.from({ length: 8 }, worker)));
  const seconds = (performance.now() - startedMs) / 1000;
  show(
    `${PDFS} PDFs of 100 pages, 8 at once (${(PDFS / seconds).toFixed(1)} a second)`,
    times,
    GOALS.withPdfs,
  );
  client.close();
  await service.stop();
}

async function probeWith256(): Promise<void> {
  const service = await startService();
  const client = createClient(service.url, 256);
  const mix: readonly Sendable[] = [upload, uploadOf('A short text.', 'b.txt')];
  const endMs = performance.now() + 10_000;
  const counts = new Map<number | string, number>();
  const worker = async (at: number): Promise<void> => {
    while (performance.now() < endMs) {
      const { outcome } = await client.send(mix[at % 2] ?? upload);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    }
  };
  const times = await probe(service.url, Promise.all(Array.from({ length: 256 }, (_, at) => worker(at))));
  const answers = [...counts].map(([outcome, count]) => `${count} × ${outcome}`).join(', ');
  show(`256 connections for 10 s (${answers})`, times, GOALS.with256);
  client.close();
  await service.stop();
}
