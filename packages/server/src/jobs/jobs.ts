// The jobs of one process: takes them in, and works on as many as it may of those that wait in the store, whoever took
// them in. It is told of new ones, looks again when a lease runs out, and hands over what it has when it ends.
import { Fault } from '../errors.ts';
import type { Settings } from '../settings/settings.ts';
import type { JobLoad, JobTerms, Submission } from '../store/jobs.ts';
import { encodeOrder, type JobOrder } from './order.ts';
import { createPoll } from './poll.ts';
import { JOB_LEASE_MS, type JobOutcome, runJob, type RunningJob, type RunParts } from './run.ts';

/** What jobs stand on. */
export interface JobsParts extends RunParts {
  readonly settings: Pick<Settings, 'network' | 'jobConcurrency' | 'jobQueue' | 'jobTimeoutMs'>;
  readonly createJobId: (tier: string) => string;
  /** Why jobs cannot be worked on here at the moment; null when they can. */
  readonly unavailable: () => string | null;
  /** Called when a job begins or ends in this process. */
  readonly onEvent?: (event: JobEvent) => void;
}

/** What becomes of jobs, as it is counted. */
export type JobEvent = 'submitted' | 'taken_over' | JobOutcome;

/** Jobs, from the first request to the last. */
export interface Jobs {
  /**
   * Refuses what {@link submit} would refuse now, before anything is paid.
   *
   * @throws Fault `queue_full`
   */
  refuseWhenFull(): Promise<void>;
  /**
   * Takes a job in.
   *
   * @param lease of the bound payment that it is done for
   * @returns its id, or `lost` when the payment is
   * @throws Fault `queue_full`
   */
  submit(order: JobOrder, lease?: JobTerms['lease']): Promise<{ readonly id: string } | 'lost'>;
  /** Begins with what waits. Call it once. */
  begin(): void;
  /** Jobs that are worked on here. */
  running(): number;
  /**
   * Claims nothing more and gives back what is in work, once the model has answered what it was asked, or after
   * `graceMs`.
   */
  close(graceMs: number): Promise<void>;
}

/** Stands in for {@link Jobs} where no tier runs as a job. */
export const NO_JOBS: Jobs = {
  refuseWhenFull: () => Promise.resolve(),
  submit: () => Promise.reject(new Error('No tier here runs as a job.')),
  begin: () => undefined,
  running: () => 0,
  close: () => Promise.resolve(),
};

/**
 * Looks while a lease lasts. Nothing is sure to be told: a process may have died that had a job, or a word may have
 * been lost.
 */
const LOOKS = 2;
/** Pause after the store or the language model has failed, in milliseconds. */
const RETRY_MS = 1_000;
/** What the answer to a full queue says at least, and at most. */
const RETRY_S = { least: 5, most: 600 } as const;

export function createJobs(parts: JobsParts): Jobs {
  const { store, settings, log, onEvent = () => undefined, leaseMs = JOB_LEASE_MS } = parts;
  const lookMs = leaseMs / LOOKS;
  const { jobConcurrency, jobQueue, jobTimeoutMs } = settings;
  const running = new Set<RunningJob>();
  let isClosing = false;
  const poll = createPoll(async () => {
    try {
      return await claimAll();
    } catch (err) {
      if (!isClosing) log.warn({ err }, 'jobs cannot be claimed');
      return RETRY_MS;
    }
  });

  /** Claims what there is room for; resolves with the time until the next look. */
  async function claimAll(): Promise<number> {
    await Promise.all([...running].map((job) => job.keep()));
    while (running.size < jobConcurrency && !isClosing) {
      if (parts.unavailable() !== null) return RETRY_MS;
      const claim = await store.claimJob(leaseMs);
      if (claim.kind === 'none') return Math.min(claim.inMs ?? lookMs, lookMs);
      if (claim.job.isTakenOver) onEvent('taken_over');
      follow(runJob(claim.job, parts));
    }
    return lookMs;
  }

  function follow(job: RunningJob): void {
    running.add(job);
    void job.ended.then((outcome) => {
      running.delete(job);
      onEvent(outcome);
      poll.wake();
    });
  }

  /** @throws Fault `queue_full` when one more would not be done in time */
  function refuseLate({ waiting, running: atWork, meanRunMs }: JobLoad): void {
    if (meanRunMs === null) return;
    const atOnce = Math.max(jobConcurrency, atWork);
    const ms = (Math.floor(waiting / atOnce) + 1) * meanRunMs;
    if (ms > jobTimeoutMs) throw queueFull(meanRunMs / atOnce);
  }

  let endListening = (): void => undefined;

  return {
    begin() {
      endListening = store.onJob(poll.wake);
      poll.wake();
    },
    async refuseWhenFull() {
      const load = await store.jobLoad();
      if (load.waiting + load.running >= jobQueue) throw queueFull(load.meanRunMs);
      refuseLate(load);
    },
    async submit(order, lease) {
      refuseLate(await store.jobLoad());
      const id = parts.createJobId(order.order.tier.id);
      const job = { id, order: await encodeOrder(order), timeoutMs: jobTimeoutMs };
      const terms: JobTerms = { most: jobQueue, ...(lease === undefined ? {} : { lease }) };
      const answer: Submission = await store.submitJob(job, terms);
      if (answer === 'full') throw queueFull(null);
      if (answer === 'lost') return answer;
      onEvent('submitted');
      return { id };
    },
    running: () => running.size,
    async close(graceMs) {
      isClosing = true;
      endListening();
      await poll.stop();
      await Promise.all([...running].map((job) => job.leave(graceMs)));
    },
  };
}

function queueFull(untilNextMs: number | null): Fault {
  const seconds = Math.ceil((untilNextMs ?? 0) / 1000);
  return new Fault('queue_full', {
    retryAfterS: Math.min(RETRY_S.most, Math.max(RETRY_S.least, seconds)),
  });
}
