// Lowers the memory limit that a WebAssembly binary declares for itself. PDFium's is 2 GiB, which a small file can
// fill; with a lower limit such a file ends in a clean abort of the instance instead of the whole process.

const MEMORY_SECTION = 5;
/** Limits with a maximum, neither shared nor 64-bit (WebAssembly core specification, section 5.3.4). */
const HAS_MAXIMUM = 0x01;

/** Bytes of one WebAssembly page. */
export const PAGE_BYTES = 64 * 1024;

/**
 * A copy of the binary whose one memory may grow to `maxPages` pages of 64 KiB at most.
 * Throws a RangeError when the binary declares no maximum or its field has no room for the number.
 */
export function limitMemory(binary: Uint8Array, maxPages: number): Uint8Array<ArrayBuffer> {
  const limited = new Uint8Array(binary);
  const { at, length } = findMaximum(limited);
  if (maxPages >= 2 ** (7 * length))
    throw new RangeError(`The memory limit has no room for ${maxPages} pages.`);
  // Written as wide as the old number, so that no length before it changes: LEB128 may carry leading zeros.
  for (let i = 0; i < length; i++) {
    limited[at + i] = ((maxPages >>> (7 * i)) & 0x7f) | (i === length - 1 ? 0 : 0x80);
  }
  return limited;
}

/** Walks the sections: `id, length, content`, the memory section being `count, flags, minimum, maximum`. */
function findMaximum(binary: Uint8Array): { at: number; length: number } {
  let at = 8; // after the magic number and the version
  while (at < binary.length) {
    const id = binary[at];
    const size = readNumber(binary, at + 1);
    if (id === MEMORY_SECTION) {
      const count = readNumber(binary, size.end);
      if (count.value !== 1 || binary[count.end] !== HAS_MAXIMUM) break;
      const minimum = readNumber(binary, count.end + 1);
      return { at: minimum.end, length: readNumber(binary, minimum.end).end - minimum.end };
    }
    at = size.end + size.value;
  }
  throw new RangeError('The WebAssembly binary declares no memory with a maximum.');
}

/** An unsigned LEB128 number and the offset after it. */
function readNumber(binary: Uint8Array, start: number): { value: number; end: number } {
  let value = 0;
  let at = start;
  for (let shift = 0; at < start + 5; shift += 7) {
    const byte = binary[at++] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  return { value, end: at };
}
