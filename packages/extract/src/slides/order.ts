// The reading order of the shapes of a slide, by their positions: rows from top to bottom, columns inside a row from
// left to right, and so on in turn. This is the recursive cut of G. Nagy and S. Seth, "Hierarchical representation of
// optically scanned documents", 1984, over boxes instead of pixels.

/** The position of a shape, in any unit. */
export interface SlideBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface Placed {
  readonly box: SlideBox | undefined;
}

/** The cuts of a slide are a few deep; boxes deeper inside are sorted by their corners. */
const MAX_CUTS = 12;

/** Frames are larger than their text: this share of a box may reach over a cut, at each of its sides. */
const SLACK = 0.15;

/** Shapes in reading order; those without a position keep their order, behind the others. */
export function inReadingOrder<Shape extends Placed>(shapes: readonly Shape[]): Shape[] {
  const known = shapes.filter(hasBox);
  const others = shapes.filter((shape) => !hasBox(shape));
  return [...cut(known, 'rows', MAX_CUTS), ...others];
}

type Boxed<Shape> = Shape & { readonly box: SlideBox };

function hasBox<Shape extends Placed>(shape: Shape): shape is Boxed<Shape> {
  const { box } = shape;
  return box !== undefined && [box.left, box.top, box.width, box.height].every(Number.isFinite);
}

/** The recursion is as deep as {@link MAX_CUTS}, and each level is a sort of all its boxes. */
function cut<Shape extends { readonly box: SlideBox }>(
  shapes: Shape[],
  direction: 'rows' | 'columns',
  cuts: number,
): Shape[] {
  if (shapes.length < 2) return shapes;
  for (const along of direction === 'rows'
    ? (['rows', 'columns'] as const)
    : (['columns', 'rows'] as const)) {
    const parts = cuts === 0 ? [] : partsAlong(shapes, along);
    if (parts.length > 1)
      return parts.flatMap((part) => cut(part, along === 'rows' ? 'columns' : 'rows', cuts - 1));
  }
  return shapes.toSorted((one, other) => one.box.top - other.box.top || one.box.left - other.box.left);
}

/** Parts that a straight line can divide, in order. */
function partsAlong<Shape extends { readonly box: SlideBox }>(
  shapes: readonly Shape[],
  along: 'rows' | 'columns',
): Shape[][] {
  const startOf = ({ box }: Shape): number => (along === 'rows' ? box.top : box.left);
  const sizeOf = ({ box }: Shape): number => (along === 'rows' ? box.height : box.width);
  const from = (shape: Shape): number => startOf(shape) + SLACK * sizeOf(shape);
  const parts: Shape[][] = [];
  let reach = -Infinity;
  for (const shape of shapes.toSorted((one, other) => from(one) - from(other))) {
    const part = parts.at(-1);
    if (part === undefined || from(shape) >= reach) parts.push([shape]);
    else part.push(shape);
    reach = Math.max(reach, startOf(shape) + (1 - SLACK) * sizeOf(shape));
  }
  return parts;
}
