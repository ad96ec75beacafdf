// A worker of steps.ts: runs the steps of one queue until it is killed.
import type { StoreSpec } from '@grainline/core';
import {
  createBlobFolder,
  createBossSteps,
  createBullSteps,
  createSteps,
  type DocumentSteps,
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

async function work(run: Run): Promise<void> {
  const steps = createSteps({
    store: openArrayStore(run.postgresUrl),
    blobs: createBlobFolder(run.blobs),
    embed: wordEmbedder,
    embedding: EMBEDDING,
    settings: SETTINGS,
    pagesPerRead: 2,
    lockMs: LOCK_MS,
  });
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
    lockDuration: LOCK_MS,
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
  const { process: processJobs } = createBossSteps(steps, boss, QUEUE, BOSS_JOBS);
  const options = {
    perJobResults: true,
    batchSize: 8,
    pollingIntervalSeconds: 0.5,
    notifyPollingIntervalSeconds: 0.5,
  };
  await boss.work(QUEUE, options, processJobs);
}

const [given] = process.argv.slice(2);
if (given?.startsWith('{') === true)
  await work(JSON.parse(given) as Run).catch((error: unknown) => {
    // The parent starts another one, as a supervisor would.
    console.error(error);
    process.exit(1);
  });
