import { describe, expect, it } from 'vitest';
import type { ReadDocument } from '../document/read-document.ts';
import type { WorkerAnswer, WorkerRequest, WorkerCalls, CallName } from './protocol.ts';
import { blockTable } from './block-table.ts';
import { createWorkerClient, Superseded, type WorkerPort } from './worker-client.ts';

function fakeWorker() {
  const requests: WorkerRequest[] = [];
  let isEnded = false;
  let answer: (answer: WorkerAnswer) => void = () => undefined;
  let die: (why: string) => void = () => undefined;
  const port: WorkerPort = {
    send: (ask) => void requests.push(ask),
    onAnswer: (listener) => (answer = listener),
    onDeath: (listener) => (die = listener),
    end: () => (isEnded = true),
  };
  return {
    requests,
    port,
    isEnded: () => isEnded,
    /** Answers the last call. */
    answer: (body: WorkerCalls[CallName]['answer']) => answer({ id: requests.at(-1)!.id, body }),
    say: (it: WorkerAnswer) => answer(it),
    die: (why: string) => die(why),
  };
}

/** Workers in the order of their start. */
function fakeWorkers(count: number) {
  const workers = Array.from({ length: count }, fakeWorker);
  let started = 0;
  const ask = createWorkerClient(() => workers[started++]!.port);
  return { ask, workers, started: () => started };
}

const TIDES = { text: 'The tide turns.', filename: 'tides.txt' };
const READING: ReadDocument = {
  ...TIDES,
  pages: [],
  mediaType: 'text/plain',
  isCode: false,
  blocks: blockTable('', []),
  estimatedPages: 1,
  documentId: 'id',
  warnings: [],
  hasScans: false,
};

/** A client with an open document. */
async function withDocument(count: number) {
  const parts = fakeWorkers(count);
  const reading = parts.ask('take', TIDES);
  parts.workers[0]!.answer(READING);
  expect(await reading).toBe(READING);
  return parts;
}

describe('a conversation with a worker', () => {
  it('gives each question its own answer, in whatever order they come', async () => {
    const { ask, workers } = await withDocument(1);
    const questions = [ask('count', { texts: ['a'] }), ask('count', { texts: ['b'] })];
    const [, first, second] = workers[0]!.requests;
    workers[0]!.say({ id: second!.id, body: [2] });
    workers[0]!.say({ id: first!.id, body: [1] });
    expect(await Promise.all(questions)).toEqual([[1], [2]]);
  });

  it('rejects with what the worker says', async () => {
    const { ask, workers } = await withDocument(1);
    const question = ask('count', { texts: [] });
    workers[0]!.say({ id: workers[0]!.requests.at(-1)!.id, error: 'It is too long.' });
    await expect(question).rejects.toThrow('It is too long.');
  });

  it('is none before there is a document', async () => {
    const { ask, started } = fakeWorkers(0);
    await expect(ask('count', { texts: [] })).rejects.toThrow('no document');
    expect(started()).toBe(0);
  });
});

describe('a document', () => {
  it('is read by a worker of its own, while the one before still answers, and then takes its place', async () => {
    const { ask, workers } = await withDocument(2);
    const next = ask('read', { file: new File(['two'], 'two.txt'), by: {} });
    const question = ask('count', { texts: ['a'] });
    workers[0]!.answer([1]);
    expect(await question).toEqual([1]);
    const late = ask('count', { texts: ['b'] });
    workers[1]!.answer({ ...READING, filename: 'two.txt' });
    expect((await next).filename).toBe('two.txt');
    await expect(late).rejects.toBeInstanceOf(Superseded);
    expect([workers[0]!.isEnded(), workers[1]!.isEnded()]).toEqual([true, false]);
    const other = ask('count', { texts: ['c'] });
    workers[1]!.answer([3]);
    expect(await other).toEqual([3]);
  });

  it('tells of its pages as they are read', async () => {
    const { ask, workers } = fakeWorkers(1);
    const received: unknown[] = [];
    const reading = ask('take', TIDES, { onPage: (pages) => received.push(pages) });
    const { id } = workers[0]!.requests[0]!;
    for (const done of [1, 2]) workers[0]!.say({ id, pages: { done, total: 2 } });
    workers[0]!.answer(READING);
    await reading;
    expect(received).toEqual([
      { done: 1, total: 2 },
      { done: 2, total: 2 },
    ]);
  });

  it('is put away while it is read, and the one before stays', async () => {
    const { ask, workers, started } = await withDocument(3);
    const stop = new AbortController();
    const reading = ask('take', TIDES, { signal: stop.signal });
    stop.abort('enough');
    await expect(reading).rejects.toBe('enough');
    expect([workers[0]!.isEnded(), workers[1]!.isEnded()]).toEqual([false, true]);
    const question = ask('count', { texts: ['a'] });
    workers[0]!.answer([1]);
    expect(await question).toEqual([1]);
    // An aborted call starts no worker, and a late abort ends nothing.
    await expect(ask('take', TIDES, { signal: stop.signal })).rejects.toBe('enough');
    expect(started()).toBe(2);
    const next = new AbortController();
    const last = ask('take', TIDES, { signal: next.signal });
    workers[2]!.answer(READING);
    await last;
    next.abort('late');
    expect(workers[2]!.isEnded()).toBe(false);
  });

  it('takes its worker with it when its calls are ended', async () => {
    const { ask, workers } = await withDocument(2);
    const late = ask('count', { texts: ['a'] });
    ask.end();
    await expect(late).rejects.toBeInstanceOf(Superseded);
    expect(workers[0]!.isEnded()).toBe(true);
    await expect(ask('count', { texts: ['a'] })).rejects.toThrow('no document');
    const again = ask('take', TIDES);
    workers[1]!.answer(READING);
    expect(await again).toBe(READING);
  });

  it('that cannot be read leaves the one before', async () => {
    const { ask, workers } = await withDocument(2);
    const reading = ask('take', TIDES);
    workers[1]!.say({ id: workers[1]!.requests[0]!.id, error: 'It is encrypted.' });
    await expect(reading).rejects.toThrow('It is encrypted.');
    expect([workers[0]!.isEnded(), workers[1]!.isEnded()]).toEqual([false, true]);
  });

  it('is brought once more when its worker has died', async () => {
    const { ask, workers } = await withDocument(2);
    const lost = ask('count', { texts: [] });
    workers[0]!.die('It has stopped.');
    await expect(lost).rejects.toThrow('It has stopped.');
    await expect(ask('count', { texts: [] })).rejects.toThrow('It has stopped.');
    const again = ask('take', TIDES);
    workers[1]!.answer(READING);
    expect(await again).toBe(READING);
  });
});
