// One job from its claim to its end: the lease is renewed and progress reported during the work; then the answer or the
// failure is written. The work goes on while the store is unreachable, and stops when the lease is lost.
import type { TierId } from '@grainline/core';
import type { PricedModel } from '@grainline/models/language';
import { type LeaseStatus, wait } from '@grainline/x402';
import type { Logger } from 'pino';
import { coreTier, type Deployment } from '../catalog.ts';
import { type HttpError, toHttpError } from '../errors/http-error.ts';
import type { ChunkRequest, FetchedDocument } from '../requests/chunk-request.ts';
import type { JobRunOptions } from '../requests/run-request.ts';
import type { PipelineResult } from '../sandbox/index.ts';
import { type ClaimedJob, type JobFailure, type JobQueue, STORE_FAILURES } from '../store/jobs.ts';
import type { Delivery } from '../store/responses.ts';
import { StoreError } from '../store/store.ts';
import { createHeartbeat, type Heartbeat } from './heartbeat.ts';
import { createJournal, type Journal } from './journal.ts';
import { decodePayload, encodePayload, type JobPayload, type JobTrace } from './payload.ts';
import { FETCHING, READING, stepOf } from './progress.ts';

/** Turns a request into chunks. */
export type JobWork = (request: ChunkRequest, options: JobRunOptions) => Promise<PipelineResult>;

/** Writes the answer of a finished job. */
export type WriteJobAnswer = (
  id: string,
  payload: JobPayload,
  result: PipelineResult,
) => Promise<Required<Delivery>>;

/** Observes jobs, over the processes that submit and run them. */
export interface JobTelemetry {
  /** The trace for a job that the running request submits. */
  jobTrace(): JobTrace | undefined;
  /** Runs a job in a span below the request that submitted it. */
  job<Result>(trace: JobTrace | undefined, work: () => Promise<Result>): Promise<Result>;
}

/** Dependencies of {@link runJob}. */
export interface RunJobDeps {
  readonly store: JobQueue;
  readonly deployment: Deployment;
  readonly work: JobWork;
  readonly writeAnswer: WriteJobAnswer;
  readonly completeFor: (tier: TierId) => PricedModel;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Duration of a lease. Default: {@link JOB_LEASE_MS}. */
  readonly leaseMs?: number;
  /** Observes the run of a job. */
  readonly telemetry?: JobTelemetry | undefined;
}

/** The end of a run: `left` for another process to continue, `lost` to a process that continues it already. */
export type JobOutcome = 'completed' | 'failed' | 'left' | 'lost';

/** A job during its run. */
export interface RunningJob {
  /** Never rejects. */
  readonly ended: Promise<JobOutcome>;
  /** Renews a late lease: a delayed process must not claim its own jobs as abandoned ones. */
  renewIfLate(): Promise<void>;
  /** Requests nothing more from the model, waits until open requests are answered and recorded, and ends the lease. */
  leave(graceMs: number): Promise<void>;
}

/** Duration of a lease: after a crash the job continues elsewhere within this time. */
export const JOB_LEASE_MS = 8_000;
/** Renewals in one lease: three of them may fail. */
const RENEWALS = 4;
/** The first and the longest pause before an unreachable store is called again. */
const RETRY_MS = { first: 100, longest: 2_000 } as const;

/** The reason of a run that stops without a failure. */
class JobCancelled extends Error {
  readonly outcome: 'left' | 'lost';

  constructor(outcome: 'left' | 'lost') {
    super(`The job is ${outcome}.`);
    this.outcome = outcome;
  }
}

/** The reason of a run that has used up its time. */
class JobTimeout extends Error {
  constructor() {
    super('The job is not done in time.');
  }
}

/** The state of one run. */
interface Run {
  readonly job: ClaimedJob;
  readonly deps: RunJobDeps;
  readonly stop: AbortController;
  readonly heartbeat: Heartbeat;
  /** Present once the payload is decoded. */
  journal?: Journal;
}

export function runJob(job: ClaimedJob, deps: RunJobDeps): RunningJob {
  const { store, log, leaseMs = JOB_LEASE_MS } = deps;
  const stop = new AbortController();
  const cancel = (outcome: 'left' | 'lost'): void => stop.abort(new JobCancelled(outcome));
  const heartbeat = createHeartbeat(
    leaseMs / RENEWALS,
    (step) => store.renewJob(job.lease, leaseMs, step),
    () => cancel('lost'),
  );
  const run: Run = { job, deps, stop, heartbeat };
  const ended = runToEnd(run).catch((err: unknown): JobOutcome => {
    // The lease expires by itself.
    log.warn({ err }, 'a job could not be given back');
    return 'lost';
  });
  return {
    ended,
    renewIfLate: () => heartbeat.catchUp(),
    async leave(graceMs) {
      const timer = setTimeout(() => cancel('left'), graceMs);
      await Promise.race([run.journal?.drain(), ended]);
      clearTimeout(timer);
      cancel('left');
      await ended;
    },
  };
}

async function runToEnd(run: Run): Promise<JobOutcome> {
  const { job, deps, stop, heartbeat } = run;
  const timer = setTimeout(() => stop.abort(new JobTimeout()), job.leftMs);
  try {
    await work(run);
    return 'completed';
  } catch (error) {
    const reason: unknown = stop.signal.aborted ? stop.signal.reason : error;
    if (!(reason instanceof JobCancelled)) return await fail(reason, run);
    if (reason.outcome === 'left') await deps.store.leaveJob(job.lease);
    return reason.outcome;
  } finally {
    clearTimeout(timer);
    await heartbeat.stop();
  }
}

async function work(run: Run): Promise<void> {
  const { job, deps } = run;
  const payload = await decodePayload(job.payload, deps.deployment);
  if (deps.telemetry === undefined) return workOn(payload, run);
  return deps.telemetry.job(payload.trace, () => workOn(payload, run));
}

async function workOn(payload: JobPayload, run: Run): Promise<void> {
  const { job, deps, stop, heartbeat } = run;
  const { lease } = job;
  const { signal } = stop;
  const { request } = payload;
  run.journal = await openJournal(request, run);
  heartbeat.report(
    request.source.kind === 'link' && request.source.fetched === undefined ? FETCHING : READING,
  );
  const result = await deps.work(request, {
    signal,
    complete: run.journal.complete,
    onProgress: (progress) => heartbeat.report(stepOf(progress)),
    onFetched: (fetched) => recordDocument(fetched, payload, run),
  });
  signal.throwIfAborted();
  const answer = await deps.writeAnswer(lease.id, payload, result);
  await writeUnderLease(() => deps.store.finishJob(lease, answer), run);
}

async function openJournal({ tier }: ChunkRequest, run: Run): Promise<Journal> {
  const { job, deps, stop } = run;
  const { store } = deps;
  const { lease } = job;
  return createJournal({
    complete: deps.completeFor(coreTier(tier)),
    answers: await whenReachable(() => store.recordedAnswers(lease.id), stop.signal),
    record: (key, answer) => writeUnderLease(() => store.recordAnswer(lease, key, answer), run),
    recordCost: (key, cost) => writeUnderLease(() => store.recordCost(lease, key, cost), run),
  });
}

/** Adds the document behind a link to the payload, so that another run does not fetch it again. */
async function recordDocument(fetched: FetchedDocument, payload: JobPayload, run: Run): Promise<void> {
  const { job, deps, heartbeat } = run;
  heartbeat.report(READING);
  const { source } = payload.request;
  if (source.kind !== 'link') throw new Error('Only what is behind a link is fetched.');
  const request = { ...payload.request, source: { ...source, fetched } };
  const bytes = await encodePayload({ ...payload, request });
  await writeUnderLease(() => deps.store.setJobPayload(job.lease, bytes), run);
}

/** Records the failure in the words of an immediate answer. */
async function fail(error: unknown, { job, deps }: Run): Promise<JobOutcome> {
  const { store, log, leaseMs = JOB_LEASE_MS } = deps;
  const { failure, counts } = error instanceof JobTimeout ? TIMED_OUT : failureOf(toHttpError(error));
  if (failure.code === 'internal_error') log.error({ err: error }, 'a job failed, and the fault is ours');
  const deadline = AbortSignal.timeout(leaseMs);
  const status = await whenReachable(() => store.failJob(job.lease, failure, counts), deadline);
  return status === 'held' ? 'failed' : 'lost';
}

interface Failure {
  readonly failure: JobFailure;
  /** True for an error of the document or the request. */
  readonly counts: boolean;
}

const TIMED_OUT: Failure = { failure: STORE_FAILURES.timedOut, counts: false };

function failureOf({ code, message, status }: HttpError): Failure {
  return { failure: { code, message }, counts: status >= 400 && status < 500 };
}

/** Writes once the store is reachable. A lost lease stops the run. */
async function writeUnderLease(
  write: () => Promise<LeaseStatus | 'committed'>,
  { stop }: Run,
): Promise<void> {
  if ((await whenReachable(write, stop.signal)) !== 'lost') return;
  stop.abort(new JobCancelled('lost'));
  stop.signal.throwIfAborted();
}

/** Errors of the store that pass by themselves. */
const TRANSIENT_CODES: readonly unknown[] = ['unavailable', 'disk_full', 'storage_full'];

/** Calls the store until it is reachable and has room. Rejects with the signal's reason. */
async function whenReachable<Value>(call: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
  for (let pauseMs: number = RETRY_MS.first; ; pauseMs = Math.min(2 * pauseMs, RETRY_MS.longest)) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreError) || !TRANSIENT_CODES.includes(error.code)) throw error;
      await wait(pauseMs, signal);
    }
  }
}
