// The page's end of the conversation with its workers.
import type { PageProgress } from '@grainline/extract';
import { type Answer, type Ask, type Conversation, type Question, READINGS } from './protocol.ts';

/** What may come before an answer. */
export interface AskOptions {
  /** Of a reading: ends it, whatever it is at; the question then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Of a reading: told of each page. */
  readonly onPage?: (pages: PageProgress) => void;
}

/** The workers, as the page speaks with them. */
export interface AskWorker {
  /** Asks a worker; rejects with a sentence for people, or with {@link Superseded}. */
  <Name extends Question>(
    name: Name,
    body: Conversation[Name]['ask'],
    options?: AskOptions,
  ): Promise<Conversation[Name]['answer']>;
  /** Puts the document away that was read last: its worker ends, and what is still asked of it is superseded. */
  end(): void;
}

/** The part of a worker that is used, so that tests need none. */
export interface WorkerPort {
  send(ask: Ask): void;
  onAnswer(listener: (answer: Answer) => void): void;
  /** Called with a sentence when the worker could not be loaded, or has died. */
  onDeath(listener: (why: string) => void): void;
  /** Ends the worker, whatever it is at. */
  end(): void;
}

/** A question that nobody waits for any more because a later one, or another document, took its place. */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

/**
 * Speaks with workers. Every document is read by a worker of its own, which then answers all questions about it. So a
 * reading can be ended at any point, the document that is looked at stays as it is until another one was read, and the
 * memory that one took, which PDFium never gives back, is gone with its worker, when it is put away at the latest.
 */
export function createAskWorker(start: () => WorkerPort): AskWorker {
  let current: Talk | undefined;
  const read = async (name: Question, body: Ask['body'], { signal, onPage }: AskOptions) => {
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
  const ask = async (name: Question, body: Ask['body'], options: AskOptions = {}) => {
    if (READINGS.some((reading) => reading === name)) return read(name, body, options);
    if (current === undefined) throw new Error('There is no document yet.');
    return current.ask(name, body);
  };
  const end = (): void => {
    current?.end(new Superseded());
    current = undefined;
  };
  return Object.assign(ask, { end }) as AskWorker;
}

/** What is asked of one worker. */
interface Talk {
  ask(name: Question, body: Ask['body'], onPage?: AskOptions['onPage']): Promise<unknown>;
  /** Ends the worker; questions that wait, and later ones, reject with the reason. */
  end(reason: unknown): void;
}

interface Waiting extends PromiseWithResolvers<unknown> {
  readonly onPage: AskOptions['onPage'];
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
    if ('fault' in answer) question?.reject(new Error(answer.fault));
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
      worker.send({ id, name, body } as Ask);
      return question.promise;
    },
  };
}

/**
 * Runs work one at a time and always the latest: while one runs, the next waits, and a later one takes its place, which
 * then rejects with {@link Superseded}. So a slider that is dragged never waits for more than one cut.
 */
export function createLatest(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = Promise.resolve();
  let pending: (() => void) | undefined;
  return <Result>(work: () => Promise<Result>) => {
    pending?.();
    return new Promise<Result>((resolve, reject) => {
      let isSuperseded = false;
      pending = () => {
        isSuperseded = true;
        reject(new Superseded());
      };
      running = running.then(async () => {
        if (isSuperseded) return;
        pending = undefined;
        await work().then(resolve, reject);
      });
    });
  };
}
