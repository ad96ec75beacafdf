// A chain in memory, written by the test: its transactions, their visibility, and its failures.
import type { Chain, Finding, PartialPayment } from '../src/gate/chain.ts';
import type { Clock } from '../src/gate/clock.ts';
import { PaymentProblem } from '../src/gate/reasons.ts';

export const PAY_TO = 'payTo1111';
export const ASSET = 'asset1111';

/** A transaction on the chain; visible from `seenMs` on. */
export interface FakeTransaction {
  readonly payer: string;
  readonly feePayer?: string;
  readonly credited: bigint;
  readonly memos: readonly string[];
  readonly timeMs: number;
  readonly seenMs: number;
  readonly failed?: boolean;
  /** The signed transaction behind it. */
  readonly intent?: string;
}

/** The signed content of the pull flow, before it is written as `transaction`. */
export interface FakePartial {
  readonly intent: string;
  readonly amount: string;
  readonly payer: string;
  readonly payTo: string;
  /** Time after which it can no longer be included. */
  readonly untilMs: number;
  /** False without the payer's signature. */
  readonly isSigned?: boolean;
}

export interface FakeChain extends Chain {
  readonly transactions: Map<string, FakeTransaction>;
  /** True makes every call fail. */
  outage: boolean;
  /** Counts of calls. */
  readonly calls: { find: number; findPartial: number };
  /** Adds a payment, visible at once by default. */
  readonly pay: (key: string, payment?: Partial<FakeTransaction>) => string;
}

export const signedText = (partial: FakePartial): string => btoa(JSON.stringify(partial));

/** The signature of an address over a message, as this chain takes it. */
export const fakeSignature = (address: string, message: string): string => `${address} signs ${message}`;

export function createFakeChain(clock: Clock): FakeChain {
  const transactions = new Map<string, FakeTransaction>();
  const seen = (key: string): Finding => {
    if (chain.outage) throw new PaymentProblem('chain_unavailable');
    const transaction = transactions.get(key);
    if (transaction === undefined || transaction.seenMs > clock.now()) return { kind: 'unknown' };
    if (transaction.failed === true) return { kind: 'failed' };
    const { payer, feePayer, credited, memos, timeMs } = transaction;
    return {
      kind: 'found',
      payer,
      ...(feePayer === undefined ? {} : { feePayer }),
      credited,
      memos,
      timeMs,
      slot: 7n,
    };
  };
  const chain: FakeChain = {
    rule: { payTo: PAY_TO, asset: ASSET },
    transactions,
    outage: false,
    calls: { find: 0, findPartial: 0 },
    pay(key, payment = {}) {
      const now = clock.now();
      transactions.set(key, {
        payer: 'alice',
        credited: 4_000n,
        memos: [],
        timeMs: now,
        seenMs: now,
        ...payment,
      });
      return key;
    },
    readKey(text) {
      const key = text.trim();
      return /^sig-[\w-]{1,80}$/.test(key) ? key : null;
    },
    readPartial(text): PartialPayment | null {
      try {
        const {
          intent,
          amount,
          payer,
          payTo,
          untilMs,
          isSigned = true,
        } = JSON.parse(atob(text)) as FakePartial;
        if (payTo !== PAY_TO) return null;
        const signature = isSigned ? 'signed' : '';
        return { intent, amount: BigInt(amount), payer, lifetime: String(untilMs), signature };
      } catch {
        return null;
      }
    },
    isSigned: ({ signature }) => Promise.resolve(signature !== ''),
    isMessageSigned: ({ address, message, signature }) =>
      Promise.resolve(signature === fakeSignature(address, message)),
    async find(key, { waitMs, signal }) {
      chain.calls.find++;
      await Promise.resolve();
      const untilMs = clock.now() + waitMs;
      for (;;) {
        const finding = seen(key);
        if (finding.kind !== 'unknown' || clock.now() >= untilMs) return finding;
        await clock.wait(Math.min(60, untilMs - clock.now()), signal);
        signal.throwIfAborted();
      }
    },
    async findPartial({ intent, lifetime }) {
      chain.calls.findPartial++;
      await Promise.resolve();
      if (chain.outage) throw new PaymentProblem('chain_unavailable');
      const included = [...transactions].find(([, transaction]) => transaction.intent === intent);
      if (included === undefined) return { kind: clock.now() > Number(lifetime) ? 'expired' : 'unknown' };
      const [key, { seenMs }] = included;
      return seenMs <= clock.now() ? { kind: 'found', key } : { kind: 'unknown' };
    },
    finality: (key) => Promise.resolve(transactions.has(key) ? 'finalized' : 'vanished'),
  };
  return chain;
}
