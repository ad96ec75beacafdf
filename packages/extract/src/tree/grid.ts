// A table as GFM can show it: spans laid out on a grid, the value once and empty cells after it, cells flattened to one
// line. Costs a constant times what the table holds, whatever its spans claim.
import type { CellNode, ListNode, RowNode, TableNode, TreeNode } from './node.ts';

/** Rows of finished cell texts, `|` and line ends escaped; the first row is the header when `header` is true. */
export interface Grid {
  readonly rows: readonly (readonly string[])[];
  readonly header: boolean;
}

/** Where a cell stands: its first column. */
interface Placed {
  readonly column: number;
  readonly text: string;
}

/**
 * Empty cells that spans may claim: this many for each real cell, and a floor for small tables. A table that claims
 * more is hostile; from there on its spans are ignored.
 */
const EMPTY_PER_CELL = 2;
const EMPTY_FLOOR = 10_000;

/** Lays out a table. Rows without any text are left out, and columns in which no cell begins. */
export function layOut(table: TableNode): Grid {
  const rows = place(table.rows);
  const shown = rows.flatMap((cells, index) => (cells.some(({ text }) => text !== '') ? [index] : []));
  const texts = squeeze(shown.map((index) => rows[index] ?? []));
  const first = table.rows[shown[0] ?? 0];
  return { rows: texts, header: first !== undefined && (isHeader(first) || looksLikeHeader(table, texts)) };
}

function place(rows: readonly RowNode[]): Placed[][] {
  let budget = allowance(rows.reduce((sum, row) => sum + row.cells.length, 0));
  /** For each column the first row that no cell above reaches. */
  const freeFrom: number[] = [];
  return rows.map(({ cells }, row) => {
    const placed: Placed[] = [];
    let column = 0;
    for (const cell of cells) {
      for (; (freeFrom[column] ?? 0) > row && budget > 0; column++) budget--;
      placed.push({ column, text: flatten(cell.children) });
      const width = Math.min(cell.colspan, Math.max(1, budget));
      if (cell.rowspan > 1) cover(freeFrom, column, width, row + cell.rowspan);
      budget -= width - 1;
      column += width;
    }
    return placed;
  });
}

function allowance(cells: number): number {
  return EMPTY_FLOOR + EMPTY_PER_CELL * cells;
}

function cover(freeFrom: number[], column: number, width: number, until: number): void {
  while (freeFrom.length < column) freeFrom.push(0);
  for (let at = column; at < column + width; at++) freeFrom[at] = Math.max(freeFrom[at] ?? 0, until);
}

/** Numbers the columns in which a cell begins, leaves out the others, and fills the gaps before and between cells. */
function squeeze(rows: readonly (readonly Placed[])[]): string[][] {
  const used = [...new Set(rows.flatMap((cells) => cells.map(({ column }) => column)))].sort((a, b) => a - b);
  const rank = new Map(used.map((column, index) => [column, index]));
  let padding = allowance(rows.reduce((sum, cells) => sum + cells.length, 0));
  return rows.map((cells) => {
    const texts: string[] = [];
    for (const { column, text } of cells) {
      for (const to = rank.get(column) ?? 0; texts.length < to && padding > 0; padding--) texts.push('');
      texts.push(text);
    }
    for (; texts.length < used.length && padding > 0; padding--) texts.push('');
    return texts;
  });
}

function isHeader({ header, cells }: RowNode): boolean {
  return header || cells.every((cell) => cell.header);
}

/** A figure, an amount, a date: what stands below a header, not in it. */
const FIGURE = /^[\s\d.,:;%$€£¥+()/–-]*\d[\s\d.,:;%$€£¥+()/–-]*$/;

/** Longest text of a cell that is still a label. */
const MAX_LABEL = 60;

/** Without header cells anywhere, a first row of different short labels above more rows is taken for the header. */
function looksLikeHeader(table: TableNode, [first = [], ...others]: readonly string[][]): boolean {
  if (others.length === 0) return false;
  if (table.rows.some((row) => row.header || row.cells.some((cell) => cell.header))) return false;
  const labels = first.every((text) => text !== '' && text.length <= MAX_LABEL && !FIGURE.test(text));
  return labels && new Set(first).size === first.length;
}

/** Longest text of a cell with a table or code in it that is still a value, in UTF-16 units. */
const MAX_NESTED_VALUE = 500;

/** Longest text of a cell that is alone in its row and still a value: a column of names, not a page in a frame. */
const MAX_ONLY_VALUE = 200;

/** True when a table is a frame for other blocks rather than rows of values: its cells are read one after another. */
export function isLayout({ presentational, rows }: TableNode): boolean {
  const cells = rows.flatMap((row) => row.cells);
  if (presentational || cells.length <= 1) return true;
  if (cells.some((cell) => holdsStructure(cell) && isLongerThan(cell.children, MAX_NESTED_VALUE)))
    return true;
  if (cells.some((cell) => cell.header) || rows.some((row) => row.header)) return false;
  if (rows.every((row) => row.cells.length <= 1)) return cells.some((cell) => !isShortValue(cell));
  return (
    rows.length === 1 &&
    cells.some((cell) => cell.children.length > 1 || cell.children[0]?.kind === 'heading')
  );
}

/** One paragraph of no more than a few lines. */
function isShortValue({ children: [first, ...others] }: CellNode): boolean {
  return (
    others.length === 0 &&
    (first === undefined || (first.kind === 'paragraph' && first.text.length <= MAX_ONLY_VALUE))
  );
}

function holdsStructure({ children }: CellNode): boolean {
  return children.some(({ kind }) => kind === 'table' || kind === 'code');
}

/** Looks at no more than it must, so that nested tables are not read anew on every level. */
function isLongerThan(children: readonly TreeNode[], limit: number): boolean {
  let length = 0;
  const stack: Pending[] = [];
  pushReversed(stack, children);
  for (let node = stack.pop(); node !== undefined && length <= limit; node = stack.pop()) {
    if (node.kind === 'row') for (const cell of node.cells) pushReversed(stack, cell.children);
    else if (node.kind !== 'mark') length += 1 + flatLine(node, stack).length;
  }
  return length > limit;
}

/** What a cell holds, as one line. Blocks are parted by `<br>`, cells of a table inside by blanks. */
function flatten(children: readonly TreeNode[]): string {
  return escapeCell(flatLines(children).join('\n'));
}

function escapeCell(text: string): string {
  return text.replace(/\|/g, '\\|').replace(/\n+/g, '<br>');
}

/** What {@link flatLines} has still to write. */
type Pending = TreeNode | RowNode | { readonly kind: 'mark'; readonly mark: string };

/**
 * One line a block, in order. Keeps its own stack; only a table inside a cell calls it again, which the builder's
 * bound on depth keeps to some thirty levels.
 */
export function flatLines(children: readonly TreeNode[]): string[] {
  const lines: string[] = [];
  const stack: Pending[] = [];
  pushReversed(stack, children);
  let mark = '';
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.kind === 'mark') {
      mark = node.mark;
      continue;
    }
    const line = flatLine(node, stack);
    if (line === '') continue;
    lines.push(mark + line);
    mark = '';
  }
  return lines;
}

/** The line of a leaf or row; containers go to the stack instead and give ''. */
function flatLine(node: TreeNode | RowNode, stack: Pending[]): string {
  switch (node.kind) {
    case 'heading':
    case 'paragraph':
    case 'image':
      return node.text;
    case 'code':
      return flatCode(node.text);
    case 'row':
      return node.cells.flatMap((cell) => flatLines(cell.children)).join(' ');
    case 'list':
      pushItems(stack, node);
      return '';
    case 'table':
      pushReversed(stack, node.rows);
      pushReversed(stack, node.caption);
      return '';
    case 'quote':
    case 'footnote':
      pushReversed(stack, node.children);
      return '';
    case 'rule':
    case 'page':
      return '';
  }
}

function pushItems(stack: Pending[], { children, ordered, start }: ListNode): void {
  stack.push({ kind: 'mark', mark: '' });
  for (let index = children.length - 1; index >= 0; index--) {
    pushReversed(stack, children[index]?.children ?? []);
    stack.push({ kind: 'mark', mark: ordered ? `${start + index}. ` : '- ' });
  }
}

function pushReversed(stack: Pending[], nodes: readonly Pending[]): void {
  for (let index = nodes.length - 1; index >= 0; index--) {
    const node = nodes[index];
    if (node !== undefined) stack.push(node);
  }
}

/** Code in a cell: each line as inline code, for a fence needs lines of its own. */
function flatCode(code: string): string {
  return code
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => (line.includes('`') ? line.replaceAll('`', '\\`') : `\`${line.trim()}\``))
    .join('\n');
}
