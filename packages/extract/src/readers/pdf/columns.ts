// The order in which the lines of a page are read. Programs mostly write a page in that order, and then it is kept.
// Some write it from edge to edge, across the columns: there the columns are found by the white between them, lines are
// parted at it, and each column is read down before the next. What reaches over the white (a title, a wide table, a
// footer) parts the page into what stands above and below it: a recursive XY cut whose upright cuts go first (Nagy and
// Seth, 1984).
import type { Table } from './cells.ts';
import { guttersOf } from './gutters.ts';
import { looksOf, type Cell, type Line } from './text.ts';

/** What is moved as one: a cell of a line, or a table. */
interface Atom {
  /** Its place in the stream. */
  readonly index: number;
  /** The line of the cell, or the lines of the table. */
  readonly lines: readonly Line[];
  /** Which cell of its line it is, or begins with, and how many they are; -1 for a table. */
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
/** Columns within columns, and pages parted by wide lines, nest no deeper. */
const MAX_DEPTH = 6;

/** Lines that stand in no column, and lines that no gutter parts. */
export interface Exceptions {
  readonly isBeside: (line: Line) => boolean;
  readonly isWhole: (line: Line) => boolean;
}

const NONE: Exceptions = { isBeside: () => false, isWhole: () => false };

/**
 * The lines of a page in reading order, lines across columns parted. Where the stream keeps to the columns, and where
 * there are none, these are the lines given. O(n log n).
 */
export function inReadingOrder(
  lines: readonly Line[],
  tables: ReadonlyMap<Line, Table>,
  exceptions = NONE,
): readonly Line[] {
  if (lines.some(({ text, cells }) => text !== '' && cells.length === 0)) return lines;
  const { atoms, beside } = atomsOf(lines, tables, exceptions);
  if (atoms.length < LEAST_ATOMS || !mayHaveColumns(atoms)) return lines;
  const { head, body, foot } = withoutMargins(atoms);
  const ordered = orderOf(body, MAX_DEPTH);
  return ordered === undefined ? lines : [...linesFrom([...head, ...ordered, ...foot]), ...beside];
}

/** Cells and tables in the order of the stream, and the lines that stand beside or run in another direction. */
function atomsOf(
  lines: readonly Line[],
  tables: ReadonlyMap<Line, Table>,
  { isBeside, isWhole }: Exceptions,
): { atoms: Atom[]; beside: Line[] } {
  const atoms: Atom[] = [];
  const beside: Line[] = [];
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
function atomOf(line: Line, piece: Line | Cell, cell: number, index: number): Atom {
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

/** Fewer steps from one column to another and back than this are those of a page that is written column by column. */
const FEW_STEPS = 4;
/** And so are fewer than this share of the lines of the shorter column. */
const STEPS_SHARE = 0.15;

/** Whether some lines of text end to the left of where some others begin: most pages need no closer look. */
function mayHaveColumns(atoms: readonly Atom[]): boolean {
  const lines = atoms.filter(isTextLine);
  const ends = lines.map(({ right }) => right).sort((a, b) => a - b);
  const begins = lines.map(({ left }) => left).sort((a, b) => b - a);
  return (ends[LEAST_LINES - 1] ?? Infinity) <= (begins[LEAST_LINES - 1] ?? -Infinity);
}

/** Running heads and feet are this many times their size away from the rest, and take no more rows. */
const MARGIN_GAP = 1.6;
const MARGIN_ROWS = 2;

/** Parts off the rows at the top and the bottom that stand apart: their pieces belong to no column. */
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

/** The first rows of atoms in the order of their heights, as far as white parts each from the next. */
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

/** Atoms that stand side by side at a gutter, or that no gutter parts. */
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

/** One side of a gutter after the other; `undefined` when the stream has it so, on both sides. */
function columnsOrder(atoms: readonly Atom[], gutter: number, depth: number): readonly Atom[] | undefined {
  const left = atoms.filter((atom) => middleOf(atom) < gutter);
  const right = atoms.filter((atom) => middleOf(atom) >= gutter);
  const [leftOrder, rightOrder] = [orderOf(left, depth - 1), orderOf(right, depth - 1)];
  const few = Math.max(FEW_STEPS, STEPS_SHARE * Math.min(left.length, right.length));
  const isKept = stepsOf(atoms, gutter) <= few && !isBackwards(left, right, isRightToLeft(atoms));
  if (isKept && leftOrder === undefined && rightOrder === undefined) return undefined;
  const columns = [leftOrder ?? left, rightOrder ?? right];
  return (isRightToLeft(atoms) ? columns.reverse() : columns).flat();
}

/** Whether the stream has the later column first, as programs do that write frame after frame as they were drawn. */
function isBackwards(left: readonly Atom[], right: readonly Atom[], isRightFirst: boolean): boolean {
  const mean = (atoms: readonly Atom[]): number =>
    atoms.reduce((sum, { index }) => sum + index, 0) / Math.max(1, atoms.length);
  return isRightFirst ? mean(left) < mean(right) : mean(right) < mean(left);
}

/** How often the stream steps from one side of a gutter to the other. */
function stepsOf(atoms: readonly Atom[], gutter: number): number {
  return atoms.filter((atom, index) => {
    const before = atoms[index - 1];
    return before !== undefined && middleOf(before) < gutter !== middleOf(atom) < gutter;
  }).length;
}

function middleOf({ left, right }: Atom): number {
  return (left + right) / 2;
}

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/;

function isRightToLeft(atoms: readonly Atom[]): boolean {
  return atoms.filter(({ text }) => RIGHT_TO_LEFT.test(text)).length * 2 > atoms.length;
}

/** The gutter that parts most of a region, and the sections from above; `undefined` where no gutter parts columns. */
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

/** The short last line above something wide ("Table 1.") belongs to it, where it is closer to it than to the column. */
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

/** A line of a text is so long, in characters and as times the font size. */
const LINE_LENGTH = 18;
const LINE_WIDTH = 8;
/** A column has at least so many of them, and at least this share of its characters is in them. */
const LEAST_LINES = 4;
const LINES_SHARE = 0.7;
/** Columns stand beside each other for at least this share of the shorter one. */
const BESIDE = 0.5;

/** Whether on both sides of a gutter stands running text, side by side. */
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

/** Lines of atoms: the cells of a line that still follow each other are one. */
function linesFrom(atoms: readonly Atom[]): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < atoms.length;) {
    const first = atoms[at];
    if (first === undefined) break;
    let end = at + 1;
    while (first.cell !== -1 && isNext(atoms[end - 1], atoms[end])) end++;
    const [line] = first.lines;
    if (first.cell === -1 || line === undefined) lines.push(...first.lines);
    else lines.push(partOf(line, first.cell, endOf(atoms[end - 1] ?? first)));
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
export function partOf(line: Line, from: number, to: number): Line {
  if (to - from === line.cells.length) return line;
  const cells: readonly Cell[] = line.cells.slice(from, to);
  return {
    ...line,
    ...looksOf(cells),
    text: cells.map(({ text }) => text).join(' '),
    isDivided: line.isDivided && to === line.cells.length,
    baseline: cells[0]?.baseline ?? line.baseline,
    cells,
  };
}
