// Checks that a verified payment belongs to the request that presents it.
import { BINDING_HEADER, bindingMessage, memoOf } from './binding.ts';
import type { Chain } from './chain.ts';
import type { GatePolicy } from './gate.ts';
import { PaymentProblem } from './reasons.ts';
import type { VerifiedLease } from './verification.ts';

/**
 * Checks the memo of the payment, or else the payer's signature over transaction and request, as far as the policy
 * demands one.
 *
 * @throws PaymentProblem `bound_to_another_request`, `binding_required`; the payment stays reusable
 */
export async function assertBoundTo(
  leased: VerifiedLease,
  fingerprint: string,
  { chain, binding: demanded }: { chain: Chain; binding: GatePolicy['binding'] },
): Promise<void> {
  const { key, payment, settled, binding } = leased;
  if (demanded === 'off') return;
  if (payment.memo !== undefined) {
    if (payment.memo === fingerprint) return;
    throw new PaymentProblem('bound_to_another_request', { reusable: true });
  }
  if (demanded === 'offer' || settled !== undefined) return;
  const message = bindingMessage(key, memoOf(fingerprint));
  const signed = { address: payment.payer, message, signature: binding ?? '' };
  if (await chain.isMessageSigned(signed)) return;
  const detail = `${BINDING_HEADER} is not the signature of ${payment.payer} over "${message}".`;
  throw new PaymentProblem('binding_required', { detail, reusable: true });
}
