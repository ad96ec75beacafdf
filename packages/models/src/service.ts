// What all services behind HTTP share, whether they embed or answer questions: which refusals may pass, how long to
// wait, how their own words are quoted, and how much of an answer is read.

/** Most UTF-16 units of a service's own words that an error quotes. */
const LONGEST_REASON = 200;
/** Statuses that may be different the next time, besides all from 500 on. */
const PASSING: readonly number[] = [408, 409, 425, 429];

/** True when a request that got this status may succeed the next time. */
export function mayPass(status: number): boolean {
  return status >= 500 || PASSING.includes(status);
}

/** `Retry-After` in milliseconds, from seconds or a date (RFC 9110 section 10.2.3); undefined when it is neither. */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(header)) return Math.ceil(Number(header) * 1000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

/**
 * What a service says is wrong: `error.message` of a JSON body, or else the body's text, on one line.
 *
 * @param secret the key that was sent, which the service may repeat and which is then removed; undefined when there is
 * none
 */
export function reasonIn(body: string, secret: string | undefined): string {
  const { error } = Object(jsonOf(body)) as { error?: { message?: unknown } | string };
  const inner = typeof error === 'string' ? error : error?.message;
  const reason = typeof inner === 'string' ? inner : body;
  // The sentence that it is put into has a full stop of its own.
  return quoted(secret === undefined ? reason : reason.replaceAll(secret, '…')).replace(/\.$/, '');
}

/** Words of a service or a model as an error quotes them: on one line, and not too many. */
export function quoted(words: string): string {
  return words.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_REASON).toWellFormed();
}

/** Parses JSON; undefined when the text is none. */
export function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** Reads the text of an answer; stops and returns undefined when it has more than `maxBytes` bytes. */
export async function textOf(response: Response, maxBytes: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  // Leaving the loop ends the connection.
  for await (const part of response.body ?? []) {
    bytes += (part as Uint8Array).length;
    if (bytes > maxBytes) return undefined;
    text += decoder.decode(part as Uint8Array, { stream: true });
  }
  return text + decoder.decode();
}

/** Whether a text is an address that can be asked over HTTP. */
export function isHttpAddress(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}

/**
 * The value of an option that must be an integer from `least`. Returns the fallback when the option is absent or wrong;
 * in the latter case adds a sentence to the faults.
 */
export function integerOption(
  faults: string[],
  [name, value]: readonly [name: string, value: unknown],
  fallback: number,
  least: number,
): number {
  const given = value ?? fallback;
  if (Number.isSafeInteger(given) && (given as number) >= least) return given as number;
  faults.push(`${name} must be an integer from ${least}, but is ${JSON.stringify(given)}`);
  return fallback;
}
