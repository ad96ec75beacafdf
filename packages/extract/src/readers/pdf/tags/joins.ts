// Joins the elements of tagged pages across the ends of pages: parts of one element have one key.
import { flatLines, glyphsWithin } from '../../../tree/cell.ts';
import { joinGlyphs } from '../../../tree/glyphs.ts';
import type { CellNode, ItemNode, ListNode, RowNode, TableNode, TreeNode } from '../../../tree/node.ts';
import { joinLines } from '../lines/text.ts';
import type { TextLine } from '../lines/text.ts';
import type { Origin, Origins } from './builder.ts';
import type { TaggedNodes } from './nodes.ts';

/** The nodes of pages, and the pages after which the next one begins inside a node. */
export interface JoinedTags {
  readonly pages: readonly (TreeNode[] | undefined)[];
  readonly goesOn: ReadonlySet<number>;
}

/** Joins tagged pages; `isClosed` is true where more than the nodes stands at the end of a page. */
export function joinTagged(
  pages: readonly (TaggedNodes | undefined)[],
  isClosed: (page: number) => boolean,
  origins: Origins,
): JoinedTags {
  const goesOn = new Set<number>();
  /** The nodes that the next page may continue, and the running feet to be placed before or behind the last. */
  let open: TreeNode[] | undefined;
  let below: TreeNode[] = [];
  const joined = pages.map((page, at) => {
    const own = page === undefined ? undefined : [...page.nodes];
    const isJoined = open !== undefined && own !== undefined && joinPage(open, own, origins);
    if (isJoined) goesOn.add(at - 1);
    open?.splice(isJoined ? -1 : open.length, 0, ...below);
    below = paragraphs(page?.below);
    const isWithin = isJoined && own.length === 0;
    own?.unshift(...paragraphs(page?.above));
    if (isWithin) own.push(...below.splice(0));
    else open = own;
    if (isClosed(at)) {
      open?.push(...below.splice(0));
      open = undefined;
    }
    return own;
  });
  open?.push(...below);
  return { pages: joined, goesOn };
}

function paragraphs(lines: readonly TextLine[] = []): TreeNode[] {
  return lines.map((line) => ({ kind: 'paragraph', text: line.text, ...joinGlyphs([line]) }));
}

/**
 * Joins the first node of a page to the last of the page before, when both are parts of one element. Notes at the end
 * of the page come before the joined node. True if it has: the page break is then inside the node.
 */
export function joinPage(before: TreeNode[], page: TreeNode[], origins: Origins): boolean {
  const at = before.findLastIndex(({ kind }) => kind !== 'footnote');
  const [last, first] = [before[at], page[0]];
  if (last === undefined || first === undefined) return false;
  const joined = joinNodes(last, first, origins);
  if (joined === undefined) return false;
  before.splice(at, 1);
  before.push(joined);
  page.shift();
  return true;
}

function joinNodes(last: TreeNode, first: TreeNode, origins: Origins): TreeNode | undefined {
  const origin = origins.get(last);
  if (origin === undefined || origin.end !== origins.get(first)?.begin) return undefined;
  const joined = joinKinds(last, first, origin.between, origins);
  // What comes on the next page follows the end of the joined node.
  if (joined !== undefined) origins.set(joined, origins.get(first) ?? origin);
  return joined;
}

function joinKinds(
  last: TreeNode,
  first: TreeNode,
  between: Origin['between'],
  origins: Origins,
): TreeNode | undefined {
  if (last.kind === 'paragraph' && first.kind === 'paragraph') {
    if (last.pageBreak !== undefined || first.pageBreak !== undefined) return undefined;
    const text = joinLines(
      [
        { text: last.text, isDivided: between === '' },
        { text: first.text, isDivided: false },
      ],
      between,
    );
    return { ...last, text, pageBreak: text.length - first.text.length, ...joinGlyphs([last, first]) };
  }
  if (last.kind === 'list' && first.kind === 'list') return joinLists(last, first, origins);
  if (last.kind === 'table' && first.kind === 'table') return joinTables(last, first, origins);
  if (last.kind === 'quote' && first.kind === 'quote')
    return { ...last, children: joinChildren(last.children, first.children, origins) };
  return undefined;
}

/** The children of two parts of a container, with the page break between. */
function joinChildren(last: readonly TreeNode[], first: readonly TreeNode[], origins: Origins): TreeNode[] {
  const [children, more] = [[...last], [...first]];
  if (!joinPage(children, more, origins)) children.push({ kind: 'page' });
  for (const node of more) children.push(node);
  return children;
}

function joinLists(last: ListNode, first: ListNode, origins: Origins): ListNode {
  const items = [...last.children];
  const [head, ...others] = first.children;
  const end = items.at(-1);
  if (head === undefined) return last;
  if (end !== undefined && isSame(end, head, origins)) {
    const label = head.label?.trim() ?? '';
    // The item has a label of its own, so that a label on the next page is text.
    const rest: TreeNode[] =
      label === ''
        ? head.children
        : [{ kind: 'paragraph', text: label, ...joinGlyphs([head]) }, ...head.children];
    const joined: ItemNode = { ...end, children: joinChildren(end.children, rest, origins) };
    keep(joined, end, origins);
    items[items.length - 1] = joined;
  } else {
    const begun: ItemNode = { ...head, children: [{ kind: 'page' }, ...head.children] };
    keep(begun, head, origins);
    items.push(begun);
  }
  for (const item of others) items.push(item);
  return { ...last, children: items };
}

function joinTables(last: TableNode, first: TableNode, origins: Origins): TableNode {
  const rows = [...last.rows];
  const repeated = first.rows.findIndex((row, index) => !isRepeated(last.rows[index], row));
  const [head, ...others] = first.rows.slice(Math.max(0, repeated));
  const end = rows.at(-1);
  if (head === undefined) return last;
  const whole = end !== undefined && isSame(end, head, origins) ? joinRows(end, head) : undefined;
  if (whole !== undefined) {
    rows[rows.length - 1] = whole;
    keep(whole, head, origins);
  } else {
    const begun: RowNode = { ...head, startsPage: true };
    rows.push(begun);
    keep(begun, head, origins);
  }
  for (const row of others) rows.push(row);
  return { ...last, caption: [...last.caption, ...first.caption], rows };
}

function isSame(end: object, head: object, origins: Origins): boolean {
  const key = origins.get(end)?.end;
  return key !== undefined && key === origins.get(head)?.begin;
}

function keep(copy: object, original: object, origins: Origins): void {
  const origin = origins.get(original);
  if (origin !== undefined) origins.set(copy, origin);
}

/** True if a row repeats a header row of the table. */
function isRepeated(row: RowNode | undefined, other: RowNode): boolean {
  return row?.header === true && other.header && textOf(row) === textOf(other);
}

function textOf({ cells }: RowNode): string {
  return cells.map(cellText).join('\n');
}

function cellText({ children }: CellNode): string {
  return flatLines(children).join('\n');
}

/**
 * Joins the halves of a row on two pages; `undefined` when the page break cannot stand in it. The break is in the cell
 * with the most text on the next page.
 */
function joinRows(last: RowNode, row: RowNode): RowNode | undefined {
  if (row.cells.length !== last.cells.length || ![...last.cells, ...row.cells].every(isText))
    return undefined;
  const [above, below] = [last.cells.map(cellText), row.cells.map(cellText)];
  const most = Math.max(0, ...below.map(({ length }) => length));
  const broken = below.findIndex(({ length }) => length === most);
  if (most === 0 || above[broken] === '') return undefined;
  const cells = last.cells.map((cell, column): CellNode => {
    const [begin = '', rest = ''] = [above[column], below[column]];
    if (rest === '') return cell;
    const text = joinLines(
      [begin, rest].map((text) => ({ text, isDivided: false })),
      ' ',
    );
    const pageBreak = column === broken ? { pageBreak: text.length - rest.length } : undefined;
    const shown = joinGlyphs([cell, row.cells[column]].map((half) => half && glyphsWithin(half.children)));
    return { ...cell, children: [{ kind: 'paragraph', text, ...pageBreak, ...shown }] };
  });
  return { ...last, cells };
}

/** True if a cell is text that no page ends in. */
function isText({ children }: CellNode): boolean {
  return children.every(
    (node) => node.kind === 'list' || (node.kind === 'paragraph' && node.pageBreak === undefined),
  );
}
