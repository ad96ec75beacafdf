// Tables of a page. Ruled ones are read off the lines drawn around their cells, others off the gutters that their rows
// have in common. In doubt there is no table: prose cut into cells is worse than a table read as prose.
import type { CellNode, RowNode, TableNode } from '../../tree/node.ts';
import type { Rule } from './rules.ts';
import { CAPTION, joinLines, quantile, type Cell, type Line } from './text.ts';

/** A table with the lines that it is made of; it stands where the first of them does. */
export interface Table {
  readonly lines: readonly Line[];
  readonly node: TableNode;
}

/** The tables of a page, given its lines in the order of the stream. A line belongs to one table at most. */
export function findTables(lines: readonly Line[], rules: readonly Rule[]): Table[] {
  const upright = lines.filter(({ text, isTurned, cells }) => text !== '' && !isTurned && cells.length > 0);
  const ruled = findRuled(upright, rules);
  const taken = new Set(ruled.flatMap((table) => table.lines));
  return [...ruled, ...findOpen(lines, taken, rules)];
}

// --- Ruled tables

/** Lines closer than this are one; and a line that ends this short of another meets it. In points. */
const SNAP = 3;
/** At least this share of the cells of a table are filled: boxes of a drawing and of a form are mostly empty. */
const FILLED = 0.55;
const MAX_COLUMNS = 60;
const MAX_ROWS = 500;
/** A cell with more characters than this is a page in a frame. */
const MAX_CELL = 700;

interface Frame {
  /** Borders of the columns from the left, and of the rows from the top. */
  readonly columns: readonly number[];
  readonly rows: readonly number[];
  readonly rules: readonly Rule[];
}

function findRuled(lines: readonly Line[], rules: readonly Rule[]): Table[] {
  const tables: Table[] = [];
  const taken = new Set<Line>();
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

/** Rules that go on in one another are one: some programs draw the line between two columns anew for each row. */
function joinRules(rules: readonly Rule[]): Rule[] {
  const joined: Rule[] = [];
  const sorted = rules.toSorted(
    (a, b) => Number(a.isLevel) - Number(b.isLevel) || Math.round(a.at) - Math.round(b.at) || a.from - b.from,
  );
  for (const rule of sorted) {
    const last = joined.at(-1);
    const isContinued =
      last?.isLevel === rule.isLevel && Math.abs(last.at - rule.at) <= 1 && rule.from <= last.to + SNAP;
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

/** The places of some rules, and the ends of those across them, where a table has no outer line. */
function borders(along: readonly Rule[], across: readonly Rule[]): number[] {
  const first = across.reduce((least, { from }) => Math.min(least, from), Infinity);
  const last = across.reduce((most, { to }) => Math.max(most, to), -Infinity);
  const places: number[] = [];
  for (const at of along.map((rule) => rule.at).sort((a, b) => a - b))
    if (at - (places.at(-1) ?? -Infinity) > SNAP) places.push(at);
  if (first < (places[0] ?? Infinity) - 2 * SNAP) places.unshift(first);
  if (last > (places.at(-1) ?? -Infinity) + 2 * SNAP) places.push(last);
  return places;
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

/** A cell of a line and the height of that line. */
interface Piece extends Cell {
  readonly line: Line;
}

function tableIn(frame: Frame, lines: readonly Line[]): Table | undefined {
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
  // Rows of values that no line parts are read by their gutters instead.
  if (merged.flat().some(holdsRows)) return undefined;
  return accepted(merged.flatMap(splitRow), inside);
}

/** Whether a row of values stands right below a frame: then only the head of the table is ruled. */
function goesOn({ columns, rows }: Frame, lines: readonly Line[]): boolean {
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

function middleOf({ baseline, size }: Line): number {
  return baseline + 0.3 * size;
}

function isWithin({ columns, rows }: Frame, line: Line, { left, right }: Cell): boolean {
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

/** The index of the band between two borders that holds a place; borders rise or, with `sign` -1, fall. */
function bandOf(borders: readonly number[], place: number, sign: 1 | -1): number {
  const next = borders.findIndex((border) => sign * border > sign * place);
  return next === -1 ? borders.length - 2 : Math.max(0, next - 1);
}

/** A place in a table: what stands in it and how far it reaches. */
interface Slot {
  pieces: Piece[];
  readonly column: number;
  readonly colspan: number;
  rowspan: number;
}

/** Joins what no line parts: columns within a row, then the same columns of rows below each other. */
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

function holdsRows({ pieces }: Slot): boolean {
  return pieces.some(({ line }) => pieces.filter((piece) => piece.line === line).length > 2);
}

/** Whether one of the rules at a border stands beside a place. */
function isRuled(rules: readonly Rule[] = [], place: number): boolean {
  return rules.some((rule) => rule.from <= place && rule.to >= place);
}

/** A figure or the dash that stands for none. */
const FIGURE = /^[\s\d.,:;%$€£¥+()/*–−-]+$/;

/** Rows that no lines part are told by a column of figures, or by columns that hold as many lines, side by side. */
function splitRow(slots: readonly Slot[]): Slot[][] {
  const filled = slots.filter(({ pieces }) => pieces.length > 0);
  const figures = filled.filter(
    ({ pieces }) => pieces.length > 1 && pieces.every(({ text }) => FIGURE.test(text)),
  );
  const telling =
    figures.length > 0 ? figures : filled.every(({ pieces }) => pieces.length > 2) ? filled : [];
  const heights = telling.map(({ pieces }) => heightsOf(pieces));
  const [first = []] = heights;
  const isOne =
    filled.length < 2 ||
    first.length < 2 ||
    slots.some(({ rowspan }) => rowspan > 1) ||
    heights.some((own) => own.length !== first.length || own.some((at, index) => at !== first[index]));
  if (isOne) return [[...slots]];
  const all = heightsOf(filled.flatMap(({ pieces }) => pieces));
  return all.map((height) =>
    slots.map((slot) => ({
      ...slot,
      pieces: slot.pieces.filter((piece) => heightOf(piece, all) === height),
    })),
  );
}

/** The heights at which pieces stand, to the nearest point, from above; what differs by a little is one. */
function heightsOf(pieces: readonly Piece[]): number[] {
  const heights: number[] = [];
  for (const height of pieces.map(({ line }) => Math.round(line.baseline)).sort((a, b) => b - a))
    if ((heights.at(-1) ?? Infinity) - height > SNAP) heights.push(height);
  return heights;
}

function heightOf({ line }: Piece, heights: readonly number[]): number | undefined {
  return heights.find((height) => height - Math.round(line.baseline) <= SNAP);
}

/** A ruled table when its cells hold values: most are filled, none with a page of text. */
function accepted(rows: readonly Slot[][], lines: readonly Line[]): Table | undefined {
  const slots = rows.flat();
  const filled = slots.filter(({ pieces }) => pieces.length > 0);
  const columns = new Set(filled.map(({ column }) => column));
  const full = rows.filter((row) => row.filter(({ pieces }) => pieces.length > 0).length > 1);
  if (columns.size < 2 || full.length < 2) return undefined;
  if (filled.length < FILLED * slots.length) return undefined;
  const nodes = rows.map((row): RowNode =>
    rowNode(
      row.map((slot) => cellNode(textOf(slot.pieces), slot)),
      false,
    ),
  );
  if (filled.some(({ pieces }) => textOf(pieces).length > MAX_CELL)) return undefined;
  return { lines, node: { kind: 'table', presentational: false, caption: [], rows: nodes } };
}

function rowNode(cells: CellNode[], header: boolean): RowNode {
  return { kind: 'row', header, cells };
}

function cellNode(text: string, { colspan = 1, rowspan = 1 } = {}): CellNode {
  return {
    kind: 'cell',
    header: false,
    colspan,
    rowspan,
    children: text === '' ? [] : [{ kind: 'paragraph', text: text.replaceAll('`', '\\`') }],
  };
}

/** The text of a cell: its pieces in the order of the stream, those of one line parted by a blank. */
function textOf(pieces: readonly Piece[]): string {
  return joinLines(
    pieces.map(({ text, line, right }) => {
      return { ...line, text, isDivided: line.isDivided && right === line.right };
    }),
    ' ',
  );
}

// --- Tables without lines around their cells

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
  const edges = pieces
    .flatMap(({ left, right }) => [
      { at: left, step: 1 },
      { at: Math.max(left, right), step: -1 },
    ])
    .sort((a, b) => a.at - b.at || b.step - a.step);
  const gaps: { from: number; to: number }[] = [];
  let covered = 0;
  let from: number | undefined;
  for (const { at, step } of edges) {
    covered += step;
    if (covered <= allowed) from ??= at;
    else if (from !== undefined) {
      if (at - from >= least) gaps.push({ from, to: at });
      from = undefined;
    }
  }
  // What lies before the first piece is no gap.
  return gaps
    .filter((gap) => gap.from > (edges[0]?.at ?? 0) || allowed === 0)
    .filter(({ to }) => to < Infinity);
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
