// The running text of a document, which shows its type and whether it has code.
import { charactersIn, type TextLine } from '../lines/text.ts';
import { mostFrequent } from '../pdfium/text-lines.ts';
import { typeOf } from './title-styles.ts';
import type { TabledPage } from '../tables/continued.ts';

/** The type of the running text of a document or page. */
export interface Body {
  /** That of its long lines: the labels of drawings are short, and may be most of the text. */
  readonly size: number;
  /** True if bold means nothing, because most of the text is bold. */
  readonly isBold: boolean;
  /** As of `typeOf`. */
  readonly type: string;
}

/** Text in no fixed pitch is the body beside code when it is at least this share of the characters. */
const PROSE_SHARE = 0.2;

/** Long lines show the size of the prose when they have this share of the characters. */
const LONG_SHARE = 0.1;

/** Bold text in the size of the body is the body from this share of its characters on. */
const BOLD_SHARE = 0.4;

/** The type of most of some lines, by their characters; code is often smaller than the text around it. */
export function bodyOf(lines: readonly TextLine[]): Body {
  const all = countsOf(lines);
  const prose = countsOf(lines.filter(({ isFixedPitch }) => !isFixedPitch));
  const long = countsOf(
    lines.filter(({ text, isFixedPitch }) => text.length >= PROSE_LENGTH && !isFixedPitch),
  );
  const most = prose.total < PROSE_SHARE * all.total ? all : prose;
  const { sizes, types, bold } = long.total < LONG_SHARE * all.total ? most : long;
  const size = mostFrequent(sizes);
  return {
    size,
    isBold: (bold.get(size) ?? 0) > BOLD_SHARE * (sizes.get(size) ?? 0),
    type: [...types].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '',
  };
}

/** Numbers of characters by the size and type of their lines, and of bold ones by size. */
function countsOf(lines: readonly TextLine[]): {
  readonly sizes: ReadonlyMap<number, number>;
  readonly types: ReadonlyMap<string, number>;
  readonly bold: ReadonlyMap<number, number>;
  readonly total: number;
} {
  const [sizes, bold] = [new Map<number, number>(), new Map<number, number>()];
  const types = new Map<string, number>();
  let total = 0;
  for (const line of lines) {
    const [rounded, type, { length }] = [Math.round(line.size * 2) / 2, typeOf(line), line.text];
    if (line.size > 0) sizes.set(rounded, (sizes.get(rounded) ?? 0) + length);
    types.set(type, (types.get(type) ?? 0) + length);
    total += length;
    if (line.isBold) bold.set(rounded, (bold.get(rounded) ?? 0) + length);
  }
  return { sizes, types, bold, total };
}

/** A line of text has so many characters. */
export const PROSE_LENGTH = 54;

// --- Running text

/** A document with fewer characters outside its tables than this, and than inside, has its running text in tables. */
const LEAST_TEXT = 200;
/** So does a document with fewer than this share of the characters inside. */
const LEAST_SHARE = 0.1;

/** The lines that show the type of a document's text: those outside its tables, if there are enough. */
export function runningText(
  lines: readonly (readonly TextLine[])[],
  pages: readonly TabledPage[],
): readonly TextLine[] {
  const outside = lines.flat();
  const inside = pages.flatMap(({ lines, tables }) => lines.filter((line) => tables.has(line)));
  const [free, tabled] = [charactersIn(outside), charactersIn(inside)];
  const isLittle = free < LEAST_SHARE * tabled || (free < LEAST_TEXT && free < tabled);
  return isLittle ? [...outside, ...inside] : outside;
}

/** The first line of each table by the line right above it: `free` holds the lines of each page outside tables. */
export function tablesBelow(
  pages: readonly (readonly TextLine[])[],
  free: readonly (readonly TextLine[])[],
): ReadonlyMap<TextLine | undefined, TextLine> {
  const below = new Map<TextLine | undefined, TextLine>();
  for (const [index, lines] of pages.entries()) {
    const outside = new Set(free[index]);
    let before: TextLine | undefined;
    for (const line of lines) {
      if (line.text === '') continue;
      if (before !== undefined && outside.has(before) && !outside.has(line)) below.set(before, line);
      before = line;
    }
  }
  return below;
}

/** A document of which more than this share is in a fixed pitch is typewritten: the rest are stamps and covers. */
const TYPEWRITTEN = 0.8;
/** Except when more than this share of its lines are numbered lines of code. */
const NUMBERED = 0.1;

export function hasCode(lines: readonly TextLine[]): boolean {
  // No typewriter numbers lines in a font of its own.
  if (lines.filter(({ isNumbered }) => isNumbered).length > NUMBERED * lines.length) return true;
  return charactersIn(lines.filter(({ isFixedPitch }) => isFixedPitch)) < TYPEWRITTEN * charactersIn(lines);
}
