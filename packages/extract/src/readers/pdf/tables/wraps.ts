// Rows of lines → rows of cells: a line that continues a cell of the row above joins the cell, and the rows beside a
// tall label become rows of their own.
import { FIGURE, goesOnInFigures, textOf, type Cells, type Piece } from './cells.ts';

/** A row of pieces by column, with its upper and lower height. */
export interface PlacedRow {
  readonly cells: Cells;
  readonly top: number;
  readonly bottom: number;
}

/** Two rows with no room for a third between them are closer than this many times the font size. */
const NO_ROOM = 2;
/** A centred cell is off the middle of its rows by at most this share of their distance. */
const OFF_MIDDLE = 0.2;

/** Puts labels that stand between two rows, centred over both, in the upper one. */
export function joinCentred(rows: readonly PlacedRow[], size: number): PlacedRow[] {
  const centred = rows.map((row, at) => isCentred(rows[at - 1], row, rows[at + 1], size));
  return rows.flatMap((row, at) => {
    if (centred[at] === true) return [];
    const [label] = (centred[at + 1] === true ? rows[at + 1]?.cells : undefined) ?? [];
    return [label === undefined ? row : { ...row, cells: row.cells.with(0, label) }];
  });
}

function isCentred(
  above: PlacedRow | undefined,
  { cells, top, bottom }: PlacedRow,
  below: PlacedRow | undefined,
  size: number,
): boolean {
  if (above === undefined || below === undefined) return false;
  const distance = above.bottom - below.top;
  const isMiddle = Math.abs(above.bottom - top - (bottom - below.top)) <= 2 * OFF_MIDDLE * distance;
  const isLabel = columnsOf(cells).every((column) => column === 0);
  const hasValues = (row: PlacedRow): boolean =>
    row.cells[0]?.length === 0 && columnsOf(row.cells).length > 0;
  return distance < NO_ROOM * size && isMiddle && isLabel && hasValues(above) && hasValues(below);
}

/** Joins lines that continue a cell of the row above to that cell. `size` is that of the font in points. */
export function mergeWrapped(rows: readonly PlacedRow[], size: number): Cells[] {
  const close = closeRows(rows, size);
  const merged: Cells[] = [];
  rows.forEach(({ cells, top }, index) => {
    const before = merged.at(-1);
    const isFar = (rows[index - 1]?.bottom ?? Infinity) - top > FAR * size;
    if (before !== undefined && !isFar && isWrapped(before, cells, close.has(index)))
      cells.forEach((pieces, column) => before[column]?.push(...pieces));
    else merged.push(cells.map((pieces) => [...pieces]));
  });
  return merged;
}

/** Lines of a cell are no further apart than this many times the font size, and rows this many times further. */
const MAX_PITCH = 1.45;
const WIDER = 1.2;
/** So many broken numbers beside each other are no rows of their own. */
const LEAST_BROKEN = 2;
/** Rows further apart than this many times the font size are no lines of one cell. */
const FAR = 2.2;

/**
 * The rows so close below the one before that they are its lines: the lines have one distance, the rows of the table a
 * wider one, and no figure stands right below a figure.
 */
function closeRows(rows: readonly PlacedRow[], size: number): Set<number> {
  const drops = rows.map(({ top }, index) => (rows[index - 1]?.bottom ?? Infinity) - top);
  const sorted = drops.slice(1).sort((a, b) => a - b);
  const wide = sorted.findIndex((drop, index) => drop > WIDER * (sorted[index - 1] ?? Infinity));
  const most = sorted[wide - 1] ?? 0;
  const close = [...rows.keys()].filter((index) => (drops[index] ?? Infinity) <= most);
  // Lines of cells that are full rows most of the time are rows.
  const full = close.filter((index) => isFullRow(rows[index]?.cells ?? []));
  const isSpaced =
    wide > 0 &&
    most <= MAX_PITCH * size &&
    rows.length - close.length > 2 &&
    full.length * 2 < close.length &&
    close.every(isLine);
  return new Set(isSpaced ? close : []);

  function isLine(index: number): boolean {
    const { cells = [] } = rows[index] ?? {};
    const above = rows[index - 1]?.cells ?? [];
    return !cells.some((pieces, column) => isOtherFigure(above[column] ?? [], pieces));
  }
}

function isFigure(pieces: readonly Piece[]): boolean {
  return pieces.length > 0 && FIGURE.test(textOf(pieces));
}

/** True if a figure stands below another, and does not go on with it. */
function isOtherFigure(above: readonly Piece[], below: readonly Piece[]): boolean {
  return isFigure(below) && isFigure(above) && !areBroken(above, below);
}

function areBroken(above: readonly Piece[], below: readonly Piece[]): boolean {
  return goesOnInFigures(textOf(above), textOf(below));
}

function isWrapped(before: Cells, row: Cells, isClose: boolean): boolean {
  const filled = columnsOf(row);
  const [first] = filled;
  if (first === undefined) return false;
  const goesOn = /^[^\p{L}\p{N}]*\p{Ll}/u.test(textOf(row[0] ?? []));
  // The label of a row is written above its values, or in lines of its own above them.
  const isHead = isBold(before[0]) && !isBold(row[0]);
  if (goesOn && !isHead && columnsOf(before).every((column) => column === 0)) return true;
  if (isBesideLabel(row)) return false;
  if (filled.some((column) => before[column]?.length === 0)) return false;
  // The label of a group stands over any column.
  if (filled.length === 1 && isBold(row[first]) && !isBold(before[first])) return false;
  if (filled.some((column) => isOtherFigure(before[column] ?? [], row[column] ?? []))) return false;
  const broken = filled.filter((column) => areBroken(before[column] ?? [], row[column] ?? []));
  if (broken.length >= LEAST_BROKEN) return true;
  return isClose || (filled.length * 2 <= row.length && (first > 0 || goesOn));
}

/**
 * True if the first line of a label goes on with another cell behind white space that the file does not write: programs
 * that do so write the further lines of a label above the other cells.
 */
function isBesideLabel([label = [], ...others]: Cells): boolean {
  const [first] = label;
  return (
    label.length === 1 && others.some(([piece]) => piece?.isDetached === true && piece.line === first?.line)
  );
}

/** True if all cells of a row are filled and stand on one line, parted by white space that the file does not write. */
function isFullRow(row: Cells): boolean {
  return row.every(([first], column) => first !== undefined && (column === 0 || first.isDetached === true));
}

function isBold(pieces: readonly Piece[] = []): boolean {
  return pieces.length > 0 && pieces.every((piece) => piece.isBold);
}

function columnsOf(row: Cells): number[] {
  return row.flatMap((pieces, column) => (pieces.length > 0 ? [column] : []));
}

/** Pieces on one line share a height, to within so many times the font size. */
const LEVEL = 0.3;
/** An end of text that continues in the next line of its cell. */
const GOES_ON = /[-–—]$/;

/**
 * The rows beside a label, which comes first in the stream at any height: two columns of figures with pieces at the
 * same heights show them. The label belongs to the first row.
 */
export function besideLabel(row: Cells): Cells[] {
  const [label = [], ...columns] = row;
  const figures = columns.filter(
    (pieces) =>
      pieces.length > 1 &&
      pieces.every(({ text }) => FIGURE.test(text) && !GOES_ON.test(text)) &&
      !pieces.some(({ text }, at) => goesOnInFigures(pieces[at - 1]?.text ?? '', text)),
  );
  const first = figures[0] ?? [];
  const isBeside = (piece: Piece, height: Piece): boolean =>
    Math.abs(piece.baseline - height.baseline) < LEVEL * height.size;
  const isFit = (pieces: readonly Piece[]): boolean =>
    pieces.length === first.length && pieces.every((piece, at) => isBeside(piece, first[at] ?? piece));
  const isApart = first.every(
    (piece, at) => at === 0 || (first[at - 1]?.baseline ?? 0) - piece.baseline > piece.size / 2,
  );
  const rowOf = (piece: Piece): number => first.findIndex((height) => isBeside(piece, height));
  const isEach = columns.flat().every((piece) => rowOf(piece) !== -1);
  if (label.length === 0 || figures.length < 2 || !isApart || !figures.every(isFit) || !isEach) return [row];
  const labels = isFit(label) ? label : undefined;
  return first.map((_, at) => [
    labels?.slice(at, at + 1) ?? (at === 0 ? label : []),
    ...columns.map((pieces) => pieces.filter((piece) => rowOf(piece) === at)),
  ]);
}
