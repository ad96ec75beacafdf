// Raised and lowered signs (marks of footnotes, exponents, indices) must not break a line: PDFium ends a line where the
// text leaves its height and begins another where it returns. This file joins such lines again.
import { joinGlyphs } from '../../../tree/glyphs.ts';
import { commonStyle, type Cell, type TextLine } from './text.ts';
import type { Rule } from '../pdfium/rules.ts';

/** A sign is off its line by at most this many times the font size of the larger of the two. */
const OFF_LINE = 0.5;
/** Greatest gap before, and greatest overlap with, the next text on the same line, in font sizes. */
const NEAR = 0.7;
const BACK = 0.3;
/** A blank is at least so wide. */
const BLANK = 0.12;
/** Lines of one paragraph are between these many times the font size apart. */
const LEAST_DROP = 0.6;
const MOST_DROP = 1.6;

/** Joins lines at one height, and drops blank lines that come only from a sign. Linear but for lines of many cells. */
export function joinMarks(lines: readonly TextLine[], rules: readonly Rule[]): TextLine[] {
  const joined: TextLine[] = [];
  let marked: TextLine | undefined;
  lines.forEach((line, index) => {
    const last = joined.at(-1);
    if (last !== undefined && isSameLine(last, line) && !isRuled(last, line, rules)) {
      joined[joined.length - 1] = marked = joinTwo(last, line);
      return;
    }
    const next = lines[index + 1];
    if (line.text === '' && last !== undefined && next !== undefined && isBlankOfMark(last, marked, next))
      return;
    joined.push(line);
  });
  return joined;
}

/** True if a line goes on at the end of another, at the same height or a little above or below. */
function isSameLine(before: TextLine, line: TextLine): boolean {
  const [last, first] = [before.cells.at(-1), line.cells[0]];
  if (last === undefined || first === undefined) return false;
  if (before.isTurned || line.isTurned || before.isDivided) return false;
  const size = Math.max(last.size, first.size);
  const gap = first.left - last.right;
  return (
    Math.abs(line.baseline - before.baseline) <= OFF_LINE * size && gap <= NEAR * size && gap >= -BACK * size
  );
}

function isRuled(before: TextLine, line: TextLine, rules: readonly Rule[]): boolean {
  return rules.some(
    ({ isLevel, at, from, to }) =>
      !isLevel &&
      at >= before.right - 1 &&
      at <= line.left + 1 &&
      from <= line.baseline + 1 &&
      to > line.baseline + 1,
  );
}

/** Joins two lines: as high and as large as the one with more text. */
function joinTwo(before: TextLine, line: TextLine): TextLine {
  const [last, first] = [before.cells.at(-1), line.cells[0]];
  if (last === undefined || first === undefined) return before;
  const between = first.left - last.right > BLANK * Math.max(last.size, first.size) ? ' ' : '';
  const larger = last.text.length >= first.text.length ? last : first;
  const seam: Cell = {
    ...larger,
    text: last.text + between + first.text,
    left: last.left,
    right: Math.max(last.right, first.right),
    ...joinGlyphs([last, first]),
  };
  const cells = [...before.cells.slice(0, -1), seam, ...line.cells.slice(1)];
  return {
    text: before.text + between + line.text,
    isDivided: line.isDivided,
    baseline: before.text.length >= line.text.length ? before.baseline : line.baseline,
    isTurned: false,
    isNumbered: before.isNumbered,
    ...commonStyle(cells),
    cells,
  };
}

/** A figure or sign right behind a word, raised or not: after it PDFium may break the line twice. */
const MARK_AT_END = /[\p{L}\p{P}](?:\d{1,3}|[*†‡§¶])$/u;

/** True if a blank line follows a sign and the text goes on right below, as lines of a paragraph do. */
function isBlankOfMark(before: TextLine, marked: TextLine | undefined, next: TextLine): boolean {
  if (before !== marked && !MARK_AT_END.test(before.text)) return false;
  const drop = before.baseline - next.baseline;
  const { size } = before;
  return next.text !== '' && drop > LEAST_DROP * size && drop < MOST_DROP * size;
}
