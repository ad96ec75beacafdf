// The CRC-32 of bytes, as ZIP and PNG have it (ISO 3309; PNG standard, annex D).
import type * as Zlib from 'node:zlib';
import { builtin } from './builtin.ts';

/** Remainders of each byte. */
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? 0xedb88320 ^ (rest >>> 1) : rest >>> 1;
  return rest;
});

/**
 * The CRC-32 of bytes: by Node's zlib, which takes a tenth of the time, else by a table.
 * @param before the CRC-32 of the bytes in front of them
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  const zlib = builtin('node:zlib') as typeof Zlib | undefined;
  return zlib === undefined ? crc32ByTable(bytes, before) : zlib.crc32(bytes, before);
}

function crc32ByTable(bytes: Uint8Array, before: number): number {
  let rest = ~before;
  // By index: `for…of` takes four times as long.
  for (let at = 0, end = bytes.length; at < end; at++)
    rest = (TABLE[(rest ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (rest >>> 8);
  return ~rest >>> 0;
}
