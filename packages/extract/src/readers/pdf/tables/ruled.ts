// Ruled tables: read off the lines drawn around their cells, with spans where a line is missing.
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
  type Piece,
  type Table,
} from './cells.ts';
import type { RowNode } from '../../../tree/node.ts';
import type { Rule } from '../pdfium/rules.ts';
import { firstIndex } from '../pdfium/search.ts';
import type { Cell, TextLine } from '../lines/text.ts';

/** Lines closer than this are one; a line that ends this short of another meets it. In points. */
const SNAP = 3;
const MAX_ROWS = 500;
interface Frame {
  /** Borders of the columns from the left, and of the rows from the top. */
  readonly columns: readonly number[];
  readonly rows: readonly number[];
  readonly rules: readonly Rule[];
}

/** The tables of a page whose cells lines part. A line belongs to one table at most. */
export function findRuled(lines: readonly TextLine[], rules: readonly Rule[]): Table[] {
  const tables: Table[] = [];
  const taken = new Set<TextLine>();
  for (const frame of framesOf(joinRules(rules))) {
    const table = tableIn(
      frame,
      lines.filter((line) => !taken.has(line)),
    );
    if (table === undefined) continue;
    tables.push(table);
    for (const line of table.lines) taken.add(line);
  }
  return tables;
}

/** Rules that continue one another are one: some programs draw the line between two columns anew for each row. */
function joinRules(rules: readonly Rule[]): Rule[] {
  const upright = rules.filter(({ isLevel }) => !isLevel);
  const level = rules.filter(({ isLevel }) => isLevel);
  return [...joinAlong(upright), ...joinAlong(level)];
}

/** Joins rules of one direction. */
function joinAlong(rules: readonly Rule[]): Rule[] {
  const joined: Rule[] = [];
  for (const rule of rules.toSorted((a, b) => Math.round(a.at) - Math.round(b.at) || a.from - b.from)) {
    const last = joined.at(-1);
    const isContinued = last !== undefined && Math.abs(last.at - rule.at) <= 1 && rule.from <= last.to + SNAP;
    if (isContinued) joined[joined.length - 1] = { ...last, to: Math.max(last.to, rule.to) };
    else joined.push(rule);
  }
  return joined;
}

/** Rules that meet, directly or by way of others, when they part a space into columns and rows. */
function framesOf(rules: readonly Rule[]): Frame[] {
  return componentsOf(rules).flatMap((component) => {
    const level = component.filter(({ isLevel }) => isLevel);
    const upright = component.filter(({ isLevel }) => !isLevel);
    const columns = borders(upright, level);
    const rows = borders(level, upright).reverse();
    const fits =
      columns.length > 2 && columns.length <= MAX_COLUMNS && rows.length > 2 && rows.length <= MAX_ROWS;
    return fits ? [{ columns, rows, rules: component }] : [];
  });
}

/** The positions of some rules, and the ends of the rules across them, where a table has no outer line. */
function borders(along: readonly Rule[], across: readonly Rule[]): number[] {
  const first = across.reduce((least, { from }) => Math.min(least, from), Infinity);
  const last = across.reduce((most, { to }) => Math.max(most, to), -Infinity);
  const positions: number[] = [];
  for (const at of along.map((rule) => rule.at).sort((a, b) => a - b))
    if (at - (positions.at(-1) ?? -Infinity) > SNAP) positions.push(at);
  if (first < (positions[0] ?? Infinity) - 2 * SNAP) positions.unshift(first);
  if (last > (positions.at(-1) ?? -Infinity) + 2 * SNAP) positions.push(last);
  return positions;
}

function componentsOf(rules: readonly Rule[]): Rule[][] {
  const level = rules.filter(({ isLevel }) => isLevel);
  const upright = rules.filter(({ isLevel }) => !isLevel);
  const unseen = new Set<Rule>(rules);
  const components: Rule[][] = [];
  for (const rule of rules) {
    if (!unseen.delete(rule)) continue;
    const component = [rule];
    // Grows while it is walked: each rule is met once, and compared with those across it.
    for (const next of component) {
      for (const other of next.isLevel ? upright : level)
        if (unseen.has(other) && meets(next, other)) {
          unseen.delete(other);
          component.push(other);
        }
    }
    if (component.length > 3) components.push(component);
  }
  return components;
}

function meets(a: Rule, b: Rule): boolean {
  return a.at >= b.from - SNAP && a.at <= b.to + SNAP && b.at >= a.from - SNAP && b.at <= a.to + SNAP;
}

function tableIn(frame: Frame, lines: readonly TextLine[]): Table | undefined {
  const { columns, rows } = frame;
  const inside = lines.filter((line) => line.cells.some((cell) => isWithin(frame, line, cell)));
  // A line that goes on outside the frame is no line of a table.
  if (inside.length === 0 || inside.some((line) => !line.cells.every((cell) => isWithin(frame, line, cell))))
    return undefined;
  const width = columns.length - 1;
  const grid: Piece[][][] = Array.from({ length: rows.length - 1 }, () =>
    Array.from({ length: width }, (): Piece[] => []),
  );
  for (const line of inside)
    for (const cell of line.cells) {
      const row = bandOf(rows, middleOf(line), -1);
      const column = bandOf(columns, (cell.left + cell.right) / 2, 1);
      grid[row]?.[column]?.push({ ...cell, line });
    }
  if (goesOn(frame, lines)) return undefined;
  const merged = mergeSpans(frame, grid);
  // Rows of values without lines between them are read by their gutters instead.
  if (merged.flat().some(holdsRows)) return undefined;
  return acceptTable(
    merged.flatMap((slots) => splitRow(slots, merged.length)),
    inside,
    columns.slice(1, -1),
  );
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

function middleOf({ baseline, size }: TextLine): number {
  return baseline + 0.3 * size;
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

/** The index of the band between two borders around a position; borders rise or, with `sign` -1, fall. */
function bandOf(borders: readonly number[], place: number, sign: 1 | -1): number {
  const next = borders.findIndex((border) => sign * border > sign * place);
  return next === -1 ? borders.length - 2 : Math.max(0, next - 1);
}

/** A slot of a table: its pieces and its extent. */
interface Slot {
  pieces: Piece[];
  readonly column: number;
  readonly colspan: number;
  rowspan: number;
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

/**
 * Cells with equal numbers of lines are rows where no more rows than this are ruled; otherwise their texts have equal
 * lengths.
 */
const FEW_ROWS = 4;

/**
 * A column of figures shows rows without lines between them; so do columns with equal numbers of lines, side by side,
 * or two columns whose lines stand side by side and further apart than lines of a text.
 */
function splitRow(slots: readonly Slot[], rows: number): Slot[][] {
  const filled = slots.filter(({ pieces }) => pieces.length > 0);
  if (filled.length < 2 || slots.some(({ rowspan }) => rowspan > 1)) return [[...slots]];
  const starts = startsOf(filled, rows);
  if (starts.length < 2) return [[...slots]];
  const split = starts.map(() => slots.map((slot): Slot => ({ ...slot, pieces: [] })));
  for (const [column, { pieces }] of slots.entries())
    for (const piece of pieces) split[rowAt(starts, piece)]?.[column]?.pieces.push(piece);
  return split;
}

/** The last of the rows that begin no lower than a piece stands; the first for one above them all. */
function rowAt(starts: readonly number[], { line }: Piece): number {
  const least = Math.round(line.baseline) - SNAP;
  return Math.max(0, firstIndex(starts, (start) => start < least) - 1);
}

/** The heights at which the rows of a ruled row begin, from above. */
function startsOf(filled: readonly Slot[], rows: number): number[] {
  const figures = filled.filter(
    ({ pieces }) => pieces.length > 1 && pieces.every(({ text }) => FIGURE.test(text)),
  );
  const isEven = rows <= FEW_ROWS && filled.every(({ pieces }) => pieces.length > 2);
  const telling = figures.length > 0 ? figures : isEven ? filled : [];
  const [first = [], ...others] = telling.map(({ pieces }) => heightsOf(pieces));
  if (first.length > 1 && others.every((own) => isSameHeights(own, first)))
    return heightsOf(filled.flatMap(({ pieces }) => pieces));
  return labelHeights(filled);
}

function isSameHeights(own: readonly number[], other: readonly number[]): boolean {
  return own.length === other.length && own.every((at, index) => at === other[index]);
}

/** Some lines of labels are this many times as far apart as the closest lines of their cell. */
const LABEL_GAP = 1.5;
const LEAST_LABELS = 3;

/**
 * The heights of the lines of the first column, where another column has them too, each cell begins a line there, and
 * some are far apart.
 */
function labelHeights([first, ...others]: readonly Slot[]): number[] {
  const heights = heightsOf(first?.pieces ?? []);
  if (heights.length < LEAST_LABELS) return [];
  const columns = others.map(({ pieces }) => heightsOf(pieces));
  const isLabel = columns.some((own) => isSameHeights(own, heights));
  const isEach = columns.every((own) => {
    const known = new Set(own);
    return heights.every((at) => known.has(at));
  });
  const all = heightsOf([first, ...others].flatMap((slot) => slot?.pieces ?? []));
  const drops = (some: readonly number[]): number[] => some.slice(1).map((at, row) => (some[row] ?? at) - at);
  const pitch = drops(all).reduce((least, drop) => Math.min(least, drop), Infinity);
  return isLabel && isEach && drops(heights).some((drop) => drop >= LABEL_GAP * pitch) ? heights : [];
}

/** The heights of pieces, to the nearest point, from above; small differences count as equal. */
function heightsOf(pieces: readonly Piece[]): number[] {
  const heights: number[] = [];
  for (const height of pieces.map(({ line }) => Math.round(line.baseline)).sort((a, b) => b - a))
    if ((heights.at(-1) ?? Infinity) - height > SNAP) heights.push(height);
  return heights;
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
      row.map((slot) => cellNode(textOf(slot.pieces, broken), slot)),
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
