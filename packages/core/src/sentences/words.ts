// Where a clause that is too long may be cut: behind blanks, and, in scripts that write none between words, between
// the words that Intl.Segmenter's dictionaries know. That one is given windows, since it slows down on long strings.
import { isBlank, isSettledBoundary, splitsPair } from '../unicode.ts';
import { attaches, isIdeographic, skipBlanks } from './marks.ts';
import { type Boundaries, STRENGTHS } from './strengths.ts';

/** Units that Intl.Segmenter is shown at once. */
const WINDOW = 2000;

/**
 * The words of [start, end), each with the blanks behind it: boundaries of strength `word`. A run without blanks in a
 * script that has them (an address, a long number) is one word.
 */
export function words(text: string, start = 0, end = text.length): Boundaries {
  const offsets: number[] = [];
  let at = skipBlanks(text, start, end);
  while (at < end) {
    if (isUnspaced(text.charCodeAt(at))) at = addDictionaryWords(text, at, end, offsets);
    else at = skipSpacedWord(text, at, end);
    if (at < end && !attaches(text, at)) offsets.push(at);
  }
  if (offsets.at(-1) !== end && end > start) offsets.push(end);
  const strengths = new Array<number>(offsets.length).fill(STRENGTHS.word);
  if (end > start) strengths[offsets.length - 1] = STRENGTHS.paragraph;
  return { offsets, strengths };
}

/** Thai, Lao, Burmese and Khmer letters, Chinese characters and kana: words without blanks between them. */
function isUnspaced(code: number): boolean {
  return (
    (code >= 0xe01 && code <= 0xeff) ||
    (code >= 0x1000 && code <= 0x109f) ||
    (code >= 0x1780 && code <= 0x17ff) ||
    isIdeographic(code)
  );
}

/** Past a run of other units and the blanks behind it. */
function skipSpacedWord(text: string, at: number, end: number): number {
  while (at < end) {
    const code = text.charCodeAt(at);
    if (isBlank(code)) return skipBlanks(text, at, end);
    if (code > 0xe00 && isUnspaced(code)) return at;
    at++;
  }
  return at;
}

/** Adds the words of the run of unspaced units at `at` and returns where it ends, behind its blanks. */
function addDictionaryWords(text: string, at: number, end: number, offsets: number[]): number {
  let runEnd = at;
  while (
    runEnd < end &&
    (isUnspaced(text.charCodeAt(runEnd)) || splitsPair(text, runEnd) || attaches(text, runEnd))
  )
    runEnd++;
  while (at < runEnd) at = addWindow(text, at, runEnd, offsets);
  return skipBlanks(text, runEnd, end);
}

let segmenter: Intl.Segmenter | undefined;

/** Adds the words of the window at `at` but its last, which the next window reads whole. Returns where that begins. */
function addWindow(text: string, at: number, end: number, offsets: number[]): number {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  let windowEnd = Math.min(end, at + WINDOW);
  if (windowEnd < end && splitsPair(text, windowEnd)) windowEnd--;
  let last = at;
  for (const { index, isWordLike } of segmenter.segment(text.slice(at, windowEnd))) {
    const boundary = at + index;
    // Marks stay with the word before them, so that no line of a chunk begins with one.
    if (index === 0 || !mayCut(text, boundary)) continue;
    if (isWordLike === true || windowEnd < end) last = boundary;
    if (isWordLike === true) offsets.push(boundary);
  }
  return windowEnd === end || last === at ? windowEnd : last;
}

function mayCut(text: string, at: number): boolean {
  return isSettledBoundary(text, at) || !attaches(text, at);
}
