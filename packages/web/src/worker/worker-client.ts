// The page's client of its workers.
import type { ReadProgress } from '../document/read-document.ts';
import {
  type WorkerAnswer,
  type WorkerRequest,
  type WorkerCalls,
  type CallName,
  READINGS,
} from './protocol.ts';

/** Options of a call that opens a document. */
export interface WorkerCallOptions {
  /** Cancels the reading; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the progress after each page. */
  readonly onPage?: (pages: ReadProgress) => void;
}

/** The workers behind one interface. */
export interface WorkerClient {
  /** Calls a worker. Rejects with a sentence for the visitor, or with {@link Superseded}. */
  <Name extends CallName>(
    name: Name,
    body: WorkerCalls[Name]['ask'],
    options?: WorkerCallOptions,
  ): Promise<WorkerCalls[Name]['answer']>;
  /** Closes the current document: its worker ends, and its open calls are superseded. */
  end(): void;
}

/** The used part of a worker, replaceable in tests. */
export interface WorkerPort {
  send(ask: WorkerRequest): void;
  onAnswer(listener: (answer: WorkerAnswer) => void): void;
  /** Receives a sentence when the worker could not be loaded, or has died. */
  onDeath(listener: (why: string) => void): void;
  /** Ends the worker during any work. */
  end(): void;
}

/** An error of a call, with the code of the package that has raised it. */
class WorkerError extends Error {
  readonly code: string | undefined;
  /** Pages of a scan. */
  readonly count: number | undefined;

  constructor(message: string, code: string | undefined, count: number | undefined) {
    super(message);
    this.code = code;
    this.count = count;
  }
}

/** A later call, or another document, has replaced this call. */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

/**
 * A client of workers. Every document has its own worker, which answers all calls about it. So a reading can be
 * cancelled at any point, the current document stays until another one is read, and PDFium's memory, which it never
 * frees, goes with the worker when the document is closed.
 */
export function createWorkerClient(start: () => WorkerPort): WorkerClient {
  let current: Talk | undefined;
  const read = async (name: CallName, body: WorkerRequest['body'], { signal, onPage }: WorkerCallOptions) => {
    signal?.throwIfAborted();
    const next = talkWith(start());
    const stop = (): void => next.end(signal?.reason);
    signal?.addEventListener('abort', stop);
    try {
      const reading = await next.ask(name, body, onPage);
      current?.end(new Superseded());
      current = next;
      return reading;
    } catch (error) {
      next.end(error);
      throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  };
  const ask = async (name: CallName, body: WorkerRequest['body'], options: WorkerCallOptions = {}) => {
    if (READINGS.some((reading) => reading === name)) return read(name, body, options);
    if (current === undefined) throw new Error('There is no document yet.');
    return current.ask(name, body);
  };
  const end = (): void => {
    current?.end(new Superseded());
    current = undefined;
  };
  return Object.assign(ask, { end }) as WorkerClient;
}

/** The connection to one worker. */
interface Talk {
  ask(name: CallName, body: WorkerRequest['body'], onPage?: WorkerCallOptions['onPage']): Promise<unknown>;
  /** Ends the worker; open and later calls reject with the reason. */
  end(reason: unknown): void;
}

interface Waiting extends PromiseWithResolvers<unknown> {
  readonly onPage: WorkerCallOptions['onPage'];
}

function talkWith(worker: WorkerPort): Talk {
  const waiting = new Map<number, Waiting>();
  let over: { readonly reason: unknown } | undefined;
  let last = 0;
  const end = (reason: unknown): void => {
    over ??= { reason };
    worker.end();
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  };
  worker.onAnswer((answer) => {
    const question = waiting.get(answer.id);
    if ('pages' in answer) {
      question?.onPage?.(answer.pages);
      return;
    }
    waiting.delete(answer.id);
    if ('error' in answer) question?.reject(new WorkerError(answer.error, answer.code, answer.count));
    else question?.resolve(answer.body);
  });
  worker.onDeath((why) => end(new Error(why)));
  return {
    end,
    ask(name, body, onPage) {
      const question = { ...Promise.withResolvers<unknown>(), onPage };
      if (over !== undefined) {
        question.reject(over.reason);
        return question.promise;
      }
      const id = ++last;
      waiting.set(id, question);
      worker.send({ id, name, body } as WorkerRequest);
      return question.promise;
    },
  };
}
