// The lock of a source while a load works on it.
import type { SourceLock, VectorStore } from '@grainline/core';

/** Options of {@link holdLock}. */
export interface HoldOptions {
  readonly owner?: string | undefined;
  /** Time after which the lock of a killed process is free, in milliseconds. */
  readonly ttlMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The part of the remaining time after which a lock is renewed; the contract demands three renewals in its time. */
const RENEWALS = 4;

/**
 * Works while it holds the lock of a source, which it renews and finally releases. The signal of the work is aborted
 * with the error of a renewal, because another process may write from then on. Rejects with `locked` when another
 * process has the source, and as the work does.
 */
export async function holdLock<Result>(
  store: VectorStore,
  source: string,
  { signal, ...options }: HoldOptions,
  work: (signal: AbortSignal, lock: SourceLock) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController();
  const held = signal === undefined ? lost.signal : AbortSignal.any([signal, lost.signal]);
  const lock = await store.lock(source, { ...options, ...(signal && { signal }) });
  const timer = keepRenewing(lock, (error) => lost.abort(error));
  try {
    return await work(held, lock);
  } finally {
    clearInterval(timer);
    // After a failure, the error of the work says more; the lock expires by itself.
    await lock.release().catch(() => undefined);
  }
}

function keepRenewing(lock: SourceLock, onLost: (error: unknown) => void): ReturnType<typeof setInterval> {
  const remainingMs = Math.max(0, lock.expiresMs - Date.now());
  return setInterval(() => void lock.renew().catch(onLost), Math.max(50, remainingMs / RENEWALS));
}
