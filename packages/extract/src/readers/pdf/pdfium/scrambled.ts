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
  const widthsOf = (letters: string): number[] =>
    Array.from(letters, (letter) => {
      if (!call.FPDFFont_GetGlyphWidth(font, letter.charCodeAt(0), 1000, scratch.pointer)) return 0;
      return scratch.floats[0] ?? 0;
    }).filter((width) => width > 0 && width < MISSING);
  const [narrow, wide] = [widthsOf(NARROW), widthsOf(WIDE)];
  const isFixedPitch = Math.max(...wide) <= WIDER * Math.min(...wide);
  if (isFixedPitch) return false;
  const contradictions = narrow.flatMap((width) => wide.filter((other) => width > WIDER * other));
  return contradictions.length >= Math.max(LEAST_PAIRS, SHARE * narrow.length * wide.length);
}
