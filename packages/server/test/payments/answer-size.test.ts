// Answers above MAX_ANSWER_BYTES on a service that sells: a free one costs no pages, a paid one no payment.
import { describe, expect, it } from 'vitest';
import { ask, form, NOW, paragraphs } from '../http/fake-service.ts';
import { paidService } from './paid-service.ts';

const SMALL = { MAX_ANSWER_BYTES: '50KiB', FREE_PAGES_PER_DAY: '100' };
const refusal = {
  status: 413,
  json: { code: 'answer_too_large', retryable: false, limit: { max_answer_bytes: 50 * 1024 } },
};

describe('an answer above MAX_ANSWER_BYTES', () => {
  it('is refused on the free tier, and costs no pages', async () => {
    const service = paidService(SMALL);
    const refused = await ask(service, 'POST /chunk/demo', { body: form(paragraphs(100)) });
    expect(refused).toMatchObject(refusal);
    expect(refused.json['message']).toContain('MAX_ANSWER_BYTES');
    const day = new Date(NOW).toISOString().slice(0, 10);
    expect(await service.store.quotaLeft({ client: '192.0.2.1', day, limit: 100 })).toBe(100);
    expect((await ask(service, 'POST /chunk/demo', { body: form(paragraphs(10)) })).status).toBe(200);
  });

  it.each([
    ['of many chunks', 'structure', 2000n, { chunk_size: '10' }, { chunk_size: '1000' }],
    ['with vectors', 'semantic', 4000n, { embeddings: 'true' }, {}],
  ])('%s leaves its payment reusable', async (_, tier, price, large, smaller) => {
    const service = paidService(SMALL);
    const headers = { 'x-payment': service.chain.pay(price) };
    const text = paragraphs(30);
    const buy = (fields: object) =>
      ask(service, `POST /chunk/${tier}`, { headers, body: form(text, 'note.txt', { ...fields }) });
    expect(await buy(large)).toMatchObject({
      ...refusal,
      json: { ...refusal.json, payment: { reusable: true } },
    });
    expect((await buy(smaller)).status).toBe(200);
  });
});
