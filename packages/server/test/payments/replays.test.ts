// A payer may request the same answer any number of times, with a request of some bytes.
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ask } from '../http/fake-service.ts';
import { paidService } from './paid-service.ts';

describe('an answer that was bought', () => {
  it('is decompressed as it is read when it is asked for again, and not held whole for each who asks', async () => {
    const paid = paidService();
    const proof = paid.chain.pay(2000n);
    const request = {
      headers: { 'x-payment': proof, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'High water. '.repeat(1000), chunk_size: 10_000 }),
    };
    const first = await ask(paid, 'POST /chunk', request);
    const again = await ask(paid, 'POST /chunk', request);
    expect(first.status).toBe(200);
    expect(again.reply.body).toBeInstanceOf(Readable);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers).toEqual({ ...first.headers, 'X-Request-Id': again.headers['X-Request-Id'] });
    expect(paid.tasks).toHaveLength(1);
  });
});
