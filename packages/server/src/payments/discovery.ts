// The description of paid operations for catalogs of x402: the extension `bazaar` of the 402, and the manifest at
// /.well-known/x402.json. Clients return the extension with their payment in one header, so it takes at most 1 kB
// (docs/adr/0048-discovery-in-the-offer.md).
import type { OfferedRequest, Quote } from '@grainline/x402';
import { MICRO_USD, type Deployment, paidTiers, type TierEntry } from '../catalog.ts';
import { CHUNK_SIZE } from '../fields/field-table.ts';
import type { Schema } from '../fields/schema.ts';
import type { HttpRequest } from '../http/message.ts';
import type { RequestSource } from '../requests/chunk-request.ts';

/** The body of a call: JSON of a link or a text, or a form with a file. */
export type CallForm = 'json' | 'form-data';

/** The extension `bazaar`: a call, and the schema that it fulfils. */
interface Discovery {
  readonly info: { readonly input: Schema; readonly output: Schema };
  readonly schema: Schema;
}

/** The service in catalogs: ASCII, at most 32 characters each, at most 5 tags. */
const CATALOG_SERVICE = {
  serviceName: 'Grainline',
  tags: ['documents', 'pdf', 'chunking', 'rag', 'embeddings'],
} as const;

/** Media type of the answers. */
const ANSWER_TYPE = 'application/json';
/** The answer to a call, shortened to the members that every tier has. */
const OUTPUT = { type: 'json', example: { success: true, chunks: [{ text: 'Some text.' }] } };
/** Options of every tier. The description of the API has all. */
const OPTION_SCHEMAS = {
  chunk_size: { type: 'integer', minimum: CHUNK_SIZE.least, maximum: CHUNK_SIZE.most },
  chunk_overlap: { type: 'integer' },
  unit: { enum: ['characters', 'tokens'] },
  output_format: { type: 'string' },
} as const;

/** The product of an offer. */
export function quoteOf({ id, priceMicroUsd, description }: TierEntry): Quote {
  return {
    price: priceMicroUsd,
    product: id,
    description: `Chunks of one document, tier ${id}. ${description}`,
  };
}

/** The members of an offer that describe the call to catalogs. */
export function describedCall(
  tier: TierEntry,
  { path, headers }: Pick<HttpRequest, 'path' | 'headers'>,
  source?: RequestSource['kind'],
): Pick<OfferedRequest, 'mimeType' | 'service' | 'extensions'> {
  if (path === TOOL_PATH) {
    const bazaar = discoveryOfTool(tier, source === 'link' ? 'url' : 'text');
    return { mimeType: ANSWER_TYPE, service: CATALOG_SERVICE, extensions: { bazaar } };
  }
  const form: CallForm = headers['content-type']?.startsWith('multipart/') === true ? 'form-data' : 'json';
  const bazaar = discoveryOf(tier, form, path === tier.path);
  return { mimeType: ANSWER_TYPE, service: CATALOG_SERVICE, extensions: { bazaar } };
}

/** The path of the tools for agents. Catalogs know each by this path and its name. */
const TOOL_PATH = '/mcp';

export function discoveryOfTool({ id }: TierEntry, source: 'url' | 'text'): Discovery {
  const example = source === 'url' ? 'https://a.example' : 'Some text.';
  const inputSchema = {
    type: 'object',
    properties: { tier: { const: id }, ...OPTION_SCHEMAS, [source]: { type: 'string' } },
    required: [source],
  };
  const input = {
    type: 'mcp',
    toolName: `chunk_${source}`,
    transport: 'streamable-http',
    inputSchema,
    example: { tier: id, [source]: example },
  };
  return discovery(input, {
    properties: {
      type: { const: 'mcp' },
      toolName: { type: 'string' },
      transport: { enum: ['streamable-http'] },
      inputSchema: { type: 'object' },
      example: { type: 'object' },
    },
    required: ['type', 'toolName', 'inputSchema'],
  });
}

/** @param isPathOfTier true where the path names the tier, so that the body does not */
export function discoveryOf({ id }: TierEntry, form: CallForm, isPathOfTier: boolean): Discovery {
  const { example, schema } = bodyOf(id, form, isPathOfTier);
  return discovery(
    { type: 'http', method: 'POST', bodyType: form, body: example },
    {
      properties: {
        type: { const: 'http' },
        method: { enum: ['POST'] },
        bodyType: { enum: [form] },
        body: schema,
      },
      required: ['type', 'method', 'bodyType', 'body'],
    },
  );
}

/** @param inputSchema properties of the call, and those that it must have */
function discovery(input: Schema, inputSchema: Schema): Discovery {
  return {
    info: { input, output: OUTPUT },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        input: { type: 'object', ...inputSchema, additionalProperties: false },
        output: { type: 'object', properties: { type: { type: 'string' } }, required: ['type'] },
      },
      required: ['input'],
    },
  };
}

/** A body as an example, and its schema. */
function bodyOf(id: string, form: CallForm, isPathOfTier: boolean): { example: Schema; schema: Schema } {
  const tier = isPathOfTier ? {} : { tier: id };
  const tierSchema = isPathOfTier ? {} : { tier: { const: id } };
  const link = { url: 'https://example.com/report.pdf' };
  const file = { file: 'report.pdf' };
  const sources = form === 'json' ? ['url', 'text'] : ['file', 'text'];
  return {
    example: { ...tier, chunk_size: CHUNK_SIZE.default.characters, ...(form === 'json' ? link : file) },
    schema: {
      type: 'object',
      properties: {
        ...tierSchema,
        ...OPTION_SCHEMAS,
        ...Object.fromEntries(sources.map((name) => [name, { type: 'string' }])),
      },
      oneOf: sources.map((name) => ({ required: [name] })),
    },
  };
}

/** The offer for a request that is described and not sent; `accepts` of x402 version 2, empty without a facilitator. */
export type AcceptsOf = (tier: TierEntry, resource: string) => readonly unknown[];

/** The JSON of `/.well-known/x402.json` (x402, specs/extensions/well-known-discovery.md, a draft of 2026). */
export function manifestText(
  deployment: Deployment,
  origin: string,
  nowMs: number,
  acceptsOf: AcceptsOf,
): string {
  const { defaultTier } = deployment;
  const tiers = paidTiers(deployment).filter(({ offer }) => 'tier' in offer);
  const items = tiers.flatMap((tier) => {
    const upload = manifestItem(tier, tier.path, 'form-data', origin, acceptsOf);
    return tier.id === defaultTier
      ? [manifestItem(tier, '/chunk', 'json', origin, acceptsOf), upload]
      : [upload];
  });
  return JSON.stringify({ x402Version: 2, lastUpdated: Math.floor(nowMs / 1000), items });
}

function manifestItem(
  tier: TierEntry,
  path: string,
  form: CallForm,
  origin: string,
  acceptsOf: AcceptsOf,
): object {
  const url = `${origin}${path}`;
  const { schema } = bodyOf(tier.id, form, path === tier.path);
  const { description } = quoteOf(tier);
  return {
    resource: { url, description, mimeType: ANSWER_TYPE, ...CATALOG_SERVICE },
    type: 'http',
    price_usd: Number(tier.priceMicroUsd) / MICRO_USD,
    accepts: acceptsOf(tier, url),
    input: { method: 'POST', bodyType: form, body: schema },
    output: { mimeType: ANSWER_TYPE, example: OUTPUT.example },
  };
}
