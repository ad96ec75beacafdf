// Child processes, one document each at a time. A document that takes too long or too much memory costs its process,
// which is replaced; nothing it does reaches the server. tinypool starts the processes and carries the messages.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Tinypool } from 'tinypool';
import type { Settings } from '../settings/settings.ts';
import { type ConversationPorts, createConversation, type WorkRun } from './conversation.ts';
import type { MemoryWatch } from './memory.ts';
import { permissionsFor } from './permissions.ts';
import { finishedIn, type Reply } from './reply.ts';
import { createTaskLimits, type RestartCause, type TaskLimits, tooComplex } from './task-limits.ts';
import type { Finished, Task } from './task.ts';
import { createSemaphore } from './semaphore.ts';

/** What a pool is made from. */
export type PoolSettings = Pick<Settings, 'workers' | 'workTimeoutMs' | 'workerHeapMb' | 'workerRssMb'>;

/** How the processes are started; tests start others. */
export interface PoolPorts extends ConversationPorts {
  /** The file that a process runs. Default: the one beside this. */
  readonly childFile?: string;
  /** Further arguments for Node. */
  readonly execArgv?: readonly string[];
  /** Files and folders that a process may read besides its code. */
  readonly readable?: readonly string[];
  readonly memoryWatch?: MemoryWatch;
  /** Documents after which a process is replaced. */
  readonly renewAfter?: number;
  /** Called when a process is replaced. */
  readonly onRestart?: (cause: RestartCause) => void;
}

/** Runs tasks in child processes. */
export interface Pool {
  run(task: Task, run: WorkRun): Promise<Finished>;
  /** Ends all processes and waits until they are gone. */
  close(): Promise<void>;
}

const noop = (): void => undefined;
/** Processes keep memory that documents have needed: a group grew from 143 to 814 MB in one run. */
const RENEW_AFTER = 200;
/** So often the event loop is woken while it waits for the ends of processes; what matters is that it is. */
const HOLD_MS = 1_000;

/** Starts the processes at once, so that the first document does not wait for them. */
export function createPool(settings: PoolSettings, ports: PoolPorts = {}): Pool {
  const { childFile = ownChildFile(), renewAfter = RENEW_AFTER, onRestart = noop } = ports;
  const semaphore = createSemaphore(settings.workers);
  const closing = new AbortController();
  const pool = startProcesses(childFile, settings, ports);
  const running = new Set<TaskLimits>();
  // A process that dies while it has nothing to do is replaced; without a listener that would end the server. One that
  // dies while it starts leaves a task behind that nobody would begin: such tasks come back and go to another.
  pool.on('error', (cause: unknown) => {
    onRestart('died');
    for (const limits of running)
      if (limits.child() === undefined) limits.stop(new LostTask(childFile, cause));
  });

  async function run(task: Task, work: WorkRun): Promise<Finished> {
    const release = await semaphore.acquire(
      work.client ?? '',
      AbortSignal.any([work.signal, closing.signal]),
    );
    try {
      return finishedIn(await replyTo(task, work, 2));
    } finally {
      release();
    }
  }

  /** Hands the task to a process; once more when that one died, of the machine's doing, before it began. */
  async function replyTo(task: Task, work: WorkRun, tries: number): Promise<Reply> {
    try {
      return await attempt(task, work);
    } catch (error) {
      if (error instanceof LostTask && tries > 1) return replyTo(task, work, tries - 1);
      throw error;
    }
  }

  async function attempt(task: Task, work: WorkRun): Promise<Reply> {
    const limits = createTaskLimits(settings, work.signal, ports.memoryWatch);
    const conversation = createConversation(task, work, limits, {
      ...ports,
      timeoutMs: settings.workTimeoutMs,
    });
    running.add(limits);
    try {
      const { channel } = conversation;
      // The child file of this package answers each task with a Reply.
      const reply = (await pool.run(conversation.task, { signal: limits.signal, channel })) as Reply;
      return conversation.judge(reply);
    } catch (error) {
      countEnd(limits, error);
      limits.signal.throwIfAborted();
      closing.signal.throwIfAborted();
      // Errors that the child itself threw arrive as plain objects; an Error means that the process is gone.
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
  }

  /**
   * Counts the end of a process that was at work. The pool's own `error` event reports those that were idle or had not
   * begun.
   */
  function countEnd(limits: TaskLimits, error: unknown): void {
    if (closing.signal.aborted) return;
    if (!limits.signal.aborted) {
      if (error instanceof Error) onRestart('died');
    } else if (limits.child() !== undefined) onRestart(limits.stopped() ?? 'left');
  }

  /**
   * Ends the processes that are idle at once and the others after their document; new ones take their places. One may
   * be handed another document in the moment before: the number is a measure, not a promise.
   */
  async function renew(): Promise<void> {
    onRestart('renewed');
    // A process that is gone already is what was wanted.
    await pool.recycleWorkers().catch(() => undefined);
  }

  async function close(): Promise<void> {
    if (closing.signal.aborted) return;
    closing.abort(new Error('The workplace is closed.'));
    // The pool takes its processes out of the event loop's count. One that is slow to die, on a machine that has other
    // things to do, would leave nothing to wait for, and Node would end with 13 in the middle of a polite stop.
    const hold = setInterval(() => undefined, HOLD_MS);
    try {
      await pool.destroy();
    } finally {
      clearInterval(hold);
    }
  }

  return { run, close };
}

function startProcesses(
  childFile: string,
  { workers, workerHeapMb }: PoolSettings,
  { execArgv = [], readable = [] }: PoolPorts,
): Tinypool {
  return new Tinypool({
    filename: childFile,
    runtime: 'child_process',
    serialization: 'advanced',
    execArgv: [...permissionsFor(childFile, readable), ...execArgv, `--max-old-space-size=${workerHeapMb}`],
    // No keys and no addresses in there, whatever a document makes a reader do.
    env: {},
    minThreads: workers,
    maxThreads: workers,
    concurrentTasksPerWorker: 1,
  });
}

/** No process has begun with the task: it can be given to another. */
class LostTask extends Error {
  constructor(childFile: string, cause: unknown) {
    super(`A child process died before it began with a document (${childFile}).`, { cause });
    this.name = 'LostTask';
  }
}

/** The file as it is called in the sources, and in the published package as seen from what this file became part of. */
const CHILD_FILES = ['./child.ts', './workplace/child.js'];

function ownChildFile(): string {
  const files = CHILD_FILES.map((name) => fileURLToPath(new URL(name, import.meta.url)));
  const found = files.find((file) => existsSync(file));
  if (found === undefined)
    throw new Error(`The file that child processes run is missing: ${files.join(', ')}. Build the package.`);
  return found;
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
}
