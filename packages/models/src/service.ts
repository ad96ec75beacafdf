// The parts that all services behind HTTP share, for embedders and language models alike: transient statuses, waits
// before a retry, quoted error messages, bounded answers, and checks of options.

/** Most UTF-16 units of a service's own words that an error quotes. */
const LONGEST_REASON = 200;
/** Transient statuses below 500. */
const PASSING: readonly number[] = [408, 409, 425, 429];

/** True when a request with this status may succeed the next time. */
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
 * Reads the error message of a service: `error.message` of a JSON body, or else the body's text, on one line.
 *
 * @param secret the key of the request. A service may repeat it in its message, from which it is removed
 */
export function reasonIn(body: string, secret: string | undefined): string {
  const { error } = Object(jsonOf(body)) as { error?: { message?: unknown } | string };
  const inner = typeof error === 'string' ? error : error?.message;
  const reason = typeof inner === 'string' ? inner : body;
  // The sentence around the message has a full stop of its own.
  return quoted(secret === undefined ? reason : reason.replaceAll(secret, '…')).replace(/\.$/, '');
}

/** Shortens the words of a service or a model to one line for an error message. */
export function quoted(words: string): string {
  return words.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_REASON).toWellFormed();
}

/** The system's reason in brackets, as ` (ECONNREFUSED)`, when there is one. */
export function causeOf(error: unknown): string {
  const { code } = Object((Object(error) as { cause?: unknown }).cause) as { code?: unknown };
  return typeof code === 'string' ? ` (${code})` : '';
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

/**
 * The issue with the address of a service, without the password that it may hold; undefined when it can be used.
 * `fetch` refuses an address with a user.
 *
 * @param keys the settings that take credentials
 */
export function addressIssue(name: string, text: string, keys: string): string | undefined {
  const { protocol = '', username = '', password = '' } = URL.parse(text) ?? {};
  if (!/^https?:$/.test(protocol)) {
    const received = text.includes('@') ? 'something else' : JSON.stringify(text);
    return `${name} must be an http or https address, but is ${received}`;
  }
  if (username === '' && password === '') return undefined;
  return `${name} must have no user and no password; give credentials by ${keys}`;
}

/**
 * The value of an option that must be an integer from `least`. Returns the fallback when the option is absent or wrong;
 * in the latter case adds a sentence to the issues.
 */
export function integerOption(
  issues: string[],
  [name, value]: readonly [name: string, value: unknown],
  fallback: number,
  least: number,
): number {
  const given = value ?? fallback;
  if (Number.isSafeInteger(given) && (given as number) >= least) return given as number;
  issues.push(`${name} must be an integer from ${least}, but is ${JSON.stringify(given)}`);
  return fallback;
}

/** Resolves after so many milliseconds; rejects with the signal's reason as soon as it is aborted. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
