// Whether a tier can be used at this moment: not every version has it, and whom it needs may not answer, or have too
// much to do.
import { asksLanguageModel, coreTier, isSold, type TierEntry } from '../catalog.ts';
import { Fault } from '../errors.ts';
import type { Sale } from '../payments/sale.ts';
import { waitsElsewhere } from '../work.ts';
import type { Service } from './service.ts';

/** Chains and language models that do not answer are tried again about so often. */
const SOON_S = 15;

/**
 * Refuses, before anything else is looked at, what cannot be used: now, or in this version. A request that shows a
 * payment which has bought something gets that, whatever has become of the model meanwhile.
 *
 * @throws Fault `tier_unavailable`, `busy`
 */
export async function refuseUnavailable(
  tier: TierEntry,
  service: Service,
  sale?: Pick<Sale, 'isKnown'>,
): Promise<void> {
  const { payments } = service;
  // Also of tiers that this version has not, or not with these settings.
  coreTier(tier);
  const reason = isSold(tier) ? payments.unavailable() : null;
  if (reason !== null) throw unavailable(tier, reason);
  const fault = silenceOf(tier, service) ?? crowdOf(tier, service);
  if (fault === null || (isSold(tier) && (await sale?.isKnown()) === true)) return;
  throw fault;
}

/** Refuses a tier whose language model does not answer. @throws Fault `tier_unavailable` */
export function refuseSilent(tier: TierEntry, service: Service): void {
  const fault = silenceOf(tier, service);
  if (fault !== null) throw fault;
}

function silenceOf(tier: TierEntry, { languageModel }: Service): Fault | null {
  const silent = asksLanguageModel(coreTier(tier)) ? languageModel.unavailable() : null;
  return silent === null ? null : unavailable(tier, silent);
}

/** The fault of too many waiting for the language model already; it is raised before anybody pays for that. */
function crowdOf(tier: TierEntry, { modelPlaces, settings }: Service): Fault | null {
  if (tier.mode !== 'sync' || !waitsElsewhere(tier, settings)) return null;
  return modelPlaces.load().waiting >= settings.aiAtOnce ? new Fault('busy') : null;
}

function unavailable({ id }: TierEntry, reason: string): Fault {
  return new Fault('tier_unavailable', { detail: `${id}: ${reason}`, retryAfterS: SOON_S });
}
