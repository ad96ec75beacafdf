// Strict checks of data from outside: each names the first place that is wrong, its expectation and what stands there.

/** Checks a value; returns a sentence about the first issue, or undefined. */
export type Check = (value: unknown, path: string) => string | undefined;

const isA =
  (expected: string, holds: (value: unknown) => boolean): Check =>
  (value, path) =>
    holds(value) ? undefined : `${path} must be ${expected}; it is ${shown(value)}.`;

export const TEXT = isA('a string', (value) => typeof value === 'string');
export const TRUE = isA('true', (value) => value === true);
export const COUNT = isA(
  'a whole number from 0',
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);
export const NUMBER = isA('a number', (value) => typeof value === 'number' && Number.isFinite(value));
export const oneOf = (...words: readonly (string | number)[]): Check =>
  isA(words.join(', '), (value) => words.includes(value as string));

/** A list of values of one shape. */
export function listOf(check: Check): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return `${path} must be a list; it is ${shown(value)}.`;
    for (const [index, entry] of value.entries()) {
      const issue = check(entry, `${path}[${index}]`);
      if (issue !== undefined) return issue;
    }
    return undefined;
  };
}

/** An object with these members, and no others. */
export function objectOf(
  needed: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check {
  const known = { ...needed, ...optional };
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return `${path} must be an object; it is ${shown(value)}.`;
    for (const name of Object.keys(needed))
      if (!Object.hasOwn(value, name)) return `${path} has no member ${name}.`;
    for (const [name, member] of Object.entries(value)) {
      const check = Object.hasOwn(known, name) ? known[name] : undefined;
      if (check === undefined) return `${path} has the unknown member ${name}.`;
      const issue = check(member, `${path}.${name}`);
      if (issue !== undefined) return issue;
    }
    return undefined;
  };
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return typeof value;
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
