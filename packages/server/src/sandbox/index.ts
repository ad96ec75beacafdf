// Runs the pipeline on a task, from a document to the members of an answer: small text in the server itself, other
// documents in a child process.
import { isUtf8 } from 'node:buffer';
import { needsEmbedder, needsLanguageModel } from '@grainline/core';
import {
  createProcessPool,
  type ProcessPool,
  type ProcessPoolPorts,
  type ProcessPoolSettings,
} from './process-pool.ts';
import { captureReply, unwrapReply } from './reply.ts';
import { acceptedKind, runPipeline } from './run-pipeline.ts';
import type { WorkerTask } from './task.ts';

export { assertTextLength } from './run-pipeline.ts';
export { WorkError } from './task.ts';
export { ocrPageMs } from './task-limits.ts';
export type { StageTime, TaskProgress } from './reply.ts';
export type { TaskContext } from './task-channel.ts';
export type { RestartCause } from './task-limits.ts';
export type {
  BytesInput,
  CiteResult,
  CiteTask,
  DocumentMeasure,
  PageResult,
  PageTask,
  PipelineResult,
  TaskOptions,
  TextInput,
  WorkerTask,
} from './task.ts';

/** Runs tasks: small ones in the server, all others in child processes. */
export type WorkerPool = ProcessPool;

/**
 * The work that the server does itself. Within these limits it blocks the event loop for some 3 ms, while a child
 * process costs 0.6 ms and a turn. Each chunk costs some 15 µs besides its size: 100 kB in chunks of 10 characters
 * would take 0.17 s. Tiers with sentences and blocks need up to 11 ms for 128 KiB, the free tier 0.8 ms; the worst 16
 * KiB, made of the shortest sentences or items, needed 40 ms. Token counts and embeddings need tables that only child
 * processes load.
 */
const INLINE = {
  free: { bytes: 128 * 1024, chunks: 256 },
  others: { bytes: 16 * 1024, chunks: 128 },
} as const;

/** Settings of a worker pool. */
export interface WorkerPoolSettings extends ProcessPoolSettings {
  /** Documents that can wait for remote models at one time. */
  readonly aiAtOnce: number;
  /** Starts the processes for these documents at once too. Default: with the first such document. */
  readonly startsRemotePool?: boolean;
}

/**
 * A worker pool whose processes start at once. Documents that wait for remote models have processes of their own and
 * never delay others.
 */
export function createWorkerPool(settings: WorkerPoolSettings, ports: ProcessPoolPorts = {}): WorkerPool {
  const pool = createProcessPool(settings, ports);
  const closing = new AbortController();
  const createRemotePool = () => createProcessPool({ ...settings, workers: settings.aiAtOnce }, ports);
  let remotePool = settings.startsRemotePool === true ? createRemotePool() : undefined;

  return {
    async run(task, context) {
      context.signal.throwIfAborted();
      const small = await inlineTask(task);
      if (small !== undefined) return unwrapReply(await captureReply(() => runPipeline(small, context)));
      closing.signal.throwIfAborted();
      const isRemote = needsRemoteModel(task.tier, ports.embed !== undefined);
      return (isRemote ? (remotePool ??= createRemotePool()) : pool).run(task, context);
    },
    async cite(task, context) {
      context.signal.throwIfAborted();
      closing.signal.throwIfAborted();
      return pool.cite(task, context);
    },
    async page(task, context) {
      context.signal.throwIfAborted();
      closing.signal.throwIfAborted();
      return pool.page(task, context);
    },
    async measure(task, context) {
      context.signal.throwIfAborted();
      closing.signal.throwIfAborted();
      return pool.measure(task, context);
    },
    async close() {
      closing.abort(new Error('The worker pool is closed.'));
      await Promise.all([pool.close(), remotePool?.close()]);
    },
  };
}

/**
 * Tells if a tier waits for a model outside this process: always for a language model, and for an embedder that is not
 * built in.
 */
export function needsRemoteModel(tier: WorkerTask['tier'], isEmbedderRemote: boolean): boolean {
  return needsLanguageModel(tier) || (isEmbedderRemote && needsEmbedder(tier));
}

/** The task for the server itself; undefined for a task whose cost is not linear in a small size. */
async function inlineTask(task: WorkerTask): Promise<WorkerTask | undefined> {
  const { input } = task;
  if (input.kind === 'text') return isShort(input.text.length, task) ? task : undefined;
  const { bytes } = input;
  // Plain UTF-8 only. The detection of other encodings, archives and images belongs into a child process too.
  if (!isShort(bytes.byteLength, task) || bytes.includes(0) || !isUtf8(bytes)) return undefined;
  try {
    const detectedKind = await acceptedKind(input);
    const isProse = detectedKind === 'txt' || detectedKind === 'markdown';
    return isProse ? { ...task, input: { ...input, detectedKind } } : undefined;
  } catch {
    // The pipeline rejects the file with the same error.
    return task;
  }
}

/** Assumes full chunks with the largest overlap. */
function isShort(length: number, { tier, size, overlap, target = size, encoding }: WorkerTask): boolean {
  if (encoding !== undefined || needsRemoteModel(tier, true)) return false;
  const most = tier === 'free' ? INLINE.free : INLINE.others;
  const chunks = length / Math.max(1, Math.min(target, size) - overlap);
  return length <= most.bytes && chunks <= most.chunks && chunks * size <= most.bytes;
}
