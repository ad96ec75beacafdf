// The free tier in tokens. LangChain adds up the tokens of pieces, each of which begins with its separator, and below
// the separators the tokens of single UTF-16 units. This code does the same, piece by piece: counts that do not add up
// allow no leaps from limit to limit. A count is a lookup in a text that was read once.
//
// Besides the differences in free.ts, it differs from LangChain where the true count of a chunk exceeds the maximum
// although the sum of its pieces does not. Such a chunk loses pieces of its overlap or, if it has none, its last
// pieces.
import type { Cut } from '../../cut.ts';
import type { Limits } from '../../limits.ts';
import type { MeasuredText, TokenCounter } from '../../measure.ts';
import { clusterAt, isSettledBoundary, splitsPair } from '../../unicode.ts';
import { type Level, type Levels, nextHit, occurring } from './separators.ts';
import { TrimmedCuts } from './trimmed.ts';

/** The pieces that a range is split into: pieces that begin at the hits of a level, clusters, or code points. */
type Pieces = Level | 'cluster' | 'code point';

const UNITS = 0x10000;

/** Splits `text` as the free tier does. Linear. */
export function splitByTokens(text: string, limits: Limits, counter: TokenCounter, levels: Levels): Cut[] {
  const splitting = new TokenSplitting(text, limits, counter, levels.endInCharacters);
  splitting.split(levels.top, 0, text.length);
  return splitting.trimmed.cuts;
}

/** The splitting of one text: the cuts so far, and the text with its token counts. */
class TokenSplitting {
  readonly trimmed: TrimmedCuts;
  readonly size: number;
  readonly overlap: number;
  readonly #text: string;
  readonly #counter: TokenCounter;
  readonly #measured: MeasuredText;
  readonly #endsInCharacters: boolean;
  /** Tokens of single units by their code, plus one; 0 where they have not been counted yet. */
  #unitCounts: Int32Array | undefined;

  constructor(text: string, { size, overlap }: Limits, counter: TokenCounter, endsInCharacters: boolean) {
    this.trimmed = new TrimmedCuts(text);
    this.size = size;
    this.overlap = overlap;
    this.#text = text;
    this.#counter = counter;
    this.#measured = counter.measure(text);
    this.#endsInCharacters = endsInCharacters;
  }

  /** Splits [start, end) at the first level, from the given one down, that occurs in the range. */
  split(highest: Level | undefined, start: number, end: number): void {
    const level = occurring(this.#text, highest, start, end);
    if (level !== undefined || highest === undefined || this.#endsInCharacters) {
      new Packing(this, level ?? 'cluster', start, end).run();
      return;
    }
    // LangChain keeps a piece without a separator as it is, which is right when the piece happens to fit.
    const count = this.#measured.count(start, end);
    if (count === this.size) this.trimmed.keep(start, end, { tokenCount: count });
    else if (count > this.size || !this.keepTrimmed(start, end))
      new Packing(this, 'cluster', start, end).run();
  }

  /** Splits a piece that is as long as the maximum or longer. */
  splitPiece(pieces: Pieces, start: number, end: number): void {
    if (typeof pieces !== 'string') {
      this.split(pieces.below, start, end);
      return;
    }
    const tokenCount = this.#measured.count(start, end);
    if (tokenCount <= this.size) this.trimmed.keep(start, end, { tokenCount });
    else if (end === this.#pointEnd(start)) this.trimmed.keep(start, end, { tokenCount, oversize: true });
    else new Packing(this, 'code point', start, end).run();
  }

  /**
   * Adds the cut [start, end) without the blanks at its edges; returns false and adds nothing when the cut is still too
   * long.
   */
  keepTrimmed(start: number, end: number): boolean {
    const span = this.trimmed.trim(start, end);
    if (span === undefined) return true;
    const tokenCount = this.#measured.count(span.start, span.end);
    if (tokenCount <= this.size) this.trimmed.keep(span.start, span.end, { tokenCount });
    return tokenCount <= this.size;
  }

  pieceEnd(pieces: Pieces, at: number, end: number): number {
    if (typeof pieces !== 'string') {
      const hit = nextHit(this.#text, pieces, at + 1);
      return hit + pieces.separator.length <= end ? hit : end;
    }
    const to = this.#pointEnd(at);
    if (pieces === 'code point' || to >= end || isSettledBoundary(this.#text, to)) return to;
    return clusterAt(this.#text, at, at, end).end;
  }

  #pointEnd(at: number): number {
    return splitsPair(this.#text, at + 1) ? at + 2 : at + 1;
  }

  /** The tokens of a piece, counted as LangChain counts them. */
  weightOf(pieces: Pieces, start: number, end: number): number {
    return typeof pieces === 'string' ? this.#countUnits(start, end) : this.#measured.count(start, end);
  }

  /** The sum of the tokens of single units. */
  #countUnits(start: number, end: number): number {
    const known = (this.#unitCounts ??= new Int32Array(UNITS));
    let count = 0;
    for (let at = start; at < end; at++) {
      const code = this.#text.charCodeAt(at);
      known[code] ||= 1 + this.#counter.count(this.#text.charAt(at).toWellFormed());
      count += known[code] - 1;
    }
    return count;
  }
}

/**
 * Packs the pieces of a range into chunks. Its lists hold the pieces of the chunk at hand and those already read behind
 * it.
 */
class Packing {
  readonly #splitting: TokenSplitting;
  readonly #pieces: Pieces;
  readonly #end: number;
  /** The start of each piece; the last entry is the start of the next piece. */
  readonly #starts: number[];
  readonly #weights: number[] = [];
  /** Number of pieces of the chunk. */
  #held = 0;
  /** Number of them that are overlap. */
  #repeated = 0;
  /** The sum of their tokens. */
  #total = 0;

  constructor(splitting: TokenSplitting, pieces: Pieces, start: number, end: number) {
    this.#splitting = splitting;
    this.#pieces = pieces;
    this.#end = end;
    this.#starts = [start];
  }

  /** Packs the pieces and splits the long ones. */
  run(): void {
    while (this.#read() || this.#repeated < this.#held) {
      const weight = this.#weights[this.#held];
      if (weight === undefined || this.#isLong(weight)) {
        if (this.#repeated < this.#held) this.#emit();
        else this.#splitNext();
        continue;
      }
      if (this.#total + weight > this.#splitting.size) {
        if (this.#repeated < this.#held) this.#emit();
        else this.#leaveOverlap();
      }
      this.#total += this.#weights[this.#held++] ?? 0;
    }
  }

  /** The start of a piece, which is the end of the one before. */
  #startOf(piece: number): number {
    return this.#starts[piece] ?? this.#end;
  }

  /** Reads one more piece unless one is waiting already; returns false at the end of the range. */
  #read(): boolean {
    if (this.#held < this.#weights.length) return true;
    const at = this.#startOf(this.#weights.length);
    if (at >= this.#end) return false;
    const to = this.#splitting.pieceEnd(this.#pieces, at, this.#end);
    this.#weights.push(this.#splitting.weightOf(this.#pieces, at, to));
    this.#starts.push(to);
    return true;
  }

  /**
   * True when the waiting piece cannot be packed with others. A cluster of several units counts only when it is longer
   * than a chunk.
   */
  #isLong(weight: number): boolean {
    const { size } = this.#splitting;
    const isUnit = this.#startOf(this.#held + 1) - this.#startOf(this.#held) === 1;
    return weight > size || (weight === size && (typeof this.#pieces !== 'string' || isUnit));
  }

  /** Splits the waiting piece. The rest of the chunk is only overlap and is dropped. */
  #splitNext(): void {
    this.#drop(this.#held);
    const [from, to] = [this.#startOf(0), this.#startOf(1)];
    this.#starts.shift();
    this.#weights.shift();
    this.#splitting.splitPiece(this.#pieces, from, to);
  }

  /**
   * Adds the chunk's pieces as a cut, or as many as fit by their true count, and makes them the overlap of the next
   * chunk.
   */
  #emit(): void {
    for (let step = 1; !this.#splitting.keepTrimmed(this.#startOf(0), this.#startOf(this.#held)); step *= 2) {
      if (this.#held === 1) {
        this.#splitting.splitPiece(this.#pieces, this.#startOf(0), this.#startOf(1));
        break;
      }
      if (this.#repeated > 0) this.#drop(Math.min(step, this.#repeated));
      else this.#shorten(step);
    }
    this.#repeated = this.#held;
    this.#leaveOverlap();
  }

  /** Returns up to so many of the chunk's last pieces to the queue; one piece always stays. */
  #shorten(count: number): void {
    const most = Math.max(1, this.#held - count);
    while (this.#held > most) this.#total -= this.#weights[--this.#held] ?? 0;
  }

  /** Drops first pieces until the rest is no longer than the overlap and the waiting piece fits behind it. */
  #leaveOverlap(): void {
    const { size, overlap } = this.#splitting;
    const weight = this.#weights[this.#held] ?? 0;
    let count = 0;
    let rest = this.#total;
    while (count < this.#held && (rest > overlap || (rest + weight > size && rest > 0)))
      rest -= this.#weights[count++] ?? 0;
    this.#drop(count);
  }

  /** Drops the chunk's first pieces, which are overlap. */
  #drop(count: number): void {
    this.#starts.splice(0, count);
    for (const weight of this.#weights.splice(0, count)) this.#total -= weight;
    this.#held -= count;
    this.#repeated -= count;
  }
}
