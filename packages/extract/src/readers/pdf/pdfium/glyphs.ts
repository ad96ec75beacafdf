// The places of a page's characters. A character reaches from its origin to that of the next, so that a word has no
// gaps and no two characters share a place; the last one ends with its ink. PDFium is called for each character, so
// places are read only on request.
import { NO_PLACE } from '@grainline/core';
import type { LinkRange, PageGlyphs } from '../../../tree/glyphs.ts';
import type { Pdfium } from './engine.ts';
import type { Shape } from './rules.ts';
import type { Scratch } from './scratch.ts';

/** The type of a word whose characters are placed. */
export interface GlyphStyle {
  /** Displayed size of its font in points; 0 when unknown. */
  readonly size: number;
  /** Its direction in quarter turns clockwise, before the page is turned. */
  readonly quarterTurns: number;
}

/** The part of a page that is shown, in user space, its rotation in quarter turns clockwise, and points of a unit. */
export interface PageView {
  readonly box: Shape;
  readonly quarterTurns: number;
  readonly unit: number;
}

/** Height and depth of letters as shares of the font size: those of common fonts. */
const ASCENT = 0.75;
const DESCENT = 0.22;
/** Ink of less than this share of its font's size over a whole word shows that the size is none. */
const LEAST_INK = 0.02;
/** Hundredths of a point in a point. */
const UNITS = 100;
/** Larger coordinates come from broken files. */
const MAX_COORDINATE = 1e7;

/** Reads the places of a page's words, one by one. */
export class GlyphReader {
  readonly #pdfium: Pdfium;
  readonly #text: number;
  readonly #scratch: Scratch;
  readonly #view: PageView;
  readonly #x: Axis;
  readonly #y: Axis;
  readonly #edges: Int32Array;
  readonly #words: number[] = [];
  readonly #turns: number[] = [];
  readonly #extents: number[] = [];
  /** Ink of the first and the last character of a word: left, right, bottom and top of each. */
  readonly #ink = new Float64Array(8);
  /**
   * Origins along the direction of the word in hundredths of a point, from the second element on. Those before the
   * first character and behind the last one are the end of the word.
   */
  #origins = new Int32Array(64);

  constructor(pdfium: Pdfium, text: number, scratch: Scratch, length: number, view: PageView) {
    this.#pdfium = pdfium;
    this.#text = text;
    this.#scratch = scratch;
    this.#view = view;
    [this.#x, this.#y] = axesOf(view);
    this.#edges = new Int32Array(2 * length).fill(NO_PLACE);
  }

  /** Takes the box that PDFium has just given for the first character of a word, or for the last, which may be one. */
  keepInk(isLast: boolean): void {
    const { doubles } = this.#scratch;
    const ink = this.#ink;
    const at = isLast ? 4 : 0;
    for (let edge = 0; edge < 4; edge++) ink[at + edge] = doubles[edge] ?? 0;
  }

  /**
   * Places the characters of a word, whose ink has been kept. `start` is its offset in the text of the page, and
   * `index` PDFium's index of its first character; `indexOf` gives those of the others where they do not follow each
   * other.
   */
  place(
    start: number,
    length: number,
    index: number,
    indexOf: ((offset: number) => number) | undefined,
    { size, quarterTurns }: GlyphStyle,
  ): void {
    const isLevel = quarterTurns % 2 === 0;
    const along = isLevel ? this.#x : this.#y;
    const baseline = this.#readOrigins(length, index, indexOf, isLevel, along);
    if (Number.isNaN(baseline)) return;
    // Text runs to the right and upwards with growing coordinates, to the left and downwards with falling ones.
    const isGrowing = quarterTurns === 0 || quarterTurns === 3;
    this.#writeEdges(start, length, isLevel, isGrowing, along);
    this.#addWord(start, (quarterTurns + this.#view.quarterTurns) % 4, size, quarterTurns, baseline);
  }

  /** The places of all words, in the order of the characters. */
  finish(page: number, characters: string, links: readonly LinkRange[]): PageGlyphs {
    return {
      page,
      characters,
      links,
      edges: this.#edges,
      words: this.#words,
      turns: this.#turns,
      extents: this.#extents,
    };
  }

  /** Reads the origins along the direction, and returns the coordinate of the base line; NaN without any. */
  #readOrigins(
    length: number,
    index: number,
    indexOf: ((offset: number) => number) | undefined,
    isLevel: boolean,
    { scale, offset }: Axis,
  ): number {
    if (this.#origins.length < length + 2) this.#origins = new Int32Array(2 * length);
    const origins = this.#origins;
    const text = this.#text;
    const getOrigin = this.#pdfium.call.FPDFText_GetCharOrigin;
    // PDFium takes no memory for an origin, so the views stay valid.
    const { pointer, doubles } = this.#scratch;
    const along = isLevel ? 0 : 1;
    let baseline = NaN;
    for (let at = 0; at < length; at++) {
      const character = indexOf === undefined ? index + at : indexOf(at);
      if (!getOrigin(text, character, pointer, pointer + 8)) return NaN;
      const coordinate = doubles[along] ?? NaN;
      if (!(Math.abs(coordinate) < MAX_COORDINATE)) return NaN;
      origins[at + 1] = Math.round(scale * coordinate + offset);
      if (at === 0) baseline = doubles[1 - along] ?? NaN;
    }
    return Math.abs(baseline) < MAX_COORDINATE ? baseline : NaN;
  }

  /** The end of the ink of the first or the last character in the direction of growing or falling coordinates. */
  #inkEnd(isLast: boolean, isLevel: boolean, isGrowing: boolean): number {
    const at = (isLast ? 4 : 0) + (isLevel ? 0 : 2);
    const one = this.#ink[at] ?? 0;
    const other = this.#ink[at + 1] ?? 0;
    return isGrowing ? Math.max(one, other) : Math.min(one, other);
  }

  #writeEdges(
    start: number,
    length: number,
    isLevel: boolean,
    isGrowing: boolean,
    { scale, offset }: Axis,
  ): void {
    const origins = this.#origins;
    const edges = this.#edges;
    const isRising = isGrowing === scale > 0;
    const first = origins[1] ?? 0;
    const last = origins[length] ?? 0;
    // In text from right to left the character before stands where the next one ends.
    const isBackward = isRising ? last < first : last > first;
    const step = isBackward ? -1 : 1;
    const end = Math.round(scale * this.#inkEnd(!isBackward, isLevel, isGrowing) + offset);
    origins[isBackward ? 0 : length + 1] = end;
    let isShared = false;
    for (let at = 1; at <= length; at++) {
      const near = origins[at] ?? 0;
      const far = origins[at + step] ?? 0;
      const edge = 2 * (start + at - 1);
      edges[edge] = near < far ? near : far;
      edges[edge + 1] = near < far ? far : near;
      if (near === far) isShared = true;
    }
    if (isShared) this.#shareWidths(start, length, step);
  }

  /** All letters of a ligature have one origin: they share its width. */
  #shareWidths(start: number, length: number, step: number): void {
    const origins = this.#origins;
    for (let at = step < 0 ? length : 1, left = length; left > 0;) {
      const near = origins[at] ?? 0;
      let count = 1;
      while (count < left && origins[at + count * step] === near) count++;
      const width = ((origins[at + count * step] ?? 0) - near) / count;
      for (let letter = 0; letter < count; letter++) {
        const from = Math.round(near + letter * width);
        const to = Math.round(near + (letter + 1) * width);
        const edge = 2 * (start + at - 1 + letter * step);
        this.#edges[edge] = Math.min(from, to);
        this.#edges[edge + 1] = Math.max(from, to);
      }
      at += count * step;
      left -= count;
    }
  }

  /** Adds a word; one that stands on the page as the word before does belongs to it. */
  #addWord(start: number, turn: number, size: number, quarterTurns: number, baseline: number): void {
    const ink = this.#ink;
    const isLevel = quarterTurns % 2 === 0;
    const low = isLevel ? 2 : 0;
    let bottom = Math.min(ink[low] ?? 0, ink[4 + low] ?? 0);
    let top = Math.max(ink[low + 1] ?? 0, ink[4 + low + 1] ?? 0);
    const up = quarterTurns < 2 ? 1 : -1;
    if (size > 0 && top - bottom > LEAST_INK * size) {
      const under = baseline - up * DESCENT * size;
      const over = baseline + up * ASCENT * size;
      bottom = Math.min(bottom, under, over);
      top = Math.max(top, under, over);
    }
    const { scale, offset } = isLevel ? this.#y : this.#x;
    const a = Math.round(scale * bottom + offset);
    const b = Math.round(scale * top + offset);
    const least = Math.min(a, b);
    const most = Math.max(a, b);
    const extents = this.#extents;
    const last = this.#words.length - 1;
    if (this.#turns[last] === turn && extents[2 * last] === least && extents[2 * last + 1] === most) return;
    this.#words.push(start);
    this.#turns.push(turn);
    extents.push(least, most);
  }
}

/** The characters of a page with its links alone; `undefined` when it has none. */
export function unplacedGlyphs(
  page: number,
  characters: string,
  links: readonly LinkRange[],
): PageGlyphs | undefined {
  if (links.length === 0) return undefined;
  return { page, characters, links, edges: new Int32Array(), words: [], turns: [], extents: [] };
}

/** How coordinates of one axis of user space become hundredths of a point on the page as it is shown. */
interface Axis {
  readonly scale: number;
  readonly offset: number;
}

/** The axes of a page: distances from its left edge as it is shown, or from its top. */
function axesOf({ box, quarterTurns, unit }: PageView): readonly [x: Axis, y: Axis] {
  const from = (edge: number): Axis => ({ scale: UNITS * unit, offset: -UNITS * unit * edge });
  const upTo = (edge: number): Axis => ({ scale: -UNITS * unit, offset: UNITS * unit * edge });
  const isRightward = quarterTurns === 0 || quarterTurns === 1;
  const isUpward = quarterTurns === 1 || quarterTurns === 2;
  return [isRightward ? from(box.left) : upTo(box.right), isUpward ? from(box.bottom) : upTo(box.top)];
}

/** Width and height of a page as it is shown, in hundredths of a point. */
export function pageSizeOf({ box, quarterTurns, unit }: PageView): readonly [number, number] {
  const [width, height] = [box.right - box.left, box.top - box.bottom].map((side) =>
    Math.round(UNITS * unit * side),
  );
  return quarterTurns % 2 === 0 ? [width ?? 0, height ?? 0] : [height ?? 0, width ?? 0];
}
