// Figures: the labels inside a drawing and its caption are one block, which leaves the lines of the page, so that
// sentences go on over it. A caption shows the figure, and drawings right above or below it show its extent.
import type { Shape } from '../pdfium/rules.ts';
import type { Table } from '../tables/cells.ts';
import { isSameSize, isSmall, type TextLine } from '../lines/text.ts';

/** The lines of a figure: its labels in the order of the page, and its caption above or below them. */
export type Figure = readonly TextLine[];

/** The lines of a page without its figures, and the figures by the lines that they follow; `undefined` is the top. */
export interface FiguredPage {
  readonly lines: readonly TextLine[];
  readonly figures: ReadonlyMap<TextLine | undefined, readonly Figure[]>;
}

/** Facts about the lines of a page. */
export interface FigureContext {
  /** Font size of the document's text. */
  readonly size: number;
  readonly shapes: readonly Shape[];
  readonly tables: ReadonlyMap<TextLine, Table>;
  /** True for lines that are no text: in the margin, running heads, page numbers. */
  readonly isApart: (line: TextLine) => boolean;
  /** True for lines of code. */
  readonly isCode: (line: TextLine) => boolean;
}

const CAPTION =
  /^(?:[Ff]ig(?:ure|\.)?|FIG(?:URE|\.)?|[Aa]bb(?:ildung|\.)?|Chart|CHART|Diagram|Scheme|Plate|PLATE|Graph)\s*(?:\d+|[A-Z](?=[\d.-])|[IVX]+(?=[.:\s]))(?:[.–-]\d+)*[a-z]?(?:\s*[:.|–—)-]|\s+\p{Lu}|$)/u;
/** The title of a table, which may stand between a drawing and a caption. */
const TABLE = /^(?:Tab(?:le|elle|\.)|TABLE)\s*[\dIVXA-Z]/;
/** Only so many captions of a page are examined, and a caption has at most so many lines. */
const MAX_FIGURES = 12;
const MAX_CAPTION = 8;
/** Lines of a caption are at most this many times their size apart. */
const CAPTION_DROP = 1.5;
/** A drawing is this close to its caption, and parts of a drawing to each other, in sizes of the text. */
const NEAR = 3.5;
/** Labels of axes stand this far beside a drawing, and this far on the side away from the caption, in sizes. */
const BESIDE = 1;
const BEYOND = 1;
/** A line of prose has so many characters; with more than this share of prose the drawing is the frame of a text. */
const PROSE_LENGTH = 45;
const PROSE_SHARE = 0.4;
/** With more than this share of code it is the frame of a program. */
const CODE_SHARE = 0.8;
/** Drawings are at least this high and wide, in sizes of the text: rules and the marks of items are none. */
const LEAST_EXTENT = 3;

const NONE: ReadonlyMap<TextLine | undefined, readonly Figure[]> = new Map();

/** Parts the figures of a page, given in reading order, from its other lines. Linear but for sorting. */
export function separateFigures(lines: readonly TextLine[], context: FigureContext): FiguredPage {
  if (context.shapes.length === 0) return { lines, figures: NONE };
  const captions = captionsOf(lines, context);
  if (captions.length === 0 || captions.length > MAX_FIGURES) return { lines, figures: NONE };
  const taken = new Set(captions.flat());
  const found = new Map<TextLine, Figure>();
  for (const caption of captions) {
    const [first] = caption;
    const figure = figureOf(caption, lines, taken, context);
    if (first === undefined || figure === undefined) continue;
    for (const line of figure) taken.add(line);
    found.set(first, figure);
  }
  if (found.size === 0) return { lines, figures: NONE };
  const own = new Set([...found.values()].flat());
  const figures = new Map<TextLine | undefined, Figure[]>();
  let anchor: TextLine | undefined;
  for (const line of lines) {
    const figure = found.get(line);
    if (figure !== undefined) figures.set(anchor, [...(figures.get(anchor) ?? []), figure]);
    else if (line.text !== '' && !own.has(line)) anchor = line;
  }
  return { lines: lines.filter((line) => !own.has(line)), figures };
}

function captionsOf(lines: readonly TextLine[], { tables, isApart }: FigureContext): TextLine[][] {
  const captions: TextLine[][] = [];
  const isText = (line: TextLine): boolean => !line.isTurned && !tables.has(line) && !isApart(line);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    if (line === undefined || !isText(line) || !CAPTION.test(line.text)) continue;
    const caption = [line];
    let pitch = CAPTION_DROP * line.size;
    for (let next = at + 1; next < lines.length && caption.length < MAX_CAPTION; next++) {
      const [last, more] = [caption.at(-1), lines[next]];
      if (last === undefined || more === undefined || more.text === '' || !isText(more)) break;
      const drop = last.baseline - more.baseline;
      const isNext = drop > 0 && drop <= pitch && isSameSize(last.size, more.size);
      if (!isNext || more.left > last.right || CAPTION.test(more.text)) break;
      pitch = Math.min(pitch, 1.1 * drop);
      caption.push(more);
    }
    captions.push(caption);
    at += caption.length - 1;
  }
  return captions;
}

/** A caption with the labels of the nearer drawing above or below; `undefined` when there is no drawing. */
function figureOf(
  caption: readonly TextLine[],
  lines: readonly TextLine[],
  taken: ReadonlySet<TextLine>,
  context: FigureContext,
): Figure | undefined {
  const drawings = [drawingAt(caption, context, ABOVE), drawingAt(caption, context, BELOW)];
  for (const drawing of drawings.sort((a, b) => (a?.gap ?? Infinity) - (b?.gap ?? Infinity))) {
    if (drawing === undefined) continue;
    const others = lines.filter(
      (line) =>
        line.text !== '' &&
        !taken.has(line) &&
        !context.tables.has(line) &&
        !context.isApart(line) &&
        !TABLE.test(line.text),
    );
    const inside = others.filter((line) => isInside(line, drawing, BESIDE * context.size));
    if (lengthOf(codeOf(inside, context)) > CODE_SHARE * lengthOf(inside)) continue;
    const prose = proseOf(inside, context);
    if (lengthOf([...prose]) > PROSE_SHARE * lengthOf(inside)) continue;
    const labels = withRests(new Set(inside.filter((line) => !prose.has(line))), others);
    return drawing.side === ABOVE ? [...labels, ...caption] : [...caption, ...labels];
  }
  return undefined;
}

/** Labels with the lines that go on with a long one, such as a note, outside the drawing. */
function withRests(labels: Set<TextLine>, lines: readonly TextLine[]): TextLine[] {
  let before: TextLine | undefined;
  for (const line of lines) {
    if (
      before !== undefined &&
      labels.has(before) &&
      before.text.length >= PROSE_LENGTH &&
      isRest(before, line)
    )
      labels.add(line);
    before = line;
  }
  return lines.filter((line) => labels.has(line));
}

/** True if a line stands right below another in its type. */
function isRest(before: TextLine, line: TextLine): boolean {
  const drop = before.baseline - line.baseline;
  return drop > 0 && drop < CAPTION_DROP * line.size && isSameSize(line.size, before.size);
}

function lengthOf(lines: readonly TextLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0);
}

/** The lines of code with another right above or below: labels in a fixed pitch stand apart. */
function codeOf(lines: readonly TextLine[], { isCode }: FigureContext): TextLine[] {
  const isPair = (above: TextLine | undefined, below: TextLine | undefined): boolean =>
    above !== undefined && below !== undefined && isCode(above) && isCode(below) && isRest(above, below);
  return lines.filter((line, at) => isPair(lines[at - 1], line) || isPair(line, lines[at + 1]));
}

/** The lines of sentences, with the last of each paragraph, which may be short. */
function proseOf(lines: readonly TextLine[], { size }: FigureContext): Set<TextLine> {
  const prose = new Set<TextLine>();
  let before: TextLine | undefined;
  for (const line of lines) {
    const isLong = line.text.length >= PROSE_LENGTH && line.cells.length === 1 && !isSmall(line, { size });
    if (isLong || (before !== undefined && prose.has(before) && isRest(before, line))) prose.add(line);
    before = line;
  }
  return prose;
}

function isInside({ left, right, baseline, size }: TextLine, region: Shape, margin: number): boolean {
  const up = baseline + size / 3;
  return (
    left < region.right + margin && right > region.left - margin && up > region.bottom && up < region.top
  );
}

const ABOVE = 1;
const BELOW = -1;

/** The drawings above or below a caption, one near the other, with the white space between them and the caption. */
interface Drawing extends Shape {
  readonly side: typeof ABOVE | typeof BELOW;
  readonly gap: number;
}

function drawingAt(
  caption: readonly TextLine[],
  { shapes, size }: FigureContext,
  side: Drawing['side'],
): Drawing | undefined {
  const [first, last] = [caption[0], caption.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const near = NEAR * size;
  // Heights are counted away from the caption.
  const edge = side === ABOVE ? first.baseline : -last.baseline;
  const nearOf = ({ bottom, top }: Shape): number => (side === ABOVE ? bottom : -top);
  const farOf = ({ bottom, top }: Shape): number => (side === ABOVE ? top : -bottom);
  const ranked = shapes
    .filter((shape) => farOf(shape) > edge && nearOf(shape) > edge - size / 2)
    .sort((a, b) => nearOf(a) - nearOf(b));
  let left = Math.min(...caption.map((line) => line.left));
  let right = Math.max(...caption.map((line) => line.right));
  let [begin, end] = [Infinity, edge];
  for (const shape of ranked) {
    if (nearOf(shape) > end + near) break;
    if (shape.right < left - near || shape.left > right + near) continue;
    begin = Math.min(begin, nearOf(shape));
    end = Math.max(end, farOf(shape));
    left = Math.min(left, shape.left);
    right = Math.max(right, shape.right);
  }
  if (!(end - begin >= LEAST_EXTENT * size && right - left >= LEAST_EXTENT * size)) return undefined;
  // Between the drawing and the caption everything belongs to the figure.
  const [low, high] = [edge, end + BEYOND * size];
  const heights = side === ABOVE ? { bottom: low, top: high } : { bottom: -high, top: -low };
  return { left, right, ...heights, side, gap: begin - edge };
}
