// The steps on pg-boss: a job for each step, sent by the step before it. The last read of a document finds the results
// of all others and sends the cut; of two that end together both do, and the second job has the id of the first.
import { isPermanent } from '../errors.ts';
import { jobIdOf, parseStep, type Step } from '../step.ts';
import type { DocumentSteps, SubmittedDocument } from '../steps.ts';

/** Options of the jobs, as pg-boss has them. */
export interface BossJobOptions {
  /** Runs of a step behind the first before its job fails. Default 9. */
  readonly retryLimit?: number | undefined;
  /** Wait before the second run in seconds; it doubles with each further one, up to a minute. Default 1. */
  readonly retryDelay?: number | undefined;
  /** Seconds without a sign of life after which the step of a killed worker runs again: from 10. Default 60. */
  readonly heartbeatSeconds?: number | undefined;
}

/** The calls of pg-boss that are needed. */
export interface Boss {
  send(queue: string, data: object, options: object): Promise<unknown>;
}

/** A job as pg-boss hands it to a worker. */
export interface BossJob {
  readonly id: string;
  readonly data: unknown;
  readonly signal?: AbortSignal;
}

/** The end of a job, as `perJobResults` reports it. */
export interface BossJobEnd {
  readonly id: string;
  readonly status: 'completed' | 'failed' | 'deadletter';
  readonly output?: object;
}

/** Options of `work`, as pg-boss has them. */
export interface BossWorkOptions {
  readonly perJobResults: true;
  readonly batchSize: number;
  readonly localConcurrency: number;
  readonly burstWhenBatchFull: true;
  readonly pollingIntervalSeconds: number;
  readonly notifyPollingIntervalSeconds: number;
}

/** The steps on one queue of pg-boss. */
export interface BossSteps {
  /** Adds the first step of a document to the queue. */
  readonly submit: (document: SubmittedDocument) => Promise<void>;
  /** The handler of `work(queue, workOptions, process)`. */
  readonly process: (jobs: readonly BossJob[]) => Promise<BossJobEnd[]>;
  /** The options that `process` needs and that let a worker run without waits. */
  readonly workOptions: BossWorkOptions;
}

/**
 * Connects steps with a queue of pg-boss 12 or later. Call `boss.work(queue, workOptions, process)` on each machine.
 * With `useListenNotify` for pg-boss and `notify` for the queue, a step starts as soon as it is sent; without, pg-boss
 * looks for it twice a second.
 */
export function createBossSteps(
  steps: DocumentSteps,
  boss: Boss,
  queue: string,
  { retryLimit = 9, retryDelay = 1, heartbeatSeconds = 60 }: BossJobOptions = {},
): BossSteps {
  const options = { retryLimit, retryDelay, retryBackoff: true, retryDelayMax: 60, heartbeatSeconds };
  const send = async (step: Step): Promise<void> => {
    // A job with an id that is there is not added.
    await boss.send(queue, step, { ...options, id: uuidOf(jobIdOf(step)), priority: PRIORITIES[step.kind] });
  };
  const end = async ({ id, data, signal }: BossJob): Promise<BossJobEnd> => {
    try {
      for (const next of await steps.run(parseStep(data), signal)) await send(next);
      return { id, status: 'completed' };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { id, status: isPermanent(error) ? 'deadletter' : 'failed', output: { message } };
    }
  };
  return {
    submit: async (document) => send(await steps.submit(document)),
    process: (jobs) => Promise.all(jobs.map(end)),
    workOptions: WORK_OPTIONS,
  };
}

/**
 * pg-boss waits its interval behind each batch, unless the batch was full. Small batches, because a worker that has
 * claimed steps keeps them from the others until it has run them.
 */
const WORK_OPTIONS: BossWorkOptions = {
  perJobResults: true,
  batchSize: 2,
  localConcurrency: 2,
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 0.5,
  notifyPollingIntervalSeconds: 2,
};

/** Documents that are begun are finished first: their results wait in the blob store. */
const PRIORITIES = { plan: 0, read: 1, cut: 2, embed: 3, write: 4 } as const;

function uuidOf(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
