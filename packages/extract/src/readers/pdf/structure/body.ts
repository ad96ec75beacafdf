// The running text of a document, which shows its type and whether it has code.
import { charactersIn, type TextLine } from '../lines/text.ts';
import type { TabledPage } from '../tables/continued.ts';

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

/** A document of which more than this share is in a fixed pitch is typewritten: the rest are stamps and covers. */
const TYPEWRITTEN = 0.8;
/** Except when more than this share of its lines are numbered lines of code. */
const NUMBERED = 0.1;

export function hasCode(lines: readonly TextLine[]): boolean {
  // No typewriter numbers lines in a font of its own.
  if (lines.filter(({ isNumbered }) => isNumbered).length > NUMBERED * lines.length) return true;
  return charactersIn(lines.filter(({ isFixedPitch }) => isFixedPitch)) < TYPEWRITTEN * charactersIn(lines);
}
