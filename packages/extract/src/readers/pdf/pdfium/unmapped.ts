// Characters in no map to Unicode: their fonts do not name their letters, and PDFium gives their codes. This file turns
// them into the signs of TeX's mathematics, and marks those that cannot be known.
import { LEFT_OUT } from './accents.ts';
import { distance, originOf } from './blanks.ts';
import { withBuffer, type Pdfium } from './engine.ts';
import { fontName } from './font-name.ts';
import { Scratch, SCRATCH_BYTES } from './scratch.ts';
import { hasLetters, PROBES } from './scrambled.ts';

export interface MendedText {
  /** As many characters as before. */
  readonly characters: string;
  /** Number of characters that may show something else. U+FFFD is not counted. */
  readonly unreadable: number;
}

/** An open page of text. */
interface UnmappedPage {
  readonly pdfium: Pdfium;
  readonly text: number;
  readonly scratch: Scratch;
}

/** The text of a page with its characters in no map. Linear: one call of PDFium a character. */
export function mendUnmapped(pdfium: Pdfium, text: number, characters: string): MendedText {
  const fonts = unmappedByFont(pdfium, text);
  // Most pages have none.
  if (fonts.size === 0) return { characters, unreadable: 0 };
  const units = characters.split('');
  let unreadable = 0;
  withBuffer(pdfium, SCRATCH_BYTES, (pointer) => {
    const page = { pdfium, text, scratch: new Scratch(pdfium, pointer) };
    for (const [font, found] of fonts) {
      const read = readingOf(page, font, found, characters);
      if (read === undefined) unreadable += found.length;
      else for (const { at } of found) units[at] = read(characters[at] ?? '');
    }
  });
  return { characters: units.join(''), unreadable };
}

/** A character in no map. */
interface Unmapped {
  /** Its offset in the text. */
  readonly at: number;
  /** PDFium's index of it. */
  readonly index: number;
}

/** The characters in no map by their fonts. */
function unmappedByFont({ call }: Pdfium, text: number): Map<number, Unmapped[]> {
  const fonts = new Map<number, Unmapped[]>();
  const count = call.FPDFText_CountChars(text);
  for (let index = 0; index < count; index++) {
    if (call.FPDFText_HasUnicodeMapError(text, index) !== 1) continue;
    const object = call.FPDFText_GetTextObject(text, index);
    const at = call.FPDFText_GetTextIndexFromCharIndex(text, index);
    if (object === 0 || at < 0) continue;
    const font = call.FPDFTextObj_GetFont(object);
    const found = fonts.get(font);
    if (found === undefined) fonts.set(font, [{ at, index }]);
    else found.push({ at, index });
  }
  return fonts;
}

/** Characters of codes with one byte: those of Latin-1 and of Windows' code page. Others have two bytes. */
const ONE_BYTE = /[\0-\xff\u0152\u0153\u0160\u0161\u0178\u017D\u017E\u0192\u02C6\u02DC\u2000-\u20CF\u2122]/;
/** The share of a font's characters that show that its codes have two bytes. */
const MOST = 0.5;
const UNKNOWN = '\uFFFD';

/** How characters of a font are read; `undefined` when they may be any letters. */
function readingOf(
  page: UnmappedPage,
  font: number,
  found: readonly Unmapped[],
  characters: string,
): ((character: string) => string) | undefined {
  const name = fontName(page.pdfium, font);
  const signs = TEX_SIGNS.find(({ fonts }) => fonts.test(name))?.signs;
  if (signs !== undefined) return (character) => signs[character] ?? character;
  const long = found.filter(({ at }) => !ONE_BYTE.test(characters[at] ?? ''));
  if (long.length > MOST * found.length) return () => UNKNOWN;
  const widths = widthsOf(page, found, characters);
  return hasLetters((letter) => widths.get(letter) ?? 0) ? (character) => character : undefined;
}

/** The widths of some letters: the distance from one to the next character of its text object, the least of all. */
function widthsOf(page: UnmappedPage, found: readonly Unmapped[], characters: string): Map<string, number> {
  const widths = new Map<string, number>();
  const { call } = page.pdfium;
  for (const { at, index } of found) {
    const letter = characters[at] ?? '';
    if (!PROBES.has(letter)) continue;
    const object = call.FPDFText_GetTextObject(page.text, index);
    if (object !== call.FPDFText_GetTextObject(page.text, index + 1)) continue;
    const size = call.FPDFText_GetFontSize(page.text, index);
    const width = distance(originOf(page, index), originOf(page, index + 1)) / size;
    if (width > 0) widths.set(letter, Math.min(widths.get(letter) ?? Infinity, width));
  }
  return widths;
}

// --- TeX's mathematics

/** Signs by their codes in a font. */
type Signs = Readonly<Record<string, string>>;

/** Delimiters and operators of several sizes from 0x20 on, with a full stop for the pieces of others. */
const EXTENSION =
  '()[]⌊⌋⌈⌉{}⟨⟩/\\/\\' +
  '()[]....{}......' +
  '....⟨⟩⊔⊔∮∮⊙⊙⊕⊕⊗⊗' +
  '∑∏∫⋃⋂⊎⋀⋁∑∏∫⋃⋂⊎⋀⋁' +
  '∐∐ˆˆˆ˜˜˜[]⌊⌋⌈⌉{}' +
  '√√√√√...........';

/**
 * The signs whose names Adobe's list of glyphs does not have (Knuth, The TeXbook, appendix F; the names of the Type 1
 * fonts of the American Mathematical Society). PDFium knows the others by their names.
 */
const TEX_SIGNS: readonly { readonly fonts: RegExp; readonly signs: Signs }[] = [
  {
    fonts: /^(?:CMB?SY|LMMathSymbols)\d/i,
    signs: { h: '⟨', i: '⟩', 0: '′', 7: '↦', k: '‖', "'": '≃' },
  },
  { fonts: /^MSAM\d/i, signs: { 6: '⩽', '>': '⩾' } },
  {
    fonts: /^(?:CMEX|LMMathExtension)\d/i,
    signs: Object.fromEntries(
      Array.from(EXTENSION, (sign, at) => [String.fromCharCode(0x20 + at), sign === '.' ? LEFT_OUT : sign]),
    ),
  },
];
