import { describe, expect, it } from 'vitest';
import { ClientError } from '@grainline/client';
import { PayingError } from '@grainline/x402/client';
import { troubleOf } from './sentences.ts';

describe('what a payment that went wrong says', () => {
  it('begins and ends as a sentence does, whatever the wallet said, and says that nothing was paid', () => {
    for (const said of ['user rejected the request', ' User rejected the request. '])
      expect(troubleOf(new Error(said))).toEqual({
        text: 'User rejected the request. Nothing was paid.',
        next: 'pay',
      });
    expect(troubleOf(new Error('really?')).text).toBe('Really? Nothing was paid.');
    for (const nothing of [new Error(''), 'a text', undefined])
      expect(troubleOf(nothing).text).toBe('The wallet said nothing but that it failed. Nothing was paid.');
  });

  it('never offers to pay again where it may have been paid', () => {
    const nextOf = (...error: ConstructorParameters<typeof PayingError>): string =>
      troubleOf(new PayingError(...error)).next;
    expect(nextOf('payment_failed', { detail: 'x' })).toBe('pay');
    expect(nextOf('payment_unknown', { detail: 'x' })).toBe('find');
    expect(nextOf('answer_missing', { detail: 'x' })).toBe('get');
    expect(nextOf('payment_refused', { reason: 'payment_in_progress' })).toBe('get');
    expect(nextOf('payment_refused', { reason: 'payment_already_used' })).toBe('none');
    const lost = { payment: 'signature' };
    expect(troubleOf(new ClientError('result_not_found', 'It is gone.', lost))).toEqual({
      text: 'It is gone. The payment is kept in this browser.',
      next: 'get',
    });
    const refused = { ...lost, status: 400, details: { payment: { reusable: true } } };
    expect(troubleOf(new ClientError('corrupted', 'It is damaged.', refused))).toEqual({
      text: 'It is damaged. The payment was not used: it stays good for this request, or the operator can give it back.',
      next: 'none',
    });
    expect(troubleOf(new ClientError('unreachable', 'It is away.')).next).toBe('pay');
  });
});
