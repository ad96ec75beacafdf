// Unruled tables: rows of lines side by side whose gutters stand below each other.
import { brokenWords } from './breaks.ts';
import {
  cellNode,
  FIGURE,
  FILLED,
  MAX_CELL,
  MAX_COLUMNS,
  namesColumns,
  rowNode,
  textOf,
  type Cells,
  type Gutter,
  type Piece,
  type Table,
} from './cells.ts';
import { cellsOf, columnOf, gapsOf, withoutNames } from './gaps.ts';
import { framedRows, framesOf, heightsBeside, levelRulesOf, type LevelRules } from './level-rules.ts';
import { firstLate, withLate } from './late.ts';
import { isPanels } from './plots.ts';
import type { Rule } from '../pdfium/rules.ts';
import { isBelow, isTabular, leastGutter, MAX_PITCH, rowOf, rowsOf, type Row } from './rows.ts';
import { CAPTION, quantile, type TextLine } from '../lines/text.ts';
import { holdsValues } from './values.ts';
import { besideLabel, joinCentred, mergeWrapped } from './wraps.ts';

/** A jump upwards by more than this many times the font size begins another column of the page. */
export const COLUMN_JUMP = 20;
/** Lines narrower than this many times the font size are no lines of prose. */
const NARROW = 9;
/** This many narrow lines in a row are a cell; fewer may be a page number. */
const TALL = 3;
/** Bold names this many times the font size below a row begin another table. */
const NEXT_TABLE = 2.5;
/** Rows further apart than this many times the font size belong to different tables. */
const MAX_ROW_GAP = 4.5;

/** The tables among lines in the order of the stream, except `taken` lines. */
export function findUnruled(
  lines: readonly TextLine[],
  taken: ReadonlySet<TextLine>,
  rules: readonly Rule[],
): Table[] {
  const level = levelRulesOf(rules);
  const frames = framesOf(level);
  return rowsOfStretches(stretchesOf(lines, taken))
    .flatMap(runsOf)
    .flatMap((run) => {
      const table = unruledTable(run, level);
      if (table !== undefined) return [table];
      return framedRows(run, frames).flatMap(({ rows, frame }) => unruledTable(rows, frame) ?? []);
    });
}

/** Consecutive lines of the stream with no column of the page, and nothing else, between them. */
function stretchesOf(lines: readonly TextLine[], taken: ReadonlySet<TextLine>): TextLine[][] {
  const stretches: TextLine[][] = [];
  let open: TextLine[] = [];
  for (const line of lines) {
    if (line.text === '') continue;
    const before = open.at(-1);
    const jump = before === undefined ? 0 : line.baseline - before.baseline;
    const isTallCell = open.length >= TALL && open.slice(-TALL).every(isNarrow);
    const isColumn = jump > COLUMN_JUMP * line.size && !isTallCell;
    if (taken.has(line) || line.isTurned || line.cells.length === 0 || isColumn) {
      if (open.length > 0) stretches.push(open);
      open = [];
    }
    if (!taken.has(line) && !line.isTurned && line.cells.length > 0) open.push(line);
  }
  return open.length === 0 ? stretches : [...stretches, open];
}

/** The rows of each stretch, with the cells of several lines that the stream has behind them. */
function rowsOfStretches(stretches: readonly TextLine[][]): Row[][] {
  const found: Row[][] = [];
  for (const stretch of stretches) {
    const before = found.at(-1);
    const joined = before && withLate(before, stretch);
    const late = joined === undefined ? firstLate(stretch) : -1;
    const parted = late === -1 ? undefined : withLate(rowsOf(stretch.slice(0, late)), stretch.slice(late));
    if (joined !== undefined) found[found.length - 1] = joined;
    else found.push(parted ?? rowsOf(stretch));
  }
  return found;
}

/** Narrower than any column of prose: a line of a tall cell. */
function isNarrow({ left, right, size }: TextLine): boolean {
  return right - left < NARROW * size;
}

function isLineBelow(above: Row, row: Row): boolean {
  const [piece, next] = [above.pieces.at(-1), row.pieces[0]];
  return piece !== undefined && next !== undefined && isBelow(piece, next);
}

/** Consecutive rows that may be a table: a row that is not tabular may stand between two that are. */
function runsOf(rows: readonly Row[]): Row[][] {
  const runs: Row[][] = [];
  let open: Row[] = [];
  let loose: Row[] = [];
  /** The last of the rows with several cells. */
  let head: Row | undefined;
  /** The height of the lowest of them. */
  let lowest = Infinity;
  const close = (): void => {
    if (open.length > 1) runs.push(open);
    open = [];
    loose = [];
    head = undefined;
  };
  for (const [index, row] of rows.entries()) {
    if (isTitle(row, rows[index + 1]) && !isGroup(head, rows[index + 1])) {
      close();
      continue;
    }
    const before = loose.at(-1) ?? open.at(-1);
    const isApart = loose.length > 0 || lowest - row.top > NEXT_TABLE * row.size;
    if (CAPTION.test(row.pieces[0]?.text ?? '') || (isApart && (areNames(row) || isSameRow(open[0], row))))
      close();
    if (before !== undefined && lowest - row.top > MAX_ROW_GAP * row.size) close();
    lowest = open.length === 0 ? row.bottom : Math.min(lowest, row.bottom);
    if (isTabular(row)) {
      open.push(...loose, row);
      loose = [];
      head = row;
    } else if (head !== undefined && before !== undefined && isTail(row, before, head)) {
      open.push(...loose, row);
      loose = [];
    } else if (open.length > 0) {
      loose.push(row);
      if (loose.length > 2) close();
    }
  }
  close();
  return runs;
}

/** True if a row names columns in bold type: below a line of text or white space it begins another table. */
function areNames({ pieces }: Row): boolean {
  return (
    pieces.length > 1 &&
    pieces.every(
      ({ text, isBold, isDetached }, at) => isBold && !FIGURE.test(text) && (at === 0 || isDetached === true),
    )
  );
}

/** True if a row repeats the names of columns that a run begins with: a line between them is another table's title. */
function isSameRow(names: Row | undefined, { pieces }: Row): boolean {
  return (
    pieces.length > 1 &&
    pieces.length === names?.pieces.length &&
    pieces.every(({ text }, at) => text === names.pieces[at]?.text && !FIGURE.test(text))
  );
}

/** A title is larger than the text below it by at least this share. */
const LARGER = 1.12;
/** The number of a title; longer words in capitals are names. */
const TITLE_NUMBER = /^(?:\d+|[A-Z]|[IVX]+)(?:\.\d+)*[.:]?$/;

/** True if a row is a title, with or without a number, above smaller type. */
function isTitle({ spans, pieces, size }: Row, below: Row | undefined): boolean {
  const isNumbered = spans.length === 2 && TITLE_NUMBER.test(pieces[0]?.text ?? '');
  const isWord = /\p{L}{2}/u.test(pieces.at(-1)?.text ?? '');
  return isWord && (spans.length === 1 || isNumbered) && size > LARGER * (below?.size ?? Infinity);
}

/** Rows above and below the label of a group have at least so many cells. */
const LEAST_CELLS = 4;

/** True if a title stands between rows of one table: it names a group of them. */
function isGroup(above: Row | undefined, below: Row | undefined): boolean {
  return (above?.spans.length ?? 0) >= LEAST_CELLS && (below?.spans.length ?? 0) >= LEAST_CELLS;
}

/** Lines of one cell share a left edge, to within so many times the font size; centred ones share a middle. */
const ALIGNED = 0.3;

/**
 * True if a row is one more line of a cell, behind the first, of the last row with several cells: the cell is the
 * tallest.
 */
function isTail({ spans: [span, ...others], top, size }: Row, before: Row, { spans }: Row): boolean {
  if (span === undefined || others.length > 0 || before.bottom - top > MAX_PITCH * size) return false;
  const above = spans.findIndex(({ left, right }) => left < span.right && right > span.left);
  const { left, right } = spans[above] ?? span;
  const isAligned =
    Math.abs(left - span.left) <= ALIGNED * size ||
    Math.abs(left + right - span.left - span.right) <= ALIGNED * size;
  return above > 0 && isAligned && span.right < (spans[above + 1]?.left ?? right + NARROW * size);
}

/** The table of a run of rows among horizontal rules, if it is one. */
function unruledTable(run: readonly Row[], rules: LevelRules): Table | undefined {
  const size = quantile(
    run.map((row) => row.size),
    0.5,
  );
  const tabular = run.filter(isTabular);
  const named = tabular.slice(sparseHeaders(tabular));
  const allowed = named.length < 4 ? 0 : Math.max(1, Math.floor(0.1 * named.length));
  const found = gapsOf(
    named.flatMap(({ spans }) => spans),
    allowed,
    leastGutter(named, size),
  );
  const gaps = withoutNames(found, named);
  const width = gaps.length + 1;
  if (width < 2 || width > MAX_COLUMNS) return undefined;
  const heights = heightsBeside(run, rules);
  const cells = new Map(run.map((row) => [row, cellsOf(row.pieces, gaps)]));
  const values = {
    rows: tabular.map((row) => cells.get(row) ?? []),
    written: run.map(({ pieces }) => pieces),
    rules: heights.length,
    isFramed: rules.isFrame,
  };
  if (!holdsValues(values)) return undefined;
  const { levels, taken } = headerLevels(run, gaps);
  const rows = [...levels, ...run.slice(taken)];
  const placed = rows.map((row) => ({ ...row, cells: cells.get(row) ?? cellsOf(row.pieces, gaps) }));
  const merged = mergeWrapped(joinCentred(placed, size), size).flatMap((row, index) =>
    index === 0 ? [row] : besideLabel(row),
  );
  const texts = merged.map((row) => row.map((cell) => textOf(cell)));
  if (texts.flat().some(({ length }) => length > MAX_CELL) || isPanels(texts)) return undefined;
  // Forms have gutters in common too, with little beside each other.
  if (texts.flat().filter((text) => text !== '').length < FILLED * merged.length * width) return undefined;
  const first = heights.find((at) => at < (run[0]?.bottom ?? 0) && at > (run.at(-1)?.top ?? 0));
  const broken = brokenWords(merged);
  const headers = Math.max(levels.length, rowsAbove(merged, first)) || (namesColumns(merged) ? 1 : 0);
  const hasHeader = headers <= MAX_HEADERS && headers * 2 <= merged.length;
  const nodes = merged.map((row, index) =>
    rowNode(
      row.map((pieces) => cellNode(pieces, broken)),
      hasHeader && index < headers,
    ),
  );
  return {
    lines: linesOf(run),
    gutters: gaps,
    isRuled: false,
    node: {
      kind: 'table',
      presentational: false,
      caption: [],
      rows: nodes,
    },
  };
}

/** Most rows that name the columns, which are also no more than those below them. */
const MAX_HEADERS = 3;

/** Labels over several columns leave a header row at most this share of the usual number of spans. */
const SPARSE = 0.6;

/** Fewer rows below such labels show no columns by themselves. */
const LEAST_VALUES = 3;

/** Number of the first rows with labels over several columns: those labels are no evidence of the columns. */
function sparseHeaders(rows: readonly Row[]): number {
  const usual = quantile(
    rows.map(({ spans }) => spans.length),
    0.5,
  );
  const first = rows.findIndex(({ spans }) => spans.length > SPARSE * usual);
  return first <= MAX_HEADERS && rows.length - first >= LEAST_VALUES ? first : 0;
}

/** Number of rows above a height, up to the first row below. */
function rowsAbove(rows: readonly Cells[], height = Infinity): number {
  const below = rows.findIndex((row) => row.flat().some(({ line }) => line.baseline <= height));
  return below === -1 ? rows.length : below;
}

function linesOf(rows: readonly Row[]): TextLine[] {
  return [...new Set(rows.flatMap(({ pieces }) => pieces.map(({ line }) => line)))];
}

/** Rows of cells, and the lines that they are made of. */
export interface RowsBelow {
  readonly rows: readonly Cells[];
  readonly lines: readonly TextLine[];
  /** True if some of them have several cells. */
  readonly isTabular: boolean;
}

/** The rows of lines in the columns of a table: the rest of a cell, rows of several cells, and their rests. */
export function rowsBelow(lines: readonly TextLine[], gutters: readonly Gutter[]): RowsBelow {
  const rows: Row[] = [];
  let head: Row | undefined;
  for (const row of rowsOf(lines)) {
    const before = rows.at(-1);
    if (isTabular(row)) head = row;
    else if (
      before !== undefined &&
      !(head === undefined ? isLineBelow(before, row) : isTail(row, before, head))
    )
      break;
    rows.push(row);
  }
  const [{ size } = { size: 0 }] = rows;
  const placed = rows.map(({ pieces, top, bottom }) => ({ cells: cellsOf(pieces, gutters), top, bottom }));
  return { rows: mergeWrapped(placed, size), lines: linesOf(rows), isTabular: head !== undefined };
}

/** The content of one cell: lines one right below the other in the stream. */
interface Block {
  readonly pieces: Piece[];
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Lines of a header with labels over several columns are no further apart than this many times the font size. */
const MAX_LEVEL_GAP = 2.5;

/**
 * The two rows of a header in which labels over several columns stand above those of the columns, with the number of
 * rows of the run that they take; none without such labels. Text below a label of one column belongs to the label.
 */
function headerLevels(
  [first, second]: readonly Row[],
  gaps: readonly Gutter[],
): { levels: readonly Row[]; taken: number } {
  const blocks = blocksOf(first?.pieces ?? []);
  const wide = blocks.filter((block) => gaps.some((gap) => isOver(block, gap)));
  const none = { levels: [], taken: 0 };
  if (first === undefined || wide.length === 0) return none;
  const bottom = wide.reduce((least, block) => Math.min(least, block.bottom), Infinity);
  const lower = blocks.filter(({ top }) => top < bottom - first.size / 2).flatMap(({ pieces }) => pieces);
  const taken = lower.length > 0 ? 1 : 2;
  if (taken === 2 && (second === undefined || first.bottom - second.top > MAX_LEVEL_GAP * first.size))
    return none;
  const under = taken === 1 ? lower : (second?.pieces ?? []);
  const isUnder = ({ left, right }: Piece): boolean =>
    wide.some((block) => left < block.right && right > block.left);
  const labels = under.filter(isUnder);
  if (labels.length < 2 || labels.filter(({ text }) => FIGURE.test(text)).length * 2 >= labels.length)
    return none;
  const upper = first.pieces.filter((piece) => !under.includes(piece));
  const isWide = (piece: Piece): boolean => wide.some(({ pieces }) => pieces.includes(piece));
  const columns = new Set(upper.filter((piece) => !isWide(piece)).map((piece) => columnOf(piece, gaps)));
  const isTail = (piece: Piece): boolean => !isUnder(piece) && columns.has(columnOf(piece, gaps));
  const below = under.filter((piece) => !isTail(piece));
  return { levels: [rowOf([...upper, ...under.filter(isTail)]), rowOf(below)], taken };
}

/** A label over two columns has at least this share of its width on each side of the middle between them. */
const SIDE = 0.05;

/** True if a label reaches over a gap: one that reaches into it from one side names a narrower column. */
function isOver({ left, right }: Block, { from, to }: Gutter): boolean {
  const middle = (from + to) / 2;
  return (left < from && right > to) || Math.min(middle - left, right - middle) > SIDE * (right - left);
}

function blocksOf(pieces: readonly Piece[]): Block[] {
  const blocks: Block[] = [];
  for (const piece of pieces) {
    const { left, right, baseline } = piece;
    const last = blocks.at(-1);
    const above = last?.pieces.at(-1);
    if (last !== undefined && above !== undefined && isBelow(above, piece)) {
      last.pieces.push(piece);
      last.left = Math.min(last.left, left);
      last.right = Math.max(last.right, right);
      last.bottom = baseline;
    } else blocks.push({ pieces: [piece], left, right, top: baseline, bottom: baseline });
  }
  return blocks;
}
