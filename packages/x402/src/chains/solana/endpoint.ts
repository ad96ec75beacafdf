// One JSON-RPC endpoint: a call with a time-out and a bound on what it may answer, and a circuit breaker that spares an
// endpoint that is down. Its address may hold a secret, so faults name it by its number alone.
import type { Clock } from '../../clock.ts';
import { isJsonObject } from './answers.ts';

/** The part of `fetch` that calls need. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Waiting, as a parameter, so that tests need not. */
export type Timers = Pick<Clock, 'wait'>;

/** Bounds of calls. Times are in milliseconds. */
export interface RpcLimits {
  /** One call, its answer read to the end. */
  readonly callMs: number;
  /** Another endpoint is asked too when those asked do not agree for so long. */
  readonly hedgeMs: number;
  /** How often a question is put to the endpoints that fails for no fault of the payer's. */
  readonly tries: number;
  /** No try begins later than this after the first one. */
  readonly totalMs: number;
  /**
   * Bytes of one answer. A transaction's is a few kB; the longest that the runtime's own limits allow is below 1 MB.
   */
  readonly answerBytes: number;
  /** Failures in a row after which an endpoint is spared. */
  readonly failures: number;
  /** How long it is spared at first; each further failure doubles that, up to 16 times. */
  readonly coolMs: number;
}

export const RPC_LIMITS: RpcLimits = {
  callMs: 4_000,
  hedgeMs: 400,
  tries: 3,
  totalMs: 8_000,
  answerBytes: 2 * 1024 * 1024,
  failures: 4,
  coolMs: 2_000,
};

/** Why a call failed. */
export type FaultKind =
  /** No connection, or one that broke. */
  | 'unreachable'
  | 'timeout'
  /** Too many requests. */
  | 'limited'
  /** Status 401 or 403: it does not serve us this method, and will not until somebody changes something. */
  | 'denied'
  /** Any other HTTP status than 200. */
  | 'status'
  | 'oversized'
  /** No JSON-RPC. */
  | 'garbage'
  /** A JSON-RPC error. */
  | 'refused'
  /** JSON-RPC, and not an answer to the question. */
  | 'malformed';

/** A call that brought no answer. */
export class EndpointFault extends Error {
  readonly kind: FaultKind;
  /** Number of the endpoint in the settings, from 1. */
  readonly endpoint: number;
  /** Of a JSON-RPC error. */
  readonly rpcCode: number | undefined;
  /** Of a JSON-RPC error about a transaction: the name of what is wrong with it, where that is one word. */
  readonly transactionError: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    endpoint: number,
    kind: FaultKind,
    { detail = '', rpcCode, transactionError, retryAfterMs, cause }: FaultDetails = {},
  ) {
    super(
      `Endpoint ${endpoint}: ${kind}${detail === '' ? '' : ` (${detail})`}.`,
      cause === undefined ? undefined : { cause },
    );
    this.name = 'EndpointFault';
    this.kind = kind;
    this.endpoint = endpoint;
    this.rpcCode = rpcCode;
    this.transactionError = transactionError;
    this.retryAfterMs = retryAfterMs;
  }
}

interface FaultDetails {
  readonly detail?: string;
  readonly rpcCode?: number;
  readonly transactionError?: string;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** What an endpoint needs from outside. */
export interface RpcEnvironment {
  readonly fetch: Fetch;
  readonly timers: Timers;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
  readonly limits: RpcLimits;
}

/** Calls one endpoint. */
export type Call = (method: string, params: readonly unknown[], signal: AbortSignal) => Promise<unknown>;

/** One JSON-RPC endpoint behind its circuit breaker. */
export interface Endpoint {
  /** From 1. */
  readonly number: number;
  /** @throws EndpointFault, or the signal's reason */
  readonly call: Call;
  /** When it may be asked again; a time that has passed while nothing is wrong. Infinity while it is being probed. */
  readyMs(): number;
  /** Why it may not be asked now; undefined when it may. */
  sparedFor(): EndpointFault | undefined;
}

/**
 * A method that the endpoint does not serve us. Providers deny single methods (those that a plan or a rule does not
 * cover) and serve the others, so that this says nothing of the endpoint.
 */
interface Denial {
  readonly fault: EndpointFault;
  /** How often in a row. */
  readonly times: number;
  /** Until then whoever asks is told the same without a call. */
  readonly untilMs: number;
}

/** What providers answer to a key that is missing, wrong or used up, and to a place that they do not serve. */
const DENIED_STATUSES: readonly number[] = [401, 403];
/** What nodes and providers answer in place of status 429. */
const LIMITED_CODES: readonly number[] = [429, -32_429, -32_005];
const LONGEST_SPARING = 16;
/** Nobody learns of it; without a reason, each abort makes an exception with a stack. */
const ENDED = 'ended';
const LONGEST_RETRY_AFTER_MS = 60_000;

export function createEndpoint(number: number, url: string, environment: RpcEnvironment): Endpoint {
  const { timers, now, limits } = environment;
  let failures = 0;
  let readyMs = -Infinity;
  let probing = false;
  let last: EndpointFault | undefined;
  /** By method. Callers name few methods, and none that came from outside. */
  const denials = new Map<string, Denial>();

  const coolMs = (times: number): number => limits.coolMs * Math.min(2 ** (times - 1), LONGEST_SPARING);
  const failed = (method: string, fault: EndpointFault): void => {
    if (fault.kind === 'denied') {
      const times = (denials.get(method)?.times ?? 0) + 1;
      denials.set(method, { fault, times, untilMs: now() + coolMs(times) });
      return;
    }
    // Whoever refuses a question has served it.
    if (!countsAgainst(fault)) {
      denials.delete(method);
      return;
    }
    last = fault;
    failures++;
    if (failures >= limits.failures) readyMs = now() + coolMs(failures - limits.failures + 1);
    if (fault.retryAfterMs !== undefined) readyMs = Math.max(readyMs, now() + fault.retryAfterMs);
  };
  /** Asked the same again, it would say the same; once the time is over, one call is made to find out. */
  const refuseDenied = (method: string): void => {
    const denial = denials.get(method);
    if (denial === undefined) return;
    if (now() < denial.untilMs) throw denial.fault;
    denials.set(method, { ...denial, untilMs: now() + limits.callMs });
  };

  const call: Call = async (method, params, signal) => {
    signal.throwIfAborted();
    refuseDenied(method);
    const ended = new AbortController();
    const late = new AbortController();
    const probe = failures >= limits.failures;
    if (probe) probing = true;
    timers.wait(limits.callMs, ended.signal).then(
      () => late.abort(),
      () => undefined,
    );
    try {
      const answer = await post(
        { number, url, method, params, signal: AbortSignal.any([signal, late.signal]) },
        environment,
      );
      failures = 0;
      denials.delete(method);
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      const fault = late.signal.aborted ? new EndpointFault(number, 'timeout') : faultOf(number, error);
      failed(method, fault);
      throw fault;
    } finally {
      if (probe) probing = false;
      ended.abort(ENDED);
    }
  };
  const nextMs = (): number => (probing ? Infinity : readyMs);
  return { number, call, readyMs: nextMs, sparedFor: () => (nextMs() <= now() ? undefined : last) };
}

/**
 * Whether a fault says something about the endpoint rather than the question: whoever asks odd questions must not
 * be able to make it look broken for all others.
 */
function countsAgainst({ kind }: EndpointFault): boolean {
  return kind !== 'refused' && kind !== 'malformed';
}

function faultOf(number: number, error: unknown): EndpointFault {
  if (error instanceof EndpointFault) return error;
  return new EndpointFault(number, 'unreachable', { cause: error });
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
  environment: RpcEnvironment,
): Promise<unknown> {
  const { fetch, limits, now } = environment;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    redirect: 'error',
    signal,
  });
  if (response.status !== 200) {
    await response.body?.cancel().catch(() => undefined);
    throw statusFault(number, method, response, now());
  }
  const text = await readBody(response, limits.answerBytes, number);
  return resultIn(text, number);
}

function statusFault(
  number: number,
  method: string,
  { status, headers }: Response,
  nowMs: number,
): EndpointFault {
  if (status === 429)
    return new EndpointFault(number, 'limited', retryAfter(headers.get('retry-after'), nowMs));
  if (!DENIED_STATUSES.includes(status))
    return new EndpointFault(number, 'status', { detail: String(status) });
  const detail = `${status} for ${method}: the key in its URL is missing, wrong or used up, or it does not serve this method or this machine`;
  return new EndpointFault(number, 'denied', { detail });
}

/** Seconds or a date, as HTTP has them. */
function retryAfter(header: string | null, nowMs: number): { retryAfterMs: number } | object {
  if (header === null) return {};
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(ms) ? {} : { retryAfterMs: Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS) };
}

/** Reads no more than the limit, whatever length is promised. */
async function readBody(response: Response, maxBytes: number, number: number): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  for (let bytes = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw new EndpointFault(number, 'oversized', { detail: `more than ${maxBytes} bytes` });
    }
    text += decoder.decode(value, { stream: true });
  }
}

function resultIn(text: string, number: number): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new EndpointFault(number, 'garbage', { detail: 'not JSON' });
  }
  if (!isJsonObject(answer)) throw new EndpointFault(number, 'garbage', { detail: 'not JSON-RPC' });
  const error = answer['error'];
  if (isJsonObject(error)) {
    const rpcCode = typeof error['code'] === 'number' ? error['code'] : 0;
    const kind = LIMITED_CODES.includes(rpcCode) ? 'limited' : 'refused';
    const about = isJsonObject(error['data']) ? error['data']['err'] : undefined;
    throw new EndpointFault(number, kind, {
      detail: `error ${rpcCode}`,
      rpcCode,
      ...(typeof about === 'string' && { transactionError: about }),
    });
  }
  if (answer['result'] === undefined)
    throw new EndpointFault(number, 'garbage', { detail: 'neither result nor error' });
  return answer['result'];
}
