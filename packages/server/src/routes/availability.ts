// The availability of a tier at this moment: this version has it, and its models answer and have room.
import { needsLanguageModel } from '@grainline/core';
import { coreTier, isPaid, type TierEntry } from '../catalog.ts';
import { HttpError } from '../errors/http-error.ts';
import type { PaymentSession } from '../payments/session.ts';
import { needsRemote } from '../requests/run-request.ts';
import type { ServiceDeps } from './deps.ts';

/** Interval at which unreachable chains and language models are tried again, about. */
const RETRY_S = 15;

/**
 * Rejects a tier that is unavailable, before any other check. A payment that has bought something passes, because its
 * answer needs no model.
 *
 * @throws HttpError `tier_unavailable`, `busy`
 */
export async function assertAvailable(
  tier: TierEntry,
  deps: ServiceDeps,
  payment?: Pick<PaymentSession, 'hasPurchased'>,
): Promise<void> {
  // Rejects tiers that this version or these settings lack.
  coreTier(tier);
  const reason = isPaid(tier) ? deps.payments.unavailable() : null;
  if (reason !== null) throw unavailable(tier, reason);
  const error = modelUnavailable(tier, deps) ?? overload(tier, deps);
  if (error === null || (isPaid(tier) && (await payment?.hasPurchased()) === true)) return;
  throw error;
}

/** Rejects a tier whose language model does not answer. @throws HttpError `tier_unavailable` */
export function assertModelAvailable(tier: TierEntry, deps: ServiceDeps): void {
  const error = modelUnavailable(tier, deps);
  if (error !== null) throw error;
}

function modelUnavailable(tier: TierEntry, { languageModel }: ServiceDeps): HttpError | null {
  const reason = needsLanguageModel(coreTier(tier)) ? languageModel.unavailableReason() : null;
  return reason === null ? null : unavailable(tier, reason);
}

/** `busy` when the queue for remote models is full: the check comes before the payment. */
function overload(tier: TierEntry, { modelPlaces, settings }: ServiceDeps): HttpError | null {
  if (tier.mode !== 'sync' || !needsRemote(tier, settings)) return null;
  return modelPlaces.load().waiting >= settings.aiAtOnce ? new HttpError('busy') : null;
}

function unavailable({ id }: TierEntry, reason: string): HttpError {
  return new HttpError('tier_unavailable', { detail: `${id}: ${reason}`, retryAfterS: RETRY_S });
}
