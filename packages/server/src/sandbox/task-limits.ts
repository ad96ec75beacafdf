// The limits that end the work on one document early: its signal, its time, and the memory of its process.
import { ExtractError } from '@grainline/extract';
import type { Settings } from '../settings/settings.ts';
import { createMemoryWatch, type MemoryWatch } from './memory.ts';
import { isStarted, type StartedMessage } from './reply.ts';
import { WorkError } from './task.ts';

/** The bounds of one document. */
export type TaskLimitSettings = Pick<Settings, 'workTimeoutMs' | 'workerRssMb'>;

/**
 * The cause of a replaced process. `left`: the task's signal was aborted. `renewed`: it had done its share of tasks.
 */
export type RestartCause = 'timeout' | 'memory' | 'left' | 'died' | 'renewed';

/**
 * The time that a page for OCR adds: a fifth of the time of a document, 12 s with the default. A page takes some
 * 3 s of a processor, and one that has to be turned four times as long.
 */
export function ocrPageMs(workTimeoutMs: number): number {
  return workTimeoutMs / 5;
}

const MIB = 1024 * 1024;
/** A process starts in about 0.3 s. A start this slow means another fault. */
const START_TIMEOUT_MS = 30_000;

/** The limits of one task. */
export interface TaskLimits {
  /** Aborted by the first limit; the task rejects with its reason. */
  readonly signal: AbortSignal;
  readonly stop: (reason: Error) => void;
  /** Receives the child's messages; the first one starts the clock. */
  readonly onMessage: (message: unknown) => void;
  readonly pauseClock: () => void;
  /** Gives the document its full time again. Its total time is bounded by the caller. */
  readonly restartClock: () => void;
  /** Adds the time of one page that OCR reads, at most so often. */
  readonly extendClock: (most: number) => void;
  readonly child: () => StartedMessage | undefined;
  /** The exceeded limit; undefined for a task within its limits. */
  readonly restartCause: () => RestartCause | undefined;
  readonly end: () => void;
}

export function createTaskLimits(
  { workTimeoutMs, workerRssMb }: TaskLimitSettings,
  outer: AbortSignal,
  memoryWatch: MemoryWatch = createMemoryWatch(workerRssMb * MIB),
): TaskLimits {
  const stop = new AbortController();
  let child: StartedMessage | undefined;
  let restartCause: RestartCause | undefined;
  let endWatch = (): void => undefined;
  let hasEnded = false;
  let extensions = 0;
  let startedMs = 0;
  let allowedMs = workTimeoutMs;
  let timer = setTimeout(
    () => stop.abort(new Error(`No child process was ready within ${START_TIMEOUT_MS} ms.`)),
    START_TIMEOUT_MS,
  );

  function exceed(cause: RestartCause, detail: string): void {
    restartCause = cause;
    stop.abort(tooComplex(detail));
  }

  function endAfter(ms: number): void {
    clearTimeout(timer);
    if (hasEnded) return;
    timer = setTimeout(() => exceed('timeout', `it took longer than ${allowedMs / 1000} s`), ms);
  }

  function restartClock(): void {
    startedMs = performance.now();
    allowedMs = workTimeoutMs;
    endAfter(allowedMs);
  }

  return {
    signal: AbortSignal.any([outer, stop.signal]),
    stop: (reason) => stop.abort(reason),
    onMessage(message) {
      if (!isStarted(message) || child !== undefined) return;
      child = message;
      restartClock();
      const detail = `it took more than ${workerRssMb} MiB of memory`;
      endWatch = memoryWatch(child.pid, () => exceed('memory', detail));
    },
    pauseClock: () => clearTimeout(timer),
    restartClock,
    extendClock(most) {
      if (extensions >= most) return;
      extensions++;
      allowedMs += ocrPageMs(workTimeoutMs);
      endAfter(startedMs + allowedMs - performance.now());
    },
    child: () => child,
    restartCause: () => restartCause,
    end() {
      hasEnded = true;
      clearTimeout(timer);
      endWatch();
    },
  };
}

/** Uses the readers' own error, so that clients see one code for one cause. */
export function tooComplex(detail: string): WorkError {
  const { code, message } = new ExtractError('too_complex', { detail });
  return new WorkError(code, message);
}
