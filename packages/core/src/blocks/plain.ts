// Turns plain text into blocks: paragraphs between blank lines, and the structure that is certain without marks:
// underlined, numbered and all-capital headings, tables, lists. In doubt a paragraph.
import type { Block } from '../document.ts';
import { isBlank } from '../unicode.ts';
import { gridTable } from './grid-table.ts';
import { endsSentence, hasLetter, isAsLong, lineEnd, LineSpans, skipBlankBack } from './lines.ts';
import { DOT, FEED, isDigit, isLetter, PLUS } from './marks.ts';
import { addList, isItem, joinLists, withLetters } from './plain-list.ts';
import { plainTable } from './plain-table.ts';
import { withTitles } from './titles.ts';
import { type GrowingBlock, paragraph } from './tree.ts';

/** Blocks of a text without marks, or of its lines [from, end). Linear. */
export function plainBlocks(text: string, from = 0, end = text.length): Block[] {
  const blocks: GrowingBlock[] = [];
  const lines = new LineSpans();
  for (let start = from; start < end;) {
    // `⏐  \n\n  Text`: a line end among the blanks before the text shows a blank line.
    let isParted = false;
    let first = start;
    for (; first < end; first++) {
      const code = text.charCodeAt(first);
      if (!isBlank(code)) break;
      if (code === FEED) isParted = true;
    }
    if (first === end) break;
    if (isParted) endGroup(text, lines, blocks);
    const feed = lineEnd(text, first, end);
    lines.add(first, skipBlankBack(text, first, feed));
    start = feed + 1;
  }
  endGroup(text, lines, blocks);
  joinLists(text, blocks);
  return withLetters(text, withTitles(text, blocks));
}

/** Adds the blocks of the lines between two blank ones, and empties the list of lines. */
function endGroup(text: string, lines: LineSpans, blocks: GrowingBlock[]): void {
  const { count } = lines;
  if (count === 0) return;
  if (count === 1) addLines(text, lines, 0, blocks);
  else if (!addTable(text, lines, blocks)) {
    const underlined = underlinedHeading(text, lines);
    if (underlined !== undefined) blocks.push(underlined);
    const from = underlined === undefined ? 0 : 2;
    if (from < count) addLines(text, lines, from, blocks);
  }
  lines.count = 0;
}

/** Adds the lines from `from` on as a heading, a list or a paragraph. */
function addLines(text: string, lines: LineSpans, from: number, blocks: GrowingBlock[]): void {
  const start = lines.start(from);
  const end = lines.end(lines.count - 1);
  const depth = from === lines.count - 1 ? headingDepth(text, start, end) : 0;
  if (depth > 0) blocks.push({ kind: 'heading', depth, start, end });
  else if (!addList(text, lines, from, blocks)) blocks.push(paragraph(start, end));
}

/** Most lines of a caption right above a table. */
const MAX_CAPTION = 1;
/** A ruler with one position a bit: the drawing below it is a packet, whose fields are no columns. */
const BITS = '+-+-+-+-+-+';

/**
 * Adds lines that are a table, perhaps with a caption above it or a database's remark below it; returns false for all
 * other lines.
 */
function addTable(text: string, lines: LineSpans, blocks: GrowingBlock[]): boolean {
  for (let above = 0; above <= MAX_CAPTION && above < lines.count - 1; above++) {
    const start = lines.start(above);
    if (isItem(text, start, lines.end(above))) return false;
    if (text.charCodeAt(start) === PLUS && text.startsWith(BITS, start)) return false;
    const table = gridTable(text, lines, above) ?? plainTable(text, lines, above);
    if (table === undefined) continue;
    if (above > 0) blocks.push(paragraph(lines.start(0), lines.end(above - 1)));
    blocks.push(table);
    const last = lines.count - 1;
    if (table.end < lines.end(last)) blocks.push(paragraph(lines.start(last), lines.end(last)));
    return true;
  }
  return false;
}

/** A title is shorter than this many UTF-16 units. */
const MAX_TITLE = 80;

/** The heading `Title` above a line of `=` or the like that is about as long. {@link withTitles} sets its depth. */
function underlinedHeading(text: string, lines: LineSpans): GrowingBlock | undefined {
  const [start, below, end] = [lines.start(0), lines.start(1), lines.end(1)];
  // Most second lines begin with a letter, and need no pattern.
  if (isLetter(text.charCodeAt(below))) return undefined;
  const rule = text.slice(below, end);
  const title = text.slice(start, lines.end(0));
  const isRuled = UNDERLINE.test(rule) && title.length <= MAX_TITLE && isAsLong(rule.length, title);
  return isRuled ? { kind: 'heading', start, end } : undefined;
}

const UNDERLINE = /^([=~-])\1{2,}$/;

/** `1.2 Scope` → 2, `NOTES ON USE` → 1; 0 for a line that is no heading. */
function headingDepth(text: string, start: number, end: number): number {
  if (end - start > MAX_TITLE || endsSentence(text, end)) return 0;
  const code = text.charCodeAt(start);
  if (isDigit(code)) {
    const line = text.slice(start, end);
    const [, number = '', initial = ''] = NUMBERED.exec(line) ?? [];
    // A dot behind `3.5` is enough: `3.5. /boot : Static files`.
    const isDotted = number.includes('.') && line.charCodeAt(number.length) === DOT && !DATE.test(line);
    const isTitle = hasLetter(isDotted ? line : initial) && initial === initial.toUpperCase();
    if (isTitle) return number.split('.').length;
  }
  return isCapitals(text, start, end) ? 1 : 0;
}

/** Matches `1 Introduction` and `2.3. Method`: a number of up to six parts, then a word with a capital letter. */
const NUMBERED = /^(\d{1,3}(?:\.\d{1,3}){0,5})\.?[ \t\xa0]+["“'(]?(\S)/;
/** Matches `10.12. 2024` and `12.5. 10:30`: day and month as half of Europe writes them, and figures behind them. */
const DATE = /^\d{1,2}\.\d{1,2}\.[ \t\xa0]+\d[\d.:,]*(?:\s|$)/;

/**
 * True for words in capitals: at least four letters, and more letters than other characters. Scripts without capitals
 * have none.
 */
function isCapitals(text: string, start: number, end: number): boolean {
  // Nearly every line has a small letter, mostly as its second unit.
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x61 && code <= 0x7a) return false;
  }
  const line = text.slice(start, end);
  if (/[|=<>{}\u0590-\u1dff\u2c00-\ud7ff]/.test(line) || line !== line.toUpperCase()) return false;
  const letters = line.match(/\p{Lu}/gu)?.length ?? 0;
  return letters >= 4 && letters * 2 > line.length && /\p{Lu}{2}/u.test(line);
}
