// A process that works on jobs and does nothing else: `node worker-process.ts '{"engine":…}'`. It asks its parent for
// the answers of the language model, so that the parent can count them, and ends politely on SIGTERM.
import type { Completion, CompletionRequest } from '@grainline/core';
import { deploymentOf } from '../../src/catalog.ts';
import { createResultId } from '../../src/store/result-id.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { openPostgresStore } from '../../src/store/postgres/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import type { Store } from '../../src/store/store.ts';
import { inlineWorkerPool, memoryDownloader } from '../http/fake-service.ts';
import { jobsOn } from './job-service.ts';
import { type Answered, JOB_ENVIRONMENT, type WorkerOrder } from './kills.ts';

const { address, leaseMs } = JSON.parse(process.argv[2] ?? '') as WorkerOrder;
const settings = readSettings(JOB_ENVIRONMENT);
const store = await openAt();
const waiting = new Map<number, (completion: Completion) => void>();
let calls = 0;

process.on('message', ({ question, completion }: Answered) => {
  waiting.get(question)?.(completion);
  waiting.delete(question);
});
// The parent process has ended.
process.on('disconnect', () => process.exit(1));

const { jobs } = jobsOn(
  store,
  {
    settings,
    deployment: deploymentOf(settings),
    downloader: memoryDownloader(),
    workerPool: inlineWorkerPool,
    now: Date.now,
    createResultId,
  },
  {
    leaseMs,
    completeFor: () => ask,
    onEvent: (event) => tell({ event, atMs: Date.now() }),
  },
);
process.on('SIGTERM', () => {
  void jobs
    .close(5000)
    .then(() => store.close())
    .then(() => process.exit(0));
});
jobs.begin();

function ask(request: CompletionRequest): Promise<Completion> {
  return new Promise((resolve) => {
    const question = calls++;
    waiting.set(question, resolve);
    tell({ question, request });
  });
}

/** A parent that is gone hears nothing, and ends this process. */
function tell(message: object): void {
  process.send?.(message, undefined, {}, () => undefined);
}

function openAt(): Promise<Store> {
  const maxStoredBytes = Number.MAX_SAFE_INTEGER;
  if (address.engine === 'postgres')
    return openPostgresStore({ maxStoredBytes, databaseUrl: address.databaseUrl });
  return Promise.resolve(openSqliteStore({ maxStoredBytes, dataDir: address.dataDir, now: Date.now }));
}
