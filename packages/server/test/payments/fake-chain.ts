// A chain as a script: payments that it has been told of, and faults. What real transactions come to is tested where
// they are read; here it matters what the service makes of a finding.
import type { Chain, Finding, FoundPayment, PaymentKey } from '@grainline/x402';
import { memoOf, type PaymentProblem } from '@grainline/x402';

export const PAY_TO = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
export const PAYER = '7YWHMfk9JZe0LM0g1ZauHuiSxhI9U1n5UJx5iEGzFzQq';

export interface FakeChain extends Chain {
  /** How often it was asked for a payment. */
  readonly lookups: PaymentKey[];
  /** Makes a payment and returns its key; undefined details are those of a good one. */
  pay(amount: bigint, details?: PaymentDetails): PaymentKey;
  /** A key that the chain does not know. */
  invent(): PaymentKey;
  /** Sets the answer for a key. */
  say(key: PaymentKey, finding: Finding): void;
  /** Makes every call fail with a problem; null ends the outage. */
  breakDown(problem: PaymentProblem | null): void;
  /** While it is there, questions wait for it. */
  hold: Promise<unknown> | null;
}

export interface PaymentDetails extends Partial<Pick<FoundPayment, 'payer' | 'timeMs' | 'memos'>> {
  /** Fingerprint of the request that the memo names. */
  readonly boundTo?: string;
}

const KEY = /^[1-9A-HJ-NP-Za-km-z]{87,88}$/;
const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The signature of an address over a message, as this chain takes it. */
export const fakeSignature = (address: string, message: string): string => `${address} signs ${message}`;

export function fakeChain(now: () => number): FakeChain {
  const findings = new Map<PaymentKey, Finding>();
  const lookups: PaymentKey[] = [];
  let broken: PaymentProblem | null = null;
  let made = 0;
  const invent = (): PaymentKey => {
    made += 1;
    const tail = [58 ** 3, 58 ** 2, 58, 1].map((unit) => DIGITS[Math.floor(made / unit) % 58] ?? '1');
    return `5${'x'.repeat(82)}${tail.join('')}`;
  };
  const chain: FakeChain = {
    rule: { payTo: PAY_TO, asset: USDC },
    lookups,
    hold: null,
    invent,
    pay(amount, { payer = PAYER, timeMs = now() - 5000, memos, boundTo } = {}) {
      const key = invent();
      const named = memos ?? (boundTo === undefined ? [] : [memoOf(boundTo)]);
      findings.set(key, { kind: 'found', payer, credited: amount, slot: 7n, memos: named, timeMs });
      return key;
    },
    say: (key, finding) => void findings.set(key, finding),
    breakDown(problem) {
      broken = problem;
    },
    readKey: (text) => (KEY.test(text.trim()) ? text.trim() : null),
    readPartial: () => null,
    async find(key, { signal }) {
      lookups.push(key);
      await chain.hold;
      signal.throwIfAborted();
      if (broken !== null) throw broken;
      return findings.get(key) ?? { kind: 'unknown' };
    },
    isSigned: () => Promise.resolve(true),
    isMessageSigned: ({ address, message, signature }) =>
      Promise.resolve(signature === fakeSignature(address, message)),
    findPartial: () => Promise.resolve({ kind: 'unknown' }),
    finality: (key) => Promise.resolve(findings.has(key) ? 'finalized' : 'vanished'),
  };
  return chain;
}
