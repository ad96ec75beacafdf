// Bytes of an array or a buffer, as text of one character each, joined, and the search for bytes.

/** Few enough arguments for one call, in every engine. */
const PIECE = 16 * 1024;

/** One character a byte; `TextDecoder` would read windows-1252. */
export function latin1(bytes: Uint8Array): string {
  let text = '';
  // A spread would go through an iterator, which takes seven times as long.
  for (let at = 0; at < bytes.length; at += PIECE)
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + PIECE)) as string;
  return text;
}

/** The bytes of several arrays, one behind the other. */
export function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The first offset in `bytes`, from one on, of the characters of `ascii`, one byte each; -1 when absent. */
export function indexOf(bytes: Uint8Array, ascii: string, from = 0): number {
  const first = ascii.charCodeAt(0);
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1))
    if (standsAt(bytes, at, ascii)) return at;
  return -1;
}

/** The last offset in `bytes` of the characters of `ascii`; -1 when absent. */
export function lastIndexOf(bytes: Uint8Array, ascii: string): number {
  for (let at = bytes.length - ascii.length; at >= 0; at--) if (standsAt(bytes, at, ascii)) return at;
  return -1;
}

/** True if the characters of `ascii` stand at an offset. */
export function standsAt(bytes: Uint8Array, at: number, ascii: string): boolean {
  for (let i = 0; i < ascii.length; i++) if (bytes[at + i] !== ascii.charCodeAt(i)) return false;
  return true;
}

/** Undefined for other values. Arrays of other realms, as those of frames and test environments, are no instances. */
export function asBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  const isBuffer = Object.prototype.toString.call(value) === '[object ArrayBuffer]';
  return isBuffer ? new Uint8Array(value as ArrayBuffer) : undefined;
}
