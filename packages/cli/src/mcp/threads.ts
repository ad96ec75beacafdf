// Threads that cut, one document each at a time: whatever a document holds, the server goes on reading what its client
// sends, and a document that is taken back ends with its thread. A thread that is free is used again, with what it has
// loaded.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Line } from '@grainline/mcp';
import type { CountCharacters } from '../count.ts';
import { CliError, codeOf } from '../errors.ts';
import type { Order, Reply } from './thread.ts';

/** Threads of one server. */
export interface Threads {
  readonly cut: Line['cut'];
  /** Faults of the document have the message and the code that extraction gives them. */
  readonly count: CountCharacters;
  /** Ends all threads. */
  readonly close: () => Promise<void>;
}

/** JavaScript's own memory of a thread; a PDF has its memory, with a cap of its own, beside it. */
const MAX_HEAP_MIB = 2048;
/** Beside this file in the sources; from the built one, in the folder of its own name. */
const THREAD_FILES = ['./thread.ts', './mcp/thread.js'];

/** No thread is started before it is needed. */
export function createThreads(): Threads {
  const idle: Worker[] = [];
  const all = new Set<Worker>();

  const start = (): Worker => {
    const thread = new Worker(threadFile(), {
      // No keys, and nothing on standard output, which is the protocol's.
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
    });
    all.add(thread);
    thread.once('exit', () => all.delete(thread));
    return thread;
  };

  const ask = async (order: Order, signal: AbortSignal, onProgress: OnProgress): Promise<Answer> => {
    signal.throwIfAborted();
    const thread = idle.pop() ?? start();
    try {
      const answer = await answerOf(thread, order, signal, onProgress);
      idle.push(thread);
      return answer;
    } catch (error) {
      // What is at fault with a document leaves its thread sound.
      if (error instanceof DocumentFault) idle.push(thread);
      else await thread.terminate();
      throw error;
    }
  };

  return {
    cut: async (source, options, { signal, onProgress }) => {
      const answer = await ask({ cut: { source, options } }, signal, onProgress);
      return (answer as Extract<Answer, { document: unknown }>).document;
    },
    count: async (document, signal) => {
      const answer = await ask({ count: document }, signal, () => undefined);
      return (answer as Extract<Answer, { characters: unknown }>).characters;
    },
    close: async () => {
      await Promise.all([...all].map((thread) => thread.terminate()));
    },
  };
}

/** An error of the line, with its own message and code. */
class DocumentFault extends Error {
  readonly code: string;

  constructor({ message, code }: { message: string; code: string }) {
    super(message);
    this.name = 'DocumentFault';
    this.code = code;
  }
}

type OnProgress = (share: number, message: string) => void;
/** The answer to an order, which says by its member what was asked. */
type Answer = Extract<Reply, { document: unknown } | { characters: unknown }>;

function answerOf(
  thread: Worker,
  order: Order,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onMessage = (reply: Reply): void => {
      if ('progress' in reply) onProgress(...reply.progress);
      else if ('fault' in reply) settle(() => reject(new DocumentFault(reply.fault)));
      else settle(() => resolve(reply));
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
    thread.postMessage(order);
  });
}

function threadFile(): string {
  const files = THREAD_FILES.map((name) => fileURLToPath(new URL(name, import.meta.url)));
  const found = files.find((file) => existsSync(file));
  if (found === undefined)
    throw new Error(`The file that threads run is missing: ${files.join(', ')}. Build the package.`);
  return found;
}
