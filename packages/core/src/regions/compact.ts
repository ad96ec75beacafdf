// The boxes of a chunk for its metadata: whole numbers, lines below each other as one box, and a bound on their length.
import type { Document, Region, Span } from '../document.ts';
import { regionsOf } from './regions.ts';

/** A box: its page, from 1, then x0, y0, x1 and y1 of {@link Region} in hundredths of a point. */
export type RegionBox = readonly [page: number, x0: number, y0: number, x1: number, y1: number];

/** The boxes of a chunk on the pages of its document; lists are empty for text that no page shows. */
export interface ChunkRegions {
  /** The chunk's own text, without its overlap. */
  readonly content: readonly RegionBox[];
  /** The text that repeats the end of the chunk before. */
  readonly overlap: readonly RegionBox[];
  /** For each part of the context, in order, the place of its source: a repeated header points at the header itself. */
  readonly context: readonly (readonly RegionBox[])[];
}

/** Most bytes of a chunk's regions as JSON. Longer ones have a box a page and part, and the first pages alone. */
export const MAX_REGION_BYTES = 8000;

/** Lines of one block are no further apart than this share of their height: nothing fits between them. */
const LEADING = 1.2;
/** Parts of one line have this share of their height in common, and lines of one block this share of their width. */
const COMMON = 0.5;
/** Units of the text before a span and behind it, whose boxes no joined box may cover. */
const AROUND = 200;

/** The regions of a chunk and its context. */
export function chunkRegions(
  document: Pick<Document, 'regions'>,
  {
    start,
    end,
    overlap,
    context = [],
  }: Span & { readonly overlap: number; readonly context?: readonly Span[] },
): ChunkRegions {
  return bounded({
    content: blocksOf(document, { start: start + overlap, end }),
    overlap: blocksOf(document, { start, end: start + overlap }),
    context: context.map((part) => blocksOf(document, part)),
  });
}

function boxOf({ page, x0, y0, x1, y1 }: Region): RegionBox {
  return [page, hundredths(x0), hundredths(y0), hundredths(x1), hundredths(y1)];
}

function hundredths(points: number): number {
  return Math.round(100 * points);
}

/** Over the bound one box a page, then fewer pages. */
function bounded(all: ChunkRegions): ChunkRegions {
  if (JSON.stringify(all).length <= MAX_REGION_BYTES) return all;
  const paged = mapBoxes(all, pageBoxes);
  const lists = [paged.content, paged.overlap, ...paged.context];
  const most = Math.max(1, ...lists.map(({ length }) => length));
  let pages = most;
  // Halved, so that each attempt costs half of the one before.
  while (pages > 1 && JSON.stringify(mapBoxes(paged, firstOf(pages))).length > MAX_REGION_BYTES)
    pages = Math.floor(pages / 2);
  return mapBoxes(paged, firstOf(pages));
}

function firstOf(count: number): (boxes: readonly RegionBox[]) => readonly RegionBox[] {
  return (boxes) => boxes.slice(0, count);
}

function mapBoxes(
  { content, overlap, context }: ChunkRegions,
  change: (boxes: readonly RegionBox[]) => readonly RegionBox[],
): ChunkRegions {
  return { content: change(content), overlap: change(overlap), context: context.map(change) };
}

/**
 * The boxes of a span: the cells of a row, and lines right below each other, are one box where it covers nothing of the
 * text before the span or behind it, so that a line which the span cuts stays apart.
 */
function blocksOf(document: Pick<Document, 'regions'>, span: Span): RegionBox[] {
  const { start, end } = span;
  const lines = regionsOf(document, span).map(boxOf);
  if (lines.length < 2) return lines;
  const before = regionsOf(document, { start: Math.max(0, start - AROUND), end: start }).map(boxOf);
  const behind = regionsOf(document, { start: end, end: end + AROUND }).map(boxOf);
  const others = [...before, ...behind];
  const isFree = (box: RegionBox): boolean => !others.some((other) => covers(box, other));
  return joined(joined(lines, isBeside, isFree), isBelow, isFree);
}

/** Boxes in their order, each with those behind it that belong to it, where their union is free. */
function joined(
  boxes: readonly RegionBox[],
  belongs: (box: RegionBox, next: RegionBox) => boolean,
  isFree: (box: RegionBox) => boolean,
): RegionBox[] {
  const blocks: RegionBox[] = [];
  for (const box of boxes) {
    const last = blocks.at(-1);
    const whole = last?.[0] === box[0] && belongs(last, box) ? union(last, box) : undefined;
    if (whole !== undefined && isFree(whole)) blocks[blocks.length - 1] = whole;
    else blocks.push(box);
  }
  return blocks;
}

/** True if a box goes on at the height of another. */
function isBeside(box: RegionBox, next: RegionBox): boolean {
  return hasInCommon(box[2], box[4], next[2], next[4]);
}

function isBelow(box: RegionBox, next: RegionBox): boolean {
  const height = Math.min(box[4] - box[2], next[4] - next[2]);
  const gap = next[2] - box[4];
  return gap > -height / 2 && gap < LEADING * height && hasInCommon(box[1], box[3], next[1], next[3]);
}

/** True if two ranges have half of the smaller one in common. */
function hasInCommon(low: number, high: number, otherLow: number, otherHigh: number): boolean {
  const common = Math.min(high, otherHigh) - Math.max(low, otherLow);
  return common >= COMMON * Math.min(high - low, otherHigh - otherLow);
}

/** True if the middle of one box across its lines, or more, lies within another. */
function covers(box: RegionBox, other: RegionBox): boolean {
  const middle = (other[2] + other[4]) / 2;
  const isLevel = box[0] === other[0] && middle > box[2] && middle < box[4];
  return isLevel && Math.min(box[3], other[3]) > Math.max(box[1], other[1]);
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
