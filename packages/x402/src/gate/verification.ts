// Verifies a payment once, while a request holds its lease: the policy judges the chain's finding, and the ledger
// records it. Later uses check neither age nor chain.
import { fingerprintIn } from './binding.ts';
import type { FoundPayment } from './chain.ts';
import type { Reservations } from './reservations.ts';
import type { Clock } from './clock.ts';
import type { Facilitator } from './facilitator.ts';
import type { ReservedPayment, GatePolicy, LeasedPayment } from './gate.ts';
import type { Ledger, VerifiedPayment } from '../ledger/ledger.ts';
import type { Lookups } from './lookups.ts';
import { isTooOld, assertPriceCovered, assertCredited, createTooOldProblem } from './policy.ts';
import { PaymentProblem } from './reasons.ts';

/** The dependencies of {@link createVerification}. */
export interface VerificationDeps {
  readonly ledger: Pick<Ledger, 'recordVerified'>;
  readonly reservations: Reservations;
  readonly lookups: Lookups;
  /** Payments that the facilitator has settled are recognised by its fee payers. */
  readonly facilitator: Pick<Facilitator, 'kinds'> | undefined;
  readonly policy: GatePolicy;
  readonly clock: Clock;
}

/** Verifies leased payments. */
export interface Verification {
  /** Records the chain's finding of a settlement, which saves a second lookup. */
  settled(leased: LeasedPayment, found: FoundPayment | undefined): Promise<LeasedPayment>;
  /**
   * Looks an unverified payment up, judges and records the finding.
   *
   * @param atLeast the cheapest price, in the smallest unit
   */
  verify(reserved: ReservedPayment, atLeast: bigint, signal: AbortSignal): Promise<ReservedPayment>;
}

/** A leased payment that was verified. */
export type VerifiedLease = LeasedPayment & { readonly payment: VerifiedPayment };

export function isVerified(leased: LeasedPayment): leased is VerifiedLease {
  return leased.payment !== undefined;
}

/**
 * Time during which a payment that a facilitator has just broadcast requires its signed header, in milliseconds.
 * Between the broadcast and our reservation the transaction's id is public on the chain. The first request with the
 * signed header ends this time early.
 */
const SIGNED_FIRST_MS = 120_000;

export function createVerification(deps: VerificationDeps): Verification {
  const { ledger, reservations, lookups, facilitator, policy, clock } = deps;

  async function lookUp(leased: LeasedPayment, signal: AbortSignal): Promise<VerifiedLease> {
    const finding = await lookups.find(leased.key, signal);
    if (finding.kind === 'failed') throw new PaymentProblem('transaction_failed');
    return record(leased, finding);
  }

  /** Judges a payment at its first use, and records the result. */
  async function record(leased: LeasedPayment, found: FoundPayment): Promise<VerifiedLease> {
    assertCredited(found, policy, clock.now());
    const tooOld = isTooOld(found, policy, clock.now());
    if (!tooOld && leased.settled === undefined && isJustSettledHere(found)) {
      const detail = 'A facilitator has just settled it: send the header that was signed.';
      throw new PaymentProblem('payment_in_progress', { detail });
    }
    const payment = toVerifiedPayment(found, leased.settled?.payer);
    const answer = await ledger.recordVerified(leased.lease, payment, tooOld ? 'payment_too_old' : undefined);
    if (tooOld) throw createTooOldProblem(policy);
    if (answer === 'blocked') throw new PaymentProblem('payer_blocked');
    if (answer === 'lost') throw new PaymentProblem('payment_in_progress');
    return { ...leased, payment };
  }

  function isJustSettledHere({ payer, feePayer = payer, timeMs }: FoundPayment): boolean {
    if (clock.now() - timeMs >= SIGNED_FIRST_MS) return false;
    return facilitator?.kinds().some((kind) => kind.feePayer === feePayer) ?? false;
  }

  /** A signature in place of the memo is checked when the request is known. */
  function assertBound(verified: VerifiedLease): void {
    const { payment, settled, binding } = verified;
    const isUnbound = payment.memo === undefined && settled === undefined && binding === undefined;
    if (policy.binding === 'require' && isUnbound)
      throw new PaymentProblem('binding_required', { reusable: true });
  }

  return {
    async settled(leased, found) {
      if (found === undefined || isVerified(leased)) return leased;
      return reservations.releaseOnError(leased, () => record(leased, found));
    },
    async verify(reserved, atLeast, signal) {
      if (reserved.kind !== 'held') return reserved;
      return reservations.releaseOnError(reserved, async () => {
        const verified = isVerified(reserved) ? reserved : await lookUp(reserved, signal);
        assertPriceCovered(verified.payment, atLeast);
        assertBound(verified);
        return verified;
      });
    },
  };
}

/**
 * The payment as the ledger records it.
 *
 * @param settledFor the payer, when a facilitator settled the payment
 */
function toVerifiedPayment(
  { payer, credited, slot, memos }: FoundPayment,
  settledFor?: string,
): VerifiedPayment {
  const memo = memos.map(fingerprintIn).find((named) => named !== null) ?? undefined;
  return { payer: settledFor ?? payer, credited, slot, memo };
}
