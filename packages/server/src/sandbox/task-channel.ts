// The messages between the server and a child process during one task: progress, calls of remote models, and results.
import { type Complete, type Embed, needsEmbedder, needsLanguageModel, type TierId } from '@grainline/core';
import { createModelQuota } from './model-quota.ts';
import {
  isOcrStarted,
  readProgress,
  readStage,
  type StageTime,
  type TaskProgress,
  type WorkerReply,
} from './reply.ts';
import { executeCall, isCall, type ModelCall, type Models, readCall, readCancellation } from './rpc.ts';
import type { CiteTask, PageTask, PipelineResult, WorkError, WorkerTask } from './task.ts';
import { type TaskLimits, tooComplex } from './task-limits.ts';

/** The server's models for the calls of children. */
export interface ModelPorts {
  /** The remote embedder. Default: each process uses the built-in embedder. */
  readonly embed?: Embed | undefined;
  /** A signal that is aborted after so many milliseconds, for calls of that embedder. Default: by the clock. */
  readonly timeout?: (ms: number) => AbortSignal;
  /** The language model of a tier, for tasks without one of their own. */
  readonly completeFor?: (tier: TierId) => Complete;
}

/** The part of a task that cannot cross a process border. */
export interface TaskContext {
  /** Ends the work, which then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** The client of the document, for fair scheduling. Default: one common client, as for jobs. */
  readonly client?: string;
  /** True for a task without a price. Default false. */
  readonly isFree?: boolean | undefined;
  /** Called when the task gets a process. Never called for a task of the server itself. */
  readonly onStart?: (() => void) | undefined;
  /** The language model of this document. Default: the pool's. Jobs bring one that stores every answer. */
  readonly complete?: Complete;
  /** Receives the progress of slow tiers. */
  readonly onProgress?: (progress: TaskProgress) => void;
  /** Receives the time of each stage after it, once at most. */
  readonly onStage?: ((time: StageTime) => void) | undefined;
}

/** The messages of one task. */
export interface TaskChannel<Result = PipelineResult> {
  /** The function of the child file. */
  readonly call: 'default' | 'cite' | 'measure' | 'page';
  /** The task in the form that the child receives. */
  readonly task: WorkerTask | CiteTask | PageTask;
  /** The server's end, in the form of tinypool. */
  readonly channel: {
    postMessage(message: unknown): void;
    onMessage(listener: (message: unknown) => void): void;
  };
  /** Returns the child's reply, or the error `too_expensive` in place of its error. */
  readonly checkCost: (reply: WorkerReply<Result>) => WorkerReply<Result>;
}

/** Open calls of one document. Tiers have four. */
const MOST_OPEN = 32;

type CallSettings = Pick<ModelPorts, 'timeout'> & { readonly timeoutMs: number };

export function createTaskChannel(
  task: WorkerTask,
  { complete, onProgress, onStage }: TaskContext,
  limits: TaskLimits,
  ports: ModelPorts & CallSettings,
): TaskChannel {
  const embed = needsEmbedder(task.tier, task.embeddings) ? ports.embed : undefined;
  const model = needsLanguageModel(task.tier) ? (complete ?? ports.completeFor?.(task.tier)) : undefined;
  const quota = model && createModelQuota(model, task.maxCharacters);
  const calls = createCallServer(limits, { embed, complete: quota?.complete }, ports);
  return {
    call: 'default',
    task: {
      ...task,
      usesRemoteEmbedder: embed !== undefined,
      reportsProgress: onProgress !== undefined,
      reportsStages: onStage !== undefined,
    },
    channel: {
      postMessage(message) {
        limits.onMessage(message);
        calls.onMessage(message);
        if (isOcrStarted(message) && task.ocr !== undefined) limits.extendClock(task.ocr.maxPages);
        const progress = onProgress && readProgress(message);
        if (progress !== undefined) onProgress?.(progress);
        const time = onStage && readStage(message);
        if (time !== undefined) onStage?.(time);
      },
      onMessage: calls.setSend,
    },
    checkCost: (reply) =>
      quota?.isTooExpensive() === true && 'error' in reply ? { error: tooExpensive(task) } : reply,
  };
}

/** The messages of a task that calls no model. */
export function createPlainChannel<Result>(
  call: 'cite' | 'measure' | 'page',
  task: CiteTask | PageTask | WorkerTask,
  { onMessage }: TaskLimits,
): TaskChannel<Result> {
  return {
    call,
    task,
    channel: { postMessage: onMessage, onMessage: () => undefined },
    checkCost: (reply) => reply,
  };
}

/** Executes a child's calls. The clock of the document stops while any of them is open. */
function createCallServer(limits: TaskLimits, models: Models, { timeout, timeoutMs }: CallSettings) {
  const open = new Map<number, AbortController>();
  let send: (message: unknown) => void = () => undefined;

  function execute(modelCall: ModelCall): void {
    const { call } = modelCall;
    const cancelling = new AbortController();
    if (open.size === 0) limits.pauseClock();
    open.set(call, cancelling);
    const signal = AbortSignal.any([limits.signal, cancelling.signal]);
    void executeCall(modelCall, models, signal, timeoutMs, timeout).then((result) => {
      open.delete(call);
      if (limits.signal.aborted) return;
      if (open.size === 0) limits.restartClock();
      if (!cancelling.signal.aborted) send(result);
    });
  }

  function onMessage(message: unknown): void {
    const cancelled = readCancellation(message);
    if (cancelled !== undefined) open.get(cancelled)?.abort(new Error('The child cancelled the call.'));
    if (!isCall(message) || limits.signal.aborted) return;
    const modelCall = readCall(message);
    if (modelCall === undefined || open.has(modelCall.call) || open.size >= MOST_OPEN)
      limits.stop(tooComplex('the process that worked on it asked what no tier asks'));
    else execute(modelCall);
  }

  return { onMessage, setSend: (listener: (message: unknown) => void) => void (send = listener) };
}

function tooExpensive({ maxCostUsd }: WorkerTask): Pick<WorkError, 'code' | 'message' | 'limit'> {
  const most = maxCostUsd === undefined ? '' : `, $${maxCostUsd}`;
  return {
    code: 'too_expensive',
    message: `To ask the language model about all of this document would cost more than its tier allows${most}. Send it in parts, or use another tier.`,
    limit: maxCostUsd === undefined ? undefined : { max_cost_usd: maxCostUsd },
  };
}
