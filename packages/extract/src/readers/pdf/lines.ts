// A page's text as PDFium reads it → its lines, with where their pieces stand and how they are set. PDFium finds the
// line breaks and the blanks; here a line is parted where its words go to another height, and at wide gaps.
import { withBuffer, type Pdfium } from './engine.ts';
import { quarters, turned } from './turns.ts';
import {
  gapBetween,
  readWords,
  Scratch,
  SCRATCH_BYTES,
  WIDE_GAP,
  type Place,
  type TextPage,
  type Word,
} from './words.ts';

/**
 * A run of words in a line with no wide gap and no ruling line between them: a line of prose has one, a table row some.
 */
export interface PdfSegment {
  /** Offset in the page's characters of its first word. */
  readonly start: number;
  /** Where its ink begins and ends, in points from the left. */
  readonly left: number;
  readonly right: number;
  /** How far above the bottom of the page its first word stands, in points. */
  readonly baseline: number;
  /** Font size in points as it is seen: of most of its characters; 0 where PDFium knows none. */
  readonly size: number;
  /** Whether most of its characters are bold, or set in a font whose characters are all of one width. */
  readonly isBold: boolean;
  readonly isFixedPitch: boolean;
}

/** A line of a page. Positions are those of the page turned so that most of its text runs from left to right. */
export interface PdfLine {
  /** Offset in the page's characters. */
  readonly start: number;
  /** How far above the bottom of the page its first character stands, in points (1/72 inch). */
  readonly baseline: number;
  /** Whether its text runs in another direction than most of the page. */
  readonly isTurned: boolean;
  /** Whether it is code with its number before it, in another font. */
  readonly isNumbered: boolean;
  /** In the order of the text; none where the line is blank. */
  readonly segments: readonly PdfSegment[];
}

/** A vertical ruling line, which parts what stands on its two sides. */
export interface Fence {
  readonly x: number;
  readonly bottom: number;
  readonly top: number;
}

/** The lines of a page and the turn that sets most of them upright, in quarters clockwise. */
export interface PageLines {
  readonly lines: readonly PdfLine[];
  readonly quarterTurns: number;
  /** Offsets of blanks that part nothing on the page. */
  readonly voids: readonly number[];
}

/**
 * Words of a page that are asked for their place. A full page of a newspaper has 5000; the lines after these have no
 * segments and are plain text.
 */
const MAX_WORDS = 20_000;
/** 0 and the offset after each line break or dividing hyphen that something follows. */
export function lineStarts(characters: string): number[] {
  const starts = characters === '' ? [] : [0];
  for (const { index, 0: end } of characters.matchAll(
    /\uFFFE?(?:\r\n|[\n\v\f\r\u0085\u2028\u2029])|\uFFFE/g,
  )) {
    const next = index + end.length;
    if (next < characters.length && !isLigature(end, characters[index - 1], characters[next]))
      starts.push(next);
  }
  return starts;
}

const LETTER = /\p{L}/u;

/** Whether a break is a ligature of TeX's first fonts, which stands beside letters (see text.ts). */
function isLigature(end: string, before = '', after = ''): boolean {
  return (end === '\v' || end === '\f') && (LETTER.test(before) || LETTER.test(after));
}

/** Reads the lines of a page of text. `fencesOf` gives the vertical ruling lines once the page's turn is known. */
export function readLines(
  pdfium: Pdfium,
  text: number,
  characters: string,
  fencesOf: (quarterTurns: number) => readonly Fence[],
): PageLines {
  return withBuffer(pdfium, SCRATCH_BYTES, (pointer) => {
    const scratch = new Scratch(pdfium, pointer);
    const page: TextPage = { pdfium, text, characters, scratch, fonts: new Map(), voids: [] };
    const starts = lineStarts(characters);
    const places = starts.map((start, index) => placeOf(page, start, starts[index + 1] ?? characters.length));
    const quarterTurns = commonTurn(page, places);
    const fences = fencesOf(quarterTurns);
    let words = 0;
    const lines = places.flatMap((place): PdfLine[] => {
      const [, baseline] = turned(place.origin, quarterTurns);
      const found = words > MAX_WORDS ? [] : readWords(page, place, quarterTurns);
      words += found.length;
      return levelsOf(found).map((level, index) => {
        const words = withNumber(level);
        return {
          start: index === 0 ? place.start : (level[0]?.start ?? place.end),
          baseline: index === 0 ? baseline : (level[0]?.baseline ?? baseline),
          isTurned: (level[0]?.quarterTurns ?? place.quarterTurns) !== quarterTurns,
          isNumbered: words !== level,
          segments: segmentsOf(words, fences),
        };
      });
    });
    return { lines, quarterTurns, voids: page.voids };
  });
}

function placeOf({ pdfium, text, scratch }: TextPage, start: number, end: number): Place {
  const { call } = pdfium;
  const index = call.FPDFText_GetCharIndexFromTextIndex(text, start);
  const found = call.FPDFText_GetCharOrigin(text, index, scratch.pointer, scratch.pointer + 8);
  const [x = 0, y = 0] = found ? scratch.doubles : [];
  return {
    start,
    end,
    index,
    origin: [x, y],
    quarterTurns: quarters(call.FPDFText_GetCharAngle(text, index)),
  };
}

/**
 * On a page that is turned PDFium may find no line breaks: of a long line more is looked at, every so many characters.
 */
const TURN_SAMPLE = 100;

/** The direction of most of the characters. */
function commonTurn({ pdfium, text }: TextPage, places: readonly Place[]): number {
  const counts = [0, 0, 0, 0];
  for (const place of places) {
    for (let from = place.start; from < place.end; from += TURN_SAMPLE) {
      const index = place.index + from - place.start;
      const turn =
        from === place.start ? place.quarterTurns : quarters(pdfium.call.FPDFText_GetCharAngle(text, index));
      counts[turn] = (counts[turn] ?? 0) + Math.min(TURN_SAMPLE, place.end - from);
    }
  }
  return counts.indexOf(Math.max(...counts));
}

/** Raised and lowered signs stand off by less than this many times their size; what stands off more is another line. */
const OFF_LINE = 0.45;

/**
 * Parts a line where its words go to another height or in another direction: PDFium takes what is written to the right
 * of a line for its continuation, be it in the next column. Always gives one part at least.
 */
function levelsOf(words: readonly Word[]): Word[][] {
  let open: Word[] = [];
  const levels = [open];
  for (const word of words) {
    const before = open.at(-1);
    if (before !== undefined && before.quarterTurns !== word.quarterTurns) levels.push((open = []));
    else if (
      before !== undefined &&
      Math.abs(word.baseline - before.baseline) > OFF_LINE * Math.max(word.size, before.size) &&
      gapBetween(before, word) > WIDE_GAP * Math.max(word.size, before.size)
    )
      levels.push((open = []));
    open.push(word);
  }
  return levels;
}

/** The number of a line of code is set smaller than the code, to this share or less. */
const SMALL_NUMBER = 0.85;

/** The words of a line of code, the number before it taken for a word of the code, whatever its font. */
function withNumber(words: readonly Word[]): readonly Word[] {
  const [number, code] = words;
  if (number?.isNumber !== true || !code?.font.isFixedPitch) return words;
  return number.size > SMALL_NUMBER * code.size ? words : [{ ...number, font: code.font }, ...words.slice(1)];
}

function segmentsOf(words: readonly Word[], fences: readonly Fence[]): PdfSegment[] {
  const segments: PdfSegment[] = [];
  let open: Word[] = [];
  let before: Word | undefined;
  for (const word of words) {
    if (before !== undefined && isParted(before, word, fences)) {
      segments.push(segmentOf(open));
      open = [];
    }
    open.push(word);
    before = word;
  }
  if (open.length > 0) segments.push(segmentOf(open));
  return segments;
}

function isParted(before: Word, word: Word, fences: readonly Fence[]): boolean {
  const gap = gapBetween(before, word);
  if (gap > WIDE_GAP * Math.max(before.size, word.size) && !before.isMarker) return true;
  if (before.isLeader && !word.isLeader) return true;
  if (gap <= 0 || fences.length === 0) return false;
  const [from, to] = word.left > before.left ? [before.right, word.left] : [word.right, before.left];
  // A letter may touch the line that it stands beside.
  return isFenced(fences, from - 1, to + 1, word.baseline);
}

/** Whether a fence stands between two places of a line; the fences are in the order of x. */
function isFenced(fences: readonly Fence[], from: number, to: number, baseline: number): boolean {
  let low = 0;
  for (let high = fences.length; low < high;) {
    const middle = (low + high) >> 1;
    if ((fences[middle]?.x ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  for (let at = low; (fences[at]?.x ?? Infinity) <= to; at++) {
    const { bottom = 0, top = 0 } = fences[at] ?? {};
    if (bottom <= baseline + 1 && top > baseline + 1) return true;
  }
  return false;
}

function segmentOf(words: readonly Word[]): PdfSegment {
  let total = 0;
  let bold = 0;
  let fixed = 0;
  let left = Infinity;
  let right = -Infinity;
  const sizes = new Map<number, number>();
  for (const word of words) {
    total += word.length;
    if (word.font.isBold) bold += word.length;
    if (word.font.isFixedPitch) fixed += word.length;
    left = Math.min(left, word.left);
    right = Math.max(right, word.right);
    sizes.set(word.size, (sizes.get(word.size) ?? 0) + word.length);
  }
  return {
    start: words[0]?.start ?? 0,
    left,
    right,
    baseline: words[0]?.baseline ?? 0,
    size: mostFrequent(sizes),
    isBold: bold > MOST * total,
    isFixedPitch: fixed > MOST * total,
  };
}

/** A figure or a sign in another font does not change how a line looks. */
const MOST = 0.85;

/** The key with the largest count, the first of equals; 0 for none. */
export function mostFrequent(counts: ReadonlyMap<number, number>): number {
  let best = 0;
  let most = 0;
  for (const [key, count] of counts) {
    if (count <= most) continue;
    best = key;
    most = count;
  }
  return best;
}
