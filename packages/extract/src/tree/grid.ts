// A table as GFM can show it: spans laid out on a grid, the value once and empty cells after it, cells flattened to one
// line. Costs a constant times what the table holds, whatever its spans claim.
import type { CellNode, ListNode, RowNode, TableNode, TreeNode } from './node.ts';

/** A value with its place in the grid: the columns and rows that it takes, from 1. */
export interface GridCell {
  /** One line, `|` and line ends escaped. */
  readonly text: string;
  readonly columnSpan: number;
  readonly rowSpan: number;
  /** Where in `text` a page begins. */
  readonly pageBreak?: number;
}

/** Rows of one entry a column; `undefined` where a cell to the left or above reaches. */
export interface Grid {
  readonly rows: readonly (readonly (GridCell | undefined)[])[];
  /** How many of the rows, from the first, name the columns. */
  readonly headers: number;
  /** How many pages begin with each row, and behind the last. */
  readonly pageStarts: readonly number[];
}

/** Where a cell stands, in columns and rows of the source. */
interface Placed {
  readonly column: number;
  readonly width: number;
  readonly height: number;
  readonly text: string;
  readonly pageBreak?: number;
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
  const cells = squeeze(rows, shown);
  return {
    rows: cells,
    headers: headersOf(table, cells, shown),
    pageStarts: pageStartsOf(table.rows, shown),
  };
}

/** A page that begins with a row that is left out begins with the next. */
function pageStartsOf(rows: readonly RowNode[], shown: readonly number[]): number[] {
  const starts = new Array<number>(shown.length + 1).fill(0);
  let next = 0;
  for (const [row, { startsPage }] of rows.entries()) {
    while ((shown[next] ?? Infinity) < row) next++;
    if (startsPage === true) starts[next] = (starts[next] ?? 0) + 1;
  }
  return starts;
}

/** Rows of nothing but header cells, from the first; all rows are never a header. */
function headersOf(table: TableNode, rows: Grid['rows'], shown: readonly number[]): number {
  const declared = shown.findIndex((row) => !isHeader(table.rows[row]));
  if (declared > 0) return declared;
  if (declared === -1) return Math.min(1, shown.length);
  return looksLikeHeader(table, rows) ? 1 : 0;
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
      const width = Math.min(cell.colspan, Math.max(1, budget));
      placed.push({ column, width, height: cell.rowspan, text: flatten(cell.children), ...breakOf(cell) });
      if (cell.rowspan > 1) cover(freeFrom, column, width, row + cell.rowspan);
      budget -= width - 1;
      column += width;
    }
    return placed;
  });
}

/** Where the text of a cell goes on over the end of its page, once it is flat. */
function breakOf({ children: [only, ...others] }: CellNode): { pageBreak?: number } {
  if (only?.kind !== 'paragraph' || only.pageBreak === undefined || others.length > 0) return {};
  return { pageBreak: escapeCell(only.text.slice(0, only.pageBreak)).length };
}

function allowance(cells: number): number {
  return EMPTY_FLOOR + EMPTY_PER_CELL * cells;
}

function cover(freeFrom: number[], column: number, width: number, until: number): void {
  while (freeFrom.length < column) freeFrom.push(0);
  for (let at = column; at < column + width; at++) freeFrom[at] = Math.max(freeFrom[at] ?? 0, until);
}

/** Numbers the shown rows and the columns in which a cell begins, leaves out the others, and fills the gaps. */
function squeeze(rows: readonly (readonly Placed[])[], shown: readonly number[]): (GridCell | undefined)[][] {
  const columns = [...new Set(shown.flatMap((row) => (rows[row] ?? []).map(({ column }) => column)))];
  columns.sort((a, b) => a - b);
  const rank = new Map(columns.map((column, index) => [column, index]));
  let padding = allowance(shown.reduce((sum, row) => sum + (rows[row]?.length ?? 0), 0));
  const shownBefore = [0];
  for (const row of rows.keys())
    shownBefore.push((shownBefore[row] ?? 0) + (shown[shownBefore[row] ?? 0] === row ? 1 : 0));
  /** For each column the first of the shown rows that no cell above reaches. */
  const freeFrom: number[] = [];
  return shown.map((row, index) => {
    const cells: (GridCell | undefined)[] = [];
    const fill = (to: number): void => {
      for (; cells.length < to && padding > 0; padding--)
        cells.push((freeFrom[cells.length] ?? 0) > index ? undefined : EMPTY);
    };
    for (const { column, width, height, text, pageBreak } of rows[row] ?? []) {
      const first = rank.get(column) ?? 0;
      fill(first);
      let columnSpan = 1;
      while ((columns[first + columnSpan] ?? Infinity) < column + width) columnSpan++;
      const rowSpan = (shownBefore[Math.min(rows.length, row + height)] ?? 0) - index;
      if (columnSpan > 1 || rowSpan > 1) cover(freeFrom, first, columnSpan, index + rowSpan);
      cells.push({ text, columnSpan, rowSpan, ...(pageBreak === undefined ? undefined : { pageBreak }) });
    }
    fill(columns.length);
    return cells;
  });
}

const EMPTY: GridCell = { text: '', columnSpan: 1, rowSpan: 1 };

function isHeader(row: RowNode | undefined): boolean {
  return row !== undefined && (row.header || row.cells.every((cell) => cell.header));
}

/** A figure, an amount, a date: what stands below a header, not in it. */
const FIGURE = /^[\s\d.,:;%$€£¥+()/–-]*\d[\s\d.,:;%$€£¥+()/–-]*$/;

/** Longest text of a cell that is still a label. */
const MAX_LABEL = 60;

/**
 * Without header cells anywhere, a first row of different short labels above more rows is taken for the header; and one
 * whose labels repeat, or that has none above the names of the rows, where most columns below it hold figures.
 */
function looksLikeHeader(table: TableNode, [first = [], ...rows]: Grid['rows']): boolean {
  if (rows.length === 0) return false;
  if (table.rows.some((row) => row.header || row.cells.some((cell) => cell.header))) return false;
  const labels = first.map((cell) => cell?.text ?? '');
  const [corner = '', ...others] = labels;
  if (!others.every(isLabel) || !(corner === '' || isLabel(corner))) return false;
  return (corner !== '' && new Set(labels).size === labels.length) || isAboveFigures(labels.length, rows);
}

function isLabel(text: string): boolean {
  return text !== '' && text.length <= MAX_LABEL && !FIGURE.test(text);
}

/** Of the columns behind the first, and of the filled cells of each, so many are figures. */
const FIGURES_SHARE = 0.6;

/** Whether most columns but the first hold figures. Looks at each cell once: rows may be shorter than the first. */
function isAboveFigures(width: number, rows: Grid['rows']): boolean {
  const filled = new Array<number>(width).fill(0);
  const figures = new Array<number>(width).fill(0);
  for (const row of rows)
    for (const [column, cell] of row.entries()) {
      if (column === 0 || cell === undefined || cell.text === '') continue;
      filled[column] = (filled[column] ?? 0) + 1;
      if (FIGURE.test(cell.text)) figures[column] = (figures[column] ?? 0) + 1;
    }
  const columns = filled.filter((count, at) => count > 0 && (figures[at] ?? 0) >= FIGURES_SHARE * count);
  return width > 1 && columns.length >= FIGURES_SHARE * (width - 1);
}

/** Longest text of a cell with a table or code in it that is still a value, in UTF-16 units. */
const MAX_NESTED_VALUE = 500;

/** Longest text of a cell that is alone in its row and still a value: a column of names, not a page in a frame. */
const MAX_ONLY_VALUE = 200;

/** True when a table is a frame for other blocks rather than rows of values: its cells are read one after another. */
export function isLayout({ presentational, rows }: TableNode): boolean {
  const cells = rows.flatMap((row) => row.cells);
  if (presentational || cells.filter(({ children }) => children.length > 0).length <= 1) return true;
  if (cells.some((cell) => holdsStructure(cell) && isLongerThan(cell.children, MAX_NESTED_VALUE)))
    return true;
  if (cells.some((cell) => cell.header) || rows.some((row) => row.header)) return false;
  if (rows.every((row) => row.cells.length <= 1)) return cells.some((cell) => !isShortValue(cell));
  return (
    rows.length === 1 &&
    cells.some(
      ({ children: [first, ...others] }) =>
        others.length > 0 || first?.kind === 'heading' || first?.kind === 'table',
    )
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
