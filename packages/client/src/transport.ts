// One request and its answer: headers, retries, bounds, errors. Every call of the client goes through `sendRequest`.
import { badAnswer, ClientError } from './errors.ts';
import { whyUnreachable } from './unreachable.ts';

/** The part of the global `fetch` that the client uses. */
export type FetchPort = (url: string, init: RequestInit) => Promise<Response>;

/** The clock, injected for tests. */
export interface ClientClock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it is aborted. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Tries of each request, at least 1. Default the client's. */
  readonly tries?: number | undefined;
}

/** An object of a JSON answer. */
export type Members = Readonly<Record<string, unknown>>;

/** One request. */
export interface OutgoingRequest {
  /** Path below the service's address, without a leading slash. */
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: FormData | Blob;
  /** Present when the payer sends it. */
  readonly payment?: { readonly payAgain: boolean };
}

/** A value of a successful answer, with its proof of payment. */
export interface ReceivedValue<Value> {
  readonly value: Value;
  readonly payment: string | undefined;
}

/** Dependencies of {@link createTransport}. */
export interface TransportDeps {
  /** Address of the service, with a slash at its end. */
  readonly base: string;
  readonly fetch: FetchPort;
  readonly headers: Readonly<Record<string, string>>;
  readonly pay: ((fetch: FetchPort) => FetchPort) | undefined;
  readonly tries: number;
  readonly maxWaitMs: number;
  readonly clock: ClientClock;
}

/** Sends requests. Rejects with a {@link ClientError}, the payer's error, or the signal's reason. */
export type SendRequest = <Value>(
  outgoing: OutgoingRequest,
  read: (response: Response) => Promise<Value>,
  call?: CallOptions,
) => Promise<ReceivedValue<Value>>;

const PROOF_HEADERS = ['X-PAYMENT', 'PAYMENT-SIGNATURE'];
/** Statuses that describe the moment and not the request. */
const PASSING = new Set([408, 425, 429, 502, 503, 504]);
/** The wait before the second try, which doubles with each further one, in milliseconds. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** The longest answer, unpacked: about the longest string. */
const MAX_ANSWER_BYTES = 512 * 1024 * 1024;
/** A refusal is a few thousand bytes. */
const MAX_REFUSAL_BYTES = 4 * 1024 * 1024;

/** The payment of one request, by the request's body. */
interface Payment {
  readonly payAgain: boolean;
  proof?: string;
}

/** Requests of one client. */
export function createTransport({ base, fetch, headers, pay, tries, maxWaitMs, clock }: TransportDeps) {
  const payments = new WeakMap<object, Payment>();
  const payingFetch = pay?.(async (url, init) => {
    const payment = init.body instanceof Object ? payments.get(init.body) : undefined;
    const sent = new Headers(init.headers);
    const proof = PROOF_HEADERS.map((name) => sent.get(name)).find((value) => value !== null);
    // Without its earlier proof, the request would lead to a price, which the payer would pay.
    if (proof == null && payment?.proof !== undefined && !payment.payAgain) throw usedUp(payment.proof);
    if (payment !== undefined && proof != null) payment.proof = proof;
    return fetch(url, init);
  });

  /** `fetch` throws a TypeError for a missing or broken answer; other errors pass. */
  const throwUnreachable = (cause: unknown): never => {
    if (!(cause instanceof TypeError)) throw cause;
    const { message, isPassing } = whyUnreachable(cause, base);
    throw new ClientError('unreachable', message, { cause, retryable: isPassing });
  };

  const sendRequest: SendRequest = async ({ path, method = 'GET', body, payment: paid }, read, call = {}) => {
    const { signal = null } = call;
    const most = call.tries ?? tries;
    const payment: Payment = { payAgain: paid?.payAgain === true };
    if (body !== undefined) payments.set(body, payment);
    const send = (paid === undefined ? undefined : payingFetch) ?? fetch;
    const init: RequestInit = {
      method,
      headers: { Accept: 'application/json', ...headers },
      signal,
      // A redirect would take the document to a host of the service's choice.
      redirect: 'manual',
    };
    if (body !== undefined) init.body = body;
    for (let tried = 1; ; tried++) {
      let isDone = false;
      try {
        signal?.throwIfAborted();
        const response = await send(new URL(path, base).href, init).catch(throwUnreachable);
        // A repetition would do the same work again, charge free pages again, or meet the same defect.
        isDone = method === 'POST' && (response.ok || response.status === 500);
        if (!response.ok) throw await refusalOf(response, clock.now()).catch(throwUnreachable);
        const value = await read(response).catch(throwUnreachable);
        signal?.throwIfAborted();
        return { value, payment: payment.proof };
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof ClientError)) throw error;
        error.payment = payment.proof;
        const waitMs = error.retryAfterMs ?? Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tried - 1));
        // After a payment only the payer repeats the request: it keeps the proof.
        const isOver = isDone || tried >= most || waitMs > maxWaitMs || error.payment !== undefined;
        if (isOver || !error.retryable) throw error;
        await clock.wait(waitMs, call.signal);
      }
    }
  };
  return sendRequest;
}

function usedUp(payment: string): ClientError {
  const message = `The payment ${payment} for this request is used up, and the service gives nothing more for it. The same call again pays anew.`;
  return new ClientError('payment_used_up', message, { payment });
}

/** The JSON object of a success. Rejects with `bad_answer`, or with the TypeError of a connection that breaks. */
export async function readMembers(response: Response): Promise<Members> {
  const body = parsed(await readText(response, MAX_ANSWER_BYTES));
  if (body === undefined) throw badAnswer(`status ${response.status}, and no JSON object`);
  return body;
}

function parsed(text: string): Members | undefined {
  try {
    const body = JSON.parse(text) as unknown;
    return isMembers(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

/** True for an object with members. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The body in UTF-8, bounded: a service must not fill this machine's memory. */
async function readText({ body }: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  let [text, length] = ['', 0];
  for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read()) {
    const bytes = piece.value as Uint8Array;
    length += bytes.length;
    if (length > maxBytes) {
      // The other half of a cloned body may never be read, so this does not wait.
      void reader?.cancel().catch(() => undefined);
      throw badAnswer(`it has more than ${maxBytes} bytes`);
    }
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}

/** The error for a failed answer. */
async function refusalOf(response: Response, nowMs: number): Promise<ClientError> {
  const { status, headers, type } = response;
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    await response.body?.cancel();
    const to = shortAddress(headers.get('location'));
    return new ClientError('redirected', `The service sends the request on to ${to}.`, { status });
  }
  const moment = { status, retryable: PASSING.has(status), retryAfterMs: retryAfterOf(headers, nowMs) };
  const body = parsed(await readText(response, MAX_REFUSAL_BYTES));
  if (body === undefined) return badAnswer(`status ${status}, and no JSON object`, moment);
  const { code, message, error, request_id: requestId, retryable, ...details } = body;
  const words = [message, error].find((text) => typeof text === 'string') ?? 'no reason is given';
  return new ClientError(typeof code === 'string' ? code : String(status), words, {
    ...moment,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    retryable: typeof retryable === 'boolean' ? retryable : moment.retryable,
    details,
  });
}

/** The wait of `Retry-After`, in seconds or as a date. */
function retryAfterOf(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** The address of a redirect, without user, password and query. */
function shortAddress(location: string | null): string {
  if (location === null || !URL.canParse(location)) return 'another address';
  const { origin, pathname } = new URL(location);
  return `${origin}${pathname}`;
}
