// White space that runs down through pieces of text, and the columns that it parts.
import { edgesOf, FIGURE, textOf, type Cells, type Gutter, type Piece } from './cells.ts';
import type { InkSpan, Row } from './rows.ts';
import { isCrowded } from './values.ts';

/** The gaps between spans that at most `allowed` of them reach over, from the left, wider than `least`. */
export function gapsOf(pieces: readonly InkSpan[], allowed: number, least: number): Gutter[] {
  const { begins, ends } = edgesOf(pieces);
  const gaps: Gutter[] = [];
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
  // Space before the first piece is no gap.
  return gaps.filter((gap) => gap.from > (begins[0] ?? 0) || allowed === 0);
}

/** Fewer figures below each other show no column by themselves. */
const LEAST_FIGURES = 3;

/**
 * The gaps but those between a label of the first row and the texts of its column: no row has something on both sides,
 * or the labels stand to the left of the figures in their columns.
 */
export function withoutNames(gaps: readonly Gutter[], rows: readonly Row[]): readonly Gutter[] {
  const [names = [], ...others] = rows.map(({ pieces }) => cellsOf(pieces, gaps));
  const values = names.map((_, column) => others.some((row) => row[column]?.length !== 0));
  const isName = (column: number): boolean => names[column]?.length !== 0 && values[column] === false;
  const isUnnamed = (column: number): boolean => names[column]?.length === 0 && values[column] === true;
  const kept = gaps.filter(
    (_, at) => !(isUnnamed(at) && isName(at + 1)) && !(isName(at) && isUnnamed(at + 1)),
  );
  if (kept.length < gaps.length) return kept;
  const hasFigures = (column: number): boolean =>
    others.filter((row) => FIGURE.test(textOf(row[column] ?? []))).length >= LEAST_FIGURES;
  // A long figure reaches below the name, and over the gap.
  const isLeftName = (at: number): boolean =>
    names[at]?.length !== 0 &&
    others.every((row) => row[at]?.every(({ right }) => right > (gaps[at]?.to ?? Infinity)));
  return gaps.filter((_, at) => {
    const isLeft = isLeftName(at) && hasFigures(at + 1);
    return !(isLeft && !cellsOf(rows[0]?.pieces ?? [], gaps.toSpliced(at, 1)).some(isCrowded));
  });
}

/** The pieces of a row by column. */
export function cellsOf(pieces: readonly Piece[], gaps: readonly Gutter[]): Cells {
  const cells: Cells = Array.from({ length: gaps.length + 1 }, () => []);
  for (let at = 0; at < pieces.length;) {
    const line = pieces[at]?.line;
    let end = at + 1;
    while (end < pieces.length && pieces[end]?.line === line) end++;
    const own = pieces.slice(at, end);
    for (const [index, column] of columnsOfLine(own, gaps).entries())
      cells[column]?.push(...own.slice(index, index + 1));
    at = end;
  }
  return cells;
}

/** Signs beside a value are no cells. */
const NAME = /\p{L}{2}/u;

/**
 * The columns of the pieces of one line. A name in the gutter before the values that it stands above belongs to them
 * where another name stands in the column before it.
 */
function columnsOfLine(pieces: readonly Piece[], gaps: readonly Gutter[]): number[] {
  const found = pieces.map((piece) => columnOf(piece, gaps));
  const moved: number[] = [];
  for (const [at, piece] of pieces.entries()) {
    const column = found[at] ?? 0;
    const isTaken = column === moved.at(-1);
    if (isTaken && !(piece.left > (gaps[column]?.from ?? Infinity) && NAME.test(piece.text))) return found;
    moved.push(isTaken ? column + 1 : column);
  }
  return moved;
}

/** The ink of pieces of one column differs by at most so many points at their beginnings. */
const INTO_GUTTER = 2;

/** A piece over a gutter belongs to the column of its left edge; one that begins in a gutter, to the column behind. */
export function columnOf({ left, right }: Piece, gaps: readonly Gutter[]): number {
  const column = gaps.findIndex(
    ({ from, to }) =>
      left + INTO_GUTTER < from || (right < to && (left + Math.min(right, left + 4)) / 2 < (from + to) / 2),
  );
  return column === -1 ? gaps.length : column;
}
