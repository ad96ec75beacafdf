// One measurement in a process of its own: reads a job as JSON from its argument, prints a result as JSON.
// All times are CPU time of the whole process (user and system, garbage collection and compilation included).
import { corpus, type CorpusName } from '../../core/bench/corpora.ts';
import { type Count, counterNamed, type EncodingName } from './counters.ts';

export interface Job {
  readonly counter: string;
  readonly encoding: EncodingName;
  /** A corpus of a million bytes in documents of ten thousand units, or one letter so many times. */
  readonly text: CorpusName | { readonly letters: number };
}

export interface Result {
  readonly loadMs: number;
  /** MiB of memory (resident) that the loaded counter takes more than the process without it. */
  readonly loadMiB: number;
  /** The first time over the whole text. */
  readonly firstMs: number;
  /** The best of several later times. */
  readonly warmMs: number;
  readonly tokens: number;
}

const BYTES = 1e6;
const DOCUMENT_UNITS = 10_000;
const WARM_UP_MS = 400;
const BATCH_MS = 60;
const BATCHES = 7;
/** Time that a slow peer may spend on batches after its first. */
const MOST_BATCHES_MS = 1500;

console.log(JSON.stringify(await measure(JSON.parse(process.argv[2] ?? '') as Job)));

async function measure({ counter: name, encoding, text }: Job): Promise<Result> {
  const documents = documentsOf(text);
  const counter = counterNamed(name);
  const residentBefore = resident();
  const started = cpuMs();
  const count = await counter.create(await import(counter.module(encoding) ?? ''), encoding);
  count('a');
  const loadMs = cpuMs() - started;
  const loadMiB = (resident() - residentBefore) / 2 ** 20;
  const before = cpuMs();
  const tokens = countAll(count, documents);
  const firstMs = cpuMs() - before;
  return {
    loadMs,
    loadMiB,
    firstMs,
    warmMs: typeof text === 'string' ? warm(count, documents) : firstMs,
    tokens,
  };
}

function documentsOf(text: Job['text']): string[] {
  if (typeof text !== 'string') return ['a'.repeat(text.letters)];
  const whole = corpus(text, BYTES);
  const documents: string[] = [];
  // Through a buffer: a slice would be a view of the whole string, unlike a document of a user.
  for (let at = 0; at < whole.length; at += DOCUMENT_UNITS) {
    documents.push(Buffer.from(whole.slice(at, at + DOCUMENT_UNITS).toWellFormed()).toString());
  }
  return documents;
}

function countAll(count: Count, documents: readonly string[]): number {
  let tokens = 0;
  for (const document of documents) tokens += count(document);
  return tokens;
}

function warm(count: Count, documents: readonly string[]): number {
  const warmUntil = cpuMs() + WARM_UP_MS;
  let last = 1;
  while (cpuMs() < warmUntil) {
    const before = cpuMs();
    countAll(count, documents);
    last = Math.max(0.1, cpuMs() - before);
  }
  const repeats = Math.max(1, Math.round(BATCH_MS / last));
  let best = Infinity;
  const until = cpuMs() + MOST_BATCHES_MS;
  for (let batch = 0; batch < BATCHES && (batch === 0 || cpuMs() < until); batch++) {
    const before = cpuMs();
    for (let time = 0; time < repeats; time++) countAll(count, documents);
    best = Math.min(best, (cpuMs() - before) / repeats);
  }
  return best;
}

function resident(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
