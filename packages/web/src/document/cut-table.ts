// The chunks of one tier as arrays of numbers, which travel between worker and page. The text stays apart.
import type { ContextPart } from '@grainline/core';

/** Text that a language model has written about a chunk. */
export type ChunkEnrichment = Readonly<Record<string, string | readonly string[]>>;

/** The chunks of one text by one tier. All offsets are in UTF-16 units of the text. */
export interface CutTable {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Leading units of each chunk that repeat the one before. */
  readonly overlaps: Uint32Array;
  /** By the index of the chunk; most chunks have none. */
  readonly contexts: ReadonlyMap<number, readonly ContextPart[]>;
  /** Heading paths, each once. */
  readonly paths: readonly string[];
  /** For each chunk its index in `paths` plus 1, or 0. */
  readonly pathOf: Uint32Array;
  readonly enrichments?: ReadonlyMap<number, ChunkEnrichment>;
}

/** Separator of the headings of a path, as in records. */
export const PATH_SEPARATOR = ' > ';

/** The number of chunks. */
export function countOf(cuts: CutTable): number {
  return cuts.starts.length;
}

/** The span of a chunk with its overlap; `start` is the start of the overlap. */
export interface ChunkSpan {
  readonly start: number;
  readonly end: number;
  readonly overlap: number;
}

/** The span of an existing chunk. */
export function spanOf(cuts: CutTable, index: number): ChunkSpan {
  return {
    start: cuts.starts[index] ?? 0,
    end: cuts.ends[index] ?? 0,
    overlap: cuts.overlaps[index] ?? 0,
  };
}

/** The indexed text before a chunk's own text: its context, a line each, and an empty line. */
export function contextBefore(cuts: CutTable, index: number): string {
  const context = cuts.contexts.get(index);
  return context === undefined ? '' : `${context.map(({ text }) => text).join('\n')}\n\n`;
}

/** The heading path of a chunk; undefined when it has none. */
export function pathOf(cuts: CutTable, index: number): string | undefined {
  return cuts.paths[(cuts.pathOf[index] ?? 0) - 1];
}

/**
 * The index of the chunk at an offset: the last one whose own text, without the overlap, starts at or before it. -1
 * before the first one.
 */
export function chunkAt({ starts, overlaps }: CutTable, offset: number): number {
  return firstIndex(starts.length, (index) => (starts[index] ?? 0) + (overlaps[index] ?? 0) > offset) - 1;
}

/** The index of the first span that ends after an offset, or the number of spans. */
export function firstEndingAfter({ ends }: Pick<CutTable, 'ends'>, offset: number): number {
  return firstIndex(ends.length, (index) => (ends[index] ?? 0) > offset);
}

/** The first index that passes a test, which all later ones pass too; `length` without one. Binary search. */
export function firstIndex(length: number, test: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
