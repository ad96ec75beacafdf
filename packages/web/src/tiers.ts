// The tiers that the page offers: those that it cuts itself, and what the service has besides.
import type { Overview, OverviewTier } from './overview.ts';
import { LOCAL_TIERS, type LocalTier } from './protocol.ts';

/** A tier as the page offers it. */
export interface TierChoice {
  readonly id: string;
  readonly description: string;
  /** Cut in the page, whatever the service says. */
  readonly isLocal: boolean;
  /** What the service has of it; undefined when it has not, or nothing is known of the service. */
  readonly offer: OverviewTier | undefined;
}

/** The tier that is chosen at first, and again when a document comes for which another one has no cuts. */
export const DEFAULT_TIER: LocalTier = 'structure';

const LOCAL_DESCRIPTIONS: Readonly<Record<LocalTier, string>> = {
  free: 'Cuts at paragraphs, lines, blanks, characters.',
  standard: 'Cuts between sentences.',
  structure: 'Keeps headings, tables, lists and code whole.',
};

/** The service's name for the tier that is called `free` everywhere else, where it has one that needs no choice. */
const DEMO = 'demo';

/** Whether a tier is cut in the page. */
export function isLocal(tier: string): tier is LocalTier {
  return (LOCAL_TIERS as readonly string[]).includes(tier);
}

/** The tiers to choose from: those that are cut here first. */
export function tierChoices(overview: Overview | undefined): TierChoice[] {
  const offers = overview?.tiers ?? [];
  const offerOf = (id: string): OverviewTier | undefined =>
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
