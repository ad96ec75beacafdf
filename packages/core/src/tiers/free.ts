// The free tier: recursive character splitting. It cuts at the first separator in the list that occurs, packs the
// pieces greedily, repeats the last ones as overlap, and applies the next separator to each piece that is as long as
// `size` or longer: the same chunks as LangChain's RecursiveCharacterTextSplitter. It works on offsets alone and in one
// direction. Nothing is split, copied or matched by a pattern, so the time is linear in the text, whatever it contains.
//
// It differs from LangChain only where LangChain breaks a promise of ours:
// - LangChain cuts surrogate pairs and grapheme clusters. Here the last level goes by clusters, a cluster longer than
//   `size` goes by code points, and trimming leaves a blank to the combining mark that stands on it.
// - LangChain exceeds `size` when `separators` lacks '' and none of the others is found. Here such a piece goes by
//   clusters too.
// - LangChain returns chunks that lie wholly inside a neighbour, being nothing but overlap. Here they are dropped.
//
// A separator of the caller's own is a cut wherever it occurs, inside a cluster too.
import type { Cut } from '../cut.ts';
import type { Document } from '../document.ts';
import { issueUnless, type OptionIssue } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { clusterAt, isSettledBoundary, assertWellFormed, splitsPair, SurrogateReader } from '../unicode.ts';
import { type Level, type Levels, levelsOf, nextHit, occurring } from './free/separators.ts';
import { splitByTokens } from './free/tokens.ts';
import { TrimmedCuts } from './free/trimmed.ts';
import type { Tier } from './tier.ts';

/** Options of the free tier. */
export interface FreeOptions extends Limits {
  /**
   * Separators, best first. A separator stays with the piece that it begins. '' stands for any character and ends the
   * list. At most 1000 entries. Default: paragraph, line, space, character.
   */
  readonly separators?: readonly string[];
}

/** The default separators: paragraph, line, space, character. */
const SEPARATORS: readonly string[] = ['\n\n', '\n', ' ', ''];

/**
 * Most separators of a list. Each may cost a level of recursion: 1000 are far more than any list has and far fewer than
 * overflow the stack.
 */
const MOST_SEPARATORS = 1000;

/** The tier `free`. */
export const FREE: Tier<FreeOptions> = {
  id: 'free',
  summary: 'Recursive character splitting: paragraphs, lines, words, characters.',
  options: ['separators'],
  check: separatorIssues,
  checksText: true,
  cut({ text }: Document, options: FreeOptions): Cut[] {
    const { measure, separators = SEPARATORS } = options;
    if (measure === undefined) return new Splitting(text, options, levelsOf(separators)).run().trimmed.cuts;
    assertWellFormed(text);
    return splitByTokens(text, options, measure, levelsOf(separators));
  },
};

function separatorIssues({ separators }: Readonly<Record<string, unknown>>): readonly OptionIssue[] {
  const holds =
    Array.isArray(separators) && separators.length <= MOST_SEPARATORS && separators.every(isSeparator);
  const expected = `an array of at most ${MOST_SEPARATORS} well-formed strings`;
  return issueUnless(separators === undefined || holds, 'separators', expected, separators);
}

function isSeparator(value: unknown): boolean {
  return typeof value === 'string' && value.isWellFormed();
}

/**
 * The units that must not be cut once no separator is left: grapheme clusters or, inside a cluster that is too long,
 * code points.
 */
type SplitUnit = 'cluster' | 'code point';

/** Below this mean distance between hits, in UTF-16 units, it is cheapest to search backwards from the limit. */
const NEAR = 128;

/**
 * Otherwise the last hit is searched for in the units this far before the limit, forwards, because V8 searches many
 * units at a time in that direction.
 */
const WINDOW = 256;

/** The splitting of one text: the cuts so far, and cached facts about the text. */
class Splitting {
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

  /**
   * Splits the text.
   *
   * @throws ChunkError `ill_formed_text`
   */
  run(): this {
    this.#split(this.#levels.top, 0, this.#text.length);
    this.#surrogates.readTo(this.#text.length);
    return this;
  }

  /** Splits [start, end) at the first level, from the given one down, that occurs in the range. */
  #split(highest: Level | undefined, start: number, end: number): void {
    const level = occurring(this.#text, highest, start, end);
    if (level !== undefined) this.#pack(level, start, end);
    // LangChain keeps a piece without a separator as it is, which is right when the piece happens to fit.
    else if (highest !== undefined && !this.#levels.endInCharacters && end - start === this.#size)
      this.trimmed.keep(start, end);
    else this.#packUnits('cluster', start, end);
  }

  /** Packs the pieces of [start, end), which begin at the hits of a level, and splits those that are too long. */
  #pack(level: Level, start: number, end: number): void {
    let from = start; // start of the chunk, its overlap included
    let fresh = start; // start of its first piece that is not overlap
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
   * The end of the last piece that begins at `fresh` or later and ends by `limit`. Returns `fresh` when there is no
   * such piece, or when the first one alone is as long as the size. Afterwards the known hits still begin with the one
   * after `fresh`.
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

  /** The end of the piece that begins at `fresh`. */
  #firstEnd(level: Level, fresh: number, end: number): number {
    const hit = nextHit(this.#text, level, fresh + 1);
    return hit + level.separator.length <= end ? hit : end;
  }

  /** The start of the first piece at or after `least`, given that a piece begins at `most`. */
  #firstStart(level: Level, least: number, most: number): number {
    return least >= most ? most : this.#text.indexOf(level.separator, least);
  }

  /**
   * Packs below the separators, as {@link pack} does above. Leaps from limit to limit and looks only at places where it
   * may cut.
   */
  #packUnits(unit: SplitUnit, start: number, end: number): void {
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
  #lastUnitEnd(unit: SplitUnit, fresh: number, limit: number, end: number): number {
    this.#surrogates.readTo(limit);
    const at = splitsPair(this.#text, limit) ? limit - 1 : limit;
    if (unit === 'code point' || isSettledBoundary(this.#text, at)) return at;
    return clusterAt(this.#text, limit, fresh, end).start;
  }

  /** The first place from `least` to `most` that is not inside a unit, given that `from` and `most` are not. */
  #firstUnitStart(unit: SplitUnit, from: number, least: number, most: number): number {
    if (least >= most) return most;
    const at = splitsPair(this.#text, least) ? least + 1 : least;
    if (unit === 'code point' || at === most || isSettledBoundary(this.#text, at)) return at;
    const cluster = clusterAt(this.#text, at, from, most);
    return cluster.start === at ? at : cluster.end;
  }

  /** Adds the cut [start, end) without the blanks at its edges, unless it is all blank. */
  #emit(start: number, end: number): void {
    // At a size of one unit LangChain does not trim.
    const span = this.#size === 1 ? { start, end } : this.trimmed.trim(start, end);
    if (span !== undefined) this.trimmed.keep(span.start, span.end);
  }
}
