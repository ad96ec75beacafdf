// Joins tables across the ends of pages: their rows become those of one table, without the header that each page
// repeats. The text between (page numbers, notes, running heads) comes before the table or behind it.
import { brokenWords } from './breaks.ts';
import { glyphsWithin } from '../../../tree/cell.ts';
import { joinGlyphs } from '../../../tree/glyphs.ts';
import type { CellNode, RowNode } from '../../../tree/node.ts';
import { cellNode, FIGURE, isAboveFigures, rowNode, type Gutter, type Table } from './cells.ts';
import { furnitureOf, isAside } from '../lines/margins.ts';
import {
  isSameSize,
  joinLines,
  SENTENCE_END,
  SMALL_LETTER,
  type Cell,
  type TextLine,
} from '../lines/text.ts';
import { rowsBelow } from './unruled.ts';

/** The lines of a page in reading order, and those of its tables. */
export interface TabledPage {
  readonly lines: readonly TextLine[];
  readonly tables: ReadonlyMap<TextLine, Table>;
  /** True if more than its lines stands at its end. */
  readonly isClosed: boolean;
}

/** A page with its link to the next: true if the next one begins within its last table. */
export interface JoinedPage extends TabledPage {
  readonly goesOn: boolean;
}

/** A table that grows page by page. */
interface LongTable extends Table {
  readonly lines: TextLine[];
  readonly node: Table['node'] & { readonly rows: RowNode[] };
}

/** Rows that a page begins with, and the lines that they are made of. */
interface MoreRows {
  readonly rows: readonly RowNode[];
  readonly lines: readonly TextLine[];
  /** True if the first of them is no rest of the row before. */
  readonly isNew: boolean;
}

/**
 * Joins tables across pages. The first page of a joined table has it last, later ones have nothing of the table.
 * Linear.
 */
export function joinTables(pages: readonly TabledPage[]): JoinedPage[] {
  const furniture = furnitureOf(pages.map(({ lines, tables }) => lines.filter((line) => !tables.has(line))));
  const isBetween = (line: TextLine): boolean => isAside(line, furniture) || CONTINUED.test(line.text);
  const joined = pages.map((page): JoinedPage => ({ ...page, goesOn: false }));
  /** The table that goes on from the page before. */
  let open: LongTable | undefined;
  for (let at = 0; at + 1 < joined.length; at++) {
    const [found, next] = [joined[at], joined[at + 1]];
    if (found === undefined || next === undefined) break;
    const page = withBeginning(found, next, isBetween);
    const last = page.lines.findLast((line) => !isBetween(line));
    const table = last === undefined ? undefined : page.tables.get(last);
    const more = table === undefined || page.isClosed ? undefined : moreOf(table, page, next, isBetween);
    if (table === undefined || more === undefined) {
      open = undefined;
      continue;
    }
    const isFirst = open !== table;
    const long: LongTable = isFirst || open === undefined ? longTable(table) : open;
    append(long.node.rows, more);
    for (const line of more.lines) long.lines.push(line);
    joined[at] = { ...page, ...(isFirst ? withLast(page, table, long) : undefined), goesOn: true };
    joined[at + 1] = { ...next, tables: withTable(next.tables, more.lines, long) };
    open = long;
  }
  return joined;
}

function longTable({ lines, node, gutters, isRuled }: Table): LongTable {
  return { lines: [...lines], node: { ...node, rows: [...node.rows] }, gutters, isRuled };
}

/** A page with a table at its end that goes on. */
function withLast(
  { lines, tables }: TabledPage,
  table: Table,
  long: LongTable,
): Pick<TabledPage, 'lines' | 'tables'> {
  const [first] = table.lines;
  const start = lines.findIndex((line) => line === first);
  const isOwn = (line: TextLine): boolean => tables.get(line) === table;
  const behind = lines.slice(start);
  return {
    lines: [
      ...lines.slice(0, start),
      ...behind.filter((line) => !isOwn(line)),
      ...behind.filter((line) => isOwn(line)),
    ],
    tables: withTable(tables, table.lines, long),
  };
}

function withTable(
  tables: ReadonlyMap<TextLine, Table>,
  lines: readonly TextLine[],
  table: Table,
): ReadonlyMap<TextLine, Table> {
  const all = new Map(tables);
  for (const line of lines) all.set(line, table);
  return all;
}

// --- The end of a page

/** The names of columns stand no further above the end of a page than so many lines. */
const MAX_BEGINNING = 30;

/**
 * A page with the table that begins at its end: its rows there are too few to show columns, but the next page repeats
 * the names of the columns above the others.
 */
function withBeginning(
  page: JoinedPage,
  next: TabledPage,
  isBetween: (line: TextLine) => boolean,
): JoinedPage {
  const first = next.lines.find((line) => !isBetween(line));
  const other = first === undefined ? undefined : next.tables.get(first);
  const [names] = other?.node.rows ?? [];
  if (other === undefined || names === undefined) return page;
  const isFit = fitsTo(other, other.lines);
  const end = page.lines.findLastIndex((line) => !isBetween(line)) + 1;
  const begin = page.lines.findLastIndex(
    (line, at) => at < end && (at < end - MAX_BEGINNING || page.tables.has(line) || !isFit(line)),
  );
  const lines = page.lines.slice(begin + 1, end);
  for (const at of lines.keys()) {
    const below = rowsBelow(lines.slice(at), other.gutters);
    const rows = below.rows.map((row, index) =>
      rowNode(
        row.map((pieces) => cellNode(pieces)),
        index === 0 && names.header,
      ),
    );
    if (below.lines.length !== lines.length - at || !isRepeated(names, rows[0])) continue;
    const table = { ...other, lines: below.lines, node: { ...other.node, rows } };
    return { ...page, tables: withTable(page.tables, below.lines, table) };
  }
  return page;
}

// --- The beginning of a page

/** Text above the rest of a table, or below the part before, beside running heads. */
const CONTINUED = /\b(?:continued|cont['’]?d|fortsetzung|fortgesetzt|suite)\b/i;

/** The rows of a page that continue the table at the end of the page before. */
function moreOf(
  table: Table,
  page: TabledPage,
  { lines, tables }: TabledPage,
  isBetween: (line: TextLine) => boolean,
): MoreRows | undefined {
  const begin = lines.findIndex((line) => !isBetween(line));
  if (begin === -1) return undefined;
  const own = page.lines.filter((line) => page.tables.get(line) === table);
  const isFit = fitsTo(table, own);
  const leading: TextLine[] = [];
  let other: Table | undefined;
  for (const line of lines.slice(begin)) {
    other = tables.get(line);
    // When a column is empty on a page, its table has fewer there.
    const isOther = other !== undefined && (other.isRuled || isSameTable(table, own, other));
    if (isOther || !(line.text === '' || isFit(line))) break;
    if (line.text !== '') leading.push(line);
  }
  const below = table.isRuled ? undefined : rowsBelow(leading, table.gutters);
  const broken = brokenWords(below?.rows ?? []);
  const rest = (below?.rows ?? []).map((row) =>
    rowNode(
      row.map((pieces) => cellNode(pieces, broken)),
      false,
    ),
  );
  const last = table.node.rows.at(-1);
  const isNew = beginsRow(table, own, leading[0] ?? other?.lines[0]);
  const isRest = rest.length === 1 && last !== undefined && !isNew && goesOn(last, rest[0]);
  if (other !== undefined && isSameTable(table, own, other)) {
    const rows = withoutHeader(table, other);
    // The rest of a row below the names is no row of the other table.
    const isRow = rows?.[0] === undefined || other.node.rows.includes(rows[0]);
    if (rows !== undefined && leading.length === 0)
      return { rows, lines: other.lines, isNew: isNew && isRow };
    if (rows !== undefined && isRest && below?.lines.length === leading.length)
      return { rows: [...rest, ...rows], lines: [...leading, ...other.lines], isNew };
  }
  const isRow = below?.isTabular === true && rest.every((row) => isLike(row, table.node.rows));
  if (below === undefined || !(isRest || isRow)) return undefined;
  const taken = new Set(below.lines);
  const isCut = (one: Table | undefined): boolean => one?.lines.some((line) => !taken.has(line)) === true;
  if (below.lines.some((line) => isCut(tables.get(line)))) return undefined;
  return { rows: withoutRepeated(table, rest), lines: below.lines, isNew };
}

/** True if lines stand in the columns of a table as its `own` lines on the page before do. */
function fitsTo({ gutters }: Table, own: readonly TextLine[]): (line: TextLine) => boolean {
  const ownSize = own.at(-1)?.size ?? 0;
  const left = own.reduce((least, line) => Math.min(least, line.left), Infinity);
  const right = own.reduce((most, line) => Math.max(most, line.right), -Infinity);
  const isOver = (cell: Cell, { from, to }: Gutter): boolean =>
    cell.left + 1 < (from + to) / 2 && cell.right - 1 > (from + to) / 2;
  return ({ cells, isTurned, size }) =>
    !isTurned &&
    cells.length > 0 &&
    isSameSize(size, ownSize) &&
    cells.every(
      (cell) =>
        cell.left > left - size &&
        cell.right < right + 3 * size &&
        !gutters.some((gutter) => isOver(cell, gutter)),
    );
}

/** The width of a blank in font sizes. */
const BLANK = 0.25;
/** A label that goes on ends at most this many times the font size above its row, to keep a line for the rest. */
const LINES_LEFT = 2;

/**
 * True if a line begins with a label that is no rest of the label before: that one ends above the other cells of its
 * row, or has left room for the next word.
 */
function beginsRow(
  { gutters: [column] }: Table,
  own: readonly TextLine[],
  line: TextLine | undefined,
): boolean {
  const isLabel = ({ left }: Cell): boolean => column !== undefined && left < column.from;
  const label = line?.cells.find(isLabel);
  const labels = own.flatMap(({ cells }) => cells.filter(isLabel));
  const [last] = labels.toSorted((a, b) => a.baseline - b.baseline);
  if (label === undefined || last === undefined) return false;
  const bottom = own.reduce((least, { baseline }) => Math.min(least, baseline), Infinity);
  if (last.baseline > bottom + LINES_LEFT * last.size) return true;
  const reach = labels.reduce((most, { right }) => Math.max(most, right), -Infinity);
  const [word = ''] = label.text.split(' ', 1);
  const width = ((label.right - label.left) * word.length) / label.text.length;
  return last.right + BLANK * last.size + width < reach;
}

/** Lines between columns share a position, to within so many points. */
const SNAP = 3;

function isSameTable({ gutters }: Table, own: readonly TextLine[], other: Table): boolean {
  return (
    isSameSize(own.at(-1)?.size ?? 0, other.lines.at(-1)?.size ?? 0) &&
    gutters.length === other.gutters.length &&
    gutters.every(({ from, to }, index) => {
      const gutter = other.gutters[index] ?? { from: Infinity, to: -Infinity };
      return Math.max(from, gutter.from) <= Math.min(to, gutter.to) + SNAP;
    })
  );
}

/** Cells of a continued row are at most so many times as long as the longest of the rows before. */
const LONGER = 2;
const SHORT = 40;
/** Most rows to compare with. */
const LOOK_BACK = 20;

function isLike(row: RowNode, rows: readonly RowNode[]): boolean {
  const longest = Math.max(
    SHORT,
    ...rows
      .slice(-LOOK_BACK)
      .flatMap(textsOf)
      .map(({ length }) => length),
  );
  return textsOf(row).every(({ length }) => length <= LONGER * longest);
}

// --- Headers

const MAX_HEADERS = 3;

/** The rows of a table without the header that it repeats; `undefined` when it has one of its own. */
function withoutHeader(table: Table, { node: { rows } }: Table): readonly RowNode[] | undefined {
  const others = withoutRepeated(table, rows);
  if (others[0] !== rows[0]) return others;
  return rows[0]?.header === true || isAboveFigures(rows.map(textsOf)) ? undefined : rows;
}

/** The rows of a page without those that repeat the header of a table. */
function withoutRepeated(table: Table, rows: readonly RowNode[]): readonly RowNode[] {
  const repeated = repeatedRows(table, rows);
  const rest = restBelow(table.node.rows[repeated], rows[repeated]);
  return rest === undefined ? rows.slice(repeated) : [rest, ...rows.slice(repeated + 1)];
}

/** Number of the first rows that repeat the first rows of a table, except the last. */
function repeatedRows({ node }: Table, rows: readonly RowNode[]): number {
  let repeated = 0;
  while (
    repeated < MAX_HEADERS &&
    repeated + 1 < rows.length &&
    isRepeated(node.rows[repeated], rows[repeated])
  )
    repeated++;
  return repeated;
}

/** The rest of a row that stands close below the repeated names of a header, without the names. */
function restBelow(names: RowNode | undefined, row: RowNode | undefined): RowNode | undefined {
  if (names === undefined || row?.cells.length !== names.cells.length) return undefined;
  const named = textsOf(names);
  const rests = textsOf(row).map((text, at) => restBehind(named[at] ?? '', text));
  const labels = named.filter((name) => name !== '' && !FIGURE.test(name));
  if (labels.length < 2 || rests.includes(undefined) || !rests.includes('')) return undefined;
  // A text below no name alone is that of another row, which begins as the header does.
  if (!rests.some((rest, at) => rest !== '' && named[at] !== '')) return undefined;
  const cells = row.cells.map((cell, at): CellNode => {
    const [text] = cell.children;
    const isLeft = text?.kind === 'paragraph' && rests[at] !== '';
    return { ...cell, children: isLeft ? [{ ...text, text: rests[at] ?? '' }] : [] };
  });
  return { ...row, header: false, cells };
}

/** A text without the name that it begins with; `undefined` where it begins with another. */
function restBehind(name: string, text: string): string | undefined {
  if (text === name) return '';
  return name === '' ? text : text.startsWith(`${name} `) ? text.slice(name.length + 1) : undefined;
}

function isRepeated(row: RowNode | undefined, other: RowNode | undefined): boolean {
  if (row === undefined || other === undefined) return false;
  const texts = textsOf(row);
  const filled = texts.filter((text) => text !== '');
  const isHeader = row.header || !filled.every((text) => FIGURE.test(text));
  return isHeader && filled.length > 1 && texts.join('\n') === textsOf(other).join('\n');
}

// --- Rows

function append(rows: RowNode[], { rows: [first, ...others], isNew }: MoreRows): void {
  const last = rows.at(-1);
  if (first === undefined) return;
  if (last !== undefined && !isNew && goesOn(last, first)) rows[rows.length - 1] = joinHalves(last, first);
  else rows.push({ ...first, startsPage: true });
  for (const row of others) rows.push(row);
}

/** A cell with more characters than this that ends no sentence always goes on. */
const LONG_TEXT = 30;

/**
 * True if a row is the rest of the one before: none of its cells stands below an empty cell, and a sentence goes on.
 */
function goesOn(last: RowNode, row: RowNode | undefined): boolean {
  if (row?.cells.length !== last.cells.length || last.header || row.header) return false;
  if ([last, row].some(({ cells }) => cells.some(isSpecial))) return false;
  const [above, below] = [textsOf(last), textsOf(row)];
  const [label = ''] = below;
  if (label !== '' && !SMALL_LETTER.test(label)) return false;
  const filled = below.flatMap((text, column) => (text === '' ? [] : [{ text, above: above[column] ?? '' }]));
  if (filled.some((cell) => cell.above === '' || (FIGURE.test(cell.text) && FIGURE.test(cell.above))))
    return false;
  return filled.some(
    (cell) =>
      SMALL_LETTER.test(cell.text) || (cell.above.length > LONG_TEXT && !SENTENCE_END.test(cell.above)),
  );
}

/** True if a cell covers others, or a page ends in it already. */
function isSpecial({ colspan, rowspan, children: [text] }: CellNode): boolean {
  return colspan > 1 || rowspan > 1 || (text?.kind === 'paragraph' && text.pageBreak !== undefined);
}

/** Joins the halves of a row on two pages. Its page break is in the cell with the most text on the next page. */
function joinHalves(last: RowNode, row: RowNode): RowNode {
  const [above, below] = [textsOf(last), textsOf(row)];
  const most = Math.max(...below.map(({ length }) => length));
  const broken = below.findIndex(({ length }) => length === most);
  return {
    ...last,
    cells: last.cells.map((cell, column): CellNode => {
      const rest = below[column] ?? '';
      if (rest === '') return cell;
      const lines = [above[column] ?? '', rest].map((text) => ({ text, isDivided: false }));
      const text = joinLines(lines, ' ');
      const pageBreak = column === broken ? { pageBreak: text.length - rest.length } : undefined;
      const shown = joinGlyphs([cell, row.cells[column]].map((half) => half && glyphsWithin(half.children)));
      return { ...cell, children: [{ kind: 'paragraph', text, ...pageBreak, ...shown }] };
    }),
  };
}

function textsOf({ cells }: RowNode): string[] {
  return cells.map(({ children: [text] }) => (text?.kind === 'paragraph' ? text.text : ''));
}
