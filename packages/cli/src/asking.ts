// Requests to a service, as patient as it asks for, and what it answers: JSON, or an error in its own words. Nothing is
// paid here.
import { clipped, wait } from '@grainline/x402/client';
import { CliError } from './errors.ts';
import { readText } from './text-of.ts';
import { isPassing, whyUnreachable } from './unreachable.ts';

/** Tries of a request that the service puts off, or whose connection breaks, before anything is paid. */
const MOST_TRIES = 5;
/** A service that wants more patience than this is full for today. */
const MOST_WAIT_S = 60;
/** What a service says of itself is a few thousand bytes. */
const MAX_INFO_BYTES = 4 * 1024 * 1024;

/** What a service says of itself: the answer of `GET /`. Rejects with a CliError, or the signal's reason. */
export function askInfo(remote: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  return askJson(remote, { signal, headers: { Accept: 'application/json' } }, MAX_INFO_BYTES);
}

/** The JSON object at an address. Rejects as {@link askInfo}. */
export async function askJson(
  url: string,
  init: RequestInit,
  maxBytes?: number,
): Promise<Record<string, unknown>> {
  const response = await patientFetch(url, init).catch((error: unknown) => {
    throw error instanceof TypeError ? unreachable(error, url) : error;
  });
  return readBody(response, maxBytes);
}

/** Waits where the service says so, and tries again where a connection breaks; only as long as nothing is paid. */
export async function patientFetch(url: string, init: RequestInit): Promise<Response> {
  const signal = init.signal ?? new AbortController().signal;
  // With a payment the paying fetch has its own patience.
  const most = new Headers(init.headers).has('X-PAYMENT') ? 1 : MOST_TRIES;
  for (let tries = 1; ; tries++) {
    const outcome = await fetch(url, init).catch((error: unknown) => ({ error }));
    signal.throwIfAborted();
    const waitS = 'error' in outcome ? (isPassing(outcome.error) ? tries : null) : waitOf(outcome);
    if (tries === most || waitS === null || waitS > MOST_WAIT_S) {
      if ('error' in outcome) throw outcome.error;
      return outcome;
    }
    await wait(waitS * 1000, signal);
  }
}

function waitOf({ status, headers }: Response): number | null {
  const text = headers.get('retry-after') ?? '';
  return (status === 429 || status === 503) && /^\d{1,6}$/.test(text) ? Number(text) : null;
}

/** The error to report when `fetch` itself fails. */
export function unreachable(error: TypeError, url: string): CliError {
  return new CliError('remote_unreachable', { detail: whyUnreachable(error, url), cause: error });
}

/** The body as JSON; an error of the service as one of ours. */
export async function readBody(response: Response, maxBytes?: number): Promise<Record<string, unknown>> {
  const text = await readText(response, maxBytes).catch((error: unknown) => {
    // The connection broke, or what came cannot be unpacked.
    throw error instanceof TypeError ? unreachable(error, response.url) : error;
  });
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // Falls through to the same fault as JSON that is no object.
  }
  if (!isRecord(body))
    throw new CliError('remote_strange', { detail: `status ${response.status}, and no JSON object` });
  if (response.ok) return body;
  throw refusal(body, response.status);
}

/** An error of the service, or of its job, as one of ours. */
export function refusal({ message, error, code }: Record<string, unknown>, status?: number): CliError {
  const words = [message, error].find((text) => typeof text === 'string') ?? 'no reason is given';
  const name = typeof code === 'string' ? code : (status ?? 'failed');
  return new CliError('remote_refused', { detail: `${clipped(words)} (${clipped(String(name))})` });
}

/** Whether a value is an object with members. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
