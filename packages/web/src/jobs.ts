// Jobs that run on the service while the page waits, and that a reload of the page does not lose: their ids and what
// was asked for, and nothing of a document's text, are kept in the browser.
import type { CutOptions } from './cuts.ts';
import type { Ordered } from './order.ts';
import { type JobStatus, Refusal, type Service } from './service.ts';

/** A job that was begun from this browser, and what it was begun for. */
export interface Job extends Ordered {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly begunMs: number;
}

/** What is kept between visits; `localStorage`, or nothing where that is forbidden. */
export type JobStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const KEY = 'grainline.job';
/** Results are gone after an hour. A job that was begun longer ago than this has none to wait for. */
const LIFETIME_MS = 2 * 60 * 60 * 1000;

/** The job that was left behind; undefined when there is none, or it is too old. */
export function keptJob(storage: JobStorage, nowMs: number): Job | undefined {
  try {
    const kept = JSON.parse(storage.getItem(KEY) ?? 'null') as Partial<Record<keyof Job, unknown>> | null;
    const { id, tier, filename, options, begunMs } = kept ?? {};
    const isJob = [id, tier, filename].every((text) => typeof text === 'string') && isCutOptions(options);
    if (!isJob || typeof begunMs !== 'number' || nowMs - begunMs > LIFETIME_MS) return undefined;
    return kept as Job;
  } catch {
    return undefined;
  }
}

function isCutOptions(value: unknown): boolean {
  const { size, overlap, unit } = Object(value) as Partial<Record<keyof CutOptions, unknown>>;
  return typeof size === 'number' && typeof overlap === 'number' && typeof unit === 'string';
}

/** Keeps a job, or forgets it. A browser that stores nothing is no fault: the job then lives as long as the page. */
export function keepJob(storage: JobStorage, job: Job | undefined): void {
  try {
    if (job === undefined) storage.removeItem(KEY);
    else storage.setItem(KEY, JSON.stringify(job));
  } catch {
    // Nothing is kept, and nothing else changes.
  }
}

/** Between two questions; the service's limit on requests is far above. */
const POLL_MS = 1500;
/** Where the service cannot be reached: a laptop that was closed, a train in a tunnel. */
const RETRY_MS = 5000;

/** The outside world of {@link followJob}. */
export interface JobParts {
  readonly service: Pick<Service, 'jobStatus' | 'jobResult'>;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  readonly onStatus: (status: JobStatus) => void;
}

/**
 * Asks after a job until it is done, and gives its result. What the service refuses for good ends it; what it puts off,
 * or a network that is away, does not.
 *
 * @throws Refusal when there is no such job any more; an Error with the job's own words when it failed
 */
export async function followJob(id: string, { service, wait, signal, onStatus }: JobParts): Promise<unknown> {
  for (;;) {
    signal.throwIfAborted();
    const status = await orLater(() => service.jobStatus(id));
    if ('waitMs' in status) {
      await wait(status.waitMs, signal);
      continue;
    }
    onStatus(status.value);
    if (status.value.status === 'failed') throw new Error(status.value.message || 'The job has failed.');
    if (status.value.status === 'completed') {
      const result = await orLater(() => service.jobResult(id));
      if ('value' in result) return result.value;
      await wait(result.waitMs, signal);
    } else await wait(POLL_MS, signal);
  }
}

/** What was asked for, or how long to wait before asking again. */
async function orLater<Value>(
  ask: () => Promise<Value>,
): Promise<{ readonly value: Value } | { readonly waitMs: number }> {
  try {
    return { value: await ask() };
  } catch (error) {
    if (!(error instanceof Refusal)) return { waitMs: RETRY_MS };
    const isForNow = error.status === 429 || error.status === 409 || error.status >= 500;
    if (!isForNow) throw error;
    return { waitMs: Math.max(POLL_MS, 1000 * (error.retryAfterS ?? 0)) };
  }
}
