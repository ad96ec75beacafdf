// A page's text as PDFium reads it → its lines, with the position and type of their pieces. PDFium finds the line
// breaks and the blanks; this file splits lines where words change height, and at wide gaps.
import { withBuffer, type Pdfium } from './engine.ts';
import { firstIndex } from '../../../search.ts';
import { GlyphReader, type PageView } from './glyphs.ts';
import { linkRanges, type LinkArea } from './links.ts';
import { UNTAGGED, type LeafOf } from './tags.ts';
import type { Shape } from './rules.ts';
import { Scratch, SCRATCH_BYTES } from './scratch.ts';
import { blanksSetApart } from './set-apart.ts';
import { blanksInWords } from './tracking.ts';
import { lineStarts } from './line-starts.ts';
import { withInitials } from './initials.ts';
import { countedNumbers, withNumber } from './numbered.ts';
import { columnsOf, NO_COLUMNS, type Columns } from './tight-columns.ts';
import { quarterTurnsOf, turnPoint } from './turns.ts';
import type { LinkRange } from '../../../tree/glyphs.ts';
import { unseenWords } from './unseen.ts';
import {
  centreOf,
  gapBetween,
  readWords,
  WIDE_GAP,
  type RawLine,
  type TextPage,
  type Word,
} from './words.ts';

/**
 * A run of words in a line with no wide gap and no ruling line between them: a line of prose has one, a table row some.
 */
export interface PdfSegment {
  /** Offset in the page's characters of its first word. */
  readonly start: number;
  /** Its ink's left and right edge, in points from the left. */
  readonly left: number;
  readonly right: number;
  /** Height of its first word above the bottom of the page, in points. */
  readonly baseline: number;
  /** Displayed font size in points, of most of its characters; 0 where PDFium knows none. */
  readonly size: number;
  /** True if most of its characters are bold, or in a font with characters of one width. */
  readonly isBold: boolean;
  readonly isFixedPitch: boolean;
  /** Name of the font of its longest word; absent when unknown. */
  readonly font?: string;
  /** True if a narrow gap before it is the white space between two columns. */
  readonly isTight?: boolean;
  /** True if the file writes its blanks and has none before it. */
  readonly isDetached?: boolean;
}

/** A line of a page. Positions are those of the page turned so that most of its text runs from left to right. */
export interface PdfLine {
  /** Offset in the page's characters. */
  readonly start: number;
  /** Height of its first character above the bottom of the page, in points (1/72 inch). */
  readonly baseline: number;
  /** True if its text runs in another direction than most of the page. */
  readonly isTurned: boolean;
  /** True if it is code with a line number in another font. */
  readonly isNumbered: boolean;
  /** In the order of the text; none where the line is blank. */
  readonly segments: readonly PdfSegment[];
}

/** The part of a line that belongs to one leaf of the structure tree. */
export interface TaggedLine extends PdfLine {
  /** Number of the leaf; negative outside the tree, as in tags.ts. */
  readonly leaf: number;
}

/** A vertical ruling line, which separates the text on its two sides. */
export interface Fence {
  readonly x: number;
  readonly bottom: number;
  readonly top: number;
}

/** The lines of a page and the turn that sets most of them upright, in quarters clockwise. */
/** Facts about a page that its characters do not hold. */
export interface PageFrame {
  /** The part that is shown, before the page is turned. */
  readonly box?: Shape | undefined;
  /** Its vertical ruling lines and its pictures, after it was turned. */
  readonly fencesOf: (quarterTurns: number) => readonly Fence[];
  readonly picturesOf: (quarterTurns: number) => readonly Shape[];
  /** The part that is shown, when the places of its characters are wanted. */
  readonly view?: PageView | undefined;
  /** Its links, before it is turned. */
  readonly links?: readonly LinkArea[] | undefined;
}

/** A part of the characters that is left out of the text. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  /** True if a blank takes its place. */
  readonly isBlank?: boolean;
}

export interface PageLines {
  readonly lines: readonly PdfLine[];
  readonly quarterTurns: number;
  /** Blanks that separate nothing on the page, and words that it does not show; in order. */
  readonly gaps: readonly Gap[];
  /** Number of characters in fonts that do not say which letters they show, or say others. */
  readonly unreadable: number;
  /** All the text by its leaves, in the order of the lines; none without a tree, or when there is too much text. */
  readonly tagged: readonly TaggedLine[];
  /** The places of its characters, when they are wanted. */
  readonly glyphs: GlyphReader | undefined;
  /** Its links by their characters, in order. */
  readonly links: readonly LinkRange[];
}

/**
 * Most words of a page whose position is read. A full page of a newspaper has 5000; the lines after these have no
 * segments and are plain text.
 */
const MAX_WORDS = 20_000;
/** Reads the lines of a page of text. */
export function readLines(
  pdfium: Pdfium,
  text: number,
  characters: string,
  { box, fencesOf, picturesOf, view, links = [] }: PageFrame,
  leafOf?: LeafOf,
): PageLines {
  return withBuffer(pdfium, SCRATCH_BYTES, (pointer) => {
    const scratch = new Scratch(pdfium, pointer);
    const page: TextPage = {
      pdfium,
      text,
      characters,
      scratch,
      fonts: new Map(),
      voids: [],
      blankBreaks: [],
      unreadable: 0,
      blanks: { written: 0, added: 0, single: 0, detached: 0 },
      box,
      leafOf,
      glyphs: view && new GlyphReader(pdfium, text, scratch, characters.length, view),
    };
    const starts = lineStarts(characters);
    const rawLines = starts.map((start, index) =>
      readRawLine(page, start, starts[index + 1] ?? characters.length),
    );
    const quarterTurns = commonTurn(page, rawLines);
    const fences = fencesOf(quarterTurns);
    let words = 0;
    const read = withInitials(
      page,
      rawLines.map((place) => {
        const found = words > MAX_WORDS ? [] : readWords(page, place, quarterTurns);
        words += found.length;
        const blanks = blanksInWords(page, found);
        for (const blank of blanks.length > 0 ? blanks : blanksSetApart(page, found)) page.voids.push(blank);
        return { place, words: found };
      }),
    );
    const all = read.flatMap((line) => line.words);
    const mayHide = all.some(({ isOutside, isInvisible }) => isOutside || isInvisible);
    const unseen = mayHide ? unseenWords(all, picturesOf(quarterTurns)) : NONE;
    const columns = columnsOf(read, page.blanks);
    const counted = countedNumbers(read, characters);
    const tagged: TaggedLine[] = [];
    const lines = read.flatMap(({ place, words: found }): PdfLine[] => {
      const [, baseline] = turnPoint(place.origin, quarterTurns);
      const shown = unseen.size === 0 ? found : found.filter((word) => !unseen.has(word));
      if (shown.length === 0 && found.length > 0) return [];
      return levelsOf(shown).map((level, index) => {
        const words = withNumber(level, counted);
        if (leafOf !== undefined) tagged.push(...taggedLines(level, fences, quarterTurns));
        return {
          start: index === 0 ? place.start : (level[0]?.start ?? place.end),
          baseline: index === 0 ? baseline : (level[0]?.baseline ?? baseline),
          isTurned: (level[0]?.quarterTurns ?? place.quarterTurns) !== quarterTurns,
          isNumbered: words !== level,
          segments: segmentsOf(words, fences, columns),
        };
      });
    });
    return {
      lines,
      quarterTurns,
      unreadable: page.unreadable,
      gaps: [
        ...page.voids.map((at) => ({ from: at, to: at + 1 })),
        ...page.blankBreaks.map((at) => ({ from: at, to: at + 1, isBlank: true })),
        ...[...unseen].map((word) => gapOf(word, characters)),
      ].sort((a, b) => a.from - b.from),
      tagged: words > MAX_WORDS ? [] : tagged,
      glyphs: page.glyphs,
      links:
        links.length === 0
          ? []
          : linkRanges(all, links, quarterTurns, (offset) => centreOf(page, offset, quarterTurns)),
    };
  });
}

const NONE: ReadonlySet<Word> = new Set();

/** A word with the blank before it. */
function gapOf({ start, length }: Word, characters: string): Gap {
  return { from: start - Number(characters[start - 1] === ' '), to: start + length };
}

/** The words of a line by their leaves. */
function taggedLines(words: readonly Word[], fences: readonly Fence[], quarterTurns: number): TaggedLine[] {
  const lines: TaggedLine[] = [];
  for (let from = 0; from < words.length;) {
    const { leaf = UNTAGGED, start = 0, baseline = 0, quarterTurns: turns } = words[from] ?? {};
    let to = from + 1;
    while (words[to]?.leaf === leaf) to++;
    lines.push({
      leaf,
      start,
      baseline,
      isTurned: turns !== quarterTurns,
      isNumbered: false,
      segments: segmentsOf(words.slice(from, to), fences),
    });
    from = to;
  }
  return lines;
}

function readRawLine({ pdfium, text, scratch }: TextPage, start: number, end: number): RawLine {
  const { call } = pdfium;
  const index = call.FPDFText_GetCharIndexFromTextIndex(text, start);
  const found = call.FPDFText_GetCharOrigin(text, index, scratch.pointer, scratch.pointer + 8);
  const [x = 0, y = 0] = found ? scratch.doubles : [];
  return {
    start,
    end,
    index,
    origin: [x, y],
    quarterTurns: quarterTurnsOf(call.FPDFText_GetCharAngle(text, index)),
  };
}

/** On a turned page PDFium may find no line breaks: a long line is sampled every so many characters. */
const TURN_SAMPLE = 100;

/** The direction of most of the characters. */
function commonTurn({ pdfium, text }: TextPage, places: readonly RawLine[]): number {
  const counts = [0, 0, 0, 0];
  for (const place of places) {
    for (let from = place.start; from < place.end; from += TURN_SAMPLE) {
      const index = place.index + from - place.start;
      const turn =
        from === place.start
          ? place.quarterTurns
          : quarterTurnsOf(pdfium.call.FPDFText_GetCharAngle(text, index));
      counts[turn] = (counts[turn] ?? 0) + Math.min(TURN_SAMPLE, place.end - from);
    }
  }
  return counts.indexOf(Math.max(...counts));
}

/**
 * Raised and lowered signs are off their line by less than this many times their size; larger distances are another
 * line.
 */
const OFF_LINE = 0.45;

/**
 * Splits a line where its words change height or direction: PDFium takes text to the right of a line for its
 * continuation, even in the next column. Returns at least one part.
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

/** The pieces of a line: its words, parted at wide gaps, at fences, and where words begin columns. */
export function segmentsOf(
  words: readonly Word[],
  fences: readonly Fence[],
  columns: Columns = NO_COLUMNS,
): PdfSegment[] {
  const segments: PdfSegment[] = [];
  let open: Word[] = [];
  let before: Word | undefined;
  for (const word of words) {
    const isTight = columns.tight.has(word);
    if (before !== undefined && (isTight || isParted(before, word, fences))) {
      segments.push(segmentOf(open, columns));
      open = [];
    }
    open.push(word);
    before = word;
  }
  if (open.length > 0) segments.push(segmentOf(open, columns));
  return segments;
}

function isParted(before: Word, word: Word, fences: readonly Fence[]): boolean {
  const gap = gapBetween(before, word);
  if (gap > WIDE_GAP * widthSize(before, word) && !before.isMarker) return true;
  if (before.isLeader && !word.isLeader) return true;
  if (gap <= 0 || fences.length === 0) return false;
  const [from, to] = word.left > before.left ? [before.right, word.left] : [word.right, before.left];
  // A letter may touch the line beside it.
  return isFenced(fences, from - 1, to + 1, word.baseline);
}

/** A word of less than this share of the size of the word beside it is another column's, beside a title. */
const TITLE_SHARE = 0.7;
/** Shorter ones are signs of a formula. */
const LEAST_LENGTH = 4;

/** The font size that decides if a gap is wide. */
function widthSize(before: Word, word: Word): number {
  const [small, large] = before.size < word.size ? [before, word] : [word, before];
  return small.size < TITLE_SHARE * large.size && small.length >= LEAST_LENGTH ? small.size : large.size;
}

/** True if a fence stands between two positions of a line; the fences are in the order of x. */
function isFenced(fences: readonly Fence[], from: number, to: number, baseline: number): boolean {
  for (let at = firstIndex(fences, ({ x }) => !(x < from)); (fences[at]?.x ?? NaN) <= to; at++) {
    const { bottom = 0, top = 0 } = fences[at] ?? {};
    if (bottom <= baseline + 1 && top > baseline + 1) return true;
  }
  return false;
}

function segmentOf(words: readonly Word[], { tight, hasBlanks }: Columns): PdfSegment {
  let total = 0;
  let bold = 0;
  let fixed = 0;
  let left = Infinity;
  let right = -Infinity;
  let longest = words[0];
  const sizes = new Map<number, number>();
  for (const word of words) {
    total += word.length;
    if (word.length > (longest?.length ?? 0)) longest = word;
    if (word.font.isBold) bold += word.length;
    if (word.font.isFixedPitch) fixed += word.length;
    left = Math.min(left, word.left);
    right = Math.max(right, word.right);
    sizes.set(word.size, (sizes.get(word.size) ?? 0) + word.length);
  }
  const [first] = words;
  return {
    start: first?.start ?? 0,
    left,
    right,
    baseline: first?.baseline ?? 0,
    size: mostFrequent(sizes),
    isBold: bold > MOST * total,
    isFixedPitch: fixed > MOST * total,
    ...(longest !== undefined && { font: longest.font.name }),
    ...(first !== undefined && tight.has(first) && { isTight: true }),
    ...(hasBlanks && first?.isDetached === true && { isDetached: true }),
  };
}

/** A figure or a sign in another font does not change the type of a line. */
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
