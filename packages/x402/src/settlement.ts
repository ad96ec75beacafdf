// From a signed transaction to the id under which it is on the chain. What is going to be settled is written down
// before the facilitator is asked, so that neither a crash nor an answer that never comes can lose the payment: the
// next request with the same header looks on the chain first.
//
//   intend ─ begun ──▶ verify ─▶ settle ─▶ on the chain? ─▶ settled
//      │                 │                               └ not yet: settlement_unknown, and the intent stays
//      │                 └ refused: on the chain? ─▶ settled, else payment_refused and forgotten
//      └─ unknown: on the chain? ─▶ settle again, which cannot pay twice: it is the same transaction
import type { Chain, Finding, PartialPayment } from './chain.ts';
import type { Clock } from './clock.ts';
import type { Facilitator, Settlement } from './facilitator.ts';
import type { GateLog, Proof } from './gate.ts';
import type { Intent, IntentKey, Lease, Ledger, PaymentKey } from './ledger.ts';
import { entry, type OfferTerms } from './offer.ts';
import { PaymentProblem } from './reasons.ts';
import { createKeyedQueue } from './keyed-queue.ts';
import { createTransactionSearch } from './transaction-search.ts';

/** A signed transaction, as a proof. */
export type SignedProof = Extract<Proof, { kind: 'transaction' }>;

/** A settled payment, with what the chain says of it if it was asked. */
export interface SettledPayment {
  readonly key: PaymentKey;
  /** Address of whoever gave the money. */
  readonly payer: string;
  readonly finding?: Extract<Finding, { kind: 'found' }>;
}

/** The ports and numbers that settling needs. */
export interface SettlementsOptions {
  readonly chain: Chain;
  readonly ledger: Ledger;
  readonly facilitator: Facilitator;
  readonly clock: Clock;
  /**
   * How long to look for a transaction on the chain, and to wait for another request that settles it, in milliseconds.
   */
  readonly waitMs: number;
  readonly leaseMs: number;
  readonly terms: Omit<OfferTerms, 'kinds'>;
  /** Address of what is sold, for version 1, whose facilitators want one. */
  readonly resource: string;
  readonly log: GateLog;
}

/** Has signed transactions settled by a facilitator; the steps are drawn at the top of this file. */
export interface Settlements {
  /**
   * Settles a transaction once, however many requests ask for it. What has begun is finished even when the signal is
   * aborted.
   *
   * @throws PaymentProblem `amount_too_low`, `payment_refused`, `facilitator_unavailable`, `settlement_unknown`,
   *   `payment_in_progress`, `payment_malformed`, `payments_busy`, `chain_unavailable`
   */
  settle(proof: SignedProof, prices: readonly bigint[], signal: AbortSignal): Promise<SettledPayment>;
}

type OpenIntent = Extract<Intent, { lease: Lease }>;
type UnknownIntent = Extract<Intent, { kind: 'unknown' }>;
type Turn = Exclude<Intent, { kind: 'held' }>;

export function createSettlements(options: SettlementsOptions): Settlements {
  const { chain, ledger, facilitator, clock, waitMs, leaseMs, log } = options;
  const search = createTransactionSearch({ chain, clock, waitMs });
  const open = createOpenIntents(clock);

  const queue = createKeyedQueue<Turn>({
    clock,
    waitMs,
    inVain: () => new PaymentProblem('payment_in_progress'),
    async ask(key) {
      const kept = open.take(key);
      if (kept !== undefined) return { kind: 'mine', value: kept };
      const intent = await ledger.intend(key, leaseMs);
      if (intent.kind === 'held') return 'later';
      return { kind: intent.kind === 'settled' ? 'all' : 'mine', value: intent };
    },
    giveBack: (turn) => {
      if (turn.kind !== 'settled') open.keep(turn);
      return Promise.resolve();
    },
  });

  return {
    async settle(proof, prices, signal) {
      const partial = chain.readPartial(proof.transaction);
      if (partial === null) throw new PaymentProblem('payment_malformed');
      refuseAmount(partial.amount, prices);
      const settlement = await settlementOf(proof, partial, options, signal);
      const turn = await queue.take(partial.intent, signal);
      if (turn.kind === 'settled') return { key: turn.key, payer: partial.payer };
      try {
        return await end(turn, partial, settlement, signal);
      } finally {
        queue.wake(partial.intent);
      }
    },
  };

  /** Finishes an intent: with what happened before, or by settling it. */
  async function end(
    turn: OpenIntent,
    partial: PartialPayment,
    settlement: Settlement,
    signal: AbortSignal,
  ): Promise<SettledPayment> {
    const sinceMs = turn.kind === 'unknown' ? turn.sinceMs : clock.now();
    const intent: UnknownIntent = { kind: 'unknown', lease: turn.lease, sinceMs };
    const before =
      turn.kind === 'begun'
        ? await refuseInvalid(turn.lease, partial, settlement, signal)
        : await look(intent, partial, 0);
    return before ?? submit(intent, partial, settlement);
  }

  /**
   * Asks the facilitator whether it would settle; null when it would. A facilitator also refuses what is on the chain
   * already, so a refusal alone does not mean that nothing was taken: if the payment is found there, it is returned.
   */
  async function refuseInvalid(
    lease: Lease,
    partial: PartialPayment,
    settlement: Settlement,
    signal: AbortSignal,
  ): Promise<SettledPayment | null> {
    let before: PaymentKey | null = null;
    let refusal: string | null;
    try {
      refusal = await facilitator.verify(settlement, signal);
      signal.throwIfAborted();
      if (refusal !== null) before = await search.findRefused(partial, signal);
    } catch (error) {
      await ledger.settled(lease, null);
      throw error;
    }
    if (before !== null) return conclude(lease, { key: before, payer: partial.payer });
    if (refusal === null) return null;
    // Only the holder of the lease can settle, so 402 is said while the lease is ours, and the payment is given back
    // afterwards.
    const isOurs = clock.now() < lease.expiresMs;
    ledger.settled(lease, null).then(
      () => queue.wake(lease.key),
      // The lease runs out by itself.
      () => undefined,
    );
    if (!isOurs) throw new PaymentProblem('payment_in_progress');
    throw new PaymentProblem('payment_refused', { detail: `It says: ${refusal}.` });
  }

  /** Has the facilitator settle, but believes only the chain. */
  async function submit(
    intent: UnknownIntent,
    partial: PartialPayment,
    settlement: Settlement,
  ): Promise<SettledPayment> {
    const { payer } = partial;
    const outcome = await facilitator.settle(settlement);
    const named = await search.findNamed(outcome);
    if (named?.finding.payer === payer) return conclude(intent.lease, { ...named, payer });
    // A refusal comes at once; whatever else there is may still be on its way to a block.
    const settled = await look(intent, partial, outcome.kind === 'failed' ? 0 : waitMs);
    if (settled !== null) return settled.key === named?.key ? { ...settled, ...named } : settled;
    log(
      'A settlement has no end yet',
      outcome.kind === 'settled' ? { named: outcome.transaction } : { ...outcome },
    );
    return giveUp(intent, outcome);
  }

  /** Looks for the transaction on the chain; null when it is not there but may still come. */
  async function look(
    intent: UnknownIntent,
    partial: PartialPayment,
    forMs: number,
  ): Promise<SettledPayment | null> {
    const { lease, sinceMs } = intent;
    const place = await search
      .findWithin(partial, { sinceMs, forMs })
      .catch((cause: unknown) => giveUp(intent, cause));
    if (place.kind === 'found') return conclude(lease, { key: place.key, payer: partial.payer });
    if (place.kind === 'unknown') return null;
    await ledger.settled(lease, null);
    throw new PaymentProblem('payment_refused', { detail: 'The signed transaction is out of date.' });
  }

  async function conclude(lease: Lease, settled: SettledPayment): Promise<SettledPayment> {
    // Losing the lease is no harm: whoever has it finds the same transaction.
    await ledger.settled(lease, settled.key);
    return settled;
  }

  function giveUp(intent: UnknownIntent, cause: unknown): never {
    open.keep(intent);
    throw new PaymentProblem('settlement_unknown', { cause });
  }
}

/**
 * Intents that this process began and could not finish. The next request with the same header continues them, under
 * their leases.
 */
interface OpenIntents {
  keep(intent: OpenIntent): void;
  /** Undefined when there is none, or its lease has run out. */
  take(key: IntentKey): UnknownIntent | undefined;
}

function createOpenIntents(clock: Clock): OpenIntents {
  const intents = new Map<IntentKey, UnknownIntent>();
  return {
    keep(intent) {
      const now = clock.now();
      for (const [key, { lease }] of intents) if (lease.expiresMs <= now) intents.delete(key);
      const sinceMs = intent.kind === 'unknown' ? intent.sinceMs : now;
      intents.set(intent.lease.key, { kind: 'unknown', lease: intent.lease, sinceMs });
    },
    take(key) {
      const kept = intents.get(key);
      intents.delete(key);
      return kept !== undefined && kept.lease.expiresMs > clock.now() ? kept : undefined;
    },
  };
}

/** What the facilitator is given: the offer's entry for exactly the amount that the transaction transfers. */
async function settlementOf(
  { version, payload }: SignedProof,
  { amount }: PartialPayment,
  { facilitator, terms, resource }: Pick<SettlementsOptions, 'facilitator' | 'terms' | 'resource'>,
  signal: AbortSignal,
): Promise<Settlement> {
  const known = facilitator.kinds();
  const kinds = known.length > 0 ? known : await facilitator.refresh(signal);
  const described = version === 1 ? { resource, description: '', mimeType: '' } : undefined;
  const requirements = entry(version, amount, { ...terms, kinds }, described, feePayerIn(payload));
  if (requirements !== undefined) return { version, payload, requirements };
  throw new PaymentProblem('payment_refused', {
    detail: `It takes no payments of version ${version} here.`,
  });
}

/** Refuses an amount that is not exactly one of the prices, as x402's scheme `exact` has it. */
function refuseAmount(amount: bigint, prices: readonly bigint[]): void {
  if (prices.includes(amount)) return;
  const detail = `The signed transaction transfers ${amount}, and prices here are ${prices.join(', ')}; nothing was settled.`;
  if (prices.every((price) => amount < price)) throw new PaymentProblem('amount_too_low', { detail });
  throw new PaymentProblem('payment_refused', { detail });
}

/**
 * The fee payer that the payer signed for. Version 2 repeats it in the payload; otherwise the facilitator knows its
 * own.
 */
function feePayerIn(payload: unknown): string | undefined {
  const { accepted } = payload as { accepted?: { extra?: { feePayer?: unknown } | null } };
  const named = accepted?.extra?.feePayer;
  return typeof named === 'string' ? named : undefined;
}
