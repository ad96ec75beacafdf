// The schemas of answers, as components of the description in /openapi.json. They are closed: tests compare every
// answer with them, and an unknown member fails.
import { NETWORKS, OVERVIEW } from './overview-schema.ts';
import { PREVIEW_SCHEMAS } from './preview-schemas.ts';
import { BESIDE_CHUNKS, BOXES, CHUNKS, RECORD_SCHEMAS } from './records.ts';
import { arrayOf, count, flag, objectOf, oneOfWords, ref, type Schema, text } from '../fields/schema.ts';

const ID = { type: 'string', pattern: '^[a-z][a-z-]{0,31}_[0-9a-f]{12}$' } as const satisfies Schema;

/** The path parameter of a result or a job. */
export const ID_PARAMETER: Schema = { ...ID, description: 'The tier, and 48 bits as 12 hexadecimal digits.' };

const USAGE = objectOf(
  {
    calls: count('Calls of the language model.'),
    input_tokens: count('Tokens that it read.'),
    cached_input_tokens: count('Of these, tokens from its cache.'),
    output_tokens: count('Tokens that it wrote.'),
  },
  { description: 'All answers of the language model, unusable ones included.' },
);
const LANGUAGE_MODEL = {
  model: text(
    'Name of the model at its service; several, with commas, when a fallback model answered. Absent without a call.',
  ),
  prompt_version: text('Version of the instructions.'),
  usage: USAGE,
} as const satisfies Readonly<Record<string, Schema>>;

const METADATA = objectOf(
  {
    filename: text(
      'Name as sent; for a link the last part of its path, else its host; for a text `text.txt`.',
    ),
    content_type: text('Media type of the document, by its content.'),
    reader: text(
      'Reader of the document and its version, as `pdf-3`; the version rises with each change of texts.',
    ),
    size_bytes: count('Size of the document in bytes.'),
    estimated_pages: count(
      'Pages that count against the quota: those of a PDF; otherwise the larger of the declared pages and the characters over 2200.',
    ),
    cohesion: objectOf(
      {
        semantic: { type: 'number', description: 'Mean drop of similarity at the boundaries.' },
        structure: { type: 'number', description: 'The same at the boundaries of `structure`.' },
        gain: { type: 'number', description: '`semantic` minus `structure`.' },
      },
      { description: 'Tier `semantic`: the measured gain of its boundaries over those of `structure`.' },
    ),
    language_model: objectOf(
      {
        ...LANGUAGE_MODEL,
        windows: count('Parts of the text, one call each.'),
        windows_fallback: arrayOf(count(), {
          description: 'Indexes of the windows without a usable answer; `structure` cuts them.',
        }),
        enrichment: objectOf(
          {
            ...LANGUAGE_MODEL,
            outline: oneOfWords(
              ['model', 'headings', 'whole'],
              'Part of the document beside each section: an outline by the model, the headings, or the whole text.',
            ),
            outline_fallback: text('Reason for a missing outline.'),
            sections: count('Number of sections.'),
            sections_failed: arrayOf(count(), {
              description: 'Indexes of the sections without any description.',
            }),
            chunks: objectOf(
              {
                complete: count('Chunks with every field.'),
                partial: count('Chunks with some fields.'),
                failed: count('Chunks without a field.'),
              },
              { description: 'Number of chunks by `enrichment_status`.' },
            ),
          },
          {
            optional: ['model', 'outline_fallback'],
            description: 'Tier `ai-pro`: the course of the enrichment.',
          },
        ),
      },
      {
        optional: ['model', 'enrichment'],
        description: 'Tiers `ai` and `ai-pro`: the work of the language model.',
      },
    ),
  },
  { optional: ['reader', 'cohesion', 'language_model'] },
);

const PAYMENT = objectOf(
  {
    amount: count('Millionths of a USDC; 0 on free tiers and while payments are off.'),
    asset: { const: 'USDC' },
    network: oneOfWords(NETWORKS, 'Network of the payment.'),
    transaction: text('Signature of the transaction that paid.'),
    payer: text('Wallet that paid.'),
    receipt: text('Signed receipt of the delivery, a JWS; with RECEIPT_KEY_FILE.'),
  },
  { optional: ['transaction', 'payer', 'receipt'] },
);

/** Members of every answer with chunks or with a link to them. */
const HEAD = {
  success: { const: true },
  tier: text('Tier of the chunks, by its name in this deployment.'),
  total_chunks: {
    type: 'integer',
    minimum: 1,
    description: 'Number of chunks, also in an answer with a link.',
  },
  metadata: ref('Metadata'),
} as const satisfies Readonly<Record<string, Schema>>;
const TAIL = {
  payment: ref('Payment'),
  warnings: arrayOf(
    objectOf(
      { code: text('Code of the warning.'), message: text('The warning in words.') },
      { additionalProperties: true },
    ),
    { minItems: 1, description: 'For example unreadable pages, or a guessed encoding (`encoding_guessed`).' },
  ),
} as const satisfies Readonly<Record<string, Schema>>;

const ERROR = {
  error: text('The short text of the status.'),
  code: text('Code for programs; a code keeps its meaning.'),
  message: text('The cause and the way out, in words.'),
  request_id: text('Also in the header `X-Request-Id` and in the log.'),
  retryable: flag('The same request can succeed later; every status but 500 then carries `Retry-After`.'),
  limit: {
    type: 'object',
    additionalProperties: { type: ['number', 'string'] },
    description:
      'The numbers behind the message, for example `max_bytes`, `pages`, `pages_left`, `max_characters`.',
  },
  payment: objectOf(
    {
      reusable: flag('The payment can pay for another request.'),
      transaction: text('Signature of its transaction, once known.'),
    },
    { optional: ['transaction'], description: 'State of the payment that the request carries.' },
  ),
} as const satisfies Readonly<Record<string, Schema>>;

const PAYMENT_REQUIREMENTS = objectOf(
  {
    x402Version: { const: 1 },
    scheme: { const: 'exact' },
    network: oneOfWords(NETWORKS, 'Network of the transfer.'),
    maxAmountRequired: {
      type: 'string',
      pattern: '^[1-9]\\d*$',
      description: 'Price in millionths of a USDC.',
    },
    asset: text('Mint of the asset.'),
    payTo: text('Wallet that receives the transfer.'),
    description: text('The purchase in words.'),
    extra: objectOf(
      {
        decimals: count('Decimals of the asset.'),
        memo: text('Memo of the transfer, for a link or a text.'),
        binding: { type: 'object', description: 'Rule for the memo, for an upload.' },
        memoRequired: { const: true, description: 'The transfer must carry the memo.' },
        withoutMemo: text('The way out for a transfer that was made without it.'),
      },
      {
        optional: ['memo', 'binding', 'memoRequired', 'withoutMemo'],
        description: 'Details of the transfer.',
      },
    ),
  },
  { description: 'The offer: a transfer that pays for this request.' },
);

/** Members of an answer that identify its job. */
const JOB_TICKET = {
  async: { const: true },
  job_id: { ...ID, description: 'Id of the job.' },
  status_url: text(
    'Address of its status; ask it every second or two until `status` is `completed` or `failed`.',
  ),
} as const satisfies Readonly<Record<string, Schema>>;
/** Further members of the link to a job's result, for a request that repeats its payment. */
const JOB_DONE = {
  ...JOB_TICKET,
  status: { const: 'completed' },
  result_id: { ...ID, description: 'Id of the result, equal to that of the job.' },
} as const;

/** Every component of answers, by name. */
export const ANSWER_SCHEMAS: Readonly<Record<string, Schema>> = {
  Overview: OVERVIEW,
  Health: objectOf({
    status: { const: 'healthy' },
    network: oneOfWords(NETWORKS, 'Network of payments.'),
  }),
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
      download_url: text('Address of the full answer; it is the only key to it.'),
      expires_in: { const: '60 minutes' },
      ...TAIL,
      ...JOB_DONE,
    },
    { optional: ['warnings', ...Object.keys(JOB_DONE)] },
  ),
  JobTicket: objectOf(
    {
      success: { const: true },
      ...JOB_TICKET,
      status: { const: 'processing' },
      webhook_secret: text(
        'Key of the signatures of the webhook: `whsec_` and Base64. A request that repeats its payment gets none.',
      ),
    },
    { optional: ['webhook_secret'] },
  ),
  JobEnd: objectOf(
    {
      job_id: { ...ID, description: 'Id of the job.' },
      status: oneOfWords(['completed', 'failed'], 'Its final state.'),
    },
    { description: 'The body of a webhook, which is signed.' },
  ),
  JobStatus: objectOf(
    {
      job_id: { ...ID, description: 'Id of the job.' },
      status: {
        type: 'string',
        enum: ['processing', 'completed', 'failed'],
        description: 'State of the job; `completed` and `failed` are final.',
      },
      progress: {
        type: 'integer',
        minimum: 0,
        maximum: 100,
        description: 'Share of the work that is done; it never decreases, and 100 means completed.',
      },
      message: text('The stage, such as `Enriching section 3 of 12`, or the reason of the failure.'),
      code: text('Error code of a failed job; `job_timeout` when `JOB_TIMEOUT_MS` was exceeded.'),
      result_id: text('Id of the result of a completed job.'),
      download_url: text('Address of the full answer of a completed job.'),
    },
    { optional: ['code', 'result_id', 'download_url'] },
  ),
  Citation: objectOf(
    {
      found: flag('False when no place reaches the bound.'),
      score: {
        type: 'number',
        minimum: 0,
        maximum: 1,
        description:
          "Share of the quotation's letters and digits that stand there; absent when it was not found.",
      },
      passages: arrayOf(
        objectOf(
          {
            start_offset: count('Start in the extracted text, in UTF-16 code units.'),
            end_offset: count('End in the extracted text.'),
            page_start: {
              type: 'integer',
              minimum: 1,
              description: 'First page of the chunks that hold it.',
            },
            page_end: { type: 'integer', minimum: 1, description: 'Last page of these chunks.' },
            text: text('The passage.'),
            chunk_ids: arrayOf(text(), { description: 'Ids of the chunks that hold it, in order.' }),
            regions: {
              ...BOXES,
              description:
                'With `regions` of the result: boxes that hold it, with other text of these chunks. Page from 1, then left, top, right and bottom edge in hundredths of a point.',
            },
            paragraph: {
              type: 'integer',
              minimum: 1,
              description:
                'With `regions` of the result: paragraph of a DOCX in which the first of these chunks begins.',
            },
            fragment: text(
              'With `regions` of the result: text fragment of a link to the first of these chunks on an HTML page.',
            ),
          },
          { optional: ['page_start', 'page_end', 'regions', 'paragraph', 'fragment'] },
        ),
        { description: 'One, or one for each part between ellipses, in the order of the document.' },
      ),
    },
    { optional: ['score'] },
  ),
  PaidResources: objectOf({
    version: { const: 1 },
    resources: arrayOf(text(), {
      description: 'Addresses that answer a `POST` without a payment with an offer.',
    }),
  }),
  ReceiptKeys: objectOf({
    keys: arrayOf(
      objectOf({
        kty: { const: 'OKP' },
        crv: { const: 'Ed25519' },
        x: text('The public key in base64url.'),
        kid: text('Thumbprint of the key (RFC 7638); the fragment of `kid` in receipts.'),
        alg: { const: 'EdDSA' },
        use: { const: 'sig' },
      }),
      { description: 'The signing key first, then retired ones.' },
    ),
  }),
  PreparedTransfer: objectOf({
    transaction: text('The unsigned transaction in base64.'),
    last_valid_block_height: count('Block height after which the network refuses it.'),
  }),
  SentTransfer: objectOf({ signature: text('Value of `X-PAYMENT`.') }),
  FoundTransfer: objectOf(
    {
      state: {
        type: 'string',
        enum: ['paid', 'unknown', 'unpaid'],
        description:
          '`unknown`: the transfer may still arrive. `unpaid`: it was not made and cannot be made any more.',
      },
      signature: text('Value of `X-PAYMENT`, with the state `paid`.'),
    },
    { optional: ['signature'] },
  ),
  ...PREVIEW_SCHEMAS,
  ...RECORD_SCHEMAS,
  Error: objectOf(ERROR, { optional: ['limit', 'payment'] }),
  PaymentRequired: objectOf(
    {
      ...ERROR,
      paymentRequirements: PAYMENT_REQUIREMENTS,
      x402Version: { const: 1 },
      accepts: arrayOf({ type: 'object' }, { description: 'Offers for clients of x402.' }),
    },
    {
      optional: ['limit', 'payment', 'x402Version', 'accepts'],
      description: 'No payment was taken for this request; the offer says how to pay.',
    },
  ),
};
