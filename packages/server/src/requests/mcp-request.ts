// The tools of the service for agents: their members, and the checks of their calls. Calls for chunks, estimates and
// quotations are checked by the operations of the HTTP API.
import type { IncomingHttpHeaders } from 'node:http';
import { HttpError } from '../errors/http-error.ts';
import { field, oneOf, type RequestField, textOf } from '../fields/field-table.ts';
import { isLoopback } from '../settings/settings.ts';
import { checkMembers } from './fields.ts';

/** Longest message in bytes. Longer documents are uploads, or links. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Longest text that is looked up as an id. */
const MAX_ID = 64;

const ID = field(
  'Id of a job, or of a result: the end of its `download_url`. It grants access.',
  textOf(1, MAX_ID, 'the id of a job or a result'),
);

/** The members of `job_status`. */
export const JOB_STATUS_FIELDS = { job_id: ID } as const satisfies Readonly<Record<string, RequestField>>;

/** The part of a result that `read_chunks` gives by default. */
const PAGE = { from: 0, limit: 50, max_characters: 20_000 } as const;

/** The members of `read_chunks`. */
export const PAGE_FIELDS = {
  result_id: ID,
  from: counted('Index of the first chunk.', 0, 10_000_000, PAGE.from),
  limit: counted('Most chunks.', 1, 500, PAGE.limit),
  max_characters: counted('Most characters of chunks, as JSON.', 1000, 200_000, PAGE.max_characters),
} as const satisfies Readonly<Record<string, RequestField>>;

function counted(meaning: string, least: number, most: number, usual: number): RequestField {
  const schema = { type: 'integer', minimum: least, maximum: most };
  const read = (value: unknown): unknown =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most ? value : undefined;
  return field(
    meaning,
    { ...oneOf([]), schema, expected: `an integer from ${least} to ${most}`, read },
    { default: usual },
  );
}

/** A wanted part of a result. */
export interface ChunkPageRequest {
  readonly resultId: string;
  readonly from: number;
  readonly limit: number;
  readonly maxCharacters: number;
}

/** @throws HttpError `invalid_fields` */
export function readPageRequest(given: object): ChunkPageRequest {
  const values = checkMembers(new Map(Object.entries(given)), PAGE_FIELDS, ['result_id']);
  const { result_id: resultId, from = PAGE.from, limit = PAGE.limit } = values;
  const { max_characters: maxCharacters = PAGE.max_characters } = values;
  // The table has checked each value.
  return { resultId, from, limit, maxCharacters } as ChunkPageRequest;
}

/** @throws HttpError `invalid_fields` */
export function readJobId(given: object): string {
  return String(checkMembers(new Map(Object.entries(given)), JOB_STATUS_FIELDS, ['job_id'])['job_id']);
}

/**
 * Rejects the requests of foreign pages: a page whose name was bound to this address (DNS rebinding) sends its own name
 * as Host and as Origin. Programs send no Origin.
 *
 * @throws HttpError `forbidden_origin`
 */
export function assertOwnOrigin({ host, origin }: IncomingHttpHeaders, publicUrl: string | undefined): void {
  const named = URL.parse(`http://${host ?? ''}`);
  const isOwn = (url: URL | null): boolean =>
    url !== null && (isLoopback(url.hostname.replace(/^\[|\]$/g, '')) || isPublic(url));
  const isPublic = ({ host: given }: URL): boolean =>
    publicUrl !== undefined && given.toLowerCase() === new URL(publicUrl).host;
  if (!isOwn(named)) throw new HttpError('forbidden_origin', { detail: 'its Host' });
  if (origin !== undefined && !isOwn(URL.parse(origin)))
    throw new HttpError('forbidden_origin', { detail: 'its Origin' });
}

/**
 * The headers of a payment in the metadata of a call (x402, transports-v2/mcp.md). A text is the signature of a
 * transaction, as in `X-PAYMENT`.
 */
export function paymentHeaders(meta: Readonly<Record<string, unknown>> | undefined): IncomingHttpHeaders {
  const payment = meta?.['x402/payment'];
  if (payment === undefined || payment === null) return {};
  if (typeof payment === 'string') return { 'x-payment': payment };
  const version = Object(payment) as { readonly x402Version?: unknown };
  const name = version.x402Version === 1 ? 'x-payment' : 'payment-signature';
  return { [name]: Buffer.from(JSON.stringify(payment)).toString('base64') };
}
