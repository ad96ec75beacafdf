// `GET /`: the offer of a deployment, computed from the catalog, the settings and the registries.
import { needsLanguageModel, type TierId, TIERS } from '@grainline/core';
import { FORMATS } from '@grainline/core/formats';
import { OPTIONS, wireNameOf } from '@grainline/core/options';
import { operationsOf } from './operations.ts';
import { type Deployment, isPaid, MICRO_USD, type TierEntry } from '../catalog.ts';
import { CHUNK_SIZE } from '../fields/field-table.ts';
import { TIER_OPTIONS } from '../requests/fields.ts';
import { LINK_FROM_CHUNKS } from '../responses/answer.ts';
import { MEMO_PREFIX } from '@grainline/x402';
import type { LanguageModel, OutsideModel } from '../models/language-model.ts';
import type { Payments } from '../payments/payments.ts';
import { RESULT_LIFETIME, RESULT_LIFETIME_MS } from '../store/result-id.ts';
import { linkKinds } from '../requests/run-request.ts';
import type { Settings } from '../settings/settings.ts';

/** Dependencies of {@link overviewText}. */
export interface OverviewDeps {
  readonly deployment: Deployment;
  readonly settings: Settings;
  readonly version: string;
  readonly payments: Pick<Payments, 'rule' | 'unavailable'>;
  readonly languageModel: Pick<LanguageModel, 'outside' | 'unavailableReason'>;
}

/**
 * The body of `GET /`, as JSON.
 *
 * @param isLimited false when this client's requests are not counted
 */
export function overviewText(deps: OverviewDeps, origin: string, isLimited: boolean): string {
  const { deployment, settings, version, payments } = deps;
  return JSON.stringify({
    name: 'grainline',
    version,
    deployment: deployment.name,
    network: settings.network,
    asset: 'USDC',
    payments: settings.payments,
    ...paymentOverview(settings, payments),
    tiers: deployment.tiers.map((tier) => tierOverview(tier, deps)),
    default_tier: deployment.defaultTier,
    output_formats: Object.keys(FORMATS),
    upload_types: settings.uploadKinds,
    url_types: linkKinds(settings),
    ocr: settings.ocr === 'off' ? null : { engine: settings.ocr, languages: settings.ocrLanguages },
    limits: {
      free_pages_per_day: settings.freePagesPerDay === 'off' ? null : settings.freePagesPerDay,
      requests_per_minute: isLimited && settings.rateLimit !== 'off' ? settings.rateLimit : null,
      max_upload_bytes: settings.maxUploadBytes,
      max_json_bytes: settings.maxJsonBytes,
      max_link_bytes: settings.fetchMaxBytes,
      chunk_size: CHUNK_SIZE,
      units: OPTIONS.unit.choices,
      encodings: OPTIONS.encoding.choices,
      link_from_chunks: LINK_FROM_CHUNKS,
      result_lifetime_seconds: RESULT_LIFETIME_MS / 1000,
      job_timeout_seconds: settings.jobTimeoutMs / 1000,
    },
    privacy: { ...PRIVACY, clients: keptOfClients(settings), outside_models: outsideModels(deps) },
    endpoints: endpointsOf(deployment),
    links: {
      self: `${origin}/`,
      health: `${origin}/health`,
      ready: `${origin}/ready`,
      openapi: `${origin}/openapi.json`,
      guide: `${origin}/llms.txt`,
      reference: `${origin}/llms-full.txt`,
      mcp: `${origin}/mcp`,
    },
  });
}

const PRIVACY = {
  documents:
    'A document is in memory while its request runs, and is never written to disk. Documents of background tiers (ai-pro) are stored, with the replies of the language model, until their job ends.',
  results: `Answers with ${LINK_FROM_CHUNKS} or more chunks are kept for ${RESULT_LIFETIME}, or until DELETE /results/{id}. Paid answers are kept as long: the same request with its payment fetches them again. Other answers are not kept.`,
  payments:
    'The transaction, its payer and amount, the tier and a hash of the request are kept for good, so that no payment is used twice.',
  logs: 'No text, file names, links or addresses. A client stands in them as a hash whose key ends with the process.',
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

/** The pay-to address, and the binding of payments to requests. */
function paymentOverview(settings: Settings, { rule }: OverviewDeps['payments']): object {
  if (rule === null) return { asset_address: null, pay_to: null, binding: null };
  const { paymentBinding: binding, deploymentId: deployment } = settings;
  const how = { required: binding === 'require', memo_prefix: MEMO_PREFIX, deployment };
  return { asset_address: rule.asset, pay_to: rule.payTo, binding: binding === 'off' ? null : how };
}

function tierOverview(tier: TierEntry, deps: OverviewDeps): object {
  const reason = unavailableBecause(tier, deps);
  const model = usesModel(tier) ? deps.languageModel.outside : null;
  return {
    id: tier.id,
    price_usd: Number(tier.priceMicroUsd) / MICRO_USD,
    amount: Number(tier.priceMicroUsd),
    mode: tier.mode,
    available: reason === null,
    reason: reason ?? undefined,
    path: tier.path,
    description: model?.scripted === true ? `${tier.description} ${SCRIPTED}` : tier.description,
    options: tierOptions(tier.options),
    max_characters: tier.maxCharacters,
    max_scanned_pages: tier.maxScannedPages,
    max_cost_usd: tier.maxCostUsd,
    models: model?.models,
    scripted: model?.scripted,
  };
}

function unavailableBecause(tier: TierEntry, { payments, languageModel }: OverviewDeps): string | null {
  if ('unavailable' in tier.offer) return tier.offer.unavailable;
  const reason = usesModel(tier) ? languageModel.unavailableReason() : null;
  return reason ?? (isPaid(tier) ? payments.unavailable() : null);
}

/** Marks a scripted model, which chooses nothing. */
const SCRIPTED = 'Scripted: a program stands in for the model here and chooses nothing.';

function usesModel({ offer }: TierEntry): boolean {
  return 'tier' in offer && needsLanguageModel(offer.tier);
}

/** The remote models that receive text, with their tiers. */
function outsideModels({ deployment, settings, languageModel: { outside } }: OverviewDeps): object[] {
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

/** The embedder's address without EMBEDDINGS_BASE_URL. */
const OPENAI_URL = 'https://api.openai.com/v1';

function takes(tier: TierId, option: string): boolean {
  const options: readonly string[] = TIERS[tier].options;
  return options.includes(option);
}

/** The fields that some tiers accept and others reject. */
function tierOptions(options: readonly string[]): string[] {
  return options.filter((name) => TIER_OPTIONS.includes(name)).map((name) => wireNameOf(name));
}
