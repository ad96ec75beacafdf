// Pure checks of the chain's findings against the gate's policy.
import type { FoundPayment } from './chain.ts';
import type { GatePolicy } from './gate.ts';
import type { VerifiedPayment } from '../ledger/ledger.ts';
import { PaymentProblem } from './reasons.ts';

/** Default of `maxLookups`. */
export const MAX_LOOKUPS = 256;
/** Default of `maxWaiting`. */
export const MAX_WAITING = 64;
const HOUR_MS = 3_600_000;

/** The least values of the numbers of a policy. */
const LEAST = { waitMs: 0, leaseMs: 1, maxAgeMs: 1, notBeforeMs: 0, maxLookups: 1, maxWaiting: 0 };

/**
 * Checks the numbers of a policy.
 *
 * @throws RangeError that lists every wrong number
 */
export function checkPolicy(policy: GatePolicy): void {
  const issues = Object.entries(LEAST)
    .map(([name, least]) => ({ name, least, value: policy[name as keyof typeof LEAST] ?? least }))
    .filter(({ least, value }) => !(Number.isSafeInteger(value) && value >= least))
    .map(({ name, least, value }) => `${name} must be a whole number of at least ${least}, but is ${value}`);
  if (issues.length > 0) throw new RangeError(`Wrong policy: ${issues.join('; ')}.`);
}

/** The policy for the time of payments. */
export type AgePolicy = Pick<GatePolicy, 'maxAgeMs' | 'notBeforeMs'>;

/** True when a payment is too old for its first use. */
export function isTooOld(
  { timeMs }: Pick<FoundPayment, 'timeMs'>,
  { maxAgeMs }: AgePolicy,
  nowMs: number,
): boolean {
  return timeMs < nowMs - maxAgeMs;
}

export function createTooOldProblem({ maxAgeMs }: AgePolicy): PaymentProblem {
  return new PaymentProblem('payment_too_old', { detail: `Here that is ${durationText(maxAgeMs)}.` });
}

/** Rejects a payment that credited nothing; the ledger does not record it either. */
export function assertCredited(found: FoundPayment, policy: AgePolicy, nowMs: number): void {
  // An earlier payment was for another purpose.
  if (found.timeMs < policy.notBeforeMs) {
    const detail = `What came in before ${new Date(policy.notBeforeMs).toISOString()} pays for nothing here.`;
    throw new PaymentProblem('payment_too_old', { detail });
  }
  if (found.credited > 0n) return;
  throw isTooOld(found, policy, nowMs) ? createTooOldProblem(policy) : new PaymentProblem('amount_too_low');
}

export function assertPriceCovered({ credited }: VerifiedPayment, price: bigint): void {
  if (credited >= price) return;
  const detail = `It gave ${credited}, and the price is ${price}.`;
  throw new PaymentProblem('amount_too_low', { detail, reusable: true });
}

/** A readable duration: `24 h`, `1800 s`. */
function durationText(ms: number): string {
  return ms % HOUR_MS === 0 ? `${ms / HOUR_MS} h` : `${ms / 1000} s`;
}
