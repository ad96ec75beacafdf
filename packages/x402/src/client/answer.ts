// The verdict on an answer to a paid request: final, repeatable, or a rejection of the payment.
import { retryAfterMs } from '../gate/http.ts';
import { isObject } from '../gate/json.ts';

/** The verdict on an answer. */
export type ReplyVerdict =
  | { readonly kind: 'final' }
  /** The same request with the same payment may succeed. */
  | {
      readonly kind: 'again';
      readonly afterMs: number | null;
      readonly why: string;
      readonly reason?: string | undefined;
    }
  /** This payment buys nothing from this server. */
  | { readonly kind: 'refused'; readonly why: string; readonly reason?: string | undefined };

/** Statuses that describe the moment, not the request or the payment. */
const TRANSIENT = new Set([408, 425, 429, 503]);
/** Codes of answers other than 402 that reject a payment. */
const REFUSALS = new Set(['payment_exhausted', 'result_expired']);
/** The longest quotation of a server, in UTF-16 units. */
const MAX_QUOTED = 1000;
/**
 * At least a second, whatever `Retry-After` says: a server must not make the client send a document in a tight loop.
 */
const LEAST_WAIT_MS = 1000;
/** At most a minute; then the client tries again. */
const MOST_WAIT_MS = 60_000;

/** @param body JSON, or undefined without it */
export function judgeAnswer(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: unknown,
  nowMs: number,
): ReplyVerdict {
  const answer = isObject(body) ? body : {};
  const reason = typeof answer['code'] === 'string' ? clipped(answer['code']) : undefined;
  const message = typeof answer['message'] === 'string' ? answer['message'] : answer['error'];
  const why = typeof message === 'string' ? clipped(message) : `status ${status}`;
  const afterMs = boundedRetryAfterMs(headers, nowMs);
  if (status === 402) {
    const isPassing = answer['retryable'] === true || afterMs !== null;
    return isPassing ? { kind: 'again', afterMs, why, reason } : { kind: 'refused', why, reason };
  }
  if (reason !== undefined && REFUSALS.has(reason)) return { kind: 'refused', why, reason };
  return TRANSIENT.has(status) || status >= 500 ? { kind: 'again', afterMs, why, reason } : { kind: 'final' };
}

/** The beginning of a server's text: at most 1,000 UTF-16 units, and an ellipsis if there are more. */
export function clipped(text: string): string {
  return text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED).toWellFormed()}…`;
}

/** The wait of `Retry-After`, within the bounds above; null without one. */
function boundedRetryAfterMs(headers: Headers, nowMs: number): number | null {
  const ms = retryAfterMs(headers, nowMs);
  return ms === undefined ? null : Math.min(MOST_WAIT_MS, Math.max(LEAST_WAIT_MS, ms));
}
