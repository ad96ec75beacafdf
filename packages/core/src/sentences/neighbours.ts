// Classifies an offset of a text by a few units beside it: closers behind an end mark, openers before a first word,
// markers of items, names that contain an end mark. The scan's state plays no part.
import { isBlank } from '../unicode.ts';
import { NAME_WITH_MARK } from './lists.ts';
import {
  CLOSING,
  END_MARK,
  isCloser,
  isContinuing,
  isDash,
  isOpener,
  kindOf,
  LOWER,
  PERIOD,
  SPACED,
  startAt,
  stopsAs,
  SYMBOL,
  UPPER,
} from './marks.ts';
import { endsWithVerb } from './words.ts';

/** Units that a footnote mark has at most. */
export const LONGEST_FOOTNOTE = 8;

/** Units from a sentence's begin within which only marks may stand for what follows to count as its first word. */
const LONGEST_LEAD = 4;

/** True when something other than marks and blanks stands in [from, at). */
export function hasWords(text: string, from: number, at: number): boolean {
  if (at - from > LONGEST_LEAD) return true;
  for (let i = from; i < at; i++) {
    const code = text.charCodeAt(i);
    if (!isBlank(code) && !isOpener(code) && !isDash(code)) return true;
  }
  return false;
}

/** `3.5`, `a.b`, `?c=d`: most marks that end nothing. The unit on each side decides. */
export function isInsideToken(text: string, at: number): boolean {
  const after = text.charCodeAt(at + 1);
  const kind = kindOf(after);
  const isCapital = kind === (UPPER | SPACED);
  const isInWord = isCapital || (after < 0x80 ? isAsciiWordUnit(after) : kind === (LOWER | SPACED));
  if (!isInWord || text.charCodeAt(at) >= 0x80) return false;
  // `it ended.Then`: needs the full check, since no number and no small letter follows.
  return text.charCodeAt(at - 1) < 0x2000 && !(isCapital && startAt(text, at - 1) === LOWER);
}

export function isAsciiWordUnit(code: number): boolean {
  return isAsciiLetter(code) || isAsciiDigit(code);
}

export const isAsciiDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

export function isAsciiLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

/** `.gitignore` behind 。 */
export function opensName(text: string, at: number, end: number): boolean {
  return at + 1 < end && startAt(text, at + 1) === LOWER;
}

/** Width of the closing mark at `at`, behind an end mark: a quotation mark, ` »`, `[4]`, `²`; 0 without one. */
export function closerWidth(text: string, at: number, end: number): number {
  const code = text.charCodeAt(at);
  if (isBlank(code)) return blankCloserWidth(text, at, end);
  if (code === 0x5b)
    return (
      /^\[[\d०-९٠-٩۰-۹a-z*,– ]{1,5}\]/.exec(text.slice(at, Math.min(end, at + LONGEST_FOOTNOTE)))?.[0]
        .length ?? 0
    );
  if (isCloser(code)) return !stopsAs(code, CLOSING) && opensWord(text, at, end) ? 0 : 1;
  const isMark =
    code < 0x80 ? code === 0x2a || code === 0x5f : '²³¹⁰⁴⁵⁶⁷⁸⁹'.includes(String.fromCharCode(code));
  return isMark ? 1 : 0;
}

/** `. »` as French has it, and `॥ 12 ॥`. */
function blankCloserWidth(text: string, at: number, end: number): number {
  const isVerse =
    text.charCodeAt(at - 1) === DOUBLE_DANDA && DANDA_NUMBER.test(text.slice(at - 1, Math.min(end, at + 8)));
  if (isVerse) return text.indexOf('॥', at) + 1 - at;
  const isGuillemet = at + 1 < end && text.charCodeAt(at + 1) === 0xbb && text.charCodeAt(at) !== 0x0a;
  return isGuillemet && !opensWord(text, at + 1, end) ? 2 : 0;
}

const DOUBLE_DANDA = 0x965;
/** `॥ 12 ॥` behind a verse. */
const DANDA_NUMBER = /^॥\s[०-९\d]{1,4}\s?॥/;

/** True when the quotation mark at `at` can open and a word follows it: `. »Komm`, `。“他`. */
function opensWord(text: string, at: number, end: number): boolean {
  const code = text.charCodeAt(at);
  if (code === 0x201d || code === 0x2019 || at + 1 >= end) return false;
  return startAt(text, at + 1) !== SYMBOL;
}

/** The last syllables of Korean finite verbs. */
export function isKoreanEnd(code: number): boolean {
  return '다요까죠네라'.includes(String.fromCharCode(code));
}

/** True when the next mark continues the same sentence. */
export function goesOn(text: string, next: number, end: number): boolean {
  const code = text.charCodeAt(next);
  if (isContinuing(code)) return true;
  return stopsAs(code, END_MARK) && (next + 1 >= end || startAt(text, next + 1) === SYMBOL);
}

/** Chinese and Japanese: a pause ends a clause of some length when no linking word follows. */
export function pauseEnds(text: string, from: number, mark: number, next: number): boolean {
  if (
    mark - from < SHORTEST_CLAUSE ||
    /[嘛呢啊は、，]$|、[^，。]{1,6}$/.test(text.slice(Math.max(from, mark - 8), mark))
  )
    return false;
  const isKana = text.charCodeAt(mark - 1) < 0x3100;
  return isKana ? endsWithVerb(text, from, mark) : !LINKING.includes(text.charAt(next));
}

const SHORTEST_CLAUSE = 4;
const LINKING = '又就也还還但可却卻都才然而再那以于於和与與及或因所';

export function isEllipsis(text: string, mark: number, marksEnd: number): boolean {
  for (let i = mark; i < marksEnd; i++) {
    const code = text.charCodeAt(i);
    if (code !== PERIOD && code !== 0x2026) return false;
  }
  return marksEnd - mark > 1 || text.charCodeAt(mark) === 0x2026;
}

/** Quotation marks, brackets, dashes and ¿¡ in front of a sentence's first word. */
export function skipOpeners(text: string, at: number, end: number): number {
  const limit = Math.min(end - 1, at + 8);
  while (at < limit) {
    const code = text.charCodeAt(at);
    if (!isOpener(code) && !isDash(code) && !isBlank(code) && code !== 0xbf && code !== 0xa1) break;
    at++;
  }
  return at;
}

/** iPhone, eBay, pH: a small letter, then a capital. */
export function isCamelCase(text: string, at: number, end: number): boolean {
  const second = at + 2 < end ? startAt(text, at + 1) : SYMBOL;
  return second === UPPER || (second === LOWER && startAt(text, at + 2) === UPPER);
}

/** `b)` and `(b)` before an item. */
export function isLetterMarker(text: string, at: number, end: number): boolean {
  const start = startAt(text, at);
  if (start !== LOWER && text.charCodeAt(at) !== 0x28) return false;
  let close = at + 1;
  while (close < at + LONGEST_MARKER && text.charCodeAt(close) !== 0x29) close++;
  return (
    close < at + LONGEST_MARKER &&
    /^\(?(?:[a-zß-ÿа-я]|[ivx]{1,4})\)\s/.test(text.slice(at, Math.min(end, at + 7)))
  );
}

/** `(viii)` */
const LONGEST_MARKER = 6;

/** True when a name like Yahoo! or モーニング娘。 stands before the mark at `at`. */
export function endsWithName(text: string, from: number, at: number): boolean {
  return (
    (text.charCodeAt(at) === 0x21 || text.charCodeAt(at - 1) === 0x5a18) &&
    NAME_WITH_MARK.test(text.slice(Math.max(from, at - LONGEST_NAMED), at))
  );
}

const LONGEST_NAMED = 10;
