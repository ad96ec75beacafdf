// Every request to a database passes here: it is given up when the caller's signal is aborted or the time is over,
// repeated after a transient error, and its error becomes one of the port.
import { type StoreRun, untilAborted, VectorStoreError } from '@grainline/core';
import type { Adapter } from '../connection.ts';
import { type ErrorKind, kindOf, reasonOf } from '../errors.ts';

/** The clock, the random numbers and the waiting of retries. */
export interface RetryDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A number from 0 to below 1. */
  readonly random: () => number;
  /** Resolves after so many milliseconds; rejects when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Most attempts of one request. */
  readonly attempts: number;
  readonly timeoutMs: number;
}

/** The database's name and place, for messages. */
export interface DatabaseTarget {
  readonly adapter: Adapter;
  /** The masked URL. */
  readonly url: string;
  readonly secrets: readonly string[];
}

/** Runs one request. */
export type Call = <Result>(action: () => Promise<Result>, run?: StoreRun) => Promise<Result>;

/** The first wait; each further one is twice as long, and each is shortened by up to half at random. */
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5000;

/** Makes the function that runs requests. */
export function createCall(target: DatabaseTarget, deps: RetryDeps): Call {
  const kindFor = (error: unknown): ErrorKind => target.adapter.classify?.(error) ?? kindOf(error);
  return async (action, run) => {
    const signal = run?.signal;
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      if (run?.lock !== undefined && run.lock.expiresMs <= deps.now()) throw lockLost();
      const timeout = AbortSignal.timeout(deps.timeoutMs);
      const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
      try {
        return await untilAborted(action, either);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof VectorStoreError) throw error;
        // A request without an answer may still be at work: repeating it could let an old write follow a new one.
        if (timeout.aborted)
          throw errorOf('transient', target, `no answer in ${deps.timeoutMs / 1000} seconds`);
        const kind = kindFor(error);
        if (kind !== 'transient' || attempt >= deps.attempts)
          throw errorOf(kind, target, reasonOf(error, target.secrets));
        const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
        await deps.wait(longest * (1 - deps.random() / 2), signal).catch((reason: unknown) => {
          signal?.throwIfAborted();
          throw reason;
        });
      }
    }
  };
}

/** Another process may write from the moment at which a lock expires. */
export function lockLost(source?: string): VectorStoreError {
  return new VectorStoreError(
    'lock_lost',
    `The lock${source === undefined ? '' : ` of ${source}`} has expired, and another process may load it; start the load again.`,
  );
}

/** The error of a request that failed. The client's own error is left out, because it may hold the credentials. */
function errorOf(kind: ErrorKind, { adapter, url }: DatabaseTarget, reason: string): VectorStoreError {
  const database = `${adapter.summary.database} at ${url}`;
  if (kind === 'transient' || kind === 'unavailable')
    return new VectorStoreError(
      'unavailable',
      `${database} cannot be used: ${reason}. Check the address and the state of the database.`,
    );
  if (kind === 'unauthorized') {
    const names = Object.values(adapter.url.environment).join(' and ');
    const place = names === '' ? 'in the URL' : `in the URL or in ${names}`;
    return new VectorStoreError(kind, `${database} refuses the credentials: ${reason}. Give them ${place}.`);
  }
  if (kind === 'missing_extension')
    return new VectorStoreError(
      kind,
      `${database} lacks the extension vector: ${reason}. Install pgvector on the server, and let a superuser run "create extension vector".`,
    );
  return new VectorStoreError(kind, `${database} rejects the request: ${reason}.`);
}
