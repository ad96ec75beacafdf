// Detects tables and lists that are only frames for blocks of text beside or below one another. Their cells and items
// are read one after the other. The criteria of browsers for screen readers (headers, captions, rows of one cell,
// nested tables) decide here too, and the length of cells: a table of values keeps its rows even without any mark of
// the author.
import { isBlank, isLongerThan } from './cell.ts';
import { withoutMarks } from './links.ts';
import type { CellNode, ItemNode, ListNode, RowNode, TableNode, TreeNode } from './node.ts';

/** Longest text of a cell with a table, a heading or code in it that is still a value, in UTF-16 units. */
const MAX_NESTED_VALUE = 500;

/**
 * Longest text of a cell that is alone in its row and still a value: a name, a question with its answers, not a page in
 * a frame.
 */
const MAX_ONLY_VALUE = 200;

/** The table without columns that are blank in all rows; the table itself where a cell covers others. */
export function withoutBlankColumns(table: TableNode): TableNode {
  const { rows } = table;
  const width = rows[0]?.cells.length ?? 0;
  const isPlain = rows.every(
    ({ cells }) =>
      cells.length === width && cells.every(({ colspan, rowspan }) => colspan === 1 && rowspan === 1),
  );
  if (!isPlain) return table;
  const kept = Array.from({ length: width }, (_, at) =>
    rows.some(({ cells }) => !isBlank(cells[at]?.children ?? [])),
  );
  if (!kept.includes(false)) return table;
  return { ...table, rows: rows.map((row) => ({ ...row, cells: row.cells.filter((_, at) => kept[at]) })) };
}

/** True when a table is a frame for other blocks rather than rows of values: its cells are read one after another. */
export function isLayout({ presentational, isFramed, rows }: TableNode): boolean {
  const cells = rows.flatMap((row) => row.cells);
  if (presentational || cells.filter(({ children }) => !isBlank(children)).length <= 1) return true;
  if (cells.some((cell) => holds(cell, STRUCTURES) && isLongerThan(cell.children, MAX_NESTED_VALUE)))
    return true;
  if (isFramed === false && isPictured(rows)) return true;
  if (cells.some((cell) => cell.header) || rows.some((row) => row.header)) return false;
  if (cells.some((cell) => holds(cell, HEADINGS) && isLongerThan(cell.children, MAX_NESTED_VALUE)))
    return true;
  const isColumn = rows.every((row) => row.cells.length <= 1);
  // Nothing is drawn, and there is no second row or column to align with.
  if (isFramed === false && (isColumn || rows.length === 1)) return true;
  if (isColumn) return cells.some((cell) => !isCompact(cell));
  return rows.length === 1 && cells.some(isPassage);
}

/**
 * True when a list is a frame for sections of the page: each item begins with a heading, and some have more than a
 * heading, or there is a single item whose first block needs no bullet. Content above a heading, such as the date of an
 * article, would look like the end of the section before. A list of headings alone is a menu; numbers and labels are
 * text, so a list that has them stays a list.
 */
export function isSections({ ordered, children }: ListNode): boolean {
  if (ordered || children.some(({ label }) => label !== undefined)) return false;
  const items = children.filter((item) => item.children.length > 0);
  const areTitled = items.every(({ children: [first] }) => first?.kind === 'heading');
  const isText = ({ kind }: TreeNode): boolean => kind !== 'heading';
  if (areTitled && items.some((item) => item.children.some(isText))) return true;
  return items.length === 1 && BULLETLESS.has(items[0]?.children[0]?.kind ?? '');
}

/** One picture beside rows of no more than one cell of words: the sign before a note. */
function isPictured(rows: readonly RowNode[]): boolean {
  const isPicture = ({ children }: CellNode): boolean =>
    children.length > 0 && children.every(({ kind }) => kind === 'image');
  return (
    rows.flatMap(({ cells }) => cells).filter(isPicture).length === 1 &&
    rows.every(
      ({ cells }) => cells.filter((cell) => cell.children.length > 0 && !isPicture(cell)).length <= 1,
    )
  );
}

const STRUCTURES: ReadonlySet<string> = new Set(['table', 'code']);
const HEADINGS: ReadonlySet<string> = new Set(['heading']);
/** Blocks that need no bullet when there is only one item. */
const BULLETLESS: ReadonlySet<string> = new Set(['heading', 'list', 'table', 'code']);

function holds({ children }: CellNode, kinds: ReadonlySet<string>): boolean {
  return children.some(({ kind }) => kinds.has(kind));
}

/** No more than a few lines, and no block that needs lines of its own. */
function isCompact(cell: CellNode): boolean {
  return (
    !holds(cell, STRUCTURES) && !holds(cell, HEADINGS) && !isLongerThan(cell.children, MAX_ONLY_VALUE + 1)
  );
}

/** More than one paragraph, the beginning of a section, or a list of more than a few entries. */
function isPassage({ children }: CellNode): boolean {
  const [first, ...others] = children;
  if (others.length > 0 || first?.kind === 'heading' || first?.kind === 'table') return true;
  return first?.kind === 'list' && isLongerThan(children, MAX_ONLY_VALUE);
}

/**
 * The list that a table represents by its author's markup; `undefined` when its rows have another shape, or its numbers
 * differ from those of the list.
 */
export function listOf({ list, rows, caption }: TableNode): ListNode | undefined {
  if (list === undefined || caption.length > 0 || rows.length === 0) return undefined;
  const items = rows.map(({ cells: [name, text, ...others] }, index) => {
    const label = name?.children[0];
    if (name === undefined || label?.kind !== 'paragraph' || text === undefined || others.length > 0)
      return undefined;
    if (list === 'callouts')
      return Number(/\d+/.exec(withoutMarks(label.text))?.[0]) === index + 1 ? text.children : undefined;
    return [...name.children.map(strong), ...text.children];
  });
  if (items.includes(undefined)) return undefined;
  const children = items.map((children = []): ItemNode => ({ kind: 'item', children }));
  return { kind: 'list', ordered: list === 'callouts', isOfTerms: list === 'terms', start: 1, children };
}

/** A term as lists of terms have it. */
function strong(node: TreeNode): TreeNode {
  if (node.kind !== 'paragraph' || node.text.includes('**')) return node;
  return { ...node, text: node.text.replace(/.+/g, '**$&**') };
}

/** Rows that belong together, and the heading rows above them. */
export interface TablePart {
  readonly titles: RowNode[];
  readonly rows: RowNode[];
}

/**
 * A table split at heading rows: each names the rows below it. Its first rows are split off only where names of columns
 * follow, which hold for all rows below, and no row is split off where a cell reaches over it.
 */
export function partsOf({ rows }: TableNode): readonly TablePart[] {
  const parts: TablePart[] = [];
  let part: TablePart | undefined;
  let reach = 0;
  let isNamed = false;
  for (const [index, row] of rows.entries()) {
    const isNext = reach <= index && !isNamed && isTitle(row);
    if (part === undefined || (isNext && part.rows.length > 0)) parts.push((part = { titles: [], rows: [] }));
    if (isNext) part.titles.push(row);
    else {
      part.rows.push(row);
      isNamed ||= row.header || row.cells.every(({ header }) => header);
      for (const { rowspan } of row.cells) reach = Math.max(reach, index + rowspan);
    }
  }
  return parts;
}

function isTitle({ cells, startsPage }: RowNode): boolean {
  const [only, ...others] = cells.filter(({ children }) => children.length > 0);
  if (only === undefined || others.length > 0 || startsPage === true) return false;
  if (only !== cells[0] || cells.some(({ rowspan }) => rowspan > 1)) return false;
  return only.children.every(({ kind }) => kind === 'heading');
}
