// Notes in the margin beside the text, in smaller type: PDFium takes them for the ends of the lines beside them, and
// together they look like the rows of a table.
import { sliceLine } from './columns.ts';
import { separateLineNumbers } from './line-numbers.ts';
import { isSameSize, isSmall, quantile, type Cell, type TextLine } from '../lines/text.ts';

/** Least length of a text line in characters, and least number of such lines for a page with a detectable margin. */
const LINE_LENGTH = 18;
const LEAST_LINES = 5;
/** This share of the text's lines begins and ends within its measure; a note stands so many font sizes outside. */
const WITHIN = 0.95;
const APART = 0.5;
const WORD = /\p{L}{2}/u;

/** The lines of a page, with notes split off, and the set of notes. */
export interface SeparatedNotes {
  lines: readonly TextLine[];
  readonly notes: ReadonlySet<TextLine>;
  /** All line numbers of the page, one of the notes. */
  readonly numbers?: TextLine;
}

/**
 * Separates notes in the margin from the lines beside them. `body` is the font size of the document's text. Linear but
 * for sorting.
 */
export function separateNotes(page: readonly TextLine[], body: number): SeparatedNotes {
  const { lines, numbers } = separateLineNumbers(page);
  if (numbers === undefined) return separateTextNotes(page, body);
  const noted = separateTextNotes(lines, body);
  return { lines: [...noted.lines, numbers], notes: new Set([...noted.notes, numbers]), numbers };
}

/** Separates notes that are no line numbers. */
function separateTextNotes(lines: readonly TextLine[], body: number): SeparatedNotes {
  const notes = new Set<TextLine>();
  // Most pages have nothing in small type.
  if (!lines.some(({ cells }) => cells.some((cell) => isNoteSize(cell, body)))) return { lines, notes };
  const measure = measureOf(lines, body);
  if (measure === undefined) return { lines, notes };
  const isNote = (cell: Cell): boolean =>
    isNoteSize(cell, body) &&
    (cell.left >= measure.right + APART * body || cell.right <= measure.left - APART * body);
  if (!areNotes(lines.flatMap(({ cells, isTurned }) => (isTurned ? [] : cells.filter(isNote)))))
    return { lines, notes };
  const parted: TextLine[][] = [];
  /** The note that was met last. */
  let open: TextLine[] = [];
  for (const line of lines) {
    const { text, note } = splitNote(line, isNote, body);
    parted.push(text);
    if (note === undefined) continue;
    notes.add(note);
    // Lines written across the page interleave with those of a note, which are collected here.
    if (isStacked(open.at(-1), note)) open.push(note);
    else parted.push((open = [note]));
  }
  return notes.size === 0 ? { lines, notes } : { lines: parted.flat(), notes };
}

/** Splits a line into its text and the note beside it. */
function splitNote(
  line: TextLine,
  isNote: (cell: Cell) => boolean,
  body: number,
): { text: TextLine[]; note?: TextLine } {
  const { cells, isTurned } = line;
  const first = cells.findIndex(isNote);
  if (first === -1 || isTurned) return { text: [line] };
  const end = first + cells.slice(first).filter(isNote).length;
  const others = [...cells.slice(0, first), ...cells.slice(end)];
  // The rows of a wide table in small type are small throughout.
  if (others.some((cell) => isNote(cell) || isSmall(cell, { size: body }))) return { text: [line] };
  const text = [
    ...(first > 0 ? [sliceLine(line, 0, first)] : []),
    ...(end < cells.length ? [sliceLine(line, end, cells.length)] : []),
  ];
  return { text, note: sliceLine(line, first, end) };
}

/** This share of the lines in a margin with notes stands right below or above another. */
const STACKED = 0.6;
/** Lines of one note are between these many times the font size apart. */
const LEAST_DROP = 0.6;
const MOST_DROP = 1.6;

/** True if lines in the margin are those of notes, which mostly have several: labels and numbers stand alone. */
function areNotes(cells: readonly Cell[]): boolean {
  const sorted = cells.filter(({ text }) => WORD.test(text)).sort((a, b) => b.baseline - a.baseline);
  const stacked = new Set<Cell>();
  sorted.forEach((cell, index) => {
    const next = sorted[index + 1];
    if (next !== undefined && isStacked(cell, next)) stacked.add(cell).add(next);
  });
  return stacked.size > 0 && stacked.size >= STACKED * cells.length;
}

function isStacked(above: Cell | TextLine | undefined, { left, right, baseline }: Cell | TextLine): boolean {
  if (above === undefined || left >= above.right || right <= above.left) return false;
  const drop = above.baseline - baseline;
  return drop >= LEAST_DROP * above.size && drop <= MOST_DROP * above.size;
}

function isNoteSize(cell: Cell, body: number): boolean {
  return cell.size > 0 && isSmall(cell, { size: body });
}

/** The left and right edge of a page's text. */
function measureOf(lines: readonly TextLine[], body: number): { left: number; right: number } | undefined {
  const text = lines.flatMap(({ cells, isTurned }) =>
    isTurned ? [] : cells.filter((cell) => cell.text.length >= LINE_LENGTH && isSameSize(cell.size, body)),
  );
  if (text.length < LEAST_LINES) return undefined;
  return {
    left: quantile(
      text.map(({ left }) => left),
      1 - WITHIN,
    ),
    right: quantile(
      text.map(({ right }) => right),
      WITHIN,
    ),
  };
}
