// Puts the gate of gate.ts together and says which step asks whom. A payment is screened, taken (claims.ts), verified
// and bound.
import type { Chain } from './chain.ts';
import { createClaims } from './claims.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Facilitator } from './facilitator.ts';
import type { Bound, Claim, Gate, GateLog, GatePolicy, Proof, ReserveOptions } from './gate.ts';
import type { Ledger, PaymentKey, PaymentRecord, Purchase } from './ledger.ts';
import { createLookups } from './lookups.ts';
import type { AssetFacts, NetworkNames } from './network.ts';
import { encodeHeader, offerOf } from './offer.ts';
import { checkPolicy, MAX_LOOKUPS, MAX_WAITING, refuseLess, refuseWorthless } from './policy.ts';
import { readProof } from './proof.ts';
import { PaymentProblem } from './reasons.ts';
import { createScreening } from './screening.ts';
import { createSettlements } from './settlement.ts';
import { createVerification, isVerified } from './verification.ts';

/** The ports, the policy and the facts that a gate needs. */
export interface GateOptions {
  readonly chain: Chain;
  readonly ledger: Ledger;
  /** Completes what payers sign; without one, payers have to broadcast their payments themselves. */
  readonly facilitator?: Facilitator;
  readonly network: NetworkNames;
  readonly asset: AssetFacts;
  readonly policy: GatePolicy;
  /** Address of what is sold, for facilitators of x402 version 1. Default the pay-to address. */
  readonly resource?: string;
  readonly clock?: Clock;
  readonly log?: GateLog;
}

/**
 * Creates a gate.
 *
 * @throws RangeError naming every wrong number of the policy
 */
export function createGate(options: GateOptions): Gate {
  const { chain, ledger, facilitator, network, asset, policy, clock = systemClock } = options;
  checkPolicy(policy);
  const { waitMs, leaseMs } = policy;
  const terms = { rule: chain.rule, network, asset, binding: policy.binding };
  const lookups = createLookups({
    chain,
    clock,
    waitMs,
    maxAtOnce: policy.maxLookups ?? MAX_LOOKUPS,
    maxWaiting: policy.maxWaiting ?? MAX_WAITING,
  });
  const claims = createClaims({ ledger, clock, waitMs, leaseMs });
  const screen = createScreening({
    ledger,
    lookups,
    isOpen: (key) => claims.isOpen(key),
    refuseWorthless: (found) => refuseWorthless(found, policy, clock.now()),
  });
  const verification = createVerification({ ledger, claims, lookups, facilitator, policy, clock });
  const settlements =
    facilitator &&
    createSettlements({
      chain,
      ledger,
      facilitator,
      clock,
      waitMs,
      leaseMs,
      terms,
      resource: options.resource ?? `${network.caip2}:${chain.rule.payTo}`,
      log: options.log ?? (() => undefined),
    });

  async function known(proof: Proof): Promise<PaymentRecord | null> {
    if (proof.kind === 'signature') return ledger.get(proof.key);
    const partial = chain.readPartial(proof.transaction);
    const key = partial === null ? null : await ledger.settledAs(partial.intent);
    return key === null ? null : ledger.get(key);
  }

  async function reserve(
    proof: Proof,
    prices: readonly bigint[],
    signal: AbortSignal,
    { isPayer = false }: ReserveOptions = {},
  ): Promise<Claim> {
    if (proof.kind === 'signature') {
      const found = await screen(proof.key, isPayer, signal);
      const claim = await claims.take(proof.key, signal);
      return claim.kind === 'held' ? verification.found(claim, found) : claim;
    }
    if (settlements === undefined) throw new PaymentProblem('payment_malformed');
    const { key, payer, finding = null } = await settlements.settle(proof, prices, signal);
    const claim = await claims.take(key, signal);
    return claim.kind === 'held' ? verification.found({ ...claim, settled: { payer } }, finding) : claim;
  }

  async function bind(claim: Claim, purchase: Purchase): Promise<Bound> {
    if (claim.kind !== 'held') {
      if (claim.fingerprint !== purchase.fingerprint) throw new PaymentProblem('payment_already_used');
      return { kind: claim.kind === 'consumed' ? 'replay' : 'job', key: claim.key };
    }
    if (!isVerified(claim)) throw new TypeError('bind: the claim was never verified.');
    return claims.orGiveBack(claim, async () => {
      const { payment } = claim;
      refuseLess(payment, purchase.price);
      if (policy.binding !== 'off' && payment.memo !== undefined && payment.memo !== purchase.fingerprint) {
        throw new PaymentProblem('bound_to_another_request', { reusable: true });
      }
      const answer = await ledger.bind(claim.lease, purchase);
      if (answer === 'lost') throw new PaymentProblem('payment_in_progress');
      return { kind: 'run', claim };
    });
  }

  return {
    offer: (quote, request) => offerOf(quote, request, { ...terms, kinds: facilitator?.kinds() ?? [] }),
    parse: (headers) => readProof(headers, { chain, network, settles: facilitator !== undefined }),
    known,
    reserve,
    verify: (claim, atLeast, signal) => verification.verify(claim, atLeast, signal),
    bind,
    renew: (claim) => claims.renew(claim),
    release: (claim, reason) => claims.release(claim, reason),
    receipt: (transaction, payer) => receiptOf(transaction, payer, network),
  };
}

function receiptOf(transaction: PaymentKey, payer: string, network: NetworkNames): Record<string, string> {
  const receipt = (name: string): string =>
    encodeHeader({ success: true, transaction, network: name, payer });
  return {
    'PAYMENT-RESPONSE': receipt(network.caip2),
    'X-PAYMENT-RESPONSE': receipt(network.v1 ?? network.name),
  };
}
