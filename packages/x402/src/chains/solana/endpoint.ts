// One JSON-RPC endpoint: calls with a time limit and a bound on the answer, and a pause after repeated failures. The
// URL may hold a secret, so errors name the endpoint by its number.
import type { Clock } from '../../gate/clock.ts';
import { type Fetch, OversizedBody, readText, retryAfterMs } from '../../gate/http.ts';
import { isObject, parseJson } from '../../gate/json.ts';

/** The waiting part of a clock, injected for tests. */
export type Timers = Pick<Clock, 'wait'>;

/** Bounds of calls. Times are in milliseconds. */
export interface RpcLimits {
  /** Time for one call, including reading the answer. */
  readonly callMs: number;
  /** Tries of a query that fails for no fault of the payer. */
  readonly tries: number;
  /** The latest start of a try, counted from the first one. */
  readonly totalMs: number;
  /** Bytes of one answer. A transaction takes a few kB; the runtime's limits keep the longest below 1 MB. */
  readonly answerBytes: number;
  /** Failures in a row after which an endpoint pauses. */
  readonly failures: number;
  /** Length of that pause. */
  readonly coolMs: number;
}

/** The limits of a chain that is given none: a query ends within 12 s. */
export const RPC_LIMITS: RpcLimits = {
  callMs: 4_000,
  tries: 3,
  totalMs: 8_000,
  answerBytes: 2 * 1024 * 1024,
  failures: 4,
  coolMs: 5_000,
};

/** The cause of a failed call. */
export type RpcErrorKind =
  /** No connection, or a broken one. */
  | 'unreachable'
  | 'timeout'
  /** Too many requests. */
  | 'limited'
  /** Status 401 or 403: the endpoint denies this method until a person changes something. */
  | 'denied'
  /** Any other HTTP status than 200. */
  | 'status'
  | 'oversized'
  /** The answer is not JSON-RPC. */
  | 'garbage'
  /** A JSON-RPC error. */
  | 'refused'
  /** JSON-RPC that does not answer the call. */
  | 'malformed';

/** Details of an {@link RpcError}. */
interface RpcErrorDetails {
  readonly detail?: string | undefined;
  readonly rpcCode?: number | undefined;
  readonly transactionError?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A call without an answer. */
export class RpcError extends Error {
  readonly kind: RpcErrorKind;
  /** Number of the endpoint in the settings, from 1. */
  readonly endpoint: number;
  /** Code of a JSON-RPC error. */
  readonly rpcCode: number | undefined;
  /** Name of a transaction's error in a JSON-RPC error, if it is one word. */
  readonly transactionError: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(endpoint: number, kind: RpcErrorKind, details: RpcErrorDetails = {}) {
    const { detail, cause } = details;
    super(
      `Endpoint ${endpoint}: ${kind}${detail === undefined ? '' : ` (${detail})`}.`,
      cause === undefined ? undefined : { cause },
    );
    this.name = 'RpcError';
    this.kind = kind;
    this.endpoint = endpoint;
    this.rpcCode = details.rpcCode;
    this.transactionError = details.transactionError;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** The outside of an endpoint. */
export interface RpcEnvironment {
  readonly fetch: Fetch;
  readonly timers: Timers;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
  readonly limits: RpcLimits;
}

/** Calls one endpoint. @throws RpcError, or the signal's reason */
export type RpcCall = (method: string, params: readonly unknown[], signal: AbortSignal) => Promise<unknown>;

/** One JSON-RPC endpoint. */
export interface RpcEndpoint {
  /** From 1. */
  readonly number: number;
  readonly call: RpcCall;
  /** The pause of the endpoint and the error behind it; null while the endpoint may be called. */
  pause(): { readonly untilMs: number; readonly error: RpcError } | null;
}

/** Statuses of providers for a missing, wrong or used up key, and for a denied method or machine. */
const DENIED_STATUSES: readonly number[] = [401, 403];
/** Codes that nodes and providers send in place of status 429. */
const LIMITED_CODES: readonly number[] = [429, -32_429, -32_005];
/** These errors depend on the call, so they do not count against the endpoint and its other calls. */
const CALL_ERRORS: ReadonlySet<RpcErrorKind> = new Set(['refused', 'malformed', 'denied']);
/** Reason of an abort; an abort without one creates an exception with a stack. */
const ENDED = 'ended';
const LONGEST_RETRY_AFTER_MS = 60_000;

export function createRpcEndpoint(number: number, url: string, environment: RpcEnvironment): RpcEndpoint {
  const { timers, now, limits } = environment;
  let failures = 0;
  let pause: ReturnType<RpcEndpoint['pause']> = null;

  const countFailure = (error: RpcError): void => {
    if (CALL_ERRORS.has(error.kind)) return;
    failures++;
    const pauseMs = Math.max(error.retryAfterMs ?? 0, failures >= limits.failures ? limits.coolMs : 0);
    if (pauseMs > 0) pause = { untilMs: now() + pauseMs, error };
  };

  const call: RpcCall = async (method, params, signal) => {
    signal.throwIfAborted();
    const ended = new AbortController();
    const late = new AbortController();
    timers.wait(limits.callMs, ended.signal).then(
      () => late.abort(),
      () => undefined,
    );
    try {
      const callSignal = AbortSignal.any([signal, late.signal]);
      const answer = await post({ number, url, method, params, signal: callSignal }, environment);
      failures = 0;
      return answer;
    } catch (cause) {
      signal.throwIfAborted();
      const error = late.signal.aborted ? new RpcError(number, 'timeout') : callErrorOf(number, cause);
      countFailure(error);
      throw error;
    } finally {
      ended.abort(ENDED);
    }
  };
  return { number, call, pause: () => (pause !== null && pause.untilMs > now() ? pause : null) };
}

function callErrorOf(number: number, cause: unknown): RpcError {
  if (cause instanceof RpcError) return cause;
  if (cause instanceof OversizedBody) return new RpcError(number, 'oversized', { detail: cause.message });
  return new RpcError(number, 'unreachable', { cause });
}

interface Request {
  readonly number: number;
  readonly url: string;
  readonly method: string;
  readonly params: readonly unknown[];
  readonly signal: AbortSignal;
}

async function post(
  { number, url, method, params, signal }: Request,
  { fetch, limits, now }: RpcEnvironment,
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    redirect: 'error',
    signal,
  });
  if (response.status === 200) return resultIn(await readText(response, limits.answerBytes), number);
  await response.body?.cancel().catch(() => undefined);
  throw statusError(number, method, response, now());
}

function statusError(number: number, method: string, { status, headers }: Response, nowMs: number): RpcError {
  if (status === 429) {
    const waitMs = Math.min(Math.max(retryAfterMs(headers, nowMs) ?? 0, 0), LONGEST_RETRY_AFTER_MS);
    return new RpcError(number, 'limited', { retryAfterMs: waitMs });
  }
  if (!DENIED_STATUSES.includes(status)) return new RpcError(number, 'status', { detail: String(status) });
  const detail = `${status} for ${method}: the key in its URL is missing, wrong or used up, or it does not serve this method or this machine`;
  return new RpcError(number, 'denied', { detail });
}

function resultIn(text: string, number: number): unknown {
  const answer = parseJson(text);
  if (answer === undefined) throw new RpcError(number, 'garbage', { detail: 'not JSON' });
  if (!isObject(answer)) throw new RpcError(number, 'garbage', { detail: 'not JSON-RPC' });
  const { error, result } = answer;
  if (isObject(error)) {
    const rpcCode = typeof error['code'] === 'number' ? error['code'] : 0;
    const named = isObject(error['data']) ? error['data']['err'] : undefined;
    throw new RpcError(number, LIMITED_CODES.includes(rpcCode) ? 'limited' : 'refused', {
      detail: `error ${rpcCode}`,
      rpcCode,
      transactionError: typeof named === 'string' ? named : undefined,
    });
  }
  if (result === undefined) throw new RpcError(number, 'garbage', { detail: 'neither result nor error' });
  return result;
}
