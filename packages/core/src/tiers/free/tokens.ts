// The free tier in tokens. LangChain adds up the tokens of pieces, of which each begins with its separator, and below
// the separators those of single UTF-16 units; so does this, piece by piece, since lengths that are no sums allow no
// leaps from limit to limit. Counts are look-ups in a text that was read once.
//
// Besides what free.ts says, it differs from LangChain where the true count of a chunk exceeds the maximum although
// the sum of its pieces does not: such a chunk loses pieces of its overlap, and if it has none, its last ones.
import type { Cut } from '../../cut.ts';
import type { Limits } from '../../limits.ts';
import type { MeasuredText, TokenCounter } from '../../measure.ts';
import { clusterAt, isSettledBoundary, splitsPair } from '../../unicode.ts';
import { type Level, type Levels, nextHit, occurring } from './separators.ts';
import { TrimmedCuts } from './trimmed.ts';

/** What a range is split into: pieces that begin at the hits of a level, clusters, or code points. */
type Pieces = Level | 'cluster' | 'code point';

/** Pieces read of one range and not yet given up, with their tokens. */
interface Run {
  /** Where each begins, and at last where the next one would. */
  readonly starts: number[];
  readonly weights: number[];
  /** Indexes: of the first piece of the chunk, of its first one that is no overlap, of the first behind it. */
  head: number;
  fresh: number;
  next: number;
  /** Tokens of the pieces in the chunk, added up. */
  total: number;
}

/** Pieces behind which the room in a run is used again. */
const MOST_SPENT = 4096;

/** Splits `text` as the free tier does. Linear. */
export function splitByTokens(text: string, limits: Limits, counter: TokenCounter, levels: Levels): Cut[] {
  return new TokenSplitting(text, limits, counter, levels).run();
}

class TokenSplitting {
  private readonly trimmed: TrimmedCuts;
  private readonly text: string;
  private readonly size: number;
  private readonly overlap: number;
  private readonly levels: Levels;
  private readonly counter: TokenCounter;
  private readonly measured: MeasuredText;
  /** Tokens of single units by their code, plus one; 0 where not yet known. */
  private unitCounts: Int32Array | undefined;

  constructor(text: string, { size, overlap }: Limits, counter: TokenCounter, levels: Levels) {
    this.trimmed = new TrimmedCuts(text);
    this.text = text;
    this.size = size;
    this.overlap = overlap;
    this.levels = levels;
    this.counter = counter;
    this.measured = counter.measure(text);
  }

  run(): Cut[] {
    this.split(this.levels.top, 0, this.text.length);
    return this.trimmed.cuts;
  }

  /** Splits [start, end) at the first level, from the given one down, that occurs in it. */
  private split(highest: Level | undefined, start: number, end: number): void {
    const level = occurring(this.text, highest, start, end);
    if (level !== undefined || highest === undefined || this.levels.endInCharacters) {
      this.pack(level ?? 'cluster', start, end);
      return;
    }
    // LangChain hands a piece without a separator on as it is, which is right when it happens to fit.
    const tokenCount = this.measured.count(start, end);
    if (tokenCount > this.size) this.pack('cluster', start, end);
    else if (tokenCount === this.size) this.trimmed.keep(start, end, { tokenCount });
    else this.keepTrimmed(start, end);
  }

  /** Packs the pieces of [start, end) and splits those that are too long. */
  private pack(pieces: Pieces, start: number, end: number): void {
    const run: Run = { starts: [start], weights: [], head: 0, fresh: 0, next: 0, total: 0 };
    const { starts, weights } = run;
    for (;;) {
      if (run.next === weights.length && !this.read(pieces, run, end)) {
        if (run.fresh === run.next) return;
        this.emit(pieces, run);
        continue;
      }
      const weight = weights[run.next] ?? 0;
      if (this.isLong(pieces, weight, run)) {
        if (run.fresh < run.next) {
          this.emit(pieces, run);
          continue;
        }
        const [from, to] = [starts[run.next] ?? end, starts[run.next + 1] ?? end];
        run.head = run.fresh = ++run.next;
        run.total = 0;
        this.splitPiece(pieces, from, to);
      } else {
        if (run.total + weight > this.size) {
          if (run.fresh < run.next) this.emit(pieces, run);
          else this.leaveOverlap(run);
        }
        run.total += weights[run.next++] ?? 0;
      }
    }
  }

  /** Reads one piece more, if there is one before `end`. */
  private read(pieces: Pieces, run: Run, end: number): boolean {
    const { starts, weights } = run;
    const at = starts[weights.length] ?? end;
    if (at >= end) return false;
    if (run.head > MOST_SPENT) giveUp(run);
    const to = this.pieceEnd(pieces, at, end);
    weights.push(typeof pieces === 'string' ? this.countUnits(at, to) : this.measured.count(at, to));
    starts.push(to);
    return true;
  }

  private pieceEnd(pieces: Pieces, at: number, end: number): number {
    if (typeof pieces !== 'string') {
      const hit = nextHit(this.text, pieces, at + 1);
      return hit + pieces.separator.length <= end ? hit : end;
    }
    const to = splitsPair(this.text, at + 1) ? at + 2 : at + 1;
    if (pieces === 'code point' || to >= end || isSettledBoundary(this.text, to)) return to;
    return clusterAt(this.text, at, at, end).end;
  }

  /** The tokens of single units, added up. */
  private countUnits(start: number, end: number): number {
    const known = (this.unitCounts ??= new Int32Array(UNITS));
    let count = 0;
    for (let at = start; at < end; at++) {
      const code = this.text.charCodeAt(at);
      if (known[code] === 0) known[code] = 1 + this.counter.count(this.text.charAt(at).toWellFormed());
      count += (known[code] ?? 1) - 1;
    }
    return count;
  }

  /** True when the next piece is packed with no other; a cluster of several units only when no chunk holds it. */
  private isLong(pieces: Pieces, weight: number, { starts, next }: Run): boolean {
    if (weight < this.size) return false;
    const isUnit = (starts[next + 1] ?? 0) - (starts[next] ?? 0) === 1;
    return typeof pieces !== 'string' || isUnit || weight > this.size;
  }

  /** Splits a piece that is as long as the maximum or longer. */
  private splitPiece(pieces: Pieces, start: number, end: number): void {
    if (typeof pieces !== 'string') {
      this.split(pieces.below, start, end);
      return;
    }
    const tokenCount = this.measured.count(start, end);
    const isPoint = end - start === (splitsPair(this.text, start + 1) ? 2 : 1);
    if (tokenCount <= this.size) this.trimmed.keep(start, end, { tokenCount });
    else if (isPoint) this.trimmed.keep(start, end, { tokenCount, oversize: true });
    else this.pack('code point', start, end);
  }

  /** Keeps the pieces in the chunk, or as many as fit by their true count, and makes them overlap of the next one. */
  private emit(pieces: Pieces, run: Run): void {
    const { starts } = run;
    const startOf = (index: number): number => starts[index] ?? 0;
    const isKept = (): boolean => this.keepTrimmed(startOf(run.head), startOf(run.next));
    let kept = isKept();
    for (let step = 1; !kept && run.head < run.fresh; step *= 2) {
      for (const least = Math.min(run.fresh, run.head + step); run.head < least;) dropFirst(run);
      kept = isKept();
    }
    for (let step = 1; !kept && run.next > run.head + 1; step *= 2) {
      for (const most = Math.max(run.head + 1, run.next - step); run.next > most;)
        run.total -= run.weights[--run.next] ?? 0;
      kept = isKept();
    }
    if (!kept) this.splitPiece(pieces, startOf(run.head), startOf(run.next));
    run.fresh = run.next;
    if (run.next < run.weights.length) this.leaveOverlap(run);
  }

  /** Gives up pieces of the chunk before until the rest is no more than its overlap and the next piece fits. */
  private leaveOverlap(run: Run): void {
    const weight = run.weights[run.next] ?? 0;
    while (
      run.head < run.next &&
      (run.total > this.overlap || (run.total + weight > this.size && run.total > 0))
    )
      dropFirst(run);
  }

  /** Keeps [start, end) without the blanks at its edges; false when it is too long even so. */
  private keepTrimmed(start: number, end: number): boolean {
    const span = this.trimmed.trim(start, end);
    if (span === undefined) return true;
    const tokenCount = this.measured.count(span.start, span.end);
    if (tokenCount > this.size) return false;
    this.trimmed.keep(span.start, span.end, { tokenCount });
    return true;
  }
}

const UNITS = 0x10000;

function dropFirst(run: Run): void {
  run.total -= run.weights[run.head++] ?? 0;
}

/** Forgets the pieces before the chunk. */
function giveUp(run: Run): void {
  const { head } = run;
  run.starts.splice(0, head);
  run.weights.splice(0, head);
  run.fresh -= head;
  run.next -= head;
  run.head = 0;
}
