// Ruled tables: read off the lines drawn around their cells, with spans where a line is missing.
import { brokenWords } from './breaks.ts';
import {
  cellNode,
  FIGURE,
  FILLED,
  MAX_CELL,
  namesColumns,
  rowNode,
  textOf,
  type Cells,
  type Piece,
  type Table,
} from './cells.ts';
import type { RowNode } from '../../../tree/node.ts';
import type { Rule } from '../pdfium/rules.ts';
import type { Cell, TextLine } from '../lines/text.ts';
import { bandOf, framesOf, joinRules, SNAP, type Frame } from './frames.ts';
import { middleOf, refineFrame } from './ruled-columns.ts';
import { sectionsOf, splitRow, type Slot } from './ruled-rows.ts';

/** The tables of a page whose cells lines part. A line belongs to one table at most. */
export function findRuled(lines: readonly TextLine[], rules: readonly Rule[]): Table[] {
  const tables: Table[] = [];
  const taken = new Set<TextLine>();
  for (const frame of framesOf(joinRules(rules))) {
    const found = tablesIn(
      frame,
      lines.filter((line) => !taken.has(line)),
    );
    for (const table of found) {
      tables.push(table);
      for (const line of table.lines) taken.add(line);
    }
  }
  return tables;
}

function tablesIn(frame: Frame, lines: readonly TextLine[]): Table[] {
  const inside = lines.filter((line) => line.cells.some((cell) => isWithin(frame, line, cell)));
  // A line that goes on outside the frame is no line of a table.
  if (inside.length === 0 || inside.some((line) => !line.cells.every((cell) => isWithin(frame, line, cell))))
    return [];
  if (goesOn(frame, lines)) return [];
  const { frame: refined, pieces } = refineFrame(
    frame,
    inside.flatMap((line) => line.cells.map((cell): Piece => ({ ...cell, line }))),
  );
  const merged = mergeSpans(refined, gridOf(refined, pieces));
  // Rows of values without lines between them are read by their gutters instead.
  if (merged.flat().some(holdsRows)) return [];
  return sectionsOf(merged, refined.columns.length - 1).flatMap((section) => {
    const rows = section.flatMap((slots) => splitRow(slots, section.length));
    const own = new Set(rows.flatMap((row) => row.flatMap((slot) => slot.pieces.map(({ line }) => line))));
    const table = acceptTable(
      rows,
      inside.filter((line) => own.has(line)),
      refined.columns.slice(1, -1),
    );
    return table ?? [];
  });
}

/** The pieces by row and column. */
function gridOf({ columns, rows }: Frame, pieces: readonly Piece[]): Piece[][][] {
  const grid = rows.slice(1).map(() => columns.slice(1).map((): Piece[] => []));
  for (const piece of pieces) {
    const row = bandOf(rows, middleOf(piece.line), -1);
    grid[row]?.[bandOf(columns, (piece.left + piece.right) / 2, 1)]?.push(piece);
  }
  return grid;
}

/** True if a row of values stands right below a frame: then only the head of the table is ruled. */
function goesOn({ columns, rows }: Frame, lines: readonly TextLine[]): boolean {
  const bottom = rows.at(-1) ?? 0;
  const [left = 0] = columns;
  const right = columns.at(-1) ?? 0;
  let pieces = 0;
  for (const line of lines) {
    const isBelow = line.baseline < bottom && line.baseline > bottom - 2 * line.size;
    if (isBelow && line.left > left - line.size && line.right < right + line.size)
      pieces += line.cells.length;
  }
  return columns.length > 3 && pieces >= columns.length - 1;
}

function isWithin({ columns, rows }: Frame, line: TextLine, { left, right }: Cell): boolean {
  const x = (left + right) / 2;
  const y = middleOf(line);
  return (
    x > (columns[0] ?? 0) &&
    x < (columns.at(-1) ?? 0) &&
    y < (rows[0] ?? 0) &&
    y > (rows.at(-1) ?? 0) &&
    left > (columns[0] ?? 0) - 2 * SNAP &&
    right < (columns.at(-1) ?? 0) + 2 * SNAP
  );
}

/** Joins slots without a line between them: columns within a row, then the same columns of rows below each other. */
function mergeSpans(frame: Frame, grid: readonly (readonly Piece[][])[]): Slot[][] {
  const near = (isLevel: boolean, at: number): Rule[] =>
    frame.rules.filter((rule) => rule.isLevel === isLevel && Math.abs(rule.at - at) <= SNAP);
  const uprights = frame.columns.map((at) => near(false, at));
  const levels = frame.rows.map((at) => near(true, at));
  const open = new Map<string, Slot>();
  return grid.map((cells, row) => {
    const y = ((frame.rows[row] ?? 0) + (frame.rows[row + 1] ?? 0)) / 2;
    const slots: Slot[] = [];
    for (let column = 0; column < cells.length;) {
      let end = column + 1;
      while (end < cells.length && !isRuled(uprights[end], y)) end++;
      const x = ((frame.columns[column] ?? 0) + (frame.columns[end] ?? 0)) / 2;
      const key = `${column} ${end}`;
      const above = open.get(key);
      const pieces = cells.slice(column, end).flat();
      if (above !== undefined && row > 0 && !isRuled(levels[row], x)) {
        above.pieces.push(...pieces);
        above.rowspan++;
      } else {
        const slot = { pieces, column, colspan: end - column, rowspan: 1 };
        slots.push(slot);
        open.set(key, slot);
      }
      for (const other of [...open.keys()]) {
        const [from = 0, to = 0] = other.split(' ').map(Number);
        if (other !== key && from < end && to > column) open.delete(other);
      }
      column = end;
    }
    return slots;
  });
}

/** True if lines of more than two pieces are most of a cell's content; one such line among others is justified text. */
function holdsRows({ pieces }: Slot): boolean {
  const counts = new Map<TextLine, number>();
  for (const { line } of pieces) counts.set(line, (counts.get(line) ?? 0) + 1);
  const rows = [...counts.values()].filter((count) => count > 2).length;
  return rows > 0 && (counts.size === 1 || (rows > 1 && rows * 2 >= counts.size));
}

/** True if one of the rules at a border stands beside a position. */
function isRuled(rules: readonly Rule[] = [], place: number): boolean {
  return rules.some((rule) => rule.from <= place && rule.to >= place);
}

/** A ruled table when its cells hold values: most are filled, none with a page of text. */
function acceptTable(
  rows: readonly Slot[][],
  lines: readonly TextLine[],
  borders: readonly number[],
): Table | undefined {
  const slots = rows.flat();
  const filled = slots.filter(({ pieces }) => pieces.length > 0);
  const columns = new Set(filled.map(({ column }) => column));
  const full = rows.filter((row) => row.filter(({ pieces }) => pieces.length > 0).length > 1);
  if (columns.size < 2 || full.length < 2) return undefined;
  if (filled.length < FILLED * slots.length) return undefined;
  const columnwise = byColumn(rows);
  const isNamed = rows[0]?.every(({ colspan, rowspan }) => colspan === 1 && rowspan === 1) === true;
  const headers = headersOf(rows) || (isNamed && namesColumns(columnwise) ? 1 : 0);
  const broken = brokenWords(columnwise);
  const nodes = rows.map((row, index): RowNode =>
    rowNode(
      row.map((slot) => cellNode(slot.pieces, broken, slot)),
      index < headers,
    ),
  );
  const texts = rows.map((row) => row.map(({ pieces }) => textOf(pieces)));
  if (texts.flat().some(({ length }) => length > MAX_CELL)) return undefined;
  const gutters = borders.map((at) => ({ from: at, to: at }));
  return {
    lines,
    node: { kind: 'table', presentational: false, caption: [], rows: nodes },
    gutters,
    isRuled: true,
  };
}

/** The pieces of slots that take one column, by column. */
function byColumn(rows: readonly Slot[][]): Cells[] {
  const width = rows.flat().reduce((most, { column }) => Math.max(most, column + 1), 0);
  return rows.map((row) => {
    const cells: Cells = Array.from({ length: width }, () => []);
    for (const { column, colspan, pieces } of row) if (colspan === 1) cells[column] = pieces;
    return cells;
  });
}

/** Most rows that name the columns, which are also fewer than those below them. */
const MAX_HEADERS = 3;
/** This share of the cells of a row of values behind the first are figures. */
const FIGURES_SHARE = 0.6;

/**
 * Number of rows that name the columns, where a label among them covers several: those above the first row of figures.
 */
function headersOf(rows: readonly Slot[][]): number {
  const first = rows.findIndex(isValues);
  const labels = rows.slice(0, Math.max(0, first)).flat();
  if (first > MAX_HEADERS || first * 2 >= rows.length) return 0;
  return labels.some(({ colspan, pieces }) => colspan > 1 && pieces.length > 0) ? first : 0;
}

/** True if a row holds figures below the labels. A cell over several columns is a label, even a year. */
function isValues(row: readonly Slot[]): boolean {
  const cells = row.filter(({ column, colspan, pieces }) => column > 0 && colspan === 1 && pieces.length > 0);
  const figures = cells.filter(({ pieces }) => FIGURE.test(textOf(pieces)));
  return cells.length > 1 && figures.length >= FIGURES_SHARE * cells.length;
}
