// The places of a page's characters. A character reaches from its origin to that of the next, so that a word has no gaps
// and no two characters share a place; the last one ends with its ink. Read for each character, so only on request.
import { NO_PLACE } from '@grainline/core';
import type { PageGlyphs } from '../../../tree/glyphs.ts';
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
    const { quarterTurns: turn } = style;
    // Text runs to the right and upwards with growing coordinates, to the left and downwards with falling ones.
    const isLevel = turn % 2 === 0;
    const sign = turn === 0 || turn === 3 ? 1 : -1;
    const baseline = this.#readOrigins(length, indexOf, isLevel, sign);
    if (Number.isNaN(baseline)) return;
    const ink = this.#ink;
    const [low, high] = isLevel ? [0, 1] : [2, 3];
    const firstHigh = Math.max(sign * (ink[low] ?? 0), sign * (ink[high] ?? 0));
    const lastHigh = Math.max(sign * (ink[4 + low] ?? 0), sign * (ink[4 + high] ?? 0));
    this.#writeEdges(start, length, { isLevel, sign, firstHigh, lastHigh });
    this.#words.push(start);
    this.#turns.push((turn + this.#view.quarterTurns) % 4);
    this.#writeExtent(style, isLevel, baseline);
  }

  /** The places of all words, in the order of the characters. */
  finish(page: number, characters: string): PageGlyphs {
    return {
      page,
      characters,
      edges: this.#edges,
      words: this.#words,
      turns: this.#turns,
      extents: this.#extents,
    };
  }

  /** Reads the origins along the direction, and returns the coordinate of the base line; NaN without any. */
  #readOrigins(length: number, indexOf: (offset: number) => number, isLevel: boolean, sign: number): number {
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
      origins[at] = sign * (isLevel ? x : y);
      if (at === 0) baseline = isLevel ? y : x;
    }
    return baseline;
  }

  #writeEdges(
    start: number,
    length: number,
    {
      isLevel,
      sign,
      firstHigh,
      lastHigh,
    }: Readonly<Record<'sign' | 'firstHigh' | 'lastHigh', number>> & { readonly isLevel: boolean },
  ): void {
    const origins = this.#origins;
    const isBackward = length > 1 && (origins[length - 1] ?? 0) < (origins[0] ?? 0);
    for (let from = 0; from < length;) {
      const origin = origins[from] ?? 0;
      // All letters of a ligature have one origin: they share its width.
      let to = from + 1;
      while (to < length && origins[to] === origin) to++;
      let end: number;
      if (isBackward) end = from === 0 ? firstHigh : (origins[from - 1] ?? origin);
      else end = to === length ? lastHigh : (origins[to] ?? origin);
      if (end < origin) end = origin;
      const share = (end - origin) / (to - from);
      for (let at = from; at < to; at++) {
        const step = isBackward ? to - 1 - at : at - from;
        this.#writeEdge(
          start + at,
          isLevel,
          sign * (origin + step * share),
          sign * (origin + (step + 1) * share),
        );
      }
      from = to;
    }
  }

  #writeEdge(at: number, isLevel: boolean, one: number, other: number): void {
    const [a, b] = [this.#along(one, isLevel), this.#along(other, isLevel)];
    this.#edges[2 * at] = Math.min(a, b);
    this.#edges[2 * at + 1] = Math.max(a, b);
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
    const [a, b] = [this.#along(bottom, !isLevel), this.#along(top, !isLevel)];
    this.#extents.push(Math.min(a, b), Math.max(a, b));
  }

  /** A coordinate of user space in hundredths of a point from the left edge of the page as it is shown, or the top. */
  #along(value: number, isX: boolean): number {
    const { box, quarterTurns, unit } = this.#view;
    let distance: number;
    if (isX) distance = quarterTurns === 0 || quarterTurns === 1 ? value - box.left : box.right - value;
    else distance = quarterTurns === 1 || quarterTurns === 2 ? value - box.bottom : box.top - value;
    return Math.round(UNITS * unit * distance);
  }
}

/** Width and height of a page as it is shown, in hundredths of a point. */
export function pageSizeOf({ box, quarterTurns, unit }: PageView): readonly [number, number] {
  const [width, height] = [box.right - box.left, box.top - box.bottom].map((side) =>
    Math.round(UNITS * unit * side),
  );
  return quarterTurns % 2 === 0 ? [width ?? 0, height ?? 0] : [height ?? 0, width ?? 0];
}
