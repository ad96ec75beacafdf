// Words that OCR has read → the lines of a page, in the shape in which pdfium/ gives the lines of a page with text.
import { NO_PLACE } from '@grainline/core';
import type { OcrWord } from '../../../ocr.ts';
import type { PdfPage } from '../pdfium/file.ts';
import type { PageGlyphs } from '../../../tree/glyphs.ts';
import { segmentsOf, type PdfLine } from '../pdfium/text-lines.ts';
import { UNTAGGED } from '../pdfium/tags.ts';
import { isLeader, isMarker, PLAIN, type Word } from '../pdfium/words.ts';
import { commonSizes, typeOfLine, type LineType } from './sizes.ts';

/** A page that OCR has read. */
export interface ReadPage {
  readonly words: readonly OcrWord[];
  /** Height of the picture in pixels, and points in a pixel. */
  readonly height: number;
  readonly scale: number;
  /** Its number, when the places of its characters are wanted. */
  readonly placed?: number | undefined;
}

/** Most words of a page: a page of a newspaper has 5000. */
const MAX_WORDS = 20_000;

interface ReadLine extends LineType {
  readonly words: readonly OcrWord[];
}

/**
 * The lines of pages, with sizes of type that the whole document has in common. Each result has the characters of its
 * page with the lines in them.
 */
export function linesOfPages(pages: readonly ReadPage[]): Pick<PdfPage, 'characters' | 'lines' | 'glyphs'>[] {
  const read = pages.map(({ words }) =>
    [...byLine(words.slice(0, MAX_WORDS))].map((line): ReadLine => ({ words: line, ...typeOfLine(line) })),
  );
  const common = commonSizes(
    read.flatMap((lines, at) =>
      lines.map(({ size, words }) => ({ value: size * (pages[at]?.scale ?? 0), weight: lengthOf(words) })),
    ),
  );
  return pages.map((page, at) => charactersOf(page, read[at] ?? [], common));
}

/** Words that follow each other and have one number. */
function* byLine(words: readonly OcrWord[]): Generator<OcrWord[]> {
  let open: OcrWord[] = [];
  for (const word of words) {
    if (word.text.trim() === '') continue;
    if (open.length > 0 && open[0]?.line !== word.line) {
      yield open;
      open = [];
    }
    open.push(word);
  }
  if (open.length > 0) yield open;
}

function lengthOf(words: readonly OcrWord[]): number {
  return words.reduce((sum, { text }) => sum + text.length, 0);
}

function charactersOf(
  { height, scale, placed }: ReadPage,
  read: readonly ReadLine[],
  common: (size: number) => number,
): Pick<PdfPage, 'characters' | 'lines' | 'glyphs'> {
  const pieces: string[] = [];
  const lines: PdfLine[] = [];
  let length = 0;
  for (const line of read) {
    const start = length;
    const baseline = (height - line.baseline) * scale;
    const words = line.words.map(({ text, left, right }, at): Word => {
      const word: Word = {
        ...PLACED,
        start: length,
        length: text.length,
        size: common(line.size * scale),
        baseline,
        left: left * scale,
        right: right * scale,
        isMarker: at === 0 && isMarker(text),
        isLeader: isLeader(text),
      };
      pieces.push(text, at === line.words.length - 1 ? LINE_BREAK : ' ');
      length += text.length + (at === line.words.length - 1 ? LINE_BREAK.length : 1);
      return word;
    });
    lines.push({ start, baseline, isTurned: false, isNumbered: false, segments: segmentsOf(words, []) });
  }
  const characters = pieces.join('');
  if (placed === undefined) return { characters, lines };
  const words = read.flatMap((line) => line.words);
  return { characters, lines, glyphs: glyphsOf(placed, characters, words, scale) };
}

/** The places of characters: each word gives its letters equal shares of its width. */
function glyphsOf(page: number, characters: string, read: readonly OcrWord[], scale: number): PageGlyphs {
  const hundredths = (pixels: number): number => Math.round(pixels * scale * 100);
  const edges = new Int32Array(2 * characters.length).fill(NO_PLACE);
  const [words, extents]: [number[], number[]] = [[], []];
  let start = 0;
  for (const { text, left, right, top, bottom } of read) {
    words.push(start);
    extents.push(hundredths(top), hundredths(bottom));
    const edgeAt = (unit: number): number => hundredths(left + ((right - left) * unit) / text.length);
    for (let unit = 0; unit < text.length; unit++) {
      edges[2 * (start + unit)] = edgeAt(unit);
      edges[2 * (start + unit) + 1] = edgeAt(unit + 1);
    }
    start += text.length;
    // A blank behind each word but the last of its line, which has a line break.
    start += characters.startsWith(LINE_BREAK, start) ? LINE_BREAK.length : 1;
  }
  return { page, characters, edges, words, turns: words.map(() => 0), extents };
}

/** As PDFium writes it. */
const LINE_BREAK = '\r\n';

/** The fields of a word that OCR leaves open. */
const PLACED = {
  isInvisible: false,
  isOutside: false,
  isNumber: false,
  font: PLAIN,
  quarterTurns: 0,
  leaf: UNTAGGED,
  isDetached: false,
} as const;
