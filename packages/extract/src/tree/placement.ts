// The places of a document's text, gathered while it is written: runs of units on one line of a page.
import { type DocumentRegions, NO_PLACE, type Region, regionsOf } from '@grainline/core';
import { alignGlyphs, type GlyphRange, type LettersOf, type PageGlyphs } from './glyphs.ts';
import type { WrittenText } from './links.ts';

/** Units without a place within a run: behind more, another run begins. */
const MAX_GAP = 64;

/** Takes the parts of a text, in order, with the characters that they were made of. */
export interface TextPlaces {
  add(offset: number, written: Pick<WrittenText, 'plain' | 'added'>, ranges: readonly GlyphRange[]): void;
}

/** Gathers the places of a text that is written in order. */
export class Placement implements TextPlaces {
  readonly #lettersOf: LettersOf;
  readonly #starts: number[] = [];
  readonly #offsets: number[] = [0];
  readonly #pages: number[] = [];
  readonly #turns: number[] = [];
  readonly #extents: number[] = [];
  #edges = new Int32Array(1024);
  #units = 0;
  /** The open run: its characters, the last of them and its word, and the offset behind its last unit. */
  #range: GlyphRange | undefined;
  #index = 0;
  #word = 0;
  #end = 0;

  constructor(lettersOf: LettersOf) {
    this.#lettersOf = lettersOf;
  }

  /** Places a part of the text that begins at an offset and was made of some characters. */
  add(
    offset: number,
    { plain, added }: Pick<WrittenText, 'plain' | 'added'>,
    ranges: readonly GlyphRange[],
  ): void {
    if (ranges.length === 0) return;
    let [shift, next] = [offset, 0];
    alignGlyphs(plain, ranges, this.#lettersOf, (at, range, index, length) => {
      for (let from = 0; from < length;) {
        for (; (added[next]?.at ?? Infinity) <= at + from; next++) shift += added[next]?.length ?? 0;
        const to = Math.min(length, (added[next]?.at ?? Infinity) - at);
        this.#place(shift + at + from, range, index + from, to - from);
        from = to;
      }
    });
  }

  /** Places a stretch, word by word. */
  #place(at: number, range: GlyphRange, index: number, length: number): void {
    const { edges, words } = range.glyphs;
    const isSame = range === this.#range && index >= this.#index && at - this.#end <= MAX_GAP;
    const end = index + length;
    const shift = at - index;
    let word = isSame ? this.#word : wordAt(words, index);
    let isOpen = isSame;
    for (let from = index; from < end;) {
      while ((words[word + 1] ?? Infinity) <= from) word++;
      let to = Math.min(end, words[word + 1] ?? Infinity);
      const next = to;
      while (to > from && edges[2 * to - 2] === NO_PLACE) to--;
      while (from < to && edges[2 * from] === NO_PLACE) from++;
      if (from < to) {
        if (!isOpen || !this.#goesOn(range.glyphs, word)) this.#begin(from + shift, range.glyphs, word);
        isOpen = true;
        this.#word = word;
        this.#range = range;
        this.#append(from + shift, edges, from, to);
        this.#index = to - 1;
      }
      from = next;
    }
  }

  /** True if a word is in the open run: it is of one direction with it, and stands beside it. */
  #goesOn({ turns, extents }: PageGlyphs, word: number): boolean {
    if (word === this.#word) return true;
    const run = this.#extents.length - 2;
    const [low, high] = [this.#extents[run] ?? 0, this.#extents[run + 1] ?? 0];
    const [begin, end] = [extents[2 * word] ?? 0, extents[2 * word + 1] ?? 0];
    const common = Math.min(high, end) - Math.max(low, begin);
    if (turns[word] !== this.#turns.at(-1) || 2 * common < Math.min(high - low, end - begin)) return false;
    this.#extents[run] = Math.min(low, begin);
    this.#extents[run + 1] = Math.max(high, end);
    return true;
  }

  #begin(at: number, { page, turns, extents }: PageGlyphs, word: number): void {
    this.#starts.push(at);
    this.#pages.push(page);
    this.#turns.push(turns[word] ?? 0);
    this.#extents.push(extents[2 * word] ?? 0, extents[2 * word + 1] ?? 0);
    this.#offsets.push(this.#units);
    this.#end = at;
  }

  /** Adds units to the open run. */
  #append(at: number, edges: Int32Array, from: number, to: number): void {
    const units = this.#units + at - this.#end + to - from;
    while (2 * units > this.#edges.length) {
      const larger = new Int32Array(2 * this.#edges.length);
      larger.set(this.#edges);
      this.#edges = larger;
    }
    const own = this.#edges;
    let target = 2 * this.#units;
    for (; this.#end < at; this.#end++) {
      own[target++] = NO_PLACE;
      own[target++] = NO_PLACE;
    }
    for (let edge = 2 * from; edge < 2 * to; edge++) own[target++] = edges[edge] ?? NO_PLACE;
    this.#end = at + to - from;
    this.#units = units;
    this.#offsets[this.#offsets.length - 1] = units;
  }

  /** The places of the whole text; the sizes are width and height of each page. */
  finish(pageSizes: readonly number[]): DocumentRegions {
    return {
      pageSizes: Int32Array.from(pageSizes),
      starts: Uint32Array.from(this.#starts),
      offsets: Uint32Array.from(this.#offsets),
      pages: Uint16Array.from(this.#pages),
      turns: Uint8Array.from(this.#turns),
      extents: Int32Array.from(this.#extents),
      edges: this.#edges.slice(0, 2 * this.#units),
    };
  }
}

/** The boxes of a text by itself, one a line. */
export function boxesOf(text: string, ranges: readonly GlyphRange[], lettersOf: LettersOf): Region[] {
  const placement = new Placement(lettersOf);
  placement.add(0, { plain: text, added: [] }, ranges);
  return regionsOf({ regions: placement.finish([]) }, { start: 0, end: text.length });
}

/** The last word that begins at an offset or before. */
function wordAt(words: readonly number[], index: number): number {
  let [low, high] = [0, words.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((words[middle] ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}
