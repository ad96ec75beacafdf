// The lines of a text without the blanks at their edges. Used by every block scanner.
import { isBlank } from '../unicode.ts';
import { ASTERISK, COLON, FEED, isSpace, TAB, UNDERSCORE } from './marks.ts';

/**
 * Lines without the blanks on both sides, as offsets in two arrays: an object for each would cost more than finding it.
 */
export class LineSpans {
  /** The number of lines; further entries of the arrays are stale. */
  count = 0;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  add(start: number, end: number): void {
    this.#starts[this.count] = start;
    this.#ends[this.count++] = end;
  }

  start(index: number): number {
    return this.#starts[index] ?? 0;
  }

  end(index: number): number {
    return this.#ends[index] ?? 0;
  }
}

/** The offset of the first character of [start, end) that is not blank, or `end`. */
export function skipBlank(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** The offset after the last character of [start, end) that is not blank, or `start`. */
export function skipBlankBack(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}

/** The end of the line around `at`, before its line feed; `end` when that comes first. */
export function lineEnd(text: string, at: number, end: number): number {
  const feed = text.indexOf('\n', at);
  return feed === -1 || feed > end ? end : feed;
}

/**
 * The start of the line at `at` when only indentation stands before `at`, else `at` itself; never less than `least`.
 */
export function lineStart(text: string, at: number, least: number): number {
  let from = at;
  while (from > least && isSpace(text.charCodeAt(from - 1))) from--;
  return from === 0 || text.charCodeAt(from - 1) === FEED ? from : at;
}

/** The column of an offset, with tab stops at multiples of eight; 0 when other text of the line precedes it. */
export function columnOf(text: string, at: number): number {
  let column = 0;
  for (let from = lineStart(text, at, 0); from < at; from++)
    column += text.charCodeAt(from) === TAB ? 8 - (column & 7) : 1;
  return column;
}

/** Matches letters of East Asia and their full-width marks, which take two columns each. */
const WIDE = /[ᄀ-ᅟ⺀-꓏가-힣豈-﫿！-｠]/g;

/**
 * True if a rule is about as long as the title above it, counted in letters or in columns. Authors draw rules by eye.
 */
export function isAsLong(rule: number, title: string): boolean {
  const { length } = title;
  const width = length + (title.match(WIDE)?.length ?? 0);
  return [length, width].some((columns) => Math.abs(columns - rule) <= Math.max(2, columns / 4));
}

/** True for a blank that is neither space nor tab. Markdown takes it for text, but no leaf begins or ends with it. */
export function isOtherBlank(code: number): boolean {
  return (code < 0x20 || code > 0x7f) && code !== TAB && isBlank(code);
}

/** True when there is a letter of any script. A few signs that stand among the letters count as well. */
export function hasLetter(text: string): boolean {
  return /[A-Za-z\u00aa\u00b5\u00ba\u00c0-\u1fff\u3040-\ud7ff\uf900-\ufaff]/.test(text);
}

/** True when a mark that ends sentences or their parts precedes an offset. Titles hardly ever have one. */
export function endsSentence(text: string, end: number): boolean {
  return '.,:;!?。！？'.includes(text.charAt(end - 1));
}

/** Most closing marks and blanks behind a colon; there are never more: `***`, or strong text inside emphasised text. */
const MOST_MARKS = 8;

/**
 * True when a sentence or block ends in a colon, and so introduces the text behind it; the colon may stand inside
 * strong type (`**Contents:**`).
 */
export function endsInColon(text: string, start: number, end: number): boolean {
  const least = Math.max(start, end - MOST_MARKS);
  for (let at = end - 1; at >= least; at--) {
    const code = text.charCodeAt(at);
    if (code === COLON || code === WIDE_COLON) return true;
    if (code !== ASTERISK && code !== UNDERSCORE && !isBlank(code)) return false;
  }
  return false;
}

/** The colon of Chinese and Japanese text. */
const WIDE_COLON = 0xff1a;
