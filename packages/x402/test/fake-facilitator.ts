// A facilitator that fails at any point: before its broadcast, after it, or by a false report. It stands behind
// `fetch`, so that the tests cover the wire format of the facilitator's client.
import type { Clock } from '../src/gate/clock.ts';
import type { FakeChain, FakePartial } from './fake-chain.ts';

/** The behaviour at a settlement. */
export type FacilitatorBehaviour =
  | 'honest'
  /** Rejects at `/verify`. */
  | 'refuses'
  /** Is unreachable. */
  | 'gone'
  /** Answers 500 or breaks off, without a broadcast. */
  | 'dies before'
  /** Broadcasts, and breaks off. */
  | 'dies after'
  | 'says 500 after'
  /** Broadcasts, and reports a failure. */
  | 'says failed after'
  /** Reports a settlement without a broadcast. */
  | 'names nothing'
  /** Broadcasts nothing, and names another payer's payment. */
  | 'names another';

export interface FakeFacilitator {
  behaviour: FacilitatorBehaviour;
  /** Delay until its broadcasts are visible. */
  seenAfterMs: number;
  /** Duration of the next `/verify`. */
  slowMs: number;
  readonly calls: { supported: number; verify: number; settle: number };
  /** Count of broadcasts. */
  broadcast: number;
  /** The last requirements that it received. */
  requirements: Readonly<Record<string, unknown>>;
  /** The payloads that it received, by call. */
  readonly payloads: { verify?: object; settle?: object };
  readonly fetch: typeof fetch;
}

export const FEE_PAYER = 'feePayer1111';
const KINDS = [
  {
    x402Version: 2,
    scheme: 'exact',
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    extra: { feePayer: FEE_PAYER },
  },
  { x402Version: 1, scheme: 'exact', network: 'solana', extra: { feePayer: FEE_PAYER } },
];

interface FacilitatorCall {
  readonly x402Version: number;
  readonly paymentPayload: {
    readonly x402Version: number;
    readonly payload: { readonly transaction: string };
  };
  readonly paymentRequirements: Readonly<Record<string, unknown>>;
}

export function createFakeFacilitator(chain: FakeChain, clock: Clock): FakeFacilitator {
  const fake: FakeFacilitator = {
    behaviour: 'honest',
    seenAfterMs: 0,
    slowMs: 0,
    calls: { supported: 0, verify: 0, settle: 0 },
    broadcast: 0,
    requirements: {},
    payloads: {},
    fetch: async (input, init) => {
      await Promise.resolve();
      const path = (input as string).replace('https://facilitator.example/', '') as keyof typeof fake.calls;
      fake.calls[path]++;
      if (fake.behaviour === 'gone') throw new TypeError('fetch failed');
      if (path === 'supported') return Response.json({ kinds: KINDS, signers: { 'solana:*': [FEE_PAYER] } });
      const question = JSON.parse(init?.body as string) as FacilitatorCall;
      fake.requirements = question.paymentRequirements;
      fake.payloads[path] = question.paymentPayload;
      if (path === 'settle') return settle(question);
      const { slowMs } = fake;
      fake.slowMs = 0;
      if (slowMs > 0) await clock.wait(slowMs, new AbortController().signal);
      return verify(question);
    },
  };

  const signedBy = ({ paymentPayload }: FacilitatorCall): FakePartial =>
    JSON.parse(atob(paymentPayload.payload.transaction)) as FakePartial;

  function verify(question: FacilitatorCall): Response {
    const partial = signedBy(question);
    const { amount, maxAmountRequired } = question.paymentRequirements;
    const refusal = ((): string | null => {
      if (fake.behaviour === 'refuses') return 'insufficient_funds';
      if (question.x402Version !== question.paymentPayload.x402Version) return 'invalid_x402_version';
      if ((amount ?? maxAmountRequired) !== partial.amount)
        return 'invalid_exact_svm_payload_amount_mismatch';
      if (isIncluded(partial) || clock.now() > partial.untilMs) return 'transaction_simulation_failed';
      return null;
    })();
    return Response.json(refusal === null ? { isValid: true } : { isValid: false, invalidReason: refusal });
  }

  const isIncluded = ({ intent }: FakePartial): boolean =>
    [...chain.transactions.values()].some((transaction) => transaction.intent === intent);

  function settle(question: FacilitatorCall): Response {
    const partial = signedBy(question);
    const failed = (errorReason: string): Response =>
      Response.json({ success: false, errorReason, transaction: '' });
    if (isIncluded(partial)) return failed('duplicate_settlement');
    if (clock.now() > partial.untilMs) return failed('transaction_simulation_failed');
    const settled = (transaction: string): Response =>
      Response.json({ success: true, transaction, network: 'any' });
    switch (fake.behaviour) {
      case 'dies before':
        return new Response('Bad Gateway', { status: 502 });
      case 'names nothing':
        return settled('sig-nothing');
      case 'names another':
        return settled('sig-another');
      default:
    }
    const key = broadcast(partial);
    switch (fake.behaviour) {
      case 'dies after':
        throw new TypeError('other side closed');
      case 'says 500 after':
        return Response.json({ error: 'internal' }, { status: 500 });
      case 'says failed after':
        return failed('transaction_failed');
      default:
        return settled(key);
    }
  }

  function broadcast({ intent, amount }: FakePartial): string {
    fake.broadcast++;
    return chain.pay(`sig-of-${intent}`, {
      // Some chains name the payer of the fee.
      payer: FEE_PAYER,
      credited: BigInt(amount),
      intent,
      seenMs: clock.now() + fake.seenAfterMs,
    });
  }

  return fake;
}
