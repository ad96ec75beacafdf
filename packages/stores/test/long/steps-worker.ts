// A worker of steps.ts: runs the steps of one queue until it is killed.
import { fileURLToPath } from 'node:url';
import type { StoreSpec } from '@grainline/core';
import {
  createBlobFolder,
  createBossSteps,
  createBullSteps,
  createSteps,
  type DocumentSteps,
  type StepSettings,
} from '@grainline/pipeline/steps';
import { wordEmbedder } from '@grainline/testing/embedders';
import { loadBullMq, loadPgBoss } from '@grainline/testing/queues';
import { openArrayStore } from './array-store.ts';

/** The places of a run. */
export interface Run {
  readonly engine: 'bullmq' | 'pg-boss';
  readonly redisPort: number;
  readonly postgresUrl: string;
  readonly blobs: string;
  /** Default 2. */
  readonly pagesPerRead?: number;
  /** Default {@link LOCK_MS}. */
  readonly lockMs?: number;
  /** Default {@link SETTINGS}. */
  readonly settings?: StepSettings;
}

export const QUEUE = 'steps';
export const EMBEDDING: StoreSpec['embedding'] = {
  model: 'words',
  dimensions: 48,
  distance: 'cosine',
  blend: 0.4,
};
export const SETTINGS = { tier: 'structure', size: 200 } as const;
/** Time after which the work of a killed or frozen worker is free. */
export const LOCK_MS = 3000;

export const bullOptions = ({
  redisPort,
}: Run): { connection: { host: string; port: number }; prefix: string } => ({
  connection: { host: '127.0.0.1', port: redisPort },
  prefix: 'kills',
});

/** pg-boss that finds killed workers within seconds. */
export const bossOptions = ({ postgresUrl }: Run): Readonly<Record<string, unknown>> => ({
  connectionString: postgresUrl,
  max: 4,
  schedule: false,
  superviseIntervalSeconds: 1,
  maintenanceIntervalSeconds: 3600,
  monitorIntervalSeconds: 1,
  useListenNotify: true,
});

export const BULL_JOBS = { attempts: 100, backoffMs: 100 };
export const BOSS_JOBS = { retryLimit: 100, retryDelay: 1, heartbeatSeconds: 10 };

const ignore = (): void => undefined;

/** The steps of a worker, over the database and the folder of its run. */
export function stepsOf(run: Run): DocumentSteps {
  const { postgresUrl, blobs, pagesPerRead = 2, lockMs = LOCK_MS, settings = SETTINGS } = run;
  return createSteps({
    store: openArrayStore(postgresUrl),
    blobs: createBlobFolder(blobs),
    embed: wordEmbedder,
    embedding: EMBEDDING,
    settings,
    pagesPerRead,
    lockMs,
  });
}

/** Runs the steps of a queue until the process ends. */
export async function work(run: Run, steps: DocumentSteps): Promise<void> {
  await (run.engine === 'bullmq' ? workOnBull(run, steps) : workOnBoss(run, steps));
}

async function workOnBull(run: Run, steps: DocumentSteps): Promise<void> {
  const { FlowProducer, Worker } = await loadBullMq();
  const producer = new FlowProducer(bullOptions(run));
  producer.on('error', ignore);
  const { process: processJob } = createBullSteps(steps, producer, QUEUE, BULL_JOBS);
  const worker = new Worker(QUEUE, processJob, {
    ...bullOptions(run),
    concurrency: 4,
    lockDuration: run.lockMs ?? LOCK_MS,
    stalledInterval: 1000,
    // Every kill of a worker counts.
    maxStalledCount: 1000,
  });
  worker.on('error', ignore);
}

async function workOnBoss(run: Run, steps: DocumentSteps): Promise<void> {
  const { PgBoss } = await loadPgBoss();
  const boss = new PgBoss(bossOptions(run));
  boss.on('error', ignore);
  await boss.start();
  const { process: processJobs, workOptions } = createBossSteps(steps, boss, QUEUE, BOSS_JOBS);
  await boss.work(QUEUE, { ...workOptions, notifyPollingIntervalSeconds: 0.5 }, processJobs);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const run = JSON.parse(process.argv[2] ?? '') as Run;
  await work(run, stepsOf(run)).catch((error: unknown) => {
    // The parent starts another one, as a supervisor would.
    console.error(error);
    process.exit(1);
  });
}
