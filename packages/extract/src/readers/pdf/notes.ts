// Notes in the margin beside the text, in smaller type: PDFium takes them for the ends of the lines that they stand
// beside, and their lines and those of the text look like the rows of a table.
import { partOf } from './columns.ts';
import { isSmall } from './joins.ts';
import { partLineNumbers } from './line-numbers.ts';
import { isSameSize, quantile, type Cell, type Line } from './text.ts';

/** Lines of the text have so many characters, and a page with fewer of them has no margin that can be told. */
const LINE_LENGTH = 18;
const LEAST_LINES = 5;
/** Of the lines of the text, so many begin and end within its measure; a note stands so many font sizes outside. */
const WITHIN = 0.95;
const APART = 0.5;
const WORD = /\p{L}{2}/u;

/** The lines of a page, those that go on in a note parted, and which of them are notes. */
export interface Noted {
  readonly lines: readonly Line[];
  readonly notes: ReadonlySet<Line>;
}

/**
 * Parts notes in the margin from the lines beside them. `body` is the font size of the document's text. Linear but for
 * sorting.
 */
export function partNotes(page: readonly Line[], body: number): Noted {
  const { lines, numbers } = partLineNumbers(page);
  if (numbers === undefined) return partTextNotes(page, body);
  const noted = partTextNotes(lines, body);
  return { lines: [...noted.lines, numbers], notes: new Set([...noted.notes, numbers]) };
}

/** Parts notes that are no numbers of lines. */
function partTextNotes(lines: readonly Line[], body: number): Noted {
  const notes = new Set<Line>();
  // Most pages have nothing in small type.
  if (!lines.some(({ cells }) => cells.some((cell) => isNoteSize(cell, body)))) return { lines, notes };
  const measure = measureOf(lines, body);
  if (measure === undefined) return { lines, notes };
  const isNote = (cell: Cell): boolean =>
    isNoteSize(cell, body) &&
    (cell.left >= measure.right + APART * body || cell.right <= measure.left - APART * body);
  if (!areNotes(lines.flatMap(({ cells, isTurned }) => (isTurned ? [] : cells.filter(isNote)))))
    return { lines, notes };
  const parted: Line[][] = [];
  /** The note that was met last. */
  let open: Line[] = [];
  for (const line of lines) {
    const { text, note } = partOff(line, isNote, body);
    parted.push(text);
    if (note === undefined) continue;
    notes.add(note);
    // Where lines are written across the page, those of a note are brought together.
    if (isStacked(open.at(-1), note)) open.push(note);
    else parted.push((open = [note]));
  }
  return notes.size === 0 ? { lines, notes } : { lines: parted.flat(), notes };
}

/** What of a line is text, and the note beside it. */
function partOff(line: Line, isNote: (cell: Cell) => boolean, body: number): { text: Line[]; note?: Line } {
  const { cells, isTurned } = line;
  const first = cells.findIndex(isNote);
  if (first === -1 || isTurned) return { text: [line] };
  const end = first + cells.slice(first).filter(isNote).length;
  const others = [...cells.slice(0, first), ...cells.slice(end)];
  // The rows of a wide table in small type are small throughout.
  if (others.some((cell) => isNote(cell) || isSmall(cell, { size: body }))) return { text: [line] };
  const text = [
    ...(first > 0 ? [partOf(line, 0, first)] : []),
    ...(end < cells.length ? [partOf(line, end, cells.length)] : []),
  ];
  return { text, note: partOf(line, first, end) };
}

/** Of the lines in a margin that holds notes, so many stand right below or above another. */
const STACKED = 0.6;
/** Lines of one note are between these many times the font size apart. */
const LEAST_DROP = 0.6;
const MOST_DROP = 1.6;

/** Whether lines in the margin are those of notes, which mostly have several: labels and numbers stand alone. */
function areNotes(cells: readonly Cell[]): boolean {
  const sorted = cells.filter(({ text }) => WORD.test(text)).sort((a, b) => b.baseline - a.baseline);
  const stacked = new Set<Cell>();
  sorted.forEach((cell, index) => {
    const next = sorted[index + 1];
    if (next !== undefined && isStacked(cell, next)) stacked.add(cell).add(next);
  });
  return stacked.size > 0 && stacked.size >= STACKED * cells.length;
}

function isStacked(above: Cell | Line | undefined, { left, right, baseline }: Cell | Line): boolean {
  if (above === undefined || left >= above.right || right <= above.left) return false;
  const drop = above.baseline - baseline;
  return drop >= LEAST_DROP * above.size && drop <= MOST_DROP * above.size;
}

function isNoteSize(cell: Cell, body: number): boolean {
  return cell.size > 0 && isSmall(cell, { size: body });
}

/** Between which places from the left the text of a page is set. */
function measureOf(lines: readonly Line[], body: number): { left: number; right: number } | undefined {
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
