// One worker process against two on the steps of @grainline/pipeline, over BullMQ and pg-boss: notes, reports, and a
// PDF of 1,000 pages, which one worker reads as a whole and two read in ranges. Each run has its own PostgreSQL and
// Redis, and must end with the same chunks. On a machine with other work only the processor times mean something.
// Everything runs twice: with workers that take what they get, which two cores also give to the queue and the
// database, and with workers that have a fixed share of a core each, so that both and the services fit into two cores.
// A table of all comes last. All of it takes four minutes on a quiet machine with two cores, and goes into RESULTS.md,
// in a section for each set of variables.
//
//   npm run bench -w @grainline/stores
//
// ENGINES=bullmq,pg-boss; SETS=notes,reports,book; NOTES=400; REPORTS=40, of 40 pages each; PAGES=1000 of the book,
// or BOOK=manual.pdf;
// SHARES=100,40, in percent of a core, of which 100 is no limit.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { indexedText } from '@grainline/core';
import { chunkSource } from '@grainline/pipeline';
import type { SubmittedDocument } from '@grainline/pipeline/steps';
import { createCluster } from '@grainline/testing/postgres-cluster';
import { recordResults } from '@grainline/testing/results';
import { Client } from 'pg';
import { chunksIn, connectQueue, freePort, Redis, requireServices } from '../test/long/steps-services.ts';
import { type Run, stepsOf } from '../test/long/steps-worker.ts';
import type { EndedStep } from './workers-child.ts';
import { manual, note, report } from './workers-documents.ts';
import { hasQuotas, limitProcess } from './workers-quota.ts';

const numberOf = (name: string, standard: number): number => Number(process.env[name] ?? standard);
const ENGINES = (process.env['ENGINES'] ?? 'bullmq,pg-boss').split(',') as Run['engine'][];
const SETS = (process.env['SETS'] ?? 'notes,reports,book').split(',');
const SHARES = (process.env['SHARES'] ?? '100,40').split(',').map(Number);
const PAGES = numberOf('PAGES', 1000);
const BOOK = process.env['BOOK'];
/** Pages of a read by default, and more than any book has. */
const RANGE = 100;
const WHOLE = 100_000;
const SETTINGS = { tier: 'structure', size: 800 } as const;
const PATIENCE_MS = 300_000;

const serial = (length: number): number[] => [...Array(length).keys()];
const documentsOf: Record<string, () => SubmittedDocument[]> = {
  notes: () => serial(numberOf('NOTES', 400)).map(note),
  reports: () => serial(numberOf('REPORTS', 40)).map((seed) => report(seed, 40)),
  book: () => [BOOK === undefined ? report(0, PAGES) : manual(BOOK)],
};

/** A run of all documents. */
interface Measured {
  /** From the first step to the last cut, and to the last write, in milliseconds. */
  readonly cutMs: number;
  readonly wallMs: number;
  /** From the write of the first quarter of the documents to the last write: without warming up. */
  readonly warmMs: number;
  /** Ends of steps, by worker. */
  readonly ends: readonly (readonly EndedStep[])[];
  /** Processor time of Redis and PostgreSQL in milliseconds. */
  readonly servicesMs: number;
  readonly chunks: ReadonlyMap<string, string>;
  readonly texts: readonly string[];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
/** Processor time of workers until the end of their last step, or of the last of a kind. */
const processorOf = ({ ends }: Measured, kinds?: readonly string[]): number[] =>
  ends.map((steps) =>
    Math.max(0, ...steps.flatMap((step) => (kinds?.includes(step.kind) === false ? [] : step.processorMs))),
  );

async function measure(
  engine: Run['engine'],
  documents: readonly SubmittedDocument[],
  { workers, pagesPerRead, share }: { workers: number; pagesPerRead: number; share: number },
): Promise<Measured> {
  const cluster = await createCluster();
  const redis = engine === 'bullmq' ? new Redis(await freePort()) : undefined;
  await redis?.start();
  const blobs = mkdtempSync(join(tmpdir(), 'grainline-workers-'));
  const places = { redisPort: redis?.port ?? 0, postgresUrl: cluster.url, blobs };
  const run: Run = { engine, ...places, pagesPerRead, lockMs: 60_000, settings: SETTINGS };
  const client = new Client({ connectionString: cluster.url });
  await client.connect();
  const children: ChildProcess[] = [];
  const limits: (() => void)[] = [];
  try {
    const queue = await connectQueue(run, stepsOf(run));
    for (const document of documents) await queue.submit(document);
    children.push(...serial(workers).map(() => startWorker(run)));
    await Promise.all(children.map(readiness));
    if (share < 100) limits.push(...children.map(({ pid = 0 }) => limitProcess(pid, share)));
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const services = [parentOf(rows[0]?.pid ?? 0), ...(redis?.pid === undefined ? [] : [redis.pid])];
    const before = sum(services.map(processorOfTree));
    const ends = await workToEnd(children, documents.length);
    const servicesMs = sum(services.map(processorOfTree)) - before;
    const all = ends.flat();
    const beganMs = Math.min(...all.map((step) => step.beganMs));
    const lastMs = (kind: string): number =>
      Math.max(...all.flatMap((step) => (step.kind === kind ? step.endedMs : []))) - beganMs;
    const writes = all.flatMap((step) => (step.kind === 'write' ? step.endedMs - beganMs : []));
    const warmFromMs = writes.sort((a, b) => a - b)[Math.floor(documents.length / 4) - 1] ?? 0;
    await queue.end().catch(() => undefined);
    const texts = await client.query<{ text: string }>('SELECT text FROM chunks');
    return {
      cutMs: lastMs('cut'),
      wallMs: lastMs('write'),
      warmMs: lastMs('write') - warmFromMs,
      ends,
      servicesMs,
      chunks: await chunksIn(cluster.url),
      texts: texts.rows.map(({ text }) => text).sort(),
    };
  } finally {
    await Promise.all(children.map(end));
    for (const remove of limits) remove();
    await client.end();
    await redis?.remove();
    cluster.remove();
    rmSync(blobs, { recursive: true, force: true });
  }
}

function startWorker(run: Run): ChildProcess {
  const script = fileURLToPath(new URL('./workers-child.ts', import.meta.url));
  const sources = fileURLToPath(new URL('../../server/test/sandbox/from-sources.mjs', import.meta.url));
  return spawn(process.execPath, ['--import', sources, script, JSON.stringify(run)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

async function readiness(child: ChildProcess): Promise<void> {
  await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`a worker has ended with ${code}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Starts the workers; resolves with the steps that each has ended when all documents are written. */
async function workToEnd(children: readonly ChildProcess[], documents: number): Promise<EndedStep[][]> {
  const ends: EndedStep[][] = children.map(() => []);
  const written = new Set<string>();
  await new Promise<void>((resolve, reject) => {
    const patience = setTimeout(
      () => reject(new Error(`${written.size} of ${documents} written`)),
      PATIENCE_MS,
    );
    for (const [at, child] of children.entries()) {
      child.on('message', (step: EndedStep) => {
        ends[at]?.push(step);
        if (step.kind === 'write') written.add(step.documentId);
        if (written.size < documents) return;
        clearTimeout(patience);
        resolve();
      });
      child.send('go');
    }
  });
  return ends;
}

/** The fields of a process behind its name: parent at 1, user, system and the same of ended children from 11. */
function statOf(pid: number): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}

const parentOf = (pid: number): number => statOf(pid)[1] ?? 0;

/** Processor time of a process and its children in milliseconds, of which a tick has ten. */
function processorOfTree(pid: number): number {
  const children = readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name) && parentOf(Number(name)) === pid ? [statOf(Number(name)).slice(11, 13)] : [];
    } catch {
      return [];
    }
  });
  return sum([...statOf(pid).slice(11, 15), ...children.flat()]) * 10;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(2);
const ratio = (one: number, other: number): string => `${(one / other).toFixed(2)} ×`;

function hasSameChunks({ chunks: one }: Measured, { chunks: other }: Measured): boolean {
  return one.size === other.size && [...one].every(([id, text]) => other.get(id) === text);
}

/** One worker and two on the same documents. */
interface Compared {
  readonly engine: string;
  readonly set: string;
  readonly share: number;
  readonly one: Measured;
  readonly two: Measured;
  readonly isSame: boolean;
}

async function compareWorkers(engine: Run['engine'], set: string, share: number): Promise<Compared> {
  const documents = documentsOf[set]?.() ?? [];
  const [one, two] = [
    await measure(engine, documents, { workers: 1, pagesPerRead: set === 'book' ? WHOLE : RANGE, share }),
    await measure(engine, documents, { workers: 2, pagesPerRead: RANGE, share }),
  ];
  const atOnce = set === 'book' ? await textsAtOnce(documents) : one.texts;
  const isSame = hasSameChunks(one, two) && String(one.texts) === String(atOnce);
  return { engine, set: `${documents.length} ${set}`, share, one, two, isSame };
}

function describe({ engine, set, share, one, two, isSame }: Compared): string {
  const [alone, both] = [sum(processorOf(one)), processorOf(two)];
  const wall = (name: string, key: 'wallMs' | 'cutMs' | 'warmMs'): string =>
    `  wall time ${name}: one worker ${seconds(one[key])} s, two ${seconds(two[key])} s: ${ratio(one[key], two[key])}`;
  return [
    `${engine}, ${set}, ${share === 100 ? 'workers without a limit' : `${share} % of a core for each worker`}, ${one.chunks.size} chunks${isSame ? '' : ', WHICH DIFFER'}`,
    wall('to the end', 'wallMs'),
    wall('to the last cut', 'cutMs'),
    ...(set === '1 book' ? [] : [wall('behind the first quarter', 'warmMs')]),
    `  processor time: one worker ${seconds(alone)} s, two ${both.map(seconds).join(' + ')} s, ${ratio(sum(both), alone)}; the longer one allows ${ratio(alone, Math.max(...both))}`,
    `  processor time of Redis and PostgreSQL: ${seconds(one.servicesMs)} s and ${seconds(two.servicesMs)} s`,
    ...(set === '1 book' ? [describeBook(one, two)] : []),
  ].join('\n');
}

function describeBook(one: Measured, two: Measured): string {
  const [whole = 0] = processorOf(one, ['plan', 'read', 'cut']);
  const reads = processorOf(two, ['plan', 'read']);
  const cut = sum(processorOf(two, ['plan', 'read', 'cut'])) - sum(reads);
  const path = Math.max(...reads) + cut;
  return `  processor time to the cut: one worker ${seconds(whole)} s, two ${reads.map(seconds).join(' | ')} s, then the cut ${seconds(cut)} s: allows ${ratio(whole, path)}`;
}

/** All comparisons, a row each. */
function tableOf(compared: readonly Compared[]): string {
  const rows = compared.map(({ engine, set, share, one, two }) => {
    const [alone, both] = [sum(processorOf(one)), processorOf(two)];
    const isBook = set === '1 book';
    return [
      `${engine}, ${set}`,
      share === 100 ? 'no limit' : `${share} % of a core`,
      `${seconds(one.wallMs)} s, ${seconds(two.wallMs)} s`,
      ratio(one.wallMs, two.wallMs),
      isBook
        ? `${ratio(one.cutMs, two.cutMs)} to the cut`
        : `${ratio(one.warmMs, two.warmMs)} behind a quarter`,
      ratio(sum(both), alone),
    ];
  });
  const head = [
    'queue, documents',
    'each worker has',
    'one worker, two',
    'faster',
    'in part',
    'processor time',
  ];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** The texts that `chunkSource` cuts from the file, without steps. */
async function textsAtOnce(documents: readonly SubmittedDocument[]): Promise<string[]> {
  const results = await Promise.all(
    documents.map(({ filename, bytes = new Uint8Array() }) => chunkSource({ bytes, filename }, SETTINGS)),
  );
  return results.flatMap(({ chunks }) => chunks.map(indexedText)).sort();
}

requireServices();
const shares = SHARES.filter((share) => share === 100 || hasQuotas());
if (shares.length < SHARES.length)
  console.warn('SKIPPED: shares of a core, which need control groups of version 1 and their owner');
const compared: Compared[] = [];
const given = ['ENGINES', 'SETS', 'NOTES', 'REPORTS', 'PAGES', 'BOOK', 'SHARES'].flatMap((name) => {
  const value = process.env[name];
  return value === undefined ? [] : `${name}=${basename(value)}`;
});
await recordResults(import.meta.dirname, ['Two workers against one', ...given].join(' '), async () => {
  for (const share of shares)
    for (const set of SETS)
      for (const engine of ENGINES) {
        const next = await compareWorkers(engine, set, share);
        console.log(describe(next));
        compared.push(next);
      }
  console.log(`\n${tableOf(compared)}\n\nload at the end: ${loadavg()[0]?.toFixed(1)}`);
});
process.exit(compared.every(({ isSame }) => isSame) ? 0 : 1);
