// Rows of a page: lines beside each other, for a stream by lines as well as by cells.
import type { Piece } from './cells.ts';
import { quantile, type TextLine } from '../lines/text.ts';

/** Lines beside each other: every piece of a row stands higher than those of the next. */
export interface Row {
  readonly pieces: readonly Piece[];
  /** The horizontal ranges of its pieces, from the left. */
  readonly spans: readonly InkSpan[];
  readonly top: number;
  readonly bottom: number;
  readonly size: number;
}

/** Gutters are at least this many times as wide as the font is large. */
export const GUTTER = 0.5;

/** Gutters beside narrow gaps that are proved to part columns. */
const TIGHT_GUTTER = 0.2;

/** Least distance of a row above the next, in font sizes. */
const APART = 0.4;

/** The finest rows, each wholly above the next. */
export function rowsOf(lines: readonly TextLine[]): Row[] {
  const highestAfter: number[] = [];
  for (let at = lines.length - 1, highest = -Infinity; at >= 0; at--) {
    highestAfter[at] = highest;
    highest = Math.max(highest, lines[at]?.baseline ?? highest);
  }
  const tall = tallCells(lines);
  const rows: Row[] = [];
  let open: TextLine[] = [];
  let lowest = Infinity;
  lines.forEach((line, at) => {
    open.push(line);
    lowest = Math.min(lowest, line.baseline);
    if (tall.has(line) || lowest - (highestAfter[at] ?? -Infinity) < APART * line.size) return;
    rows.push(rowOf(piecesOf(open)));
    open = [];
    lowest = Infinity;
  });
  if (open.length > 0) rows.push(rowOf(piecesOf(open)));
  return withTails(rows);
}

/** A value beside the middle of a cell of several lines is off that middle by at most this many times the font size. */
const OFF_MIDDLE = 0.15;
/** Longer columns of lines are no cells. */
const MAX_LINES = 12;

/**
 * The lines, but for the last, of cells of several lines with a value beside their middle, which the stream has behind
 * them: the row ends below all of them.
 */
function tallCells(lines: readonly TextLine[]): Set<TextLine> {
  const tall = new Set<TextLine>();
  for (const [at, value] of lines.entries()) {
    const bottom = lines[at - 1];
    if (bottom === undefined || value.baseline - bottom.baseline < APART * value.size) continue;
    let top = bottom;
    for (let first = at - 2; first >= Math.max(0, at - MAX_LINES); first--) {
      const above = lines[first];
      if (above === undefined || !isLineOfCell(above, top) || above.right > value.left) break;
      top = above;
      const middle = (top.baseline + bottom.baseline) / 2;
      if (middle > value.baseline + OFF_MIDDLE * value.size) break;
      if (Math.abs(middle - value.baseline) <= OFF_MIDDLE * value.size)
        for (const line of lines.slice(first, at - 1)) tall.add(line);
    }
  }
  return tall;
}

/** True if a line is the next line of a cell of its own, in the same column. */
function isLineOfCell(above: TextLine, line: TextLine): boolean {
  return above.cells.length === 1 && line.cells.length === 1 && isBelow(above, line);
}

/**
 * Returns lines to the last cell of the row above that begin a row in the stream, further right than the rest of the
 * row.
 */
function withTails(rows: readonly Row[]): Row[] {
  const joined: Row[] = [];
  for (const row of rows) {
    const above = joined.at(-1);
    const tail = above === undefined ? 0 : tailOf(above.pieces, row.pieces);
    if (above === undefined || tail === 0) joined.push(row);
    else {
      joined[joined.length - 1] = rowOf([...above.pieces, ...row.pieces.slice(0, tail)]);
      joined.push(rowOf(row.pieces.slice(tail)));
    }
  }
  return joined;
}

/** Number of the first pieces of a row that continue below the last piece of the row above. */
function tailOf(above: readonly Piece[], pieces: readonly Piece[]): number {
  let last = above.at(-1);
  let tail = 0;
  for (let next = pieces[0]; last !== undefined && next !== undefined && isBelow(last, next);) {
    last = next;
    next = pieces[++tail];
  }
  const rest = pieces.slice(tail);
  return rest.some(({ right }) => right < (pieces[0]?.left ?? 0)) ? tail : 0;
}

/** Lines of one cell are no further apart than this many times the font size. */
export const MAX_PITCH = 1.7;

/** True if a piece is the next line of a cell. */
export function isBelow(
  above: InkSpan & Pick<Piece, 'baseline'>,
  { left, right, baseline, size }: InkSpan & Pick<Piece, 'baseline' | 'size'>,
): boolean {
  const drop = above.baseline - baseline;
  return drop > 0 && drop < MAX_PITCH * size && left < above.right && right > above.left;
}

/** The cells of lines, with their lines. */
export function piecesOf(lines: readonly TextLine[]): Piece[] {
  const pieces: Piece[] = [];
  for (const line of lines)
    for (const cell of line.cells)
      // Named one by one, because a spread takes several times as long: this runs for each piece of a page.
      pieces.push({
        text: cell.text,
        left: cell.left,
        right: cell.right,
        baseline: cell.baseline,
        size: cell.size,
        isBold: cell.isBold,
        isFixedPitch: cell.isFixedPitch,
        isTight: cell.isTight,
        isDetached: cell.isDetached,
        glyphs: cell.glyphs,
        line,
      });
  return pieces;
}

/** The row of some pieces, in the order of the stream. */
export function rowOf(pieces: readonly Piece[]): Row {
  const [first] = pieces;
  if (first !== undefined && first.line === pieces.at(-1)?.line) {
    const { baseline, size } = first.line;
    return { pieces, spans: spansOf(pieces), top: baseline, bottom: baseline, size };
  }
  const lines = [...new Set(pieces.map(({ line }) => line))];
  return {
    pieces,
    spans: spansOf(pieces),
    top: lines.reduce((most, { baseline }) => Math.max(most, baseline), -Infinity),
    bottom: lines.reduce((least, { baseline }) => Math.min(least, baseline), Infinity),
    size: quantile(
      lines.map(({ size }) => size),
      0.5,
    ),
  };
}

/** A horizontal range of ink, in points from the left. */
export interface InkSpan {
  readonly left: number;
  readonly right: number;
  readonly isTight?: boolean | undefined;
}

/** Pieces that stand above each other, in whole or in part, cover one span. */
function spansOf(pieces: readonly InkSpan[]): InkSpan[] {
  const spans: InkSpan[] = [];
  const sorted = pieces.length < 2 ? pieces : pieces.toSorted((a, b) => a.left - b.left);
  for (const { left, right, isTight } of sorted) {
    const last = spans.at(-1);
    if (last !== undefined && left <= last.right)
      spans[spans.length - 1] = {
        left: last.left,
        right: Math.max(last.right, right),
        isTight: last.isTight,
      };
    else spans.push({ left, right, isTight });
  }
  return spans;
}

/** True if a row has pieces beside each other with a gutter between. */
export function isTabular({ spans, size }: Row): boolean {
  return spans.some(
    ({ left, isTight }, index) =>
      left - (spans[index - 1]?.right ?? Infinity) >= (isTight === true ? TIGHT_GUTTER : GUTTER) * size,
  );
}

/** The least width of the gutters of some rows. */
export function leastGutter(rows: readonly Row[], size: number): number {
  const isTight = rows.some(({ spans }) => spans.some((span) => span.isTight === true));
  return (isTight ? TIGHT_GUTTER : GUTTER) * size;
}
