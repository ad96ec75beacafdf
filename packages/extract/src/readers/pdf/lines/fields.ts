// The values of form fields → the lines of their page, each beside its label: on the line of the label, else below a
// label above it, else above a label below it. The sign of a box to check stands before or behind the words of its row.
import type { FieldValue } from '../pdfium/form.ts';
import type { Rule } from '../pdfium/rules.ts';
import { commonStyle, LINE_BREAK, type Cell, type TextLine } from './text.ts';

/** Points that a label may reach into its field, as the underscores of a line to fill in do. */
const REACH = 4;
/** Greatest distance of a label above or below its field, in points. */
const NEAR = 24;
/** A value farther from its label than this many times the size of the type is a cell of its own. */
const APART = 3;
/** Type size of a value without a label beside it, in points. */
const USUAL_SIZE = 10;

/** Lines with the values among them, and the values without a label, which follow the page. */
export interface PlacedFields {
  /** For each given line what stands in its place: itself with values, and lines of values above and below it. */
  readonly places: readonly (readonly TextLine[])[];
  readonly rest: readonly FieldValue[];
}

/** Places values. Each is compared with each line and rule: a file has at most some thousand values. */
export function placeFields(
  given: readonly TextLine[],
  values: readonly FieldValue[],
  rules: readonly Rule[],
): PlacedFields {
  const lines = [...given];
  /** Rows with values, whose text is made once, at the end: a hostile row has thousands. */
  const filled = new Set<number>();
  const beside = new Map<number, { readonly above: TextLine[]; readonly below: TextLine[] }>();
  const rest: FieldValue[] = [];
  const inOrder = values.toSorted((a, b) => b.top - a.top || a.left - b.left);
  for (const value of inOrder) {
    const isLong = LINE_BREAK.test(value.text);
    const distanceOf = value.isMark === true ? markDistance : rowDistance;
    const row = isLong ? -1 : nearest(lines, (line) => distanceOf(line, value));
    const line = lines[row];
    if (line !== undefined) {
      lines[row] = value.isMark === true ? withMark(line, value) : joined(line, value, rules);
      filled.add(row);
      continue;
    }
    const [above, below] = [
      nearest(given, (label) => columnDistance(label, value, label.baseline - value.top)),
      nearest(given, (label) => columnDistance(label, value, value.bottom - label.baseline)),
    ];
    const at = above === -1 ? below : above;
    // A sign without words says nothing.
    if (at === -1) rest.push(...(value.isMark === true ? [] : [value]));
    else {
      const places = beside.get(at) ?? { above: [], below: [] };
      beside.set(at, places);
      (above === -1 ? places.above : places.below).push(...linesOfValue(value));
    }
  }
  const places = lines.map((line, at) => [
    ...(beside.get(at)?.above ?? []),
    filled.has(at) ? { ...line, text: line.cells.map(({ text }) => text).join(' ') } : line,
    ...(beside.get(at)?.below ?? []),
  ]);
  const left = new Set(rest);
  return { places, rest: values.filter((value) => left.has(value)) };
}

/** The index of the line with the least distance; -1 when none is near. */
function nearest(lines: readonly TextLine[], distanceOf: (line: TextLine) => number): number {
  let [found, least] = [-1, Infinity];
  for (const [at, line] of lines.entries()) {
    if (line.isTurned || line.cells.length === 0) continue;
    const distance = distanceOf(line);
    if (distance < least) [found, least] = [at, distance];
  }
  return found;
}

/** The gap between a line and a field in its row; a label on the left is nearer than one on the right. */
function rowDistance({ baseline, left, right }: TextLine, value: FieldValue): number {
  if (baseline < value.bottom - REACH || baseline > value.top) return Infinity;
  if (left < value.left) return Math.max(0, value.left - right);
  return left >= value.right - REACH ? 1000 + left - value.right : Infinity;
}

/** The gap between the words of a row and a box to check. */
function markDistance({ baseline, cells }: TextLine, value: FieldValue): number {
  if (baseline < value.bottom - REACH || baseline > value.top) return Infinity;
  return cells.reduce((least, cell) => Math.min(least, gapTo(cell, value)), Infinity);
}

function gapTo({ left, right }: Cell, value: FieldValue): number {
  return Math.max(0, left - value.right, value.left - right);
}

/** The line with a sign before or behind the nearer of the words beside it; before the later ones in doubt. */
function withMark(line: TextLine, value: FieldValue): TextLine {
  const cells = [...line.cells];
  const centre = (value.left + value.right) / 2;
  const next = cells.findIndex(({ left, right }) => (left + right) / 2 > centre);
  const [before, after] = [cells.at(next === -1 ? -1 : next - 1), cells[next]];
  const isBefore = next === 0 || before === undefined;
  if (after !== undefined && (isBefore || gapTo(after, value) <= gapTo(before, value) + REACH))
    cells[next] = { ...after, text: `${value.text} ${after.text}`, left: Math.min(after.left, value.left) };
  else if (before !== undefined)
    cells[next === -1 ? cells.length - 1 : next - 1] = {
      ...before,
      text: `${before.text} ${value.text}`,
      right: Math.max(before.right, value.right),
    };
  return { ...line, ...commonStyle(cells), cells };
}

/** The height between a label and a field in its column. */
function columnDistance({ left, right }: TextLine, value: FieldValue, height: number): number {
  const overlap = Math.min(right, value.right) - Math.max(left, value.left);
  return height < -REACH || height > NEAR || overlap <= 0 ? Infinity : Math.max(0, height);
}

function cellOf({ text, left, right, bottom }: FieldValue, size: number): Cell {
  return { text, left, right, baseline: bottom + 2, size, isBold: false, isFixedPitch: false };
}

/** The line with a value in its place: in the cell of its label, or in one of its own. Its text stays as it was. */
function joined(line: TextLine, value: FieldValue, rules: readonly Rule[]): TextLine {
  const label = line.cells.findLastIndex(({ left }) => left < value.left);
  const before = line.cells[label];
  const cells = [...line.cells];
  const isNear =
    before !== undefined &&
    !rules.some((rule) => isBetween(rule, before, value)) &&
    value.left - before.right <= APART * (before.size || USUAL_SIZE);
  if (isNear)
    cells[label] = {
      ...before,
      text: `${before.text} ${value.text}`,
      right: Math.max(before.right, value.right),
    };
  else cells.splice(label + 1, 0, { ...cellOf(value, line.size), baseline: line.baseline });
  return { ...line, ...commonStyle(cells), cells };
}

/** True for a vertical rule between a label and its field: they are cells of a table. */
function isBetween(
  { isLevel, at, from, to }: Rule,
  { right, baseline }: Cell,
  { left }: FieldValue,
): boolean {
  return !isLevel && at > right - REACH && at < left + REACH && from <= baseline && baseline <= to;
}

/** A value as lines of its own, for fields of several lines. */
function linesOfValue(value: FieldValue): TextLine[] {
  const texts = value.text.split(LINE_BREAK).filter((text) => text.trim() !== '');
  const height = (value.top - value.bottom) / texts.length;
  const size = Math.min(USUAL_SIZE, height);
  return texts.map((text, at) => {
    const bottom = value.top - (at + 1) * height;
    const cells = [cellOf({ ...value, text: text.trim(), bottom }, size)];
    const place = { baseline: bottom + 2, isDivided: false, isTurned: false, isNumbered: false };
    return { text: text.trim(), ...place, ...commonStyle(cells), cells };
  });
}
