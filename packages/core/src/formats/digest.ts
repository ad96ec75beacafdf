// SHA-1 and SHA-256 (FIPS 180-4), synchronous and without a dependency: the built-in digests of browsers and edge
// runtimes are asynchronous, and ids must come out the same everywhere. The digests name content and guard nothing.
// They take about 180 MB/s each. Every index lies inside an array of fixed length; a check at each would halve the
// speed.
/* eslint-disable @typescript-eslint/no-non-null-assertion */

/** A string is hashed as its UTF-8 bytes; a surrogate without its partner counts as U+FFFD, as TextEncoder has it. */
export type Hashable = string | Uint8Array;

/** The 20 bytes of SHA-1, which UUID version 5 prescribes. Not for security. */
export function sha1(input: Hashable): Uint8Array {
  return digest(bytesOf(input), SHA1_STATE, SHA1_START, sha1Block);
}

/** The 32 bytes of SHA-256. */
export function sha256(input: Hashable): Uint8Array {
  return digest(bytesOf(input), SHA256_STATE, SHA256_START, sha256Block);
}

/** Lower-case hexadecimal, two digits a byte. */
export function hex(bytes: Uint8Array): string {
  let digits = '';
  for (const byte of bytes) digits += HEX[byte]!;
  return digits;
}

/** Takes the block of 64 bytes at `at` into `state`; `words` is room for the message schedule. */
type TakeBlock = (state: Int32Array, words: Int32Array, bytes: Uint8Array, at: number) => void;

const BLOCK_BYTES = 64;
/** States, message schedule and last blocks, shared by all calls, since no call is ever interrupted by another. */
const SHA1_STATE = new Int32Array(5);
const SHA256_STATE = new Int32Array(8);
const SCHEDULE = new Int32Array(80);
const TAIL = new Uint8Array(2 * BLOCK_BYTES);
const encoder = new TextEncoder();
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function bytesOf(input: Hashable): Uint8Array {
  return typeof input === 'string' ? encoder.encode(input) : input;
}

function digest(bytes: Uint8Array, state: Int32Array, start: Int32Array, takeBlock: TakeBlock): Uint8Array {
  const { length } = bytes;
  state.set(start);
  const whole = length - (length % BLOCK_BYTES);
  for (let at = 0; at < whole; at += BLOCK_BYTES) takeBlock(state, SCHEDULE, bytes, at);
  const end = pad(bytes, whole, length);
  for (let at = 0; at < end; at += BLOCK_BYTES) takeBlock(state, SCHEDULE, TAIL, at);
  return bigEndian(state);
}

/**
 * Writes the padding into `TAIL` (section 5.1.1): the bytes from `whole` on, a one bit, zeros, and the length of all
 * bytes in bits.
 */
function pad(bytes: Uint8Array, whole: number, length: number): number {
  const rest = length - whole;
  const end = rest + 9 > BLOCK_BYTES ? 2 * BLOCK_BYTES : BLOCK_BYTES;
  for (let index = 0; index < rest; index++) TAIL[index] = bytes[whole + index]!;
  TAIL[rest] = 0x80;
  TAIL.fill(0, rest + 1, end - 8);
  writeWord(TAIL, end - 8, Math.floor(length / 2 ** 29));
  writeWord(TAIL, end - 4, length * 8);
  return end;
}

function bigEndian(state: Int32Array): Uint8Array {
  const bytes = new Uint8Array(4 * state.length);
  for (let index = 0; index < state.length; index++) writeWord(bytes, 4 * index, state[index]!);
  return bytes;
}

/** The lowest 32 bits of a number, most significant byte first. */
function writeWord(bytes: Uint8Array, at: number, word: number): void {
  bytes[at] = word >>> 24;
  bytes[at + 1] = word >>> 16;
  bytes[at + 2] = word >>> 8;
  bytes[at + 3] = word;
}

/** The block's 16 words, most significant byte first. */
function readWords(words: Int32Array, bytes: Uint8Array, at: number): void {
  for (let index = 0; index < 16; index++, at += 4) {
    words[index] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  }
}

const SHA1_START = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);

/** The functions of section 4.1.1 and the constants of section 4.2.1, each for 20 rounds. */
const SHA1_ROUNDS: readonly [mix: (b: number, c: number, d: number) => number, constant: number][] = [
  [(b, c, d) => (b & c) | (~b & d), 0x5a827999],
  [(b, c, d) => b ^ c ^ d, 0x6ed9eba1],
  [(b, c, d) => (b & c) | (b & d) | (c & d), 0x8f1bbcdc],
  [(b, c, d) => b ^ c ^ d, 0xca62c1d6],
];

/** The SHA-1 computation of section 6.1.2. */
function sha1Block(state: Int32Array, words: Int32Array, bytes: Uint8Array, at: number): void {
  readWords(words, bytes, at);
  for (let t = 16; t < 80; t++) {
    const mixed = words[t - 3]! ^ words[t - 8]! ^ words[t - 14]! ^ words[t - 16]!;
    words[t] = (mixed << 1) | (mixed >>> 31);
  }
  let [a, b, c, d, e] = [state[0]!, state[1]!, state[2]!, state[3]!, state[4]!];
  let t = 0;
  for (const [mix, constant] of SHA1_ROUNDS) {
    for (const end = t + 20; t < end; t++) {
      const next = (((a << 5) | (a >>> 27)) + mix(b, c, d) + e + words[t]! + constant) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next;
    }
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
}

/** The first `count` primes: SHA-256 takes its constants from their roots (sections 4.2.2 and 5.3.3). */
function primes(count: number): number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return found;
}

/**
 * The first 32 bits behind the binary point. Rounding is no danger: none of the 72 roots comes nearer to the next whole
 * number than 0.005 of the last bit, a thousand times the error of an engine that is off by one in the last place.
 */
const fraction = (root: number): number => ((root % 1) * 2 ** 32) | 0;

const SHA256_START = Int32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));
const SHA256_ROUND = Int32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));

/** The SHA-256 computation of section 6.2.2. */
function sha256Block(state: Int32Array, words: Int32Array, bytes: Uint8Array, at: number): void {
  readWords(words, bytes, at);
  for (let t = 16; t < 64; t++) {
    const x = words[t - 15]!;
    const y = words[t - 2]!;
    const low = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const high = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    words[t] = (words[t - 16]! + low + words[t - 7]! + high) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let t = 0; t < 64; t++) {
    const high = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const first = (h + high + ((e & f) ^ (~e & g)) + SHA256_ROUND[t]! + words[t]!) | 0;
    const low = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const second = low + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}
