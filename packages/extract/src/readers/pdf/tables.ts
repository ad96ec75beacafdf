// Tables of a page: the ruled ones, and those whose rows have gutters in common.
// In doubt there is no table: prose cut into cells is worse than a table read as prose.
import {
  cellNode,
  edgesOf,
  FILLED,
  MAX_CELL,
  MAX_COLUMNS,
  rowNode,
  textOf,
  type Piece,
  type Table,
} from './cells.ts';
import { findRuled } from './ruled.ts';
import type { Rule } from './rules.ts';
import { CAPTION, quantile, type Cell, type Line } from './text.ts';

/** The tables of a page, given its lines in the order of the stream. A line belongs to one table at most. */
export function findTables(lines: readonly Line[], rules: readonly Rule[]): Table[] {
  const upright = lines.filter(({ text, isTurned, cells }) => text !== '' && !isTurned && cells.length > 0);
  const ruled = findRuled(upright, rules);
  const taken = new Set(ruled.flatMap((table) => table.lines));
  return [...ruled, ...findOpen(lines, taken, rules)];
}

/** A jump upwards by more than this many times the font size begins another column of the page. */
const COLUMN_JUMP = 20;
/** Lines narrower than this many times the font size are no lines of prose. */
const NARROW = 9;
/** So many narrow lines in a row are a cell; fewer may be a page number. */
const TALL = 3;
/** Rows further apart than this many times the font size are not of one table. */
const MAX_ROW_GAP = 4.5;
/** Gutters are at least this many times as wide as the font is large. */
const GUTTER = 0.5;

/** Lines beside each other: nothing of a row stands lower than anything of the next. */
interface Row {
  readonly pieces: readonly Piece[];
  readonly top: number;
  readonly bottom: number;
  readonly size: number;
}

function findOpen(lines: readonly Line[], taken: ReadonlySet<Line>, rules: readonly Rule[]): Table[] {
  return stretchesOf(lines, taken).flatMap((stretch) =>
    runsOf(rowsOf(stretch)).flatMap((run) => {
      const table = openTable(run, rules);
      return table === undefined ? [] : [table];
    }),
  );
}

/** Lines that follow each other in the stream with no column of the page, and nothing else, between them. */
function stretchesOf(lines: readonly Line[], taken: ReadonlySet<Line>): Line[][] {
  const stretches: Line[][] = [];
  let open: Line[] = [];
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

/** Narrower than any column of prose: a line of a tall cell. */
function isNarrow({ left, right, size }: Line): boolean {
  return right - left < NARROW * size;
}

/** The finest rows of which each stands wholly above the next. */
function rowsOf(lines: readonly Line[]): Row[] {
  const highestAfter: number[] = [];
  for (let at = lines.length - 1, highest = -Infinity; at >= 0; at--) {
    highestAfter[at] = highest;
    highest = Math.max(highest, lines[at]?.baseline ?? highest);
  }
  const rows: Row[] = [];
  let open: Line[] = [];
  let lowest = Infinity;
  lines.forEach((line, at) => {
    open.push(line);
    lowest = Math.min(lowest, line.baseline);
    if (lowest - (highestAfter[at] ?? -Infinity) < 0.4 * line.size) return;
    rows.push(rowFrom(open));
    open = [];
    lowest = Infinity;
  });
  return open.length === 0 ? rows : [...rows, rowFrom(open)];
}

function rowFrom(lines: readonly Line[]): Row {
  return {
    pieces: lines.flatMap((line) => line.cells.map((cell) => ({ ...cell, line }))),
    top: lines.reduce((most, { baseline }) => Math.max(most, baseline), -Infinity),
    bottom: lines.reduce((least, { baseline }) => Math.min(least, baseline), Infinity),
    size: quantile(
      lines.map(({ size }) => size),
      0.5,
    ),
  };
}

/** Whether a row has pieces beside each other with a gutter between. */
function isTabular({ pieces, size }: Row): boolean {
  return gapsOf(pieces, 0, GUTTER * size).length > 0;
}

/** Rows that follow each other and may be a table: one that is not tabular may stand between two that are. */
function runsOf(rows: readonly Row[]): Row[][] {
  const runs: Row[][] = [];
  let open: Row[] = [];
  let loose: Row[] = [];
  const close = (): void => {
    if (open.length > 1) runs.push(open);
    open = [];
    loose = [];
  };
  for (const row of rows) {
    const before = loose.at(-1) ?? open.at(-1);
    if (CAPTION.test(row.pieces[0]?.text ?? '')) close();
    if (before !== undefined && before.bottom - row.top > MAX_ROW_GAP * row.size) close();
    if (isTabular(row)) {
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

/** The spaces between pieces that at most `allowed` of them reach over, from the left, wider than `least`. */
function gapsOf(pieces: readonly Cell[], allowed: number, least: number): { from: number; to: number }[] {
  const { begins, ends } = edgesOf(pieces);
  const gaps: { from: number; to: number }[] = [];
  let from: number | undefined;
  for (let begun = 0, ended = 0; ended < ends.length;) {
    const begin = begins[begun] ?? Infinity;
    const end = ends[ended] ?? Infinity;
    const isBegin = begun < begins.length && begin <= end;
    if (isBegin) begun++;
    else ended++;
    const at = isBegin ? begin : end;
    if (begun - ended <= allowed) from ??= at;
    else if (from !== undefined) {
      if (at - from >= least) gaps.push({ from, to: at });
      from = undefined;
    }
  }
  // What lies before the first piece is no gap.
  return gaps.filter((gap) => gap.from > (begins[0] ?? 0) || allowed === 0);
}

/** A row of cells by column. */
type Cells = Piece[][];

function openTable(run: readonly Row[], rules: readonly Rule[]): Table | undefined {
  const size = quantile(
    run.map((row) => row.size),
    0.5,
  );
  const tabular = run.filter(isTabular);
  const allowed = tabular.length < 4 ? 0 : Math.max(1, Math.floor(0.1 * tabular.length));
  const gaps = gapsOf(
    tabular.flatMap(({ pieces }) => pieces),
    allowed,
    GUTTER * size,
  );
  const width = gaps.length + 1;
  if (width < 2 || width > MAX_COLUMNS) return undefined;
  const rows = run.map(({ pieces }) => cellsOf(pieces, gaps));
  const tableRules = levelRules(run, rules);
  if (
    !isPlausible(
      tabular.map(({ pieces }) => cellsOf(pieces, gaps)),
      tableRules.length,
    )
  )
    return undefined;
  const merged = mergeWrapped(rows);
  if (merged.some((row) => row.some((cell) => textOf(cell).length > MAX_CELL))) return undefined;
  // Forms have gutters in common too, with little beside each other.
  if (merged.flat().filter((cell) => cell.length > 0).length < FILLED * merged.length * width)
    return undefined;
  const first = tableRules.find((at) => at < (run[0]?.bottom ?? 0) && at > (run.at(-1)?.top ?? 0));
  const nodes = merged.map((row) => {
    const isHeader = first !== undefined && row.flat().every(({ line }) => line.baseline > first);
    return rowNode(
      row.map((pieces) => cellNode(textOf(pieces))),
      isHeader,
    );
  });
  const headers = nodes.filter(({ header }) => header).length;
  return {
    lines: [...new Set(run.flatMap(({ pieces }) => pieces.map(({ line }) => line)))],
    node: {
      kind: 'table',
      presentational: false,
      caption: [],
      rows:
        headers > 3 || headers * 2 > nodes.length ? nodes.map((row) => ({ ...row, header: false })) : nodes,
    },
  };
}

/** The heights, from above, of level rules that go through or around a run of rows. */
function levelRules(run: readonly Row[], rules: readonly Rule[]): number[] {
  const [first] = run;
  const last = run.at(-1);
  if (first === undefined || last === undefined) return [];
  const pieces = run.flatMap((row) => row.pieces);
  const left = Math.min(...pieces.map((piece) => piece.left));
  const right = Math.max(...pieces.map((piece) => piece.right));
  return rules
    .filter(
      ({ isLevel, at, from, to }) =>
        isLevel &&
        at < first.top + 3 * first.size &&
        at > last.bottom - 2 * last.size &&
        Math.min(to, right) - Math.max(from, left) > 0.6 * (right - left),
    )
    .map(({ at }) => at)
    .sort((a, b) => b - a);
}

function cellsOf(pieces: readonly Piece[], gaps: readonly { from: number; to: number }[]): Cells {
  const cells: Cells = Array.from({ length: gaps.length + 1 }, () => []);
  for (const piece of pieces) {
    // A piece that reaches over a gutter belongs where it begins.
    const column = gaps.findIndex(
      ({ from, to }) => (piece.left + Math.min(piece.right, piece.left + 4)) / 2 < (from + to) / 2,
    );
    cells[column === -1 ? gaps.length : column]?.push(piece);
  }
  return cells;
}

/** Lines of values are shorter than this many characters, most of them; lines of prose longer. */
const LONG_LINE = 30;
/** At most this share of them hold pieces beside each other, which a gutter would have parted in a table. */
const CROWDED = 0.25;
const LEADER = /(?:\.\s?){4,}|…{2,}/;
/** A word, a number, or the dash that stands for none. */
const VALUE = /\p{L}{2}|\p{N}|\p{Script=Han}|^[-–—*]$/u;

/** Whether rows of cells look like values side by side, and not like columns of prose, a list or a formula. */
function isPlausible(rows: readonly Cells[], rules: number): boolean {
  const width = rows[0]?.length ?? 0;
  const texts = rows.map((row) => row.map(textOf));
  const filled = texts.flat().filter((text) => text !== '');
  const least = rules >= 2 || width > 2 ? 3 : 4;
  if (rows.length < (width > 3 ? 2 : least)) return false;
  if (filled.length < FILLED * rows.length * width) return false;
  const crowded = rows.flat().filter(isCrowded);
  if (crowded.length > CROWDED * filled.length) return false;
  if (filled.filter((text) => VALUE.test(text)).length < 0.7 * filled.length) return false;
  if (width === 2 && texts.filter((row) => row.some((text) => LEADER.test(text))).length > 0.3 * rows.length)
    return false;
  const columns = Array.from({ length: width }, (_, column) =>
    texts.map((row) => row[column] ?? '').filter((text) => text !== ''),
  );
  if (columns.some((column) => column.length < 0.25 * rows.length && column.length < 2)) return false;
  // Of columns of prose, two hold long lines.
  const long = columns.filter((_, column) => {
    const lengths = rows.flatMap((row) => (row[column] ?? []).map(({ text }) => text.length));
    return quantile(lengths, 0.5) > LONG_LINE;
  });
  if (long.length > 1 && (rules < 2 || long.length * 2 > width)) return false;
  if (columns.some(isProse)) return false;
  return !(width === 2 && isNumbering(columns[0] ?? []));
}

/** Whether a cell holds two pieces of one line. */
function isCrowded(cell: readonly Piece[]): boolean {
  return cell.some(({ line }, index) => index > 0 && cell[index - 1]?.line === line);
}

/** Whether the cells of a column are the lines of a text: long, and many go on in the middle of a sentence. */
function isProse(column: readonly string[]): boolean {
  const lengths = column.map((text) => text.length);
  const going = column.filter((text) => /^[^\p{L}\p{N}]*\p{Ll}/u.test(text));
  return column.length > 2 && quantile(lengths, 0.5) > 25 && going.length > 0.3 * column.length;
}

/** Whether a column counts its rows, as the line numbers of a transcript do. */
function isNumbering(column: readonly string[]): boolean {
  const numbers = column.map(Number);
  return (
    column.length > 3 &&
    numbers.every((number, index) => index === 0 || number === (numbers[index - 1] ?? 0) + 1)
  );
}

/** Puts lines that go on with a cell of the row above into it. */
function mergeWrapped(rows: readonly Cells[]): Cells[] {
  const merged: Cells[] = [];
  for (const row of rows) {
    const before = merged.at(-1);
    if (before !== undefined && isWrapped(before, row))
      row.forEach((pieces, column) => before[column]?.push(...pieces));
    else merged.push(row.map((pieces) => [...pieces]));
  }
  return merged;
}

function isWrapped(before: Cells, row: Cells): boolean {
  const filled = row.flatMap((pieces, column) => (pieces.length > 0 ? [column] : []));
  if (filled.length === 0 || filled.length * 2 > row.length) return false;
  if (filled.some((column) => before[column]?.length === 0)) return false;
  const isOpening = filled[0] === 0;
  return !isOpening || /^[^\p{L}\p{N}]*\p{Ll}/u.test(textOf(row[0] ?? []));
}
