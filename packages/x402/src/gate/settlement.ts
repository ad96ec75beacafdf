// From a signed transaction to its id on the chain. The intent is written before the facilitator is called, so that
// neither a crash nor a missing answer loses the payment: the next request with the same header searches the chain
// first.
//
//   intend ─ begun ──▶ verify ─▶ settle ─▶ on the chain? ─▶ settled
//      │                 │                               └ not yet: settlement_unknown, and the intent stays
//      │                 └ rejected: on the chain? ─▶ settled, else payment_refused and forgotten
//      └─ unknown: on the chain? ─▶ settle again, which cannot pay twice: it is the same transaction
//
// With an identifier (identifiers.ts) an earlier transaction of the same payer may have paid already.
import type { Chain, PartialPayment } from './chain.ts';
import { createIdentifiers, type IdentifiedTransaction, type Identifiers } from './identifiers.ts';
import type { Clock } from './clock.ts';
import type { Facilitator, Settlement } from './facilitator.ts';
import type { GateLog } from './gate.ts';
import type { Intent, IntentKey, Lease, Ledger, PaymentKey } from '../ledger/ledger.ts';
import { acceptsEntry, type OfferTerms } from './offer.ts';
import { PaymentProblem } from './reasons.ts';
import {
  createTransactionSearch,
  type SettledPayment,
  type SignedProof,
  type TransactionSearch,
  type UnknownIntent,
} from './transaction-search.ts';
import { createWaitQueues } from './wait-queue.ts';

/** The dependencies of {@link createSettlements}. */
export interface SettlementsDeps {
  readonly chain: Chain;
  readonly ledger: Ledger;
  readonly facilitator: Facilitator;
  readonly clock: Clock;
  /** The longest wait for a transaction on the chain, or for another request that settles it, in milliseconds. */
  readonly waitMs: number;
  readonly leaseMs: number;
  /** Time for which the service keeps an answer, in milliseconds. */
  readonly answerMs: number;
  readonly terms: Omit<OfferTerms, 'kinds'>;
  /** Address of the product; facilitators of version 1 require one. */
  readonly resource: string;
  readonly log: GateLog;
}

/** Has signed transactions settled by a facilitator; the drawing at the top of this file shows the steps. */
export interface Settlements {
  /**
   * Settles a transaction once, however many requests carry it. An aborted signal does not stop a settlement that has
   * begun.
   *
   * @throws PaymentProblem `amount_too_low`, `payment_refused`, `facilitator_unavailable`, `settlement_unknown`,
   *   `payment_in_progress`, `payment_malformed`, `payments_busy`, `chain_unavailable`
   */
  settle(proof: SignedProof, prices: readonly bigint[], signal: AbortSignal): Promise<SettledPayment>;
  /** The payment that the proof's identifier stands for, as far as it is recorded. Changes nothing. */
  findIdentified(proof: SignedProof, partial: PartialPayment): Promise<PaymentKey | null>;
}

type OpenIntent = Extract<Intent, { lease: Lease }>;
/** The parts that all settlements share. */
interface Shared extends Pick<SettlementsDeps, 'ledger' | 'facilitator' | 'clock' | 'waitMs' | 'log'> {
  readonly search: TransactionSearch;
  readonly open: OpenIntents;
  readonly identifiers: Identifiers;
  /** Wakes the requests that wait for the transaction. */
  readonly wake: (key: IntentKey) => void;
}

/** One signed transaction and its settlement. */
interface Transfer {
  readonly partial: PartialPayment;
  readonly settlement: Settlement;
  readonly identified: IdentifiedTransaction | undefined;
}

export function createSettlements(deps: SettlementsDeps): Settlements {
  const { chain, ledger, clock, waitMs, leaseMs } = deps;
  const open = createOpenIntents(clock);
  const queues = createWaitQueues<Exclude<Intent, { kind: 'held' }>>({
    clock,
    waitMs,
    createTimeout: () => new PaymentProblem('payment_in_progress'),
    async acquire(key) {
      const kept = open.take(key);
      if (kept !== undefined) return { kind: 'mine', value: kept };
      const intent = await ledger.beginIntent(key, leaseMs);
      if (intent.kind === 'held') return 'busy';
      return { kind: intent.kind === 'settled' ? 'all' : 'mine', value: intent };
    },
    release: (intent) => {
      if (intent.kind !== 'settled') open.keep(intent);
      return Promise.resolve();
    },
  });
  const search = createTransactionSearch({ chain, clock, waitMs });
  const wake = (key: IntentKey): void => queues.wake(key);
  const identifiers = createIdentifiers({
    ...deps,
    takeIntent: (key, signal) => queues.take(key, signal),
    wake,
    async search(intent, partial) {
      const found = await searchChain(intent, partial, shared, 0);
      if (found === 'unknown') return suspend(intent, shared, undefined);
      return found === 'expired' ? null : found;
    },
  });
  const shared: Shared = { ...deps, search, open, identifiers, wake };

  return {
    async settle(proof, prices, signal) {
      const partial = chain.readPartial(proof.transaction);
      if (partial === null) throw new PaymentProblem('payment_malformed');
      assertAmountOffered(partial.amount, prices);
      const settlement = await createSettlement(proof, partial, deps, signal);
      const identified = await identifiers.read(proof, partial);
      for (;;) {
        const earlier = identified === undefined ? null : await identifiers.find(identified, signal);
        if (earlier !== null) return earlier;
        const intent = await queues.take(partial.intent, signal);
        if (intent.kind === 'settled') return { key: intent.key, payer: partial.payer };
        try {
          const settled = await finish(intent, { partial, settlement, identified }, shared, signal);
          if (settled !== null) return settled;
        } finally {
          wake(partial.intent);
        }
      }
    },
    async findIdentified(proof, partial) {
      const identified = await identifiers.read(proof, partial);
      return identified === undefined ? null : identifiers.findSettled(identified);
    },
  };
}

/**
 * Finishes an intent: by its earlier outcome on the chain, or by settling it. Null when its identifier stands for
 * another transaction meanwhile; then the intent is ended.
 */
async function finish(
  intent: OpenIntent,
  transfer: Transfer,
  shared: Shared,
  signal: AbortSignal,
): Promise<SettledPayment | null> {
  const { lease } = intent;
  const { identified } = transfer;
  const sinceMs = intent.kind === 'unknown' ? intent.sinceMs : shared.clock.now();
  const unknown: UnknownIntent = { kind: 'unknown', lease, sinceMs };
  const earlier =
    intent.kind === 'begun'
      ? await verify(lease, transfer, shared, signal)
      : await findOnChain(unknown, transfer, shared, 0);
  if (earlier !== null) return earlier;
  if (identified !== undefined && !(await shared.identifiers.claim(identified))) {
    // It was never submitted with the identifier. One that was submitted without is found when it comes without again.
    await shared.ledger.endIntent(lease, null);
    return null;
  }
  return submit(unknown, transfer, shared);
}

/**
 * Has the facilitator verify the transaction; null when it would settle it. A facilitator also rejects a transaction
 * that is on the chain already, so a rejected one is searched there and returned if found.
 */
async function verify(
  lease: Lease,
  { partial, settlement }: Transfer,
  { ledger, facilitator, clock, search, wake }: Shared,
  signal: AbortSignal,
): Promise<SettledPayment | null> {
  let earlier: PaymentKey | null = null;
  let rejection: string | null;
  try {
    rejection = await facilitator.verify(settlement, signal);
    signal.throwIfAborted();
    if (rejection !== null) earlier = await search.findRejected(partial, signal);
  } catch (error) {
    await ledger.endIntent(lease, null);
    throw error;
  }
  if (earlier !== null) return conclude(lease, { key: earlier, payer: partial.payer }, ledger);
  if (rejection === null) return null;
  // Only the holder of the lease can settle, so the answer is 402 while the lease is ours. The release follows.
  const isOurs = clock.now() < lease.expiresMs;
  ledger.endIntent(lease, null).then(
    () => wake(lease.key),
    // The lease runs out by itself.
    () => undefined,
  );
  if (!isOurs) throw new PaymentProblem('payment_in_progress');
  throw new PaymentProblem('payment_refused', { detail: `It says: ${rejection}.` });
}

/** Has the facilitator settle. Only the chain proves the settlement. */
async function submit(intent: UnknownIntent, transfer: Transfer, shared: Shared): Promise<SettledPayment> {
  const { ledger, facilitator, search, waitMs, log } = shared;
  const { payer } = transfer.partial;
  const outcome = await facilitator.settle(transfer.settlement);
  const named = await search.findNamed(outcome);
  // The chain may name the facilitator as payer, because it pays the fee. Then the chain is searched, so that one
  // payer's signature never gets another one's payment.
  if (named?.finding.payer === payer) return conclude(intent.lease, { ...named, payer }, ledger);
  // A rejection is immediate; a transaction with any other outcome may still be on its way to a block.
  const forMs = outcome.kind === 'failed' ? 0 : waitMs;
  const settled = await findOnChain(intent, transfer, shared, forMs);
  if (settled !== null) return settled.key === named?.key ? { ...settled, ...named } : settled;
  log(
    'A settlement has no end yet',
    outcome.kind === 'settled' ? { named: outcome.transaction } : { ...outcome },
  );
  return suspend(intent, shared, outcome);
}

/** Searches the transaction on the chain; null when it is not there but may still come. */
async function findOnChain(
  intent: UnknownIntent,
  { partial }: Transfer,
  shared: Shared,
  forMs: number,
): Promise<SettledPayment | null> {
  const found = await searchChain(intent, partial, shared, forMs);
  if (found === 'unknown') return null;
  if (found !== 'expired') return found;
  await shared.ledger.endIntent(intent.lease, null);
  throw new PaymentProblem('payment_refused', { detail: 'The signed transaction is out of date.' });
}

/** Searches the transaction on the chain, and ends its intent when it is there. */
async function searchChain(
  intent: UnknownIntent,
  partial: PartialPayment,
  shared: Shared,
  forMs: number,
): Promise<SettledPayment | 'unknown' | 'expired'> {
  const { lease, sinceMs } = intent;
  const found = await shared.search
    .findWithin(partial, { sinceMs, forMs })
    .catch((cause: unknown) => suspend(intent, shared, cause));
  if (found.kind !== 'found') return found.kind;
  return conclude(lease, { key: found.key, payer: partial.payer }, shared.ledger);
}

async function conclude(
  lease: Lease,
  settled: SettledPayment,
  ledger: Pick<Ledger, 'endIntent'>,
): Promise<SettledPayment> {
  // A lost lease does no harm: its new holder finds the same transaction.
  await ledger.endIntent(lease, settled.key);
  return settled;
}

function suspend(intent: UnknownIntent, { open }: Pick<Shared, 'open'>, cause: unknown): never {
  open.keep(intent);
  throw new PaymentProblem('settlement_unknown', { cause });
}

/** Unfinished intents of this process. The next request with the same header continues them under their leases. */
interface OpenIntents {
  keep(intent: OpenIntent): void;
  /** Undefined without one, or when its lease has run out. */
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

/** The facilitator's input: the offer's entry for exactly the amount of the transaction. */
async function createSettlement(
  { version, payload }: SignedProof,
  { amount }: PartialPayment,
  { facilitator, terms, resource }: Pick<SettlementsDeps, 'facilitator' | 'terms' | 'resource'>,
  signal: AbortSignal,
): Promise<Settlement> {
  const known = facilitator.kinds();
  const kinds = known.length > 0 ? known : await facilitator.refresh(signal);
  const described = version === 1 ? { resource, description: '', mimeType: '' } : undefined;
  const requirements = acceptsEntry(version, amount, { ...terms, kinds }, described, feePayerIn(payload));
  if (requirements !== undefined) return { version, payload, requirements };
  throw new PaymentProblem('payment_refused', {
    detail: `It takes no payments of version ${version} here.`,
  });
}

/** Scheme `exact` of x402: the amount must equal one of the prices. */
function assertAmountOffered(amount: bigint, prices: readonly bigint[]): void {
  if (prices.includes(amount)) return;
  const detail = `The signed transaction transfers ${amount}, and prices here are ${prices.join(', ')}; nothing was settled.`;
  if (prices.every((price) => amount < price)) throw new PaymentProblem('amount_too_low', { detail });
  throw new PaymentProblem('payment_refused', { detail });
}

/** The fee payer in the signed transaction, if the payload repeats it (version 2). */
function feePayerIn(payload: unknown): string | undefined {
  const { accepted } = payload as { accepted?: { extra?: { feePayer?: unknown } | null } };
  const named = accepted?.extra?.feePayer;
  return typeof named === 'string' ? named : undefined;
}
