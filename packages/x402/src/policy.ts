// Judges what the chain says of a payment by the gate's policy: facts go in, a refusal comes out or nothing does.
// Nothing here asks or remembers anything.
import type { FoundPayment } from './chain.ts';
import type { GatePolicy } from './gate.ts';
import type { VerifiedPayment } from './ledger.ts';
import { PaymentProblem } from './reasons.ts';

/** Default of `maxLookups`. */
export const MAX_LOOKUPS = 256;
/** Default of `maxWaiting`. */
export const MAX_WAITING = 64;
const HOUR_MS = 3_600_000;

/**
 * Checks the numbers of a policy.
 *
 */
export function checkPolicy(policy: GatePolicy): void {
  const {
    waitMs,
    leaseMs,
    maxAgeMs,
    notBeforeMs,
    maxLookups = MAX_LOOKUPS,
    maxWaiting = MAX_WAITING,
  } = policy;
  const least = { waitMs: 0, leaseMs: 1, maxAgeMs: 1, notBeforeMs: 0, maxLookups: 1, maxWaiting: 0 };
  const given = { waitMs, leaseMs, maxAgeMs, notBeforeMs, maxLookups, maxWaiting };
  const faults = Object.entries(least)
    .map(([name, from]) => ({ name, from, value: given[name as keyof typeof given] }))
    .filter(({ from, value }) => !(Number.isSafeInteger(value) && value >= from))
    .map(({ name, from, value }) => `${name} must be a whole number of at least ${from}, but is ${value}`);
  if (faults.length > 0) throw new RangeError(`Wrong policy: ${faults.join('; ')}.`);
}

/** The part of the policy that says when payments count. */
export type AgePolicy = Pick<GatePolicy, 'maxAgeMs' | 'notBeforeMs'>;

/** True when a payment is too old for its first use. */
export function isOld(
  { timeMs }: Pick<FoundPayment, 'timeMs'>,
  { maxAgeMs }: AgePolicy,
  nowMs: number,
): boolean {
  return timeMs < nowMs - maxAgeMs;
}

export function tooOld({ maxAgeMs }: AgePolicy): PaymentProblem {
  return new PaymentProblem('payment_too_old', { detail: `Here that is ${durationText(maxAgeMs)}.` });
}

/** Refuses a payment that gave us nothing, and which is therefore not remembered either. */
export function refuseWorthless(found: FoundPayment, policy: AgePolicy, nowMs: number): void {
  // A payment from before payments were taken here was for something else.
  if (found.timeMs < policy.notBeforeMs) {
    const detail = `What came in before ${new Date(policy.notBeforeMs).toISOString()} pays for nothing here.`;
    throw new PaymentProblem('payment_too_old', { detail });
  }
  if (found.credited > 0n) return;
  throw isOld(found, policy, nowMs) ? tooOld(policy) : new PaymentProblem('amount_too_low');
}

/** Refuses a payment that does not cover a price. */
export function refuseLess({ credited }: VerifiedPayment, price: bigint): void {
  if (credited >= price) return;
  const detail = `It gave ${credited}, and the price is ${price}.`;
  throw new PaymentProblem('amount_too_low', { detail, reusable: true });
}

/** A duration for people: `24 h`, `1800 s`. */
function durationText(ms: number): string {
  return ms % HOUR_MS === 0 ? `${ms / HOUR_MS} h` : `${ms / 1000} s`;
}
