// Waits for changes of sources. A file system reports changes of local ones; every other source, and a file system that
// reports nothing, is listed again after some time.
import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Io } from '../io.ts';
import { isLink } from '../inputs/link.ts';
import { isBucket } from './bucket.ts';

/** A watch over the operands of a command. */
export interface SourceWatch {
  /**
   * Resolves some time after a change since the watch began or since the last call, and at the latest after a minute.
   * Rejects when aborted.
   */
  readonly next: () => Promise<void>;
  readonly close: () => void;
}

/** Times of a watch in milliseconds. */
export interface WatchTimes {
  /** Longest time between two listings. */
  readonly pollMs: number;
  /** Wait after a change: a file that is being written changes several times. */
  readonly settleMs: number;
}

/** Begins to watch the files and folders of the operands; for a pattern, the working folder. */
export async function watchSources(
  operands: readonly string[],
  { cwd, signal }: Pick<Io, 'cwd' | 'signal'>,
  { pollMs, settleMs }: WatchTimes = { pollMs: 60_000, settleMs: 1000 },
): Promise<SourceWatch> {
  let changed = Promise.withResolvers<undefined>();
  const watchers: FSWatcher[] = [];
  const local = operands.filter((operand) => !isLink(operand) && !isBucket(operand));
  const paths = await Promise.all(local.map((operand) => existing(resolve(cwd, operand), cwd)));
  for (const path of new Set(paths)) {
    try {
      const watcher = watch(path, { recursive: true }, () => changed.resolve(undefined));
      // Too many folders for the system, or a folder that is gone: the next listing finds the change.
      watcher.on('error', () => watcher.close());
      watchers.push(watcher);
    } catch {
      continue;
    }
  }
  return {
    async next() {
      const waited = new AbortController();
      const either = AbortSignal.any([signal, waited.signal]);
      const poll = pause(pollMs, undefined, { signal: either });
      poll.catch(() => undefined);
      await Promise.race([changed.promise, poll]);
      waited.abort();
      await pause(settleMs, undefined, { signal });
      changed = Promise.withResolvers();
    },
    close: () => {
      for (const watcher of watchers) watcher.close();
    },
  };
}

async function existing(path: string, cwd: string): Promise<string> {
  return stat(path).then(
    () => path,
    () => cwd,
  );
}
