// Results of steps as bytes of JSON, and back. JSON alone loses typed arrays, numbers that are not finite, and empty
// places of lists; each becomes an object with one member whose name begins with `$`.

const TYPED = { Int32Array, Uint32Array, Uint16Array, Uint8Array, Float32Array, Float64Array } as const;
type TypedName = keyof typeof TYPED;

/** The bytes of plain data and typed arrays: equal values with their members in one order have equal bytes. */
export function encodeJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value, escapeValue));
}

/**
 * The value of bytes that {@link encodeJson} has made.
 *
 * @throws SyntaxError for other bytes
 */
export function decodeJson(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const value = JSON.parse(text) as unknown;
  // Most lists are numbers, so a walk over objects is faster than a function for each value.
  return text.includes('"$') ? restore(value) : value;
}

function escapeValue(this: unknown, _: string, value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : { $number: String(value) };
  if (value === undefined) return Array.isArray(this) ? { $none: '' } : undefined;
  if (!ArrayBuffer.isView(value)) return value;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return { [`$${value.constructor.name}`]: bytes.toString('base64') };
}

function restore(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const name in members) {
    const member = members[name];
    if (typeof member === 'object') members[name] = restore(member);
    else if (name.startsWith('$') && typeof member === 'string') return restored(name.slice(1), member);
  }
  return value;
}

function restored(name: string, held: string): unknown {
  if (name === 'none') return undefined;
  if (name === 'number') return Number(held);
  if (!Object.hasOwn(TYPED, name)) throw new SyntaxError(`A result of a step has no value $${name}.`);
  return new TYPED[name as TypedName](Uint8Array.from(Buffer.from(held, 'base64')).buffer);
}
