// What services behind HTTP have in common, whether they embed or answer questions: which refusals may pass, how long
// they ask to wait, what they say in their own words, and how much of an answer is read.

/** What is shown of a service's own words, in UTF-16 units. */
const LONGEST_REASON = 200;
/** Answers that may be others the next time, besides all from 500 on. */
const PASSING: readonly number[] = [408, 409, 425, 429];

/** Whether a request that was answered with this status may be answered otherwise the next time. */
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
 * What a service says is wrong: `error.message` of JSON, or else its text, on one line.
 *
 * @param secret the key that it was asked with, which it may repeat; undefined when there is none
 */
export function reasonIn(body: string, secret: string | undefined): string {
  const { error } = Object(jsonOf(body)) as { error?: { message?: unknown } | string };
  const inner = typeof error === 'string' ? error : error?.message;
  const said = typeof inner === 'string' ? inner : body;
  // The sentence that it is put into has a full stop of its own.
  return quoted(secret === undefined ? said : said.replaceAll(secret, '…')).replace(/\.$/, '');
}

/** Words of a service or a model as an error quotes them: on one line, and not too many. */
export function quoted(words: string): string {
  return words.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_REASON).toWellFormed();
}

/** JSON, or undefined where a body is none. */
export function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** The text of an answer; undefined when it has more bytes than that, of which no more are read. */
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

/** An option that is an integer from `least`; the fallback where it is absent, or wrong and then among the faults. */
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
