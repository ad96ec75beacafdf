// Rows without lines between them: a ruled row whose columns have lines at the same heights is several.
import { FIGURE, textOf, type Piece } from './cells.ts';
import { SNAP } from './frames.ts';
import { CAPTION, SMALL_LETTER } from '../lines/text.ts';
import { firstIndex } from '../../../search.ts';

/** A slot of a table: its pieces and its extent. */
export interface Slot {
  pieces: Piece[];
  readonly column: number;
  readonly colspan: number;
  rowspan: number;
}

/** A note over all columns is longer than the label of a group, in characters. */
const LONG_NOTE = 40;

/**
 * The tables of one frame, each without the row over all columns above it, which is its caption, and without the notes
 * below it. A caption between rows begins another table; other such rows are labels of groups.
 */
export function sectionsOf(rows: readonly (readonly Slot[])[], width: number): (readonly Slot[])[][] {
  const sections: (readonly Slot[])[][] = [];
  let open: (readonly Slot[])[] = [];
  for (const row of rows) {
    const text = overAll(row, width);
    if (text !== undefined && (open.length === 0 || CAPTION.test(text))) {
      if (open.length > 0) sections.push(open);
      open = [];
    } else open.push(row);
  }
  sections.push(open);
  return sections.map((section) => {
    const last = section.findLastIndex((row) => (overAll(row, width)?.length ?? 0) <= LONG_NOTE);
    return section.slice(0, last + 1);
  });
}

/** The text of a row that is one cell over all columns. */
function overAll([slot, ...others]: readonly Slot[], width: number): string | undefined {
  if (slot === undefined || others.length > 0 || slot.colspan < width || slot.rowspan > 1) return undefined;
  return textOf(slot.pieces);
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
export function splitRow(slots: readonly Slot[], rows: number): Slot[][] {
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
  const columns = filled.map(({ pieces }) => heightsOf(pieces));
  const figures = columns.filter((_, at) => {
    const pieces = filled[at]?.pieces ?? [];
    return pieces.length > 1 && pieces.every(({ text }) => FIGURE.test(text));
  });
  const isEven = figures.length === 0 && rows <= FEW_ROWS && filled.every(({ pieces }) => pieces.length > 2);
  const parted = partedHeights(filled);
  if (parted.length > 1) return parted;
  const isTable =
    figures.length > 0
      ? areLevel(figures, FULL, 2)
      : (isEven && areLevel(columns, 1, 2)) || (areEntries(filled) && areLevel(columns, FULL, LEAST_ENTRIES));
  return isTable ? heightsOf(filled.flatMap(({ pieces }) => pieces)) : labelHeights(filled);
}

/**
 * The heights of lines with a piece of each slot, parted by white space that the file does not write. Programs that do
 * so write the lines of one cell behind each other: a row has one such line at most.
 */
function partedHeights(filled: readonly Slot[]): number[] {
  const [first, ...others] = filled.map(({ pieces }) => new Map(pieces.map((piece) => [piece.line, piece])));
  const lines = [...(first?.keys() ?? [])].filter((line) =>
    others.every((own) => own.get(line)?.isDetached === true),
  );
  const heights = lines.map(({ baseline }) => Math.round(baseline)).sort((a, b) => b - a);
  const top = heightsOf(filled.flatMap(({ pieces }) => pieces))[0];
  // Other programs write the lines of all cells side by side, which go on with small letters.
  const below = lines.slice(1).flatMap(({ cells }) => cells);
  const isText = below.filter(({ text }) => SMALL_LETTER.test(text)).length * 2 > below.length;
  return heights[0] === top && !isText ? heights : [];
}

/** At least this share of the rows without lines between them fill a column of figures. */
const FULL = 0.8;

/** True if all columns have lines at this share of the heights of the tallest, at least so many, and at no others. */
function areLevel(columns: readonly (readonly number[])[], share: number, least: number): boolean {
  const [tallest = []] = columns.toSorted((a, b) => b.length - a.length);
  return (
    tallest.length >= least &&
    columns.every(
      (own) =>
        own.length >= share * tallest.length &&
        own.every((at) => tallest.some((height) => Math.abs(height - at) <= SNAP)),
    )
  );
}

/** Fewer lines without figures may be texts of equal length. */
const LEAST_ENTRIES = 4;
/** Longer lines than this, in characters, are those of texts. */
const LONG_ENTRY = 24;
/** At most this share of entries begin with a small letter; of the lines of a text, most do. */
const SMALL_BEGINS = 0.1;

/** True if lines are entries by themselves: short, and with capitals or figures at their beginnings. */
function areEntries(filled: readonly Slot[]): boolean {
  const texts = filled.flatMap(({ pieces }) => pieces.map(({ text }) => text));
  const small = texts.filter((text) => SMALL_LETTER.test(text));
  const isShort = texts.every(({ length }) => length <= LONG_ENTRY);
  return filled.length > 2 && isShort && small.length <= SMALL_BEGINS * texts.length;
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
