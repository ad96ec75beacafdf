// The request of a quotation: its fields, their check, and the run in a child process.
import { field, type RequestField, textOf } from '../fields/field-table.ts';
import type { HttpRequest } from '../http/message.ts';
import { readJson } from './chunk-request.ts';
import { checkMembers } from './fields.ts';

/** Longest quotation in UTF-16 units. */
export const MAX_QUOTE = 2000;
/** A quotation of escapes, six bytes a unit, and the rest. */
const MAX_BYTES = 6 * MAX_QUOTE + 1024;
/** Longest text that is looked up as an id. */
const MAX_ID = 64;

/** The fields of `POST /cite`. */
export const CITE_FIELDS = {
  result_id: field(
    'Id of a stored result, as at the end of its `download_url`. It grants access, as for `GET /results/{id}`.',
    textOf(1, MAX_ID, 'the id of a result'),
  ),
  quote: field(
    `The quotation, at most ${MAX_QUOTE} characters; \`…\` and \`...\` stand for text that it leaves out. Case, accents, blanks and punctuation play no part.`,
    textOf(1, MAX_QUOTE, `a text of 1 to ${MAX_QUOTE} characters`),
  ),
  bound: field(
    'Least score of a find.',
    {
      schema: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
      expected: 'a number above 0 and up to 1',
      read: (value) => (typeof value === 'number' && value > 0 && value <= 1 ? value : undefined),
    },
    { default: 0.8 },
  ),
} as const satisfies Readonly<Record<string, RequestField>>;

/** Fields that a request must have. */
const REQUIRED_CITE_FIELDS = ['result_id', 'quote'] as const;

/** A checked request for a quotation. */
export interface QuoteSearch {
  readonly resultId: string;
  readonly quote: string;
  readonly bound: number | undefined;
}

/** Reads the request. @throws HttpError `invalid_json`, `invalid_fields`, `unsupported_media_type`, `too_large` */
export async function readQuoteSearch(httpRequest: HttpRequest): Promise<QuoteSearch> {
  const members = await readJson(httpRequest, MAX_BYTES);
  const values = checkMembers(members, CITE_FIELDS, REQUIRED_CITE_FIELDS);
  // The table has checked each value.
  return { resultId: values['result_id'], quote: values['quote'], bound: values['bound'] } as QuoteSearch;
}
