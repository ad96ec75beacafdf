// Counts the tokens of ranges of one text, from the start of every piece and the number of tokens before it. A range
// whose ends are borders of pieces is the difference of two sums; a piece that an end cuts in two is scanned and
// counted anew. The result is exact, because a piece can be found without looking behind its beginning, and because of
// rule 1 below.
import type { MeasuredText } from '@grainline/core';
import { isPair, SPACE, type ClassifiedUnits, writeUnits } from './characters.ts';
import { ModelError } from '../errors.ts';
import type { PieceCounts } from './piece-counts.ts';

/** Units between two entries of the index from offsets to pieces: a power of two, some fifteen words. */
const STRIDE_BITS = 6;

/**
 * Rule 1. A piece before the end of a range is the same whether or not the text goes on, unless it looked ahead, and
 * only blanks do (`\s+(?!\S)`, `\s+$`). The blanks before a range's end are at most three pieces (up to the last
 * newline, up to the last blank, the last blank with what follows), so going this many pieces back before the last one
 * is enough.
 */
const PIECES_THAT_LOOK_AHEAD = 2;

/** Reads all pieces of `text`, whose units are given, and returns it measured. */
export function measureText(text: string, units: ClassifiedUnits, counts: PieceCounts): MeasuredText {
  const pieces = new PieceList(units.length);
  let sum = 0;
  for (let at = 0; at < units.length;) {
    pieces.add(at, sum);
    const end = counts.pieceEnd(units, at, units.length);
    sum += counts.countOf(units, at, end);
    at = end;
  }
  pieces.add(units.length, sum);
  return new PieceSums(text, units, counts, pieces);
}

/** The start of every piece and the tokens before it, in order; the last entry is the end of the text. */
class PieceList {
  #starts: Int32Array;
  #sums: Int32Array;
  #length = 0;
  /** For each stride of the text, the last piece that begins at or before its first unit. */
  readonly #index: Int32Array;

  constructor(units: number) {
    this.#starts = new Int32Array((units >> 2) + 2);
    this.#sums = new Int32Array((units >> 2) + 2);
    this.#index = new Int32Array((units >> STRIDE_BITS) + 1);
  }

  add(start: number, sum: number): void {
    if (this.#length === this.#starts.length) this.#grow();
    if (this.#length > 0) {
      const before = this.start(this.#length - 1);
      // Strides that begin inside the piece before belong to it.
      for (let stride = (before >> STRIDE_BITS) + 1; stride << STRIDE_BITS < start; stride++) {
        this.#index[stride] = this.#length - 1;
      }
    }
    if (start % (1 << STRIDE_BITS) === 0) this.#index[start >> STRIDE_BITS] = this.#length;
    this.#starts[this.#length] = start;
    this.#sums[this.#length++] = sum;
  }

  /** The start of a piece. */
  start(piece: number): number {
    return this.#starts[piece] ?? 0;
  }

  /** Tokens of all pieces before one. */
  sum(piece: number): number {
    return this.#sums[piece] ?? 0;
  }

  /** The last piece that begins at or before `offset`; at the end of the text, the entry of the end. */
  at(offset: number): number {
    let piece = this.#index[offset >> STRIDE_BITS] ?? 0;
    while (piece + 1 < this.#length && this.start(piece + 1) <= offset) piece++;
    return piece;
  }

  /** The last piece that has at most so many tokens before it. */
  lastWithSum(most: number): number {
    let low = 0;
    let high = this.#length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.sum(middle) <= most) low = middle;
      else high = middle;
    }
    return low;
  }

  #grow(): void {
    const starts = new Int32Array(2 * this.#length);
    const sums = new Int32Array(2 * this.#length);
    starts.set(this.#starts);
    sums.set(this.#sums);
    this.#starts = starts;
    this.#sums = sums;
  }
}

class PieceSums implements MeasuredText {
  readonly text: string;
  readonly #units: ClassifiedUnits;
  readonly #counts: PieceCounts;
  readonly #pieces: PieceList;

  constructor(text: string, units: ClassifiedUnits, counts: PieceCounts, pieces: PieceList) {
    this.text = text;
    this.#units = units;
    this.#counts = counts;
    this.#pieces = pieces;
  }

  count(start: number, end: number): number {
    checkRange(start, end, this.#units.length);
    return start === end ? 0 : this.#count(start, end);
  }

  longestPrefix(start: number, end: number, maxTokens: number): number {
    checkRange(start, end, this.#units.length);
    checkMost(maxTokens);
    const fits = (to: number): boolean => to === start || this.#count(start, to) <= maxTokens;
    let [low, high] = this.#around(start, end, this.#guess(start, end, maxTokens), fits);
    // From here on `low` fits and `high` does not, or both are the same.
    while (low < high) {
      const next = this.#characterEnd(low);
      if (next >= high) break;
      const middle = Math.max(next, this.#characterStart((low + high) >> 1));
      if (fits(middle)) low = middle;
      else high = middle;
    }
    return low;
  }

  #count(start: number, end: number): number {
    // Half of a surrogate pair counts as another character than the pair, and the units here are those of the pair.
    if (this.#splitsPair(start) || this.#splitsPair(end)) return this.#countAlone(start, end);
    const tail = this.#lastSure(end);
    const tailStart = this.#pieces.start(tail);
    let piece = this.#pieces.at(start);
    let count = 0;
    for (let at = start; at < end;) {
      if (at < tailStart && this.#pieces.start(piece) === at) {
        count += this.#pieces.sum(tail) - this.#pieces.sum(piece);
        piece = tail;
        at = tailStart;
        continue;
      }
      const pieceEnd = this.#counts.pieceEnd(this.#units, at, end);
      count += this.#counts.countOf(this.#units, at, pieceEnd);
      at = pieceEnd;
      while (this.#pieces.start(piece + 1) <= at && at < end) piece++;
    }
    return count;
  }

  #countAlone(start: number, end: number): number {
    const units = new Int32Array(end - start);
    writeUnits(this.text.slice(start, end), units);
    return this.#counts.count(units, units.length);
  }

  /** The last piece that is certainly unchanged when the text ends at `end` instead. */
  #lastSure(end: number): number {
    const last = this.#pieces.at(end - 1);
    const endsInBlank = ((this.#units[end - 1] ?? 0) & SPACE) !== 0;
    if (endsInBlank) return Math.max(0, last - PIECES_THAT_LOOK_AHEAD);
    return this.#pieces.start(last + 1) === end ? last + 1 : last;
  }

  /** The end of a range of so many tokens if counts added up. */
  #guess(start: number, end: number, maxTokens: number): number {
    const sum = this.#pieces.sum(this.#pieces.at(start)) + maxTokens;
    return Math.min(end, Math.max(start, this.#pieces.start(this.#pieces.lastWithSum(sum))));
  }

  /** Two ends near the guess, one that fits and a larger one that does not; twice the same when everything fits. */
  #around(start: number, end: number, guess: number, fits: (to: number) => boolean): [number, number] {
    let low = guess;
    let high = guess;
    for (let step = 1; !fits(low); step *= 2) {
      high = low;
      low = Math.max(start, this.#characterStart(low - step));
    }
    if (low < high) return [low, high];
    for (let step = 1; high < end; step *= 2) {
      high = Math.min(end, this.#characterEnd(high + step - 1));
      if (!fits(high)) return [low, high];
      low = high;
    }
    return [end, end];
  }

  /** The end of the character that begins at `at` or holds the unit there. */
  #characterEnd(at: number): number {
    return this.#splitsPair(at + 1) ? at + 2 : at + 1;
  }

  /** `at`, or one less inside a surrogate pair. */
  #characterStart(at: number): number {
    return this.#splitsPair(at) ? at - 1 : at;
  }

  #splitsPair(at: number): boolean {
    return at > 0 && at < this.#units.length && isPair(this.#units[at - 1] ?? 0, this.#units[at] ?? 0);
  }
}

/** Throws `bad_range` unless a range lies in a text of so many units. */
export function checkRange(start: number, end: number, length: number): void {
  if (Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end <= length) return;
  throw new ModelError('bad_range', `[${start}, ${end}) is no range of a text of ${length} units.`);
}

/** Throws `bad_range` for a negative limit. */
export function checkMost(maxTokens: number): void {
  if (!(maxTokens >= 0)) throw new ModelError('bad_range', `maxTokens must be from 0, but is ${maxTokens}.`);
}
