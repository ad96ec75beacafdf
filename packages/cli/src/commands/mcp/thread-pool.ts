// Threads that chunk one document each. Meanwhile the server reads its client's messages, and a cancelled document ends
// with its thread. An idle thread is used again with its loaded modules.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Chunker, DocumentResult } from '@grainline/mcp';
import type { CountCharacters } from '../../local/count.ts';
import { CliError, codeOf } from '../../errors.ts';
import type { ThreadTask, ThreadMessage } from './thread.ts';

/** Threads of one server. */
export interface ThreadPool {
  readonly chunk: Chunker['chunk'];
  /** Errors of the document keep the message and the code of extraction. */
  readonly count: CountCharacters;
  /** Ends all threads. */
  readonly close: () => Promise<void>;
}

/** JavaScript memory of a thread. A PDF has further memory, which PDFium caps. */
const MAX_HEAP_MIB = 2048;
/** The file beside this one in the sources; the built one in the folder `mcp`. */
const THREAD_FILES = ['./thread.ts', './mcp/thread.js'];

/** A pool without threads. The first task starts one. */
export function createThreadPool(): ThreadPool {
  const idle: Worker[] = [];
  const all = new Set<Worker>();

  const start = (): Worker => {
    const thread = new Worker(threadFile(), {
      // The thread gets no keys, and its output stays off standard output, which carries the protocol.
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
    });
    all.add(thread);
    thread.once('exit', () => all.delete(thread));
    return thread;
  };

  const run = async (task: ThreadTask, signal: AbortSignal, onProgress?: OnProgress): Promise<unknown> => {
    signal.throwIfAborted();
    const thread = idle.pop() ?? start();
    try {
      const result = await awaitResult(thread, task, signal, onProgress);
      idle.push(thread);
      return result;
    } catch (error) {
      // A document's error leaves its thread sound.
      if (error instanceof DocumentError) idle.push(thread);
      else await thread.terminate();
      throw error;
    }
  };

  return {
    chunk: (source, options, { signal, onProgress }) =>
      run({ chunk: { source, options } }, signal, onProgress) as Promise<DocumentResult>,
    count: (document, signal) => run({ count: document }, signal) as Promise<number>,
    close: async () => {
      await Promise.all([...all].map((thread) => thread.terminate()));
    },
  };
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

type OnProgress = (share: number, message: string) => void;

function awaitResult(
  thread: Worker,
  task: ThreadTask,
  signal: AbortSignal,
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
    thread.postMessage(task);
  });
}

function threadFile(): string {
  const files = THREAD_FILES.map((name) => fileURLToPath(new URL(name, import.meta.url)));
  const found = files.find((file) => existsSync(file));
  if (found === undefined)
    throw new Error(`The file that threads run is missing: ${files.join(', ')}. Build the package.`);
  return found;
}
