// A tagged page: its structure tree with the lines of each leaf, and the lines outside the tree.
import { placeFields } from '../lines/fields.ts';
import { joinMarks } from '../lines/marks.ts';
import type { FieldValue } from '../pdfium/form.ts';
import type { Rule } from '../pdfium/rules.ts';
import { fieldLines, linesOf, type PageCharacters, type TextLine } from '../lines/text.ts';
import type { PdfTags } from '../pdfium/file.ts';
import { WIDE_GAP } from '../pdfium/words.ts';
import { ARTIFACT, UNTAGGED, type TagElement } from '../pdfium/tags.ts';

/** A page by its tree. */
export interface TaggedPage {
  readonly elements: readonly TagElement[];
  /** The lines of each leaf that has text. */
  readonly leaves: ReadonlyMap<number, readonly TextLine[]>;
  /** Lines outside the tree, by the leaf before them in the stream; by {@link UNTAGGED} at the beginning. */
  readonly loose: ReadonlyMap<number, readonly TextLine[]>;
  /** Lines that the author calls no part of the document, in the order of the stream. */
  readonly artifacts: readonly TextLine[];
  /** Values of fields without a label in the tree, one a line. */
  readonly fieldValues: string;
}

/** A page before it is laid out, and its tree if it has one. */
export interface TaggableCharacters extends PageCharacters {
  readonly tags?: PdfTags | undefined;
}

/** A page as its tree parts it; `undefined` for a page without a tree. */
export function taggedPageOf({
  tags,
  characters,
  rules,
  glyphs,
  fieldValues,
  compounds,
}: TaggableCharacters): TaggedPage | undefined {
  if (tags === undefined) return undefined;
  const found = linesOf({ characters, lines: tags.lines, glyphs, compounds });
  const leaves = new Map<number, TextLine[]>();
  const loose = new Map<number, TextLine[]>();
  const artifacts: TextLine[] = [];
  let last = UNTAGGED;
  found.forEach((line, index) => {
    const leaf = tags.lines[index]?.leaf ?? UNTAGGED;
    if (line.text === '') return;
    if (leaf === ARTIFACT) artifacts.push(line);
    else if (leaf === UNTAGGED) push(loose, last, line);
    else push(leaves, (last = leaf), line);
  });
  const joined = new Map<number, readonly TextLine[]>();
  for (const [leaf, lines] of leaves) joined.set(leaf, joinRows(joinMarks(lines, rules)));
  const { leaves: filled, rest } = withFields(joined, fieldValues, rules);
  return { elements: tags.elements, leaves: filled, loose, artifacts, fieldValues: fieldLines(rest) };
}

/** The leaves with the values of fields at their labels. */
function withFields(
  leaves: ReadonlyMap<number, readonly TextLine[]>,
  values: readonly FieldValue[],
  rules: readonly Rule[],
): { readonly leaves: ReadonlyMap<number, readonly TextLine[]>; readonly rest: readonly FieldValue[] } {
  if (values.length === 0) return { leaves, rest: values };
  const { places, rest } = placeFields([...leaves.values()].flat(), values, rules);
  let next = 0;
  const filled = new Map<number, readonly TextLine[]>();
  for (const [leaf, { length }] of leaves) {
    filled.set(leaf, places.slice(next, next + length).flat());
    next += length;
  }
  return { leaves: filled, rest };
}

function push(lines: Map<number, TextLine[]>, key: number, line: TextLine): void {
  const known = lines.get(key);
  if (known === undefined) lines.set(key, [line]);
  else known.push(line);
}

/** Joins the parts of one line of the page, which text of another leaf has parted in the stream. */
function joinRows(lines: readonly TextLine[]): readonly TextLine[] {
  const rows: TextLine[] = [];
  for (const line of lines) {
    const row = joinRow(rows.at(-1), line, Infinity);
    if (row === undefined) rows.push(line);
    else rows[rows.length - 1] = row;
  }
  return rows;
}

/** Words are at least so many font sizes apart. */
const BLANK = 0.12;

/** Two parts of a line, with at most so many font sizes between them, as one; `undefined` when they are none. */
export function joinRow(
  before: TextLine | undefined,
  line: TextLine | undefined,
  most = WIDE_GAP,
): TextLine | undefined {
  if (before === undefined || line === undefined) return undefined;
  if (before.isTurned || line.isTurned || before.isDivided) return undefined;
  const size = Math.max(before.size, line.size);
  const gap = line.left - before.right;
  if (Math.abs(before.baseline - line.baseline) > size / 4 || gap < -1 || gap > most * size) return undefined;
  const cells = [...before.cells, ...line.cells];
  return {
    ...before,
    text: before.text + (gap > BLANK * size ? ' ' : '') + line.text,
    isDivided: line.isDivided,
    right: line.right,
    isFixedPitch: before.isFixedPitch && line.isFixedPitch,
    cells,
  };
}

/** Finds the line of a page, of some known ones, that another line stands within. */
export function placesOf(lines: readonly TextLine[]): (line: TextLine) => TextLine | undefined {
  const heights = new Map<number, TextLine[]>();
  for (const line of lines) {
    const height = Math.round(line.baseline);
    const known = heights.get(height);
    if (known === undefined) heights.set(height, [line]);
    else known.push(line);
  }
  return ({ baseline, left, right }) => {
    const height = Math.round(baseline);
    for (let at = height - MOST_OFF; at <= height + MOST_OFF; at++) {
      const found = heights.get(at)?.find((line) => left >= line.left - 1 && right <= line.right + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/** Parts of one line are at one height to within so many points: a raised sign is a part. */
const MOST_OFF = 3;
