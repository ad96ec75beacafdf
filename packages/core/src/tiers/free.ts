// The free tier: recursive character splitting. Cuts at the first separator that occurs, packs the pieces greedily,
// repeats the last ones as overlap, and takes the next separator to a piece as long as `size` or longer: the same
// chunks as LangChain's RecursiveCharacterTextSplitter. Works on offsets alone and in one direction: nothing is
// split, copied or matched by a pattern, so the time is linear in the text whatever stands in it.
//
// It differs from LangChain where that one breaks a promise of ours, and only there:
// - LangChain cuts surrogate pairs and grapheme clusters. Here the last level goes by clusters, a cluster longer
//   than `size` goes by code points, and trimming leaves a blank to the combining mark that stands on it.
// - LangChain exceeds `size` when `separators` lacks '' and none of the rest is found. Here such a piece goes by
//   clusters too.
// - LangChain returns chunks that lie wholly inside a neighbour, being nothing but overlap. Here they are dropped.
// A separator is a place to cut wherever the caller's own choice finds it, inside a cluster too.
import type { Cut } from '../cut.ts';
import type { Document } from '../document.ts';
import { faultUnless, type OptionFault } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { clusterAt, isSettledBoundary, refuseIllFormed, splitsPair, SurrogateReader } from '../unicode.ts';
import { type Level, type Levels, levelsOf, nextHit, occurring } from './free/separators.ts';
import { splitByTokens } from './free/tokens.ts';
import { TrimmedCuts } from './free/trimmed.ts';
import type { Tier } from './tier.ts';

/** Options of the free tier. */
export interface FreeOptions extends Limits {
  /**
   * Where to cut, best first; a separator stays with the piece that it begins. '' stands for any character and ends
   * the list. At most 1000. Default: paragraph, line, space, character.
   */
  readonly separators?: readonly string[];
}

/** Paragraph, line, space, character. */
const SEPARATORS: readonly string[] = ['\n\n', '\n', ' ', ''];

/** Each separator may cost a level of recursion; far more than anybody lists, far fewer than overflow the stack. */
const MOST_SEPARATORS = 1000;

/** The tier `free`. */
export const FREE: Tier<FreeOptions> = {
  id: 'free',
  summary: 'Recursive character splitting: paragraphs, lines, words, characters.',
  options: ['separators'],
  check: separatorFaults,
  checksText: true,
  cut({ text }: Document, options: FreeOptions): Cut[] {
    const { measure, separators = SEPARATORS } = options;
    Splitting.kept ??= new Splitting('a b', { size: 1, overlap: 0 }, levelsOf(SEPARATORS)).run();
    if (measure === undefined) return new Splitting(text, options, levelsOf(separators)).run().trimmed.cuts;
    refuseIllFormed(text);
    return splitByTokens(text, options, measure, levelsOf(separators));
  },
};

function separatorFaults({ separators }: Readonly<Record<string, unknown>>): readonly OptionFault[] {
  const holds =
    Array.isArray(separators) && separators.length <= MOST_SEPARATORS && separators.every(isSeparator);
  const expected = `an array of at most ${MOST_SEPARATORS} well-formed strings`;
  return faultUnless(separators === undefined || holds, 'separators', expected, separators);
}

function isSeparator(value: unknown): boolean {
  return typeof value === 'string' && value.isWellFormed();
}

/** What may not be cut below the separators: clusters, and inside one that is too long for that, code points. */
type Unit = 'cluster' | 'code point';

/** Between hits nearer than this the way back from the limit is the cheapest. */
const NEAR = 128;

/**
 * Else the last hit is looked for this far before the limit: forwards, as V8 searches forwards many units at a time.
 */
const WINDOW = 256;

/** The splitting of one text: cuts so far, and what has been learnt of the text on the way. */
class Splitting {
  /**
   * A small one that stays, with its levels and cuts. V8 drops the compiled code that knows a kind of object when the
   * last one is collected: without this the calls after each full collection took two to five times as long.
   */
  static kept: Splitting | undefined;
  readonly trimmed: TrimmedCuts;
  readonly #text: string;
  readonly #size: number;
  readonly #overlap: number;
  readonly #levels: Levels;
  readonly #surrogates: SurrogateReader;

  constructor(text: string, { size, overlap }: Limits, levels: Levels) {
    this.#text = text;
    this.trimmed = new TrimmedCuts(text);
    this.#size = size;
    this.#overlap = overlap;
    this.#levels = levels;
    this.#surrogates = new SurrogateReader(text);
  }

  /** @throws ChunkError `ill_formed_text` */
  run(): this {
    this.#split(this.#levels.top, 0, this.#text.length);
    this.#surrogates.readTo(this.#text.length);
    return this;
  }

  /** Splits [start, end) at the first level, from the given one down, that occurs in it. */
  #split(highest: Level | undefined, start: number, end: number): void {
    const level = occurring(this.#text, highest, start, end);
    if (level !== undefined) this.#pack(level, start, end);
    // LangChain hands a piece without a separator on as it is, which is right when it happens to fit.
    else if (highest !== undefined && !this.#levels.endInCharacters && end - start === this.#size)
      this.trimmed.keep(start, end);
    else this.#packUnits('cluster', start, end);
  }

  /** Packs the pieces of [start, end), which begin at the hits of a level, and splits those that are too long. */
  #pack(level: Level, start: number, end: number): void {
    let from = start; // where the chunk begins, its overlap included
    let fresh = start; // where its first piece begins that is not overlap
    while (fresh < end) {
      const cut = this.#lastEnd(level, fresh, from + this.#size, end);
      if (cut > fresh) {
        this.#emit(from, cut);
        from = this.#firstStart(level, Math.max(cut - this.#overlap, from + 1), cut);
        fresh = cut;
      } else {
        const next = this.#firstEnd(level, fresh, end);
        if (from < fresh) {
          from = this.#firstStart(level, Math.max(next - this.#size, from + 1), fresh);
        } else {
          this.#split(level.below, fresh, next);
          from = fresh = next;
        }
      }
    }
  }

  /**
   * Where the last piece ends that begins at `fresh` or later and ends by `limit`; `fresh` when none does, or when
   * the first one is as long as the size by itself. Then the hits known still begin with the one after `fresh`.
   */
  #lastEnd(level: Level, fresh: number, limit: number, end: number): number {
    this.#surrogates.readTo(limit);
    if (end <= limit && end - fresh < this.#size) return end;
    const { separator } = level;
    const last = Math.min(limit, end - separator.length);
    let hit = nextHit(this.#text, level, fresh + 1);
    if (hit > last || hit - fresh >= this.#size) return fresh;
    if (end <= limit) return end;
    if (hit - fresh < NEAR) return this.#text.lastIndexOf(separator, last);
    if (last - hit > WINDOW) {
      const next = nextHit(this.#text, level, last - WINDOW);
      if (next > last) return this.#text.lastIndexOf(separator, last - WINDOW);
      hit = next;
    }
    for (;;) {
      const next = nextHit(this.#text, level, hit + 1);
      if (next > last) return hit;
      hit = next;
    }
  }

  /** Where the piece that begins at `fresh` ends. */
  #firstEnd(level: Level, fresh: number, end: number): number {
    const hit = nextHit(this.#text, level, fresh + 1);
    return hit + level.separator.length <= end ? hit : end;
  }

  /** Where the first piece begins at or after `least`, given that one begins at `most`. */
  #firstStart(level: Level, least: number, most: number): number {
    return least >= most ? most : this.#text.indexOf(level.separator, least);
  }

  /** {@link pack} below the separators. Leaps from limit to limit, looking only at the places where it may cut. */
  #packUnits(unit: Unit, start: number, end: number): void {
    let from = start;
    let fresh = start;
    while (end - from > this.#size) {
      const cut = this.#lastUnitEnd(unit, fresh, from + this.#size, end);
      if (cut > fresh) {
        this.#emit(from, cut);
        from = this.#firstUnitStart(unit, from, Math.max(cut - this.#overlap, from + 1), cut);
        fresh = cut;
      } else {
        const next = unit === 'cluster' ? clusterAt(this.#text, fresh, fresh, end).end : fresh + 2;
        if (from < fresh) {
          from = this.#firstUnitStart(unit, from, Math.max(next - this.#size, from + 1), fresh);
        } else {
          if (unit === 'cluster') this.#packUnits('code point', fresh, next);
          else this.trimmed.keep(fresh, next, { oversize: true });
          from = fresh = next;
        }
      }
    }
    if (fresh < end) this.#emit(from, end);
  }

  /** The last place from `fresh` to `limit` that is not inside a unit. */
  #lastUnitEnd(unit: Unit, fresh: number, limit: number, end: number): number {
    this.#surrogates.readTo(limit);
    const at = splitsPair(this.#text, limit) ? limit - 1 : limit;
    if (unit === 'code point' || isSettledBoundary(this.#text, at)) return at;
    return clusterAt(this.#text, limit, fresh, end).start;
  }

  /** The first place from `least` to `most` that is not inside a unit, given that `from` and `most` are not. */
  #firstUnitStart(unit: Unit, from: number, least: number, most: number): number {
    if (least >= most) return most;
    const at = splitsPair(this.#text, least) ? least + 1 : least;
    if (unit === 'code point' || at === most || isSettledBoundary(this.#text, at)) return at;
    const cluster = clusterAt(this.#text, at, from, most);
    return cluster.start === at ? at : cluster.end;
  }

  /** Keeps [start, end) without the blanks at its edges, if anything is left of it. */
  #emit(start: number, end: number): void {
    // A single unit is what LangChain does not trim.
    if (this.#size === 1) this.trimmed.keep(start, end);
    else this.trimmed.emit(start, end);
  }
}
