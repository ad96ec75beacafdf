// `GET /`: what a deployment offers, computed from the catalog, the settings and the registries.
import { TIERS } from '@grainline/core';
import { FORMATS } from '@grainline/core/formats';
import { READERS } from '@grainline/extract';
import { type Deployment, isSold, type TierEntry } from './catalog.ts';
import { WIRE_NAMES } from './errors.ts';
import { CHUNK_SIZE, ENCODING_NAMES, TIER_OPTIONS, UNITS } from './fields.ts';
import { LINK_FROM_CHUNKS } from './respond.ts';
import { MEMO_PREFIX } from '@grainline/x402';
import type { Payments } from './payments/payments.ts';
import { RESULT_LIFETIME, RESULT_LIFETIME_MS } from './results.ts';
import type { Settings } from './settings.ts';

const MICRO_USD = 1e6;

/** What the overview tells of. */
export interface OverviewParts {
  readonly deployment: Deployment;
  readonly settings: Settings;
  readonly version: string;
  readonly payments: Pick<Payments, 'rule' | 'unavailable'>;
}

/** The body of `GET /`, as JSON. */
export function overviewText(
  { deployment, settings, version, payments }: OverviewParts,
  origin: string,
): string {
  return JSON.stringify({
    name: 'grainline',
    version,
    deployment: deployment.name,
    network: settings.network,
    asset: 'USDC',
    payments: settings.payments,
    ...paymentOverview(settings, payments),
    tiers: deployment.tiers.map((tier) => tierOverview(tier, payments)),
    default_tier: deployment.defaultTier,
    output_formats: Object.keys(FORMATS),
    upload_types: settings.uploadKinds,
    url_types: URL_KINDS,
    limits: {
      free_pages_per_day: settings.freePagesPerDay,
      requests_per_minute: settings.rateLimit === 'off' ? null : settings.rateLimit,
      max_upload_bytes: settings.maxUploadBytes,
      max_json_bytes: settings.maxJsonBytes,
      max_link_bytes: settings.fetchMaxBytes,
      chunk_size: CHUNK_SIZE,
      units: UNITS,
      encodings: ENCODING_NAMES,
      link_from_chunks: LINK_FROM_CHUNKS,
      result_lifetime_seconds: RESULT_LIFETIME_MS / 1000,
    },
    privacy: PRIVACY,
    endpoints: ENDPOINTS,
    links: { self: `${origin}/`, health: `${origin}/health`, ready: `${origin}/ready` },
  });
}

/** Kinds that links may lead to: all that extraction reads. */
export const URL_KINDS = READERS.map((reader) => reader.kind);

const PRIVACY = {
  documents: 'Held in memory while the request is worked on, never written to disk.',
  results: `Answers with ${LINK_FROM_CHUNKS} or more chunks are kept for ${RESULT_LIFETIME}, or until DELETE /results/{result_id}; answers that were paid for as long, for whoever shows the payment and the same request again; others are not kept.`,
  payments:
    'The transaction, its payer and amount, the tier and a hash of the request are kept for good, so that no payment is used twice.',
  clients:
    'The client address (of IPv6 its /64 network) and its number of free pages are kept for the day (UTC).',
  logs: 'No text, file names, links or addresses.',
  outside_models: [],
} as const;

const ENDPOINTS = [
  { method: 'GET', path: '/', description: 'This overview.' },
  { method: 'GET', path: '/health', description: 'Whether the process lives.' },
  { method: 'GET', path: '/ready', description: 'Whether requests can be served.' },
  { method: 'POST', path: '/chunk/demo', description: 'Chunks an uploaded document on the free tier.' },
  {
    method: 'POST',
    path: '/chunk',
    description: 'Chunks a link or a text (JSON), or an upload, on any tier.',
  },
  {
    method: 'POST',
    path: '/chunk/{tier}',
    description: 'Chunks an uploaded document on the tier of the path.',
  },
  {
    method: 'GET',
    path: '/results/{result_id}',
    description: 'The full answer that a download_url leads to.',
  },
  { method: 'DELETE', path: '/results/{result_id}', description: 'Removes it before its time.' },
  {
    method: 'POST',
    path: '/payment/transaction',
    description: 'The transfer that pays for a tier, for a wallet to sign.',
  },
  { method: 'POST', path: '/payment/send', description: 'Hands a signed transfer to the network.' },
] as const;

/** Where to pay, and how to bind a payment to its request. */
function paymentOverview(settings: Settings, { rule }: OverviewParts['payments']): object {
  if (rule === null) return { asset_address: null, pay_to: null, binding: null };
  const { paymentBinding: binding, deploymentId: deployment } = settings;
  const how = { required: binding === 'require', memo_prefix: MEMO_PREFIX, deployment };
  return { asset_address: rule.asset, pay_to: rule.payTo, binding: binding === 'off' ? null : how };
}

function tierOverview(tier: TierEntry, payments: OverviewParts['payments']): object {
  const reason = unavailableBecause(tier, payments);
  return {
    id: tier.id,
    price_usd: Number(tier.priceMicroUsd) / MICRO_USD,
    amount: Number(tier.priceMicroUsd),
    mode: tier.mode,
    available: reason === null,
    ...(reason === null ? undefined : { reason }),
    path: tier.path,
    description: tier.description,
    options: 'tier' in tier.offer ? tierOptions(TIERS[tier.offer.tier].options) : [],
    max_characters: tier.maxCharacters,
  };
}

function unavailableBecause(tier: TierEntry, payments: OverviewParts['payments']): string | null {
  if ('unavailable' in tier.offer) return tier.offer.unavailable;
  return isSold(tier) ? payments.unavailable() : null;
}

/** The fields of a request that one tier takes and another does not. */
function tierOptions(options: readonly string[]): string[] {
  return options.filter((name) => TIER_OPTIONS.includes(name)).map((name) => WIRE_NAMES[name] ?? name);
}
