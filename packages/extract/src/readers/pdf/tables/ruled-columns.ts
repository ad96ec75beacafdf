// Columns without lines between them: a gutter through the rows of a ruled column parts it as a line would, and a
// label over it is parted from the labels below.
import { FIGURE, type Gutter, type Piece } from './cells.ts';
import { bandOf, SNAP, type Frame } from './frames.ts';
import { gapsOf } from './gaps.ts';
import { GUTTER } from './rows.ts';
import { quantile, type TextLine } from '../lines/text.ts';
import type { Rule } from '../pdfium/rules.ts';

/** Fewer lines of several pieces show no column. */
const LEAST_LINES = 3;
/** At least this share of a column's lines have several pieces. */
const PARTED = 0.6;
/** At most this share of them reach over a gutter. */
const CROSSED = 0.1;

/** A frame with its pieces. */
interface Refined {
  readonly frame: Frame;
  readonly pieces: readonly Piece[];
}

/** Adds the borders that white space shows to a frame. */
export function refineFrame(frame: Frame, pieces: readonly Piece[]): Refined {
  const columns = frame.columns.slice(1).map((): Piece[] => []);
  for (const piece of pieces) columns[bandOf(frame.columns, (piece.left + piece.right) / 2, 1)]?.push(piece);
  const joints = frame.joints.map((at): Gutter => ({ from: at, to: at }));
  const found = columns.flatMap((own, column) => {
    const gutters = joints.length > 0 ? joints : guttersOf(own);
    return gutters.length === 0 ? [] : [{ column, gutters }];
  });
  if (found.length === 0) return { frame, pieces };
  const gutters = found.flatMap((one) => one.gutters);
  const parted = pieces.flatMap((piece) => partFigures(piece, gutters));
  const drawn: Rule[] = [];
  const heights: number[] = [];
  for (const [row, top] of frame.rows.slice(0, -1).entries()) {
    const bottom = frame.rows[row + 1] ?? top;
    const inside = parted.filter(({ line }) => middleOf(line) < top && middleOf(line) > bottom);
    for (const { column, gutters } of found) {
      const [from = 0, to = 0] = frame.columns.slice(column, column + 2);
      const own = inside.filter(({ left, right }) => (left + right) / 2 > from && (left + right) / 2 < to);
      const label = labelEnd(own, gutters);
      if (label !== undefined) {
        heights.push(label);
        drawn.push({ isLevel: true, at: label, from, to });
      }
      for (const gutter of gutters)
        if (!own.some((piece) => isOver(piece, gutter) && middleOf(piece.line) < (label ?? top)))
          drawn.push({ isLevel: false, at: middle(gutter), from: bottom, to: label ?? top });
    }
  }
  const added = heights
    .sort((a, b) => b - a)
    .filter((height, at) => at === 0 || (heights[at - 1] ?? 0) - height > SNAP);
  return {
    pieces: parted,
    frame: {
      joints: [],
      columns: [...frame.columns, ...gutters.map(middle)].sort((a, b) => a - b),
      rows: [...frame.rows, ...added].sort((a, b) => b - a),
      rules: [...frame.rules, ...drawn],
    },
  };
}

/** The height of the middle of a line's letters. */
export function middleOf({ baseline, size }: Pick<TextLine, 'baseline' | 'size'>): number {
  return baseline + 0.3 * size;
}

function middle({ from, to }: Gutter): number {
  return (from + to) / 2;
}

function isOver({ left, right }: Piece, gutter: Gutter): boolean {
  return left < middle(gutter) - 1 && right > middle(gutter) + 1;
}

const CONTENT = /[\p{L}\p{N}]/u;

/** The gutters through most lines of a column, with letters or figures on both sides. */
function guttersOf(pieces: readonly Piece[]): Gutter[] {
  const lines = Map.groupBy(pieces, ({ line }) => line);
  const several = [...lines.values()].filter(({ length }) => length > 1);
  if (several.length < LEAST_LINES || several.length < PARTED * lines.size) return [];
  const size = quantile(
    several.flat().map((piece) => piece.size),
    0.5,
  );
  const gaps = gapsOf(several.flat(), Math.floor(CROSSED * several.length), GUTTER * size);
  const isFull = (own: readonly Piece[]): boolean =>
    own.filter(({ text }) => CONTENT.test(text)).length >= PARTED * several.length;
  return gaps.filter((gap) => {
    const before = several.flat().filter(({ right }) => right <= middle(gap));
    const behind = several.flat().filter(({ left }) => left >= middle(gap));
    return isFull(before) && isFull(behind);
  });
}

/** The height between a label over gutters and the labels below it; none where no label stands above others. */
function labelEnd(own: readonly Piece[], gutters: readonly Gutter[]): number | undefined {
  const isWide = (piece: Piece): boolean => gutters.some((gutter) => isOver(piece, gutter));
  const wide = own.filter(isWide);
  const below = own.filter((piece) => !isWide(piece));
  if (wide.length === 0 || below.length <= gutters.length) return undefined;
  const bottom = wide.reduce((least, { baseline }) => Math.min(least, baseline), Infinity);
  const top = below.reduce((most, { baseline }) => Math.max(most, baseline), -Infinity);
  return top < bottom - SNAP ? (bottom + top) / 2 + SNAP : undefined;
}

/** Parts figures that reach over gutters at their blanks, one of them for each gutter. */
function partFigures(piece: Piece, gutters: readonly Gutter[]): Piece[] {
  const over = gutters.filter((gutter) => isOver(piece, gutter));
  if (over.length === 0) return [piece];
  const texts = piece.text.split(' ');
  if (texts.length !== over.length + 1 || !texts.every((text) => FIGURE.test(text))) return [piece];
  return texts.map((text, at) => ({
    ...piece,
    text,
    left: over[at - 1]?.to ?? piece.left,
    right: over[at]?.from ?? piece.right,
  }));
}
