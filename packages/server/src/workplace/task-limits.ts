// What may end the work on one document before it ends by itself: its caller, its time, its process's memory.
import { ExtractError } from '@grainline/extract';
import type { Settings } from '../settings/settings.ts';
import { createMemoryWatch, type MemoryWatch } from './memory.ts';
import { isStarted, type Started } from './reply.ts';
import { WorkError } from './task.ts';

/** The bounds of one document. */
export type TaskLimitSettings = Pick<Settings, 'workTimeoutMs' | 'workerRssMb'>;

/** Why a process was replaced. `left`: nobody waits for its document any more. `renewed`: it has worked long enough. */
export type RestartCause = 'timeout' | 'memory' | 'left' | 'died' | 'renewed';

const MIB = 1024 * 1024;
/** A process is there in about 0.3 s; on a machine this much slower something else is wrong. */
const START_TIMEOUT_MS = 30_000;

/** What may end a task before it ends by itself. The signal's reason is what the task then rejects with. */
export interface TaskLimits {
  readonly signal: AbortSignal;
  readonly stop: (reason: Error) => void;
  /** Takes what the child says; its first message starts the clock. */
  readonly hear: (message: unknown) => void;
  /** Stops the clock, … */
  readonly hold: () => void;
  /** … which then starts anew. How long a document takes in all is bounded by its caller. */
  readonly goOn: () => void;
  readonly child: () => Started | undefined;
  /** Which limit was met, if one was. */
  readonly stopped: () => RestartCause | undefined;
  readonly end: () => void;
}

export function createTaskLimits(
  settings: TaskLimitSettings,
  outer: AbortSignal,
  watch?: MemoryWatch,
): TaskLimits {
  const { workTimeoutMs, workerRssMb } = settings;
  const stop = new AbortController();
  const timeout = (ms: number, reason: () => Error) => setTimeout(() => stop.abort(reason()), ms);
  let child: Started | undefined;
  let stopped: RestartCause | undefined;
  const tooMuch = (cause: RestartCause, detail: string): WorkError => {
    stopped = cause;
    return tooComplex(detail);
  };
  let timer = timeout(
    START_TIMEOUT_MS,
    () => new Error(`No child process was ready within ${START_TIMEOUT_MS} ms.`),
  );
  let ended = false;
  let endWatch = (): void => undefined;

  function hear(message: unknown): void {
    if (!isStarted(message) || child !== undefined) return;
    child = message;
    goOn();
    const memoryWatch = watch ?? createMemoryWatch(workerRssMb * MIB);
    endWatch = memoryWatch.add(child.pid, () =>
      stop.abort(tooMuch('memory', `it took more than ${workerRssMb} MiB of memory`)),
    );
  }

  function hold(): void {
    clearTimeout(timer);
  }

  function goOn(): void {
    clearTimeout(timer);
    if (ended) return;
    timer = timeout(workTimeoutMs, () => tooMuch('timeout', `it took longer than ${workTimeoutMs / 1000} s`));
  }

  function end(): void {
    ended = true;
    clearTimeout(timer);
    endWatch();
  }

  return {
    signal: AbortSignal.any([outer, stop.signal]),
    stop: (reason) => stop.abort(reason),
    hear,
    hold,
    goOn,
    child: () => child,
    stopped: () => stopped,
    end,
  };
}

/** The error that readers themselves give, so that clients see one code for one thing. */
export function tooComplex(detail: string): WorkError {
  const { code, message } = new ExtractError('too_complex', { detail });
  return new WorkError(code, message);
}
