// The boxes of a chunk for its metadata: whole numbers, lines below each other as one box, and a bound on their length.
import type { Document, Region, Span } from '../document.ts';
import { regionsOf } from './regions.ts';

/** A box: its page, from 1, then x0, y0, x1 and y1 of {@link Region} in hundredths of a point. */
export type RegionBox = readonly [page: number, x0: number, y0: number, x1: number, y1: number];

/** The boxes of a chunk on the pages of its document. Absent members have no place on a page. */
export interface ChunkRegions {
  /** The chunk's own text, without its overlap. */
  readonly content?: readonly RegionBox[];
  /** The text that repeats the end of the chunk before. */
  readonly overlap?: readonly RegionBox[];
  /** For each part of the context, in order, the place of its source: a repeated header points at the header itself. */
  readonly context?: readonly (readonly RegionBox[])[];
}

/** Most bytes of a chunk's regions as JSON. Longer ones have a box a page and part, and the first pages alone. */
export const MAX_REGION_BYTES = 8000;

/** Lines of one block begin within so many hundredths of a point of each other, and end within this share of its width. */
const SAME_EDGE = 200;
const RAGGED = 0.3;
/** Lines of one block are no further apart than this share of their height. */
const LEADING = 0.8;

/** The regions of a chunk and its context; `undefined` when no page shows any of it. */
export function chunkRegions(
  document: Pick<Document, 'regions'>,
  {
    start,
    end,
    overlap,
    context = [],
  }: Span & { readonly overlap: number; readonly context?: readonly Span[] },
): ChunkRegions | undefined {
  const boxes = (span: Span): RegionBox[] => regionsOf(document, span).map(boxOf);
  return bounded({
    content: blocksOf(boxes({ start: start + overlap, end })),
    overlap: blocksOf(boxes({ start, end: start + overlap })),
    context: context.map((part) => blocksOf(boxes(part))),
  });
}

function boxOf({ page, x0, y0, x1, y1 }: Region): RegionBox {
  return [page, hundredths(x0), hundredths(y0), hundredths(x1), hundredths(y1)];
}

function hundredths(points: number): number {
  return Math.round(100 * points);
}

type AllBoxes = Required<ChunkRegions>;

/** Regions without empty members; over the bound one box a page, then fewer pages. */
function bounded(all: AllBoxes): ChunkRegions | undefined {
  const whole = filled(all);
  if (whole === undefined || JSON.stringify(whole).length <= MAX_REGION_BYTES) return whole;
  const paged = mapBoxes(all, pageBoxes);
  const lists = [paged.content, paged.overlap, ...paged.context];
  const most = Math.max(1, ...lists.map(({ length }) => length));
  let pages = most;
  // Halved, so that each attempt costs half of the one before.
  while (pages > 1 && JSON.stringify(mapBoxes(paged, firstOf(pages))).length > MAX_REGION_BYTES)
    pages = Math.floor(pages / 2);
  return filled(mapBoxes(paged, firstOf(pages)));
}

function firstOf(count: number): (boxes: readonly RegionBox[]) => readonly RegionBox[] {
  return (boxes) => boxes.slice(0, count);
}

function mapBoxes(
  { content, overlap, context }: AllBoxes,
  change: (boxes: readonly RegionBox[]) => readonly RegionBox[],
): AllBoxes {
  return { content: change(content), overlap: change(overlap), context: context.map(change) };
}

function filled({ content, overlap, context }: AllBoxes): ChunkRegions | undefined {
  const isPlaced = context.some(({ length }) => length > 0);
  if (content.length === 0 && overlap.length === 0 && !isPlaced) return undefined;
  return {
    ...(content.length > 0 ? { content } : undefined),
    ...(overlap.length > 0 ? { overlap } : undefined),
    ...(isPlaced ? { context } : undefined),
  };
}

/**
 * Lines right below each other as one box. The first and the last line may be cut, so they join only lines with the same
 * edges; lines between end where their column does.
 */
function blocksOf(lines: readonly RegionBox[]): RegionBox[] {
  const blocks: RegionBox[] = [];
  for (const [at, line] of lines.entries()) {
    const block = blocks.at(-1);
    const isCut = at === lines.length - 1 || at === 1;
    if (block !== undefined && isBelow(block, line, isCut)) blocks[blocks.length - 1] = union(block, line);
    else blocks.push(line);
  }
  return blocks;
}

function isBelow(block: RegionBox, line: RegionBox, isCut: boolean): boolean {
  const [page, left, , right, bottom] = block;
  const [ownPage, ownLeft, top, ownRight, ownBottom] = line;
  const height = ownBottom - top;
  const gap = top - bottom;
  const ragged = isCut ? SAME_EDGE : Math.max(SAME_EDGE, RAGGED * (right - left));
  return (
    page === ownPage &&
    gap > -height / 2 &&
    gap < LEADING * height &&
    Math.abs(left - ownLeft) <= SAME_EDGE &&
    Math.abs(right - ownRight) <= ragged
  );
}

function union(one: RegionBox, other: RegionBox): RegionBox {
  return [
    one[0],
    Math.min(one[1], other[1]),
    Math.min(one[2], other[2]),
    Math.max(one[3], other[3]),
    Math.max(one[4], other[4]),
  ];
}

/** One box around all of each page. */
function pageBoxes(boxes: readonly RegionBox[]): RegionBox[] {
  const pages = new Map<number, RegionBox>();
  for (const box of boxes) {
    const known = pages.get(box[0]);
    pages.set(box[0], known === undefined ? box : union(known, box));
  }
  return [...pages.values()];
}
