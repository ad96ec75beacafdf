import { describe, expect, it } from 'vitest';
import type { Answer, Ask } from './protocol.ts';
import { createAskWorker, createLatest, Superseded, type WorkerPort } from './worker-client.ts';

function fakeWorker() {
  const asked: Ask[] = [];
  let answer: (answer: Answer) => void = () => undefined;
  let die: () => void = () => undefined;
  const port: WorkerPort = {
    send: (ask) => void asked.push(ask),
    onAnswer: (listener) => (answer = listener),
    onDeath: (listener) => (die = listener),
  };
  return { asked, port, answer: (it: Answer) => answer(it), die: () => die() };
}

describe('a conversation with the worker', () => {
  it('gives each question its own answer, in whatever order they come', async () => {
    const worker = fakeWorker();
    const ask = createAskWorker(() => worker.port);
    const questions = [ask('count', { texts: ['a'] }), ask('count', { texts: ['b'] })];
    const [first, second] = worker.asked;
    worker.answer({ id: second!.id, body: [2] });
    worker.answer({ id: first!.id, body: [1] });
    expect(await Promise.all(questions)).toEqual([[1], [2]]);
  });

  it('rejects with what the worker says', async () => {
    const worker = fakeWorker();
    const question = createAskWorker(() => worker.port)('count', { texts: [] });
    worker.answer({ id: worker.asked[0]!.id, fault: 'It is encrypted.' });
    await expect(question).rejects.toThrow('It is encrypted.');
  });

  it('goes on with a new worker when one has died', async () => {
    const workers = [fakeWorker(), fakeWorker()];
    let started = 0;
    const ask = createAskWorker(() => workers[started++]!.port);
    const lost = ask('count', { texts: [] });
    workers[0]!.die();
    await expect(lost).rejects.toThrow('has stopped');
    const question = ask('count', { texts: ['a'] });
    workers[1]!.answer({ id: workers[1]!.asked[0]!.id, body: [1] });
    expect(await question).toEqual([1]);
  });
});

describe('the latest of many', () => {
  it('runs the first and the last of those asked for meanwhile, and nothing between', async () => {
    const latest = createLatest();
    const ran: number[] = [];
    const gate = Promise.withResolvers<undefined>();
    const work = (number: number) => async () => {
      ran.push(number);
      await gate.promise;
      return number;
    };
    const first = latest(work(0));
    await Promise.resolve();
    const all = [1, 2, 3, 4].map((number) => latest(work(number)));
    const settled = Promise.allSettled(all);
    gate.resolve(undefined);
    expect(await first).toBe(0);
    const results = await settled;
    expect(ran).toEqual([0, 4]);
    expect(results.at(-1)).toEqual({ status: 'fulfilled', value: 4 });
    for (const result of results.slice(0, -1))
      expect(result.status === 'rejected' && result.reason instanceof Superseded).toBe(true);
  });

  it('goes on after work that failed', async () => {
    const latest = createLatest();
    await expect(latest(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await latest(() => Promise.resolve('yes'))).toBe('yes');
  });
});
