// What an answer to a request with a payment means: it is final, the same request may be sent again, or the payment
// is refused.
import { isObject } from './offer.ts';

/** The verdict on an answer. */
export type Verdict =
  | { readonly kind: 'final' }
  /** The same request with the same payment may succeed. */
  | {
      readonly kind: 'again';
      readonly afterMs: number | null;
      readonly why: string;
      readonly reason?: string;
    }
  /** This payment buys nothing here. */
  | { readonly kind: 'refused'; readonly why: string; readonly reason?: string };

/** Answers that say nothing of the request or the payment, but of the moment. */
const PASSING = new Set([408, 425, 429, 503]);
/** Codes of answers other than 402 that refuse a payment. */
const REFUSALS = new Set(['payment_exhausted', 'result_expired']);
/** The longest that a server is quoted, in UTF-16 units. */
const MAX_QUOTED = 1000;
/**
 * At least a second, whatever `Retry-After` says: a server must not have us send a document as fast as the line takes
 * it.
 */
const LEAST_WAIT_MS = 1000;
/** No more than a minute, after which the client asks again. */
const MOST_WAIT_MS = 60_000;

/** @param body as JSON, or undefined when it is none */
export function judge(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: unknown,
  nowMs: number,
): Verdict {
  const answer = isObject(body) ? body : {};
  const reason = typeof answer['code'] === 'string' ? clipped(answer['code']) : undefined;
  const message = typeof answer['message'] === 'string' ? answer['message'] : answer['error'];
  const why = typeof message === 'string' ? clipped(message) : `status ${status}`;
  const told = { why, ...(reason === undefined ? {} : { reason }) };
  const afterMs = retryAfterMs(headers, nowMs);
  if (status === 402) {
    const isPassing = answer['retryable'] === true || afterMs !== null;
    return isPassing ? { kind: 'again', afterMs, ...told } : { kind: 'refused', ...told };
  }
  if (reason !== undefined && REFUSALS.has(reason)) return { kind: 'refused', ...told };
  return PASSING.has(status) || status >= 500 ? { kind: 'again', afterMs, ...told } : { kind: 'final' };
}

/** As much of a server's words as anybody reads: 1,000 UTF-16 units at most, and a sign that there were more. */
export function clipped(text: string): string {
  return text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED).toWellFormed()}…`;
}

/** Of `Retry-After`, in seconds or as a date; null without one that can be read. */
function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? null : Math.min(MOST_WAIT_MS, Math.max(LEAST_WAIT_MS, ms));
}
