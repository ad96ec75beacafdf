// The places of a document's text, gathered while it is written: runs of units on one line of a page.
import { type DocumentRegions, NO_PLACE, type Region, regionsOf } from '@grainline/core';
import { alignGlyphs, type GlyphRange, type LettersOf } from './glyphs.ts';

/** Units without a place within a run: behind more, another run begins. */
const MAX_GAP = 64;

/** Gathers the places of a text that is written in order. */
export class Placement {
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
  add(offset: number, text: string, ranges: readonly GlyphRange[]): void {
    alignGlyphs(text, ranges, this.#lettersOf, (at, range, index) => {
      this.#place(offset + at, range, index);
    });
  }

  #place(at: number, range: GlyphRange, index: number): void {
    const { edges, words } = range.glyphs;
    const near = edges[2 * index] ?? NO_PLACE;
    if (near === NO_PLACE) return;
    const isSame = range === this.#range && index >= this.#index && at - this.#end <= MAX_GAP;
    if (!isSame || !this.#goesOn(range, index)) {
      this.#word = isSame ? this.#word : wordAt(words, index);
      this.#begin(at, range);
    }
    this.#range = range;
    this.#index = index;
    for (; this.#end < at; this.#end++) this.#push(NO_PLACE, NO_PLACE);
    this.#push(near, edges[2 * index + 1] ?? near);
    this.#end = at + 1;
    this.#offsets[this.#offsets.length - 1] = this.#units;
  }

  /** True if a character is in the open run: its word is of one direction with it, and stands beside it. */
  #goesOn({ glyphs: { words, turns, extents } }: GlyphRange, index: number): boolean {
    let word = this.#word;
    while ((words[word + 1] ?? Infinity) <= index) word++;
    if (word === this.#word) return true;
    this.#word = word;
    const run = this.#extents.length - 2;
    const [low = 0, high = 0] = [this.#extents[run], this.#extents[run + 1]];
    const [begin = 0, end = 0] = [extents[2 * word], extents[2 * word + 1]];
    const common = Math.min(high, end) - Math.max(low, begin);
    if (turns[word] !== this.#turns.at(-1) || 2 * common < Math.min(high - low, end - begin)) return false;
    this.#extents[run] = Math.min(low, begin);
    this.#extents[run + 1] = Math.max(high, end);
    return true;
  }

  #begin(at: number, { glyphs: { page, turns, extents } }: GlyphRange): void {
    const word = this.#word;
    this.#starts.push(at);
    this.#pages.push(page);
    this.#turns.push(turns[word] ?? 0);
    this.#extents.push(extents[2 * word] ?? 0, extents[2 * word + 1] ?? 0);
    this.#offsets.push(this.#units);
    this.#end = at;
  }

  #push(near: number, far: number): void {
    if (2 * this.#units === this.#edges.length) {
      const larger = new Int32Array(2 * this.#edges.length);
      larger.set(this.#edges);
      this.#edges = larger;
    }
    this.#edges[2 * this.#units] = near;
    this.#edges[2 * this.#units + 1] = far;
    this.#units++;
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
  placement.add(0, text, ranges);
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
