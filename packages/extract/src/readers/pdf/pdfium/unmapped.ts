// Characters in no map to Unicode: their fonts do not name their letters, and PDFium gives their codes. This file turns
// them into the signs of TeX's mathematics, and marks those that cannot be known.
import { LEFT_OUT } from './accents.ts';
import { distance, originOf } from './blanks.ts';
import { withBuffer, type Pdfium } from './engine.ts';
import { fontName } from './font-name.ts';
import type { Ligatures } from './glyph-names.ts';
import { Scratch, SCRATCH_BYTES } from './scratch.ts';
import { hasLetters, PROBES } from './scrambled.ts';
import { withPairs } from './supplementary.ts';

export interface MendedText {
  /** More characters than before where one is a ligature. */
  readonly characters: string;
  /** PDFium with functions for offsets in them. */
  readonly pdfium: Pdfium;
  /** Number of characters that may show something else. U+FFFD is not counted. */
  readonly unreadable: number;
}

/** An open page of text. */
interface UnmappedPage {
  readonly pdfium: Pdfium;
  readonly text: number;
  readonly scratch: Scratch;
}

/**
 * The text of a page with its characters in no map. Linear: one call of PDFium a character. `ligaturesOf` gives the
 * ligatures of a font by its name.
 */
export function mendUnmapped(
  pdfium: Pdfium,
  text: number,
  characters: string,
  ligaturesOf: (font: string) => Ligatures | undefined,
): MendedText {
  const fonts = unmappedByFont(pdfium, text);
  // Most pages have none.
  if (fonts.size === 0) return { characters, pdfium, unreadable: 0 };
  const units = characters.split('');
  let unreadable = 0;
  withBuffer(pdfium, SCRATCH_BYTES, (pointer) => {
    const page = { pdfium, text, scratch: new Scratch(pdfium, pointer) };
    for (const [font, all] of fonts) {
      const ligatures = ligaturesOf(fontName(pdfium, font));
      const found = all.filter(({ at, index, isDropped }) => {
        const letters = ligatures?.get(pdfium.call.FPDFText_GetUnicode(text, index));
        if (letters !== undefined) showLigature(units, at, letters, isDropped);
        return letters === undefined && !isDropped;
      });
      const read = readingOf(page, font, found, characters);
      if (read === undefined) unreadable += found.length;
      else for (const { at } of found) units[at] = read(characters[at] ?? '');
    }
  });
  const added = addedUnits(units);
  return {
    characters: units.join(''),
    pdfium: added.length === 0 ? pdfium : withPairs(pdfium, added),
    unreadable,
  };
}

/** Writes a ligature; one that PDFium has dropped goes with the letter behind it, else with the one before it. */
function showLigature(units: string[], at: number, letters: string, isDropped: boolean): void {
  if (!isDropped) units[at] = letters;
  else if (/^\S/.test(units[at] ?? '')) units[at] = letters + (units[at] ?? '');
  else if (at > 0) units[at - 1] = (units[at - 1] ?? '') + letters;
}

/** The offsets of units that stand before another of the same character. */
function addedUnits(units: readonly string[]): number[] {
  const added: number[] = [];
  let at = 0;
  for (const { length } of units) {
    for (const end = at + length - 1; at < end; at++) added.push(at);
    at++;
  }
  return added;
}

/** A character in no map. */
interface Unmapped {
  /** Its offset in the text, or that of the next one, where PDFium has dropped it for a control character. */
  readonly at: number;
  readonly isDropped: boolean;
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
    if (object === 0) continue;
    const own = call.FPDFText_GetTextIndexFromCharIndex(text, index);
    const isDropped = own < 0;
    const at = isDropped ? offsetBefore(call, text, index) + 1 : own;
    const font = call.FPDFTextObj_GetFont(object);
    const found = fonts.get(font);
    if (found === undefined) fonts.set(font, [{ at, index, isDropped }]);
    else found.push({ at, index, isDropped });
  }
  return fonts;
}

/** A word has no more dropped characters behind each other. */
const MAX_DROPPED = 8;

/** The offset of the character before one: -1 before the first, less when it is not near. */
function offsetBefore(call: Pdfium['call'], text: number, index: number): number {
  let at = index === 0 ? -1 : -2;
  for (let before = index - 1; at < 0 && before >= Math.max(0, index - MAX_DROPPED); before--)
    at = call.FPDFText_GetTextIndexFromCharIndex(text, before);
  return at;
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
