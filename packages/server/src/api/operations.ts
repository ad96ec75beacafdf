// Every operation of the service with its path, bodies and answers. The routes, the list in `GET /` and the description
// in /openapi.json are made from this table. A new operation is an entry here and a function in routes/.
import { BINDING_HEADER } from '@grainline/x402';
import { type Deployment, paidTiers, tierNames } from '../catalog.ts';
import type { ErrorCode } from '../errors/codes.ts';
import { ID_PARAMETER } from './response-schemas.ts';
import {
  type RequestBody,
  citeBody,
  formBody,
  jsonBody,
  transferBody,
  wantedBody,
} from './request-schemas.ts';
import { JOB_FIELDS, OPTION_FIELDS } from '../fields/field-table.ts';
import { tierField } from '../requests/fields.ts';
import {
  CHUNK_CODES,
  FORM_CODES,
  ID_CODES,
  JSON_CODES,
  LINK_CODES,
  PAYMENT_CODES,
  STORE_CODES,
  TRANSFER_CODES,
} from './error-codes.ts';
import { objectOf, ref, type Schema, text } from '../fields/schema.ts';

/** One method of one path. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `{…}` is one path segment, as it was sent. */
  readonly path: string;
  readonly tag: 'chunks' | 'results' | 'jobs' | 'payments' | 'service';
  /** The operation in one sentence; `GET /` shows it. */
  readonly summary: string;
  /** Schema of the segment `{…}`. */
  readonly parameter?: (deployment: Deployment) => Schema;
  /** Request headers, by name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Accepted bodies, by media type. */
  readonly bodies?: (deployment: Deployment) => Readonly<Record<string, RequestBody>>;
  /** Successes, by status. */
  readonly answers: Readonly<Record<number, Success>>;
  /** Error codes besides those of every operation. */
  readonly codes: readonly ErrorCode[];
}

/** A successful answer. */
export interface Success {
  readonly description: string;
  /** Schema of the body; absent when there is no body. */
  readonly schema?: Schema;
  /** Media type of the body. Default `application/json`. */
  readonly mediaType?: string;
  /** Further headers, by name. */
  readonly headers?: readonly AnswerHeader[];
}

/** Headers of some answers. openapi.ts has the headers of all. */
export type AnswerHeader = keyof typeof ANSWER_HEADERS;

export const ANSWER_HEADERS = {
  RateLimit: 'Remaining quota, one item a policy: `"requests";r=59;t=1, "free-pages";r=97;t=21600`.',
  'RateLimit-Policy': 'Full quota, one item a policy.',
  'Retry-After': 'Seconds after which the same request may succeed.',
  Allow: 'Methods of the path.',
  ETag: 'Tag of the stored bytes; weak for decompressed bytes.',
  'Content-Encoding': '`gzip` when the client accepts it.',
  'Accept-Ranges': '`bytes` for the stored bytes, else `none`.',
  'Content-Range': 'The range sent, or, with 416, the whole length.',
  'Content-Location': 'Path of the stored result of a paid answer with inline chunks.',
  'PAYMENT-REQUIRED': 'The offer for clients of x402 version 2; present with a facilitator.',
  'PAYMENT-RESPONSE': 'The receipt for clients of x402 version 2.',
  'X-PAYMENT-RESPONSE': 'The receipt for clients of x402 version 1.',
} as const;

const PAYMENT_HEADERS = {
  'X-PAYMENT': 'Proof of payment: the signature of the transaction, or a payload of x402 version 1.',
  'PAYMENT-SIGNATURE': 'Proof of payment: a payload of x402 version 2.',
  [BINDING_HEADER]:
    'For a transaction without a memo, where one is required: the signature of the paying key over the request, as `extra.withoutMemo` of the 402 says.',
} as const;
const CHUNK_SUCCESS: Success = {
  description: 'The chunks; from 100 chunks on a link to them; on a tier with the mode `async` a job.',
  schema: { anyOf: [ref('ChunkAnswer'), ref('LinkAnswer'), ref('JobTicket')] },
  headers: ['Content-Location', 'PAYMENT-RESPONSE', 'X-PAYMENT-RESPONSE'],
};
const RESULT_HEADERS = ['ETag', 'Accept-Ranges', 'Content-Encoding'] as const;
const RESULT_REQUEST_HEADERS = {
  'If-None-Match': 'An entity tag; a match is answered with 304.',
  Range: 'One range of the stored bytes, for clients that accept gzip: `bytes=0-999`.',
  'If-Range': 'Entity tag of the range; after a change the whole is sent.',
} as const;
const RESULT_ANSWERS = {
  200: { description: 'The full answer.', schema: ref('ChunkAnswer'), headers: RESULT_HEADERS },
  206: {
    description: 'A range of its compressed bytes.',
    schema: {},
    headers: [...RESULT_HEADERS, 'Content-Range'],
  },
  304: { description: 'The client has the current bytes.', headers: ['ETag', 'Accept-Ranges'] },
} as const satisfies Operation['answers'];

/** The table, by name. */
export const OPERATIONS = {
  overview: {
    method: 'GET',
    path: '/',
    tag: 'service',
    summary: 'Tiers, prices, formats and limits of this deployment.',
    answers: { 200: { description: 'The overview.', schema: ref('Overview') } },
    codes: [],
  },
  health: {
    method: 'GET',
    path: '/health',
    tag: 'service',
    summary: 'Reports that the process is alive.',
    answers: { 200: { description: 'The process is alive.', schema: ref('Health') } },
    codes: [],
  },
  ready: {
    method: 'GET',
    path: '/ready',
    tag: 'service',
    summary: 'Reports that requests can be served.',
    answers: { 200: { description: 'Requests can be served.', schema: ref('Ready') } },
    codes: ['not_ready'],
  },
  description: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'service',
    summary: 'The description of this API, in OpenAPI 3.1.',
    answers: { 200: { description: 'This document.', schema: { type: 'object' } } },
    codes: [],
  },
  guide: {
    method: 'GET',
    path: '/llms.txt',
    tag: 'service',
    summary: 'A guide to this service, in Markdown for language models.',
    answers: {
      200: { description: 'Tiers, prices and calls.', schema: { type: 'string' }, mediaType: 'text/plain' },
    },
    codes: [],
  },
  reference: {
    method: 'GET',
    path: '/llms-full.txt',
    tag: 'service',
    summary: 'The whole API on one page, in Markdown for language models.',
    answers: {
      200: {
        description: 'Every operation, field, answer and error.',
        schema: { type: 'string' },
        mediaType: 'text/plain',
      },
    },
    codes: [],
  },
  chunk: {
    method: 'POST',
    path: '/chunk',
    tag: 'chunks',
    summary: 'Chunks a link or a text (JSON), or an upload, on any tier.',
    headers: PAYMENT_HEADERS,
    bodies: (deployment) => ({
      'application/json': jsonBody(deployment),
      'multipart/form-data': formBody({ ...tierField(deployment), ...OPTION_FIELDS, ...JOB_FIELDS }),
    }),
    answers: { 200: CHUNK_SUCCESS },
    codes: ['invalid_json', ...LINK_CODES, ...CHUNK_CODES],
  },
  chunkUpload: {
    method: 'POST',
    path: '/chunk/{tier}',
    tag: 'chunks',
    summary: 'Chunks an uploaded document on the tier of the path.',
    headers: PAYMENT_HEADERS,
    parameter: (deployment) => ({ type: 'string', enum: tierNames(deployment) }),
    bodies: () => ({ 'multipart/form-data': formBody({ ...OPTION_FIELDS, ...JOB_FIELDS }) }),
    answers: { 200: CHUNK_SUCCESS },
    codes: ['not_found', ...CHUNK_CODES],
  },
  estimate: {
    method: 'POST',
    path: '/estimate',
    tag: 'chunks',
    summary: 'Size, price and refusals of a document on each tier, without chunks. Free.',
    bodies: (deployment) => ({
      'application/json': jsonBody(deployment),
      'multipart/form-data': formBody({ ...tierField(deployment), ...OPTION_FIELDS }),
    }),
    answers: { 200: { description: 'The estimate.', schema: ref('Estimate') } },
    codes: ['invalid_json', 'empty_document', ...FORM_CODES, 'busy', 'queue_full', ...STORE_CODES],
  },
  result: {
    method: 'GET',
    path: '/results/{id}',
    tag: 'results',
    summary: 'The full answer behind a `download_url`.',
    parameter: () => ID_PARAMETER,
    headers: RESULT_REQUEST_HEADERS,
    answers: RESULT_ANSWERS,
    codes: ['result_not_found', 'range_not_satisfiable', ...ID_CODES],
  },
  resultReceipt: {
    method: 'GET',
    path: '/results/{id}/receipt',
    tag: 'payments',
    summary: 'The signed receipt of a paid result.',
    parameter: () => ID_PARAMETER,
    answers: {
      200: {
        description: 'A JWS in compact form.',
        schema: { type: 'string' },
        mediaType: 'application/jose',
      },
    },
    codes: ['not_found', 'result_not_found', 'result_gone', ...ID_CODES],
  },
  deleteResult: {
    method: 'DELETE',
    path: '/results/{id}',
    tag: 'results',
    summary: 'Deletes a result before its expiry.',
    parameter: () => ID_PARAMETER,
    answers: { 204: { description: 'It is gone, and with it all text of the document.' } },
    codes: ['result_not_found', ...ID_CODES],
  },
  citeQuote: {
    method: 'POST',
    path: '/cite',
    tag: 'results',
    summary: 'Finds a quotation in a stored result.',
    bodies: () => ({ 'application/json': citeBody() }),
    answers: { 200: { description: 'Its place, or that it was not found.', schema: ref('Citation') } },
    codes: ['result_not_found', 'result_gone', 'too_complex', 'busy', ...JSON_CODES, ...ID_CODES],
  },
  mcp: {
    method: 'POST',
    path: '/mcp',
    tag: 'chunks',
    summary: 'The tools of the Model Context Protocol (streamable HTTP, stateless).',
    bodies: () => ({ 'application/json': { schema: { type: 'object' } } }),
    answers: {
      200: { description: 'The answer of the protocol.', schema: {} },
      202: { description: 'The notification is taken.' },
    },
    codes: ['forbidden_origin', 'invalid_json', 'unsupported_media_type', 'too_large', 'busy', 'queue_full'],
  },
  jobStatus: {
    method: 'GET',
    path: '/job/{id}/status',
    tag: 'jobs',
    summary: 'State and progress of a job.',
    parameter: () => ID_PARAMETER,
    answers: { 200: { description: 'State and progress.', schema: ref('JobStatus') } },
    codes: ['job_not_found', ...ID_CODES],
  },
  jobResult: {
    method: 'GET',
    path: '/job/{id}/result',
    tag: 'jobs',
    summary: 'The full answer of a completed job.',
    parameter: () => ID_PARAMETER,
    headers: RESULT_REQUEST_HEADERS,
    answers: RESULT_ANSWERS,
    codes: [
      'job_not_found',
      'job_not_completed',
      'job_failed',
      'result_not_found',
      'range_not_satisfiable',
      ...ID_CODES,
    ],
  },
  deleteJobResult: {
    method: 'DELETE',
    path: '/job/{id}/result',
    tag: 'jobs',
    summary: 'Deletes a result and its job before their expiry.',
    parameter: () => ID_PARAMETER,
    answers: { 204: { description: 'It is gone, and with it all text of the document.' } },
    codes: ['job_not_found', 'job_not_completed', 'job_failed', 'result_not_found', ...ID_CODES],
  },
  paidResources: {
    method: 'GET',
    path: '/.well-known/x402',
    tag: 'payments',
    summary: 'Addresses of paid operations, for indexes of x402.',
    answers: { 200: { description: 'The addresses.', schema: ref('PaidResources') } },
    codes: ['not_found'],
  },
  paymentManifest: {
    method: 'GET',
    path: '/.well-known/x402.json',
    tag: 'payments',
    summary: 'Paid operations with offers and bodies, for catalogs of x402.',
    answers: { 200: { description: 'The operations.', schema: ref('PaymentManifest') } },
    codes: ['not_found', 'tier_unavailable'],
  },
  receiptKeys: {
    method: 'GET',
    path: '/.well-known/jwks.json',
    tag: 'payments',
    summary: 'The public keys of receipts.',
    answers: { 200: { description: 'A JSON Web Key Set.', schema: ref('ReceiptKeys') } },
    codes: ['not_found'],
  },
  receiptIdentity: {
    method: 'GET',
    path: '/.well-known/did.json',
    tag: 'payments',
    summary: 'The public keys of receipts, under the identifier that receipts name.',
    answers: { 200: { description: 'A document of did:web.', schema: { type: 'object' } } },
    codes: ['not_found'],
  },
  paymentTransaction: {
    method: 'POST',
    path: '/payment/transaction',
    tag: 'payments',
    summary: 'The transfer that pays for a tier, for a wallet to sign.',
    bodies: (deployment) => ({ 'application/json': transferBody(deployment) }),
    answers: { 200: { description: 'The unsigned transfer.', schema: ref('PreparedTransfer') } },
    codes: TRANSFER_CODES,
  },
  paymentSend: {
    method: 'POST',
    path: '/payment/send',
    tag: 'payments',
    summary: 'Hands a signed transfer to the network.',
    bodies: () => ({
      'application/json': {
        schema: objectOf({ transaction: text('The signed transaction, in base64.') }),
      },
    }),
    answers: {
      200: {
        description: 'The transfer is sent; its inclusion is not confirmed.',
        schema: ref('SentTransfer'),
      },
    },
    codes: TRANSFER_CODES,
  },
  paymentFind: {
    method: 'POST',
    path: '/payment/find',
    tag: 'payments',
    summary: 'Looks up a transfer by its memo.',
    bodies: (deployment) => ({ 'application/json': wantedBody(deployment) }),
    answers: { 200: { description: 'State of the transfer.', schema: ref('FoundTransfer') } },
    codes: TRANSFER_CODES,
  },
} as const satisfies Readonly<Record<string, Operation>>;

export type OperationName = keyof typeof OPERATIONS;

/** {@link OPERATIONS} in order, each with its name. */
export const OPERATION_LIST: readonly (Operation & { readonly name: OperationName })[] = Object.entries(
  OPERATIONS,
).map(([name, operation]) => ({ ...operation, name: name as OperationName }));

/** The operations of a deployment. Without paid tiers the operations of payments are absent. */
export function operationsOf(deployment: Deployment): typeof OPERATION_LIST {
  if (paidTiers(deployment).length > 0) return OPERATION_LIST;
  return OPERATION_LIST.filter(({ tag }) => tag !== 'payments').map((operation) => ({
    ...operation,
    ...(operation.headers === PAYMENT_HEADERS ? { headers: {} } : undefined),
    codes: operation.codes.filter((code) => !PAYMENT_CODES.includes(code)),
  }));
}
