// SHA-256 (FIPS 180-4) without waiting: WebCrypto's is asynchronous, and `Chain.readPartial` must answer at once.
// For a few hundred bytes at a time; slower than the platform's, which does not matter there.

/** First 32 bits of the fractional parts of roots of the first primes: cube roots for the rounds, square roots to begin. */
const ROUND_CONSTANTS = rootFractions(64, Math.cbrt, 3n);
const INITIAL_STATE = rootFractions(8, Math.sqrt, 2n);

/** The digest of the bytes: 32 bytes. */
export function sha256(message: ArrayLike<number>): Uint8Array {
  const state = Uint32Array.from(INITIAL_STATE);
  const padded = pad(message);
  const words = new Uint32Array(64);
  for (let offset = 0; offset < padded.byteLength; offset += 64) {
    schedule(words, padded, offset);
    compress(state, words);
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => digest.setUint32(index * 4, word));
  return new Uint8Array(digest.buffer);
}

/** The message, one bit, zeros, and its length in bits: a multiple of 64 bytes. */
function pad(message: ArrayLike<number>): DataView {
  const bytes = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setBigUint64(bytes.length - 8, BigInt(message.length) * 8n);
  return view;
}

function schedule(words: Uint32Array, block: DataView, offset: number): void {
  for (let t = 0; t < 64; t++) {
    if (t < 16) {
      words[t] = block.getUint32(offset + t * 4);
      continue;
    }
    const early = at(words, t - 15);
    const late = at(words, t - 2);
    const sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[t] = at(words, t - 16) + sigma0 + at(words, t - 7) + sigma1;
  }
}

function compress(state: Uint32Array, words: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t++) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + sum1 + choice + at(ROUND_CONSTANTS, t) + at(words, t)) >>> 0;
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + sum0 + majority) >>> 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, index) => (state[index] = at(state, index) + value));
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}

/** floor(frac(root(p)) · 2^32) of the first primes p, exact: the nearest guess is corrected by whole numbers. */
function rootFractions(count: number, root: (value: number) => number, power: bigint): Uint32Array {
  const fractions = new Uint32Array(count);
  for (let prime = 2, found = 0; found < count; prime++) {
    if (!isPrime(prime)) continue;
    const target = BigInt(prime) << (32n * power);
    let scaled = BigInt(Math.floor(root(prime) * 2 ** 32));
    while (scaled ** power > target) scaled--;
    while ((scaled + 1n) ** power <= target) scaled++;
    fractions[found++] = Number(scaled & 0xffffffffn);
  }
  return fractions;
}

function isPrime(value: number): boolean {
  for (let divisor = 2; divisor * divisor <= value; divisor++) if (value % divisor === 0) return false;
  return true;
}
