// Child processes, one document each at a time. A document that takes too long or too much memory costs its process,
// which is replaced; nothing it does reaches the server. tinypool starts the processes and carries the messages.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Complete, type Embed, needsEmbedder, type Progress, type TierId, TIERS } from '@grainline/core';
import { ExtractError } from '@grainline/extract';
import { Tinypool } from 'tinypool';
import type { Settings } from '../settings/settings.ts';
import { createMemoryWatch, type MemoryWatch } from './memory.ts';
import { permissionsFor } from './permissions.ts';
import { finishedIn, isStarted, type Reply, type Started } from './reply.ts';
import { createAllowance } from './allowance.ts';
import { readProgress } from './progress.ts';
import { answerTo, isAsking, type Models, type Question, readQuestion, readWithdrawal } from './questions.ts';
import { type Finished, type Task, WorkError } from './task.ts';
import { createTurns } from './turns.ts';

/** What a pool is made from. */
export type PoolSettings = Pick<Settings, 'workers' | 'workTimeoutMs' | 'workerHeapMb' | 'workerRssMb'>;

/** How the processes are started; tests start others. */
export interface PoolPorts {
  /** The file that a process runs. Default: the one beside this. */
  readonly childFile?: string;
  /** Further arguments for Node. */
  readonly execArgv?: readonly string[];
  /** Files and folders that a process may read besides its code. */
  readonly readable?: readonly string[];
  readonly memoryWatch?: MemoryWatch;
  /** Whom the server asks for the vectors of tiers that embed. Default: each process has the built-in embedder. */
  readonly embed?: Embed;
  /** A signal that is aborted after so many milliseconds: the patience with that embedder. Default: by the clock. */
  readonly timeout?: (ms: number) => AbortSignal;
  /** Whom the server asks for the answers of tiers that ask a language model, where a run brings nobody. */
  readonly completeFor?: (tier: TierId) => Complete;
  /** Documents after which a process is replaced. */
  readonly renewAfter?: number;
  /** Called when a process is replaced. */
  readonly onRestart?: (cause: RestartCause) => void;
}

/** Why a process was replaced. `left`: nobody waits for its document any more. `renewed`: it has worked long enough. */
export type RestartCause = 'timeout' | 'memory' | 'left' | 'died' | 'renewed';

/** What a piece of work needs besides its task: values that cannot cross a process border. */
export interface WorkRun {
  /** Ends the work, which then rejects with its reason. */
  readonly signal: AbortSignal;
  /**
   * Asks the language model for this document; default: the workplace's own. Jobs bring one that keeps every answer.
   */
  readonly complete?: Complete;
  /** How far the work is, of tiers that take long. */
  readonly onProgress?: (progress: Progress) => void;
}

/** Runs tasks in child processes. */
export interface Pool {
  run(task: Task, run: WorkRun): Promise<Finished>;
  /** Ends all processes and waits until they are gone. */
  close(): Promise<void>;
}

const MIB = 1024 * 1024;
const noop = (): void => undefined;
/** A process is there in about 0.3 s; on a machine this much slower something else is wrong. */
const START_TIMEOUT_MS = 30_000;
/** Processes keep memory that documents have needed: a group grew from 143 to 814 MB in one run. */
const RENEW_AFTER = 200;

/** So often the event loop is woken while it waits for the ends of processes; what matters is that it is. */
const HOLD_MS = 1_000;

/** Starts the processes at once, so that the first document does not wait for them. */
export function createPool(settings: PoolSettings, ports: PoolPorts = {}): Pool {
  const {
    childFile = ownChildFile(),
    execArgv = [],
    readable = [],
    renewAfter = RENEW_AFTER,
    onRestart = noop,
  } = ports;
  const turns = createTurns(settings.workers);
  const closing = new AbortController();
  const pool = new Tinypool({
    filename: childFile,
    runtime: 'child_process',
    serialization: 'advanced',
    execArgv: [
      ...permissionsFor(childFile, readable),
      ...execArgv,
      `--max-old-space-size=${settings.workerHeapMb}`,
    ],
    // No keys and no addresses in there, whatever a document makes a reader do.
    env: {},
    minThreads: settings.workers,
    maxThreads: settings.workers,
    concurrentTasksPerWorker: 1,
  });
  const running = new Set<Limits>();
  // A process that dies while it has nothing to do is replaced; without a listener that would end the server. One that
  // dies while it starts leaves a task behind that nobody would begin: such tasks come back and go to another.
  pool.on('error', (cause: unknown) => {
    onRestart('died');
    for (const limits of running)
      if (limits.child() === undefined) limits.stop(new LostTask(childFile, cause));
  });

  async function run(task: Task, work: WorkRun): Promise<Finished> {
    const endTurn = await turns.take(AbortSignal.any([work.signal, closing.signal]));
    try {
      return finishedIn(await replyTo(task, work, 2));
    } finally {
      endTurn();
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
    const limits = createLimits(settings, work.signal, ports.memoryWatch);
    running.add(limits);
    const takes: readonly string[] = TIERS[task.tier].options;
    const embed = needsEmbedder(task.tier, task.embeddings) ? ports.embed : undefined;
    const model = takes.includes('complete') ? (work.complete ?? ports.completeFor?.(task.tier)) : undefined;
    const allowance = model === undefined ? undefined : createAllowance(model, task.maxCharacters);
    const models = { embed, complete: allowance?.complete };
    const conversation = createConversation(limits, models, settings.workTimeoutMs, ports.timeout);
    const hear = (message: unknown): void => {
      limits.hear(message);
      conversation.hear(message);
      const progress = work.onProgress === undefined ? undefined : readProgress(message);
      if (progress !== undefined) work.onProgress?.(progress);
    };
    const sent = {
      ...task,
      ...(embed === undefined ? {} : { asksForVectors: true }),
      ...(work.onProgress === undefined ? {} : { tellsProgress: true }),
    };
    try {
      // The child file of this package answers each task with a Reply.
      const reply = (await pool.run(sent, {
        signal: limits.signal,
        channel: { postMessage: hear, onMessage: (listener) => conversation.answerBy(listener) },
      })) as Reply;
      return allowance?.isTooExpensive() === true && 'fault' in reply ? { fault: tooExpensive(task) } : reply;
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
  function countEnd(limits: Limits, error: unknown): void {
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

/** The questions of a child process while it works on one document. */
interface Conversation {
  readonly hear: (message: unknown) => void;
  /** How answers come to the child. */
  readonly answerBy: (tell: (message: unknown) => void) => void;
}

/** Answers what a child asks. What somebody else takes for an answer is not the document's time. */
function createConversation(
  limits: Limits,
  models: Models,
  timeoutMs: number,
  timeout: PoolPorts['timeout'],
): Conversation {
  const open = new Map<number, AbortController>();
  let tell: (message: unknown) => void = () => undefined;

  function begin(asked: Question): void {
    const withdrawal = new AbortController();
    if (open.size === 0) limits.hold();
    open.set(asked.question, withdrawal);
    const signal = AbortSignal.any([limits.signal, withdrawal.signal]);
    void answerTo(asked, models, signal, timeoutMs, timeout).then((answer) => {
      open.delete(asked.question);
      if (limits.signal.aborted) return;
      if (open.size === 0) limits.goOn();
      if (!withdrawal.signal.aborted) tell(answer);
    });
  }

  function hear(message: unknown): void {
    const withdrawn = readWithdrawal(message);
    if (withdrawn !== undefined) open.get(withdrawn)?.abort(new Error('The child no longer waits for it.'));
    if (!isAsking(message) || limits.signal.aborted) return;
    const asked = readQuestion(message);
    if (asked === undefined || open.has(asked.question) || open.size >= MOST_OPEN) {
      limits.stop(tooComplex('the process that worked on it asked what no tier asks'));
      return;
    }
    begin(asked);
  }

  return { hear, answerBy: (listener) => void (tell = listener) };
}

/** Questions of one document that are out at the same time; tiers have four. */
const MOST_OPEN = 32;

function tooExpensive({ maxCostUsd }: Task): Pick<WorkError, 'code' | 'message' | 'limit'> {
  const most = maxCostUsd === undefined ? '' : `, $${maxCostUsd}`;
  return {
    code: 'too_expensive',
    message: `To ask the language model about all of this document would cost more than its tier allows${most}. Send it in parts, or use another tier.`,
    ...(maxCostUsd === undefined ? {} : { limit: { max_cost_usd: maxCostUsd } }),
  };
}

/** No process has begun with the task: it can be given to another. */
class LostTask extends Error {
  constructor(childFile: string, cause: unknown) {
    super(`A child process died before it began with a document (${childFile}).`, { cause });
    this.name = 'LostTask';
  }
}

/** What may end a task before it ends by itself. The signal's reason is what the task then rejects with. */
interface Limits {
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

function createLimits(settings: PoolSettings, outer: AbortSignal, watch?: MemoryWatch): Limits {
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

/** The file as it is called in the sources, and in the published package as seen from what this file became part of. */
const CHILD_FILES = ['./child.ts', './workplace/child.js'];

function ownChildFile(): string {
  const files = CHILD_FILES.map((name) => fileURLToPath(new URL(name, import.meta.url)));
  const found = files.find((file) => existsSync(file));
  if (found === undefined)
    throw new Error(`The file that child processes run is missing: ${files.join(', ')}. Build the package.`);
  return found;
}

/** The error that readers themselves give, so that clients see one code for one thing. */
function tooComplex(detail: string): WorkError {
  const { code, message } = new ExtractError('too_complex', { detail });
  return new WorkError(code, message);
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
}
