// Pages of characters → text, page starts and blocks. This version takes PDFium's order and its line breaks;
// a paragraph ends at a blank line, before a gap, after a short line that ends a sentence, and with its page.
import type { Block } from '@grainline/core';

/** One page before it is laid out. */
export interface PageCharacters {
  /** As PDFium gives it: CR LF line breaks, marks for joined hyphens, control characters. */
  readonly characters: string;
  /** Where its lines start, in `characters` and in points above the bottom of the page. */
  readonly lines: readonly { readonly start: number; readonly baseline: number }[];
  readonly fieldValues: readonly string[];
}

/** A laid out document. */
export interface Layout {
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Where each page starts; an empty page starts where the next one does, at the end where the text ends. */
  readonly pages: readonly number[];
}

/** Between paragraphs, and between pages. */
const GAP = '\n\n';

/** Lays out pages; `undefined` is a page that could not be read and counts as an empty one. Linear. */
export function layOut(pages: readonly (PageCharacters | undefined)[]): Layout {
  const parts: string[] = [];
  const blocks: Block[] = [];
  const starts: number[] = [];
  let length = 0;
  pages.forEach((page, index) => {
    const paragraphs = page === undefined ? [] : pageParagraphs(page);
    // The next character will stand after a gap; a page that has none shares its place with the next.
    starts.push(length === 0 ? 0 : length + GAP.length);
    for (const paragraph of paragraphs) {
      if (length > 0) parts.push(GAP);
      const start = length === 0 ? 0 : length + GAP.length;
      length = start + paragraph.length;
      parts.push(paragraph);
      blocks.push({ kind: 'paragraph', start, end: length, page: index + 1 });
    }
  });
  return { text: parts.join(''), blocks, pages: starts.map((start) => Math.min(start, length)) };
}

function pageParagraphs({ characters, lines, fieldValues }: PageCharacters): string[] {
  const cleaned = lines.map(({ start, baseline }, index) => {
    const line = characters.slice(start, lines[index + 1]?.start);
    return { text: clean(line), isDivided: DIVIDED.test(line), baseline };
  });
  const values = fieldValues
    .flatMap((value) => value.split(LINE_BREAK))
    .map(clean)
    .filter(Boolean);
  const paragraphs = joinLines(cleaned);
  return values.length === 0 ? paragraphs : [...paragraphs, values.join('\n')];
}

interface Line {
  /** Without blanks around it and without a hyphen that divides its last word. */
  readonly text: string;
  /** Whether its last word goes on in the next line. */
  readonly isDivided: boolean;
  readonly baseline: number;
}

/**
 * Ends in a hyphen that PDFium found to divide a word (U+FFFE), or in a soft hyphen. Elsewhere in a line a soft
 * hyphen is seen on the page, so it stays.
 */
const DIVIDED = /[\uFFFE\u00AD]\s*$/;
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;
/** Control characters but tab, byte order marks, and U+FFFF: fonts without a map to Unicode leave them behind. */
// eslint-disable-next-line no-control-regex
const NO_CHARACTER = /[\0-\x08\x0a-\x1f\x7f-\x9f\uFEFF\uFFFE\uFFFF]/g;
/** Latin and Armenian ligatures. Other compatibility characters mean something, so they stay. */
const LIGATURE = /[\uFB00-\uFB06\uFB13-\uFB17]/g;

function clean(line: string): string {
  return line
    .replace(NO_CHARACTER, '')
    .replace(LIGATURE, (ligature) => ligature.normalize('NFKC'))
    .trim()
    .replace(/\u00AD$/, '');
}

/** The hyphen itself at the end of a line, after a letter; it divides a word when a small letter follows. */
const HYPHEN_AT_END = /(?<=\p{L})-$/u;
const SMALL_LETTER = /^\p{Ll}/u;

function joinLines(lines: readonly Line[]): string[] {
  const isParagraphEnd = paragraphRule(lines);
  const paragraphs: string[] = [];
  let open: string[] = [];
  let before: Line | undefined;
  for (const line of lines) {
    const divided = before?.isDivided ?? false;
    if (!divided && before !== undefined && open.length > 0 && isParagraphEnd(before, line)) {
      paragraphs.push(open.join(''));
      open = [];
    }
    if (line.text !== '') pushLine(open, line.text, divided);
    before = line;
  }
  return open.length === 0 ? paragraphs : [...paragraphs, open.join('')];
}

/** Adds a line to an open paragraph: without a break when it goes on with a divided word. */
function pushLine(open: string[], text: string, isDivided: boolean): void {
  const last = open.at(-1);
  if (last === undefined || isDivided) open.push(text);
  else if (HYPHEN_AT_END.test(last) && SMALL_LETTER.test(text)) open.splice(-1, 1, last.slice(0, -1), text);
  else open.push('\n', text);
}

/** A sentence's last mark, with what closes after it. */
const SENTENCE_END = /[.!?:\u2026\u3002\uFF01\uFF1F]["'\u2019\u201D)\]\u300D]*$/;
/** A line shorter than this share of the page's usual line did not end for want of room. */
const SHORT = 0.8;
/** A line that stands lower by more than this many usual line distances begins something new. */
const WIDE = 1.35;

/** Tells, for the lines of one page, whether a paragraph ends between two of them. */
function paragraphRule(lines: readonly Line[]): (before: Line, line: Line) => boolean {
  const texts = lines.filter(({ text }) => text !== '');
  // The length that nine of ten lines do not exceed: of a page of prose, its full line.
  const shortBelow =
    SHORT *
    quantile(
      texts.map(({ text }) => text.length),
      0.9,
    );
  const drops = texts.slice(1).map(({ baseline }, index) => (texts[index]?.baseline ?? 0) - baseline);
  const wideAbove =
    WIDE *
    quantile(
      drops.filter((drop) => drop > 1),
      0.5,
    );
  return (before, line) => {
    if (line.text === '') return true;
    if (wideAbove > 0 && before.baseline - line.baseline > wideAbove) return true;
    return before.text.length < shortBelow && SENTENCE_END.test(before.text);
  };
}

/** The value that a share of the numbers does not exceed; 0 for no numbers. */
function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}
