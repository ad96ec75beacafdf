// Base58 of a length that is known before. The kit's codec goes by way of BigInt, some 25 kB of garbage for a
// signature: nothing for a payer, and half of all that a flood of made-up signatures allocates.

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = ALPHABET.length;
const NO_DIGIT = 255;
/** Digits by the code of their character; those of ASCII alone. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = ALPHABET.indexOf(String.fromCharCode(code));
  return digit < 0 ? NO_DIGIT : digit;
});
/** Digits that are taken in at a time: as many as keep every product within 53 bits. */
const GROUP = 5;

/** The bytes behind a text in base58; null when it is none, or of another number of bytes. */
export function decodeBase58(text: string, length: number): Uint8Array | null {
  const bytes = new Uint8Array(length);
  /** The bytes before this one are zero still. */
  let first = length;
  for (let at = 0; at < text.length; at += GROUP) {
    let value = 0;
    let scale = 1;
    for (let place = at; place < Math.min(at + GROUP, text.length); place++) {
      const digit = DIGITS[text.charCodeAt(place)] ?? NO_DIGIT;
      if (digit === NO_DIGIT) return null;
      value = value * BASE + digit;
      scale *= BASE;
    }
    // bytes = bytes * scale + value
    for (let place = length - 1; place >= first || value > 0; place--) {
      if (place < 0) return null;
      const sum = (bytes[place] ?? 0) * scale + value;
      value = Math.floor(sum / 256);
      bytes[place] = sum - value * 256;
      if (place < first) first = place;
    }
  }
  // Each zero byte in front is a digit 0 of its own.
  return leading(text.length, (place) => text[place] === ALPHABET[0]) ===
    leading(length, (place) => bytes[place] === 0)
    ? bytes
    : null;
}

function leading(length: number, is: (place: number) => boolean): number {
  let count = 0;
  while (count < length && is(count)) count++;
  return count;
}
