// The characters that matter to the sentence scanner, and the classes of those beside an end mark. Every function
// classifies one unit by tables that are filled at the first call; the callers interpret the result.
import { isBlank } from '../unicode.ts';

/** The reason why the scanner stops at a unit: the low three bits of its traits; 0 for all other units. */
export const STOPS = 7;
export const END_MARK = 1;
export const NEWLINE = 2;
export const OPENING = 3;
export const CLOSING = 4;
export const QUOTE = 5;
export const THAI = 6;
export const UNMARKED = 7;

/** Further traits of a unit, as bits above those. One unit can open a quotation and close another. */
const SCRIPT_MARK = 8;
const CLOSER = 16;
const OPENER = 32;
const CONTINUING = 64;
const CLAUSE_END = 128;

/** End marks that need no blank behind them: ideographic, Devanagari, Arabic, Burmese, Khmer, Ethiopic, Armenian. */
const SCRIPT_MARKS = '。！？｡．।॥؟۔၊။៕፧։';

/** A constant, so that the compiled code knows its address; it is filled at the first call. */
const traits = new Uint8Array(0x10000);

/** The traits of all units. Loops use this table; other callers use the functions below. */
export function unitTraits(): Uint8Array {
  return traits[PERIOD] === 0 ? fillTraits(traits) : traits;
}

export const PERIOD = 0x2e;

function fillTraits(table: Uint8Array): Uint8Array {
  const add = (marks: string, trait: number, step = 1, first = 0): void => {
    for (let i = first; i < marks.length; i += step) {
      const code = marks.charCodeAt(i);
      table[code] = (table[code] ?? 0) | trait;
    }
  };
  // Pairs, opening mark first. A sentence never ends inside such a pair of moderate length.
  const brackets = '()[]{}（）［］｛｝〈〉《》「」『』【】〔〕〖〗';
  add(brackets, OPENING, 2);
  add(brackets, CLOSING, 2, 1);
  add(`.!?…‼⁇⁈⁉${SCRIPT_MARKS}`, END_MARK);
  add('"“”„«»‹›‘', QUOTE);
  add('\n\r\f\u2028\u2029', NEWLINE);
  add(SCRIPT_MARKS, SCRIPT_MARK);
  add('"\')]}«»‘’“”‹›」』）】》〉］｝〕〖〗＂＇', CLOSER);
  add('([{"\'“‘„‚«»‹「『（【《〈［〔*_', OPENER);
  add(',;:)]}/%،؛、，；：）］｝」』】》〉・', CONTINUING);
  add('.!?…,;:۔।؟،"“”«»', CLAUSE_END);
  add('\ud83c\ud83d\ud83e다요', UNMARKED);
  return table.fill(THAI, 0xe01, 0xe4f);
}

const hasTrait = (code: number, trait: number): boolean => ((unitTraits()[code] ?? 0) & trait) !== 0;

/** True when the scanner stops at the unit for this reason. */
export const stopsAs = (code: number, stop: number): boolean => ((unitTraits()[code] ?? 0) & STOPS) === stop;

/** True for a mark that ends a sentence though no blank and no capital follows, as 。 does. */
export const isScriptMark = (code: number): boolean => hasTrait(code, SCRIPT_MARK);

/**
 * True for a mark that closes a quotation or bracket around the end mark, when it follows the end mark without a blank.
 */
export const isCloser = (code: number): boolean => hasTrait(code, CLOSER);

/** True for a mark that may stand before the first letter of a sentence. */
export const isOpener = (code: number): boolean => hasTrait(code, OPENER);

/** True for a mark before which a sentence cannot have ended. */
export const isContinuing = (code: number): boolean => hasTrait(code, CONTINUING);

/** True for a mark behind which another clause or quotation begins. */
export const isClauseEnd = (code: number): boolean => hasTrait(code, CLAUSE_END);

export function isDash(code: number): boolean {
  return code === 0x2d || (code >= 0x2013 && code <= 0x2015);
}

/** True for Chinese characters, kana and full-width forms, which are scripts that part sentences by marks alone. */
export function isIdeographic(code: number): boolean {
  return (
    (code >= 0x2e80 && code <= 0x9fff) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xff00 && code <= 0xffef) ||
    (code >= 0xd840 && code <= 0xd8ff)
  );
}

export function isHangul(code: number): boolean {
  return code >= 0xac00 && code <= 0xd7a3;
}

export function isThai(code: number): boolean {
  return code >= 0xe01 && code <= 0xe4e;
}

export function isArabic(code: number): boolean {
  return code >= 0x620 && code <= 0x6d3;
}

export function isDevanagari(code: number): boolean {
  return code >= 0x900 && code <= 0x97f;
}

/** The kind of a character: its role in a word, and as the first character of a sentence. The low three bits. */
export const LOWER = 1;
export const UPPER = 2;
export const CASELESS = 3;
export const DIGIT = 4;
export const SYMBOL = 5;
const COMBINING = 6;
/** Mask of the bits that hold the kind proper. */
export const KINDS = 7;
/** The bit of a character that no cut may separate from the one before it. */
const ATTACHED = 8;
/** The bit of a letter, or a mark on one, in a script with blanks between its words. */
export const SPACED = 16;

const kinds = new Uint8Array(0x10000);

/** The kinds of the units found so far, and 0 for all others. For loops, which call {@link kindOf} for a 0. */
export function knownKinds(): Uint8Array {
  return kinds;
}

/** The kind of a unit. It is found once for each unit, since a Unicode lookup costs as much as reading a line. */
export function kindOf(code: number): number {
  const kind = kinds[code] ?? SYMBOL;
  return kind !== 0 ? kind : (kinds[code] = findKind(String.fromCharCode(code), code));
}

/** True for the kind of a letter that does not attach to the character before it. */
export const isLetterKind = (kind: number): boolean => ((kind & (KINDS | ATTACHED)) - 1) >>> 0 < CASELESS;

/** The kind of the character at an offset. Characters beyond the first plane are too rare for a table. */
function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return (code & 0xfc00) === 0xd800
    ? findKind(String.fromCodePoint(text.codePointAt(at) ?? code), code)
    : kindOf(code);
}

function findKind(character: string, code: number): number {
  const kind = findBareKind(character, code);
  const isUnspaced = code >= 0xe00 && (code < 0xe80 || isIdeographic(code));
  const base = kind & KINDS;
  return isUnspaced || base === DIGIT || base === SYMBOL ? kind : kind | SPACED;
}

function findBareKind(character: string, code: number): number {
  if (code < 0x300 || code > 0x36f) {
    if (character !== character.toUpperCase()) return LOWER;
    if (character !== character.toLowerCase()) return UPPER;
    if (code < 0xaa || (code >= 0x2010 && code < 0x2070)) {
      return code >= 0x30 && code <= 0x39 ? DIGIT : SYMBOL;
    }
    if (isHangul(code) || (code >= 0x4e00 && code < 0xa000)) return CASELESS;
  }
  classes ??= createClasses();
  const attached = classes.attached.test(character) ? ATTACHED : 0;
  if (classes.letter.test(character)) return CASELESS | attached;
  if (classes.digit.test(character)) return DIGIT;
  return (classes.mark.test(character) ? COMBINING : SYMBOL) | attached;
}

let classes: ReturnType<typeof createClasses> | undefined;

/**
 * The patterns are made from strings: the engine builds the sets of a pattern literal with \p as soon as it reads the
 * file.
 */
const createClasses = () => ({
  letter: new RegExp('\\p{L}', 'u'),
  digit: new RegExp('\\p{Nd}', 'u'),
  mark: new RegExp('\\p{M}', 'u'),
  attached: new RegExp('[\\p{M}\\p{Grapheme_Extend}\\p{Emoji_Modifier}\u200d\u0e33\u0eb3]', 'u'),
});

/**
 * The kind of the first character of a possible sentence at an offset: one of the kinds up to {@link SYMBOL}; for a
 * letter that attaches to the one before it, {@link SYMBOL} as well.
 */
export function startAt(text: string, at: number): number {
  const kind = kindAt(text, at);
  return (kind & ATTACHED) !== 0 ? SYMBOL : Math.min(kind & KINDS, SYMBOL);
}

export function isDigit(code: number): boolean {
  return (kindOf(code) & KINDS) === DIGIT;
}

/** True for a letter of any script, a digit or a combining mark, of which words consist. */
export function isWordUnit(code: number): boolean {
  return (kindOf(code) & KINDS) !== SYMBOL;
}

/** True for a letter, or a mark on one, in a script with blanks between its words. */
export function isSpacedLetter(code: number): boolean {
  return (kindOf(code) & SPACED) !== 0;
}

/**
 * True when the character at `at` attaches to the one before it, so that no cut may separate the two: Extend,
 * SpacingMark and ZWJ of UAX #29, taken a little too widely. The worst outcome is a missed cut, never a broken
 * grapheme.
 */
export function attaches(text: string, at: number): boolean {
  return text.charCodeAt(at) >= 0x300 && (kindAt(text, at) & ATTACHED) !== 0;
}

/** The first offset from `at` on, before `end`, that is not blank. */
export function skipBlanks(text: string, at: number, end: number): number {
  while (at < end && isBlank(text.charCodeAt(at))) at++;
  return at;
}
