// One measurement in a process of its own: reads a job as JSON from its argument, prints a result as JSON.
// All times are CPU time of the whole process (user and system, garbage collection and compilation included).
import { createHash } from 'node:crypto';
import { corpus, type CorpusName } from './corpora.ts';
import { HOSTILE } from './hostile.ts';
import { type Split, splitterNamed } from './splitters.ts';

export type Job =
  | {
      readonly kind: 'split';
      readonly splitter: string;
      readonly corpus: CorpusName;
      readonly bytes: number;
      readonly overlap: number;
    }
  | { readonly kind: 'start'; readonly splitter: string }
  | { readonly kind: 'large'; readonly splitter: string; readonly bytes: number }
  | { readonly kind: 'hostile'; readonly splitter: string; readonly shape: string; readonly units: number };

export interface Result {
  /** CPU milliseconds of the call: the best of several where the job is to be repeated. */
  readonly ms: number;
  readonly chunks: number;
  /** Of all texts in order, to see whether two splitters agree. */
  readonly digest?: string;
  /** CPU milliseconds of the import. */
  readonly importMs?: number;
  /** MiB of heap that the call left behind, its garbage included. */
  readonly grownMiB?: number;
  /** MiB of heap that are held when only text and chunks are. */
  readonly heldMiB?: number;
}

const SIZE = 1000;
/** CPU milliseconds that one batch of calls should take, well above the clock's steps. */
const BATCH_MS = 60;
const BATCHES = 7;
const WARM_UP_MS = 250;

const result = await run(JSON.parse(process.argv[2] ?? '') as Job);
console.log(JSON.stringify(result));

function run(job: Job): Promise<Result> {
  switch (job.kind) {
    case 'split':
      return measureSplit(job);
    case 'start':
      return measureStart(job.splitter);
    case 'large':
      return measureOnce(job.splitter, corpus('prose', job.bytes));
    case 'hostile':
      return measureOnce(job.splitter, hostile(job.shape, job.units));
  }
}

async function measureSplit({
  splitter,
  corpus: name,
  bytes,
  overlap,
}: Extract<Job, { kind: 'split' }>): Promise<Result> {
  const text = corpus(name, bytes);
  const split = await splitterNamed(splitter).load({ size: SIZE, overlap });
  const repeats = Math.max(1, Math.round(BATCH_MS / (await timeWarm(split, text))));
  let best = Infinity;
  for (let batch = 0; batch < BATCHES; batch++) {
    const started = cpuMs();
    for (let call = 0; call < repeats; call++) await split(text);
    best = Math.min(best, (cpuMs() - started) / repeats);
  }
  return { ms: best, ...summaryOf(await split(text)) };
}

/** Calls until the engine has compiled what is hot, and returns how long a call then takes. */
async function timeWarm(split: Split, text: string): Promise<number> {
  const started = cpuMs();
  let last = 0;
  for (let calls = 0; calls < 5 || cpuMs() - started < WARM_UP_MS; calls++) {
    const before = cpuMs();
    await split(text);
    last = cpuMs() - before;
  }
  return Math.max(last, 0.01);
}

async function measureStart(name: string): Promise<Result> {
  const text = corpus('prose', 200_000);
  const splitter = splitterNamed(name);
  const started = cpuMs();
  await import(String(splitter.module));
  const imported = cpuMs();
  const split = await splitter.load({ size: SIZE, overlap: 0 });
  const before = cpuMs();
  const chunks = await split(text);
  return { ms: cpuMs() - before, importMs: imported - started, chunks: chunks.length };
}

async function measureOnce(name: string, text: string): Promise<Result> {
  const split = await splitterNamed(name).load({ size: SIZE, overlap: 0 });
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed;
  const started = cpuMs();
  const chunks = await split(text);
  const ms = cpuMs() - started;
  const grownMiB = (process.memoryUsage().heapUsed - heap) / 2 ** 20;
  globalThis.gc?.();
  const heldMiB = (process.memoryUsage().heapUsed - heap) / 2 ** 20;
  return { ms, grownMiB, heldMiB, chunks: chunks.length };
}

function hostile(shape: string, units: number): string {
  const make = HOSTILE[shape];
  if (make === undefined) throw new Error(`No hostile input is called ${shape}.`);
  return make(units);
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function summaryOf(chunks: readonly unknown[]): Pick<Result, 'chunks' | 'digest'> {
  const hash = createHash('sha256');
  for (const piece of chunks) hash.update(`${textOf(piece)}\0`);
  return { chunks: chunks.length, digest: hash.digest('hex') };
}

function textOf(piece: unknown): string {
  if (typeof piece === 'string') return piece;
  return typeof piece === 'object' && piece !== null && 'text' in piece ? String(piece.text) : '';
}
