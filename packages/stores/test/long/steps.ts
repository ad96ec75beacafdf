// Loads documents by the steps of @grainline/pipeline on BullMQ and on pg-boss with two workers, and meanwhile kills
// workers, Redis and PostgreSQL at random, and freezes workers beyond their locks. Ends with 0 when no document is
// lost, no chunk doubled or of an old revision, and store and manifest equal those of an undisturbed run.
//
//   node --import ./packages/server/test/sandbox/from-sources.mjs packages/stores/test/long/steps.ts
//
// DOCUMENTS=200 and KILLS=15, for each engine; ENGINES=bullmq,pg-boss; SEED for the documents and the kills;
// MEGABYTES of all documents, of which pictures in PDFs are the most; PAUSE_MS=2000, the mean time between two kills.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { VectorStore } from '@grainline/core';
import { createBlobFolder, createMemoryBlobs, createSteps, type StepDeps } from '@grainline/pipeline/steps';
import { wordEmbedder } from '@grainline/testing/embedders';
import { createMemoryStore } from '@grainline/testing/memory-store';
import { type Cluster, createCluster } from '@grainline/testing/postgres-cluster';
import { Client } from 'pg';
import { openArrayStore } from './array-store.ts';
import { documents, DOCUMENTS, MEGABYTES, randomFrom } from './steps-documents.ts';
import {
  chunksIn,
  chunkText,
  connectQueue,
  freePort,
  ordered,
  Redis,
  requireServices,
} from './steps-services.ts';
import { EMBEDDING, LOCK_MS, type Run, SETTINGS } from './steps-worker.ts';

const KILLS = Number(process.env['KILLS'] ?? 15);
const ENGINES = (process.env['ENGINES'] ?? 'bullmq,pg-boss').split(',') as Run['engine'][];
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9));
const PAUSE_MS = Number(process.env['PAUSE_MS'] ?? 2000);
const WORKERS = 2;
/** Without any document written for so long, the queue has lost some. */
const PATIENCE_MS = 300_000;

/** The contents that all runs must have: chunks by id, and the entries of the manifest. */
interface Contents {
  readonly chunks: ReadonlyMap<string, string>;
  readonly entries: ReadonlyMap<string, string>;
}

async function entriesOf(store: VectorStore): Promise<Map<string, string>> {
  const entries = new Map<string, string>();
  for await (const entry of store.entries()) entries.set(entry.documentId, JSON.stringify(ordered(entry)));
  return entries;
}

const common = {
  embed: wordEmbedder,
  embedding: EMBEDDING,
  settings: SETTINGS,
  pagesPerRead: 2,
} satisfies Partial<StepDeps>;

async function undisturbed(): Promise<Contents> {
  const store = await createMemoryStore();
  const steps = createSteps({ ...common, store, blobs: createMemoryBlobs() });
  for (const document of documents(randomFrom(SEED))) {
    const queue = [await steps.submit(document)];
    for (const step of queue) queue.push(...(await steps.run(step)));
  }
  const chunks = [...store.records.values()].map(
    ({ id, document, metadata, embedding }) => [id, chunkText(document, metadata, [...embedding])] as const,
  );
  return { chunks: new Map(chunks), entries: await entriesOf(store) };
}

/** Two workers that are started again whenever they end. */
class Workers {
  readonly #run: Run;
  readonly #children: (ChildProcess | undefined)[] = [];
  #isEnding = false;

  constructor(run: Run) {
    this.#run = run;
    for (let index = 0; index < WORKERS; index++) this.#start(index);
  }

  #start(index: number): void {
    const script = fileURLToPath(new URL('./steps-worker.ts', import.meta.url));
    const sources = fileURLToPath(new URL('../../../server/test/sandbox/from-sources.mjs', import.meta.url));
    const child = spawn(process.execPath, ['--import', sources, script, JSON.stringify(this.#run)], {
      stdio: ['ignore', 'ignore', process.env['VERBOSE'] === undefined ? 'ignore' : 'inherit'],
    });
    this.#children[index] = child;
    child.once('exit', () => {
      if (!this.#isEnding) this.#start(index);
    });
  }

  kill(index: number): void {
    this.#children[index]?.kill('SIGKILL');
  }

  /** Stops a worker for longer than its locks last, and lets it go on. */
  freeze(index: number): void {
    const child = this.#children[index];
    child?.kill('SIGSTOP');
    void sleep(LOCK_MS * 1.5).then(() => child?.kill('SIGCONT'));
  }

  end(): void {
    this.#isEnding = true;
    for (const child of this.#children) child?.kill('SIGKILL');
  }
}

type Victim = 'worker' | 'frozen worker' | 'redis' | 'postgres';

/** Kills until the number is reached or the work is done; resolves with the kills of each kind. */
async function killAtRandom(
  random: () => number,
  { workers, redis, cluster }: { workers: Workers; redis: Redis | undefined; cluster: Cluster },
  isDone: () => boolean,
): Promise<Record<Victim, number>> {
  const kills = { worker: 0, 'frozen worker': 0, redis: 0, postgres: 0 };
  for (let count = 0; count < KILLS && !isDone(); count++) {
    await sleep(PAUSE_MS * (0.25 + 1.5 * random()));
    const chance = random();
    const index = Math.floor(random() * WORKERS);
    const victim: Victim =
      chance < 0.45
        ? 'worker'
        : chance < 0.6
          ? 'frozen worker'
          : chance < 0.8 && redis
            ? 'redis'
            : 'postgres';
    if (victim === 'worker') workers.kill(index);
    else if (victim === 'frozen worker') workers.freeze(index);
    else if (victim === 'redis') {
      await redis?.kill();
      await redis?.start();
    } else {
      await cluster.kill();
      await sleep(300 * random());
      cluster.start();
    }
    kills[victim]++;
  }
  return kills;
}

/** Repeats a call while Redis or PostgreSQL is away. */
async function insist<Result>(call: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await call();
    } catch {
      await sleep(100);
    }
  }
}

/** Adds every document to the queue; a document that may have been added is added again. */
async function submitAll(run: Run, store: VectorStore): Promise<() => Promise<void>> {
  const steps = createSteps({ ...common, store, blobs: createBlobFolder(run.blobs) });
  const { submit, end } = await insist(() => connectQueue(run, steps));
  for (const document of documents(randomFrom(SEED))) await insist(() => submit(document));
  return end;
}

/** Waits until the manifest is that of the undisturbed run, or nothing changes any more. */
async function waitFor(entries: Contents['entries'], store: VectorStore): Promise<number> {
  let [best, changedMs] = [-1, Date.now()];
  for (;;) {
    const stored = await entriesOf(store).catch(() => new Map<string, string>());
    const equal = [...entries].filter(([id, entry]) => stored.get(id) === entry).length;
    if (equal !== best) [best, changedMs] = [equal, Date.now()];
    if (equal === entries.size || Date.now() - changedMs > PATIENCE_MS) return equal;
    // Thousands of entries take as long to read.
    await sleep(500 + entries.size);
  }
}

/** Prints what differs, and on pg-boss the jobs of these documents. */
async function explain(
  url: string,
  expected: Contents['entries'],
  stored: Contents['entries'],
): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const [documentId, entry] of expected) {
    const found = stored.get(documentId);
    if (found === entry) continue;
    console.log(`expected ${entry}\nstored   ${found ?? 'nothing'}`);
    const jobs = await client
      .query<object>(
        `SELECT data->>'kind' AS kind, data->'document'->>'revision' AS revision, state, retry_count, output
         FROM pgboss.job WHERE data->'document'->>'documentId' = $1 ORDER BY created_on`,
        [documentId],
      )
      .catch(() => ({ rows: [] }));
    for (const job of jobs.rows) console.log(JSON.stringify(job));
  }
  await client.end();
}

async function disturbed(engine: Run['engine'], expected: Contents): Promise<boolean> {
  const beganMs = Date.now();
  const cluster = await createCluster();
  const redis = engine === 'bullmq' ? new Redis(await freePort()) : undefined;
  await redis?.start();
  const blobs = mkdtempSync(join(tmpdir(), 'grainline-kills-'));
  const run: Run = { engine, redisPort: redis?.port ?? 0, postgresUrl: cluster.url, blobs };
  const store = openArrayStore(cluster.url);
  let isDone = false;
  const submitting = submitAll(run, store);
  if (engine === 'pg-boss') await sleep(3000);
  const workers = new Workers(run);
  try {
    const killing = killAtRandom(randomFrom(SEED + 1), { workers, redis, cluster }, () => isDone);
    const end = await submitting;
    const equal = await waitFor(expected.entries, store);
    isDone = true;
    const kills = await killing;
    // A frozen worker may still be about to write.
    await sleep(LOCK_MS * 2);
    workers.end();
    await end().catch(() => undefined);
    const chunks = await chunksIn(cluster.url);
    const entries = await entriesOf(store);
    const lost = [...expected.chunks.keys()].filter((id) => !chunks.has(id)).length;
    const extra = [...chunks.keys()].filter((id) => !expected.chunks.has(id)).length;
    const other = [...expected.chunks].filter(
      ([id, text]) => chunks.has(id) && chunks.get(id) !== text,
    ).length;
    const minutes = ((Date.now() - beganMs) / 60_000).toFixed(1);
    console.log(
      `${engine}: ${equal} of ${expected.entries.size} entries of the manifest, ${chunks.size} chunks; ${lost} lost, ${extra} doubled or old, ${other} with other bytes; kills ${JSON.stringify(kills)}; ${minutes} minutes`,
    );
    if (equal < expected.entries.size) await explain(cluster.url, expected.entries, entries);
    return equal === expected.entries.size && entries.size === equal && lost + extra + other === 0;
  } finally {
    workers.end();
    await store.close();
    await redis?.remove();
    cluster.remove();
    rmSync(blobs, { recursive: true, force: true });
  }
}

requireServices();
console.log(`SEED=${SEED} DOCUMENTS=${DOCUMENTS} MEGABYTES=${MEGABYTES} KILLS=${KILLS} PAUSE_MS=${PAUSE_MS}`);
const expected = await undisturbed();
let holds = true;
for (const engine of ENGINES) holds = (await disturbed(engine, expected)) && holds;
process.exit(holds ? 0 : 1);
