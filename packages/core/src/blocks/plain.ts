// Plain text → blocks: paragraphs between blank lines, and what can be told for certain without marks: underlined,
// numbered and all-capital headings, bullet lists. When in doubt, a paragraph.
import type { Block, Span } from '../document.ts';
import { isBlank } from '../unicode.ts';
import { hasLetter, skipBlankBack } from './lines.ts';
import { COLON, DASH, EQUALS, isLetter, TILDE } from './marks.ts';
import { plainTable } from './plain-table.ts';
import { withTitles } from './titles.ts';
import type { GrowingBlock } from './tree.ts';

/** A line without its blanks on both sides. */
type Line = Span;

/** Blocks of a text without marks. Linear. */
export function plainBlocks(text: string): Block[] {
  const blocks: GrowingBlock[] = [];
  let group: Line[] = [];
  for (let start = 0; start < text.length;) {
    const feed = text.indexOf('\n', start);
    const lineEnd = feed === -1 ? text.length : feed;
    let first = start;
    while (first < lineEnd && isBlank(text.charCodeAt(first))) first++;
    if (first < lineEnd) group.push({ start: first, end: skipBlankBack(text, first, lineEnd) });
    else if (group.length > 0) {
      addGroup(text, group, blocks);
      group = [];
    }
    start = lineEnd + 1;
  }
  if (group.length > 0) addGroup(text, group, blocks);
  return withTitles(text, settle(text, blocks));
}

/** Blocks of the lines between two blank ones. */
function addGroup(text: string, lines: readonly Line[], blocks: GrowingBlock[]): void {
  if (addTable(text, lines, blocks)) return;
  const underlined = underlinedHeading(text, lines);
  if (underlined !== undefined) blocks.push(underlined);
  const rest = underlined === undefined ? lines : lines.slice(2);
  const [first] = rest;
  if (first === undefined) return;
  const depth = rest.length === 1 ? headingDepth(text, first) : 0;
  if (depth > 0) blocks.push({ kind: 'heading', depth, start: first.start, end: first.end });
  else if (!addList(text, rest, blocks)) addParagraph(blocks, first, rest.at(-1));
}

/** Lines of a caption right above a table. */
const MAX_CAPTION = 1;

/** Lines that are a table, with a caption perhaps; false when there is none. */
function addTable(text: string, lines: readonly Line[], blocks: GrowingBlock[]): boolean {
  for (let above = 0; above <= MAX_CAPTION && above < lines.length - 1; above++) {
    const line = lines[above];
    if (line === undefined || itemMark(text, line) !== undefined) return false;
    const table = plainTable(text, lines, above);
    if (table === undefined) continue;
    if (above > 0) addParagraph(blocks, lines[0], lines[above - 1]);
    blocks.push(table);
    return true;
  }
  return false;
}

function addParagraph(blocks: GrowingBlock[], first: Line | undefined, last: Line | undefined): void {
  if (first !== undefined && last !== undefined)
    blocks.push({ kind: 'paragraph', start: first.start, end: last.end });
}

/** A title is shorter than this, in UTF-16 units. */
const MAX_TITLE = 80;

/** `Title` above `=====` about as long as itself; the underline tells the depth. */
function underlinedHeading(text: string, lines: readonly Line[]): GrowingBlock | undefined {
  const [title, rule] = lines;
  if (title === undefined || rule === undefined) return undefined;
  const mark = text.charCodeAt(rule.start);
  if (mark !== EQUALS && mark !== DASH && mark !== TILDE) return undefined;
  const length = title.end - title.start;
  const ruleLength = rule.end - rule.start;
  if (length > MAX_TITLE || ruleLength < 3 || Math.abs(length - ruleLength) > Math.max(2, length / 4))
    return undefined;
  for (let at = rule.start; at < rule.end; at++) if (text.charCodeAt(at) !== mark) return undefined;
  return { kind: 'heading', depth: mark === EQUALS ? 1 : 2, start: title.start, end: rule.end };
}

/** `1.2 Scope` → 2, `CHAPTER I` → 1; 0 for a line that is no heading. */
function headingDepth(text: string, { start, end }: Line): number {
  if (end - start > MAX_TITLE || endsLikeSentence(text.charCodeAt(end - 1))) return 0;
  const line = text.slice(start, end);
  const [, number = '', initial = ''] = NUMBERED.exec(line) ?? [];
  if (hasLetter(initial) && initial === initial.toUpperCase()) return Math.min(6, number.split('.').length);
  return CHAPTER.test(line) || isCapitals(line) ? 1 : 0;
}

/** `1 Introduction`, `2.3. Method`: a number of up to six parts, then a word with a capital letter. */
const NUMBERED = /^(\d{1,3}(?:\.\d{1,3}){0,5})\.?[ \t]+["“'(]?(\S)/;

const CHAPTER =
  /^(?:chapter|part|section|appendix|book|act|scene)[ \t]+(?:\d{1,3}|[ivxlc]{1,7}|[a-z])(?:[.:\s–—-].*)?$/i;

/** A comma, semicolon, colon, full stop, exclamation or question mark. */
function endsLikeSentence(code: number): boolean {
  return code === 0x2c || code === 0x2e || code === 0x3a || code === 0x3b || code === 0x21 || code === 0x3f;
}

/** Words in capitals, four letters at least, more letters than anything else; no script without capitals. */
function isCapitals(line: string): boolean {
  if (/[a-z|=<>{}\u0590-\u1dff\u2c00-\ud7ff]/.test(line) || line !== line.toUpperCase()) return false;
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
  /** The bullet, or what stands around the number. */
  readonly style: string;
  /** `undefined` for a bullet. */
  readonly number?: number;
}

const ITEM = /^(?:([-*+•‣◦▪●○–·])|(\()?(\d{1,3})([.)]))[ \t]/u;

function itemMark(text: string, { start, end }: Span): ItemMark | undefined {
  if (isLetter(text.charCodeAt(start))) return undefined;
  const match = ITEM.exec(text.slice(start, Math.min(end, start + 8)));
  if (match === null) return undefined;
  const [, bullet, open = '', number, close = ''] = match;
  return bullet === undefined ? { style: `${open}1${close}`, number: Number(number) } : { style: bullet };
}

/** Bullets and `1)` in a row, at least two or one unmistakable bullet, with a lead-in perhaps; false when there is no list. */
function addList(text: string, lines: readonly Line[], blocks: GrowingBlock[]): boolean {
  const most = Math.min(lines.length, MAX_LEAD_IN + 1);
  for (let first = 0; first < most; first++) {
    const line = lines[first];
    const mark = line && itemMark(text, line);
    if (line === undefined || mark === undefined) continue;
    const before = first > 0 ? lines[first - 1] : undefined;
    if (before !== undefined && text.charCodeAt(before.end - 1) !== COLON) return false;
    const items = itemsOf(text, lines.slice(first), mark);
    if (items.length < 2 && (first > 0 || !isLoneItem(text, line, mark))) return false;
    addParagraph(blocks, lines[0], before);
    blocks.push(listOf(items, mark));
    return true;
  }
  return false;
}

/** Lines of a lead-in, which ends with a colon. */
const MAX_LEAD_IN = 4;

/** An item between blank lines; {@link settle} makes one list of those in a row and gives up on the others. */
function isLoneItem(text: string, { start, end }: Line, { style }: ItemMark): boolean {
  return style !== '–' && style !== '·' && style !== '-' ? end > start : text.charCodeAt(start + 1) === 0x20;
}

function itemsOf(text: string, lines: readonly Line[], { style, number }: ItemMark): GrowingBlock[] {
  const items: GrowingBlock[] = [];
  let expected = number;
  for (const line of lines) {
    const mark = itemMark(text, line);
    const begins = mark?.style === style && mark.number === expected;
    const last = items.at(-1);
    if (last !== undefined && !begins) {
      last.end = line.end;
      continue;
    }
    items.push({ kind: 'item', start: line.start, end: line.end });
    if (expected !== undefined) expected++;
  }
  for (const item of items) item.children = [{ kind: 'paragraph', start: item.start, end: item.end }];
  return items;
}

function listOf(items: GrowingBlock[], { number }: ItemMark): GrowingBlock {
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
function settle(text: string, blocks: readonly GrowingBlock[]): GrowingBlock[] {
  const settled: GrowingBlock[] = [];
  let before: GrowingBlock | undefined;
  for (const [index, found] of blocks.entries()) {
    const last = settled.at(-1);
    const block = isCounted(text, found, before, blocks[index + 1]) ? itemList(text, found) : found;
    before = found;
    if (last?.kind === 'list' && block.kind === 'list' && continues(text, last, block)) {
      for (const item of block.children ?? []) last.children?.push(item);
      last.end = block.end;
    } else settled.push(block);
  }
  for (const [index, { kind, start, end, children }] of settled.entries())
    if (kind === 'list' && children?.length === 1) settled[index] = { kind: 'paragraph', start, end };
  return settled;
}

/** True for a heading of one number whose neighbour is one as well: `1. Milk`, `2. Bread`. */
function isCounted(text: string, block: GrowingBlock, before?: GrowingBlock, after?: GrowingBlock): boolean {
  return isNumbered(text, block) && (isNumbered(text, before) || isNumbered(text, after));
}

function isNumbered(text: string, block: GrowingBlock | undefined): boolean {
  return block?.kind === 'heading' && block.depth === 1 && itemMark(text, block)?.number !== undefined;
}

function itemList(text: string, { start, end }: GrowingBlock): GrowingBlock {
  const mark = itemMark(text, { start, end });
  const paragraph: GrowingBlock = { kind: 'paragraph', start, end };
  return listOf([{ kind: 'item', start, end, children: [paragraph] }], mark ?? { style: '' });
}

function continues(text: string, list: GrowingBlock, next: GrowingBlock): boolean {
  const [mark, nextMark] = [itemMark(text, list), itemMark(text, next)];
  if (mark === undefined || mark.style !== nextMark?.style) return false;
  return mark.number === undefined || nextMark.number === mark.number + (list.children?.length ?? 0);
}
