// The rules that several stores share, written from their documentation and not from our code, so that the two check
// each other. A rule gives an issue as text, or nothing.

export type Issue = string | undefined;

/** The first issue among several. */
export function firstIssue(...issues: readonly Issue[]): Issue {
  return issues.find((issue) => issue !== undefined);
}

/** The first issue of a list's members. */
export function issueAmong<Member>(
  members: readonly Member[],
  check: (member: Member, index: number) => Issue,
): Issue {
  for (const [index, member] of members.entries()) {
    const issue = check(member, index);
    if (issue !== undefined) return `${index}: ${issue}`;
  }
  return undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keys that a strict decoder would not know. */
export function strangeKeys(value: object, known: readonly string[]): Issue {
  const strange = Object.keys(value).filter((key) => !known.includes(key));
  return strange.length === 0 ? undefined : `unknown field ${strange.join(', ')}`;
}

/** No text anywhere holds U+0000 or a surrogate without its partner. */
export function badText(value: unknown): Issue {
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'U+0000 in a string';
    return value.isWellFormed() ? undefined : 'lone surrogate in a string';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  return firstIssue(
    ...Object.entries(value).map(([key, member]) => firstIssue(badText(key), badText(member))),
  );
}

/** A vector of finite numbers, of the length that the index has. */
export function badVector(vector: unknown, dimensions: number): Issue {
  if (!Array.isArray(vector)) return 'vector is not an array';
  if (vector.length !== dimensions) return `vector has ${vector.length} dimensions, the index ${dimensions}`;
  return vector.every((component) => Number.isFinite(component))
    ? undefined
    : 'vector with something else than numbers';
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
