// Icons beside a text, such as a sign that says CAUTION: their letters are in the lines that they stand beside. They
// become a line before the text.
import type { Shape } from '../pdfium/rules.ts';
import { commonStyle, type Cell, type TextLine } from './text.ts';
import { joinGlyphs } from '../../../tree/glyphs.ts';

/** Least and greatest width and height of an icon in points, and the share by which they differ at most. */
const SMALLEST = 15;
const LARGEST = 60;
const UNEVEN = 0.35;
/** Only so many of a page are examined, and an icon has at most so many characters. */
const MAX_ICONS = 40;
const MAX_TEXT = 16;
/** Least number of lines beside an icon, and their greatest distance from it, in font sizes. */
const LEAST_LINES = 2;
const NEAR = 1.5;
/** The text goes on below the icon within this distance, in font sizes. */
const BELOW = 2;
/** Their least length in characters: shorter ones are labels of a drawing. */
const LEAST_LENGTH = 12;
const WORD = /\p{L}{2}/u;

/** The lines of a page with the letters of its icons before the text beside them. Linear for each icon. */
export function separateIcons(lines: readonly TextLine[], shapes: readonly Shape[]): readonly TextLine[] {
  const squares = shapes.filter(isSquare).sort((a, b) => b.right - b.left - (a.right - a.left));
  if (squares.length === 0 || squares.length > MAX_ICONS) return lines;
  return squares.reduce(separateIcon, lines);
}

function isSquare({ left, bottom, right, top }: Shape): boolean {
  const [width, height] = [right - left, top - bottom];
  if (Math.min(width, height) < SMALLEST || Math.max(width, height) > LARGEST) return false;
  return Math.abs(width - height) <= UNEVEN * Math.max(width, height);
}

function separateIcon(lines: readonly TextLine[], icon: Shape): readonly TextLine[] {
  const inside = lines.flatMap(({ cells }) => cells.filter((cell) => isInside(cell, icon)));
  const text = inside.map((cell) => cell.text).join(' ');
  if (text === '' || text.length > MAX_TEXT) return lines;
  const beside = lines.filter(
    ({ cells, isTurned }) => !isTurned && cells.some((cell) => isBeside(cell, icon)),
  );
  const [first] = beside;
  if (first === undefined || beside.length < LEAST_LINES) return lines;
  if (!lines.some(({ cells }) => cells.some((cell) => isWrapped(cell, icon)))) return lines;
  const { baseline, size } = first.cells.find((cell) => isBeside(cell, icon)) ?? first;
  const cell = { ...icon, text, baseline, size, isBold: false, isFixedPitch: false, ...joinGlyphs(inside) };
  const label: TextLine = {
    ...commonStyle([cell]),
    text,
    baseline,
    cells: [cell],
    isDivided: false,
    isTurned: false,
    isNumbered: false,
  };
  return lines.flatMap((line) => {
    const cells = line.cells.filter((one) => !inside.includes(one));
    if (cells.length === line.cells.length) return line === first ? [label, line] : [line];
    const rest = { ...line, ...commonStyle(cells), text: cells.map((one) => one.text).join(' '), cells };
    const kept = cells.length === 0 ? [] : [{ ...rest, baseline: cells[0]?.baseline ?? line.baseline }];
    return line === first ? [label, ...kept] : kept;
  });
}

function isInside({ left, right, baseline }: Cell, icon: Shape): boolean {
  return (
    left >= icon.left - 1 && right <= icon.right + 1 && baseline >= icon.bottom - 1 && baseline < icon.top
  );
}

/** True if the beginning of a text stands to the right of an icon. */
function isBeside({ text, left, baseline, size }: Cell, icon: Shape): boolean {
  const isLevel = baseline >= icon.bottom - size / 2 && baseline < icon.top;
  const gap = left - icon.right;
  return isLevel && gap >= 0 && gap <= NEAR * size && text.length >= LEAST_LENGTH;
}

/** True if a text goes on right below an icon, from its left edge. */
function isWrapped({ text, left, baseline, size }: Cell, icon: Shape): boolean {
  const drop = icon.bottom - baseline;
  return Math.abs(left - icon.left) <= size && drop > 0 && drop <= BELOW * size && WORD.test(text);
}
