// The jobs of one process. It submits jobs to the store and runs as many waiting ones as it may, of any process. The
// store notifies it of new jobs, and it polls for leases that have expired.
import { HttpError } from '../errors/http-error.ts';
import type { Settings } from '../settings/settings.ts';
import type { JobLoad, JobTerms } from '../store/jobs.ts';
import { writeUnderNewId } from '../store/result-id.ts';
import type { JobWebhook } from '../store/webhooks.ts';
import { encodePayload, type JobPayload } from './payload.ts';
import { createPoll } from './poll.ts';
import { JOB_LEASE_MS, type JobOutcome, runJob, type RunJobDeps, type RunningJob } from './run.ts';

/** Dependencies of {@link createJobs}. */
export interface JobsDeps extends RunJobDeps {
  readonly settings: Pick<Settings, 'jobConcurrency' | 'jobQueue' | 'jobTimeoutMs'>;
  readonly createJobId: (tier: string) => string;
  /** The reason that no job can run at the moment; null when jobs can run. */
  readonly unavailable: () => string | null;
  /** Called when a job begins or ends in this process. */
  readonly onEvent?: ((event: JobEvent) => void) | undefined;
}

/** The counted events of jobs. */
export type JobEvent = 'submitted' | 'taken_over' | JobOutcome;

/** The client of a job, its bound payment and its webhook, if there are any. */
export interface JobOrigin extends Pick<JobTerms, 'lease'> {
  /** As limits/client.ts names it. */
  readonly client: string;
  readonly webhook?: JobWebhook | undefined;
}

/** The jobs of one process. */
export interface Jobs {
  /**
   * Rejects before the payment what {@link submit} would reject now.
   *
   * @throws HttpError `queue_full`
   */
  assertNotFull(): Promise<void>;
  /**
   * Submits a job.
   *
   * @returns the job's id, or `lost` when another request has the payment
   * @throws HttpError `queue_full`
   */
  submit(payload: JobPayload, origin: JobOrigin): Promise<{ readonly id: string } | 'lost'>;
  /** Starts to run waiting jobs. Called once. */
  begin(): void;
  /** The number of jobs that run in this process. */
  running(): number;
  /**
   * Claims no more jobs and leaves the running ones once the model has answered their open requests, or after
   * `graceMs`, 0 by default.
   */
  close(graceMs?: number): Promise<void>;
}

/** The jobs of a deployment without asynchronous tiers. */
export const NO_JOBS: Jobs = {
  assertNotFull: () => Promise.resolve(),
  submit: () => Promise.reject(new Error('No tier here runs as a job.')),
  begin: () => undefined,
  running: () => 0,
  close: () => Promise.resolve(),
};

/** Polls in one lease. A notification may be lost, and a process with a job may have died. */
const POLLS_PER_LEASE = 2;
/** Pause after a failure of the store or the language model, in milliseconds. */
const RETRY_MS = 1_000;
/** Bounds of `Retry-After` when the queue is full. */
const RETRY_S = { least: 5, most: 600 } as const;

export function createJobs(deps: JobsDeps): Jobs {
  const { store, settings, log, onEvent = () => undefined, leaseMs = JOB_LEASE_MS } = deps;
  const pollMs = leaseMs / POLLS_PER_LEASE;
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

  /** Claims jobs up to the concurrency; resolves with the time until the next poll. */
  async function claimAll(): Promise<number> {
    await Promise.all([...running].map((job) => job.renewIfLate()));
    while (running.size < jobConcurrency && !isClosing) {
      if (deps.unavailable() !== null) return RETRY_MS;
      const claim = await store.claimJob(leaseMs);
      if (claim.kind === 'none') return Math.min(claim.inMs ?? pollMs, pollMs);
      if (claim.job.isTakenOver) onEvent('taken_over');
      track(runJob(claim.job, deps));
    }
    return pollMs;
  }

  function track(job: RunningJob): void {
    running.add(job);
    void job.ended.then((outcome) => {
      running.delete(job);
      onEvent(outcome);
      poll.wake();
    });
  }

  /** @throws HttpError `queue_full` when one more job would miss its time */
  function assertInTime({ waiting, running: atWork, meanRunMs }: JobLoad): void {
    if (meanRunMs === null) return;
    const atOnce = Math.max(jobConcurrency, atWork);
    const ms = (Math.floor(waiting / atOnce) + 1) * meanRunMs;
    if (ms > jobTimeoutMs) throw queueFull(meanRunMs / atOnce);
  }

  let unsubscribe = (): void => undefined;

  return {
    begin() {
      unsubscribe = store.onJob(poll.wake);
      poll.wake();
    },
    async assertNotFull() {
      const load = await store.jobLoad();
      if (load.waiting + load.running >= jobQueue) throw queueFull(load.meanRunMs);
      assertInTime(load);
    },
    async submit(payload, { client, lease, webhook }) {
      assertInTime(await store.jobLoad());
      const bytes = await encodePayload({ ...payload, trace: deps.telemetry?.jobTrace() });
      const job = { payload: bytes, timeoutMs: jobTimeoutMs, client, webhook };
      const { id, written: submission } = await writeUnderNewId(
        () => deps.createJobId(payload.request.tier.id),
        (newId) => store.submitJob({ ...job, id: newId }, { most: jobQueue, lease }),
      );
      if (submission === 'full') throw queueFull(null);
      if (submission === 'lost') return submission;
      onEvent('submitted');
      return { id };
    },
    running: () => running.size,
    async close(graceMs = 0) {
      isClosing = true;
      unsubscribe();
      await poll.stop();
      await Promise.all([...running].map((job) => job.leave(graceMs)));
    },
  };
}

function queueFull(untilNextMs: number | null): HttpError {
  const seconds = Math.ceil((untilNextMs ?? 0) / 1000);
  return new HttpError('queue_full', {
    retryAfterS: Math.min(RETRY_S.most, Math.max(RETRY_S.least, seconds)),
  });
}
