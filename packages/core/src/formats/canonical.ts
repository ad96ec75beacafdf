// One form of JSON that every implementation writes alike, so that hashes of it can be compared.

/**
 * Writes a JSON value in the canonical form of RFC 8785: no white space, members in the order of the UTF-16 units of
 * their names. Members with the value `undefined` are left out, as in JSON.stringify. The hash in a receipt of the
 * service is the SHA-256 of this text. Linear.
 *
 * @param value null, booleans, finite numbers, well-formed strings, and arrays and plain objects of them
 * @example
 * canonicalJson({ b: [1.0, null], a: 'x' }); // '{"a":"x","b":[1,null]}'
 */
export function canonicalJson(value: unknown): string {
  // One call of JSON.stringify on a copy takes half the time of a call for each member.
  return JSON.stringify(sortMembers(value));
}

function sortMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortMembers);
  const names = Object.keys(value).sort();
  const members = value as Readonly<Record<string, unknown>>;
  const sorted = Object.fromEntries(names.map((name) => [name, sortMembers(members[name])]));
  // An object lists names such as `10` first and as numbers, in any order of insertion; a proxy lists them as it likes.
  return names.some((name) => STARTS_WITH_DIGIT.test(name))
    ? new Proxy(sorted, { ownKeys: () => names })
    : sorted;
}

const STARTS_WITH_DIGIT = /^\d/;
