// One worker process against two on the steps of @grainline/pipeline, over BullMQ and pg-boss: notes, reports, and a
// PDF of 1,000 pages, which one worker reads as a whole and two read in ranges. Each run has its own PostgreSQL and
// Redis, and must end with the same chunks. On a machine with other work only the processor times mean something.
//
//   npm ci --prefix packages/pipeline/peers
//   node --import ./packages/server/test/sandbox/from-sources.mjs packages/stores/bench/workers.ts
//
// ENGINES=bullmq,pg-boss; SETS=notes,reports,book; NOTES=400; REPORTS=40, of 40 pages each; PAGES=1000 of the book.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chunkSource } from '@grainline/pipeline';
import type { SubmittedDocument } from '@grainline/pipeline/steps';
import { createCluster } from '@grainline/testing/postgres-cluster';
import { Client } from 'pg';
import { chunksIn, connectQueue, freePort, Redis, requireServices } from '../test/long/steps-services.ts';
import { type Run, stepsOf } from '../test/long/steps-worker.ts';
import type { EndedStep } from './workers-child.ts';
import { note, report } from './workers-documents.ts';

const numberOf = (name: string, standard: number): number => Number(process.env[name] ?? standard);
const ENGINES = (process.env['ENGINES'] ?? 'bullmq,pg-boss').split(',') as Run['engine'][];
const SETS = (process.env['SETS'] ?? 'notes,reports,book').split(',');
const PAGES = numberOf('PAGES', 1000);
const SETTINGS = { tier: 'structure', size: 800 } as const;
const PATIENCE_MS = 300_000;

const serial = (length: number): number[] => [...Array(length).keys()];
const documentsOf: Record<string, () => SubmittedDocument[]> = {
  notes: () => serial(numberOf('NOTES', 400)).map(note),
  reports: () => serial(numberOf('REPORTS', 40)).map((seed) => report(seed, 40)),
  book: () => [report(0, PAGES)],
};

/** A run of all documents. */
interface Measured {
  /** From the first step to the last cut, and to the last write, in milliseconds. */
  readonly cutMs: number;
  readonly wallMs: number;
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
  { workers, pagesPerRead }: { workers: number; pagesPerRead: number },
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
  try {
    const queue = await connectQueue(run, stepsOf(run));
    for (const document of documents) await queue.submit(document);
    children.push(...serial(workers).map(() => startWorker(run)));
    await Promise.all(children.map(readiness));
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const services = [parentOf(rows[0]?.pid ?? 0), ...(redis?.pid === undefined ? [] : [redis.pid])];
    const before = sum(services.map(processorOfTree));
    const ends = await workToEnd(children, documents.length);
    const servicesMs = sum(services.map(processorOfTree)) - before;
    const all = ends.flat();
    const beganMs = Math.min(...all.map((step) => step.beganMs));
    const lastMs = (kind: string): number =>
      Math.max(...all.flatMap((step) => (step.kind === kind ? step.endedMs : []))) - beganMs;
    await queue.end().catch(() => undefined);
    const texts = await client.query<{ text: string }>('SELECT text FROM chunks');
    return {
      cutMs: lastMs('cut'),
      wallMs: lastMs('write'),
      ends,
      servicesMs,
      chunks: await chunksIn(cluster.url),
      texts: texts.rows.map(({ text }) => text).sort(),
    };
  } finally {
    for (const child of children) child.kill('SIGKILL');
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

function isSame({ chunks: one }: Measured, { chunks: other }: Measured): boolean {
  return one.size === other.size && [...one].every(([id, text]) => other.get(id) === text);
}

async function compareWorkers(engine: Run['engine'], set: string): Promise<boolean> {
  const documents = documentsOf[set]?.() ?? [];
  const [one, two] = [
    await measure(engine, documents, { workers: 1, pagesPerRead: set === 'book' ? PAGES : 50 }),
    await measure(engine, documents, { workers: 2, pagesPerRead: 50 }),
  ];
  const [alone, both] = [sum(processorOf(one)), processorOf(two)];
  const atOnce = set === 'book' ? await textsAtOnce(documents) : one.texts;
  const same = isSame(one, two) && String(one.texts) === String(atOnce);
  console.log(
    `${engine}, ${documents.length} ${set}, ${one.chunks.size} chunks${same ? '' : ', WHICH DIFFER'}
  wall time to the end: one worker ${seconds(one.wallMs)} s, two ${seconds(two.wallMs)} s: ${ratio(one.wallMs, two.wallMs)}
  wall time to the last cut: one worker ${seconds(one.cutMs)} s, two ${seconds(two.cutMs)} s: ${ratio(one.cutMs, two.cutMs)}
  processor time: one worker ${seconds(alone)} s, two ${both.map(seconds).join(' + ')} s, ${ratio(sum(both), alone)}; the longer one allows ${ratio(alone, Math.max(...both))}
  processor time of Redis and PostgreSQL: ${seconds(one.servicesMs)} s and ${seconds(two.servicesMs)} s`,
  );
  if (set === 'book') {
    const [whole] = processorOf(one, ['plan', 'read', 'cut']);
    const reads = processorOf(two, ['plan', 'read']);
    const cut = sum(processorOf(two, ['plan', 'read', 'cut'])) - sum(reads);
    const path = Math.max(...reads) + cut;
    console.log(
      `  processor time to the cut: one worker ${seconds(whole ?? 0)} s, two ${reads.map(seconds).join(' | ')} s, then the cut ${seconds(cut)} s: allows ${ratio(whole ?? 0, path)}`,
    );
  }
  return same;
}

/** The texts that `chunkSource` cuts from the file, without steps. */
async function textsAtOnce(documents: readonly SubmittedDocument[]): Promise<string[]> {
  const results = await Promise.all(
    documents.map(({ filename, bytes = new Uint8Array() }) => chunkSource({ bytes, filename }, SETTINGS)),
  );
  return results.flatMap(({ chunks }) => chunks.map(({ text }) => text)).sort();
}

requireServices();
let holds = true;
for (const set of SETS) for (const engine of ENGINES) holds = (await compareWorkers(engine, set)) && holds;
process.exit(holds ? 0 : 1);
