// The size of a value on the wire, in bytes, without serialising it.

/** UTF-8 bytes of `JSON.stringify(value)` for a value that JSON keeps as it is. Linear; allocates nothing of size. */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return stringBytes(value);
  if (Array.isArray(value)) return arrayBytes(value);
  if (typeof value === 'object' && value !== null) return objectBytes(value);
  return String(value).length;
}

function arrayBytes(values: readonly unknown[]): number {
  let bytes = 2 + Math.max(0, values.length - 1);
  for (const value of values) bytes += jsonBytes(value);
  return bytes;
}

function objectBytes(value: object): number {
  let bytes = 1;
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) bytes += stringBytes(key) + jsonBytes(member) + 2; // colon, and comma or brace
  }
  return Math.max(2, bytes);
}

/** With quotes and escapes, as JSON.stringify writes them. */
function stringBytes(text: string): number {
  let bytes = 2 + text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x20 && code < 0x80) {
      if (code === QUOTE || code === BACKSLASH) bytes += 1;
    } else if (code < 0x20) bytes += SHORT_ESCAPES.has(code) ? 1 : 5;
    else if (code < 0x800) bytes += 1;
    else if ((code & 0xf800) !== 0xd800) bytes += 2;
    else if (code < 0xdc00 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
      bytes += 2; // four bytes for the two halves of a pair
      index++;
    } else bytes += 5; // alone: six bytes, \udxxx
  }
  return bytes;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** \b \t \n \f \r */
const SHORT_ESCAPES = new Set([8, 9, 10, 12, 13]);
