// Strict parsing of a JSON body: UTF-8, one object, no repeated member. fields.ts checks the fields.
import { HttpError } from '../errors/http-error.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Most strings, commas, colons and brackets, counted outside of strings. A request has some forty; 5 MB of the shortest
 * members hold the event loop for two seconds during the parse.
 */
export const MAX_SIGNS = 10_000;

/**
 * The members of the object by name; `__proto__` is a name like any other. Linear in the length; no nesting exhausts
 * the stack.
 *
 * @throws HttpError `invalid_json`
 */
export function parseJsonObject(bytes: Uint8Array): ReadonlyMap<string, unknown> {
  const text = decode(bytes);
  const names = memberNames(text);
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    rejectJson('it is another JSON value');
  const twice = findRepeated(names.map((name) => JSON.parse(name) as string));
  if (twice !== undefined) rejectJson(`it names ${JSON.stringify(twice.slice(0, 40))} twice`);
  return new Map(Object.entries(value));
}

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    return rejectJson('it is not UTF-8');
  }
}

function parse(text: string): unknown {
  if (text.trim() === '') return rejectJson('it is empty');
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // The engine's message quotes the body, so only the position is reported.
    const place = /at position \d+/.exec(error instanceof Error ? error.message : '')?.[0];
    return rejectJson(`it is not JSON${place === undefined ? '' : `, see ${place}`}`);
  }
}

/** Matches structural characters of JSON outside of strings, and the begin of a string. */
const SIGN = /[",:[\]{}]/g;

/**
 * The names of the outermost object's members as written, in order, with repetitions. The names of invalid JSON are
 * arbitrary.
 *
 * @throws HttpError `invalid_json` when there are more than {@link MAX_SIGNS} signs, which is seen before any of it is
 * parsed
 */
function memberNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let expectsName = false;
  let signs = 0;
  SIGN.lastIndex = 0;
  for (let found = SIGN.exec(text); found !== null; found = SIGN.exec(text)) {
    if (++signs > MAX_SIGNS) rejectJson(`it has more than ${MAX_SIGNS} values, names and brackets`);
    const [sign] = found;
    if (sign === '"') {
      const end = endOfString(text, found.index);
      if (expectsName) names.push(text.slice(found.index, end));
      expectsName = false;
      SIGN.lastIndex = end;
    } else if (sign === '{' || sign === '[') {
      depth += 1;
      expectsName = depth === 1;
    } else if (sign === '}' || sign === ']') depth -= 1;
    else if (sign === ',') expectsName = depth === 1;
  }
  return names;
}

/** The offset behind the closing quote of the string that begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

function findRepeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size);
}

function rejectJson(detail: string): never {
  throw new HttpError('invalid_json', { detail });
}
