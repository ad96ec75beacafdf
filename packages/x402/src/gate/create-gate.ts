// Assembles the gate of gate.ts from its ports. A payment is reserved (reservations.ts), verified (verification.ts) and
// bound.
import { assertBoundTo } from './bound.ts';
import type { Chain } from './chain.ts';
import { createReservations } from './reservations.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Facilitator } from './facilitator.ts';
import type { BindResult, ReservedPayment, Gate, GateLog, GatePolicy, Proof } from './gate.ts';
import type { Ledger, PaymentKey, PaymentRecord, Purchase } from '../ledger/ledger.ts';
import { createLookups } from './lookups.ts';
import type { AssetFacts, NetworkNames } from './network.ts';
import { encodeHeader, type OfferTerms, writeOffer } from './offer.ts';
import { checkPolicy, MAX_LOOKUPS, MAX_WAITING, assertPriceCovered } from './policy.ts';
import { readProof } from './proof.ts';
import { PaymentProblem } from './reasons.ts';
import { createSettlements } from './settlement.ts';
import { createVerification, isVerified } from './verification.ts';

/** The ports, the policy and the constants of a gate. */
export interface GateOptions {
  readonly chain: Chain;
  readonly ledger: Ledger;
  /** Completes the transactions that payers sign; without it, payers broadcast their payments themselves. */
  readonly facilitator?: Facilitator | undefined;
  readonly network: NetworkNames;
  readonly asset: AssetFacts;
  readonly policy: GatePolicy;
  /** Address of the product, for facilitators of x402 version 1. Default the pay-to address. */
  readonly resource?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: GateLog | undefined;
}

/**
 * Creates a gate.
 *
 * @throws RangeError that lists every wrong number of the policy
 */
export function createGate(options: GateOptions): Gate {
  const { chain, ledger, facilitator, network, asset, policy } = options;
  checkPolicy(policy);
  const terms = { rule: chain.rule, network, asset, binding: policy.binding };
  const { reservations, verification, settlements } = createSteps(options, terms);

  async function findRecord(proof: Proof): Promise<PaymentRecord | null> {
    if (proof.kind === 'signature') return ledger.get(proof.key);
    const partial = chain.readPartial(proof.transaction);
    if (partial === null) return null;
    const settled = await ledger.settledPayment(partial.intent);
    const key = settled ?? (await settlements?.findIdentified(proof, partial)) ?? null;
    return key === null ? null : ledger.get(key);
  }

  async function reserve(
    proof: Proof,
    prices: readonly bigint[],
    signal: AbortSignal,
  ): Promise<ReservedPayment> {
    if (proof.kind === 'signature') {
      const reserved = await reservations.take(proof.key, signal);
      const { binding } = proof;
      const isRead = reserved.kind === 'held' && policy.binding === 'require' && binding !== undefined;
      return isRead ? { ...reserved, binding } : reserved;
    }
    if (settlements === undefined) throw new PaymentProblem('payment_malformed');
    const { key, payer, finding } = await settlements.settle(proof, prices, signal);
    const isIdentified = proof.identifier !== undefined;
    const reserved = { ...(await reservations.take(key, signal)), isIdentified };
    return reserved.kind === 'held'
      ? verification.settled({ ...reserved, settled: { payer } }, finding)
      : reserved;
  }

  async function bind(reserved: ReservedPayment, purchase: Purchase): Promise<BindResult> {
    if (reserved.kind !== 'held') {
      if (reserved.fingerprint !== purchase.fingerprint)
        throw new PaymentProblem(
          reserved.isIdentified === true ? 'identifier_already_used' : 'payment_already_used',
        );
      return { kind: reserved.kind === 'consumed' ? 'replay' : 'job', key: reserved.key };
    }
    if (!isVerified(reserved)) throw new TypeError('bind: the payment was never verified.');
    return reservations.releaseOnError(reserved, async () => {
      assertPriceCovered(reserved.payment, purchase.price);
      await assertBoundTo(reserved, purchase.fingerprint, { chain, binding: policy.binding });
      const answer = await ledger.bind(reserved.lease, purchase);
      if (answer === 'lost') throw new PaymentProblem('payment_in_progress');
      return { kind: 'run', leased: reserved };
    });
  }

  return {
    offer: (quote, request) => writeOffer(quote, request, { ...terms, kinds: facilitator?.kinds() ?? [] }),
    parse: (headers) => readProof(headers, { chain, network, settles: facilitator !== undefined }),
    findRecord,
    reserve,
    verify: (reserved, atLeast, signal) => verification.verify(reserved, atLeast, signal),
    bind,
    renew: (reserved) => reservations.renew(reserved),
    release: (reserved, reason) => reservations.release(reserved, reason),
    receipt: (transaction, payer, signed) => writeReceipt({ transaction, payer }, signed, network),
    currency: { network: network.caip2, asset: chain.rule.asset },
  };
}

/** The steps of a payment, each with the ports that it needs. There are no settlements without a facilitator. */
function createSteps(options: GateOptions, terms: Omit<OfferTerms, 'kinds'>) {
  const { chain, ledger, facilitator, network, policy, clock = systemClock } = options;
  const { waitMs, leaseMs } = policy;
  const lookups = createLookups({
    chain,
    clock,
    waitMs,
    maxLookups: policy.maxLookups ?? MAX_LOOKUPS,
    maxWaiting: policy.maxWaiting ?? MAX_WAITING,
  });
  const reservations = createReservations({ ledger, clock, waitMs, leaseMs });
  const verification = createVerification({ ledger, reservations, lookups, facilitator, policy, clock });
  const settlements =
    facilitator &&
    createSettlements({
      chain,
      ledger,
      facilitator,
      clock,
      waitMs,
      leaseMs,
      answerMs: policy.answerMs ?? Infinity,
      terms,
      resource: options.resource ?? `${network.caip2}:${chain.rule.payTo}`,
      log: options.log ?? (() => undefined),
    });
  return { reservations, verification, settlements };
}

/** The answer headers of x402. Version 1 has no extensions. */
function writeReceipt(
  payment: { readonly transaction: PaymentKey; readonly payer: string },
  signed: string | undefined,
  network: NetworkNames,
): Record<string, string> {
  const receipt = { success: true, ...payment };
  const extension = { 'offer-receipt': { info: { receipt: { format: 'jws', signature: signed } } } };
  const extensions = signed === undefined ? undefined : extension;
  return {
    'PAYMENT-RESPONSE': encodeHeader({ ...receipt, network: network.caip2, extensions }),
    'X-PAYMENT-RESPONSE': encodeHeader({ ...receipt, network: network.v1 ?? network.name }),
  };
}
