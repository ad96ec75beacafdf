// Plain text → blocks: paragraphs between blank lines, and what can be told for certain without marks: underlined,
// numbered and all-capital headings, bullet lists. When in doubt, a paragraph.
import type { Block } from '../document.ts';
import { isBlank } from '../unicode.ts';
import { hasLetter, Lines, skipBlankBack } from './lines.ts';
import {
  COLON,
  DASH,
  DOT,
  EQUALS,
  isDigit,
  isLetter,
  isSpace,
  PAREN_CLOSE,
  skipRun,
  SPACE,
  TILDE,
} from './marks.ts';
import { plainTable } from './plain-table.ts';
import { withTitles } from './titles.ts';
import type { GrowingBlock } from './tree.ts';

/** Blocks of a text without marks. Linear. */
export function plainBlocks(text: string): Block[] {
  const blocks: GrowingBlock[] = [];
  const lines = new Lines();
  for (let start = 0; start < text.length;) {
    // `⏐  \n\n  Text`: a line end before the text tells that a blank line stands there.
    let isParted = false;
    let first = start;
    for (; first < text.length; first++) {
      const code = text.charCodeAt(first);
      if (!isBlank(code)) break;
      if (code === FEED) isParted = true;
    }
    if (first === text.length) break;
    if (isParted) endGroup(text, lines, blocks);
    const feed = text.indexOf('\n', first);
    const lineEnd = feed === -1 ? text.length : feed;
    lines.add(first, skipBlankBack(text, first, lineEnd));
    start = lineEnd + 1;
  }
  endGroup(text, lines, blocks);
  settle(text, blocks);
  return withTitles(text, blocks);
}

const FEED = 0x0a;

/** Adds the blocks of the lines between two blank ones, and takes the lines. */
function endGroup(text: string, lines: Lines, blocks: GrowingBlock[]): void {
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

/** Adds the lines from one on as a heading, a list or a paragraph. */
function addLines(text: string, lines: Lines, from: number, blocks: GrowingBlock[]): void {
  const start = lines.start(from);
  const end = lines.end(lines.count - 1);
  const depth = from === lines.count - 1 ? headingDepth(text, start, end) : 0;
  if (depth > 0) blocks.push({ kind: 'heading', depth, start, end });
  else if (!addList(text, lines, from, blocks)) blocks.push(paragraph(start, end));
}

function paragraph(start: number, end: number): GrowingBlock {
  return { kind: 'paragraph', start, end };
}

/** Lines of a caption right above a table. */
const MAX_CAPTION = 1;

/** Lines that are a table, with a caption perhaps; false when there is none. */
function addTable(text: string, lines: Lines, blocks: GrowingBlock[]): boolean {
  for (let above = 0; above <= MAX_CAPTION && above < lines.count - 1; above++) {
    if (itemMark(text, lines.start(above), lines.end(above)) !== undefined) return false;
    const table = plainTable(text, lines, above);
    if (table === undefined) continue;
    if (above > 0) blocks.push(paragraph(lines.start(0), lines.end(above - 1)));
    blocks.push(table);
    return true;
  }
  return false;
}

/** A title is shorter than this, in UTF-16 units. */
const MAX_TITLE = 80;

/** `Title` above `=====` about as long as itself; the underline tells the depth. */
function underlinedHeading(text: string, lines: Lines): GrowingBlock | undefined {
  const rule = lines.start(1);
  const end = lines.end(1);
  const mark = text.charCodeAt(rule);
  if (mark !== EQUALS && mark !== DASH && mark !== TILDE) return undefined;
  const start = lines.start(0);
  const length = lines.end(0) - start;
  const ruleLength = end - rule;
  if (length > MAX_TITLE || ruleLength < 3 || Math.abs(length - ruleLength) > Math.max(2, length / 4))
    return undefined;
  if (skipRun(text, rule, end, mark) < end) return undefined;
  return { kind: 'heading', depth: mark === EQUALS ? 1 : 2, start, end };
}

/** `1.2 Scope` → 2, `NOTES ON USE` → 1; 0 for a line that is no heading. */
function headingDepth(text: string, start: number, end: number): number {
  if (end - start > MAX_TITLE || endsLikeSentence(text.charCodeAt(end - 1))) return 0;
  const code = text.charCodeAt(start);
  if (isDigit(code)) {
    const [, number = '', initial = ''] = NUMBERED.exec(text.slice(start, end)) ?? [];
    if (hasLetter(initial) && initial === initial.toUpperCase()) return Math.min(6, number.split('.').length);
  }
  return isCapitals(text, start, end) ? 1 : 0;
}

/** `1 Introduction`, `2.3. Method`: a number of up to six parts, then a word with a capital letter. */
const NUMBERED = /^(\d{1,3}(?:\.\d{1,3}){0,5})\.?[ \t]+["“'(]?(\S)/;

/** A comma, semicolon, colon, full stop, exclamation or question mark. */
function endsLikeSentence(code: number): boolean {
  return code === 0x2c || code === 0x2e || code === 0x3a || code === 0x3b || code === 0x21 || code === 0x3f;
}

/** Words in capitals, four letters at least, more letters than anything else; no script without capitals. */
function isCapitals(text: string, start: number, end: number): boolean {
  // A small letter, which hardly any line is without, mostly stands at the second place.
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x61 && code <= 0x7a) return false;
  }
  const line = text.slice(start, end);
  if (/[|=<>{}\u0590-\u1dff\u2c00-\ud7ff]/.test(line) || line !== line.toUpperCase()) return false;
  let letters = 0;
  let run = 0;
  let longest = 0;
  for (const character of line) {
    run = character === character.toLowerCase() ? 0 : run + 1;
    letters += Math.min(1, run);
    longest = Math.max(longest, run);
  }
  return letters >= 4 && letters * 2 > line.length && longest > 1;
}

/** The mark of an item: a bullet, or a number that tells its place. */
interface ItemMark {
  /** The unit of the bullet, or that behind the number, with {@link OPENED} when a bracket stands before it. */
  readonly style: number;
  /** `undefined` for a bullet. */
  readonly number: number | undefined;
}

const BULLETS = '-*+•‣◦▪●○–·';
const PAREN_OPEN = 0x28;
/** Tells `(1)` from `1)`; more than any unit. */
const OPENED = 0x10000;
/** Digits of a number at most. */
const MAX_DIGITS = 3;

/** `- `, `• `, `1. `, `(2) `; `undefined` for a line that begins otherwise. */
function itemMark(text: string, start: number, end: number): ItemMark | undefined {
  let style = text.charCodeAt(start);
  if (isLetter(style)) return undefined;
  let at = start + 1;
  let number: number | undefined;
  if (!BULLETS.includes(text.charAt(start))) {
    const opened = style === PAREN_OPEN;
    const first = opened ? at : start;
    number = 0;
    for (at = first; at < first + MAX_DIGITS && isDigit(text.charCodeAt(at)); at++)
      number = 10 * number + text.charCodeAt(at) - ZERO;
    const close = text.charCodeAt(at);
    if (at++ === first || (close !== DOT && close !== PAREN_CLOSE)) return undefined;
    style = opened ? OPENED + close : close;
  }
  return at < end && isSpace(text.charCodeAt(at)) ? { style, number } : undefined;
}

const ZERO = 0x30;

/** Bullets and `1)` in a row, at least two or one unmistakable bullet, with a lead-in perhaps; false when there is no list. */
function addList(text: string, lines: Lines, from: number, blocks: GrowingBlock[]): boolean {
  const end = Math.min(lines.count, from + MAX_LEAD_IN + 1);
  for (let first = from; first < end; first++) {
    const mark = itemMark(text, lines.start(first), lines.end(first));
    if (mark === undefined) continue;
    const hasLeadIn = first > from;
    if (hasLeadIn && text.charCodeAt(lines.end(first - 1) - 1) !== COLON) return false;
    const items = itemsOf(text, lines, first, mark);
    if (items.length < 2 && (hasLeadIn || !isLoneItem(text, lines.start(first)))) return false;
    if (hasLeadIn) blocks.push(paragraph(lines.start(from), lines.end(first - 1)));
    blocks.push(listOf(items, mark.number));
    return true;
  }
  return false;
}

/** Lines of a lead-in, which ends with a colon. */
const MAX_LEAD_IN = 4;

/** An item between blank lines; {@link settle} makes one list of those in a row and gives up on the others. */
function isLoneItem(text: string, start: number): boolean {
  return !'-–·'.includes(text.charAt(start)) || text.charCodeAt(start + 1) === SPACE;
}

/** The items from the line `first` on, which has the mark; lines without the next one go on with the item before. */
function itemsOf(text: string, lines: Lines, first: number, { style, number }: ItemMark): GrowingBlock[] {
  const items: GrowingBlock[] = [];
  let expected = number;
  for (let index = first; index < lines.count;) {
    const start = lines.start(index++);
    if (expected !== undefined) expected++;
    while (index < lines.count) {
      const mark = itemMark(text, lines.start(index), lines.end(index));
      if (mark?.style === style && mark.number === expected) break;
      index++;
    }
    items.push(itemOf(start, lines.end(index - 1)));
  }
  return items;
}

function itemOf(start: number, end: number): GrowingBlock {
  return { kind: 'item', start, end, children: [paragraph(start, end)] };
}

function listOf(items: GrowingBlock[], number: number | undefined): GrowingBlock {
  const list: GrowingBlock = {
    kind: 'list',
    depth: 1,
    start: items[0]?.start ?? 0,
    end: items.at(-1)?.end ?? 0,
    children: items,
  };
  if (number === undefined) return list;
  list.ordered = true;
  if (number !== 1) list.first = number;
  return list;
}

/**
 * Decides by the neighbours: lists of the same mark that follow one another are one, a list of one item is a paragraph,
 * and headings `1`, `2`, `3` without anything between them are items.
 */
function settle(text: string, blocks: GrowingBlock[]): void {
  // Those that are settled stand at the front of the same array.
  let count = 0;
  let before: GrowingBlock | undefined;
  for (let index = 0; index < blocks.length; index++) {
    const found = blocks[index];
    if (found === undefined) break;
    const block = isCounted(text, found, before, blocks[index + 1]) ? itemList(text, found) : found;
    before = found;
    const last = block.kind === 'list' ? blocks[count - 1] : undefined;
    if (last?.kind === 'list' && continues(text, last, block)) {
      for (const item of block.children ?? []) last.children?.push(item);
      last.end = block.end;
    } else blocks[count++] = block;
  }
  blocks.length = count;
  for (let index = 0; index < count; index++) {
    const block = blocks[index];
    if (block?.kind === 'list' && block.children?.length === 1)
      blocks[index] = paragraph(block.start, block.end);
  }
}

/** True for a heading of one number whose neighbour is one as well: `1. Milk`, `2. Bread`. */
function isCounted(text: string, block: GrowingBlock, before?: GrowingBlock, after?: GrowingBlock): boolean {
  return (
    numberOf(text, block) !== undefined && (numberOf(text, before) ?? numberOf(text, after)) !== undefined
  );
}

/** The number of a heading that may be an item. */
function numberOf(text: string, block: GrowingBlock | undefined): number | undefined {
  if (block?.kind !== 'heading' || block.depth !== 1) return undefined;
  return itemMark(text, block.start, block.end)?.number;
}

function itemList(text: string, { start, end }: GrowingBlock): GrowingBlock {
  return listOf([itemOf(start, end)], itemMark(text, start, end)?.number);
}

function continues(text: string, list: GrowingBlock, next: GrowingBlock): boolean {
  const mark = itemMark(text, list.start, list.end);
  const nextMark = itemMark(text, next.start, next.end);
  if (mark === undefined || mark.style !== nextMark?.style) return false;
  return mark.number === undefined || nextMark.number === mark.number + (list.children?.length ?? 0);
}
