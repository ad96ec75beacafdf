// Where a sentence that is too long may be cut before one falls back on words: behind `;` `:` `,` and their kin, at
// dashes and bars between blanks, and at line breaks. One pass, each unit looked at once.
import { isBlank } from '../unicode.ts';
import { attaches, isCloser, isDash, isDigit, isIdeographic, skipBlanks, startAt } from './marks.ts';
import { type Boundaries, STRENGTHS } from './strengths.ts';

/**
 * The clauses of [start, end): boundaries of strength `clause`, each behind the blanks that follow its mark. Meant for
 * the inside of a sentence; ends of sentences within the range count as clauses too.
 */
export function clauses(text: string, start = 0, end = text.length): Boundaries {
  const offsets: number[] = [];
  const strengths: number[] = [];
  let from = skipBlanks(text, start, end);
  for (let at = from; at < end;) {
    const next = clauseEnd(text, at, start, end);
    if (next === 0) {
      at++;
      continue;
    }
    if (next > from && next < end && !attaches(text, next)) {
      offsets.push(next);
      strengths.push(STRENGTHS.clause);
      from = next;
    }
    at = Math.max(next, at + 1);
  }
  if (end > start) {
    offsets.push(end);
    strengths.push(STRENGTHS.paragraph);
  }
  return { offsets, strengths };
}

/** Where the clause behind the mark at `at` begins; 0 when there is none. */
function clauseEnd(text: string, at: number, start: number, end: number): number {
  const code = text.charCodeAt(at);
  if (MARKS[code] === 0) return 0;
  if (isBlank(code)) return skipBlanks(text, at, end);
  if (isDash(code) || code === 0x7c) return dashEnd(text, at, start, end);
  let stop = at + 1;
  while (
    stop < end &&
    isCloser(text.charCodeAt(stop)) &&
    startAt(text, stop) === 'symbol' &&
    !opensWord(text, stop, end)
  )
    stop++;
  if (code >= 0x3000)
    return code === 0xff0c && isDigit(text.charCodeAt(stop)) ? 0 : skipBlanks(text, stop, end);
  const next = skipBlanks(text, stop, end);
  return next > stop || next === end || isIdeographic(text.charCodeAt(next)) ? next : 0;
}

const MARKS = createMarks(',;:.!?|-\n，、；：。！？；،؛؟۔।॥…–—―\u2028\u2029');

function createMarks(marks: string): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (let i = 0; i < marks.length; i++) table[marks.charCodeAt(i)] = 1;
  return table;
}

/** ` – `: a dash belongs to the clause behind it, a bar to the one before; `——` of Chinese needs no blanks. */
function dashEnd(text: string, at: number, start: number, end: number): number {
  if (at + 1 >= end) return 0;
  const isDouble = text.charCodeAt(at) === 0x2014 && text.charCodeAt(at + 1) === 0x2014;
  if (isDouble) return skipBlanks(text, at + 2, end);
  if (at === start || !isBlank(text.charCodeAt(at - 1)) || !isBlank(text.charCodeAt(at + 1))) {
    return text.charCodeAt(at) === 0x2014 ? at + 1 : 0;
  }
  return text.charCodeAt(at) === 0x7c ? skipBlanks(text, at + 1, end) : at;
}

/** True when a word follows the quotation mark at `at`, which then opens. */
function opensWord(text: string, at: number, end: number): boolean {
  return at + 1 < end && startAt(text, at + 1) !== 'symbol';
}
