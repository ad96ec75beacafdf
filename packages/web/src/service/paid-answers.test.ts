import { describe, expect, it } from 'vitest';
import type { RawAnswer, RequestSummary } from './chunk-request.ts';
import { createPaidAnswers, MOST_BYTES, type PaidAnswer, readContent, requestKey } from './paid-answers.ts';
import { memoryStore } from '../../test/memory-store.ts';

const HOUR_MS = 3_600_000;
const options = { size: 500, overlap: 0, unit: 'characters' } as const;
const summary = (documentId: string): RequestSummary => ({
  tier: 'ai',
  options,
  filename: `${documentId}.txt`,
  documentId,
});
const answer = (bytes: number): RawAnswer => ({
  tier: 'ai',
  total_chunks: 1,
  metadata: { filename: 'a.txt', content_type: 'text/plain', size_bytes: 1, estimated_pages: 1 },
  chunks: [
    { id: 'a', text: 'x'.repeat(bytes), metadata: { start_offset: 0, end_offset: bytes } },
  ] as unknown as RawAnswer['chunks'],
  payment: { amount: 4000, asset: 'USDC', network: 'solana-localnet', transaction: 'Sig' },
});

function answersAt(mostBytes?: number) {
  const store = memoryStore<PaidAnswer>();
  const clock = { nowMs: 1000 };
  const answers = createPaidAnswers({ store, nowMs: () => clock.nowMs, ...(mostBytes && { mostBytes }) });
  return { answers, store, clock };
}

describe('paid answers', () => {
  it('are read as they were, with their receipt, latest first', async () => {
    const { answers, clock } = answersAt();
    await answers.keep(answer(10), summary('first'));
    clock.nowMs = 2000;
    await answers.keep(answer(20), summary('second'));
    const [second, first] = await answers.list(HOUR_MS);
    expect([second, first].map((each) => each?.filename)).toEqual(['second.txt', 'first.txt']);
    expect(second).toMatchObject({ paidMs: 2000, chunkCount: 1, receipt: { transaction: 'Sig' } });
    expect(await readContent(second!)).toEqual(answer(20));
  });

  it('have one entry for a request, with the time of its payment', async () => {
    const { answers, clock } = answersAt();
    await answers.keep(answer(10), summary('one'));
    clock.nowMs = 9000;
    await answers.keep(answer(10), summary('one'));
    expect(await answers.list(HOUR_MS)).toMatchObject([{ paidMs: 1000 }]);
  });

  it('lose the content of the oldest ones beyond the limit, and their receipts after the hour', async () => {
    const { answers, clock, store } = answersAt(2500);
    for (const [index, id] of ['old', 'middle', 'new'].entries()) {
      clock.nowMs = 1000 * (index + 1);
      await answers.keep(answer(600), summary(id));
    }
    const stored = async (): Promise<unknown> =>
      (await answers.list(HOUR_MS)).map(({ documentId, content }) => [documentId, content !== undefined]);
    expect(await stored()).toEqual([
      ['new', true],
      ['middle', true],
      ['old', false],
    ]);
    const sizes = (await store.all()).map(({ content }) => content?.size ?? 0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(2500);
    clock.nowMs = 1000 + HOUR_MS + 1;
    expect(await stored()).toEqual([
      ['new', true],
      ['middle', true],
    ]);
    expect(await store.all()).toHaveLength(2);
  });

  it('keep the receipt alone of an answer that is longer than the limit', async () => {
    const { answers } = answersAt(1000);
    await answers.keep(answer(2000), summary('long'));
    const [entry] = await answers.list(HOUR_MS);
    expect(entry).toMatchObject({ documentId: 'long', chunkCount: 1 });
    expect(await readContent(entry!)).toBeUndefined();
  });

  it('keep the receipt alone where the browser has no room', async () => {
    const { store } = answersAt();
    const full = {
      ...store,
      put: (entry: PaidAnswer) =>
        entry.content === undefined
          ? store.put(entry)
          : Promise.reject(new DOMException('full', 'QuotaExceededError')),
    };
    const answers = createPaidAnswers({ store: full, nowMs: () => 1 });
    await answers.keep(answer(10), summary('one'));
    expect(await answers.list(HOUR_MS)).toMatchObject([{ documentId: 'one' }]);
    expect((await store.all())[0]?.content).toBeUndefined();
  });

  it('are none in a browser without a database, and after they are forgotten', async () => {
    const closed = () => Promise.reject(new Error('denied'));
    const none = createPaidAnswers({
      store: { all: closed, put: closed, remove: closed, clear: closed },
      nowMs: () => 1,
    });
    await none.keep(answer(10), summary('one'));
    await none.forget();
    expect(await none.list(HOUR_MS)).toEqual([]);
    const { answers } = answersAt();
    await answers.keep(answer(10), summary('one'));
    await answers.forget();
    expect(await answers.list(HOUR_MS)).toEqual([]);
  });

  it('have at most 50 MB', () => {
    expect(MOST_BYTES).toBe(50_000_000);
  });
});

describe('the key of a request', () => {
  it('is that of its document, tier and options, in whatever order', () => {
    const key = requestKey(summary('a'));
    expect(requestKey({ ...summary('a'), filename: 'b.txt' } as RequestSummary)).toBe(key);
    const { size, ...others } = options;
    expect(requestKey({ ...summary('a'), options: { ...others, size } })).toBe(key);
    for (const other of [summary('b'), { ...summary('a'), tier: 'semantic' }])
      expect(requestKey(other)).not.toBe(key);
    expect(requestKey({ ...summary('a'), options: { ...options, size: 501 } })).not.toBe(key);
  });
});
