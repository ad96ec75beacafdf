// The places of a document's text, gathered while it is written: runs of units on one line of a page.
import { type DocumentRegions, NO_PLACE, type Region, regionsOf } from '@grainline/core';
import { alignGlyphs, type GlyphRange, type LettersOf, type PageGlyphs, type WithGlyphs } from './glyphs.ts';
import type { WrittenText } from './links.ts';

/** Units without a place within a run: behind more, another run begins. */
const MAX_GAP = 64;
/** A run of one character that is more than so many times as high as the next word is an initial of several lines. */
const INITIAL = 2;

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
  #edges: Int32Array;
  #units = 0;
  /** The open run: its characters, the last of them and its word, and the offset behind its last unit. */
  #range: GlyphRange | undefined;
  #index = 0;
  #word = 0;
  #end = 0;

  /** `units` is the expected length of the text: memory that is taken once costs least. */
  constructor(lettersOf: LettersOf, units: number) {
    this.#lettersOf = lettersOf;
    this.#edges = new Int32Array(2 * units);
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

  /** Places a stretch: its words that stand beside each other are copied at once. */
  #place(at: number, range: GlyphRange, index: number, length: number): void {
    const { glyphs } = range;
    const { edges, words } = glyphs;
    const end = index + length;
    const shift = at - index;
    let isOpen = range === this.#range && index >= this.#index && at - this.#end <= MAX_GAP;
    let word = isOpen ? this.#word : wordAt(words, index);
    // The units of the open run that are not copied yet.
    let [from, to] = [-1, -1];
    for (let next = index; next < end;) {
      while ((words[word + 1] ?? end) <= next) word++;
      let first = next;
      next = Math.min(end, words[word + 1] ?? end);
      while (first < next && edges[2 * first] === NO_PLACE) first++;
      if (first === next) continue;
      if (!isOpen || !this.#goesOn(glyphs, word, from === -1 ? 0 : to - from)) {
        this.#append(shift, edges, from, to);
        this.#begin(first + shift, glyphs, word);
        from = -1;
      }
      if (from === -1) from = first;
      to = next;
      isOpen = true;
      this.#word = word;
      this.#range = range;
    }
    this.#append(shift, edges, from, to);
  }

  /**
   * True if a word is in the open run: it is of one direction with it, and stands beside it. Of the run, so many units
   * are not copied yet.
   */
  #goesOn({ turns, extents }: PageGlyphs, word: number, waiting: number): boolean {
    if (word === this.#word) return true;
    // Without destructuring, which takes several times as long: this runs for each word.
    const run = this.#turns.length - 1;
    const own = this.#extents;
    const low = own[2 * run] ?? 0;
    const high = own[2 * run + 1] ?? 0;
    const begin = extents[2 * word] ?? 0;
    const end = extents[2 * word + 1] ?? 0;
    const common = Math.min(high, end) - Math.max(low, begin);
    if (turns[word] !== this.#turns[run] || 2 * common < Math.min(high - low, end - begin)) return false;
    const isInitial = high - low > INITIAL * (end - begin);
    if (isInitial && this.#units + waiting - (this.#offsets[run] ?? 0) <= 1) return false;
    if (begin < low) own[2 * run] = begin;
    if (end > high) own[2 * run + 1] = end;
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

  /** Adds units to the open run, without those at the end that have no place. */
  #append(shift: number, edges: Int32Array, from: number, to: number): void {
    while (to > from && edges[2 * to - 2] === NO_PLACE) to--;
    if (from === to) return;
    const gap = from + shift - this.#end;
    const units = this.#units + gap + to - from;
    if (2 * units > this.#edges.length) {
      const larger = new Int32Array(4 * units);
      larger.set(this.#edges);
      this.#edges = larger;
    }
    const own = this.#edges;
    let target = 2 * this.#units;
    if (gap > 0) own.fill(NO_PLACE, target, (target += 2 * gap));
    // One by one, because the view that `set` takes costs more than a line of text.
    for (let at = 2 * from; at < 2 * to; at++) own[target++] = edges[at] ?? NO_PLACE;
    this.#index = to - 1;
    this.#end = to + shift;
    this.#units = units;
    this.#offsets[this.#offsets.length - 1] = units;
  }

  /** The places of the whole text; the sizes are width and height of each page. */
  finish(pageSizes: readonly number[]): DocumentRegions {
    return {
      pageSizes: new Int32Array(pageSizes),
      starts: new Uint32Array(this.#starts),
      offsets: new Uint32Array(this.#offsets),
      pages: new Uint16Array(this.#pages),
      turns: new Uint8Array(this.#turns),
      extents: new Int32Array(this.#extents),
      edges: trimmed(this.#edges, 2 * this.#units),
    };
  }
}

/** Room that stays at the end of an array, as a share of it, because a copy would cost more. */
const SPARE = 1 / 8;

function trimmed(array: Int32Array, length: number): Int32Array {
  return length < (1 - SPARE) * array.length ? array.slice(0, length) : array.subarray(0, length);
}

/** The boxes of texts by themselves, one a line; `undefined` for a text without characters. */
export function boxesOf(
  texts: readonly (WithGlyphs & { readonly text: string })[],
  lettersOf: LettersOf,
): (Region[] | undefined)[] {
  const units = texts.reduce((sum, { text }) => sum + text.length, 0);
  const placement = new Placement(lettersOf, units);
  let end = 0;
  const spans = texts.map(({ text, glyphs = [] }) => {
    const start = end;
    placement.add(start, { plain: text, added: [] }, glyphs);
    end += text.length;
    return glyphs.length === 0 ? undefined : { start, end };
  });
  const regions = placement.finish([]);
  return spans.map((span) => span && regionsOf({ regions }, span));
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
