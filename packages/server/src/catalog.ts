// The tiers of both deployments, as data. A tier that is not built yet is listed with the reason.
import type { TierId } from '@grainline/core';

/** A tier as one deployment offers it. */
export interface TierEntry {
  /** Its name in answers and result ids. */
  readonly id: string;
  /** Other names under which requests may ask for it. */
  readonly aliases: readonly string[];
  /** Upload path, as `GET /` shows it. */
  readonly path: string;
  readonly priceMicroUsd: bigint;
  /** `async` answers with a job, `sync` with chunks. */
  readonly mode: 'sync' | 'async';
  readonly description: string;
  /** Core's tier behind it, or why there is none. */
  readonly offer: { readonly tier: TierId } | { readonly unavailable: string };
}

/** A set of tiers under one address. */
export interface Deployment {
  readonly name: 'primary' | 'compact';
  /** Tier of `POST /chunk` when the request names none. */
  readonly defaultTier: string;
  /** Cheapest first. */
  readonly tiers: readonly TierEntry[];
}

const NOT_BUILT = 'This version does not have it yet.';
const NOT_SOLD = 'This version takes no payments yet; the library and the command line have this tier.';

/** Entry of a tier that is paid for; uploads go to the path of its name. */
function paid(
  id: string,
  priceMicroUsd: bigint,
  description: string,
  { mode = 'sync', reason = NOT_BUILT }: { mode?: TierEntry['mode']; reason?: string } = {},
): TierEntry {
  return {
    id,
    aliases: [],
    path: `/chunk/${id}`,
    priceMicroUsd,
    mode,
    description,
    offer: { unavailable: reason },
  };
}

const FREE: Omit<TierEntry, 'id' | 'aliases'> = {
  path: '/chunk/demo',
  priceMicroUsd: 0n,
  mode: 'sync',
  description: 'Recursive character splitting at paragraphs, lines, spaces, characters.',
  offer: { tier: 'free' },
};

/** Both deployments. Their free tiers do the same work and answer to both names; each reports its own. */
export const DEPLOYMENTS: Readonly<Record<Deployment['name'], Deployment>> = {
  primary: {
    name: 'primary',
    defaultTier: 'structure',
    tiers: [
      { id: 'free', aliases: ['demo'], ...FREE },
      paid('structure', 2_000n, 'Follows the structure: headings, tables, lists and code stay whole.', {
        reason: NOT_SOLD,
      }),
      paid('semantic', 4_000n, 'Cuts where the topic changes, found by embeddings.'),
      paid('ai', 10_000n, 'A language model chooses where to cut.'),
      paid('ai-pro', 25_000n, 'A language model cuts and enriches every chunk; runs as a job.', {
        mode: 'async',
      }),
    ],
  },
  compact: {
    name: 'compact',
    defaultTier: 'standard',
    tiers: [
      { id: 'demo', aliases: ['free'], ...FREE },
      paid('standard', 1_000n, 'Whole sentences.', { reason: NOT_SOLD }),
      paid('professional', 8_000n, 'Follows the structure and gives every chunk its context.'),
    ],
  },
};

/** The tier that a request means, by name or alias. */
export function findTier(deployment: Deployment, name: string): TierEntry | undefined {
  return deployment.tiers.find((tier) => tier.id === name || tier.aliases.includes(name));
}

/** Every name that a request may give, for messages. */
export function tierNames(deployment: Deployment): string[] {
  return deployment.tiers.flatMap((tier) => [tier.id, ...tier.aliases]);
}
