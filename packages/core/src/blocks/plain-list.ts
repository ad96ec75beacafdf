// Lists in plain text: items that begin with the same mark or are numbered in order; a mark further right begins a list
// inside an item. In doubt the text is a paragraph, because prose has dashes and numbers at the start of lines as well.
import { columnOf, type LineSpans } from './lines.ts';
import { COLON, DOT, isDigit, isLetter, isSpace, PAREN_CLOSE, SPACE } from './marks.ts';
import { type GrowingBlock, paragraph } from './tree.ts';

/** The mark of an item: a bullet, or a number. */
interface ItemMark {
  /**
   * The unit of the bullet or, for a number, the unit behind it; {@link OPENED} is added when a bracket precedes the
   * number.
   */
  readonly style: number;
  /** `undefined` for a bullet. */
  readonly number: number | undefined;
}

const BULLETS = '-*+•‣◦▪●○–·';
const PAREN_OPEN = 0x28;
/** Added to the style of `(1)` so that it differs from that of `1)`; greater than any unit. */
const OPENED = 0x10000;
/** Most digits of an item's number. */
const MAX_DIGITS = 3;
/** Most lines of a lead-in, which is a paragraph that ends in a colon. */
const MAX_LEAD_IN = 4;
/** A mark at least so many columns further right begins a list inside the item; scans move marks by less. */
const NESTED = 2;
/**
 * Most nested lists that later items may continue; deeper lists are text of an item. A list behind a blank line may go
 * into the last open list, so at most twice as many nest.
 */
const MAX_LISTS = 8;

/** True for a line that begins as items do. */
export function isItem(text: string, start: number, end: number): boolean {
  return itemMark(text, start, end) !== undefined;
}

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

/**
 * Adds the lines from `from` on as a list, perhaps with a lead-in, and returns true. Needs at least two items, or one
 * whose bullet is unmistakable; otherwise adds nothing and returns false.
 */
export function addList(text: string, lines: LineSpans, from: number, blocks: GrowingBlock[]): boolean {
  const end = Math.min(lines.count, from + MAX_LEAD_IN + 1);
  for (let first = from; first < end; first++) {
    const mark = itemMark(text, lines.start(first), lines.end(first));
    if (mark === undefined) continue;
    const hasLeadIn = first > from;
    if (hasLeadIn && text.charCodeAt(lines.end(first - 1) - 1) !== COLON) return false;
    const list = listAt(text, lines, first, mark);
    if (isAlone(list) && (hasLeadIn || !isLoneItem(text, lines.start(first)))) return false;
    if (hasLeadIn) blocks.push(paragraph(lines.start(from), lines.end(first - 1)));
    blocks.push(list);
    return true;
  }
  return false;
}

/** True for a list with one item that has no nested list. */
function isAlone({ children = [] }: GrowingBlock): boolean {
  return children.length === 1 && children[0]?.children?.length === 1;
}

/**
 * True for an item between blank lines. {@link joinLists} later makes one list of several in a row and paragraphs of
 * the others.
 */
function isLoneItem(text: string, start: number): boolean {
  return !'-–·'.includes(text.charAt(start)) || text.charCodeAt(start + 1) === SPACE;
}

/** A list that later items may continue. */
interface OpenList {
  readonly block: ListBlock;
  /** The mark of its first item. */
  readonly mark: ItemMark;
  readonly column: number;
}

/** A list that grows. */
type ListBlock = GrowingBlock & { children: GrowingBlock[] };

/**
 * The list that begins with the line `first` and its mark. Lines that begin no item belong to the item before. {@link
 * joinLists} sets its ends. Linear.
 */
function listAt(text: string, lines: LineSpans, first: number, mark: ItemMark): ListBlock {
  const list = listOf([itemOf(lines.start(first), lines.end(first))], mark.number);
  const open: OpenList[] = [{ block: list, mark, column: columnOf(text, lines.start(first)) }];
  for (let index = first + 1; index < lines.count; index++) {
    const [start, end] = [lines.start(index), lines.end(index)];
    const next = itemMark(text, start, end);
    if (next !== undefined && placeItems(text, open, next, start, [itemOf(start, end)])) continue;
    const leaf = open.at(-1)?.block.children.at(-1)?.children?.[0];
    if (leaf !== undefined) leaf.end = end;
  }
  return list;
}

/**
 * Puts items, the first of which has the given mark, behind the open lists: into the innermost list that they continue,
 * or as a list of their own into the last item when they stand further right. Returns false in all other cases.
 */
function placeItems(
  text: string,
  open: OpenList[],
  mark: ItemMark,
  start: number,
  items: readonly GrowingBlock[],
): boolean {
  const column = columnOf(text, start);
  for (let level = open.length - 1; level >= 0; level--) {
    const list = open[level];
    if (list === undefined || !continues(list, mark, column, level === 0)) continue;
    for (const item of items) list.block.children.push(item);
    open.length = level + 1;
    return true;
  }
  const around = open.at(-1);
  const begins = mark.number === undefined || mark.number === 1;
  if (around === undefined || !begins || open.length >= MAX_LISTS || column < around.column + NESTED)
    return false;
  const block = listOf([...items], mark.number);
  around.block.children.at(-1)?.children?.push(block);
  open.push({ block, mark, column });
  return true;
}

/**
 * True when an item continues a list. An item with the next number continues the list at any indentation, since scans
 * shift lines.
 */
function continues(list: OpenList, { style, number }: ItemMark, at: number, isOutermost: boolean): boolean {
  const { block, mark, column } = list;
  if (mark.style !== style || (!isOutermost && at <= column - NESTED)) return false;
  return mark.number === undefined ? at < column + NESTED : number === mark.number + block.children.length;
}

/** Sets the ends and depths of a list and of its nested lists. */
function settle(text: string, list: ListBlock, depth: number): void {
  list.depth = depth;
  for (const item of list.children) {
    const { children = [] } = item;
    for (let index = 1; index < children.length; index++) {
      const [before, inner] = [children[index - 1], children[index]];
      if (before === undefined || inner === undefined || !isList(inner)) continue;
      settle(text, inner, depth + 1);
      if (isAlone(inner) && isText(text, list, before, inner))
        children[index] = paragraph(inner.start, inner.end);
    }
    item.end = children.at(-1)?.end ?? item.end;
  }
  list.end = list.children.at(-1)?.end ?? list.end;
}

/**
 * True when a list of one item is a line of the item around it that happens to begin with a dash: no colon introduces
 * the list, and its mark differs.
 */
function isText(text: string, list: GrowingBlock, before: GrowingBlock, { start }: GrowingBlock): boolean {
  return text.charCodeAt(before.end - 1) !== COLON && text.charAt(start) !== text.charAt(list.start);
}

function isList(block: GrowingBlock): block is ListBlock {
  return block.kind === 'list';
}

function itemOf(start: number, end: number): GrowingBlock {
  return { kind: 'item', start, end, children: [paragraph(start, end)] };
}

function listOf(children: GrowingBlock[], number: number | undefined): ListBlock {
  const [start = 0, end = 0] = [children[0]?.start, children.at(-1)?.end];
  const list: ListBlock = { kind: 'list', depth: 1, start, end, children };
  if (number === undefined) return list;
  list.ordered = true;
  if (number !== 1) list.first = number;
  return list;
}

/**
 * Resolves lists by their neighbours. Lists that follow one another become one where their marks continue, or one
 * inside the last item of the other where they stand further right. A list of one item becomes a paragraph. Headings
 * `1`, `2`, `3` with nothing between them become items.
 */
export function joinLists(text: string, blocks: GrowingBlock[]): void {
  // The joined blocks overwrite the front of the same array.
  let count = 0;
  let before: GrowingBlock | undefined;
  let open: OpenList[] = [];
  for (let index = 0; index < blocks.length; index++) {
    const found = blocks[index];
    if (found === undefined) break;
    const block = isCounted(text, found, before, blocks[index + 1]) ? itemList(text, found) : found;
    before = found;
    if (isList(block)) {
      if (blocks[count - 1]?.kind !== 'list') open = [];
      if (join(text, open, block)) continue;
    }
    blocks[count++] = block;
  }
  blocks.length = count;
  for (let index = 0; index < count; index++) {
    const block = blocks[index];
    if (block === undefined || !isList(block)) continue;
    settle(text, block, 1);
    if (isAlone(block)) blocks[index] = paragraph(block.start, block.end);
  }
}

/** Puts a list behind the open one; opens the list and returns false when the two do not belong together. */
function join(text: string, open: OpenList[], list: ListBlock): boolean {
  const mark = itemMark(text, list.start, list.end);
  if (mark === undefined) return false;
  const isJoined = placeItems(text, open, mark, list.start, list.children);
  if (!isJoined) open.length = 0;
  openLast(text, open, isJoined ? list.children.at(-1)?.children?.at(-1) : list);
  return isJoined;
}

/**
 * Opens a list and the lists nested in its last items, up to a bound. Without the bound each group of lines would nest
 * deeper than the one before.
 */
function openLast(text: string, open: OpenList[], list: GrowingBlock | undefined): void {
  for (
    let inner = list;
    inner !== undefined && isList(inner) && open.length < MAX_LISTS;
    inner = inner.children.at(-1)?.children?.at(-1)
  ) {
    const mark = itemMark(text, inner.start, inner.end);
    if (mark !== undefined) open.push({ block: inner, mark, column: columnOf(text, inner.start) });
  }
}

/** True for a heading that is one number with a title and has such a neighbour: `1. Milk`, `2. Bread`. */
function isCounted(text: string, block: GrowingBlock, before?: GrowingBlock, after?: GrowingBlock): boolean {
  return (
    numberOf(text, block) !== undefined && (numberOf(text, before) ?? numberOf(text, after)) !== undefined
  );
}

/** The number of a heading that may be an item; undefined for other blocks. */
function numberOf(text: string, block: GrowingBlock | undefined): number | undefined {
  if (block?.kind !== 'heading' || block.depth !== 1) return undefined;
  return itemMark(text, block.start, block.end)?.number;
}

function itemList(text: string, { start, end }: GrowingBlock): ListBlock {
  return listOf([itemOf(start, end)], itemMark(text, start, end)?.number);
}

/** `(a) `, `b) `, `(iii) `. */
const LETTERS = /^(?:\(([a-z]|[ivx]{2,5})\)|([a-z])\))[ \t]/;
const ROMANS = 'i ii iii iv v vi vii viii ix x xi xii xiii xiv xv'.split(' ');
const ALPHABET = 'a b c d e f g h i j k l m n o p q r s t u v w x y z'.split(' ');

/** Joins at least two paragraphs that are lettered in order to lists. */
export function withLetters(text: string, blocks: GrowingBlock[]): GrowingBlock[] {
  let listed: GrowingBlock[] | undefined;
  for (let at = 0; at < blocks.length;) {
    const from = at;
    const block = blocks[at++];
    if (block === undefined) break;
    const first = lettersOf(text, block);
    if (first === '') {
      listed?.push(block);
      continue;
    }
    const sequence = ROMANS.includes(first) ? ROMANS : ALPHABET;
    const ordinal = sequence.indexOf(first);
    if (ordinal !== -1) while (lettersOf(text, blocks[at]) === sequence[ordinal + at - from]) at++;
    if (at === from + 1) listed?.push(block);
    else (listed ??= blocks.slice(0, from)).push(listOfLetters(blocks.slice(from, at), ordinal + 1));
  }
  return listed ?? blocks;
}

function listOfLetters(paragraphs: readonly GrowingBlock[], first: number): ListBlock {
  return listOf(
    paragraphs.map((item) => ({ ...item, kind: 'item', children: [item] })),
    first,
  );
}

function lettersOf(text: string, block: GrowingBlock | undefined): string {
  if (block?.kind !== 'paragraph') return '';
  const code = text.charCodeAt(block.start);
  if (code !== PAREN_OPEN && (!isLetter(code) || text.charCodeAt(block.start + 1) !== PAREN_CLOSE)) return '';
  const match = LETTERS.exec(text.slice(block.start, block.start + 8));
  return match?.[1] ?? match?.[2] ?? '';
}
