// Where a sentence that is too long is best cut near a place: at the start of a line of records, else behind a clause
// mark, else between words.
import { skipBlank } from '../blocks/lines.ts';
import { COLON, FEED, isDigit, isLetter, PIPE, SPACE } from '../blocks/marks.ts';
import { isBlank, isSettledBoundary } from '../unicode.ts';

/** How far back the line before is looked for. */
const LONGEST_LINE = 400;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const WIDE_COLON = 0xff1a;
/** Below this code and above the space stands neither a blank nor a clause mark that needs none. */
const FIRST_WIDE = 0xa0;

/** The best place for a cut no further than `leeway` from `even`, of equal ones the nearest; -1 when there is none. */
export function breakNear(text: string, even: number, leeway: number): number {
  const line = lineNear(text, even, leeway);
  if (line !== -1) return line;
  let word = -1;
  // `even`, then the places one, two and more behind and before it.
  for (let step = 0; step <= 2 * leeway; step++) {
    const at = (step & 1) === 0 ? even - (step >> 1) : even + (step >> 1) + 1;
    const before = text.charCodeAt(at - 1);
    if (before > SPACE && before < FIRST_WIDE) continue;
    if (isWideClauseMark(before) && isSettledBoundary(text, at)) return at;
    const isMarked = isClauseMark(text.charCodeAt(at - 2));
    if (word !== -1 && !isMarked) continue;
    if (!isBlank(before) || isBlank(text.charCodeAt(at)) || !isSettledBoundary(text, at)) continue;
    if (isMarked) return at;
    word = at;
  }
  return word;
}

/**
 * The start of the line nearest to `even` that begins as the one before it does, with a figure or with the same sign:
 * lines of a log, of values, of tags, which no sentence runs through. -1 when there is none in reach.
 */
function lineNear(text: string, even: number, leeway: number): number {
  const from = even - leeway;
  const to = even + leeway;
  const reach = text.slice(from, to);
  let best = -1;
  for (let feed = reach.indexOf('\n'); feed !== -1; feed = reach.indexOf('\n', feed + 1)) {
    const at = skipBlank(text, from + feed, to);
    const code = text.charCodeAt(at);
    if (at === to || isLetter(code) || code >= FIRST_WIDE || !isSettledBoundary(text, at)) continue;
    const above = lineAbove(text, from + feed);
    if (above === -1) continue;
    const other = text.charCodeAt(skipBlank(text, above, from + feed));
    const isAlike = code === other || (isDigit(code) && isDigit(other));
    if (isAlike && (best === -1 || Math.abs(at - even) < Math.abs(best - even))) best = at;
  }
  return best;
}

/** Where the line starts that ends with a feed; -1 when that is further away than a line of records is long. */
function lineAbove(text: string, feed: number): number {
  const least = Math.max(0, feed - LONGEST_LINE);
  for (let at = feed - 1; at >= least; at--) if (text.charCodeAt(at) === FEED) return at + 1;
  return -1;
}

/** `,` `;` `:` `|` and the dashes, which part a sentence when a blank follows. */
export function isClauseMark(code: number): boolean {
  if (code < 0x80) return code === COMMA || code === SEMICOLON || code === COLON || code === PIPE;
  return code === 0x2013 || code === 0x2014 || code === 0x60c || code === 0x61b;
}

/** `，` `、` `；` `：`, which need none. */
export function isWideClauseMark(code: number): boolean {
  return code === 0x3001 || code === 0xff0c || code === 0xff1b || code === WIDE_COLON;
}
