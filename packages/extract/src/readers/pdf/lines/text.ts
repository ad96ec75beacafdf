// A page's characters → its lines of text, cleaned, with the type of each; and lines → the text of a paragraph.
import { type GlyphRange, joinGlyphs, type PageGlyphs, type WithGlyphs } from '../../../tree/glyphs.ts';
import type { FieldValue } from '../pdfium/form.ts';
import type { Dot } from '../pdfium/dots.ts';
import { mostFrequent, type PdfLine } from '../pdfium/text-lines.ts';
import type { Rule, Shape } from '../pdfium/rules.ts';
import { finite } from '../pdfium/words.ts';

/** One page before it is laid out. */
export interface PageCharacters {
  /** As PDFium gives it: CR LF line breaks, marks for joined hyphens, control characters. */
  readonly characters: string;
  readonly lines: readonly PdfLine[];
  readonly rules: readonly Rule[];
  readonly dots: readonly Dot[];
  readonly shapes?: readonly Shape[];
  readonly fieldValues: readonly FieldValue[];
  /** Offsets of the hyphens at line ends that belong to their word. */
  readonly compounds?: ReadonlySet<number> | undefined;
  /** The part of the page that is shown. */
  readonly box?: Shape | undefined;
  /** The places of its characters, when they are wanted. */
  readonly glyphs?: PageGlyphs | undefined;
}

/** Text between two wide gaps or ruling lines of a line. */
export interface Cell {
  readonly text: string;
  /** Its ink's left and right edge, in points from the left. */
  readonly left: number;
  readonly right: number;
  /** Its height and type, as in {@link TextLine}. */
  readonly baseline: number;
  readonly size: number;
  readonly isBold: boolean;
  readonly isFixedPitch: boolean;
  readonly font?: string | undefined;
  /** True if a narrow gap before it is the white space between two columns. */
  readonly isTight?: boolean | undefined;
  /** True if the file writes its blanks and has none before it. */
  readonly isDetached?: boolean | undefined;
  /** The characters that it was made of, when their places are wanted. */
  readonly glyphs?: readonly GlyphRange[] | undefined;
}

/** A line of a page. */
export interface TextLine {
  /** Without blanks around it and without a hyphen that divides its last word; with the hyphen of a compound. */
  readonly text: string;
  /** True if its last word goes on in the next line, without another hyphen. */
  readonly isDivided: boolean;
  /** In points from the bottom of the page. */
  readonly baseline: number;
  /** True if it runs in another direction than most of the page. */
  readonly isTurned: boolean;
  /** True if it is code with a line number in another font. */
  readonly isNumbered: boolean;
  readonly left: number;
  readonly right: number;
  /** Font size of most of its characters in points, to the nearest tenth; 0 when unknown. */
  readonly size: number;
  readonly isBold: boolean;
  readonly isFixedPitch: boolean;
  /** Name of the font of its longest word; absent when unknown. */
  readonly font?: string | undefined;
  /** One for a line of prose, some for a row of a table. */
  readonly cells: readonly Cell[];
}

/** The lines of a page, including blank ones. Linear. */
export function linesOf({
  characters,
  lines,
  glyphs,
  compounds,
}: Pick<PageCharacters, 'characters' | 'lines' | 'glyphs' | 'compounds'>): TextLine[] {
  return lines.map((line, index) => {
    const end = lines[index + 1]?.start ?? characters.length;
    const raw = characters.slice(line.start, end);
    const isWithin = compounds?.has(line.start + raw.trimEnd().length - 1) === true;
    const isLost = raw.includes('\uFFFE') && (isWithin || isCompound(raw, characters, end));
    const hyphen = isLost ? '-' : '';
    const text = clean(raw) + hyphen;
    const cells = line.segments.map((segment, at): Cell => {
      // Most lines are one piece: their text is not kept twice.
      const isWhole = line.segments.length === 1;
      const next = line.segments[at + 1]?.start ?? end;
      // Named one by one, because a spread takes several times as long: this runs for each piece of a page.
      return {
        text: isWhole ? text : clean(characters.slice(segment.start, next)) + (next === end ? hyphen : ''),
        left: segment.left,
        right: segment.right,
        baseline: finite(segment.baseline),
        size: roundSize(segment.size),
        isBold: segment.isBold,
        isFixedPitch: segment.isFixedPitch,
        font: segment.font,
        isTight: segment.isTight,
        isDetached: segment.isDetached,
        glyphs: glyphs && [{ glyphs, start: isWhole ? line.start : segment.start, end: next }],
      };
    });
    return {
      text,
      isDivided: isWithin || (hyphen === '' && DIVIDED.test(raw)),
      baseline: finite(line.baseline),
      isTurned: line.isTurned,
      isNumbered: line.isNumbered,
      ...commonStyle(cells),
      cells: cells.filter(({ text }) => text !== ''),
    };
  });
}

/** To the nearest tenth. */
function roundSize(size: number): number {
  return Math.round(size * 10) / 10;
}

/** The width of the first word of a line or a cell, as its share of the characters. */
export function firstWordWidth({ text, left, right }: Pick<Cell, 'text' | 'left' | 'right'>): number {
  return (text.search(/\s|$/) / text.length) * (right - left);
}

/** The common position and type of cells. */
export function commonStyle(
  cells: readonly Cell[],
): Pick<TextLine, 'left' | 'right' | 'size' | 'isBold' | 'isFixedPitch' | 'font'> {
  const sizes = new Map<number, number>();
  for (const { size, text } of cells) sizes.set(size, (sizes.get(size) ?? 0) + text.length);
  const longest = cells.reduce<Cell | undefined>(
    (most, cell) => (cell.text.length > (most?.text.length ?? 0) ? cell : most),
    undefined,
  );
  return {
    left: cells.reduce((least, { left }) => Math.min(least, left), cells[0]?.left ?? 0),
    right: cells.reduce((most, { right }) => Math.max(most, right), cells[0]?.right ?? 0),
    size: mostFrequent(sizes),
    isBold: cells.length > 0 && cells.every(({ isBold }) => isBold),
    isFixedPitch: cells.length > 0 && cells.every(({ isFixedPitch }) => isFixedPitch),
    font: longest?.font,
  };
}

/**
 * Ends in a hyphen that PDFium found to divide a word (U+FFFE), or in a soft hyphen. Elsewhere in a line a soft
 * hyphen is seen on the page, so it stays.
 */
const DIVIDED = /[\uFFFE\u00AD]\s*$/;
/** A small letter before a hyphen, and the beginnings after it that are no second half of a word. */
const SMALL_BEFORE_HYPHEN = /\p{Ll}\uFFFE\s*$/u;
const NO_SECOND_HALF = /\s*[\p{Lu}\p{N}]/uy;

/** True if PDFium has mistaken the hyphen of a compound for one that divides a word: "Eco-" above "Schools". */
function isCompound(raw: string, characters: string, end: number): boolean {
  if (!SMALL_BEFORE_HYPHEN.test(raw)) return false;
  NO_SECOND_HALF.lastIndex = end;
  return NO_SECOND_HALF.test(characters);
}

/** Control characters but tab, byte order marks, and U+FFFF: fonts without a map to Unicode leave them behind. */
// eslint-disable-next-line no-control-regex
const NO_CHARACTER = /[\0-\x08\x0a-\x1f\x7f-\x9f\uFEFF\uFFFE\uFFFF]/g;
/** Latin and Armenian ligatures. Other compatibility characters mean something, so they stay. */
const LIGATURE = /[\uFB00-\uFB06\uFB13-\uFB17]/g;
export const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;
/**
 * Signs by their codes in the fonts of TeX, beside letters and figures: without a map to Unicode PDFium gives the
 * codes. Ligatures are those of the first fonts (OT1; Knuth, The TeXbook, appendix F) and of the Cork encoding (T1;
 * Ferguson, TUGboat 11, 1990). The quotation marks and dashes are those of the latter; inside words those codes are
 * accents of the first fonts. The first fonts' fl ends lines elsewhere, so it stays unchanged.
 */
const TEX_SIGN =
  // eslint-disable-next-line no-control-regex
  /(?<=\p{Ll})[\x0b\x0c\x0e\x0f\x1b-\x1f]|[\x0b\x0c\x0e\x0f\x1b-\x1f](?=\p{Ll})|(?<=[\p{L}\p{N}\p{P} ])(?:[\x11\x14](?!\p{L})|[\x15\x16])|(?:(?<!\p{L})[\x10\x12\x13]|[\x15\x16])(?=[\p{L}\p{N}])/gu;
const TEX_SIGNS: Readonly<Record<string, string>> = {
  '\v': 'ff',
  '\f': 'fi',
  '\x0e': 'ffi',
  '\x0f': 'ffl',
  '\x10': '“',
  '\x11': '”',
  '\x12': '„',
  '\x13': '«',
  '\x14': '»',
  '\x15': '–',
  '\x16': '—',
  '\x1b': 'ff',
  '\x1c': 'fi',
  '\x1d': 'fl',
  '\x1e': 'ffi',
  '\x1f': 'ffl',
};

/** Two of them count as blanks, which `trim` removes at the edges of a line. */
function mayHoldBlankLigature(line: string): boolean {
  return line.includes('\v') || line.includes('\f');
}

/** Characters that {@link clean} has to change, apart from blanks at the edges. */
// eslint-disable-next-line no-control-regex
const UNCLEAN = /[\0-\x08\x0a-\x1f\x7f-\x9f\u00AD\uFB00-\uFB06\uFB13-\uFB17\uFEFF\uFFFE\uFFFF]/;

/**
 * Dots that lead from an entry to its page, or mark a blank of a form: they are most of the text of a list of contents.
 * Three or four are an ellipsis, except where figures end the line.
 */
const LEADER = /\s?(?:\.(?:\s?\.){4,}|…(?:\s?…)+)\s?|\s(?:\.\s){2,}(?=\d[\d\s,–-]*$)/g;
/** For each line, so by strings and not by a pattern. */
function mayLead(text: string): boolean {
  return text.includes('..') || text.includes('. .') || text.includes('……') || text.includes('… …');
}

/** The replacement of leader dots: apart from words, unlike an ellipsis. */
const LEADER_SIGN = ' … ';

/** True if dots lead from one end of a text to the other, or into it, or out of it. */
export function hasLeader(text: string): boolean {
  return ` ${text} `.includes(LEADER_SIGN) || FEW_DOTS.test(text);
}

/** The dots before a figure that is a cell of its own. */
const FEW_DOTS = /\.\s\.\s\.$/;

function clean(line: string): string {
  const trimmed = line.trim();
  // Most lines need no change.
  if (!UNCLEAN.test(trimmed) && !mayHoldBlankLigature(line) && !mayLead(trimmed)) return trimmed;
  return line
    .replace(TEX_SIGN, (code) => TEX_SIGNS[code] ?? '')
    .replace(NO_CHARACTER, '')
    .replace(LEADER, LEADER_SIGN)
    .replace(LIGATURE, (ligature) => ligature.normalize('NFKC'))
    .trim()
    .replace(/\u00AD$/, '');
}

/** Values of form fields, one a line. */
export function fieldLines(fieldValues: readonly FieldValue[]): string {
  return fieldValues
    .flatMap(({ text }) => text.split(LINE_BREAK))
    .map(clean)
    .filter(Boolean)
    .join('\n');
}

/** The hyphen itself at the end of a line, after a letter; it divides a word when a small letter follows. */
const HYPHEN_AT_END = /(?<=\p{L})-$/u;
/** A line that begins with one goes on with a sentence. */
export const SMALL_LETTER = /^\p{Ll}/u;

/** A hyphen, and the text right behind it when both are on one line; a word like "and" stands apart. */
const COMPOUND_AT_END = /[\p{L}\p{N}]-$/u;
const SECOND_OF_COMPOUND = /^[\p{Lu}\p{N}]/u;

/** Scripts that part no words by blanks, with their punctuation. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\u3000-\\u303F\\u30FC\\uFF01-\\uFF60';
const UNSPACED_BEGIN = new RegExp(`^[${UNSPACED}]`, 'u');
const UNSPACED_END = new RegExp(`[${UNSPACED}]$`, 'u');

/** True if a text begins in a script without blanks between words. */
export function isUnspaced(text: string): boolean {
  return UNSPACED_BEGIN.test(text);
}

/**
 * Joins lines: without a break where the later goes on with a divided word, else with the separator, or with that
 * behind each line.
 */
export function joinLines(
  lines: readonly Pick<TextLine, 'text' | 'isDivided'>[],
  separators: string | readonly string[],
): string {
  const pieces: string[] = [];
  let isDivided = false;
  let between = '';
  for (const [at, line] of lines.entries()) {
    const last = pieces.at(-1);
    if (line.text !== '') {
      if (last === undefined || isDivided) pieces.push(line.text);
      else if (HYPHEN_AT_END.test(last) && SMALL_LETTER.test(line.text))
        pieces.splice(-1, 1, last.slice(0, -1), line.text);
      else if (between === ' ' && isOneText(last, line.text)) pieces.push(line.text);
      else pieces.push(between, line.text);
    }
    ({ isDivided } = line);
    between = typeof separators === 'string' ? separators : (separators[at] ?? '');
  }
  return pieces.join('');
}

/** True if no blank parts two lines of one text: within a compound, and in scripts without blanks. */
function isOneText(before: string, next: string): boolean {
  if (COMPOUND_AT_END.test(before) && SECOND_OF_COMPOUND.test(next)) return true;
  return UNSPACED_END.test(before) && UNSPACED_BEGIN.test(next);
}

/** A sentence's last mark, with closing marks behind it. */
export const SENTENCE_END = /[.!?:\u2026\u3002\uFF01\uFF1F]["'\u2019\u201D)\]\u300D]*$/;

/** The label above or below a figure or table. */
export const CAPTION =
  /^(?:fig(?:ure|\.)?|table|tab\.|abbildung|tabelle|algorithm|listing|scheme|chart|exhibit|source|note)s?\s*[A-Z]?[\dIVX]*[A-Z]?(?:[.-]\d+)*\s*[:.|–—]/i;

/** The value that a share of the numbers does not exceed; 0 for no numbers. */
export function quantile(numbers: readonly number[], share: number): number {
  // Sorted without a call for each comparison.
  const sorted = Float64Array.from(numbers).sort();
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

/** Number of characters of some lines. */
export function charactersIn(lines: readonly TextLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0);
}

/** Sizes that differ by less than this share are equal: conversions round. */
export const SAME_SIZE = 0.04;

/** True if two font sizes are equal up to rounding. */
export function isSameSize(a: number, b: number): boolean {
  return Math.abs(a - b) <= SAME_SIZE * Math.max(a, b);
}

/** Notes, captions and labels are set no larger than this many times the text. */
const SMALL = 0.92;

/** True when a line is set as small as notes, captions and labels are beside text of this size. */
export function isSmall(line: Pick<TextLine, 'size'>, text: Pick<TextLine, 'size'>): boolean {
  return line.size <= SMALL * text.size;
}

/** The text of a title, and its characters. */
export function titleOf(lines: readonly TextLine[]): WithGlyphs & { readonly text: string } {
  return { text: joinLines(lines, ' '), ...joinGlyphs(lines) };
}

/** The letters that a text has for a character of a page: those of ligatures, and of signs by their codes in TeX. */
export function lettersOf(character: string): string | undefined {
  if (character in TEX_SIGNS) return TEX_SIGNS[character];
  const letters = character.replace(LIGATURE, (ligature) => ligature.normalize('NFKC'));
  return letters === character ? undefined : letters;
}
