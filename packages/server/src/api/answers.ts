// The schemas of answers, as components of the description in /openapi.json. They are closed: an answer with a member
// that stands in none of them does not pass, and the tests hold every answer against them.
import { BESIDE_CHUNKS, CHUNKS, RECORD_SCHEMAS } from './records.ts';
import { arrayOf, count, flag, objectOf, oneOfWords, orNull, ref, type Schema, text } from './schema.ts';

const ID = { type: 'string', pattern: '^[a-z][a-z-]{0,31}_[0-9a-f]{12}$' } as const satisfies Schema;

/** A result id or a job id, where a path has one. */
export const ID_PARAMETER: Schema = { ...ID, description: 'The tier, and 48 bits as 12 hexadecimal digits.' };

const NETWORKS = ['solana-mainnet', 'solana-devnet', 'solana-localnet'];

/** What answers of a language model took, those of no use included. */
const USAGE = objectOf({
  calls: count(),
  input_tokens: count(),
  cached_input_tokens: count('Of these, read from a cache of the model.'),
  output_tokens: count(),
});
const ASKED = {
  model: text(
    'As its service names it; several, with commas, when another one answered too. Absent when nothing was asked.',
  ),
  prompt_version: text('Of the instructions that it was given.'),
  usage: USAGE,
} as const satisfies Readonly<Record<string, Schema>>;

const METADATA = objectOf(
  {
    filename: text(),
    content_type: text('Media type of what was chunked.'),
    size_bytes: count(),
    estimated_pages: count("A PDF's pages; otherwise what is declared, or characters over 2200."),
    cohesion: objectOf(
      { semantic: { type: 'number' }, structure: { type: 'number' }, gain: { type: 'number' } },
      { description: 'Tier `semantic`: by how much its boundaries beat those of `structure`.' },
    ),
    language_model: objectOf(
      {
        ...ASKED,
        windows: count('Parts in which it was shown the text.'),
        windows_fallback: arrayOf(count(), {
          description: 'Indexes of those for which it gave no usable answer: they are cut by structure.',
        }),
        enrichment: objectOf(
          {
            ...ASKED,
            outline: oneOfWords(
              ['model', 'headings', 'whole'],
              'What it was shown of the document with each section.',
            ),
            outline_fallback: text('Why it made no outline, where it should have.'),
            sections: count(),
            sections_failed: arrayOf(count(), {
              description: 'Indexes of those of which no chunk is described.',
            }),
            chunks: objectOf({ complete: count(), partial: count(), failed: count() }),
          },
          {
            optional: ['model', 'outline_fallback'],
            description: 'Tier `ai-pro`: how describing the chunks went.',
          },
        ),
      },
      {
        optional: ['model', 'enrichment'],
        description: 'Tiers `ai` and `ai-pro`: what the language model did.',
      },
    ),
  },
  { optional: ['cohesion', 'language_model'] },
);

const PAYMENT = objectOf(
  {
    amount: count('In millionths of a USDC; 0 for what is free.'),
    asset: { const: 'USDC' },
    network: oneOfWords(NETWORKS),
    transaction: text(),
    payer: text(),
  },
  { optional: ['transaction', 'payer'] },
);

/** Members of every answer with chunks, and of every answer with a link to them. */
const HEAD = {
  success: { const: true },
  tier: text('The tier that did the work, by its name in this deployment.'),
  total_chunks: { type: 'integer', minimum: 1 },
  metadata: ref('Metadata'),
} as const satisfies Readonly<Record<string, Schema>>;
const TAIL = {
  payment: ref('Payment'),
  warnings: arrayOf(objectOf({ code: text(), message: text() }, { additionalProperties: true }), {
    minItems: 1,
  }),
} as const satisfies Readonly<Record<string, Schema>>;

const RANGE = objectOf({
  least: count(),
  most: count(),
  default: objectOf({ characters: count(), tokens: count() }),
});

const OVERVIEW = objectOf({
  name: { const: 'grainline' },
  version: text(),
  deployment: oneOfWords(['primary', 'compact']),
  network: oneOfWords(NETWORKS),
  asset: { const: 'USDC' },
  payments: oneOfWords(['on', 'off']),
  asset_address: orNull(text()),
  pay_to: orNull(text()),
  binding: orNull(objectOf({ required: flag(), memo_prefix: text(), deployment: text() })),
  tiers: arrayOf(
    objectOf(
      {
        id: text(),
        price_usd: { type: 'number', minimum: 0 },
        amount: count(),
        mode: oneOfWords(['sync', 'async']),
        available: flag(),
        reason: text('Why it is not available.'),
        path: text(),
        description: text(),
        options: arrayOf(text()),
        max_characters: orNull(count()),
        max_cost_usd: orNull({ type: 'number', minimum: 0 }),
        models: arrayOf(text(), { description: 'Language models that may be asked.' }),
        scripted: flag('A program stands in for the language model here.'),
      },
      { optional: ['reason', 'models', 'scripted'] },
    ),
  ),
  default_tier: text(),
  output_formats: arrayOf(text()),
  upload_types: arrayOf(text()),
  url_types: arrayOf(text()),
  limits: objectOf({
    free_pages_per_day: orNull(count()),
    requests_per_minute: orNull(count()),
    max_upload_bytes: count(),
    max_json_bytes: count(),
    max_link_bytes: count(),
    chunk_size: RANGE,
    units: arrayOf(text()),
    encodings: arrayOf(text()),
    link_from_chunks: count(),
    result_lifetime_seconds: count(),
    job_timeout_seconds: count(),
  }),
  privacy: objectOf({
    documents: text(),
    results: text(),
    payments: text(),
    clients: text(),
    logs: text(),
    outside_models: arrayOf(
      objectOf({ host: text(), models: arrayOf(text()), tiers: arrayOf(text()), scripted: flag() }),
      { description: 'Who besides this service is shown text, and on which tiers.' },
    ),
  }),
  endpoints: arrayOf(objectOf({ method: text(), path: text(), description: text() })),
  links: { type: 'object', additionalProperties: text() },
});

const ERROR = {
  error: text('The short text of the status.'),
  code: text('For programs; a code keeps its meaning.'),
  message: text('What was wrong, and what to do.'),
  request_id: text(),
  retryable: flag('Whether the same request can succeed later.'),
  limit: {
    type: 'object',
    additionalProperties: { type: ['number', 'string'] },
    description: 'The numbers behind the message.',
  },
  payment: objectOf(
    { reusable: flag(), transaction: text() },
    {
      optional: ['transaction'],
      description: 'Whether the payment that the request shows may pay for another one.',
    },
  ),
} as const satisfies Readonly<Record<string, Schema>>;

const PAYMENT_REQUIREMENTS = objectOf({
  x402Version: { const: 1 },
  scheme: { const: 'exact' },
  network: oneOfWords(NETWORKS),
  maxAmountRequired: { type: 'string', pattern: '^[1-9]\\d*$' },
  asset: text('Mint of the asset.'),
  payTo: text(),
  description: text(),
  extra: objectOf(
    {
      decimals: count(),
      memo: text('What the memo of the transfer must be, where the request is known.'),
      binding: { type: 'object', description: 'How to make the memo, where it is not.' },
      memoRequired: { const: true },
    },
    { optional: ['memo', 'binding', 'memoRequired'] },
  ),
});

/** Under which id a job is asked about. */
const JOB_TICKET = {
  async: { const: true },
  job_id: ID,
  status_url: text('Where to ask how far it is.'),
} as const satisfies Readonly<Record<string, Schema>>;
/** What the link to a job's result has besides: it answers whoever shows the payment again. */
const JOB_DONE = { ...JOB_TICKET, status: { const: 'completed' }, result_id: ID } as const;

/** Every component that answers are made of. */
export const ANSWER_SCHEMAS: Readonly<Record<string, Schema>> = {
  Overview: OVERVIEW,
  Health: objectOf({ status: { const: 'healthy' }, network: oneOfWords(NETWORKS) }),
  Ready: objectOf({ status: { const: 'ready' } }),
  Metadata: METADATA,
  Payment: PAYMENT,
  ChunkAnswer: objectOf(
    { ...HEAD, chunks: CHUNKS, ...BESIDE_CHUNKS, ...TAIL },
    { optional: [...Object.keys(BESIDE_CHUNKS), 'warnings'] },
  ),
  LinkAnswer: objectOf(
    {
      ...HEAD,
      download_url: text('Where the full answer is; the link is a key to it.'),
      expires_in: { const: '60 minutes' },
      ...TAIL,
      ...JOB_DONE,
    },
    { optional: ['warnings', ...Object.keys(JOB_DONE)] },
  ),
  JobTicket: objectOf({
    success: { const: true },
    ...JOB_TICKET,
    status: { const: 'processing' },
  }),
  JobStatus: objectOf(
    {
      job_id: ID,
      status: { type: 'string', enum: ['processing', 'completed', 'failed'] },
      progress: { type: 'integer', minimum: 0, maximum: 100 },
      message: text('What it is at, for people; of a failed one, why.'),
      code: text('Of a failed one: the code that its request would have been refused with.'),
      result_id: text('Of a completed one.'),
      download_url: text('Of a completed one: where the full answer is.'),
    },
    { optional: ['code', 'result_id', 'download_url'] },
  ),
  PaidResources: objectOf({
    version: { const: 1 },
    resources: arrayOf(text(), { description: 'Each answers `POST` without a payment with what to pay.' }),
  }),
  PreparedTransfer: objectOf({
    transaction: text('Unsigned, in base64.'),
    last_valid_block_height: count(),
  }),
  SentTransfer: objectOf({ signature: text('What X-PAYMENT carries.') }),
  FoundTransfer: objectOf(
    {
      state: {
        type: 'string',
        enum: ['paid', 'unknown', 'unpaid'],
        description: '`unknown`: it may still come. `unpaid`: it was not made, and no longer can be.',
      },
      signature: text('What X-PAYMENT carries; where it was paid.'),
    },
    { optional: ['signature'] },
  ),
  ...RECORD_SCHEMAS,
  Error: objectOf(ERROR, { optional: ['limit', 'payment'] }),
  PaymentRequired: objectOf(
    {
      ...ERROR,
      paymentRequirements: PAYMENT_REQUIREMENTS,
      x402Version: { const: 1 },
      accepts: arrayOf({ type: 'object' }),
    },
    {
      optional: ['limit', 'payment', 'x402Version', 'accepts'],
      description: 'Nothing of the payment was taken for this request; what to pay, and how.',
    },
  ),
};
