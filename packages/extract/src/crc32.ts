/** Remainders of each byte. */
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? 0xedb88320 ^ (rest >>> 1) : rest >>> 1;
  return rest;
});

/**
 * The CRC-32 of bytes, as ZIP and PNG have it (ISO 3309; PNG standard, annex D).
 * @param before the CRC-32 of the bytes in front of them
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  let rest = ~before;
  // By index: `for…of` takes four times as long.
  for (let at = 0, end = bytes.length; at < end; at++)
    rest = (TABLE[(rest ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (rest >>> 8);
  return ~rest >>> 0;
}
