// Characters beyond the first plane (the letters of mathematics, emoji) that a font names by one code: PDFium counts
// each as one character, but leaves it out of the text that it returns, so that all offsets behind it are too small.
import { firstIndex } from '../../../search.ts';
import type { Pdfium } from './engine.ts';

/** The first code point that takes two UTF-16 units. */
const SUPPLEMENTARY = 0x10000;

/** The characters of a page, and PDFium with functions for offsets in them. */
export interface WholeText {
  readonly characters: string;
  readonly pdfium: Pdfium;
}

/** Restores the characters that PDFium has left out of the text of a page. Linear. */
export function restoreSupplementary(pdfium: Pdfium, text: number, returned: string): WholeText {
  const count = pdfium.call.FPDFText_CountChars(text);
  // Most pages lack none: one call.
  if (lengthOf(pdfium, text, count) <= returned.length) return { characters: returned, pdfium };
  const { call } = pdfium;
  const pieces: string[] = [];
  const pairs: number[] = [];
  let taken = 0;
  let end = 0;
  for (let index = 0, offset = 0; index < count; index++) {
    if (call.FPDFText_GetTextIndexFromCharIndex(text, index) < 0) continue;
    const code = call.FPDFText_GetUnicode(text, index);
    if (code < SUPPLEMENTARY) {
      end++;
      offset++;
      continue;
    }
    pieces.push(returned.slice(taken, end), String.fromCodePoint(code));
    pairs.push(offset);
    taken = end;
    offset += 2;
  }
  pieces.push(returned.slice(taken));
  return { characters: pieces.join(''), pdfium: withPairs(pdfium, pairs) };
}

/** Number of PDFium's characters that are text; the last ones may be none. */
function lengthOf({ call }: Pdfium, text: number, count: number): number {
  for (let index = count - 1; index >= 0; index--) {
    const at = call.FPDFText_GetTextIndexFromCharIndex(text, index);
    if (at >= 0) return at + 1;
  }
  return 0;
}

/**
 * PDFium for a text with units at some offsets, in order, that it does not count: the second of a pair of surrogates,
 * and the letters of a ligature behind the first. The offsets are those of the unit before.
 */
export function withPairs(pdfium: Pdfium, pairs: readonly number[]): Pdfium {
  const { FPDFText_GetCharIndexFromTextIndex: toIndex, FPDFText_GetTextIndexFromCharIndex: toOffset } =
    pdfium.call;
  const counted = pairs.map((pair, before) => pair - before);
  // The functions are those of a prototype, which a spread would lose.
  const call = Object.assign(Object.create(pdfium.call) as Pdfium['call'], {
    FPDFText_GetCharIndexFromTextIndex: (text: number, offset: number) =>
      toIndex(text, offset - firstIndex(pairs, (pair) => pair >= offset)),
    FPDFText_GetTextIndexFromCharIndex: (text: number, index: number) => {
      const at = toOffset(text, index);
      return at < 0 ? at : at + firstIndex(counted, (pair) => pair >= at);
    },
  });
  return { ...pdfium, call };
}
