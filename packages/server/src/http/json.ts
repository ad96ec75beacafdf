// Strict reading of a JSON body: UTF-8, one object, no member twice. The fields are checked in fields.ts.
import { Fault } from '../errors.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The members of the object, by their names; `__proto__` is a name like any other. Linear in the length, and
 * no nesting is deep enough to exhaust the stack: both scans are loops.
 *
 * @throws Fault `invalid_json`
 */
export function parseJsonObject(bytes: Uint8Array): ReadonlyMap<string, unknown> {
  const text = decode(bytes);
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse('it is another JSON value');
  const twice = findRepeated(memberNames(text));
  if (twice !== undefined) refuse(`it names ${JSON.stringify(twice.slice(0, 40))} twice`);
  return new Map(Object.entries(value));
}

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    return refuse('it is not UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // The engine's message quotes the body; only the place is passed on.
    const place = /at position \d+/.exec(error instanceof Error ? error.message : '')?.[0];
    return refuse(`it is not JSON${place === undefined ? '' : `, see ${place}`}`);
  }
}

/** Names of the outermost object's members, in order, repeated ones too. The text is known to be valid JSON. */
function memberNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let expectsName = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') {
      const end = endOfString(text, at);
      if (expectsName) names.push(JSON.parse(text.slice(at, end)) as string);
      expectsName = false;
      at = end - 1;
    } else if (sign === '{' || sign === '[') {
      depth += 1;
      expectsName = depth === 1;
    } else if (sign === '}' || sign === ']') depth -= 1;
    else if (sign === ',') expectsName = depth === 1;
  }
  return names;
}

/** Offset behind the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function findRepeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size);
}

function refuse(detail: string): never {
  throw new Fault('invalid_json', { detail });
}
