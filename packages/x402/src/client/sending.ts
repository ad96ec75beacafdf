// One request out, and its answer in. A server is not trusted to stay where it is, to say little, or to come to an end.
import { PayingError } from './errors.ts';
import type { RepeatableBody, RepeatableRequest } from './request.ts';

/** Of the global `fetch`, what is used here. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

/** A request on its way. */
export interface Sending {
  readonly request: RepeatableRequest;
  readonly signal: AbortSignal;
}

/** RFC 9110 section 15.4: those that name where to send the request next. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MAX_SHOWN = 100;
/** An offer or a refusal is a few thousand bytes. */
const MAX_OFFER_BYTES = 1024 * 1024;
/** About what fits a string; whoever sells more sells it behind a link. */
const MAX_ANSWER_BYTES = 512 * 1024 * 1024;
/** The slowest line that is waited for, 16 KiB a second: what has gone over it is added to the patience. */
const LEAST_BYTES_PER_MS = 16.384;
/** The longest that a timer takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Sends a request, with headers beside its own.
 *
 * Rejects with `redirected`, or with whatever `fetch` rejects with.
 */
export async function send(
  { request, signal }: Sending,
  proof: Readonly<Record<string, string>>,
  fetch: Fetch,
): Promise<Response> {
  const headers = new Headers(request.headers);
  for (const [name, value] of Object.entries(proof)) headers.set(name, value);
  const { url, init, body } = request;
  // Followed, a redirect would take document and proof to a host of the server's choice, and pay what that one asks.
  const response = await fetch(url, { ...init, headers, body, signal, redirect: 'manual' });
  const isRedirect = REDIRECTS.has(response.status) || response.type === 'opaqueredirect';
  if (!isRedirect) return response;
  await response.body?.cancel();
  const detail = addressOf(response.headers.get('location'));
  throw new PayingError('redirected', { detail });
}

/** Where a redirect leads, for people to read: without user, password and query, and not too long. */
function addressOf(location: string | null): string {
  if (location === null || !URL.canParse(location)) return 'another address';
  const { origin, pathname } = new URL(location);
  return `${origin}${pathname}`.slice(0, MAX_SHOWN);
}

/**
 * Sends a request and reads the answer to its end, because one that breaks off is none. An answer that does not come,
 * or comes drop by drop, is given up after the patience and what the bytes took that went to and fro.
 */
export async function exchange(
  { request, signal }: Sending,
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
 * The JSON of an answer that should be an offer; undefined when it is none, or what has come of it in time is none.
 *
 * Rejects with `malformed_offer` when it is longer than any offer.
 */
export async function readOffered({ body }: Response, patienceMs: number): Promise<unknown> {
  const reader = readerOf(body);
  const timer = setTimeout(
    () => void reader?.cancel().catch(() => undefined),
    Math.min(MAX_TIMER_MS, patienceMs),
  );
  try {
    const bytes = await readBytes(reader, MAX_OFFER_BYTES, () => undefined);
    return parsed(new TextDecoder().decode(bytes));
  } catch (error) {
    if (!(error instanceof EndlessAnswer)) throw error;
    throw new PayingError('malformed_offer', { detail: `its 402 answer has ${error.message}` });
  } finally {
    clearTimeout(timer);
  }
}

/** The JSON of an answer that was read; undefined when it is none. */
export async function readJson(response: Response): Promise<unknown> {
  return parsed(await response.text());
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/** By hand, because not every browser iterates over a body; undefined when there is none. */
function readerOf(body: Response['body']): BodyReader | undefined {
  return body?.getReader() as BodyReader | undefined;
}

/** An answer that is longer than any that is waited for. */
export class EndlessAnswer extends Error {}

/** Rejects with an EndlessAnswer when there are more than so many. */
async function readBytes(
  reader: BodyReader | undefined,
  mostBytes: number,
  onBytes: (count: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read()) {
    length += piece.value.length;
    if (length > mostBytes) {
      await reader?.cancel();
      throw new EndlessAnswer(`more than ${mostBytes} bytes`);
    }
    onBytes(piece.value.length);
    pieces.push(piece.value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** About so many bytes go out; what parts a form costs next to nothing. */
function sizeOf(body: RepeatableBody | null): number {
  if (body === null) return 0;
  if (body instanceof FormData) return [...body].reduce((sum, [, value]) => sum + sizeOf(value), 0);
  if (body instanceof Blob) return body.size;
  return typeof body === 'string' || body instanceof URLSearchParams
    ? body.toString().length
    : body.byteLength;
}
