// Sends one request and reads its answer. A server may redirect, send too much, or never end.
import { type Fetch, OversizedBody, readBytes, readerOf } from '../gate/http.ts';
import { parseJson } from '../gate/json.ts';
import { PayingError } from './errors.ts';
import type { RepeatableBody } from './pay.ts';
import type { RepeatableRequest } from './request.ts';

/** A request with its signal. */
export interface OutgoingCall {
  readonly request: RepeatableRequest;
  readonly signal: AbortSignal;
}

/** Statuses with a new address for the request (RFC 9110, section 15.4). */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MAX_SHOWN = 100;
/** An offer or a rejection has a few thousand bytes. */
const MAX_OFFER_BYTES = 1024 * 1024;
/** About the longest string; services send links to longer results. */
const MAX_ANSWER_BYTES = 512 * 1024 * 1024;
/** The slowest accepted line, 16 KiB a second: transferred bytes extend the patience. */
const LEAST_BYTES_PER_MS = 16.384;
/** The longest timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Sends a request, with further headers.
 *
 * Rejects with `redirected`, or with the error of `fetch`.
 */
export async function send(
  { request, signal }: OutgoingCall,
  proof: Readonly<Record<string, string>>,
  fetch: Fetch,
): Promise<Response> {
  const headers = new Headers(request.headers);
  for (const [name, value] of Object.entries(proof)) headers.set(name, value);
  const { url, init, body } = request;
  // A redirect would take document and proof to a host of the server's choice, and pay that host's price.
  const response = await fetch(url, { ...init, headers, body, signal, redirect: 'manual' });
  const isRedirect = REDIRECTS.has(response.status) || response.type === 'opaqueredirect';
  if (!isRedirect) return response;
  await response.body?.cancel();
  const detail = shortAddress(response.headers.get('location'));
  throw new PayingError('redirected', { detail });
}

/** The address of a redirect for people: short, without user, password and query. */
function shortAddress(location: string | null): string {
  if (location === null || !URL.canParse(location)) return 'another address';
  const { origin, pathname } = new URL(location);
  return `${origin}${pathname}`.slice(0, MAX_SHOWN);
}

/**
 * Sends a request and reads the answer to its end, because an incomplete answer is useless. It gives up after the
 * patience and the time for the transferred bytes.
 */
export async function exchange(
  { request, signal }: OutgoingCall,
  proof: Readonly<Record<string, string>>,
  fetch: Fetch,
  patienceMs: number,
): Promise<Response> {
  const stop = new AbortController();
  const leave = (): void => stop.abort(signal.reason);
  const beganMs = performance.now();
  let moved = sizeOf(request.body);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (bytes: number): void => {
    moved += bytes;
    const endMs = beganMs + patienceMs + moved / LEAST_BYTES_PER_MS;
    clearTimeout(timer);
    timer = setTimeout(
      () => stop.abort(new Error('it took too long to answer')),
      Math.min(MAX_TIMER_MS, Math.max(0, endMs - performance.now())),
    );
  };
  signal.throwIfAborted();
  signal.addEventListener('abort', leave, { once: true });
  wait(0);
  try {
    const response = await send({ request, signal: stop.signal }, proof, fetch);
    const { status, statusText, headers } = response;
    const most = response.ok ? MAX_ANSWER_BYTES : MAX_OFFER_BYTES;
    const bytes = await readBytes(readerOf(response.body), most, wait);
    return new Response(bytes.byteLength === 0 ? null : bytes, { status, statusText, headers });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  }
}

/**
 * The JSON of an offer; undefined when the part that arrives in time is not JSON.
 *
 * Rejects with `malformed_offer` when it is longer than any offer.
 */
export async function readOfferBody({ body }: Response, patienceMs: number): Promise<unknown> {
  const reader = readerOf(body);
  const timer = setTimeout(
    () => void reader?.cancel().catch(() => undefined),
    Math.min(MAX_TIMER_MS, patienceMs),
  );
  try {
    const bytes = await readBytes(reader, MAX_OFFER_BYTES);
    return parseJson(new TextDecoder().decode(bytes));
  } catch (error) {
    if (!(error instanceof OversizedBody)) throw error;
    throw new PayingError('malformed_offer', { detail: `its 402 answer has ${error.message}` });
  } finally {
    clearTimeout(timer);
  }
}

/** The JSON of an answer; undefined when it is not JSON. */
export async function readJson(response: Response): Promise<unknown> {
  return parseJson(await response.text());
}

/** The approximate bytes of a body, without the few bytes between the parts of a form. */
function sizeOf(body: RepeatableBody | null): number {
  if (body === null) return 0;
  if (body instanceof FormData) return [...body].reduce((sum, [, value]) => sum + sizeOf(value), 0);
  if (body instanceof Blob) return body.size;
  return typeof body === 'string' || body instanceof URLSearchParams
    ? body.toString().length
    : body.byteLength;
}
