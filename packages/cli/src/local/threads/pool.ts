// Threads that work on one document each. Meanwhile this thread answers a protocol or writes results, and a cancelled
// document ends with its thread. An idle thread is used again with its loaded modules.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Transferable, Worker } from 'node:worker_threads';
import type { Embed, Embeddings } from '@grainline/core';
import type { Chunker, DocumentResult } from '@grainline/mcp';
import type { CutRecords } from '@grainline/pipeline/load';
import { CliError, codeOf } from '../../errors.ts';
import type { CutTask, FileResult, FileTask, ThreadTask, ThreadMessage } from './thread.ts';

/** Threads of one process. */
export interface ThreadPool {
  /** Chunks a document for a tool. */
  readonly chunk: Chunker['chunk'];
  /** Chunks a file and renders the result. The bytes of the task move to the thread. */
  readonly file: (task: FileTask, signal: AbortSignal, onProgress: OnProgress) => Promise<FileResult>;
  /** Reads and cuts a document of a load. The bytes of the task move to the thread. */
  readonly cut: (task: CutTask, signal: AbortSignal, onProgress: OnProgress) => Promise<CutRecords>;
  /** Embeds with the built-in embedder. */
  readonly embed: Embed;
  /** Ends all threads. */
  readonly close: () => Promise<void>;
}

type OnProgress = (share: number, message: string) => void;

/** JavaScript memory of a thread. A PDF has further memory, which PDFium caps. */
const MAX_HEAP_MIB = 2048;
/** The file beside this one in the sources; the built one in the folder `threads`. */
const THREAD_FILES = ['./thread.ts', './threads/thread.js'];

/** A pool without threads, of at most `most` of them. Each task starts one while none is idle. */
export function createThreadPool(most = Infinity): ThreadPool {
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  /** Tasks that wait for a thread, in order. */
  const waiting: (() => void)[] = [];

  const take = async (): Promise<Worker> => {
    for (;;) {
      const thread = idle.pop() ?? (all.size < most ? start(all) : undefined);
      if (thread !== undefined) return thread;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  const drop = async (thread: Worker): Promise<void> => {
    all.delete(thread);
    await thread.terminate();
  };

  const run = async (
    task: ThreadTask,
    signal: AbortSignal,
    onProgress?: OnProgress,
    moved: readonly Transferable[] = [],
  ): Promise<unknown> => {
    signal.throwIfAborted();
    const thread = await take();
    try {
      signal.throwIfAborted();
      const result = await awaitResult(thread, task, signal, moved, onProgress);
      idle.push(thread);
      return result;
    } catch (error) {
      // A document's error leaves its thread sound.
      if (error instanceof DocumentError) idle.push(thread);
      else await drop(thread);
      throw error;
    } finally {
      waiting.shift()?.();
    }
  };

  return {
    chunk: (source, options, { signal, onProgress }) =>
      run({ chunk: { source, options } }, signal, onProgress) as Promise<DocumentResult>,
    file: (task, signal, onProgress) => {
      const { bytes, moved } = movable(task.content.bytes);
      const content = { ...task.content, bytes };
      return run({ file: { ...task, content } }, signal, onProgress, moved) as Promise<FileResult>;
    },
    cut: (task, signal, onProgress) => {
      const { bytes, moved } = movable(task.document.bytes);
      const document = { ...task.document, bytes };
      return run({ cut: { ...task, document } }, signal, onProgress, moved) as Promise<CutRecords>;
    },
    embed: (texts, { signal = NEVER }) => run({ embed: texts }, signal) as Promise<Embeddings>,
    close: async () => {
      await Promise.all([...all].map((thread) => thread.terminate()));
    },
  };
}

const NEVER = new AbortController().signal;

/** Bytes that can move to a thread. A small Buffer is a part of a shared one, which cannot. */
function movable(bytes: Uint8Array): { readonly bytes: Uint8Array; readonly moved: ArrayBuffer[] } {
  const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
  return { bytes: own, moved: [own.buffer as ArrayBuffer] };
}

function start(all: Set<Worker>): Worker {
  const thread = new Worker(threadFile(), {
    // The thread gets no keys, and its output stays off standard output, which carries results.
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
  });
  all.add(thread);
  thread.once('exit', () => all.delete(thread));
  return thread;
}

/** An error of the pipeline, with its own message and code. */
class DocumentError extends Error {
  readonly code: string;

  constructor({ message, code }: { message: string; code: string }) {
    super(message);
    this.name = 'DocumentError';
    this.code = code;
  }
}

function awaitResult(
  thread: Worker,
  task: ThreadTask,
  signal: AbortSignal,
  moved: readonly Transferable[],
  onProgress?: OnProgress,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onMessage = (reply: ThreadMessage): void => {
      if ('progress' in reply) onProgress?.(...reply.progress);
      else if ('error' in reply) settle(() => reject(new DocumentError(reply.error)));
      else settle(() => resolve(reply.result));
    };
    const onError = (error: unknown): void => {
      const isFull = codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY';
      const full = new CliError('too_large_here', { detail: `${MAX_HEAP_MIB} MiB`, cause: error });
      settle(() => reject(isFull ? full : (error as Error)));
    };
    const onExit = (): void => settle(() => reject(new Error('The thread that was cutting has ended.')));
    const onAbort = (): void => settle(() => reject(signal.reason as Error));
    const settle = (how: () => void): void => {
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      signal.removeEventListener('abort', onAbort);
      how();
    };
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    signal.addEventListener('abort', onAbort, { once: true });
    thread.postMessage(task, moved);
  });
}

function threadFile(): string {
  const files = THREAD_FILES.map((name) => fileURLToPath(new URL(name, import.meta.url)));
  const found = files.find((file) => existsSync(file));
  if (found === undefined)
    throw new Error(`The file that threads run is missing: ${files.join(', ')}. Build the package.`);
  return found;
}
