import {
  type Attempt,
  type Pay,
  PayingError,
  type PaymentOrder,
  type FindResult,
} from '@grainline/x402/client';
import { describe, expect, it } from 'vitest';
import { createRunBudget } from './budget.ts';

const PRICE = 4000n;
const ORDER = { amount: PRICE } as PaymentOrder;

/** A wallet that signs under one name and ends as the test says, behind a budget for one payment. */
function walletOf(ending: 'paid' | 'payment_failed' | 'payment_unknown', found: FindResult) {
  const budget = createRunBudget(PRICE);
  const signed: Attempt = { signature: 'first' } as Attempt;
  const pay: Pay = Object.assign(
    async (_: PaymentOrder, { record }: { record: (attempt: Attempt) => Promise<void> }) => {
      await record(signed);
      if (ending !== 'paid') throw new PayingError(ending, { detail: 'of its own' });
      return 'first';
    },
    { find: () => Promise.resolve(found) },
  );
  const guarded = budget.guard(pay);
  const context = { record: () => Promise.resolve() } as unknown as Parameters<Pay>[1];
  return {
    budget,
    pay: () => guarded(ORDER, context),
    find: () => guarded.find?.(ORDER, [signed], {} as never),
  };
}

describe('the money of a run', () => {
  it('is spent by a payment that was made', async () => {
    const { budget, pay } = walletOf('paid', { kind: 'unpaid' });
    await pay();
    expect(budget.summary()).toEqual(['Paid 0.004 USDC in 1 payment.']);
    await expect(pay()).rejects.toMatchObject({ code: 'price_too_high' });
  });

  it('is spent by a payment that failed, was found and so sent again, and paid', async () => {
    const { budget, pay, find } = walletOf('payment_failed', { kind: 'paid', signature: 'first' });
    await expect(pay()).rejects.toMatchObject({ code: 'payment_failed' });
    expect(budget.left()).toBe(PRICE);
    await find();
    expect(budget.left()).toBe(0n);
    expect(budget.summary()).toEqual(['Paid 0.004 USDC in 1 payment.']);
    await expect(pay()).rejects.toMatchObject({ code: 'price_too_high' });
  });

  it('counts as spent while its outcome is unknown, and says so', async () => {
    const { budget, pay, find } = walletOf('payment_unknown', {
      kind: 'unknown',
      detail: 'it is in no block yet',
    });
    await expect(pay()).rejects.toMatchObject({ code: 'payment_unknown' });
    await find();
    expect(budget.left()).toBe(0n);
    expect(budget.summary()).toEqual(['Of 0.004 USDC it is not known whether they were paid.']);
  });

  it('counts once where its payment was signed anew, because the first signing could no longer pay', async () => {
    const budget = createRunBudget(PRICE);
    const pay: Pay = async (_, { record }) => {
      for (const signature of ['first', 'second']) await record({ signature } as Attempt);
      throw new PayingError('payment_unknown', { detail: 'of its own' });
    };
    const context = { record: () => Promise.resolve() } as unknown as Parameters<Pay>[1];
    await expect(budget.guard(pay)(ORDER, context)).rejects.toMatchObject({ code: 'payment_unknown' });
    expect(budget.summary()).toEqual(['Of 0.004 USDC it is not known whether they were paid.']);
  });

  it('is there again once a payment is known not to have been made', async () => {
    const { budget, pay, find } = walletOf('payment_unknown', { kind: 'unpaid' });
    await expect(pay()).rejects.toMatchObject({ code: 'payment_unknown' });
    await find();
    expect(budget.left()).toBe(PRICE);
    expect(budget.summary()).toEqual([]);
  });
});
