// One form of JSON that every implementation writes alike, so that hashes of it can be compared.

/**
 * Writes a JSON value in the canonical form of RFC 8785: no white space, members in the order of the UTF-16 units of
 * their names. Members with the value `undefined` are left out, as in JSON.stringify. The hash in a receipt of the
 * service is the SHA-256 of this text.
 *
 * @param value null, booleans, finite numbers, well-formed strings, and arrays and plain objects of them
 * @example
 * canonicalJson({ b: [1.0, null], a: 'x' }); // '{"a":"x","b":[1,null]}'
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
