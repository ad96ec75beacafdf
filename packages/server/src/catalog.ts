// The tiers of both deployments as data. A tier that the settings exclude is listed with its reason.
import { needsEmbedder, needsLanguageModel, type TierId, TIERS } from '@grainline/core';
import { HttpError } from './errors/http-error.ts';
import { affordableCharacters, highestPrice } from './models/cost.ts';
import type { Settings } from './settings/settings.ts';

/** A tier of one deployment. */
export interface TierEntry {
  /** The tier's name in answers and result ids. */
  readonly id: string;
  /** Other names in requests. */
  readonly aliases: readonly string[];
  /** The upload path, as `GET /` reports it. */
  readonly path: string;
  /** Price of a request in micro-USD; 0 for a free one. */
  readonly priceMicroUsd: bigint;
  /** True when the free pages of the day are counted. */
  readonly hasQuota: boolean;
  /** `async` answers with a job, `sync` with chunks. */
  readonly mode: 'sync' | 'async';
  readonly description: string;
  /** Longest text in UTF-16 units; null when only the limits on bytes hold. */
  readonly maxCharacters: number | null;
  /** Most pages of a document that OCR reads; null without OCR. */
  readonly maxScannedPages: number | null;
  /** The highest cost of a document at the language model in US dollars; null without a model. */
  readonly maxCostUsd: number | null;
  /** Names of core's options that requests may use; none for an unavailable tier. */
  readonly options: readonly string[];
  /** The core tier to run, or the reason it is permanently unavailable. Payment outages are not covered here. */
  readonly offer: { readonly tier: TierId } | { readonly unavailable: string };
}

/** A set of tiers under one address. */
export interface Deployment {
  readonly name: Settings['deployment'];
  /** The tier of `POST /chunk` without a named tier. */
  readonly defaultTier: string;
  /** Cheapest first. */
  readonly tiers: readonly TierEntry[];
}

/** A tier with its price, before its availability is computed. */
interface PricedTier extends Pick<TierEntry, 'priceMicroUsd' | 'mode' | 'description'> {
  /** The name of core's tier. */
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
 * Longest text of tiers that hold the blocks of a document in memory. In the worst tried text, a list of two-letter
 * items in chunks of 256 tokens, 5 million characters take 730 MB, and 10 million end a child process with the default
 * limits (WORKER_HEAP_MB, WORKER_RSS_MB).
 */
const MAX_CHARACTERS = 4_000_000;

/**
 * Longest text of tiers with a language model, whatever the cost. Prose of this length makes some 45 requests; four at
 * a time of five seconds each end within AI_TIMEOUT_MS. A job has more time.
 */
const MAX_MODEL_CHARACTERS = { sync: 300_000, async: 1_000_000 } as const;

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

/** The tiers with a price of both deployments, cheapest first. */
const ALL_PAID = Object.values(CATALOGS)
  .flatMap(({ paid }) => paid)
  .sort((a, b) => Number(a.priceMicroUsd - b.priceMicroUsd));

function tier(
  id: TierId,
  priceMicroUsd: bigint,
  description: string,
  mode: TierEntry['mode'] = 'sync',
): PricedTier {
  return { id, priceMicroUsd, mode, description };
}

type OfferSettings = Pick<Settings, 'payments' | 'payTo'> &
  Partial<
    Pick<
      Settings,
      'embeddings' | 'aiModel' | 'aiPrice' | 'aiMaxCostUsd' | 'ocr' | 'ocrMaxPages' | 'ocrJobPages'
    >
  >;

/**
 * The deployment of these settings. With payments off, every tier is free of charge, and the primary deployment has the
 * tiers of both.
 */
export function deploymentOf({
  deployment,
  ...settings
}: Pick<Settings, 'deployment'> & OfferSettings): Deployment {
  const { free, defaultTier } = CATALOGS[deployment];
  const isOwn = settings.payments === 'off' && deployment === 'primary';
  const paid = isOwn ? ALL_PAID : CATALOGS[deployment].paid;
  return {
    name: deployment,
    defaultTier,
    tiers: [freeEntry(free, settings), ...paid.map((it) => paidEntry(it, settings))],
  };
}

/** The free tiers of both deployments are the same and accept both names. Each reports its own. */
function freeEntry([id, ...aliases]: Catalog['free'], settings: OfferSettings): TierEntry {
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
    maxScannedPages: scannedPages('sync', settings),
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
    maxScannedPages: scannedPages(priced.mode, settings),
    options: hasVectors ? options : options.filter((name) => name !== 'embeddings' && name !== 'blend'),
    offer,
  };
}

/** The limits on a document's length and cost. */
function capsOf(
  { id, mode }: PricedTier,
  { aiModel = [], aiPrice, aiMaxCostUsd = {} }: OfferSettings,
): Pick<TierEntry, 'maxCharacters' | 'maxCostUsd'> {
  const maxCostUsd = aiMaxCostUsd[id];
  if (maxCostUsd === undefined) return { maxCharacters: MAX_CHARACTERS, maxCostUsd: null };
  const affordable = affordableCharacters(id, highestPrice(aiModel, aiPrice), maxCostUsd);
  return { maxCharacters: Math.min(MAX_MODEL_CHARACTERS[mode], affordable), maxCostUsd };
}

function scannedPages(
  mode: TierEntry['mode'],
  { ocr = 'off', ocrMaxPages, ocrJobPages }: OfferSettings,
): number | null {
  if (ocr === 'off') return null;
  return (mode === 'async' ? ocrJobPages : ocrMaxPages) ?? null;
}

function offerOf(
  { id }: PricedTier,
  { payments, payTo, embeddings, aiModel = [] }: OfferSettings,
): TierEntry['offer'] {
  if (needsLanguageModel(id) && aiModel.length === 0) return { unavailable: NO_MODEL };
  if (embeddings === 'off' && needsEmbedder(id)) return { unavailable: NOT_EMBEDDED };
  return payments === 'on' && payTo === undefined ? { unavailable: NO_PAY_TO } : { tier: id };
}

/**
 * The core tier of an entry.
 *
 * @throws HttpError `tier_unavailable` when it cannot be used with these settings
 */
export function coreTier({ id, offer }: TierEntry): TierId {
  if ('tier' in offer) return offer.tier;
  throw new HttpError('tier_unavailable', { detail: `${id}: ${offer.unavailable}` });
}

/** True for a tier with a price. */
export function isPaid({ priceMicroUsd }: TierEntry): boolean {
  return priceMicroUsd > 0n;
}

/** The tiers with a price. */
export function paidTiers({ tiers }: Deployment): readonly TierEntry[] {
  return tiers.filter(isPaid);
}

/** True when a tier is for sale: it has a price and can run. */
export function sellsTiers(deployment: Deployment): boolean {
  return paidTiers(deployment).some(({ offer }) => 'tier' in offer);
}

/** All prices, in the smallest unit of the asset. */
export function pricesOf(deployment: Deployment): bigint[] {
  return paidTiers(deployment).map(({ priceMicroUsd }) => priceMicroUsd);
}

/** Prices are in millionths of a US dollar, the smallest unit of USDC. */
export const MICRO_USD = 1e6;

/** The tier of a name or alias. */
export function findTier({ tiers }: Deployment, name: string): TierEntry | undefined {
  return tiers.find(({ id, aliases }) => id === name || aliases.includes(name));
}

/** Every name and alias, for messages. */
export function tierNames({ tiers }: Deployment): string[] {
  return tiers.flatMap(({ id, aliases }) => [id, ...aliases]);
}
