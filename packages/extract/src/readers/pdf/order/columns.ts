// The reading order of a page's lines. Programs mostly write a page in that order, which is then kept. Some write it
// from edge to edge, across the columns: the white space between columns then splits the lines, and each column is read
// down before the next. A block across the white space (a title, a wide table, a footer) splits the page into the parts
// above and below: a recursive XY cut with vertical cuts first (Nagy and Seth, 1984).
import type { Table } from '../tables/cells.ts';
import { guttersOf } from './gutters.ts';
import { commonStyle, type Cell, type TextLine } from '../lines/text.ts';

/** The unit of reordering: a cell of a line, or a table. */
interface Atom {
  /** Its index in the stream. */
  readonly index: number;
  /** The line of the cell, or the lines of the table. */
  readonly lines: readonly TextLine[];
  /** The index of its first cell in the line, and the number of its cells; -1 for a table. */
  readonly cell: number;
  readonly span: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly size: number;
  readonly text: string;
}

/** A page with fewer cells has no columns worth the name. */
const LEAST_ATOMS = 12;
/** Columns within columns, and pages split by wide lines, nest no deeper. */
const MAX_DEPTH = 6;

/** Lines outside columns, and lines that no gutter splits. */
export interface Exceptions {
  readonly isBeside: (line: TextLine) => boolean;
  readonly isWhole: (line: TextLine) => boolean;
}

const NONE: Exceptions = { isBeside: () => false, isWhole: () => false };

/**
 * The lines of a page in reading order, with lines across columns split. Where the stream keeps to the columns, and
 * where there are none, these are the lines given. O(n log n).
 */
export function inReadingOrder(
  lines: readonly TextLine[],
  tables: ReadonlyMap<TextLine, Table>,
  exceptions = NONE,
): readonly TextLine[] {
  if (lines.some(({ text, cells }) => text !== '' && cells.length === 0)) return lines;
  const { atoms, beside } = atomsOf(lines, tables, exceptions);
  if (atoms.length < LEAST_ATOMS) return lines;
  const { head, body, foot } = withoutMargins(atoms);
  const ordered = orderOf(body, MAX_DEPTH);
  return ordered === undefined ? lines : [...linesFrom([...head, ...ordered, ...foot]), ...beside];
}

/** Cells and tables in the order of the stream, and the lines that stand beside or run in another direction. */
function atomsOf(
  lines: readonly TextLine[],
  tables: ReadonlyMap<TextLine, Table>,
  { isBeside, isWhole }: Exceptions,
): { atoms: Atom[]; beside: TextLine[] } {
  const atoms: Atom[] = [];
  const beside: TextLine[] = [];
  for (const line of lines) {
    const table = tables.get(line);
    if (table !== undefined) {
      if (table.lines[0] === line) atoms.push(tableAtom(table, atoms.length));
    } else if (line.isTurned || isBeside(line)) beside.push(line);
    else if (line.cells.length > 1 && isWhole(line)) atoms.push(atomOf(line, line, 0, atoms.length));
    else line.cells.forEach((cell, at) => atoms.push(atomOf(line, cell, at, atoms.length)));
  }
  return { atoms, beside };
}

/** One cell of a line, or all of them. */
function atomOf(line: TextLine, piece: TextLine | Cell, cell: number, index: number): Atom {
  const { left, right, baseline, size, text } = piece;
  const span = piece === line ? line.cells.length : 1;
  return { index, lines: [line], cell, span, left, right, top: baseline, bottom: baseline, size, text };
}

function tableAtom({ lines }: Table, index: number): Atom {
  return {
    index,
    lines,
    cell: -1,
    span: 0,
    left: lines.reduce((least, { left }) => Math.min(least, left), Infinity),
    right: lines.reduce((most, { right }) => Math.max(most, right), -Infinity),
    top: lines.reduce((most, { baseline }) => Math.max(most, baseline), -Infinity),
    bottom: lines.reduce((least, { baseline }) => Math.min(least, baseline), Infinity),
    size: lines[0]?.size ?? 0,
    text: '',
  };
}

/** A page written column by column has fewer steps from one column to another and back than this. */
const FEW_STEPS = 4;
/** It also has fewer steps than this share of the lines of the shorter column. */
const STEPS_SHARE = 0.15;

/** Running heads and feet are this many times their size away from the rest, and take no more rows. */
const MARGIN_GAP = 1.6;
const MARGIN_ROWS = 2;

/** Splits off the rows at the top and the bottom that stand apart: their pieces belong to no column. */
function withoutMargins(atoms: readonly Atom[]): { head: Atom[]; body: Atom[]; foot: Atom[] } {
  const heights = atoms.toSorted((a, b) => b.top - a.top);
  const above = new Set(marginOf(heights, (atom, next) => atom.bottom - next.top));
  const below = new Set(
    marginOf(
      heights.toReversed().filter((atom) => !above.has(atom)),
      (atom, next) => next.bottom - atom.top,
    ),
  );
  return {
    head: atoms.filter((atom) => above.has(atom)),
    body: atoms.filter((atom) => !above.has(atom) && !below.has(atom)),
    foot: atoms.filter((atom) => below.has(atom)),
  };
}

/** The first rows of atoms, ordered by height, as long as white space separates each from the next. */
function marginOf(atoms: readonly Atom[], gapTo: (atom: Atom, next: Atom) => number): Atom[] {
  let end = 0;
  for (let rows = 0; rows < MARGIN_ROWS; rows++) {
    const first = atoms[end];
    if (first === undefined) break;
    let next = end;
    while (next < atoms.length && Math.abs((atoms[next]?.top ?? 0) - first.top) < first.size / 2) next++;
    const other = atoms[next];
    if (first.cell === -1 || other === undefined || gapTo(first, other) < MARGIN_GAP * first.size) break;
    end = next;
  }
  return atoms.slice(0, end);
}

/** Atoms that stand side by side at a gutter, or that no gutter separates. */
interface Section {
  readonly atoms: Atom[];
  readonly isParted: boolean;
}

/** The order of a region; `undefined` when the stream's is right. Atoms are given in the order of the stream. */
function orderOf(atoms: readonly Atom[], depth: number): readonly Atom[] | undefined {
  if (atoms.length < LEAST_ATOMS || depth === 0) return undefined;
  const cut = bestCut(atoms);
  if (cut === undefined) return undefined;
  const sections = cut.sections.map((section) => {
    const own = section.atoms.toSorted((a, b) => a.index - b.index);
    if (section.isParted) return { own, ordered: columnsOrder(own, cut.at, depth) };
    return { own, ordered: own.length < atoms.length ? orderOf(own, depth - 1) : undefined };
  });
  if (sections.every(({ ordered }) => ordered === undefined)) return undefined;
  return sections.flatMap(({ own, ordered }) => ordered ?? own);
}

/** One side of a gutter after the other; `undefined` when the stream already has that order, on both sides. */
function columnsOrder(atoms: readonly Atom[], gutter: number, depth: number): readonly Atom[] | undefined {
  const left = atoms.filter((atom) => middleOf(atom) < gutter);
  const right = atoms.filter((atom) => middleOf(atom) >= gutter);
  const [leftOrder, rightOrder] = [orderOf(left, depth - 1), orderOf(right, depth - 1)];
  const few = Math.max(FEW_STEPS, STEPS_SHARE * Math.min(left.length, right.length));
  const isKept =
    (stepsOf(atoms, gutter) <= few || isInBands(atoms, gutter)) &&
    !isBackwards(left, right, isRightToLeft(atoms));
  if (isKept && leftOrder === undefined && rightOrder === undefined) return undefined;
  const columns = [leftOrder ?? left, rightOrder ?? right];
  return (isRightToLeft(atoms) ? columns.reverse() : columns).flat();
}

/** True if the stream has the later column first, as programs do that write each frame in drawing order. */
function isBackwards(left: readonly Atom[], right: readonly Atom[], isRightFirst: boolean): boolean {
  const mean = (atoms: readonly Atom[]): number =>
    atoms.reduce((sum, { index }) => sum + index, 0) / Math.max(1, atoms.length);
  return isRightFirst ? mean(left) < mean(right) : mean(right) < mean(left);
}

/** Number of the stream's steps from one side of a gutter to the other. */
function stepsOf(atoms: readonly Atom[], gutter: number): number {
  return atoms.filter((atom, index) => {
    const before = atoms[index - 1];
    return before !== undefined && middleOf(before) < gutter !== middleOf(atom) < gutter;
  }).length;
}

/** Bands of sections, or rows of cards, are this many times their size apart, and of so many atoms on average. */
const BAND_GAP = 1.5;
const BAND_ATOMS = 5;

/**
 * True if the stream writes bands of columns from above, each column of a band after the other, and white space parts
 * the bands: sections in columns with titles of their own, rows of cards.
 */
function isInBands(atoms: readonly Atom[], gutter: number): boolean {
  const isMirrored = isRightToLeft(atoms);
  const isFirst = (atom: Atom): boolean => middleOf(atom) < gutter !== isMirrored;
  let bands = 0;
  let bottom = Infinity;
  let band: Atom[] = [];
  for (const [index, atom] of atoms.entries()) {
    const next = atoms[index + 1];
    band.push(atom);
    if (next !== undefined && (isFirst(atom) || !isFirst(next))) continue;
    const top = band.reduce((most, one) => Math.max(most, one.top), -Infinity);
    if (bottom - top < BAND_GAP * atom.size) return false;
    bottom = band.reduce((least, one) => Math.min(least, one.bottom), Infinity);
    bands++;
    band = [];
  }
  return atoms.length >= BAND_ATOMS * bands;
}

function middleOf({ left, right }: Atom): number {
  return (left + right) / 2;
}

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/;

function isRightToLeft(atoms: readonly Atom[]): boolean {
  return atoms.filter(({ text }) => RIGHT_TO_LEFT.test(text)).length * 2 > atoms.length;
}

/**
 * The gutter that splits most of a region, and the sections from above; `undefined` where no gutter separates columns.
 */
function bestCut(atoms: readonly Atom[]): { at: number; sections: readonly Section[] } | undefined {
  const heights = atoms.toSorted((a, b) => b.top - a.top);
  let best: { at: number; sections: readonly Section[] } | undefined;
  let most = 0;
  for (const at of guttersOf(atoms)) {
    const sections = sectionsAt(heights, at);
    const parted = sections.reduce((sum, section) => sum + (section.isParted ? section.atoms.length : 0), 0);
    if (parted <= most) continue;
    most = parted;
    best = { at, sections };
  }
  return best;
}

/** Runs of atoms, from above, that keep to the sides of a gutter or do not. */
function sectionsAt(heights: readonly Atom[], gutter: number): Section[] {
  const sections: Section[] = [];
  for (const atom of heights) {
    const isParted = atom.right <= gutter || atom.left >= gutter;
    const open = sections.at(-1);
    if (open?.isParted === isParted) open.atoms.push(atom);
    else sections.push({ atoms: [atom], isParted });
  }
  sections.forEach((section, index) => {
    const next = sections[index + 1];
    if (section.isParted && next !== undefined) pullDown(section, next);
  });
  const judged: Section[] = [];
  for (const { atoms, isParted } of sections) {
    const isReal = isParted && isColumns(atoms, gutter);
    const open = judged.at(-1);
    if (!isReal && open?.isParted === false) open.atoms.push(...atoms);
    else judged.push({ atoms, isParted: isReal });
  }
  return judged;
}

/**
 * The short last line above a wide block ("Table 1.") belongs to the block, if it is closer to it than to the column.
 */
function pullDown(section: Section, next: Section): void {
  const last = section.atoms.at(-1);
  const [wide] = next.atoms;
  if (last === undefined || wide === undefined) return;
  const gap = last.bottom - wide.top;
  const above = section.atoms.at(-2);
  if (gap > 1.8 * last.size || above === undefined || above.bottom - last.top < 1.3 * gap) return;
  section.atoms.pop();
  next.atoms.unshift(last);
}

/** Least length of a line of text, in characters and in font sizes. */
const LINE_LENGTH = 18;
const LINE_WIDTH = 8;
/** Least number of such lines in a column, and their least share of its characters. */
const LEAST_LINES = 4;
const LINES_SHARE = 0.7;
/** Columns stand beside each other for at least this share of the shorter one. */
const BESIDE = 0.5;

/** True if running text stands side by side on both sides of a gutter. */
function isColumns(atoms: readonly Atom[], gutter: number): boolean {
  const sides = [
    atoms.filter((atom) => middleOf(atom) < gutter),
    atoms.filter((atom) => middleOf(atom) >= gutter),
  ];
  if (!sides.every(isText)) return false;
  const spans = sides.map((side) => ({
    top: side.reduce((most, { top }) => Math.max(most, top), -Infinity),
    bottom: side.reduce((least, { bottom }) => Math.min(least, bottom), Infinity),
  }));
  const top = Math.min(...spans.map((span) => span.top));
  const bottom = Math.max(...spans.map((span) => span.bottom));
  return top - bottom >= BESIDE * Math.min(...spans.map((span) => span.top - span.bottom));
}

function isText(atoms: readonly Atom[]): boolean {
  let lines = 0;
  let inLines = 0;
  let total = 0;
  for (const atom of atoms) {
    if (atom.cell === -1) continue;
    total += atom.text.length;
    if (!isTextLine(atom)) continue;
    lines++;
    inLines += atom.text.length;
  }
  return lines >= LEAST_LINES && inLines >= LINES_SHARE * total;
}

function isTextLine({ text, left, right, size, cell }: Atom): boolean {
  return cell !== -1 && text.length >= LINE_LENGTH && right - left >= LINE_WIDTH * size;
}

/** Lines of atoms: adjacent cells of a line become one. */
function linesFrom(atoms: readonly Atom[]): TextLine[] {
  const lines: TextLine[] = [];
  for (let at = 0; at < atoms.length;) {
    const first = atoms[at];
    if (first === undefined) break;
    let end = at + 1;
    while (first.cell !== -1 && isNext(atoms[end - 1], atoms[end])) end++;
    const [line] = first.lines;
    if (first.cell === -1 || line === undefined) lines.push(...first.lines);
    else lines.push(sliceLine(line, first.cell, endOf(atoms[end - 1] ?? first)));
    at = end;
  }
  return lines;
}

function isNext(atom: Atom | undefined, next: Atom | undefined): boolean {
  return atom !== undefined && next?.lines[0] === atom.lines[0] && next?.cell === endOf(atom);
}

/** The index behind the cells of an atom. */
function endOf({ cell, span }: Atom): number {
  return cell + span;
}

/** A line of some of the cells of a line. */
export function sliceLine(line: TextLine, from: number, to: number): TextLine {
  if (to - from === line.cells.length) return line;
  const cells: readonly Cell[] = line.cells.slice(from, to);
  return {
    ...line,
    ...commonStyle(cells),
    text: cells.map(({ text }) => text).join(' '),
    isDivided: line.isDivided && to === line.cells.length,
    baseline: cells[0]?.baseline ?? line.baseline,
    cells,
  };
}
