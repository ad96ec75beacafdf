// Signs that a line is no heading, in spite of its type: labels in the boxes of a drawing, the names of authors below
// the title, and tokens of a syntax.
import { isSameSize, type TextLine } from '../lines/text.ts';
import { PROSE_LENGTH } from './body.ts';
import type { Shape } from '../pdfium/rules.ts';

/** A possible heading. */
interface Title {
  readonly lines: readonly TextLine[];
  readonly text: string;
  /** Above 0 when it is in the outline. */
  readonly outlined: number;
  readonly isLarge: boolean;
  /** True for a part of a form that counts. */
  readonly isPart: boolean;
}

/** The possible headings of a page without those that a sign speaks against; `lines` are those of the page. */
export function withoutDoubts<One extends Title>(
  titles: readonly One[],
  lines: readonly TextLine[],
  isFirstPage: boolean,
  isLabel: (line: TextLine) => boolean,
): One[] {
  if (titles.length === 0) return [];
  const labels = labelsByHeight(lines);
  return titles.filter(({ lines: own, text, outlined, isLarge, isPart }, index) => {
    const [first, last] = [own[0], own.at(-1)];
    if (outlined > 0 || isPart || first === undefined || last === undefined) return true;
    if (isLabel(first) || own.some((line) => (labels.get(heightOf(line)) ?? 0) >= LEAST_LABELS)) return false;
    if (!isLarge && (SYNTAX.test(text) || LEAD_IN.test(text))) return false;
    return !(isFirstPage && index > 0 && areAuthors(text, lines.slice(lines.indexOf(last) + 1)));
  });
}

/** So many short lines at one height are the labels of columns. */
const LEAST_LABELS = 3;
const SHORT = 25;

/** Number of short lines at each height. */
function labelsByHeight(lines: readonly TextLine[]): ReadonlyMap<number, number> {
  const labels = new Map<number, number>();
  for (const line of lines) {
    const height = heightOf(line);
    if (line.text.length < SHORT) labels.set(height, (labels.get(height) ?? 0) + 1);
  }
  return labels;
}

function heightOf({ baseline }: TextLine): number {
  return Math.round(baseline);
}

/** Boxes of a drawing: at least so many with text in them, so high and wide, in points. */
const LEAST_BOXES = 4;
const LEAST_HEIGHT = 8;
const MOST_HEIGHT = 120;
const MOST_WIDTH = 260;

/** The lines of a page that stand inside the boxes of a drawing. Linear in shapes times the lines of a page. */
export function linesInBoxes(lines: readonly TextLine[], shapes: readonly Shape[]): ReadonlySet<TextLine> {
  const found = new Set<TextLine>();
  if (shapes.length < LEAST_BOXES) return found;
  const boxes = new Map<number, Shape>();
  for (const shape of shapes) {
    const [width, height] = [shape.right - shape.left, shape.top - shape.bottom];
    if (height < LEAST_HEIGHT || height > MOST_HEIGHT || width < LEAST_HEIGHT || width > MOST_WIDTH) continue;
    // A frame and its ground are one box.
    boxes.set(placeOf(shape.left) + PLACES * placeOf(shape.bottom), shape);
  }
  if (boxes.size < LEAST_BOXES || boxes.size > MOST_BOXES) return found;
  let filled = 0;
  for (const box of boxes.values()) {
    const inside = lines.filter((line) => line.text !== '' && isInside(line, box) && !isGround(line, box));
    if (inside.length > 0) filled++;
    for (const line of inside) found.add(line);
  }
  return filled < LEAST_BOXES ? new Set() : found;
}

/** No page is so many places wide. */
const PLACES = 10_000;

function placeOf(at: number): number {
  return Math.round(at / LEAST_HEIGHT);
}

/** A page with more is a map. */
const MOST_BOXES = 200;

function isInside({ left, right, baseline }: TextLine, box: Shape): boolean {
  return left >= box.left && right <= box.right && baseline > box.bottom && baseline < box.top;
}

/** The ground of code in a line is no more than so many times the font size higher and wider than its text. */
const GROUND = 1;

/** True if a box is the ground of a line's text, as that of code, and no box of a drawing. */
function isGround({ left, right, size }: TextLine, box: Shape): boolean {
  const isAsWide = box.right - box.left < right - left + GROUND * size;
  return isAsWide && box.top - box.bottom < (1 + GROUND) * size;
}

/** A sheet is larger than A3, in square points; a drawing on it has at least so many paths and lines of text. */
const SHEET_AREA = 1_010_000;
const LEAST_PATHS = 100;
const LEAST_TEXTS = 100;
/** Lines of text on a drawing are on average narrower than this share of it; on a poster they are columns. */
const LABEL_WIDTH = 0.08;

/** The labels of a large drawing, as of a building: all of its lines but those in its largest type. */
export function labelsOfSheet(
  lines: readonly TextLine[],
  { box, shapes }: { readonly box?: Shape | undefined; readonly shapes: readonly Shape[] },
): readonly TextLine[] {
  if (box === undefined || shapes.length < LEAST_PATHS) return [];
  const [width, height] = [box.right - box.left, box.top - box.bottom];
  const level = lines.filter((line) => line.text !== '' && !line.isTurned);
  if (width * height < SHEET_AREA || level.length < LEAST_TEXTS) return [];
  const widths = level.reduce((sum, { left, right }) => sum + right - left, 0);
  if (widths > LABEL_WIDTH * width * level.length) return [];
  const largest = level.reduce((most, { size }) => Math.max(most, size), 0);
  return level.filter(({ size }) => !isSameSize(size, largest));
}

/** An address of the authors, within so many lines below their names. */
const ADDRESS = /@|\b(?:Universi|Institut|Department|Laborator|College|School of|Facult|Hochschule|Academy)/;
const NEAR = 4;
const NAMES =
  /^(?:(?:\p{Lu}[\p{L}.’'-]*[\d*†‡,∗]*(?:,| and| und| et| &)?|[\d*†‡,∗]+)(?:\s+|$|(?<=,))){2,16}$/u;

/** True if a line below the title of a document names its authors: an address follows before the text begins. */
function areAuthors(text: string, below: readonly TextLine[]): boolean {
  if (!NAMES.test(text)) return false;
  const end = below.findIndex((line) => line.text.length >= PROSE_LENGTH);
  return below.slice(0, end === -1 ? NEAR : Math.min(end, NEAR)).some((line) => ADDRESS.test(line.text));
}

/** Signs of a grammar or of a program: alternatives, options, names with underscores, assignments. */
const SYNTAX = /[|{}<>]|\[[^\]]*\]\s*$|(?:^|\s)\[|::=| = |\w_\w|;$/;

/** A bold text that goes on in another type: it ends in the first word of a sentence, or in a word that joins. */
const LEAD_IN = /\p{L}{3}\.\s+\p{Lu}\p{L}*$|\s(?:and|or|of|the|for|to|with|an?|et|und|der|des?|du)$/u;
