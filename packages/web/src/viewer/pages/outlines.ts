// The boxes of a chunk's lines on a page → outlines: lines that follow each other become one shape, as a selection of
// text does, so that a chunk looks like one thing and colours never lie over each other twice.
import type { Region } from '@grainline/core';

/** A box in any unit. */
export type LineBox = Omit<Region, 'page'>;

/** Cells of a row are one line, up to this gap in line heights. */
const ROW_GAP = 14;
/** Lines follow each other up to this gap in line heights: the space between two paragraphs. */
const LINE_GAP = 1.1;

/** Shapes of the lines: each a list of boxes from top to bottom that touch each other. */
export function shapesOf(boxes: readonly LineBox[]): LineBox[][] {
  const shapes: LineBox[][] = [];
  for (const row of rowsOf(boxes)) {
    const shape = shapes.at(-1);
    const above = shape?.at(-1);
    if (shape === undefined || above === undefined || !isNextLine(above, row)) {
      shapes.push([row]);
      continue;
    }
    // The border lies between the two lines, whether they overlap or leave a gap.
    const border = (above.y1 + row.y0) / 2;
    shape[shape.length - 1] = { ...above, y1: border };
    shape.push({ ...row, y0: border });
  }
  return shapes.map(straightened);
}

/** Edges that differ by less than this share of a line's height are made one: a justified column has straight sides. */
const RAGGED = 0.5;

function straightened(shape: readonly LineBox[]): LineBox[] {
  const left = Math.min(...shape.map(({ x0 }) => x0));
  const right = Math.max(...shape.map(({ x1 }) => x1));
  return shape.map((line) => {
    const near = RAGGED * (line.y1 - line.y0);
    return {
      ...line,
      x0: line.x0 - left < near ? left : line.x0,
      x1: right - line.x1 < near ? right : line.x1,
    };
  });
}

/** The path of shapes for the attribute `d` of SVG. */
export function pathOf(shapes: readonly (readonly LineBox[])[]): string {
  return shapes
    .map((shape) => {
      const right = shape.flatMap(({ x1, y0, y1 }) => [point(x1, y0), point(x1, y1)]);
      const left = shape.flatMap(({ x0, y0, y1 }) => [point(x0, y0), point(x0, y1)]).reverse();
      return `M${[...right, ...left].join('L')}Z`;
    })
    .join('');
}

function point(x: number, y: number): string {
  return `${round(x)} ${round(y)}`;
}

function round(value: number): number {
  return Math.round(value * 1e5) / 1e5;
}

/** Boxes beside each other become one. */
function rowsOf(boxes: readonly LineBox[]): LineBox[] {
  const rows: LineBox[] = [];
  for (const box of boxes) {
    const row = rows.at(-1);
    if (row === undefined || !isSameRow(row, box)) rows.push(box);
    else rows[rows.length - 1] = hullOf(row, box);
  }
  return rows;
}

function hullOf(a: LineBox, b: LineBox): LineBox {
  return {
    x0: Math.min(a.x0, b.x0),
    y0: Math.min(a.y0, b.y0),
    x1: Math.max(a.x1, b.x1),
    y1: Math.max(a.y1, b.y1),
  };
}

function isSameRow(a: LineBox, b: LineBox): boolean {
  const height = Math.min(a.y1 - a.y0, b.y1 - b.y0);
  const shared = Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0);
  const gap = Math.max(a.x0, b.x0) - Math.min(a.x1, b.x1);
  return shared >= height / 2 && gap <= ROW_GAP * height;
}

function isNextLine(above: LineBox, below: LineBox): boolean {
  const height = Math.max(above.y1 - above.y0, below.y1 - below.y0);
  const isBelow = (below.y0 + below.y1) / 2 > (above.y0 + above.y1) / 2;
  const overlaps = above.x0 < below.x1 && below.x0 < above.x1;
  return isBelow && overlaps && below.y0 - above.y1 <= LINE_GAP * height;
}
