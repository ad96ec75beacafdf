// One job from its claim to its end: its lease is renewed and its progress told while it is worked on; then what came
// of it is written, or why nothing did. A store that cannot be reached for a while stops nothing; a lease that is lost,
// all.
import type { Complete, Progress, TierId } from '@grainline/core';
import type { PricedModel } from '@grainline/models/language';
import { type Held, wait } from '@grainline/x402';
import type { Logger } from 'pino';
import { coreTier, type Deployment } from '../catalog.ts';
import { type Fault, faultFrom } from '../errors.ts';
import type { FetchedDocument, Order } from '../http/order.ts';
import { keptAnswer } from '../payments/sale.ts';
import { answerParts } from '../http/respond.ts';
import { storedResult } from '../results.ts';
import type { Settings } from '../settings/settings.ts';
import { type ClaimedJob, type JobFailure, type JobQueue, STORE_FAILURES } from '../store/jobs.ts';
import { StoreError } from '../store/store.ts';
import type { Finished } from '../workplace/index.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createJournal } from './journal.ts';
import { decodeOrder, encodeOrder, type JobOrder } from './order.ts';
import { FETCHING, READING, stepOf } from './progress.ts';
import { boughtText } from './ticket.ts';

/** What a job's work brings besides its order. */
export interface JobRun {
  readonly signal: AbortSignal;
  readonly complete: Complete;
  readonly onProgress: (progress: Progress) => void;
  /** Called with what was behind a link; resolves when it is kept, so that it need not be fetched again. */
  readonly onFetched: (fetched: FetchedDocument) => Promise<void>;
}

/** Turns an order into chunks. */
export type JobWork = (order: Order, run: JobRun) => Promise<Finished>;

/** What jobs are run with. */
export interface RunParts {
  readonly store: JobQueue;
  readonly deployment: Deployment;
  readonly settings: Pick<Settings, 'network'>;
  readonly work: JobWork;
  readonly completeFor: (tier: TierId) => PricedModel;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** How long leases last. Default: {@link JOB_LEASE_MS}. */
  readonly leaseMs?: number;
}

/** How a run ended: `left` for another process to go on with; `lost` to one that does already. */
export type JobOutcome = 'completed' | 'failed' | 'left' | 'lost';

/** A job that is worked on. */
export interface RunningJob {
  /** Never rejects. */
  readonly ended: Promise<JobOutcome>;
  /**
   * Renews its lease when that is late: a process that was held up must not take its own jobs for those of a dead one.
   */
  keep(): Promise<void>;
  /** Asks the model nothing more, waits until what it was asked is answered and kept, and gives the job back. */
  leave(graceMs: number): Promise<void>;
}

/** How long a lease lasts: so long after a process has died, its jobs go on elsewhere. */
export const JOB_LEASE_MS = 8_000;
/** Renewals while a lease lasts: three may fail before it is lost. */
const RENEWALS = 4;
/** The first pause before a store that failed is asked again, and the longest. */
const RETRY_MS = { first: 100, longest: 2_000 } as const;

/** Why a run stops that has not failed. */
class Stopped extends Error {
  readonly outcome: 'left' | 'lost';

  constructor(outcome: 'left' | 'lost') {
    super(`The job is ${outcome}.`);
    this.outcome = outcome;
  }
}

/** Why a run stops whose time is over. */
class Overdue extends Error {
  constructor() {
    super('The job is not done in time.');
  }
}

export function runJob(job: ClaimedJob, parts: RunParts): RunningJob {
  const { store, now, log, leaseMs = JOB_LEASE_MS } = parts;
  const { lease } = job;
  const stop = new AbortController();
  const { signal } = stop;
  const lose = (): void => stop.abort(new Stopped('lost'));
  const overdue = setTimeout(() => stop.abort(new Overdue()), job.leftMs);
  const heartbeat = createHeartbeat(leaseMs / RENEWALS, (step) => store.renewJob(lease, leaseMs, step), lose);
  let drain = (): Promise<void> => Promise.resolve();

  /** Asks the store until it answers; `lost` ends the job. */
  async function insist(call: () => Promise<Held | 'committed'>): Promise<void> {
    if ((await whenReachable(call, signal)) === 'lost') {
      lose();
      signal.throwIfAborted();
    }
  }

  async function work(): Promise<void> {
    const ordered = await decodeOrder(job.order, parts.deployment);
    const { order } = ordered;
    const answers = await whenReachable(() => store.answersOf(lease.id), signal);
    const journal = createJournal({
      complete: parts.completeFor(coreTier(order.tier)),
      answers,
      record: (key, answer) => insist(() => store.recordAnswer(lease, key, answer)),
      recordCost: (key, cost) => insist(() => store.recordCost(lease, key, cost)),
    });
    drain = () => journal.drain();
    heartbeat.report(order.source.kind === 'link' && order.source.fetched === undefined ? FETCHING : READING);
    const finished = await parts.work(order, {
      signal,
      complete: journal.complete,
      onProgress: (progress) => heartbeat.report(stepOf(progress)),
      async onFetched(fetched) {
        heartbeat.report(READING);
        const { source } = order;
        if (source.kind !== 'link') throw new Error('Only what is behind a link is fetched.');
        const known: JobOrder = { ...ordered, order: { ...order, source: { ...source, fetched } } };
        const bytes = await encodeOrder(known);
        await insist(() => store.setJobOrder(lease, bytes));
      },
    });
    signal.throwIfAborted();
    await finish(ordered, finished);
  }

  async function finish({ order, origin, amount, receipt }: JobOrder, finished: Finished): Promise<void> {
    const { network } = parts.settings;
    const payment = { amount, network, ...(receipt === undefined ? {} : { receipt }) };
    const result = await storedResult(lease.id, answerParts(order.tier.id, finished, payment), now());
    const bought = boughtText(order.tier.id, lease.id, finished, payment, origin);
    const response = await keptAnswer({ result, link: bought }, now());
    await insist(() => store.finishJob(lease, { result, response }));
  }

  /** Records a job's failure in the words that its request would have been answered with. */
  async function fail(error: unknown): Promise<JobOutcome> {
    const { failure, counts } = error instanceof Overdue ? OVERDUE : failureOf(faultFrom(error));
    if (failure.code === 'internal_error') log.error({ err: error }, 'a job failed, and the fault is ours');
    const patience = AbortSignal.timeout(leaseMs);
    const held = await whenReachable(() => store.failJob(lease, failure, counts), patience);
    return held === 'held' ? 'failed' : 'lost';
  }

  async function run(): Promise<JobOutcome> {
    try {
      await work();
      return 'completed';
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : error;
      if (!(reason instanceof Stopped)) return await fail(reason);
      if (reason.outcome === 'left') await store.leaveJob(lease);
      return reason.outcome;
    } finally {
      clearTimeout(overdue);
      await heartbeat.stop();
    }
  }

  const ended = run().catch((err: unknown): JobOutcome => {
    // Its lease runs out by itself.
    log.warn({ err }, 'a job could not be given back');
    return 'lost';
  });

  return {
    ended,
    keep: () => heartbeat.catchUp(),
    async leave(graceMs) {
      const patience = setTimeout(() => stop.abort(new Stopped('left')), graceMs);
      await Promise.race([drain(), ended]);
      clearTimeout(patience);
      stop.abort(new Stopped('left'));
      await ended;
    },
  };
}

interface Ending {
  readonly failure: JobFailure;
  /** Whether it is a fault of the document or the request. */
  readonly counts: boolean;
}

const OVERDUE: Ending = { failure: STORE_FAILURES.overdue, counts: false };

function failureOf({ code, message, status }: Fault): Ending {
  return { failure: { code, message }, counts: status >= 400 && status < 500 };
}

/** What passes by itself. */
const PASSING: readonly unknown[] = ['unavailable', 'disk_full', 'storage_full'];

/** The store's answer, as soon as it can be reached and has room. Rejects with the signal's reason. */
async function whenReachable<Value>(call: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
  for (let pauseMs: number = RETRY_MS.first; ; pauseMs = Math.min(2 * pauseMs, RETRY_MS.longest)) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreError) || !PASSING.includes(error.code)) throw error;
      await wait(pauseMs, signal);
    }
  }
}
