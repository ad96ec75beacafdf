// Numbers of lines in the margin, as drafts, bills and transcripts have them. PDFium takes each for the beginning or
// the end of the line that it stands beside, where it hides items, headings and words that were divided.
import { partOf } from './columns.ts';
import { isSmall } from './joins.ts';
import { looksOf, SMALL_LETTER, type Cell, type Line } from './text.ts';

/** A page has so many numbered lines at least. */
const LEAST = 8;
const MAX_FIGURES = 5;
const FIGURES = /^\d+$/;

/** The lines of a page without their numbers, and those as one line, where it has any. */
export interface Numbered {
  readonly lines: readonly Line[];
  readonly numbers: Line | undefined;
}

/** A figure at the left or the right end of a line, and what of the line is left beside it. */
interface Numbering {
  readonly line: Line;
  readonly cell: Cell;
  readonly isFirst: boolean;
}

/** Parts the numbers of its lines from a page: figures at one place that count from above. Linear but for sorting. */
export function partLineNumbers(lines: readonly Line[]): Numbered {
  const found = new Map<Line, Numbering>();
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
      const text = numbering.isFirst ? partOf(line, 1, length) : partOf(line, 0, length - 1);
      return [{ ...text, isNumbered: false }];
    }),
    numbers: {
      ...first,
      ...looksOf(cells),
      text: cells.map(({ text }) => text).join(' '),
      isDivided: false,
      cells,
    },
  };
}

/** Figures end or begin at one place where their edges are no further apart than this, in points: a 1 is narrow. */
const SAME_EDGE = 1.5;

/** Figures that end at one place before their lines, and those that begin at one place behind them, each from above. */
function groupsOf(lines: readonly Line[]): Numbering[][] {
  const before: Numbering[] = [];
  const behind: Numbering[] = [];
  for (const line of lines) {
    const [first] = line.cells;
    const last = line.cells.at(-1);
    if (first === undefined || last === undefined || line.isTurned) continue;
    // Most lines are longer, and are not asked by a pattern.
    if (first.text.length <= MAX_FIGURES && FIGURES.test(first.text))
      before.push({ line, cell: first, isFirst: true });
    if (last.text.length <= MAX_FIGURES && FIGURES.test(last.text))
      behind.push({ line, cell: last, isFirst: false });
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

/** Whether figures count by one, or by another step, with nothing left out. */
function isCount(group: readonly Numbering[]): boolean {
  const numbers = group.map(({ cell }) => Number(cell.text));
  const step = (numbers[1] ?? 0) - (numbers[0] ?? 0);
  return step > 0 && numbers.every((number, at) => at === 0 || number - (numbers[at - 1] ?? 0) === step);
}

/** Most lines of a text have so many characters, but for code; names and values in a table are shorter. */
const LONG_LINE = 25;
/** Of the lines of a text so many at least begin with a small letter; items, rows and entries do not. */
const GOING_ON = 0.3;
/** Smaller figures that stand higher than a text, by this share of its size, are marks of notes and verses. */
const RAISED = 0.15;

/** Whether figures stand beside a text: in smaller type, or beside lines of which many go on with a sentence. */
function isBesideText(group: readonly Numbering[]): boolean {
  const beside = group.flatMap(({ line, cell, isFirst }) => {
    const text = line.cells.at(isFirst ? 1 : -2);
    return line.cells.length > 1 && text !== undefined ? [{ line, cell, text }] : [];
  });
  // Those of code belong to it, where they are in its type or smaller.
  const code = beside.filter(({ line }) => line.isNumbered || line.isFixedPitch);
  if (beside.length < LEAST || code.length * 2 > beside.length) return false;
  const long = beside.filter(
    ({ line, cell, text }) =>
      text.text.length >= LONG_LINE || line.cells.every((other) => other === cell || other.isFixedPitch),
  );
  if (long.length * 2 < beside.length) return false;
  const going = beside.filter(({ text }) => SMALL_LETTER.test(text.text));
  return beside.every(isSmallBeside) || going.length >= GOING_ON * beside.length;
}

/** Whether a figure is smaller than the text beside it and stands on its line. */
function isSmallBeside({ cell, text }: { readonly cell: Cell; readonly text: Cell }): boolean {
  return isSmall(cell, text) && cell.baseline - text.baseline < RAISED * text.size;
}
