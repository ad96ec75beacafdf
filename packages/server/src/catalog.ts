// The tiers of both deployments, as data. What cannot be served with these settings is listed with the reason.
import { needsEmbedder, type TierId, TIERS } from '@grainline/core';
import { Fault } from './errors.ts';
import { affordableCharacters, dearest } from './models/cost.ts';
import type { Settings } from './settings/settings.ts';

/** A tier as one deployment offers it. */
export interface TierEntry {
  /** Name of the tier in answers and result ids. */
  readonly id: string;
  /** Other names under which requests may ask for it. */
  readonly aliases: readonly string[];
  /** Upload path, as `GET /` shows it. */
  readonly path: string;
  /** Price of a request in micro-USD; 0 when nothing is charged. */
  readonly priceMicroUsd: bigint;
  /** Whether the free pages of the day are counted. */
  readonly hasQuota: boolean;
  /** `async` answers with a job, `sync` with chunks. */
  readonly mode: 'sync' | 'async';
  readonly description: string;
  /** Longest document that it takes, in UTF-16 units of its text; null when only the limits on bytes hold. */
  readonly maxCharacters: number | null;
  /** What one document may cost at the language model, in US dollars; null where none is asked. */
  readonly maxCostUsd: number | null;
  /** Names of core's options that requests may give; none where it cannot be used. */
  readonly options: readonly string[];
  /**
   * Core's tier behind it, or why it cannot be used whatever happens; whether payments work at the moment is another
   * thing.
   */
  readonly offer: { readonly tier: TierId } | { readonly unavailable: string };
}

/** A set of tiers under one address. */
export interface Deployment {
  readonly name: Settings['deployment'];
  /** Tier of `POST /chunk` when the request names none. */
  readonly defaultTier: string;
  /** Cheapest first. */
  readonly tiers: readonly TierEntry[];
}

/** A tier as it is priced; whether it can be used is found out. */
interface PricedTier extends Pick<TierEntry, 'priceMicroUsd' | 'mode' | 'description'> {
  /** Core's tier of the same name does the work. */
  readonly id: TierId;
}

interface Catalog extends Omit<Deployment, 'name' | 'tiers'> {
  /** The free tier's names: the first is its id. */
  readonly free: readonly [string, ...string[]];
  readonly paid: readonly PricedTier[];
}

const NO_PAY_TO =
  'This service has no wallet to be paid to: its operator sets PAY_TO, or PAYMENTS=off to give every tier away.';
const NO_MODEL = 'This service has no language model: its operator sets AI_MODEL.';
const NOT_EMBEDDED = 'This service has no embedder (EMBEDDINGS=off).';

/**
 * Longest text of a tier that keeps the blocks of a document in memory. Of the worst text tried, a list of items of two
 * letters in chunks of 256 tokens, 5 million characters take 730 MB and 10 million end a child process with the
 * default limits (WORKER_HEAP_MB, WORKER_RSS_MB).
 */
const MAX_CHARACTERS = 4_000_000;

/**
 * Longest text of tiers that ask a language model, whatever it costs: of prose some 45 questions, which a model with
 * four at a time answers within AI_TIMEOUT_MS when it needs five seconds for each; a job has longer.
 */
const MAX_ASKED_CHARACTERS = { sync: 300_000, async: 1_000_000 } as const;

const CATALOGS: Readonly<Record<Settings['deployment'], Catalog>> = {
  primary: {
    defaultTier: 'structure',
    free: ['free', 'demo'],
    paid: [
      tier('structure', 2_000n, 'Follows the structure: headings, tables, lists and code stay whole.'),
      tier('semantic', 4_000n, 'Cuts where the topic changes, found by embeddings.'),
      tier('ai', 10_000n, 'A language model chooses where to cut.'),
      tier('ai-pro', 25_000n, 'A language model cuts and enriches every chunk; runs as a job.', 'async'),
    ],
  },
  compact: {
    defaultTier: 'standard',
    free: ['demo', 'free'],
    paid: [
      tier('standard', 1_000n, 'Whole sentences.'),
      tier('professional', 8_000n, 'Follows the structure and gives every chunk its context.'),
    ],
  },
};

function tier(
  id: TierId,
  priceMicroUsd: bigint,
  description: string,
  mode: TierEntry['mode'] = 'sync',
): PricedTier {
  return { id, priceMicroUsd, mode, description };
}

type OfferSettings = Pick<Settings, 'payments' | 'payTo'> &
  Partial<Pick<Settings, 'embeddings' | 'aiModel' | 'aiPrice' | 'aiMaxCostUsd'>>;

/** The deployment that the settings describe. With payments off, every tier is free of charge. */
export function deploymentOf({
  deployment,
  ...settings
}: Pick<Settings, 'deployment'> & OfferSettings): Deployment {
  const { free, paid, defaultTier } = CATALOGS[deployment];
  return {
    name: deployment,
    defaultTier,
    tiers: [freeEntry(free), ...paid.map((it) => paidEntry(it, settings))],
  };
}

/** The free tiers of both deployments do the same work and answer to both names; each reports its own. */
function freeEntry([id, ...aliases]: Catalog['free']): TierEntry {
  return {
    id,
    aliases,
    path: '/chunk/demo',
    priceMicroUsd: 0n,
    hasQuota: true,
    mode: 'sync',
    description: 'Recursive character splitting at paragraphs, lines, spaces, characters.',
    maxCharacters: null,
    maxCostUsd: null,
    options: TIERS.free.options,
    offer: { tier: 'free' },
  };
}

function paidEntry(priced: PricedTier, settings: OfferSettings): TierEntry {
  const { id } = priced;
  const offer = offerOf(priced, settings);
  const options: readonly string[] = 'tier' in offer ? TIERS[offer.tier].options : [];
  const hasVectors = settings.embeddings !== 'off';
  return {
    ...priced,
    aliases: [],
    path: `/chunk/${id}`,
    priceMicroUsd: settings.payments === 'off' ? 0n : priced.priceMicroUsd,
    hasQuota: false,
    ...capsOf(priced, settings),
    options: hasVectors ? options : options.filter((name) => name !== 'embeddings'),
    offer,
  };
}

/** How long a document may be, and what it may cost. */
function capsOf(
  { id, mode }: PricedTier,
  { aiModel = [], aiPrice, aiMaxCostUsd = {} }: OfferSettings,
): Pick<TierEntry, 'maxCharacters' | 'maxCostUsd'> {
  const maxCostUsd = aiMaxCostUsd[id];
  if (maxCostUsd === undefined) return { maxCharacters: MAX_CHARACTERS, maxCostUsd: null };
  const affordable = affordableCharacters(id, dearest(aiModel, aiPrice), maxCostUsd);
  return { maxCharacters: Math.min(MAX_ASKED_CHARACTERS[mode], affordable), maxCostUsd };
}

function offerOf(
  { id }: PricedTier,
  { payments, payTo, embeddings, aiModel = [] }: OfferSettings,
): TierEntry['offer'] {
  if (asksLanguageModel(id) && aiModel.length === 0) return { unavailable: NO_MODEL };
  if (embeddings === 'off' && needsEmbedder(id)) return { unavailable: NOT_EMBEDDED };
  return payments === 'on' && payTo === undefined ? { unavailable: NO_PAY_TO } : { tier: id };
}

/**
 * Core's tier behind an entry.
 *
 * @throws Fault `tier_unavailable` when it cannot be used with these settings
 */
export function coreTier({ id, offer }: TierEntry): TierId {
  if ('tier' in offer) return offer.tier;
  throw new Fault('tier_unavailable', { detail: `${id}: ${offer.unavailable}` });
}

/** Whether requests for it are paid for. */
export function isSold({ priceMicroUsd }: TierEntry): boolean {
  return priceMicroUsd > 0n;
}

/** Whether a tier of core's asks a language model. */
export function asksLanguageModel(tier: TierId): boolean {
  const options: readonly string[] = TIERS[tier].options;
  return options.includes('complete');
}

/** The tiers whose requests are paid for. */
export function soldTiers({ tiers }: Deployment): readonly TierEntry[] {
  return tiers.filter(isSold);
}

/** What can be bought, in the smallest unit of the asset. */
export function pricesOf(deployment: Deployment): bigint[] {
  return soldTiers(deployment).map(({ priceMicroUsd }) => priceMicroUsd);
}

/** Prices are in millionths of a US dollar, which is the smallest unit of USDC as well. */
export const MICRO_USD = 1e6;

/** The tier that a request means, by name or alias. */
export function findTier({ tiers }: Deployment, name: string): TierEntry | undefined {
  return tiers.find(({ id, aliases }) => id === name || aliases.includes(name));
}

/** Every name that a request may give, for messages. */
export function tierNames({ tiers }: Deployment): string[] {
  return tiers.flatMap(({ id, aliases }) => [id, ...aliases]);
}
