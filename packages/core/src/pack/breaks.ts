// Chooses the cut in a sentence that is too long: near a given offset, at the start of a line of records, else behind a
// clause mark, else between words.
import { skipBlank } from '../blocks/lines.ts';
import { COLON, FEED, isDigit, isLetter, PIPE, SPACE } from '../blocks/marks.ts';
import { isBlank, isSettledBoundary } from '../unicode.ts';

/** Units to search backwards for the start of a line; lines of records are shorter. */
const LONGEST_LINE = 400;
/** Lines of prose are wrapped at this many units at most. */
export const WIDEST_WRAP = 160;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const WIDE_COLON = 0xff1a;
/** Codes above the space and below this one are neither blanks nor clause marks that need no blank behind them. */
const FIRST_WIDE = 0xa0;

/**
 * The best offset for a cut at most `leeway` units from `even`; of equally good ones the nearest; -1 when there is
 * none.
 */
export function breakNear(text: string, even: number, leeway: number): number {
  const line = lineNear(text, even, leeway);
  if (line !== -1) return line;
  let word = -1;
  // The offsets in the order `even`, one further, one back, two further, two back, and so on.
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
 * The start of a line near `even` that begins like the line before it, with a digit or with the same sign, as lines of
 * logs, values and tags do. No sentence runs through such lines. -1 when there is none in reach.
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

/**
 * The start of the line that ends with the line feed at `feed`; -1 when it is further away than a line of records is
 * long.
 */
function lineAbove(text: string, feed: number): number {
  const least = Math.max(0, feed - LONGEST_LINE);
  for (let at = feed - 1; at >= least; at--) if (text.charCodeAt(at) === FEED) return at + 1;
  return -1;
}

/** True for `,` `;` `:` `|` and dashes, which end a clause when a blank follows. */
export function isClauseMark(code: number): boolean {
  if (code < 0x80) return code === COMMA || code === SEMICOLON || code === COLON || code === PIPE;
  return code === 0x2013 || code === 0x2014 || code === 0x60c || code === 0x61b;
}

/** True for `，` `、` `；` `：`, which end a clause without a blank behind them. */
export function isWideClauseMark(code: number): boolean {
  return code === 0x3001 || code === 0xff0c || code === 0xff1b || code === WIDE_COLON;
}
