// Verifies a payment once, while a request holds it: what the chain says of it is judged by the policy and recorded.
// Later uses ask neither for its age nor the chain.
import { fingerprintIn } from './binding.ts';
import type { FoundPayment } from './chain.ts';
import type { Claims } from './claims.ts';
import type { Clock } from './clock.ts';
import type { Facilitator } from './facilitator.ts';
import type { Claim, GatePolicy, HeldClaim } from './gate.ts';
import type { Ledger, VerifiedPayment } from './ledger.ts';
import type { Lookups } from './lookups.ts';
import { isOld, refuseLess, refuseWorthless, tooOld } from './policy.ts';
import { PaymentProblem } from './reasons.ts';

/** The ports and the policy that verifying needs. */
export interface VerificationParts {
  readonly ledger: Pick<Ledger, 'verified'>;
  readonly claims: Claims;
  readonly lookups: Lookups;
  /** The facilitator, if there is one: payments that it settled are known by its fee payers. */
  readonly facilitator: Pick<Facilitator, 'kinds'> | undefined;
  readonly policy: GatePolicy;
  readonly clock: Clock;
}

/** Verifies payments that requests hold. */
export interface Verification {
  /**
   * Records what the chain said before the payment was held, so that it is not asked twice; does nothing when it was
   * not asked.
   */
  found(claim: HeldClaim, found: FoundPayment | null): Promise<HeldClaim>;
  /**
   * Asks the chain about a payment that is not verified yet, judges and records its answer.
   *
   * @param atLeast the cheapest price that may be bought with it, in the smallest unit
   */
  verify(claim: Claim, atLeast: bigint, signal: AbortSignal): Promise<Claim>;
}

/** A claim that was verified. */
export type VerifiedClaim = HeldClaim & { readonly payment: VerifiedPayment };

export function isVerified(claim: HeldClaim): claim is VerifiedClaim {
  return claim.payment !== undefined;
}

/**
 * How long a payment that a facilitator has just broadcast is taken only from whoever has its signed header, in
 * milliseconds. Between the broadcast and our reservation anyone can read the transaction's id on the chain. The time
 * ends early once the signed header has been shown.
 */
const SIGNED_FIRST_MS = 120_000;

export function createVerification(parts: VerificationParts): Verification {
  const { ledger, claims, lookups, facilitator, policy, clock } = parts;

  async function lookUp(claim: HeldClaim, signal: AbortSignal): Promise<VerifiedClaim> {
    let held = claim;
    const beforeWait = async (): Promise<void> => {
      // The wait may outlast the lease; if the lease were lost, the next request would ask the same again.
      const renewed = await claims.renew(claim, policy.waitMs + policy.leaseMs);
      if (renewed === null) throw new PaymentProblem('payment_in_progress');
      held = renewed;
    };
    const finding = await lookups.find(claim.key, signal, { beforeWait });
    if (finding.kind === 'failed') throw new PaymentProblem('transaction_failed');
    return record(held, finding);
  }

  /** Judges a payment at its first use, and records the result. */
  async function record(claim: HeldClaim, found: FoundPayment): Promise<VerifiedClaim> {
    refuseWorthless(found, policy, clock.now());
    const isTooOld = isOld(found, policy, clock.now());
    if (!isTooOld && claim.settled === undefined && isJustSettledHere(found)) {
      const detail = 'A facilitator has just settled it: send the header that was signed.';
      throw new PaymentProblem('payment_in_progress', { detail });
    }
    const payment = paymentIn(found, claim.settled?.payer);
    const answer = await ledger.verified(claim.lease, payment, isTooOld ? 'payment_too_old' : undefined);
    if (isTooOld) throw tooOld(policy);
    if (answer === 'blocked') throw new PaymentProblem('payer_blocked');
    if (answer === 'lost') throw new PaymentProblem('payment_in_progress');
    return { ...claim, payment };
  }

  function isJustSettledHere({ payer, feePayer = payer, timeMs }: FoundPayment): boolean {
    if (clock.now() - timeMs >= SIGNED_FIRST_MS) return false;
    return facilitator?.kinds().some((kind) => kind.feePayer === feePayer) ?? false;
  }

  function refuseUnbound({ payment, settled }: VerifiedClaim): void {
    const isUnbound = payment.memo === undefined && settled === undefined;
    if (policy.binding === 'require' && isUnbound) throw new PaymentProblem('binding_required');
  }

  return {
    async found(claim, found) {
      if (found === null || isVerified(claim)) return claim;
      return claims.orGiveBack(claim, () => record(claim, found));
    },
    async verify(claim, atLeast, signal) {
      if (claim.kind !== 'held') return claim;
      return claims.orGiveBack(claim, async () => {
        const verified = isVerified(claim) ? claim : await lookUp(claim, signal);
        refuseLess(verified.payment, atLeast);
        refuseUnbound(verified);
        return verified;
      });
    },
  };
}

/**
 * The payment as the ledger records it.
 *
 * @param settledFor the payer for whom a facilitator has settled it, if one has
 */
function paymentIn({ payer, credited, slot, memos }: FoundPayment, settledFor?: string): VerifiedPayment {
  const memo = memos.map(fingerprintIn).find((named) => named !== null);
  return { payer: settledFor ?? payer, credited, slot, ...(memo == null ? {} : { memo }) };
}
