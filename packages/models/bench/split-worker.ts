// One measurement of splitting by tokens, in a process of its own: a job as JSON from its argument, a result as JSON.
// All times are CPU time of the whole process.
import { createHash } from 'node:crypto';
import { corpus, type CorpusName } from '../../core/bench/corpora.ts';
import { type Count, counterNamed, type EncodingName, OURS, resolvePeer } from './counters.ts';

export interface SplitJob {
  readonly splitter: string;
  readonly encoding: EncodingName;
  readonly text: CorpusName;
}

export interface SplitResult {
  /** The first time over the text, and the best of several later ones. */
  readonly firstMs: number;
  readonly warmMs: number;
  readonly chunks: number;
  /** CPU milliseconds are for so many units. */
  readonly units: number;
  /** Of all texts in order, and of the first ones, to see whether two splitters agree. */
  readonly digest: string;
  readonly headDigest: string;
  /** Chunks of more tokens than asked for, by our counter. */
  readonly over: number;
}

type Split = (text: string) => string[] | Promise<string[]>;

interface OurCore {
  readonly chunkSync: (text: string, options: object) => { text: string }[];
}
interface OurCounters {
  tokenCounter(name: EncodingName): Promise<{ count: Count }>;
}
interface LangChain {
  readonly RecursiveCharacterTextSplitter: new (options: object) => {
    splitText: (text: string) => Promise<string[]>;
  };
}

const BYTES = 1e6;
const SIZE = 512;
/** A counter slow enough that a part of the text must do, and how many chunks are surely whole in that part. */
const SLOW = 'js-tiktoken';
const SLOW_SHARE = 0.05;
const HEAD = 10;
const REPEATS = 9;
/** Time that a slow peer may spend on repeats. */
const MOST_MS = 4000;

const { splitter, encoding, text: name } = JSON.parse(process.argv[2] ?? '') as SplitJob;
const built = (path: string): string => new URL(path, import.meta.url).href;
const counters = (await import(built('../dist/tokens.js'))) as OurCounters;
const whole = corpus(name, BYTES);
const text = splitter === SLOW ? whole.slice(0, SLOW_SHARE * whole.length).toWellFormed() : whole;
const split = splitter === OURS ? await ours() : await langChain();
console.log(JSON.stringify(await measure()));

async function ours(): Promise<Split> {
  const { chunkSync } = (await import(built('../../core/dist/index.js'))) as OurCore;
  const options = { tier: 'free', size: SIZE, measure: await counters.tokenCounter(encoding) };
  return (given) => chunkSync(given, options).map((piece) => piece.text);
}

/** LangChain with the counter of a peer. */
async function langChain(): Promise<Split> {
  const counter = counterNamed(splitter);
  const count = await counter.create(await import(counter.module(encoding) ?? ''), encoding);
  const { RecursiveCharacterTextSplitter } = (await import(
    resolvePeer('@langchain/textsplitters') ?? ''
  )) as LangChain;
  const recursive = new RecursiveCharacterTextSplitter({
    chunkSize: SIZE,
    chunkOverlap: 0,
    lengthFunction: count,
  });
  return (given) => recursive.splitText(given);
}

async function measure(): Promise<SplitResult> {
  const before = cpuMs();
  const chunks = await split(text);
  const firstMs = cpuMs() - before;
  let warmMs = firstMs;
  for (let repeat = 0; repeat < REPEATS && cpuMs() - before < MOST_MS; repeat++) {
    const start = cpuMs();
    await split(text);
    warmMs = Math.min(warmMs, cpuMs() - start);
  }
  const counter = await counters.tokenCounter(encoding);
  return {
    firstMs,
    warmMs,
    chunks: chunks.length,
    units: text.length,
    digest: digestOf(chunks),
    headDigest: digestOf(chunks.slice(0, HEAD)),
    over: chunks.filter((chunk) => counter.count(chunk) > SIZE).length,
  };
}

function digestOf(chunks: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(chunks)).digest('hex');
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
