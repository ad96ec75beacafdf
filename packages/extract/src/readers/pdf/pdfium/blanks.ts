// Blanks of PDFium's text that part nothing on the page.
import type { Pdfium } from './engine.ts';
import type { Scratch } from './scratch.ts';

/** An open page of text. */
export interface Glyphs {
  readonly pdfium: Pdfium;
  readonly text: number;
  readonly scratch: Scratch;
}

/** Words are further apart than this many times the font size, even in tight lines. */
const NO_GAP = 0.08;
/** Figures of one number are no further apart than this many times the width of a figure. */
const FIGURE = 1.12;
const FIGURE_BEFORE = /\d$/;
const FIGURE_AFTER = /^\d/;
const ZERO = 0x30;

/** A blank between two words: the character before it, the word behind it, and the width between. */
interface Blank {
  readonly before: string;
  readonly after: string;
  readonly gap: number;
}

/** True if the blank at an index, before the word at another, parts nothing. */
export function partsNothing(
  page: Glyphs,
  { before, after, gap }: Blank,
  blank: number,
  next: number,
  size: number,
): boolean {
  if (gap < NO_GAP * size && isTakenBack(page, blank, next, size)) return true;
  const isFigures = gap < size / 2 && FIGURE_BEFORE.test(before) && FIGURE_AFTER.test(after);
  return isFigures && isWithinNumber(page, blank, next, size);
}

/**
 * True if a blank's width is taken back, as troff does where letters of a word are set closer: the text behind the
 * blank begins where the blank does. All the letters of a ligature have one position.
 */
function isTakenBack(page: Glyphs, blank: number, next: number, size: number): boolean {
  const { pdfium, text } = page;
  const { call } = pdfium;
  const object = call.FPDFText_GetTextObject(text, blank);
  if (next !== blank + 1 || object !== call.FPDFText_GetTextObject(text, next)) return false;
  if (call.FPDFText_IsGenerated(text, blank) !== 0) return false;
  const [before, at, behind] = [originOf(page, blank - 1), originOf(page, blank), originOf(page, next)];
  return distance(at, behind) < NO_GAP * size && distance(before, at) > NO_GAP * size;
}

/**
 * True if PDFium has added a blank between two figures that stand as close as those of one number: it goes by the
 * narrow width that some fonts give for a 1.
 */
function isWithinNumber(page: Glyphs, blank: number, next: number, size: number): boolean {
  const { pdfium, text, scratch } = page;
  const { call } = pdfium;
  if (next !== blank + 1 || !isAdded(page, blank)) return false;
  const [object, other] = [blank - 1, next].map((index) => call.FPDFText_GetTextObject(text, index));
  if (object === undefined || object === 0 || other === undefined || other === 0) return false;
  const font = call.FPDFTextObj_GetFont(object);
  if (font !== call.FPDFTextObj_GetFont(other)) return false;
  const places = distance(originOf(page, blank - 1), originOf(page, next));
  if (!call.FPDFFont_GetGlyphWidth(font, ZERO, size, scratch.pointer)) return false;
  return places < FIGURE * (scratch.floats[0] ?? 0);
}

/** True if PDFium has added a blank that the file does not have. */
export function isAdded({ pdfium, text }: Glyphs, blank: number): boolean {
  return pdfium.call.FPDFText_IsGenerated(text, blank) === 1;
}

/** The position of a character. */
export function originOf({ pdfium, text, scratch }: Glyphs, index: number): [number, number] {
  const { pointer } = scratch;
  const found = pdfium.call.FPDFText_GetCharOrigin(text, index, pointer, pointer + 8);
  return found ? [scratch.doubles[0] ?? 0, scratch.doubles[1] ?? 0] : [NaN, NaN];
}

export function distance([x, y]: [number, number], [otherX, otherY]: [number, number]): number {
  return Math.hypot(otherX - x, otherY - y);
}
