// What a language model chooses among: the sentences, rows and pieces of code of a document, numbered. They follow from the
// document alone, whatever the limits of the chunks, so that one answer serves all sizes. A heading, a table's header
// or an opening fence is one unit with what follows it, for no chunk begins between them.
import type { Document } from '../../document.ts';
import { FLAG, STRENGTH } from '../../pack/atoms.ts';
import { UTF16 } from '../../pack/measure.ts';
import { isSettledBoundary } from '../../unicode.ts';
import { partSentences } from '../semantic/sentences.ts';
import { layOut } from '../structure.ts';

/** Longest piece, in UTF-16 units, as chunks of this size would be laid out: longer sentences go by clauses, longer tables by rows. */
const PIECE = 600;

/** The units of a document, in order. */
export interface Units {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Numbers the units of a document. Linear in its text. */
export function unitsOf(document: Document): Units {
  const { text } = document;
  // With an overlap, sentences of short paragraphs are atoms too.
  const pieces = { size: PIECE, overlap: 1 };
  const laidOut = layOut(document, pieces, { size: PIECE, target: PIECE, min: 0 }, UTF16);
  const { starts: from, ends: to, strengths, flags, count } = partSentences(text, laidOut, PIECE, UTF16);
  const starts: number[] = [];
  const ends: number[] = [];
  for (let at = 0; at < count; at++) {
    const start = from[at] ?? 0;
    const leads = at > 0 && ((flags[at - 1] ?? 0) & FLAG.leads) !== 0;
    const parts = (strengths[at] ?? 0) > STRENGTH.character && isSettledBoundary(text, start);
    if (at > 0 && (leads || !parts)) {
      ends[ends.length - 1] = to[at] ?? 0;
    } else {
      starts.push(start);
      ends.push(to[at] ?? 0);
    }
  }
  return { starts, ends };
}

/** A stretch of units [first, end) that is shown to the model at once. */
export interface Window {
  readonly first: number;
  readonly end: number;
}

/** Tokens of one window, estimated: enough to see several topics, few enough that models keep the numbers apart. */
const WINDOW_TOKENS = 3000;
/** Tokens at the end of a window that the next one shows again. */
const SHARED_TOKENS = 450;
/** What a unit costs besides its text: its number, brackets and line end. */
const NUMBER_TOKENS = 5;
/** Of a longer unit, so many UTF-16 units of its beginning and end are shown. */
const [LONGEST_SHOWN, SHOWN_HEAD, SHOWN_TAIL] = [900, 600, 200] as const;

/** A unit as the model sees it. */
export function shown(text: string, start: number, end: number): string {
  if (end - start <= LONGEST_SHOWN) return text.slice(start, end);
  const [head, tail] = [text.slice(start, start + SHOWN_HEAD), text.slice(end - SHOWN_TAIL, end)];
  return `${head} … ${tail}`.toWellFormed();
}

/** About how many tokens a text has, within a third for most texts: core knows no vocabulary. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    tokens += code < 0x80 ? ASCII_SHARE : code < FIRST_IDEOGRAPH ? LETTER_SHARE : IDEOGRAPH_SHARE;
  }
  return Math.ceil(tokens);
}

/** Tokens a UTF-16 unit, by what o200k makes of English, code, Russian and Chinese; older vocabularies make more of the latter two. */
const ASCII_SHARE = 0.27;
const LETTER_SHARE = 0.4;
const IDEOGRAPH_SHARE = 1;
const FIRST_IDEOGRAPH = 0x2e80;

/** Windows over all units; neighbours share some, and no unit is in more than two. Their number grows with the text alone. */
export function windowsOf(text: string, { starts, ends }: Units): Window[] {
  if (starts.length < 2) return [];
  const costs = starts.map(
    (start, at) => NUMBER_TOKENS + estimateTokens(shown(text, start, ends[at] ?? start)),
  );
  const windows: Window[] = [];
  for (let first = 0; ;) {
    let end = first;
    for (
      let sum = 0;
      end < costs.length && (end - first < 2 || sum + (costs[end] ?? 0) <= WINDOW_TOKENS);
      end++
    )
      sum += costs[end] ?? 0;
    windows.push({ first, end });
    if (end === costs.length) return windows;
    first = end - 1;
    const before = windows.at(-1)?.first ?? 0;
    for (let sum = costs[first] ?? 0; first - 1 > (before + end) / 2; first--) {
      sum += costs[first - 1] ?? 0;
      if (sum > SHARED_TOKENS) break;
    }
  }
}
