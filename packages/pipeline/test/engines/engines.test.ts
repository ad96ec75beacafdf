// The steps on queues that teams run: two workers, documents submitted twice, a document at fault, and an embedder that
// fails at first. The store equals that of steps run one after the other.
import { afterAll, describe, expect, it } from 'vitest';
import type { Embed, StoreSpec } from '@grainline/core';
import {
  createBlobFolder,
  createBossSteps,
  createBullSteps,
  createMemoryBlobs,
  createSteps,
  type DocumentSteps,
  type StepDeps,
  type SubmittedDocument,
} from '@grainline/pipeline/steps';
import { wordEmbedder } from '@grainline/testing/embedders';
import { createMemoryStore, type MemoryStore } from '@grainline/testing/memory-store';
import { setText, writePdf } from '@grainline/testing/pdf-writer';
import { createDatabase, hasPostgres } from '@grainline/testing/postgres-server';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasQueues, hasRedis, loadBullMq, loadPgBoss } from '@grainline/testing/queues';

const REDIS = { host: '127.0.0.1', port: 6379 };
const EMBEDDING: StoreSpec['embedding'] = { model: 'words', dimensions: 48, distance: 'cosine', blend: 0.4 };

const sentences = (seed: number, count: number): string[] =>
  Array.from(
    { length: count },
    (_, at) => `High water ${seed} follows the moon for the ${at + seed}th time.`,
  );

const DOCUMENTS: readonly SubmittedDocument[] = [
  ...[1, 2, 3].map((seed) => ({
    documentId: `${seed}.md`,
    revision: 1,
    filename: `${seed}.md`,
    bytes: new TextEncoder().encode(sentences(seed, 12).join('\n\n')),
  })),
  ...[4, 5].map((seed) => ({
    documentId: `${seed}.pdf`,
    revision: 1,
    filename: `${seed}.pdf`,
    bytes: writePdf({
      pages: [1, 2, 3, 4, 5].map((page) => ({
        content: setText(
          sentences(seed + page, 8).map((text, line) => ({ text, x: 72, y: 700 - 14 * line })),
        ),
      })),
    }),
  })),
];
/** A scan without text. */
const SCAN: SubmittedDocument = {
  documentId: 'scan.pdf',
  revision: 1,
  filename: 'scan.pdf',
  bytes: writePdf({ pages: [{ picture: 1 }, { picture: 1 }, { picture: 1 }] }),
};

function createWorker(store: MemoryStore, changes: Partial<StepDeps>): DocumentSteps {
  return createSteps({
    store,
    blobs: createMemoryBlobs(),
    embed: wordEmbedder,
    embedding: EMBEDDING,
    settings: { tier: 'structure', size: 200 },
    pagesPerRead: 2,
    ...changes,
  });
}

/** The contents of a store after all steps in order, in this process. */
async function undisturbed(): Promise<string> {
  const store = await createMemoryStore();
  const steps = createWorker(store, {});
  for (const document of DOCUMENTS) {
    const queue = [await steps.submit(document)];
    for (const step of queue) queue.push(...(await steps.run(step)));
  }
  return store.contents();
}

const folder = mkdtempSync(join(tmpdir(), 'grainline-engines-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Two workers on one store and one folder, whose embedder fails at first, and the end of their work. */
async function createWorkers({ failures = 2 } = {}): Promise<{
  readonly store: MemoryStore;
  readonly workers: readonly DocumentSteps[];
  readonly written: Promise<unknown>;
}> {
  const store = await createMemoryStore();
  const [written, left] = [Promise.withResolvers(), new Set(DOCUMENTS.map(({ documentId }) => documentId))];
  let calls = 0;
  const embed: Embed = (texts, run) => {
    calls++;
    return calls <= failures ? Promise.reject(new Error('The embedder is away.')) : wordEmbedder(texts, run);
  };
  const blobs = createBlobFolder(join(folder, crypto.randomUUID()));
  const onWritten: StepDeps['onWritten'] = ({ documentId }) => {
    left.delete(documentId);
    if (left.size === 0) written.resolve(undefined);
  };
  const workers = [0, 1].map(() => createWorker(store, { blobs, embed, onWritten }));
  return { store, workers, written: written.promise };
}

const bossOptions = (connectionString: string): Readonly<Record<string, unknown>> => ({
  connectionString,
  max: 4,
  supervise: false,
  schedule: false,
  useListenNotify: true,
});

const QUEUES = hasQueues();
const REDIS_ANSWERS = QUEUES && (await hasRedis(REDIS.host, REDIS.port));
const POSTGRES_ANSWERS = QUEUES && (await hasPostgres());

describe.skipIf(!QUEUES)('the steps', () => {
  it.skipIf(!REDIS_ANSWERS)('on BullMQ make the store of steps in order', async () => {
    const { FlowProducer, Queue, Worker } = await loadBullMq();
    const name = `grainline-test-${crypto.randomUUID()}`;
    const options = { connection: REDIS, prefix: name };
    const producer = new FlowProducer(options);
    const queue = new Queue(name, options);
    const { store, workers, written } = await createWorkers();
    const failed = Promise.withResolvers();
    const running = workers.map((steps) => {
      const { process } = createBullSteps(steps, producer, name, { backoffMs: 20 });
      const worker = new Worker(name, process, { ...options, concurrency: 2 });
      worker.on('failed', (_, error) => {
        if (error instanceof Error && error.name === 'UnrecoverableError') failed.resolve(error.message);
      });
      return worker;
    });
    try {
      const { submit } = createBullSteps(workers[0]!, producer, name);
      for (const document of [...DOCUMENTS, SCAN, ...DOCUMENTS]) await submit(document);
      expect(await failed.promise).toContain('no text');
      await written;
      expect(store.contents()).toBe(await undisturbed());
    } finally {
      for (const worker of running) await worker.close();
      await queue.obliterate({ force: true });
      await queue.close();
      await producer.close();
    }
  });

  it.skipIf(!POSTGRES_ANSWERS)('on pg-boss make the store of steps in order', async () => {
    const { PgBoss } = await loadPgBoss();
    const database = await createDatabase();
    const { store, workers, written } = await createWorkers();
    const boss = new PgBoss(bossOptions(database.url));
    boss.on('error', () => undefined);
    await boss.start();
    try {
      await boss.createQueue('failed');
      await boss.createQueue('steps', { deadLetter: 'failed', notify: true });
      const failed = Promise.withResolvers<unknown>();
      await boss.work('failed', { pollingIntervalSeconds: 0.5 }, (jobs) => {
        failed.resolve(jobs[0]?.data);
        return Promise.resolve([]);
      });
      for (const steps of workers) {
        const { process, workOptions } = createBossSteps(steps, boss, 'steps', { retryDelay: 1 });
        await boss.work('steps', { ...workOptions, notifyPollingIntervalSeconds: 0.5 }, process);
      }
      const { submit } = createBossSteps(workers[0]!, boss, 'steps');
      for (const document of [...DOCUMENTS, SCAN, ...DOCUMENTS]) await submit(document);
      expect(await failed.promise).toMatchObject({ kind: 'cut', document: { documentId: 'scan.pdf' } });
      await written;
      expect(store.contents()).toBe(await undisturbed());
    } finally {
      await boss.stop({ graceful: false });
      await database.drop();
    }
  });

  it.skipIf(!POSTGRES_ANSWERS)(
    'on pg-boss do not wait for its interval behind a batch of writes',
    async () => {
      const { PgBoss } = await loadPgBoss();
      const database = await createDatabase();
      const { store, workers, written } = await createWorkers({ failures: 0 });
      const boss = new PgBoss(bossOptions(database.url));
      boss.on('error', () => undefined);
      await boss.start();
      try {
        await boss.createQueue('steps', { notify: true });
        const { process, submit, workOptions } = createBossSteps(workers[0]!, boss, 'steps');
        for (const document of DOCUMENTS) await submit(document);
        // Of two loops, the steps that one sends would wake the other.
        const options = {
          localConcurrency: 1,
          pollingIntervalSeconds: 600,
          notifyPollingIntervalSeconds: 600,
        };
        await boss.work('steps', { ...workOptions, ...options }, process);
        await written;
        expect(store.contents()).toBe(await undisturbed());
      } finally {
        await boss.stop({ graceful: false });
        await database.drop();
      }
    },
  );
});
