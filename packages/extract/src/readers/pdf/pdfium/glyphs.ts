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
  #origins = new Float64Array(64);

  constructor(pdfium: Pdfium, text: number, scratch: Scratch, length: number, view: PageView) {
    this.#pdfium = pdfium;
    this.#text = text;
    this.#scratch = scratch;
    this.#view = view;
    [this.#x, this.#y] = axesOf(view);
    this.#edges = new Int32Array(2 * length).fill(NO_PLACE);
  }

  /** Takes the box that PDFium has just given for the first character of a word, or for the last. */
  keepInk(isLast: boolean): void {
    const { doubles } = this.#scratch;
    const at = isLast ? 4 : 0;
    for (let edge = 0; edge < 4; edge++) this.#ink[at + edge] = doubles[edge] ?? 0;
    if (!isLast) this.#ink.copyWithin(4, 0, 4);
  }

  /**
   * Places the characters of a word, whose ink has been kept. `indexOf` gives PDFium's index of a character by its
   * offset in the word.
   */
  place(start: number, length: number, style: GlyphStyle, indexOf: (offset: number) => number): void {
    const isLevel = style.quarterTurns % 2 === 0;
    const baseline = this.#readOrigins(length, indexOf, isLevel);
    if (Number.isNaN(baseline)) return;
    // Text runs to the right and upwards with growing coordinates, to the left and downwards with falling ones.
    const isGrowing = style.quarterTurns === 0 || style.quarterTurns === 3;
    this.#writeEdges(start, length, isLevel, isGrowing);
    this.#words.push(start);
    this.#turns.push((style.quarterTurns + this.#view.quarterTurns) % 4);
    this.#writeExtent(style, isLevel, baseline);
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
  #readOrigins(length: number, indexOf: (offset: number) => number, isLevel: boolean): number {
    if (this.#origins.length < length) this.#origins = new Float64Array(2 * length);
    const origins = this.#origins;
    const { call } = this.#pdfium;
    const { pointer } = this.#scratch;
    let baseline = NaN;
    for (let at = 0; at < length; at++) {
      if (!call.FPDFText_GetCharOrigin(this.#text, indexOf(at), pointer, pointer + 8)) return NaN;
      const { doubles } = this.#scratch;
      const [x, y] = [doubles[0] ?? 0, doubles[1] ?? 0];
      if (!(Math.abs(x) < MAX_COORDINATE && Math.abs(y) < MAX_COORDINATE)) return NaN;
      origins[at] = isLevel ? x : y;
      if (at === 0) baseline = isLevel ? y : x;
    }
    return baseline;
  }

  /** The end of the ink of the first or the last character in the direction of growing or falling coordinates. */
  #inkEnd(isLast: boolean, isLevel: boolean, isGrowing: boolean): number {
    const at = (isLast ? 4 : 0) + (isLevel ? 0 : 2);
    const [one, other] = [this.#ink[at] ?? 0, this.#ink[at + 1] ?? 0];
    return isGrowing ? Math.max(one, other) : Math.min(one, other);
  }

  #writeEdges(start: number, length: number, isLevel: boolean, isGrowing: boolean): void {
    const origins = this.#origins;
    const edges = this.#edges;
    const [first, last] = [origins[0] ?? 0, origins[length - 1] ?? 0];
    // In text from right to left the character before stands where the next one ends.
    const isBackward = isGrowing ? last < first : last > first;
    const end = this.#inkEnd(!isBackward, isLevel, isGrowing);
    const step = isBackward ? -1 : 1;
    const { scale, offset } = isLevel ? this.#x : this.#y;
    let at = isBackward ? length - 1 : 0;
    let near = Math.round(scale * (origins[at] ?? 0) + offset);
    for (let left = length; left > 0;) {
      // All letters of a ligature have one origin: they share its width.
      let count = 1;
      while (count < left && origins[at + count * step] === origins[at]) count++;
      const next = count === left ? end : (origins[at + count * step] ?? end);
      const far = Math.round(scale * next + offset);
      const width = (far - near) / count;
      for (let letter = 0; letter < count; letter++, at += step) {
        const one = count === 1 ? near : Math.round(near + letter * width);
        const other = count === 1 ? far : Math.round(near + (letter + 1) * width);
        const target = 2 * (start + at);
        edges[target] = one < other ? one : other;
        edges[target + 1] = one < other ? other : one;
      }
      near = far;
      left -= count;
    }
  }

  #writeExtent({ size, quarterTurns }: GlyphStyle, isLevel: boolean, baseline: number): void {
    const ink = this.#ink;
    const [low, high] = isLevel ? [2, 3] : [0, 1];
    let bottom = Math.min(ink[low] ?? 0, ink[4 + low] ?? 0);
    let top = Math.max(ink[high] ?? 0, ink[4 + high] ?? 0);
    const up = quarterTurns < 2 ? 1 : -1;
    if (size > 0 && top - bottom > LEAST_INK * size) {
      const [under, over] = [baseline - up * DESCENT * size, baseline + up * ASCENT * size];
      bottom = Math.min(bottom, under, over);
      top = Math.max(top, under, over);
    }
    const { scale, offset } = isLevel ? this.#y : this.#x;
    const [a, b] = [Math.round(scale * bottom + offset), Math.round(scale * top + offset)];
    this.#extents.push(Math.min(a, b), Math.max(a, b));
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
