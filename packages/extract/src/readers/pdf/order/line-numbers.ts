// Line numbers in the margin, as in drafts, bills and transcripts. PDFium takes each for the beginning or the end of
// the line beside it, where it hides items, headings and divided words.
import { sliceLine } from './columns.ts';
import { isSmall, commonStyle, SMALL_LETTER, type Cell, type TextLine } from '../lines/text.ts';

/** Least number of numbered lines on a page; where each fifth or tenth line is numbered, in smaller type. */
const LEAST = 8;
const LEAST_STEPS = 3;
const FIGURES = /^\d{1,5}$/;

/** The lines of a page without their line numbers, and the numbers as one line, if any. */
export interface SeparatedNumbers {
  readonly lines: readonly TextLine[];
  readonly numbers: TextLine | undefined;
}

/** A figure at the left or the right end of a line, and the rest of the line. */
interface Numbering {
  readonly line: TextLine;
  readonly cell: Cell;
  readonly isFirst: boolean;
}

/**
 * Separates the line numbers from a page: figures at one horizontal position that count from above. Linear but for
 * sorting.
 */
export function separateLineNumbers(lines: readonly TextLine[]): SeparatedNumbers {
  const found = new Map<TextLine, Numbering>();
  for (const group of groupsOf(lines)) {
    if (!isCount(group) || !isBesideText(group)) continue;
    for (const numbering of group) if (!found.has(numbering.line)) found.set(numbering.line, numbering);
  }
  const cells = [...found.values()].map(({ cell }) => cell).sort((a, b) => b.baseline - a.baseline);
  const [first] = found.keys();
  if (first === undefined) return { lines, numbers: undefined };
  return {
    lines: lines.flatMap((line) => {
      const numbering = found.get(line);
      if (numbering === undefined) return [line];
      const { length } = line.cells;
      if (length === 1) return [];
      const text = numbering.isFirst ? sliceLine(line, 1, length) : sliceLine(line, 0, length - 1);
      return [{ ...text, isNumbered: false }];
    }),
    numbers: {
      ...first,
      ...commonStyle(cells),
      text: cells.map(({ text }) => text).join(' '),
      isDivided: false,
      cells,
    },
  };
}

/** Figures share a position when their edges are no further apart than this, in points: a 1 is narrow. */
const SAME_EDGE = 1.5;

/**
 * Figures with a common right edge before their lines, and those with a common left edge behind them, each from above.
 */
function groupsOf(lines: readonly TextLine[]): Numbering[][] {
  const before: Numbering[] = [];
  const behind: Numbering[] = [];
  for (const line of lines) {
    const [first] = line.cells;
    const last = line.cells.at(-1);
    if (first === undefined || last === undefined || line.isTurned) continue;
    if (FIGURES.test(first.text)) before.push({ line, cell: first, isFirst: true });
    if (FIGURES.test(last.text)) behind.push({ line, cell: last, isFirst: false });
  }
  return [...byEdge(before, ({ right }) => right), ...byEdge(behind, ({ left }) => left)];
}

function byEdge(numberings: readonly Numbering[], edgeOf: (cell: Cell) => number): Numbering[][] {
  const groups: Numbering[][] = [];
  let edge = -Infinity;
  for (const numbering of numberings.toSorted((a, b) => edgeOf(a.cell) - edgeOf(b.cell))) {
    if (edgeOf(numbering.cell) - edge > SAME_EDGE) groups.push([]);
    groups.at(-1)?.push(numbering);
    edge = edgeOf(numbering.cell);
  }
  return groups.map((group) => group.sort((a, b) => b.cell.baseline - a.cell.baseline));
}

/** True if figures count by one, or by another step, without gaps. */
function isCount(group: readonly Numbering[]): boolean {
  const numbers = group.map(({ cell }) => Number(cell.text));
  const step = (numbers[1] ?? 0) - (numbers[0] ?? 0);
  return step > 0 && numbers.every((number, at) => at === 0 || number - (numbers[at - 1] ?? 0) === step);
}

/** True if figures are multiples of their step, which is more than one. */
function isByStep(group: readonly Numbering[]): boolean {
  const [first = 0, second = 0] = group.map(({ cell }) => Number(cell.text));
  return second - first > 1 && first % (second - first) === 0;
}

/** Most lines of a text have so many characters, except code; names and values in a table are shorter. */
const LONG_LINE = 25;
/** At least this share of a text's lines begins with a small letter; items, rows and entries do not. */
const GOING_ON = 0.3;
/** Smaller figures that stand higher than a text, by this share of its size, are marks of notes and verses. */
const RAISED = 0.15;

/** True if figures stand beside a text: in smaller type, or beside lines of which many continue a sentence. */
function isBesideText(group: readonly Numbering[]): boolean {
  const beside = group.flatMap(({ line, cell, isFirst }) => {
    const text = line.cells.at(isFirst ? 1 : -2);
    return line.cells.length > 1 && text !== undefined ? [{ line, cell, text }] : [];
  });
  // Line numbers of code belong to the code, if they are in its type or smaller.
  const code = beside.filter(({ line }) => line.isNumbered || line.isFixedPitch);
  const least = isByStep(group) && beside.every(isSmallBeside) ? LEAST_STEPS : LEAST;
  if (beside.length < least || code.length * 2 > beside.length) return false;
  const long = beside.filter(
    ({ line, cell, text }) =>
      text.text.length >= LONG_LINE || line.cells.every((other) => other === cell || other.isFixedPitch),
  );
  if (long.length * 2 < beside.length) return false;
  const going = beside.filter(({ text }) => SMALL_LETTER.test(text.text));
  return beside.every(isSmallBeside) || going.length >= GOING_ON * beside.length;
}

/** True if a figure is smaller than the text beside it and stands on its line. */
function isSmallBeside({ cell, text }: { readonly cell: Cell; readonly text: Cell }): boolean {
  return isSmall(cell, text) && cell.baseline - text.baseline < RAISED * text.size;
}
