// The rules that several stores share, written from their documentation and not from our code, so that the two check
// each other. A rule gives a fault as text, or nothing.

export type Fault = string | undefined;

/** The first fault among several. */
export function firstFault(...faults: readonly Fault[]): Fault {
  return faults.find((fault) => fault !== undefined);
}

/** The first fault of a list's members. */
export function faultAmong<Member>(
  members: readonly Member[],
  check: (member: Member, index: number) => Fault,
): Fault {
  for (const [index, member] of members.entries()) {
    const fault = check(member, index);
    if (fault !== undefined) return `${index}: ${fault}`;
  }
  return undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keys that a strict decoder would not know. */
export function strangeKeys(value: object, known: readonly string[]): Fault {
  const strange = Object.keys(value).filter((key) => !known.includes(key));
  return strange.length === 0 ? undefined : `unknown field ${strange.join(', ')}`;
}

/** No text anywhere holds U+0000 or a surrogate without its partner. */
export function badText(value: unknown): Fault {
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'U+0000 in a string';
    return value.isWellFormed() ? undefined : 'lone surrogate in a string';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  return firstFault(
    ...Object.entries(value).map(([key, member]) => firstFault(badText(key), badText(member))),
  );
}

/** A vector of finite numbers, of the length that the index has. */
export function badVector(vector: unknown, dimensions: number): Fault {
  if (!Array.isArray(vector)) return 'vector is not an array';
  if (vector.length !== dimensions) return `vector has ${vector.length} dimensions, the index ${dimensions}`;
  return vector.every((component) => Number.isFinite(component))
    ? undefined
    : 'vector with something else than numbers';
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
