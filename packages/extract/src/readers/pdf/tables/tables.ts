// Tables of a page: the ruled ones, and those whose rows have gutters in common.
// In doubt there is no table: prose cut into cells is worse than a table read as prose.
import type { Table } from './cells.ts';
import { findRuled } from './ruled.ts';
import type { Rule } from '../pdfium/rules.ts';
import type { Cell, TextLine } from '../lines/text.ts';
import { MAX_PITCH } from './rows.ts';
import { COLUMN_JUMP, findUnruled } from './unruled.ts';

/**
 * The tables of a page, given its lines in the order of the stream. A line belongs to one table at most. A line that
 * `isApart` belongs to none, unless lines are drawn around it.
 */
export function findTables(
  lines: readonly TextLine[],
  rules: readonly Rule[],
  isApart: (line: TextLine) => boolean,
): Table[] {
  const upright = lines.filter(({ text, isTurned, cells }) => text !== '' && !isTurned && cells.length > 0);
  const ruled = findRuled(upright, rules);
  const taken = new Set([...ruled.flatMap((table) => table.lines), ...lines.filter(isApart)]);
  return [...ruled, ...findUnruled(lines, taken, rules)];
}

/**
 * The fixed-pitch lines that are cells: right beside the text before them, the first of them no lower than that text,
 * or names to the left of texts, in one column. Other lines in a fixed pitch are code. Linear.
 */
export function fixedCells(lines: readonly TextLine[]): Set<TextLine> {
  const cells = new Set<TextLine>();
  const names: Name[] = [];
  const upright = lines.filter(({ text, isTurned }) => text !== '' && !isTurned);
  for (let at = 0; at < upright.length;) {
    let end = at;
    while (upright[end]?.isFixedPitch === true) end++;
    const fixed = upright.slice(at, end);
    const [text, [first], next] = [upright[at - 1], fixed, upright[end]];
    const isCell = text !== undefined && first !== undefined && isNextCell(text, first);
    const rows = rowsBelowHeader(text, fixed);
    const isWhole = isCell || isLineOfText(text, fixed, next);
    for (const line of isWhole ? fixed : rows) cells.add(line);
    names.push(...rows.flatMap(({ cells: [name, text] }) => nameOf(name, text) ?? []));
    const name = next && (nameBefore(fixed, next) ?? nameIn(next));
    if (name !== undefined) names.push(name);
    at = Math.max(end, at + 1);
  }
  for (const { lines } of inColumns(names)) for (const line of lines) cells.add(line);
  return cells;
}

/** Lines in a fixed pitch, and the left edges of them and of the text beside them. */
interface Name {
  readonly lines: readonly TextLine[];
  readonly left: number;
  readonly beside: number;
}

/** A name takes no more lines. */
const MAX_NAME = 3;
/** Left edges of one column differ by at most this many points. */
const SAME_EDGE = 1.5;

/** The last fixed-pitch lines of some, when they are a name to the left of a text that begins no lower. */
function nameBefore(fixed: readonly TextLine[], next: TextLine): Name | undefined {
  const last = fixed.at(-1);
  if (last === undefined) return undefined;
  const above = fixed.findLastIndex((line, at) => !isSameName(fixed[at - 1], line));
  const lines = fixed.slice(Math.max(0, above));
  const isBeside =
    lines.length <= MAX_NAME &&
    lines.every((line) => isParted(line) && line.right < next.left) &&
    next.baseline > last.baseline - last.size / 2 &&
    next.baseline < last.baseline + COLUMN_JUMP * last.size;
  return isBeside ? { lines, left: last.left, beside: next.left } : undefined;
}

/** The name that begins a line of several cells. It is no line by itself. */
function nameIn({ cells }: TextLine): Name | undefined {
  return nameOf(
    cells[0],
    cells.find(({ isFixedPitch }) => !isFixedPitch),
  );
}

function nameOf(name: Cell | undefined, text: Cell | undefined): Name | undefined {
  if (name?.isFixedPitch !== true || text === undefined) return undefined;
  return { lines: [], left: name.left, beside: text.left };
}

function isSameName(above: TextLine | undefined, line: TextLine): boolean {
  if (above === undefined) return false;
  const drop = above.baseline - line.baseline;
  return drop > 0 && drop < MAX_PITCH * line.size && Math.abs(above.left - line.left) <= SAME_EDGE;
}

/** The names next to another in the same column. */
function inColumns(names: readonly Name[]): Name[] {
  const isSame = (a: Name | undefined, b: Name): boolean =>
    a !== undefined && Math.abs(a.left - b.left) <= SAME_EDGE && Math.abs(a.beside - b.beside) <= SAME_EDGE;
  return names.filter((name, at) => isSame(names[at - 1], name) || isSame(names[at + 1], name));
}

/** True if each piece of a line but the first stands behind white space that the file does not write; no code does. */
function isParted({ cells }: TextLine): boolean {
  return cells.every(({ isDetached }, at) => at === 0 || isDetached === true);
}

/** The first of some fixed-pitch lines that are rows below the bold names of columns. */
function rowsBelowHeader(header: TextLine | undefined, fixed: readonly TextLine[]): readonly TextLine[] {
  const isRow = (line: TextLine): boolean => line.cells.length > 1 && isParted(line);
  if (header === undefined || !header.isBold || !isRow(header)) return [];
  const end = fixed.findIndex((line) => !isRow(line));
  return end === -1 ? fixed : fixed.slice(0, end);
}

/** True if a line in a fixed pitch stands between two others of a text. */
function isLineOfText(
  above: TextLine | undefined,
  [line, ...others]: readonly TextLine[],
  below: TextLine | undefined,
): boolean {
  if (above === undefined || line === undefined || below === undefined || others.length > 0) return false;
  return isSameText(above, line) && isSameText(line, below);
}

/** Lines of a text are no further apart than this many times the font size; code stands further apart from it. */
const TEXT_PITCH = 1.45;

function isSameText(above: TextLine, line: TextLine): boolean {
  const drop = above.baseline - line.baseline;
  const isAligned = Math.abs(above.left - line.left) <= SAME_EDGE;
  return isAligned && drop > 0 && drop < TEXT_PITCH * Math.max(above.size, line.size);
}

const WORD = /\p{L}{2}/u;

/** True if a line in a fixed pitch stands to the right of a line of text, and no lower. */
function isNextCell({ text, right, baseline }: TextLine, next: TextLine): boolean {
  const rise = next.baseline - baseline;
  return WORD.test(text) && next.left > right && rise > -next.size / 2 && rise < COLUMN_JUMP * next.size;
}
