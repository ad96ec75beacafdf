// The schemas of answers before a purchase: the estimate of a document, and the manifest of paid operations.
import { arrayOf, count, flag, objectOf, oneOfWords, type Schema, text } from '../fields/schema.ts';

/** Measures of a document; absent when it cannot be read. */
const MEASURES = {
  kind: text('Kind of the document, by its content.'),
  content_type: text('Media type of the document.'),
  filename: text('Name of the document, as in an answer with chunks.'),
  size_bytes: count('Size of the document in bytes.'),
  pages: count('Pages that count against the quota, as `estimated_pages` of an answer.'),
  characters: count('Length of its text in UTF-16 code units.'),
  tokens: count('Length of its text in tokens of `encoding`, by default `o200k`.'),
} as const satisfies Readonly<Record<string, Schema>>;

const REFUSAL = objectOf(
  {
    code: text('Code of the error.'),
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'Its HTTP status.' },
    message: text('The cause and the way out, in words.'),
    retryable: flag('The same request can succeed later.'),
    limit: {
      type: 'object',
      additionalProperties: { type: ['number', 'string'] },
      description: 'The numbers behind the message.',
    },
  },
  { optional: ['limit'] },
);

export const PREVIEW_SCHEMAS: Readonly<Record<string, Schema>> = {
  Estimate: objectOf(
    {
      ...MEASURES,
      tiers: arrayOf(
        objectOf(
          {
            id: text('Name of the tier.'),
            amount: count('Price of the request in millionths of a USDC.'),
            price_usd: { type: 'number', description: 'The same in US dollars.' },
            mode: oneOfWords(['sync', 'async'], '`async` answers with a job.'),
            expected_chunks: count('Number of chunks to expect; documents differ by half.'),
            expected_seconds: { type: 'number', description: 'Time of the work to expect, without waiting.' },
            refusals: arrayOf(REFUSAL, {
              description:
                'Errors that the same request for chunks would get now; empty for one that is accepted.',
            }),
          },
          { optional: ['expected_chunks', 'expected_seconds'] },
        ),
        { description: 'The tier of the field `tier`, or without one all tiers.' },
      ),
      warnings: arrayOf(
        objectOf({ code: text('Code of the warning.'), message: text('The warning in words.') }),
        { description: 'For example unreadable pages, or a guessed encoding (`encoding_guessed`).' },
      ),
    },
    { optional: Object.keys(MEASURES) },
  ),
  PaymentManifest: objectOf({
    x402Version: { const: 2 },
    lastUpdated: count('Time of the answer in seconds since 1970.'),
    items: arrayOf(
      objectOf({
        resource: objectOf(
          {
            url: text('Address of the operation.'),
            description: text('The operation in one sentence.'),
            mimeType: text('Media type of its answer.'),
            serviceName: text('Name of the service.'),
            tags: arrayOf(text(), { description: 'Topics of the service.' }),
          },
          { description: 'The operation, as in the offer of a 402.' },
        ),
        type: { const: 'http' },
        price_usd: { type: 'number', description: 'Price of one request in US dollars.' },
        accepts: arrayOf(
          { type: 'object' },
          { description: 'Offers of x402 version 2; empty without a facilitator. The offer of a 402 binds.' },
        ),
        input: objectOf(
          {
            method: { const: 'POST' },
            bodyType: oneOfWords(['json', 'form-data'], 'Form of the body.'),
            body: { type: 'object', description: 'JSON Schema of its members; `/openapi.json` has all.' },
          },
          { description: 'The call.' },
        ),
        output: objectOf(
          {
            mimeType: text('Media type of the answer.'),
            example: { type: 'object', description: 'An answer, shortened.' },
          },
          { description: 'The answer.' },
        ),
      }),
      { description: 'An entry for each paid operation.' },
    ),
  }),
};
