// Which characters matter to the sentence scanner, as one table of classes by UTF-16 unit, and what the characters
// beside an end mark are. Everything here is a question about one unit; what it means is decided in scan.ts.
import { isBlank } from '../unicode.ts';

/** Units that the scanner stops at; every other unit has class 0. */
export const ORDINARY = 0;
export const END_MARK = 1;
export const NEWLINE = 2;
export const OPENING = 3;
export const CLOSING = 4;
export const QUOTE = 5;
export const THAI = 6;

/** End marks that need no blank behind them: ideographic, Devanagari, Arabic, Burmese, Khmer, Ethiopic, Armenian. */
const SCRIPT_MARKS = '。！？｡．।॥؟۔၊။។៕።፧։';
const END_MARKS = `.!?…‼⁇⁈⁉${SCRIPT_MARKS}`;
/** Pairs, opening mark first. A sentence never ends inside such a pair of moderate length. */
const BRACKETS = '()[]{}（）［］｛｝〈〉《》「」『』【】〔〕〖〗';
const QUOTES = '"“”„«»‹›‘';

export const CLASSES = createClasses();

function createClasses(): Uint8Array {
  const classes = new Uint8Array(0x10000);
  for (const mark of END_MARKS) classes[mark.charCodeAt(0)] = END_MARK;
  for (let i = 0; i < BRACKETS.length; i++) classes[BRACKETS.charCodeAt(i)] = i % 2 === 0 ? OPENING : CLOSING;
  for (const quote of QUOTES) classes[quote.charCodeAt(0)] = QUOTE;
  for (const newline of '\n\r\f\u2028\u2029') classes[newline.charCodeAt(0)] = NEWLINE;
  classes.fill(THAI, 0xe01, 0xe4f);
  return classes;
}

/** What else a unit can be, as bits; a unit can open one quotation and close another. */
const SCRIPT_MARK = 1;
const CLOSER = 2;
const OPENER = 4;
const CONTINUING = 8;

const TRAITS = createTraits();

function createTraits(): Uint8Array {
  const traits = new Uint8Array(0x10000);
  const lists = [
    [SCRIPT_MARKS, SCRIPT_MARK],
    ['"\')]}«»‘’“”‹›」』）】》〉］｝〕〖〗＂＇', CLOSER],
    ['([{"\'“‘„‚«»‹「『（【《〈［〔*_', OPENER],
    [',;:)]}/%،؛、，；：）］｝」』】》〉・', CONTINUING],
  ] as const;
  for (const [marks, trait] of lists) {
    for (let i = 0; i < marks.length; i++)
      traits[marks.charCodeAt(i)] = (traits[marks.charCodeAt(i)] ?? 0) | trait;
  }
  return traits;
}

const hasTrait = (code: number, trait: number): boolean => ((TRAITS[code] ?? 0) & trait) !== 0;

/** True for a mark that ends a sentence though no blank and no capital follows, as 。 does. */
export function isScriptMark(code: number): boolean {
  return hasTrait(code, SCRIPT_MARK);
}

/** True for a mark that closes what an end mark stands in, when it follows the end mark without a blank. */
export function isCloser(code: number): boolean {
  return hasTrait(code, CLOSER);
}

/** True for what may stand before the first letter of a sentence. */
export function isOpener(code: number): boolean {
  return hasTrait(code, OPENER);
}

/** True for a mark with which the same sentence goes on, whatever stood before it. */
export function isContinuing(code: number): boolean {
  return hasTrait(code, CONTINUING);
}

export function isDash(code: number): boolean {
  return code === 0x2d || (code >= 0x2013 && code <= 0x2015);
}

export function isDigit(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x660 && code <= 0x669) ||
    (code >= 0x6f0 && code <= 0x6f9) ||
    (code >= 0x966 && code <= 0x96f) ||
    (code >= 0xff10 && code <= 0xff19)
  );
}

/** True for Chinese characters, kana and full-width forms: scripts that part sentences by marks alone. */
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

/** How a sentence could begin at a character. */
export type Start = 'lower' | 'upper' | 'caseless' | 'digit' | 'symbol';

export function startAt(text: string, at: number): Start {
  const code = text.charCodeAt(at);
  if (code < 0x80) {
    if (code >= 0x61 && code <= 0x7a) return 'lower';
    if (code >= 0x41 && code <= 0x5a) return 'upper';
    return code >= 0x30 && code <= 0x39 ? 'digit' : 'symbol';
  }
  if (code >= 0x410 && code <= 0x44f) return code < 0x430 ? 'upper' : 'lower';
  if (isDigit(code)) return 'digit';
  const character = String.fromCodePoint(text.codePointAt(at) ?? code);
  if (character !== character.toUpperCase()) return 'lower';
  if (character !== character.toLowerCase()) return 'upper';
  return LETTER.test(character) ? 'caseless' : 'symbol';
}

const LETTER = /\p{L}/u;

/** True for a letter of any script, a digit or a combining mark: what words are made of. */
export function isWordUnit(code: number): boolean {
  if (code < 0x80) {
    return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
  }
  if (code >= 0x410 && code <= 0x44f) return true;
  return WORD_UNIT.test(String.fromCharCode(code));
}

const WORD_UNIT = /[\p{L}\p{M}\p{Nd}]/u;

/** The first offset from `at` on, before `end`, that is not blank. */
export function skipBlanks(text: string, at: number, end: number): number {
  while (at < end && isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** True when the character at `at` attaches to the one before it, so that no cut may part the two. */
export function attaches(text: string, at: number): boolean {
  return text.charCodeAt(at) >= 0x300 && ATTACHED.test(String.fromCodePoint(text.codePointAt(at) ?? 0));
}

/** Extend, SpacingMark and ZWJ of UAX #29, taken a little too widely: a cut missed, never a grapheme broken. */
const ATTACHED = /\p{M}|\p{Grapheme_Extend}|\p{Emoji_Modifier}|\u200d|\u0e33|\u0eb3/u;
