// Answers: what the service knows, written as the wire wants it. The chunks arrive as finished JSON text and
// are spliced in; nothing here parses or builds them again.
import { type Fault, errorBody } from '../errors.ts';
import type { Reply } from './intake.ts';
import type { Receipt } from '../payments/sale.ts';
import { RESULT_LIFETIME } from '../results.ts';
import type { Settings } from '../settings/settings.ts';
import type { Finished } from '../workplace/index.ts';

/** From so many chunks on, an answer carries a link instead of the chunks. */
export const LINK_FROM_CHUNKS = 100;

/** Headers of every answer: any origin may read it, no browser may run or guess it. */
const COMMON_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, ETag, Content-Range, Content-Location',
} as const;

/** The headers of an answer, with those that every answer has. */
export function commonHeaders(
  requestId: string,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  return { ...COMMON_HEADERS, 'X-Request-Id': requestId, ...headers };
}

/** The `payment` of an answer. */
export interface Payment {
  /** Amount in the asset's smallest unit; 0 for what is free. */
  readonly amount: bigint;
  readonly network: Settings['network'];
  /** The receipt of the payment, when one was made. */
  readonly receipt?: Receipt;
}

/** Headers of answers that hold for this moment, or for their owner alone. */
export const NO_STORE = { 'Cache-Control': 'no-store' } as const;

/** A reply with a JSON body. */
export function jsonReply(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return { status, headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers }, body: text };
}

/** The reply of a refused request. */
export function faultReply(fault: Fault, requestId: string): Reply {
  const retry =
    fault.retryAfterS === undefined || fault.status === 500
      ? {}
      : { 'Retry-After': String(fault.retryAfterS) };
  const headers = { ...NO_STORE, ...retry, ...fault.headers };
  return { ...jsonReply(fault.status, errorBody(fault, requestId), headers), fault };
}

/** The full answer, to be sent inline. */
export function answerText(tier: string, finished: Finished, payment: Payment): string {
  return answerParts(tier, finished, payment).join('');
}

/** The full answer in parts, to be stored: put together it would be a second copy of nearly all of it. */
export function answerParts(tier: string, finished: Finished, payment: Payment): readonly string[] {
  const head = { success: true, tier, total_chunks: finished.totalChunks, metadata: finished.metadata };
  return [open(head), ',', finished.members, ',', close(tailOf(finished, payment))];
}

/** The answer that carries a link in place of the chunks. */
export function linkText(tier: string, finished: Finished, payment: Payment, downloadUrl: string): string {
  const head = { success: true, tier, total_chunks: finished.totalChunks, metadata: finished.metadata };
  return JSON.stringify({
    ...head,
    download_url: downloadUrl,
    expires_in: RESULT_LIFETIME,
    ...tailOf(finished, payment),
  });
}

function tailOf({ warnings }: Finished, { amount, network, receipt }: Payment): object {
  const payment = { amount: Number(amount), asset: 'USDC', network, ...receipt };
  return { payment, ...(warnings.length === 0 ? undefined : { warnings }) };
}

/** An object's JSON without its last brace, and without its first. Neither object is ever empty. */
const open = (head: object): string => JSON.stringify(head).slice(0, -1);
const close = (tail: object): string => JSON.stringify(tail).slice(1);
