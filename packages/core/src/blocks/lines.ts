// Lines of a text as spans, without building strings. Used by every block scanner.
import type { Span } from '../document.ts';
import { isBlank } from '../unicode.ts';

/** Yields each line without its line end (LF; extraction has turned the others into it). */
export function* lines(text: string): Generator<Span, void, undefined> {
  for (let start = 0; start < text.length;) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    yield { start, end };
    start = end + 1;
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
