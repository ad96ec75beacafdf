// Plots whose labels stand in rows and columns as the cells of tables do. Their axes show them, and panels that repeat
// the axes.
import type { Cells, Piece } from './cells.ts';

/** The marks of an axis, at least so many. */
const LEAST_MARKS = 4;
const NUMBER = /^[-–−+]?(?:\d+(?:[.,]\d+)?|[.,]\d+)$/;
/** Distances of marks differ by at most this share: each stands about its middle. */
const UNEVEN = 0.2;
/** Above and below an axis, a table has at least this share of the cells filled. */
const BESIDE_AXIS = 0.5;

/** True if rows, as they stand on the page, hold an axis: upright, or without values above and below its marks. */
export function hasAxis(rows: readonly Cells[]): boolean {
  if (rows.some((row) => row.some(isUprightAxis))) return true;
  const axis = rows.find(isAxis);
  if (axis === undefined) return false;
  const marked = axis.flatMap((cell, column) => (cell.length > 0 ? [column] : []));
  const others = rows.filter((row) => !isAxis(row));
  const filled = others.flatMap((row) => marked.filter((column) => (row[column]?.length ?? 0) > 0));
  return others.length === 0 || filled.length < BESIDE_AXIS * others.length * marked.length;
}

/** True if a row holds numbers one step apart, each as far from the one before. */
function isAxis(row: Cells): boolean {
  const pieces = row.flat();
  if (pieces.length < LEAST_MARKS || !pieces.every(({ text }) => NUMBER.test(text))) return false;
  const middles = pieces.map(({ left, right }) => (left + right) / 2);
  return isEven(pieces.map(valueOf), 1e-6) && isEven(middles, UNEVEN);
}

/** True if the lines of one cell are numbers one step apart, and so are their heights; counted rows are no axis. */
function isUprightAxis(cell: readonly Piece[]): boolean {
  if (cell.length < LEAST_MARKS || !cell.every(({ text }) => NUMBER.test(text))) return false;
  const values = cell.map(valueOf);
  const step = Math.abs((values[1] ?? 0) - (values[0] ?? 0));
  const heights = cell.map(({ baseline }) => baseline);
  return step !== 1 && isEven(values, 1e-6) && isEven(heights, UNEVEN);
}

const THOUSANDS = /(?<=^[-–−+]?[1-9]\d{0,2}),(?=\d{3}$)/;

function valueOf({ text }: Piece): number {
  return Number(text.replace(/[–−]/, '-').replace(THOUSANDS, '').replace(',', '.'));
}

/** True if numbers are one step apart, within a tolerance. */
function isEven(numbers: readonly number[], tolerance: number): boolean {
  const steps = numbers.slice(1).map((number, at) => number - (numbers[at] ?? 0));
  const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length;
  return mean !== 0 && steps.every((step) => Math.abs(step - mean) <= tolerance * Math.abs(mean));
}

/** So many rows of panels repeat one text; a table of words before and after a change has fewer. */
const REPEATED_SHARE = 1 / 2;

/** True if cells are panels of a plot: two in a row hold the marks of one axis, or rows repeat one text. */
export function isPanels(rows: readonly (readonly string[])[]): boolean {
  if (rows.some(hasEqualScales)) return true;
  const same = rows.filter(isRepeated).length;
  return same > 1 && same >= REPEATED_SHARE * rows.length;
}

/** True if two cells hold the marks of one axis: panels side by side share theirs, and lists of sizes differ. */
function hasEqualScales(row: readonly string[]): boolean {
  const scales = row.filter(isScale);
  return new Set(scales).size < scales.length;
}

/** Marks of an axis; numbers that count are none, since rows are counted, too. */
function isScale(text: string): boolean {
  const numbers = text.split(' ');
  if (numbers.length < LEAST_MARKS || !numbers.every((number) => NUMBER.test(number))) return false;
  const [first = 0, second = 0] = numbers.map(Number);
  return Math.abs(second - first) !== 1 && isEven(numbers.map(Number), 1e-6);
}

function isRepeated(row: readonly string[]): boolean {
  const [first = '', ...others] = row.filter((text) => text !== '');
  return (
    WORD.test(first) &&
    2 * (others.length + 1) > row.length &&
    others.length > 0 &&
    others.every((text) => text === first)
  );
}

const WORD = /\p{L}{2}/u;
