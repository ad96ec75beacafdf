// Threads that work on one document each. Meanwhile this thread answers a protocol or writes results, and a cancelled
// document ends with its thread. An idle thread is used again with its loaded modules.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Transferable, Worker } from 'node:worker_threads';
import type { Document, Embed, Embeddings } from '@grainline/core';
import { ExtractError, type Ocr } from '@grainline/extract';
import type { Chunker, DocumentResult } from '@grainline/mcp';
import type { CutRecords } from '@grainline/pipeline/load';
import type { ReadOptions } from '@grainline/pipeline';
import { CliError, codeOf } from '../../errors.ts';
import type { DrawnPages } from '../../output/layout.ts';
import type { DocumentReader } from '../document-reader.ts';
import type { CutTask, FileResult, FileTask, OcrCall, ThreadTask, ThreadMessage } from './tasks.ts';

/** Threads of one process. */
export interface ThreadPool {
  /** Chunks a document for a tool. */
  readonly chunk: Chunker['chunk'];
  /** Chunks a file and renders the result. The bytes of the task move to the thread. */
  readonly file: (task: FileTask, signal: AbortSignal, onProgress: OnProgress) => Promise<FileResult>;
  /** Reads and cuts a document of a load. The bytes of the task move to the thread. */
  readonly cut: (task: CutTask, signal: AbortSignal, onProgress: OnProgress) => Promise<CutRecords>;
  /** Reads a document. OCR stays in this thread, which has its one engine. */
  readonly read: DocumentReader['read'];
  /** Draws the pages of a PDF. */
  readonly draw: DocumentReader['draw'];
  /** Embeds with the built-in embedder. */
  readonly embed: Embed;
  /** Ends all threads. */
  readonly close: () => Promise<void>;
}

type OnProgress = (share: number, message: string) => void;

/** The calls of a running task. */
interface TaskCalls extends Pick<ReadOptions, 'onPage' | 'onOcrPage' | 'ocr'> {
  readonly onProgress?: OnProgress;
}

/** The bounds of a pool. */
export interface ThreadPoolOptions {
  /** Most threads. Default: one for each task. */
  readonly most?: number | undefined;
  /** Longest time without progress of a document, from the start of its reading. Default: any. */
  readonly stallMs?: number | undefined;
  /** Default: a thread with the code of this package. */
  readonly startThread?: () => Worker;
}

/** JavaScript memory of a thread. A PDF has further memory, which PDFium caps. */
const MAX_HEAP_MIB = 2048;
/** The file beside this one in the sources; the built one in the folder `threads`. */
const THREAD_FILES = ['./thread.ts', './threads/thread.js'];

/** A pool without threads. Each task starts one while none is idle. */
export function createThreadPool({
  most = Infinity,
  stallMs,
  startThread = startOwn,
}: ThreadPoolOptions = {}): ThreadPool {
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  /** Tasks that wait for a thread, in order. */
  const waiting: (() => void)[] = [];

  const take = async (): Promise<Worker> => {
    for (;;) {
      const thread = idle.pop() ?? (all.size < most ? addTo(all, startThread()) : undefined);
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
    calls: TaskCalls = {},
    moved: readonly Transferable[] = [],
  ): Promise<unknown> => {
    signal.throwIfAborted();
    const thread = await take();
    try {
      signal.throwIfAborted();
      const result = await awaitResult(thread, task, { signal, moved, calls, stallMs });
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
      run({ chunk: { source, options } }, signal, { onProgress }) as Promise<DocumentResult>,
    file: (task, signal, onProgress) => {
      const { bytes, moved } = movable(task.content.bytes);
      const content = { ...task.content, bytes };
      return run({ file: { ...task, content } }, signal, { onProgress }, moved) as Promise<FileResult>;
    },
    cut: (task, signal, onProgress) => {
      const { bytes, moved } = movable(task.document.bytes);
      const document = { ...task.document, bytes };
      return run({ cut: { ...task, document } }, signal, { onProgress }, moved) as Promise<CutRecords>;
    },
    read: (source, { signal = NEVER, onPage, onOcrPage, ocr, ...options }) =>
      run({ read: { source, options, hasOcr: ocr !== undefined } }, signal, {
        onPage,
        onOcrPage,
        ocr,
      }) as Promise<Document>,
    draw: async (bytes, { regions }, { signal, onPage, ...options }) => {
      if (regions === undefined) return undefined;
      return run({ draw: { bytes, regions, options } }, signal, { onPage }) as Promise<
        DrawnPages | undefined
      >;
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

/** Adds a thread to those of a pool, until it ends. */
function addTo(all: Set<Worker>, thread: Worker): Worker {
  all.add(thread);
  thread.once('exit', () => all.delete(thread));
  return thread;
}

function startOwn(): Worker {
  return new Worker(threadFile(), {
    // The thread gets no keys, and its output stays off standard output, which carries results.
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
  });
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

interface TaskRun {
  readonly signal: AbortSignal;
  readonly moved: readonly Transferable[];
  readonly calls: TaskCalls;
  readonly stallMs: number | undefined;
}

function awaitResult(
  thread: Worker,
  task: ThreadTask,
  { signal, moved, calls, stallMs }: TaskRun,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => settle(() => reject(error));
    const clock = createStallClock('embed' in task ? undefined : stallMs, fail);
    const onMessage = (message: ThreadMessage): void => {
      // The first message comes when the thread has started and has loaded its code.
      clock.restart();
      if ('isReady' in message) return;
      if ('progress' in message) calls.onProgress?.(...message.progress);
      else if ('page' in message) (message.isOcr ? calls.onOcrPage : calls.onPage)?.(message.page);
      else if ('ocr' in message) {
        // The engine has a limit of its own, and reads pages of other documents first.
        clock.stop();
        void answerOcr(thread, message.ocr, calls.ocr, signal).then(clock.restart);
      } else if ('error' in message) fail(new DocumentError(message.error));
      else settle(() => resolve(message.result));
    };
    const onError = (error: unknown): void => {
      const isFull = codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY';
      const full = new CliError('too_large_here', { detail: `${MAX_HEAP_MIB} MiB`, cause: error });
      fail(isFull ? full : (error as Error));
    };
    const onExit = (): void => fail(new Error('The thread that was cutting has ended.'));
    const onAbort = (): void => fail(signal.reason as Error);
    const settle = (how: () => void): void => {
      clock.end();
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      signal.removeEventListener('abort', onAbort);
      how();
    };
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    signal.addEventListener('abort', onAbort, { once: true });
    thread.postMessage(task, moved);
  });
}

interface StallClock {
  readonly restart: () => void;
  /** Until the next restart. */
  readonly stop: () => void;
  readonly end: () => void;
}

/** Fails a task that reports no progress for some time; without a time it never does. */
function createStallClock(stallMs: number | undefined, fail: (error: Error) => void): StallClock {
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = stallMs === undefined;
  const stop = (): void => clearTimeout(timer);
  const stalled = (): void => fail(stalledError(Number(stallMs)));
  return {
    restart() {
      stop();
      if (!hasEnded) timer = setTimeout(stalled, stallMs);
    },
    stop,
    end() {
      hasEnded = true;
      stop();
    },
  };
}

function stalledError(stallMs: number): ExtractError {
  const seconds = stallMs / 1000;
  return new ExtractError('too_complex', { detail: `a page took longer than ${seconds} s` });
}

/** Reads a picture for a thread. Without an answer to a failure the thread would wait for ever. */
async function answerOcr(
  thread: Worker,
  { id, image, request }: OcrCall,
  ocr: Ocr | undefined,
  signal: AbortSignal,
): Promise<void> {
  try {
    thread.postMessage({ ocrOf: id, words: await ocr?.(image, { ...request, signal }) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    thread.postMessage({ ocrOf: id, error: { message, code: codeOf(error) ?? 'internal' } });
  }
}

function threadFile(): string {
  const files = THREAD_FILES.map((name) => fileURLToPath(new URL(name, import.meta.url)));
  const found = files.find((file) => existsSync(file));
  if (found === undefined)
    throw new Error(`The file that threads run is missing: ${files.join(', ')}. Build the package.`);
  return found;
}
