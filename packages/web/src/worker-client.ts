// The page's end of the conversation with its worker.
import type { Answer, Ask, Conversation, Question } from './protocol.ts';

/** Asks the worker; rejects with a sentence for people. */
export type AskWorker = <Name extends Question>(
  name: Name,
  body: Conversation[Name]['ask'],
) => Promise<Conversation[Name]['answer']>;

/** The part of a worker that is used, so that tests need none. */
export interface WorkerPort {
  send(ask: Ask): void;
  onAnswer(listener: (answer: Answer) => void): void;
  /** Called when the worker could not be loaded, or has died. */
  onDeath(listener: () => void): void;
}

/** A question that nobody waits for any more because a later one took its place. */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

/** Speaks with a worker, which is started with the first question. */
export function createAskWorker(start: () => WorkerPort): AskWorker {
  const waiting = new Map<number, PromiseWithResolvers<never>>();
  let worker: WorkerPort | undefined;
  let last = 0;
  const settle = (answer: Answer): void => {
    const question = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('fault' in answer) question?.reject(new Error(answer.fault));
    else question?.resolve(answer.body as never);
  };
  const fail = (): void => {
    worker = undefined;
    for (const question of waiting.values())
      question.reject(new Error('The part of the page that cuts has stopped. Load the page again.'));
    waiting.clear();
  };
  return (name, body) => {
    if (worker === undefined) {
      worker = start();
      worker.onAnswer(settle);
      worker.onDeath(fail);
    }
    const id = ++last;
    const question = Promise.withResolvers<never>();
    waiting.set(id, question);
    worker.send({ id, name, body } as Ask);
    return question.promise;
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
