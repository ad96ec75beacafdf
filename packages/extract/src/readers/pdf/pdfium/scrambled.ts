// Fonts that show other letters than they say. A font without a map to Unicode may be encoded in an order of its own;
// PDFium then gives letters of which none is right.
import type { Pdfium } from './engine.ts';
import type { Scratch } from './scratch.ts';

/** In every proportional Latin font each of the first is narrower than each of the second. */
const NARROW = 'ijlft';
const WIDE = 'mwMWDGHNOQ';
/** A narrow letter contradicts a wide one when it is wider by this factor. */
const WIDER = 1.1;
/** The width of letters that a font does not have. */
const MISSING = 1000;
/** A font shows other letters when at least so many pairs contradict each other, and this share of them. */
const LEAST_PAIRS = 3;
const SHARE = 0.2;

/** True if the widths of an embedded font's letters contradict the letters. */
export function isScrambled({ call }: Pdfium, font: number, scratch: Scratch): boolean {
  if (call.FPDFFont_GetIsEmbedded(font) !== 1) return false;
  const { pairs, contradictions } = comparePairs((letter) => {
    if (!call.FPDFFont_GetGlyphWidth(font, letter.charCodeAt(0), 1000, scratch.pointer)) return 0;
    const width = scratch.floats[0] ?? 0;
    return width < MISSING ? width : 0;
  });
  return contradictions >= Math.max(LEAST_PAIRS, SHARE * pairs);
}

/** The letters of {@link comparePairs}. */
export const PROBES = new Set(NARROW + WIDE);
/** Number of pairs of letters that show that a font has its letters, and of narrow letters in them. */
const PROOF = 6;
const LEAST_NARROW = 2;

/** True if the widths of a font's letters are those of letters. */
export function hasLetters(widthOf: (letter: string) => number): boolean {
  const { pairs, contradictions } = comparePairs(widthOf);
  const narrow = Array.from(NARROW).filter((letter) => widthOf(letter) > 0).length;
  return narrow >= LEAST_NARROW && pairs >= PROOF && contradictions === 0;
}

/** Pairs of a narrow and a wide letter with known widths, and those of them that contradict each other. */
function comparePairs(widthOf: (letter: string) => number): {
  readonly pairs: number;
  readonly contradictions: number;
} {
  const [narrow = [], wide = []] = [NARROW, WIDE].map((letters) =>
    Array.from(letters, widthOf).filter((width) => width > 0),
  );
  const pairs = narrow.length * wide.length;
  const isFixedPitch = Math.max(...wide) <= WIDER * Math.min(...wide);
  if (isFixedPitch) return { pairs, contradictions: 0 };
  const contradictions = narrow.flatMap((width) => wide.filter((other) => width > WIDER * other));
  return { pairs, contradictions: contradictions.length };
}

/** Advances and widths are equal up to this share of the font size, because of kerning, and in this share of a word. */
const SAME = 0.08;
const MOST = 0.8;
/** Advances that differ by less than this share of the font size are those of a fixed pitch. */
const PITCH = 0.02;

/**
 * True if the letters of a word are as wide as the characters of its font with their codes. A font with a map has codes
 * other than letters, so its widths say nothing of the letters.
 */
export function showsCodes(
  { call }: Pdfium,
  font: number,
  word: string,
  advances: readonly number[],
  size: number,
  scratch: Scratch,
): boolean {
  if (advances.length < 2) return false;
  if (Math.max(...advances) - Math.min(...advances) < PITCH * size) return false;
  const same = advances.filter((advance, at) => {
    if (!call.FPDFFont_GetGlyphWidth(font, word.charCodeAt(at), size, scratch.pointer)) return false;
    return Math.abs((scratch.floats[0] ?? 0) - advance) < SAME * size;
  });
  return same.length >= MOST * advances.length;
}
