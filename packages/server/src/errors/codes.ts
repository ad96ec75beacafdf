// Every error code in one table: its status, its cause, its sentence, and its retry time. The docs' table is made from
// it.
import { type Reason, type ReasonEntry, REASONS } from '@grainline/x402';

/** A row of the table. */
interface CodeEntry {
  readonly status: number;
  /** The cause, for the docs. */
  readonly cause: string;
  /** The sentence for people, with `{detail}`; absent when the error has its own message. */
  readonly message?: string;
  /** Seconds after which the same request may succeed; absent when it never will. */
  readonly retryAfterS?: number;
}

/** An unavailable tier stays unavailable for a while: one hour limits repeated requests. */
const TIER_RETRY_S = 3600;

const OWN_CODES = {
  invalid_http: {
    status: 400,
    cause:
      'The bytes on the connection are not an HTTP request, break its body or cut it short; or it names no Host, or several.',
    message: 'The request is not valid HTTP{detail}. Send HTTP/1.1, with one Host.',
  },
  invalid_json: {
    status: 400,
    cause:
      'The body is not one JSON object in UTF-8, names a member twice, or has more than 10,000 values, names and brackets.',
    message: 'The body is not a JSON object in UTF-8: {detail}. Send one object, such as {"text": "…"}.',
  },
  invalid_fields: {
    status: 400,
    cause:
      'Fields are unknown, missing, of the wrong type or out of range, or are part of the address; the message names all of them.',
    message: 'Wrong fields: {detail}.',
  },
  invalid_multipart: {
    status: 400,
    cause:
      'The multipart body has no boundary, is cut short, has too many parts, or has one with a Content-Transfer-Encoding.',
    message: 'The multipart body cannot be read: {detail}. Send it as curl -F file=@report.pdf does.',
  },
  invalid_transfer: {
    status: 400,
    cause: '`POST /payment/…` only: the transfer cannot be made, or does not pay for a tier of this service.',
    message: 'The transfer cannot be taken: {detail}',
  },
  missing_file: {
    status: 400,
    cause: 'The form has no file in its field `file`, nor a text in its field `text`.',
    message:
      'The form holds no document: {detail}. Send one file in the field "file" (curl -F file=@report.pdf), or a text in the field "text".',
  },
  too_many_files: {
    status: 400,
    cause: 'The form holds more than one document.',
    message: 'The form holds more than one document; send one file, or one text, a request.',
  },
  forbidden_origin: {
    status: 403,
    cause: '`POST /mcp` only: `Host` or `Origin` names neither this service nor the local machine.',
    message:
      'The request comes from another site: {detail} names neither the public address of this service nor the local machine. Send it to that address, without the Origin of a page.',
  },
  not_found: {
    status: 404,
    cause: 'The deployment has no such path.',
    message: 'There is nothing at this path{detail}; GET / lists what is.',
  },
  result_not_found: {
    status: 404,
    cause: 'The result id is unknown, its 60 minutes are over, or it was deleted.',
    message: 'There is no result with this id; results are kept for 60 minutes. Send the document again.',
  },
  result_gone: {
    status: 410,
    cause: '`POST /cite` only: the 60 minutes of the result are over. Soon after, its id is unknown.',
    message: 'The 60 minutes of this result are over. Send the document again.',
  },
  job_not_found: {
    status: 404,
    cause: 'The job id is unknown, or its 60 minutes after the end are over, or its result was deleted.',
    message:
      'There is no job with this id; jobs are kept for 60 minutes after their end. Send the document again.',
  },
  method_not_allowed: {
    status: 405,
    cause: 'The path does not support this method; `Allow` lists its methods.',
    message: 'This path takes {detail}; send one of these.',
  },
  request_timeout: {
    status: 408,
    cause:
      'The head of the request took longer than 10 s, its body paused for 20 s, or the whole took longer than the largest body at 16 KiB a second.',
    message:
      'The request did not arrive in time: its head may take 10 s, its body may not pause for 20 s, and the whole may take as long as the largest body at 16 KiB a second. Send it again, or in smaller parts.',
    retryAfterS: 1,
  },
  job_not_completed: {
    status: 409,
    cause: 'The job of the requested result is not completed yet.',
    message: 'The job is not completed yet; ask GET /job/{job_id}/status how far it is.',
    retryAfterS: 2,
  },
  job_failed: {
    status: 410,
    cause: 'The job of the requested result failed; its payment can be used again.',
    message: 'The job failed: {detail} A payment for it can be used again.',
  },
  over_daily_limit: {
    status: 413,
    cause: 'The document alone has more pages than the free pages of a day.',
    message:
      'The document counts {detail}. Use a tier without such a limit (GET / lists the tiers), or split the document and send its parts on several days. The operator sets the limit: FREE_PAGES_PER_DAY, a number or off.',
  },
  too_many_characters: {
    status: 413,
    cause: 'The text of the document exceeds `max_characters` of its tier (`GET /`).',
  },
  too_many_scanned_pages: {
    status: 413,
    cause: 'OCR would have to read more pages than `max_scanned_pages` of the tier (`GET /`). None was read.',
  },
  answer_too_large: {
    status: 413,
    cause: 'The answer would exceed `MAX_ANSWER_BYTES`: too many chunks, or too many vectors.',
  },
  too_expensive: {
    status: 413,
    cause:
      'The calls of the language model for the whole document would exceed `max_cost_usd` of its tier (`GET /`).',
  },
  range_not_satisfiable: {
    status: 416,
    cause: '`Range` begins after the end of the result.',
    message: 'The result has only {detail} bytes; ask for some of these, or send no Range.',
  },
  unsupported_media_type: {
    status: 415,
    cause: 'The path does not accept the Content-Type of the request, or the body is compressed.',
    message: 'The body cannot be taken as it is: {detail}.',
  },
  quota_exceeded: {
    status: 429,
    cause: 'Fewer free pages of the day (UTC) are left than the document has.',
    message:
      'The free pages of this day (UTC) do not suffice: {detail}. The count starts anew at midnight UTC; until then use a tier without such a limit (GET / lists the tiers). The operator sets the limit: FREE_PAGES_PER_DAY, a number or off.',
    retryAfterS: 86_400,
  },
  rate_limited: {
    status: 429,
    cause:
      'The client sends more requests a minute than `RATE_LIMIT`; each second of work on a refused free document counts as one. The request was not read.',
    message: 'Too many requests{detail}; wait as long as Retry-After says.',
    retryAfterS: 60,
  },
  too_many_misses: {
    status: 429,
    cause: 'The client requested 60 unknown results or jobs within a minute.',
    message: 'Too many ids that lead nowhere, 60 within a minute; wait until the minute is over.',
    retryAfterS: 60,
  },
  headers_too_large: {
    status: 431,
    cause: 'Path and headers together exceed 16 KiB.',
    message: 'Path and headers are longer than 16 KiB together; send fewer or shorter ones.',
  },
  internal_error: {
    status: 500,
    cause: 'The service has a defect. The log has the error under the request id.',
    message: 'The service failed on this request; the fault is ours. Tell its operator the request id.',
    retryAfterS: 5,
  },
  busy: {
    status: 503,
    cause:
      'The queue of requests is full, or this request waited too long: 20 s for a slot, or `WORK_TIMEOUT_MS` for a process.',
    message: 'The service has its hands full; try again shortly.',
    retryAfterS: 5,
  },
  tier_unavailable: {
    status: 503,
    cause: 'The tier exists in this deployment but cannot be used now; the message has the reason.',
    message:
      'The tier cannot be used at the moment: {detail} Try again later, or use another tier (GET / lists them).',
    retryAfterS: TIER_RETRY_S,
  },
  queue_full: {
    status: 503,
    cause:
      'The number of unfinished jobs reached `JOB_QUEUE`, or a further job would probably exceed `JOB_TIMEOUT_MS`.',
    message: 'More jobs wait than can be done in time; nothing was charged. Try again later.',
    retryAfterS: 30,
  },
  model_timeout: {
    status: 503,
    cause: 'The calls of the language model for the document exceeded `AI_TIMEOUT_MS`.',
    message:
      'The language model that this service asks was too slow; nothing was charged. Try again later, or send the document in parts.',
    retryAfterS: 60,
  },
  shutting_down: {
    status: 503,
    cause: 'The service is stopping.',
    message: 'The service is being stopped; try again shortly.',
    retryAfterS: 5,
  },
  not_ready: {
    status: 503,
    cause:
      '`GET /ready` only: the payment network or the language model has not answered since the start, the store does not answer, or its disk is full.',
    message: 'Not ready: {detail}. Try again shortly.',
    retryAfterS: 5,
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

/** Codes of errors from extraction, chunking, downloads and the store. */
const PASSED_CODES = {
  empty_document: {
    status: 400,
    cause: 'The document is empty or holds no text.',
    message: 'The document holds no text; send one that does.',
  },
  unsupported_type: { status: 400, cause: 'The kind of the content is not accepted here.' },
  corrupted: { status: 400, cause: 'The document is damaged and cannot be read.' },
  encrypted: { status: 400, cause: 'A password protects the document.' },
  wrong_password: { status: 400, cause: 'The field `password` does not open the document.' },
  no_such_pages: {
    status: 400,
    cause: 'The document has none of the pages of a range in the field `pages`, or no pages at all.',
  },
  no_text: {
    status: 400,
    cause: 'The PDF has pages but no text layer: a scan. The service has no OCR (`ocr` of `GET /`).',
  },
  unreadable_scan: { status: 400, cause: 'OCR finds no text that it can read, as in handwriting.' },
  too_complex: { status: 400, cause: 'The document exceeds the limits of time or memory.' },
  too_large: {
    status: 413,
    cause: 'The body, the file or its unpacked content exceeds its limit.',
    message: 'The request is larger than allowed: {detail}. Send the document in parts.',
  },
  invalid_options: {
    status: 400,
    cause: 'Options do not fit each other or the output format; the message names all of them.',
  },
  ill_formed_text: { status: 400, cause: '`text` holds a surrogate without its partner.' },
  embedding_failed: {
    status: 503,
    cause: 'The embedder failed or did not answer in time.',
    message: 'The embedder that this service asks has failed; nothing was charged. Try again shortly.',
    retryAfterS: 30,
  },
  wrong_embeddings: {
    status: 503,
    cause: 'The embedder returned invalid vectors. The log has the reason.',
    message: 'The embedder that this service asks answers wrongly; nothing was charged. Try again later.',
    retryAfterS: 300,
  },
  completion_failed: {
    status: 503,
    cause: 'The language model of the tiers `ai` and `ai-pro` is unavailable.',
    message: 'The language model that this service asks has failed; nothing was charged. Try again shortly.',
    retryAfterS: 30,
  },
  too_many_fallbacks: {
    status: 503,
    cause: 'The language model gave no usable answer for more than half of the document.',
    message:
      'The language model gave no usable answer about more than half of the document; nothing was charged. Try again later.',
    retryAfterS: 60,
  },
  url_invalid: {
    status: 400,
    cause: 'The link is not a valid http or https address.',
  },
  url_forbidden: {
    status: 400,
    cause: 'The link or one of its redirects leads to an address or port that is not public.',
  },
  url_unreachable: {
    status: 400,
    cause: 'The host of the link is unknown or unreachable, or closed the connection.',
  },
  url_status: { status: 400, cause: 'The host of the link answered with a status other than 200.' },
  url_interrupted: {
    status: 400,
    cause: 'The answer of the host broke off or cannot be decompressed.',
  },
  url_too_large: { status: 413, cause: 'The document behind the link exceeds its limit.' },
  url_timeout: { status: 400, cause: 'The document behind the link did not arrive in time.' },
  url_redirects: { status: 400, cause: 'The link has too many redirects, or a redirect without a target.' },
  storage_full: { status: 503, cause: 'The space for stored results is full.', retryAfterS: 60 },
  disk_full: { status: 503, cause: 'The disk of the service is full.', retryAfterS: 60 },
  unavailable: { status: 503, cause: 'The store of the service is unreachable.', retryAfterS: 5 },
} as const satisfies Readonly<Record<string, CodeEntry>>;

/** Codes of rejected payments, from x402's list. */
const PAYMENT_CODES = Object.fromEntries(
  Object.entries<ReasonEntry>(REASONS).map(([reason, { meaning, wayOut, ...entry }]) => [
    reason,
    { ...entry, cause: `${meaning} ${wayOut}` },
  ]),
) as Readonly<Record<Reason, CodeEntry>>;

/** Every error code. */
export type ErrorCode = keyof typeof OWN_CODES | keyof typeof PASSED_CODES | Reason;

/** The table of all codes. */
export const CODES: Readonly<Record<ErrorCode, CodeEntry>> = {
  ...OWN_CODES,
  ...PASSED_CODES,
  ...PAYMENT_CODES,
};

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(CODES, code);
}

/** The table of the docs, in Markdown, by status. @param without codes that are left out */
export function codesTable(without: readonly ErrorCode[] = []): string {
  const rows = Object.entries(CODES)
    .filter(([code]) => !(without as readonly string[]).includes(code))
    .sort(([, a], [, b]) => a.status - b.status)
    .map(
      ([code, { status, cause, retryAfterS }]) =>
        `| ${status} | \`${code}\` | ${cause} | ${retryAfterS === undefined ? 'no' : 'yes'} |`,
    );
  return ['| status | code | cause | retryable |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
