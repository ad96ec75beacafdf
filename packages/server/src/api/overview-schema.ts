// The schema of `GET /`, the offer of a deployment.
import { arrayOf, count, flag, objectOf, oneOfWords, orNull, text } from '../fields/schema.ts';

/** Names of networks on the wire. */
export const NETWORKS = ['solana-mainnet', 'solana-devnet', 'solana-localnet'];

const RANGE = objectOf(
  {
    least: count('Smallest value.'),
    most: count('Largest value.'),
    default: objectOf(
      { characters: count('Default in characters.'), tokens: count('Default in tokens.') },
      { description: 'Default for each unit.' },
    ),
  },
  { description: 'Bounds of `chunk_size`.' },
);

/** The answer of `GET /`. */
export const OVERVIEW = objectOf({
  name: { const: 'grainline' },
  version: text('Version of the service.'),
  deployment: oneOfWords(['primary', 'compact'], 'Set of tiers.'),
  network: oneOfWords(NETWORKS, 'Network of payments.'),
  asset: { const: 'USDC' },
  payments: oneOfWords(['on', 'off'], 'With `off` every tier is free.'),
  asset_address: orNull(text('Mint of the asset; null without paid tiers.')),
  pay_to: orNull(text('Wallet that receives payments; null without paid tiers.')),
  binding: orNull(
    objectOf(
      {
        required: flag('A payment without a memo needs the signature of its payer.'),
        memo_prefix: text('Beginning of the memo.'),
        deployment: text('Member `deployment` of the hashed object.'),
      },
      { description: 'Rule that binds a payment to its request; null while it is off.' },
    ),
  ),
  tiers: arrayOf(
    objectOf(
      {
        id: text('Name of the tier.'),
        price_usd: { type: 'number', minimum: 0, description: 'Price of a request in US dollars.' },
        amount: count('The price in millionths of a USDC; 0 with payments off.'),
        mode: oneOfWords(['sync', 'async'], '`async` answers with a job.'),
        available: flag('Requests are served at the moment.'),
        reason: text('Reason for `available` being false.'),
        path: text('Path for uploads.'),
        description: text('The tier in one sentence.'),
        options: arrayOf(text(), { description: 'Fields that some other tiers refuse.' }),
        max_characters: orNull(count('Longest text; null where only the limits on bytes apply.')),
        max_scanned_pages: orNull(count('Most pages of a document that OCR reads; null without OCR.')),
        max_cost_usd: orNull({
          type: 'number',
          minimum: 0,
          description: 'Highest cost of the language model for one document; null without one.',
        }),
        models: arrayOf(text(), { description: 'Language models in use.' }),
        scripted: flag('A program stands in for the language model.'),
      },
      { optional: ['reason', 'models', 'scripted'] },
    ),
    { description: 'The tiers of this deployment.' },
  ),
  default_tier: text('Tier of `POST /chunk` without `tier`.'),
  output_formats: arrayOf(text(), { description: 'Values of `output_format`.' }),
  upload_types: arrayOf(text(), { description: 'Media types of uploads.' }),
  url_types: arrayOf(text(), { description: 'Media types behind links.' }),
  ocr: orNull(
    objectOf(
      {
        engine: oneOfWords(['tesseract'], 'The program that reads.'),
        languages: text('Languages of the text, as `eng` or `deu+fra`.'),
      },
      { description: 'Reading of scanned pages and pictures; null without it.' },
    ),
  ),
  limits: objectOf(
    {
      free_pages_per_day: orNull(count('Free pages of a client a day; null without a limit.')),
      requests_per_minute: orNull(count('Requests of a client a minute; null without a limit.')),
      max_upload_bytes: count('Largest file.'),
      max_json_bytes: count('Largest JSON body, and largest `text` in a form.'),
      max_link_bytes: count('Largest document behind a link.'),
      chunk_size: RANGE,
      units: arrayOf(text(), { description: 'Values of `unit`.' }),
      encodings: arrayOf(text(), { description: 'Values of `encoding`.' }),
      link_from_chunks: count('Number of chunks from which an answer is a link.'),
      result_lifetime_seconds: count('Lifetime of results and of finished jobs.'),
      job_timeout_seconds: count('Longest time of a job.'),
    },
    { description: 'Limits of this deployment.' },
  ),
  privacy: objectOf(
    {
      documents: text('Storage of documents.'),
      results: text('Storage of results.'),
      payments: text('Storage of payments.'),
      clients: text('Storage of client addresses.'),
      logs: text('Content of log lines.'),
      outside_models: arrayOf(
        objectOf({
          host: text('Host of the service.'),
          models: arrayOf(text(), { description: 'Its models in use.' }),
          tiers: arrayOf(text(), { description: 'Tiers that send text to it.' }),
          scripted: flag('A program stands in for the models.'),
        }),
        { description: 'Outside services that receive text.' },
      ),
    },
    { description: 'Stored data, its lifetime, and outside services that receive text.' },
  ),
  endpoints: arrayOf(
    objectOf({
      method: text('Method of the operation.'),
      path: text('Path of the operation.'),
      description: text('The operation in one sentence.'),
    }),
    { description: 'Every operation.' },
  ),
  links: { type: 'object', additionalProperties: text(), description: 'Addresses of the descriptions.' },
});
