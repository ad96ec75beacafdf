// `GET /`: what a deployment offers, computed from the catalog, the settings and the registries.
import { type TierId, TIERS } from '@grainline/core';
import { FORMATS } from '@grainline/core/formats';
import { READERS } from '@grainline/extract';
import { operationsOf } from './api/operations.ts';
import { asksLanguageModel, type Deployment, isSold, MICRO_USD, type TierEntry } from './catalog.ts';
import { WIRE_NAMES } from './errors.ts';
import { CHUNK_SIZE, ENCODING_NAMES, UNITS } from './api/field-table.ts';
import { TIER_OPTIONS } from './api/fields.ts';
import { LINK_FROM_CHUNKS } from './http/respond.ts';
import { MEMO_PREFIX } from '@grainline/x402';
import type { LanguageModel, OutsideModel } from './models/language-model.ts';
import type { Payments } from './payments/payments.ts';
import { RESULT_LIFETIME, RESULT_LIFETIME_MS } from './results.ts';
import type { Settings } from './settings/settings.ts';

/** What the overview tells of. */
export interface OverviewParts {
  readonly deployment: Deployment;
  readonly settings: Settings;
  readonly version: string;
  readonly payments: Pick<Payments, 'rule' | 'unavailable'>;
  readonly languageModel: Pick<LanguageModel, 'outside' | 'unavailable'>;
}

/** The body of `GET /`, as JSON. */
export function overviewText(parts: OverviewParts, origin: string): string {
  const { deployment, settings, version, payments } = parts;
  return JSON.stringify({
    name: 'grainline',
    version,
    deployment: deployment.name,
    network: settings.network,
    asset: 'USDC',
    payments: settings.payments,
    ...paymentOverview(settings, payments),
    tiers: deployment.tiers.map((tier) => tierOverview(tier, parts)),
    default_tier: deployment.defaultTier,
    output_formats: Object.keys(FORMATS),
    upload_types: settings.uploadKinds,
    url_types: URL_KINDS,
    limits: {
      free_pages_per_day: settings.freePagesPerDay === 'off' ? null : settings.freePagesPerDay,
      requests_per_minute: settings.rateLimit === 'off' ? null : settings.rateLimit,
      max_upload_bytes: settings.maxUploadBytes,
      max_json_bytes: settings.maxJsonBytes,
      max_link_bytes: settings.fetchMaxBytes,
      chunk_size: CHUNK_SIZE,
      units: UNITS,
      encodings: ENCODING_NAMES,
      link_from_chunks: LINK_FROM_CHUNKS,
      result_lifetime_seconds: RESULT_LIFETIME_MS / 1000,
      job_timeout_seconds: settings.jobTimeoutMs / 1000,
    },
    privacy: { ...PRIVACY, clients: keptOfClients(settings), outside_models: outsideModels(parts) },
    endpoints: endpointsOf(deployment),
    links: {
      self: `${origin}/`,
      health: `${origin}/health`,
      ready: `${origin}/ready`,
      openapi: `${origin}/openapi.json`,
      guide: `${origin}/llms.txt`,
      reference: `${origin}/llms-full.txt`,
    },
  });
}

/** Kinds that links may lead to: all that extraction reads. */
export const URL_KINDS = READERS.map((reader) => reader.kind);

const PRIVACY = {
  documents:
    'Held in memory while the request is worked on, never written to disk; those of tiers with the mode async are kept in the store, with what the language model answered, until their job has ended.',
  results: `Answers with ${LINK_FROM_CHUNKS} or more chunks are kept for ${RESULT_LIFETIME}, or until DELETE /results/{id}; answers that were paid for as long, for whoever shows the payment and the same request again; others are not kept.`,
  payments:
    'The transaction, its payer and amount, the tier and a hash of the request are kept for good, so that no payment is used twice.',
  logs: 'No text, file names, links or addresses.',
} as const;

function keptOfClients({ freePagesPerDay }: Settings): string {
  return freePagesPerDay === 'off'
    ? 'No addresses of clients are kept.'
    : 'The client address (of IPv6 its /64 network) and its number of free pages are kept for the day (UTC).';
}

function endpointsOf(deployment: Deployment): object[] {
  return [
    { method: 'POST', path: '/chunk/demo', description: 'Chunks an uploaded document on the free tier.' },
    ...operationsOf(deployment).map(({ method, path, summary }) => ({ method, path, description: summary })),
  ];
}

/** Where to pay, and how to bind a payment to its request. */
function paymentOverview(settings: Settings, { rule }: OverviewParts['payments']): object {
  if (rule === null) return { asset_address: null, pay_to: null, binding: null };
  const { paymentBinding: binding, deploymentId: deployment } = settings;
  const how = { required: binding === 'require', memo_prefix: MEMO_PREFIX, deployment };
  return { asset_address: rule.asset, pay_to: rule.payTo, binding: binding === 'off' ? null : how };
}

function tierOverview(tier: TierEntry, parts: OverviewParts): object {
  const reason = unavailableBecause(tier, parts);
  const model = asksModel(tier) ? parts.languageModel.outside : null;
  return {
    id: tier.id,
    price_usd: Number(tier.priceMicroUsd) / MICRO_USD,
    amount: Number(tier.priceMicroUsd),
    mode: tier.mode,
    available: reason === null,
    ...(reason === null ? undefined : { reason }),
    path: tier.path,
    description: model?.scripted === true ? `${tier.description} ${SCRIPTED}` : tier.description,
    options: tierOptions(tier.options),
    max_characters: tier.maxCharacters,
    max_cost_usd: tier.maxCostUsd,
    ...(model === null ? undefined : { models: model.models, scripted: model.scripted }),
  };
}

function unavailableBecause(tier: TierEntry, { payments, languageModel }: OverviewParts): string | null {
  if ('unavailable' in tier.offer) return tier.offer.unavailable;
  const reason = asksModel(tier) ? languageModel.unavailable() : null;
  return reason ?? (isSold(tier) ? payments.unavailable() : null);
}

/** So that nobody takes it for a model. */
const SCRIPTED = 'Scripted: a program stands in for the model here and chooses nothing.';

function asksModel({ offer }: TierEntry): boolean {
  return 'tier' in offer && asksLanguageModel(offer.tier);
}

/** Who besides this service is shown text, and on which tiers. */
function outsideModels({ deployment, settings, languageModel: { outside } }: OverviewParts): object[] {
  const tiersWith = (option: string): string[] =>
    deployment.tiers.filter(({ offer }) => 'tier' in offer && takes(offer.tier, option)).map(({ id }) => id);
  const entry = ({ host, models, scripted }: OutsideModel, tiers: readonly string[]): object[] =>
    tiers.length === 0 ? [] : [{ host, models, tiers, scripted }];
  const { embeddings, embeddingsBaseUrl, embeddingsModel = '' } = settings;
  const embedder = {
    host: new URL(embeddingsBaseUrl ?? OPENAI_URL).host,
    models: [embeddingsModel],
    scripted: false,
  };
  return [
    ...(embeddings === 'openai' ? entry(embedder, tiersWith('embed')) : []),
    ...(outside === null ? [] : entry(outside, tiersWith('complete'))),
  ];
}

/** Where the embedder is when EMBEDDINGS_BASE_URL says nothing else. */
const OPENAI_URL = 'https://api.openai.com/v1';

function takes(tier: TierId, option: string): boolean {
  const options: readonly string[] = TIERS[tier].options;
  return options.includes(option);
}

/** The fields of a request that one tier takes and another does not. */
function tierOptions(options: readonly string[]): string[] {
  return options.filter((name) => TIER_OPTIONS.includes(name)).map((name) => WIRE_NAMES[name] ?? name);
}
