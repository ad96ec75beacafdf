// The tiers of the page: local ones, and those of the service.
import type { Overview, ServiceTier } from '@grainline/client';
import { OPTIONS } from '@grainline/core/options';
import { LOCAL_DESCRIPTIONS } from '../texts.ts';

/** Tiers that the page runs itself, with the service's own code. */
export const LOCAL_TIERS = ['free', 'standard', 'structure', 'professional'] as const;
export type LocalTier = (typeof LOCAL_TIERS)[number];

/** A tier in the page's list. */
export interface TierChoice {
  readonly id: string;
  readonly description: string;
  /** True when the page runs it, independent of the service. */
  readonly isLocal: boolean;
  /** The service's entry; undefined without one, and without a service. */
  readonly offer: ServiceTier | undefined;
}

/** The default tier; also the tier of a new document when the chosen one has no cuts for it. */
export const DEFAULT_TIER: LocalTier = OPTIONS.tier.default;

/** The service's name for `free` in its demo. */
const DEMO = 'demo';

/** True when the page runs the tier. */
export function isLocal(tier: string): tier is LocalTier {
  return (LOCAL_TIERS as readonly string[]).includes(tier);
}

/** The tiers in the page's list; local ones are first. */
export function tierChoices(overview: Overview | undefined): TierChoice[] {
  const offers = overview?.tiers ?? [];
  const offerOf = (id: string): ServiceTier | undefined =>
    offers.find((offer) => offer.id === id || (id === 'free' && offer.id === DEMO));
  return [
    ...LOCAL_TIERS.map((id) => ({
      id,
      description: LOCAL_DESCRIPTIONS[id],
      isLocal: true,
      offer: offerOf(id),
    })),
    ...offers
      .filter(({ id }) => !isLocal(id) && id !== DEMO)
      .map((offer) => ({ id: offer.id, description: offer.description, isLocal: false, offer })),
  ];
}
