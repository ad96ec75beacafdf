// Caches the token count of each piece. Texts repeat their words, so nearly every piece after the first thousands takes
// one look-up by its UTF-16 units, without a substring and without encoding it to UTF-8.
import { codePointOf, isPair, UNIT, type ClassifiedUnits } from './characters.ts';
import { countMerged } from './merge.ts';
import type { PieceEnd } from './pieces.ts';
import { RunRanks } from './runs.ts';
import { NO_RANK, type Vocabulary } from './vocabulary.ts';

/** Capacity of the cache in pieces. It doubles when full, up to a bound; beyond the bound the cache is emptied. */
const FIRST_PIECES = 2 ** 12;
const MOST_PIECES = 2 ** 17;
/** Capacity in units for each piece, more than twice the length of words. */
const UNITS_PER_PIECE = 12;
/** Longer pieces are not cached, because they hardly ever occur twice; rules of hundreds of dashes do. */
const LONGEST_REMEMBERED = 1024;

/** Runs of one byte shorter than this are cached like any piece. */
const SHORTEST_RUN = 128;

/**
 * Slots of the hash table for each piece, and the numbers in each slot: hash, start of the key, its length (0 when the
 * slot is free), count.
 */
const SLOTS_PER_PIECE = 2;
const SLOT_BITS = 2;
const SLOT_WIDTH = 2 ** SLOT_BITS;

/** Size of the shared buffer for a piece's UTF-8, in bytes. */
const KEPT_BYTES = 4096;

/** The token counts of the pieces of one encoding. */
export class PieceCounts {
  readonly pieceEnd: PieceEnd;
  readonly #vocabulary: Vocabulary;
  readonly #runs: RunRanks;
  #capacity = FIRST_PIECES;
  #slots = new Int32Array(FIRST_PIECES * SLOTS_PER_PIECE * SLOT_WIDTH);
  /** The units of all cached pieces, one after the other. */
  #keys = new Int32Array(FIRST_PIECES * UNITS_PER_PIECE);
  #pieces = 0;
  #keysEnd = 0;
  readonly #bytes = new Uint8Array(KEPT_BYTES);

  constructor(pieceEnd: PieceEnd, vocabulary: Vocabulary) {
    this.pieceEnd = pieceEnd;
    this.#vocabulary = vocabulary;
    this.#runs = new RunRanks(vocabulary);
  }

  /** Tokens of the whole text `units[0, end)`. */
  count(units: ClassifiedUnits, end: number): number {
    let count = 0;
    for (let at = 0; at < end;) {
      const pieceEnd = this.pieceEnd(units, at, end);
      count += this.countOf(units, at, pieceEnd);
      at = pieceEnd;
    }
    return count;
  }

  /** Tokens of the piece `units[start, end)`, which is not empty. */
  countOf(units: ClassifiedUnits, start: number, end: number): number {
    const length = end - start;
    if (length === 1 && ((units[start] ?? 0) & UNIT) < 0x80) return 1;
    if (length >= SHORTEST_RUN && isRun(units, start, end))
      return this.#runs.count((units[start] ?? 0) & UNIT, length);
    if (length > LONGEST_REMEMBERED) return this.#count(units, start, end);
    const hash = hashOf(units, start, end);
    const slots = this.#slots;
    const last = slots.length - 1;
    let slot = (hash << SLOT_BITS) & last;
    for (let taken = slots[slot + 2] ?? 0; taken !== 0; taken = slots[slot + 2] ?? 0) {
      if (
        slots[slot] === hash &&
        taken === length &&
        this.#isKey(slots[slot + 1] ?? 0, units, start, length)
      ) {
        return slots[slot + 3] ?? 0;
      }
      slot = (slot + SLOT_WIDTH) & last;
    }
    const count = this.#count(units, start, end);
    this.#remember(slot, hash, units, start, length, count);
    return count;
  }

  #isKey(key: number, units: ClassifiedUnits, start: number, length: number): boolean {
    for (let at = 0; at < length; at++) if (this.#keys[key + at] !== units[start + at]) return false;
    return true;
  }

  #remember(
    slot: number,
    hash: number,
    units: ClassifiedUnits,
    start: number,
    length: number,
    count: number,
  ): void {
    if (this.#pieces === this.#capacity || this.#keysEnd + length > this.#keys.length) {
      // This piece is not cached now, because its slot has moved with the table.
      this.#grow();
      return;
    }
    this.#slots[slot] = hash;
    this.#slots[slot + 1] = this.#keysEnd;
    this.#slots[slot + 2] = length;
    this.#slots[slot + 3] = count;
    for (let at = 0; at < length; at++) this.#keys[this.#keysEnd + at] = units[start + at] ?? 0;
    this.#keysEnd += length;
    this.#pieces++;
  }

  #grow(): void {
    if (this.#capacity === MOST_PIECES) {
      this.#slots.fill(0);
      this.#pieces = 0;
      this.#keysEnd = 0;
      return;
    }
    this.#capacity *= 2;
    const keys = new Int32Array(this.#capacity * UNITS_PER_PIECE);
    keys.set(this.#keys);
    this.#keys = keys;
    const before = this.#slots;
    this.#slots = new Int32Array(2 * before.length);
    for (let slot = 0; slot < before.length; slot += SLOT_WIDTH) {
      if (before[slot + 2] !== 0)
        this.#slots.set(before.subarray(slot, slot + SLOT_WIDTH), this.#freeSlot(before[slot] ?? 0));
    }
  }

  #freeSlot(hash: number): number {
    const last = this.#slots.length - 1;
    let slot = (hash << SLOT_BITS) & last;
    while (this.#slots[slot + 2] !== 0) slot = (slot + SLOT_WIDTH) & last;
    return slot;
  }

  #count(units: ClassifiedUnits, start: number, end: number): number {
    const mostBytes = 3 * (end - start);
    const bytes = mostBytes <= KEPT_BYTES ? this.#bytes : new Uint8Array(mostBytes);
    const length = writeUtf8(units, start, end, bytes);
    return this.#vocabulary.rankOf(bytes, 0, length) === NO_RANK
      ? countMerged(this.#vocabulary, bytes, length)
      : 1;
  }
}

/** True when all units are the same unit of ASCII. */
function isRun(units: ClassifiedUnits, start: number, end: number): boolean {
  const first = units[start] ?? 0;
  if ((first & UNIT) >= 0x80 || units[end - 1] !== first) return false;
  for (let at = start + 1; at < end; at++) if (units[at] !== first) return false;
  return true;
}

function hashOf(units: ClassifiedUnits, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (units[at] ?? 0), 0x9e3779b1);
  return hash ^ (hash >>> 15);
}

/** Writes the units as UTF-8, lone surrogates as U+FFFD, and returns the number of bytes, at most three a unit. */
function writeUtf8(units: ClassifiedUnits, start: number, end: number, bytes: Uint8Array): number {
  let to = 0;
  for (let at = start; at < end; at++) {
    let code = (units[at] ?? 0) & UNIT;
    if (code < 0x80) {
      bytes[to++] = code;
      continue;
    }
    if ((code & 0xf800) === 0xd800) {
      const low = at + 1 < end ? (units[at + 1] ?? 0) : 0;
      if (isPair(code, low)) {
        code = codePointOf(code, low);
        at++;
      } else code = 0xfffd;
    }
    to = writeCodePoint(code, bytes, to);
  }
  return to;
}

function writeCodePoint(code: number, bytes: Uint8Array, at: number): number {
  let to = at;
  if (code < 0x800) {
    bytes[to++] = 0xc0 | (code >> 6);
  } else {
    if (code < 0x10000) {
      bytes[to++] = 0xe0 | (code >> 12);
    } else {
      bytes[to++] = 0xf0 | (code >> 18);
      bytes[to++] = 0x80 | ((code >> 12) & 0x3f);
    }
    bytes[to++] = 0x80 | ((code >> 6) & 0x3f);
  }
  bytes[to++] = 0x80 | (code & 0x3f);
  return to;
}
