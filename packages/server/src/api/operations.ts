// Every operation of the service: its path, what it takes and what it can answer. The routes, the list in `GET /` and
// the description in /openapi.json are made from this table, so that adding one is an entry here and its function in
// routes/.
import { type Deployment, soldTiers, tierNames } from '../catalog.ts';
import type { FaultCode } from '../codes.ts';
import { ID_PARAMETER } from './answers.ts';
import { type Body, formBody, jsonBody, transferBody, wantedBody } from './bodies.ts';
import { OPTION_FIELDS, tierField } from './field-table.ts';
import { CHUNK_CODES, ID_CODES, LINK_CODES, PAYMENT_CODES, TRANSFER_CODES } from './refusals.ts';
import { objectOf, ref, type Schema, text } from './schema.ts';

/** What one method of one path does. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `{…}` stands for one path segment, taken as it was sent. */
  readonly path: string;
  readonly tag: 'chunks' | 'results' | 'jobs' | 'payments' | 'service';
  /** What the operation does, in one sentence; `GET /` shows it. */
  readonly summary: string;
  /** The segment that `{…}` stands for. */
  readonly parameter?: (deployment: Deployment) => Schema;
  /** Request headers that matter, by name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Bodies that are taken, by media type. */
  readonly bodies?: (deployment: Deployment) => Readonly<Record<string, Body>>;
  /** Successes, by status. */
  readonly answers: Readonly<Record<number, Success>>;
  /** Every way in which it can be refused, those of every operation apart. */
  readonly codes: readonly FaultCode[];
}

/** What stands in an answer that is none of an error. */
export interface Success {
  readonly description: string;
  /** Schema of the body; absent when there is no body. */
  readonly schema?: Schema;
  /** Media type of the body. Default `application/json`. */
  readonly mediaType?: string;
  /** Further headers, by name. */
  readonly headers?: readonly AnswerHeader[];
}

/** Headers that only some answers have; those of every answer are in openapi.ts. */
export type AnswerHeader = keyof typeof ANSWER_HEADERS;

export const ANSWER_HEADERS = {
  RateLimit: 'What is left, one item a policy: `"requests";r=59;t=1, "free-pages";r=97;t=21600`.',
  'RateLimit-Policy': 'What there is, one item a policy.',
  'Retry-After': 'Seconds after which the same request may succeed.',
  Allow: 'Methods that the path takes.',
  ETag: 'Of the stored bytes; weak when they are sent decompressed.',
  'Content-Encoding': '`gzip` when the client takes it.',
  'Accept-Ranges': '`bytes` for the stored bytes, else `none`.',
  'Content-Range': 'The part that is sent, or, with 416, the length of the whole.',
  'Content-Location':
    'Of an answer that was paid for and has its chunks: the path of the result that it is kept as.',
  'PAYMENT-REQUIRED': 'What to pay, for clients of x402 version 2; where a facilitator is configured.',
  'PAYMENT-RESPONSE': 'What was paid, for clients of x402 version 2.',
  'X-PAYMENT-RESPONSE': 'What was paid, for clients of x402 version 1.',
} as const;

const PAYMENT_HEADERS = {
  'X-PAYMENT': 'Proof of payment: the signature of the transaction, or a payload of x402 version 1.',
  'PAYMENT-SIGNATURE': 'Proof of payment: a payload of x402 version 2.',
} as const;
const CHUNK_SUCCESS: Success = {
  description:
    'The chunks, or from 100 chunks on a link to them; of a tier with the mode async, the job that makes them.',
  schema: { anyOf: [ref('ChunkAnswer'), ref('LinkAnswer'), ref('JobTicket')] },
  headers: ['Content-Location', 'PAYMENT-RESPONSE', 'X-PAYMENT-RESPONSE'],
};
const RESULT_HEADERS = ['ETag', 'Accept-Ranges', 'Content-Encoding'] as const;
const RESULT_REQUEST_HEADERS = {
  'If-None-Match': 'Answered with 304 when it names the entity tag.',
  Range: 'One range of the stored bytes, for clients that take gzip: `bytes=0-999`.',
  'If-Range': 'Entity tag that the range is of; with another one the whole is sent.',
} as const;
const RESULT_ANSWERS = {
  200: { description: 'All of it.', schema: ref('ChunkAnswer'), headers: RESULT_HEADERS },
  206: {
    description: 'A part of its compressed bytes.',
    schema: {},
    headers: [...RESULT_HEADERS, 'Content-Range'],
  },
  304: { description: 'The client has it already.', headers: ['ETag', 'Accept-Ranges'] },
} as const satisfies Operation['answers'];

/** The table, by the name of each operation. */
export const OPERATIONS = {
  overview: {
    method: 'GET',
    path: '/',
    tag: 'service',
    summary: 'This overview.',
    answers: { 200: { description: 'What this deployment offers.', schema: ref('Overview') } },
    codes: [],
  },
  health: {
    method: 'GET',
    path: '/health',
    tag: 'service',
    summary: 'Whether the process lives.',
    answers: { 200: { description: 'It does.', schema: ref('Health') } },
    codes: [],
  },
  ready: {
    method: 'GET',
    path: '/ready',
    tag: 'service',
    summary: 'Whether requests can be served.',
    answers: { 200: { description: 'They can.', schema: ref('Ready') } },
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
    summary: 'How to use this service, in Markdown for language models.',
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
      'multipart/form-data': formBody({ ...tierField(deployment), ...OPTION_FIELDS }),
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
    bodies: () => ({ 'multipart/form-data': formBody(OPTION_FIELDS) }),
    answers: { 200: CHUNK_SUCCESS },
    codes: ['not_found', ...CHUNK_CODES],
  },
  result: {
    method: 'GET',
    path: '/results/{id}',
    tag: 'results',
    summary: 'The full answer that a download_url leads to.',
    parameter: () => ID_PARAMETER,
    headers: RESULT_REQUEST_HEADERS,
    answers: RESULT_ANSWERS,
    codes: ['result_not_found', 'range_not_satisfiable', ...ID_CODES],
  },
  deleteResult: {
    method: 'DELETE',
    path: '/results/{id}',
    tag: 'results',
    summary: 'Removes it before its time.',
    parameter: () => ID_PARAMETER,
    answers: { 204: { description: 'It is gone, and with it all text of the document.' } },
    codes: ['result_not_found', ...ID_CODES],
  },
  jobStatus: {
    method: 'GET',
    path: '/job/{id}/status',
    tag: 'jobs',
    summary: 'How far a job is.',
    parameter: () => ID_PARAMETER,
    answers: { 200: { description: 'Its state.', schema: ref('JobStatus') } },
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
    summary: 'Removes it, and the job, before their time.',
    parameter: () => ID_PARAMETER,
    answers: { 204: { description: 'It is gone, and with it all text of the document.' } },
    codes: ['job_not_found', 'job_not_completed', 'job_failed', 'result_not_found', ...ID_CODES],
  },
  paidResources: {
    method: 'GET',
    path: '/.well-known/x402',
    tag: 'payments',
    summary: 'Where something is sold, for indexes of x402.',
    answers: { 200: { description: 'The addresses.', schema: ref('PaidResources') } },
    codes: ['not_found'],
  },
  paymentTransaction: {
    method: 'POST',
    path: '/payment/transaction',
    tag: 'payments',
    summary: 'The transfer that pays for a tier, for a wallet to sign.',
    bodies: (deployment) => ({ 'application/json': transferBody(deployment) }),
    answers: { 200: { description: 'Unsigned.', schema: ref('PreparedTransfer') } },
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
    answers: { 200: { description: 'Sent; not necessarily included.', schema: ref('SentTransfer') } },
    codes: TRANSFER_CODES,
  },
  paymentFind: {
    method: 'POST',
    path: '/payment/find',
    tag: 'payments',
    summary: 'Looks for a transfer by its memo.',
    bodies: (deployment) => ({ 'application/json': wantedBody(deployment) }),
    answers: { 200: { description: 'What became of it.', schema: ref('FoundTransfer') } },
    codes: TRANSFER_CODES,
  },
} as const satisfies Readonly<Record<string, Operation>>;

export type OperationName = keyof typeof OPERATIONS;

/** {@link OPERATIONS} in order, each with its name. */
export const OPERATION_LIST: readonly (Operation & { readonly name: OperationName })[] = Object.entries(
  OPERATIONS,
).map(([name, operation]) => ({ ...operation, name: name as OperationName }));

/** The operations of a deployment. Where nothing is sold there is nothing to pay, and payments are not looked at. */
export function operationsOf(deployment: Deployment): typeof OPERATION_LIST {
  if (soldTiers(deployment).length > 0) return OPERATION_LIST;
  return OPERATION_LIST.filter(({ tag }) => tag !== 'payments').map((operation) => ({
    ...operation,
    ...(operation.headers === PAYMENT_HEADERS ? { headers: {} } : undefined),
    codes: operation.codes.filter((code) => !PAYMENT_CODES.includes(code)),
  }));
}
