// A pool of child processes with one document each at a time. A document that takes too much time or memory costs its
// process, which is replaced, and has no effect on the server. tinypool starts the processes and carries the messages.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Tinypool } from 'tinypool';
import { createLimiter } from '../limits/limiter.ts';
import type { Settings } from '../settings/settings.ts';
import type { MemoryWatch } from './memory.ts';
import { ocrPackages, permissionsFor } from './permissions.ts';
import { unwrapReply, type WorkerReply } from './reply.ts';
import type {
  CiteResult,
  CiteTask,
  DocumentMeasure,
  PageResult,
  PageTask,
  PipelineResult,
  WorkerTask,
} from './task.ts';
import {
  createPlainChannel,
  createTaskChannel,
  type ModelPorts,
  type TaskChannel,
  type TaskContext,
} from './task-channel.ts';
import { createTaskLimits, type RestartCause, type TaskLimits, tooComplex } from './task-limits.ts';

/** Settings of a pool. */
export interface ProcessPoolSettings extends Pick<
  Settings,
  'workers' | 'workTimeoutMs' | 'workerHeapMb' | 'workerRssMb'
> {
  /** True when free tasks leave one process to paid tasks, where there are several. Default false. */
  readonly reservesProcess?: boolean;
  /** Languages of OCR, whose packages the processes may read then. Default: no OCR. */
  readonly ocrLanguages?: string | undefined;
}

/** The start of the processes, which tests replace. */
export interface ProcessPoolPorts extends ModelPorts {
  /** The entry file of a process. Default: child.ts. */
  readonly childFile?: string;
  /** Further arguments for Node. */
  readonly execArgv?: readonly string[];
  /** Files and folders that a process may read besides its code. */
  readonly readable?: readonly string[];
  readonly memoryWatch?: MemoryWatch;
  /** Tasks after which a process is replaced. */
  readonly renewAfter?: number;
  /** Called for each replaced process. */
  readonly onRestart?: ((cause: RestartCause) => void) | undefined;
}

/** Runs tasks in child processes. */
export interface ProcessPool {
  /**
   * Rejects with a WorkError for an error of the document or its options, with the signal's reason after an abort,
   * which ends the work, and with other errors for defects.
   */
  run(task: WorkerTask, context: TaskContext): Promise<PipelineResult>;
  /** Finds a quotation in a stored answer. Rejects as `run` does. */
  cite(task: CiteTask, context: TaskContext): Promise<CiteResult>;
  /** Reads chunks of a stored answer. Rejects as `run` does. */
  page(task: PageTask, context: TaskContext): Promise<PageResult>;
  /** Reads a document and measures it. Rejects as `run` does. */
  measure(task: WorkerTask, context: TaskContext): Promise<DocumentMeasure>;
  /** Ends all work and waits for the exit of all processes. */
  close(): Promise<void>;
}

const noop = (): void => undefined;
/** Processes keep the memory of past documents: one group grew from 143 to 814 MB in one run. */
const RENEW_AFTER = 200;
/** Interval of the timer that keeps the event loop alive while processes end. Its length is irrelevant. */
const KEEP_ALIVE_MS = 1_000;
/** Processes that a task is given to, one after another, when they die before its start. */
const MOST_ATTEMPTS = 2;

/** Starts the processes at once, so the first document does not wait for them. */
export function createProcessPool(settings: ProcessPoolSettings, ports: ProcessPoolPorts = {}): ProcessPool {
  const { childFile = findChildFile(), onRestart = noop } = ports;
  const { workers, reservesProcess = false } = settings;
  const limiter = createLimiter({
    places: workers,
    freePlaces: reservesProcess ? Math.max(1, workers - 1) : workers,
  });
  const closing = new AbortController();
  const pool = startProcesses(childFile, settings, ports);
  const running = new Set<TaskLimits>();
  // Reports idle and starting processes that died; tinypool replaces them. Without a listener the event would end the
  // server. A task that was handed to a starting process is lost and goes to another.
  pool.on('error', (cause: unknown) => {
    onRestart('died');
    for (const limits of running)
      if (limits.child() === undefined) limits.stop(new LostTask(childFile, cause));
  });
  const attempt = createAttempt({ pool, running, settings, ports, childFile, closing: closing.signal });

  async function runWithRetry<Result>(
    open: OpenChannel<Result>,
    context: TaskContext,
    attempts: number,
  ): Promise<WorkerReply<Result>> {
    try {
      return await attempt(open, context);
    } catch (error) {
      if (error instanceof LostTask && attempts > 1) return runWithRetry(open, context, attempts - 1);
      throw error;
    }
  }

  async function runWithin<Result>(open: OpenChannel<Result>, context: TaskContext): Promise<Result> {
    const signal = AbortSignal.any([context.signal, closing.signal]);
    const claim = { client: context.client ?? '', isFree: context.isFree };
    const runTask = (): Promise<WorkerReply<Result>> => {
      context.onStart?.();
      return runWithRetry(open, context, MOST_ATTEMPTS);
    };
    return unwrapReply(await limiter.run(claim, signal, runTask));
  }

  return {
    run(task, context) {
      const callSettings = { ...ports, timeoutMs: settings.workTimeoutMs };
      return runWithin((limits) => createTaskChannel(task, context, limits, callSettings), context);
    },
    cite: (task, context) => runWithin((limits) => createPlainChannel('cite', task, limits), context),
    page: (task, context) => runWithin((limits) => createPlainChannel('page', task, limits), context),
    measure: (task, context) => runWithin((limits) => createPlainChannel('measure', task, limits), context),
    async close() {
      if (closing.signal.aborted) return;
      closing.abort(new Error('The worker pool is closed.'));
      // The pool does not keep the event loop alive. With slow processes Node would find nothing to wait for and exit
      // with 13 in the middle of an orderly stop.
      const keepAlive = setInterval(() => undefined, KEEP_ALIVE_MS);
      try {
        await pool.destroy();
      } finally {
        clearInterval(keepAlive);
      }
    },
  };
}

/** Opens the channel of a task within its limits. */
type OpenChannel<Result> = (limits: TaskLimits) => TaskChannel<Result>;

interface AttemptDeps {
  readonly pool: Tinypool;
  /** The limits of the tasks in work. */
  readonly running: Set<TaskLimits>;
  readonly settings: ProcessPoolSettings;
  readonly ports: ProcessPoolPorts;
  readonly childFile: string;
  readonly closing: AbortSignal;
}

/** Runs a task in one process. Rejects with {@link LostTask} when the process dies before its start. */
function createAttempt({ pool, running, settings, ports, childFile, closing }: AttemptDeps) {
  const { renewAfter = RENEW_AFTER, onRestart = noop } = ports;

  /** Counts a process that ended during its task. The pool's `error` event reports the others. */
  function countRestart(limits: TaskLimits, error: unknown): void {
    if (closing.aborted) return;
    if (!limits.signal.aborted) {
      if (error instanceof Error) onRestart('died');
    } else if (limits.child() !== undefined) onRestart(limits.restartCause() ?? 'left');
  }

  /**
   * Replaces idle processes at once and the others after their task. A process can receive another task just before, so
   * `renewAfter` is approximate.
   */
  async function renew(): Promise<void> {
    onRestart('renewed');
    // The process may have ended by itself.
    await pool.recycleWorkers().catch(() => undefined);
  }

  return async <Result>(open: OpenChannel<Result>, context: TaskContext): Promise<WorkerReply<Result>> => {
    const limits = createTaskLimits(settings, context.signal, ports.memoryWatch);
    const taskChannel = open(limits);
    running.add(limits);
    try {
      const { call: name, task, channel } = taskChannel;
      // The child file of this package returns a WorkerReply for each task.
      const reply = (await pool.run(task, { name, signal: limits.signal, channel })) as WorkerReply<Result>;
      return taskChannel.checkCost(reply);
    } catch (error) {
      countRestart(limits, error);
      limits.signal.throwIfAborted();
      closing.throwIfAborted();
      // Errors thrown in the child arrive as plain objects; an Error means that the process ended.
      if (!(error instanceof Error))
        throw new Error(`A child process failed: ${messageOf(error)}`, { cause: error });
      throw limits.child() === undefined
        ? new LostTask(childFile, error)
        : tooComplex('the process that worked on it ended');
    } finally {
      running.delete(limits);
      limits.end();
      if ((limits.child()?.tasks ?? 0) >= renewAfter) await renew();
    }
  };
}

function startProcesses(
  childFile: string,
  { workers, workerHeapMb, ocrLanguages }: ProcessPoolSettings,
  { execArgv = [], readable = [] }: ProcessPoolPorts,
): Tinypool {
  const packages = ocrLanguages === undefined ? [] : ocrPackages(ocrLanguages);
  return new Tinypool({
    filename: childFile,
    runtime: 'child_process',
    serialization: 'advanced',
    execArgv: [
      ...permissionsFor(childFile, readable, packages),
      ...execArgv,
      `--max-old-space-size=${workerHeapMb}`,
      '--expose-gc',
    ],
    // Hides keys and addresses from a process that a document has taken over.
    env: {},
    minThreads: workers,
    maxThreads: workers,
    concurrentTasksPerWorker: 1,
  });
}

/** No process has begun the task, so another process can take it. */
class LostTask extends Error {
  constructor(childFile: string, cause: unknown) {
    super(`A child process died before it began with a document (${childFile}).`, { cause });
    this.name = 'LostTask';
  }
}

/** The child file beside this source file, and in the published package beside the bundle of this file. */
const CHILD_FILES = ['./child.ts', './sandbox/child.js'];

function findChildFile(): string {
  const files = CHILD_FILES.map((name) => fileURLToPath(new URL(name, import.meta.url)));
  const existing = files.find((file) => existsSync(file));
  if (existing === undefined)
    throw new Error(`The file that child processes run is missing: ${files.join(', ')}. Build the package.`);
  return existing;
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
}
