// The headers of all answers, JSON replies and error replies.
import { type HttpError, errorBody } from '../errors/http-error.ts';
import type { HttpReply } from './message.ts';

/** Headers of every answer: any origin may read it, and no browser may run or sniff it. */
const COMMON_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, ETag, Content-Range, Content-Location',
} as const;

/** Adds the headers of every answer. */
export function commonHeaders(
  requestId: string,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  return { ...COMMON_HEADERS, 'X-Request-Id': requestId, ...headers };
}

/** Headers of answers that are valid for this moment only, or private. */
export const NO_STORE = { 'Cache-Control': 'no-store' } as const;

/** A reply with a JSON body. */
export function jsonReply(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  return { status, headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers }, body: text };
}

/** The reply of a rejected request. */
export function errorReply(error: HttpError, requestId: string): HttpReply {
  const retry =
    error.retryAfterS === undefined || error.status === 500
      ? {}
      : { 'Retry-After': String(error.retryAfterS) };
  const headers = { ...NO_STORE, ...retry, ...error.headers };
  return { ...jsonReply(error.status, errorBody(error, requestId), headers), error };
}
