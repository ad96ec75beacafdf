// Lines of running text that are headings, as Markdown and wikis write them. The check runs on every line of a text
// without blocks, so the first few units rule out nearly all lines.
import { lineEnd, skipBlankBack } from '../blocks/lines.ts';
import { EQUALS, HASH, isSpace, skipRun } from '../blocks/marks.ts';
import type { Span } from '../document.ts';
import { isBlank } from '../unicode.ts';

/** A heading with its title. */
export interface HeadingLine extends Span {
  readonly depth: number;
  readonly title: string;
}

/** `== Title ==` or, with blanks between the marks, `= = Title = =`; code in Org is `=a= and =b=`. */
const WIKI = /^((?:= ?){1,6})([^=\s][^=]*?)\s*(?: ?=)+$/;
const MOST_HASHES = 6;
/** A line longer than this, in UTF-16 units, is no heading. */
const LONGEST_HEADING = 300;
/** A line indented by more blanks than this is no heading. */
const WIDEST_INDENT = 4;

/**
 * The end of a heading, or -1 when the line is none. Its line starts at `line`, and its first unit that is not blank is
 * a `#` or `=` at `first`. When a neighbouring line in [start, end) begins with as many hashes, both are taken for
 * comments of a program or of settings, not for headings.
 */
export function headingEnd(text: string, start: number, line: number, first: number, end: number): number {
  if (first > line + WIDEST_INDENT) return -1;
  const stop = lineEnd(text, first, end);
  const last = skipBlankBack(text, first, stop);
  if (last - first > LONGEST_HEADING) return -1;
  if (text.charCodeAt(first) === EQUALS)
    return text.charCodeAt(last - 1) === EQUALS && WIKI.test(text.slice(first, last)) ? last : -1;
  const title = skipRun(text, first, last, HASH);
  const hashes = title - first;
  if (title === last || hashes > MOST_HASHES || !isSpace(text.charCodeAt(title))) return -1;
  for (let at = title; at < last; at++) if (isOtherLineEnd(text.charCodeAt(at))) return -1;
  const before = line > start + 1 ? Math.max(start, text.lastIndexOf('\n', line - 2) + 1) : -1;
  const isComment = hasHashes(text, stop + 1, hashes) || (before !== -1 && hasHashes(text, before, hashes));
  return isComment ? -1 : last;
}

/** True for units other than the line feed that end a line. */
function isOtherLineEnd(code: number): boolean {
  return code === 0x0d || code === 0x2028 || code === 0x2029;
}

/** True when a line starts with exactly so many hashes and a blank, or nothing, behind them. */
function hasHashes(text: string, start: number, hashes: number): boolean {
  const end = skipRun(text, start, text.length, HASH);
  return end - start === hashes && (end === text.length || isBlank(text.charCodeAt(end)));
}

/** Depth and title of the heading [start, end) of a wiki. */
export function headingOf(text: string, start: number, end: number): HeadingLine {
  const [, marks = '', title = ''] = WIKI.exec(text.slice(start, end)) ?? [];
  return { start, end, depth: marks.replaceAll(' ', '').length, title };
}
