// The free tier in tokens. LangChain adds up the tokens of pieces, of which each begins with its separator, and below
// the separators those of single UTF-16 units; so does this, piece by piece, since lengths that are no sums allow no
// leaps from limit to limit. Counts are look-ups in a text that was read once.
//
// Besides what free.ts says, it differs from LangChain where the true count of a chunk exceeds the maximum although
// the sum of its pieces does not: such a chunk loses pieces of its overlap, and if it has none, its last ones.
import type { Cut } from '../../cut.ts';
import type { Limits } from '../../limits.ts';
import type { TokenCounter } from '../../measure.ts';
import { clusterAt, isSettledBoundary, splitsPair } from '../../unicode.ts';
import { type Level, type Levels, nextHit, occurring } from './separators.ts';
import { TrimmedCuts } from './trimmed.ts';

/** What a range is split into: pieces that begin at the hits of a level, clusters, or code points. */
type Pieces = Level | 'cluster' | 'code point';

const UNITS = 0x10000;

/** Splits `text` as the free tier does. Linear. */
export function splitByTokens(
  text: string,
  { size, overlap }: Limits,
  counter: TokenCounter,
  { top, endInCharacters }: Levels,
): Cut[] {
  const measured = counter.measure(text);
  const trimmed = new TrimmedCuts(text);
  /** Tokens of single units by their code, plus one; 0 where not yet known. */
  let unitCounts: Int32Array | undefined;
  split(top, 0, text.length);
  return trimmed.cuts;

  /** Splits [start, end) at the first level, from the given one down, that occurs in it. */
  function split(highest: Level | undefined, start: number, end: number): void {
    const level = occurring(text, highest, start, end);
    if (level !== undefined || highest === undefined || endInCharacters) {
      pack(level ?? 'cluster', start, end);
      return;
    }
    // LangChain hands a piece without a separator on as it is, which is right when it happens to fit.
    const count = measured.count(start, end);
    if (count === size) trimmed.keep(start, end, { tokenCount: count });
    else if (count > size || !keepTrimmed(start, end)) pack('cluster', start, end);
  }

  /** Packs the pieces of [start, end) and splits those that are too long. */
  function pack(pieces: Pieces, start: number, end: number): void {
    // The pieces of the chunk and those read behind it: where each begins, and at last where the next would; its tokens.
    const starts = [start];
    const weights: number[] = [];
    // How many pieces the chunk has, how many of them are overlap, and their tokens, added up.
    let held = 0;
    let repeated = 0;
    let total = 0;
    while (read() || repeated < held) {
      const [from = end, to = end] = [starts[held], starts[held + 1]];
      const weight = weights[held];
      if (weight === undefined || isLong(pieces, weight, to - from)) {
        if (repeated < held) {
          emit();
        } else {
          drop(held);
          starts.shift();
          weights.shift();
          splitPiece(pieces, from, to);
        }
      } else {
        if (total + weight > size) {
          if (repeated < held) emit();
          else leaveOverlap();
        }
        total += weights[held++] ?? 0;
      }
    }

    /** Reads one piece more unless one is waiting; false at the end. */
    function read(): boolean {
      const at = starts[weights.length] ?? end;
      if (held < weights.length) return true;
      if (at >= end) return false;
      const to = pieceEnd(pieces, at, end);
      weights.push(typeof pieces === 'string' ? countUnits(at, to) : measured.count(at, to));
      starts.push(to);
      return true;
    }

    /** Keeps the pieces of the chunk, or as many as fit by their true count, and makes them overlap of the next one. */
    function emit(): void {
      const from = (): number => starts[0] ?? end;
      for (let step = 1; !keepTrimmed(from(), starts[held] ?? end); step *= 2) {
        if (held === 1) {
          splitPiece(pieces, from(), starts[1] ?? end);
          break;
        }
        if (repeated > 0) drop(Math.min(step, repeated));
        else for (const most = Math.max(1, held - step); held > most;) total -= weights[--held] ?? 0;
      }
      repeated = held;
      leaveOverlap();
    }

    /** Drops pieces until the rest is no more than the overlap and the piece that waits fits behind it. */
    function leaveOverlap(): void {
      const weight = weights[held] ?? 0;
      let count = 0;
      for (
        let rest = total;
        count < held && (rest > overlap || (rest + weight > size && rest > 0));
        rest -= weights[count++] ?? 0
      );
      drop(count);
    }

    /** Drops the first pieces of the chunk, which are overlap. */
    function drop(count: number): void {
      starts.splice(0, count);
      for (const weight of weights.splice(0, count)) total -= weight;
      held -= count;
      repeated -= count;
    }
  }

  /** Splits a piece that is as long as the maximum or longer. */
  function splitPiece(pieces: Pieces, start: number, end: number): void {
    if (typeof pieces !== 'string') {
      split(pieces.below, start, end);
      return;
    }
    const tokenCount = measured.count(start, end);
    if (tokenCount <= size) trimmed.keep(start, end, { tokenCount });
    else if (end === pointEnd(start)) trimmed.keep(start, end, { tokenCount, oversize: true });
    else pack('code point', start, end);
  }

  function pieceEnd(pieces: Pieces, at: number, end: number): number {
    if (typeof pieces !== 'string') {
      const hit = nextHit(text, pieces, at + 1);
      return hit + pieces.separator.length <= end ? hit : end;
    }
    const to = pointEnd(at);
    if (pieces === 'code point' || to >= end || isSettledBoundary(text, to)) return to;
    return clusterAt(text, at, at, end).end;
  }

  function pointEnd(at: number): number {
    return splitsPair(text, at + 1) ? at + 2 : at + 1;
  }

  /** The tokens of single units, added up. */
  function countUnits(start: number, end: number): number {
    const known = (unitCounts ??= new Int32Array(UNITS));
    let count = 0;
    for (let at = start; at < end; at++) {
      const code = text.charCodeAt(at);
      known[code] ||= 1 + counter.count(text.charAt(at).toWellFormed());
      count += known[code] - 1;
    }
    return count;
  }

  /** True when a piece is packed with no other; a cluster of several units only when no chunk holds it. */
  function isLong(pieces: Pieces, weight: number, units: number): boolean {
    return weight > size || (weight === size && (typeof pieces !== 'string' || units === 1));
  }

  /** Keeps [start, end) without the blanks at its edges; false when it is too long even so. */
  function keepTrimmed(start: number, end: number): boolean {
    const span = trimmed.trim(start, end);
    if (span === undefined) return true;
    const tokenCount = measured.count(span.start, span.end);
    if (tokenCount <= size) trimmed.keep(span.start, span.end, { tokenCount });
    return tokenCount <= size;
  }
}
