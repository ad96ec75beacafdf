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
import type { Facilitator, SettleOutcome, Settlement } from './facilitator.ts';
import type { GateLog, Proof } from './gate.ts';
import type { Intent, IntentKey, Lease, Ledger, PaymentKey } from './ledger.ts';
import { entry, type OfferTerms } from './offer.ts';
import { PaymentProblem } from './reasons.ts';
import { createTurns } from './turns.ts';

/** A signed transaction, as a proof. */
export type SignedProof = Extract<Proof, { kind: 'transaction' }>;

/** A settled payment; with what the chain said of it, when it was asked. */
export interface SettledPayment {
  readonly key: PaymentKey;
  /** Who gives the money. */
  readonly payer: string;
  readonly finding?: Extract<Finding, { kind: 'found' }>;
}

/** What settling needs. */
export interface SettlementsOptions {
  readonly chain: Chain;
  readonly ledger: Ledger;
  readonly facilitator: Facilitator;
  readonly clock: Clock;
  /** How long to look for a transaction on the chain, and to wait for another request that settles it. */
  readonly waitMs: number;
  readonly leaseMs: number;
  readonly terms: Omit<OfferTerms, 'kinds'>;
  /** Address of what is sold, for version 1, whose facilitators want one. */
  readonly resource: string;
  readonly log: GateLog;
}

/** See the top of this file. */
export interface Settlements {
  /**
   * Settles once, whoever else asks for it. What has begun is brought to its end even when the signal is aborted.
   *
   * @throws PaymentProblem `amount_too_low`, `payment_refused`, `facilitator_unavailable`, `settlement_unknown`,
   *   `payment_in_progress`, `payment_malformed`, `payments_busy`, `chain_unavailable`
   */
  settle(proof: SignedProof, prices: readonly bigint[], signal: AbortSignal): Promise<SettledPayment>;
}

type NamedPayment = Required<Pick<SettledPayment, 'key' | 'finding'>>;
type OpenIntent = Extract<Intent, { lease: Lease }>;
type Turn = Exclude<Intent, { kind: 'held' }>;

/**
 * Refusals whose transactions are looked for at the same time. Such a look may read many transactions of the payer, and
 * is for the few whose facilitator refuses what has happened; the next one is told that the service is busy.
 */
const MAX_DOUBTS = 8;
/** Between two looks on the chain, doubled each time. */
const FIRST_LOOK_MS = 250;
const LONGEST_LOOK_MS = 2_000;

export function createSettlements(options: SettlementsOptions): Settlements {
  const { chain, ledger, facilitator, clock, waitMs, leaseMs, terms, resource, log } = options;
  /** Intents that this process began and could not end: it goes on with them under the leases it has. */
  const open = new Map<IntentKey, Extract<Intent, { kind: 'unknown' }>>();
  /** Refusals that are being looked into. */
  let doubts = 0;

  const turns = createTurns<Turn>({
    clock,
    waitMs,
    inVain: () => new PaymentProblem('payment_in_progress'),
    async ask(key) {
      const kept = open.get(key);
      open.delete(key);
      if (kept !== undefined && kept.lease.expiresMs > clock.now()) return { kind: 'mine', value: kept };
      const intent = await ledger.intend(key, leaseMs);
      if (intent.kind === 'held') return 'later';
      return { kind: intent.kind === 'settled' ? 'all' : 'mine', value: intent };
    },
    giveBack: (turn) => (turn.kind === 'settled' ? Promise.resolve() : leaveOpen(turn)),
  });

  return {
    async settle(proof, prices, signal) {
      const partial = chain.readPartial(proof.transaction);
      if (partial === null) throw new PaymentProblem('payment_malformed');
      refuseAmount(partial.amount, prices);
      const settlement = await settlementOf(proof, partial, signal);
      const turn = await turns.take(partial.intent, signal);
      const { payer } = partial;
      if (turn.kind === 'settled') return { key: turn.key, payer };
      try {
        return await end(turn, partial, settlement, signal);
      } finally {
        turns.wake(partial.intent);
      }
    },
  };

  /** What the facilitator is told: the offer's entry for just what the transaction transfers. */
  async function settlementOf(
    { version, payload }: SignedProof,
    { amount }: PartialPayment,
    signal: AbortSignal,
  ): Promise<Settlement> {
    const known = facilitator.kinds();
    const kinds = known.length > 0 ? known : await facilitator.refresh(signal);
    const described = { resource, description: '', mimeType: '' };
    const requirements = entry(
      version,
      amount,
      { ...terms, kinds },
      version === 1 ? described : undefined,
      feePayerIn(payload),
    );
    if (requirements !== undefined) return { version, payload, requirements };
    throw new PaymentProblem('payment_refused', {
      detail: `It takes no payments of version ${version} here.`,
    });
  }

  async function end(
    turn: OpenIntent,
    partial: PartialPayment,
    settlement: Settlement,
    signal: AbortSignal,
  ): Promise<SettledPayment> {
    const sinceMs = turn.kind === 'unknown' ? turn.sinceMs : clock.now();
    if (turn.kind === 'begun') {
      const before = await refuseInvalid(turn.lease, partial, settlement, signal);
      if (before !== null) return before;
    } else {
      const settled = await look({ kind: 'unknown', lease: turn.lease, sinceMs }, partial, 0);
      if (settled !== null) return settled;
    }
    const intent = { kind: 'unknown', lease: turn.lease, sinceMs } as const;
    const outcome = await facilitator.settle(settlement);
    const named = await lookUpNamed(outcome);
    if (named?.finding.payer === partial.payer)
      return conclude(turn.lease, { ...named, payer: partial.payer });
    // A refusal comes at once; whatever else there is may still be on its way to a block.
    const settled = await look(intent, partial, outcome.kind === 'failed' ? 0 : waitMs);
    if (settled !== null) return settled.key === named?.key ? { ...settled, ...named } : settled;
    log(
      'A settlement has no end yet',
      outcome.kind === 'settled' ? { named: outcome.transaction } : { ...outcome },
    );
    return giveUp(intent, outcome);
  }

  /**
   * Asks whether the facilitator would settle; null when it would. It refuses as well what is on the chain already, so
   * that a refusal alone does not say that nothing was taken: then the payment is the one found there.
   */
  async function refuseInvalid(
    lease: Lease,
    partial: PartialPayment,
    settlement: Settlement,
    signal: AbortSignal,
  ): Promise<SettledPayment | null> {
    let before: SettledPayment | null = null;
    let refusal: string | null;
    try {
      refusal = await facilitator.verify(settlement, signal);
      signal.throwIfAborted();
      if (refusal !== null) before = await settledBefore(partial, signal);
    } catch (error) {
      await ledger.settled(lease, null);
      throw error;
    }
    if (before !== null) return conclude(lease, before);
    if (refusal === null) return null;
    // Who has the lease alone can settle, so that 402 is said while it is ours, and it is given back after that.
    const isOurs = clock.now() < lease.expiresMs;
    ledger.settled(lease, null).then(
      () => turns.wake(lease.key),
      // It runs out by itself.
      () => undefined,
    );
    if (!isOurs) throw new PaymentProblem('payment_in_progress');
    throw new PaymentProblem('payment_refused', { detail: `It says: ${refusal}.` });
  }

  /**
   * A refused payment that is on the chain all the same: it was settled where nothing is known of it here, or another
   * request took the lease over. Older ones than a signed transaction lives are not looked for.
   *
   * @throws PaymentProblem `payments_busy`, `chain_unavailable`
   */
  async function settledBefore(partial: PartialPayment, signal: AbortSignal): Promise<SettledPayment | null> {
    // What its payer has not signed nobody can have settled; to name a payer who is busy costs nothing.
    if (!(await chain.isSigned(partial))) return null;
    if (doubts >= MAX_DOUBTS) throw new PaymentProblem('payments_busy');
    doubts++;
    try {
      const place = await chain.findPartial(partial, { sinceMs: clock.now(), signal });
      return place.kind === 'found' ? { key: place.key, payer: partial.payer } : null;
    } finally {
      doubts--;
    }
  }

  /**
   * The payment that the facilitator says it made, if it is one. It is the payer's when the payer gave the money; who
   * gave it may be the facilitator too, as payer of the fee, and then the chain has to be searched for it, lest one
   * payer's signature be answered with another one's payment.
   */
  async function lookUpNamed(outcome: SettleOutcome): Promise<NamedPayment | null> {
    const key = outcome.kind === 'settled' ? chain.readKey(outcome.transaction) : null;
    if (key === null) return null;
    try {
      const finding = await chain.find(key, { waitMs, alone: true, signal: NEVER });
      return finding.kind === 'found' ? { key, finding } : null;
    } catch {
      return null;
    }
  }

  /** Looks for the transaction on the chain; null when it is not there, and may still come. */
  async function look(
    intent: Extract<Intent, { kind: 'unknown' }>,
    partial: PartialPayment,
    forMs: number,
  ): Promise<SettledPayment | null> {
    const untilMs = clock.now() + forMs;
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_LOOK_MS)) {
      const place = await findPartial(intent, partial);
      if (place.kind === 'found') return conclude(intent.lease, { key: place.key, payer: partial.payer });
      if (place.kind === 'expired') {
        await ledger.settled(intent.lease, null);
        throw new PaymentProblem('payment_refused', { detail: 'The signed transaction is out of date.' });
      }
      const leftMs = untilMs - clock.now();
      if (leftMs <= 0) return null;
      await clock.wait(Math.min(pauseMs, leftMs), NEVER);
    }
  }

  async function findPartial(
    intent: Extract<Intent, { kind: 'unknown' }>,
    partial: PartialPayment,
  ): ReturnType<Chain['findPartial']> {
    try {
      return await chain.findPartial(partial, { sinceMs: intent.sinceMs, signal: NEVER });
    } catch (cause) {
      return giveUp(intent, cause);
    }
  }

  async function conclude(lease: Lease, settled: SettledPayment): Promise<SettledPayment> {
    // A lost lease is no harm: whoever has it finds the same transaction.
    await ledger.settled(lease, settled.key);
    return settled;
  }

  function giveUp(intent: Extract<Intent, { kind: 'unknown' }>, cause: unknown): never {
    void leaveOpen(intent);
    throw new PaymentProblem('settlement_unknown', { cause });
  }

  /** Keeps an intent that has no end, for the next request with the same header. */
  function leaveOpen(turn: OpenIntent): Promise<void> {
    const now = clock.now();
    for (const [key, { lease }] of open) if (lease.expiresMs <= now) open.delete(key);
    const sinceMs = turn.kind === 'unknown' ? turn.sinceMs : now;
    open.set(turn.lease.key, { kind: 'unknown', lease: turn.lease, sinceMs });
    return Promise.resolve();
  }
}

/** What has begun is brought to its end. */
const NEVER = new AbortController().signal;

/** One that pays `exact`: not a unit more or less than something costs. */
function refuseAmount(amount: bigint, prices: readonly bigint[]): void {
  if (prices.includes(amount)) return;
  const detail = `The signed transaction transfers ${amount}, and prices here are ${prices.join(', ')}; nothing was settled.`;
  if (prices.every((price) => amount < price)) throw new PaymentProblem('amount_too_low', { detail });
  throw new PaymentProblem('payment_refused', { detail });
}

/** The fee payer that the payer signed for: version 2 repeats it, and the facilitator knows its own. */
function feePayerIn(payload: unknown): string | undefined {
  const { accepted } = payload as { accepted?: { extra?: { feePayer?: unknown } | null } };
  const named = accepted?.extra?.feePayer;
  return typeof named === 'string' ? named : undefined;
}
