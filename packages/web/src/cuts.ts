// Where a tier has cut, in the form that travels between worker and page: numbers in arrays, and the text apart.
import type { ContextPart } from '@grainline/core';

/** Options of a cut, as the page's controls have them. */
export interface CutOptions {
  /** The longest a chunk may be, in `unit`. */
  readonly size: number;
  /** The most that a chunk repeats of the one before, in `unit`. */
  readonly overlap: number;
  readonly unit: 'characters' | 'tokens';
}

/** What a language model has written about a chunk. */
export type Enrichment = Readonly<Record<string, string | readonly string[]>>;

/** The chunks of one text by one tier. All offsets are in UTF-16 units of the text. */
export interface Cuts {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Leading units of each chunk that repeat the one before. */
  readonly overlaps: Uint32Array;
  /** By the number of the chunk, from 0; most have none. */
  readonly contexts: ReadonlyMap<number, readonly ContextPart[]>;
  /** Heading paths, each once. */
  readonly paths: readonly string[];
  /** For each chunk its place in `paths` plus 1, or 0. */
  readonly pathOf: Uint32Array;
  readonly enrichments?: ReadonlyMap<number, Enrichment>;
}

/** Stands between the headings of a path, as records have it. */
export const PATH_SEPARATOR = ' > ';

/** How many chunks there are. */
export function countOf(cuts: Cuts): number {
  return cuts.starts.length;
}

/** A chunk's lengths and place; `start` is where it begins, its overlap included. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly overlap: number;
}

/** The place of the chunk of this number, which there must be. */
export function placeOf(cuts: Cuts, index: number): Place {
  return {
    start: cuts.starts[index] ?? 0,
    end: cuts.ends[index] ?? 0,
    overlap: cuts.overlaps[index] ?? 0,
  };
}

/** What is indexed of a chunk before its own text: its context, a line each, and an empty line. */
export function leadOf(cuts: Cuts, index: number): string {
  const context = cuts.contexts.get(index);
  return context === undefined ? '' : `${context.map(({ text }) => text).join('\n')}\n\n`;
}

/** The heading path of a chunk; undefined when it has none. */
export function pathOf(cuts: Cuts, index: number): string | undefined {
  return cuts.paths[(cuts.pathOf[index] ?? 0) - 1];
}

/**
 * The number of the chunk that an offset belongs to: the last one whose own text, its overlap apart, begins at or
 * before it. -1 before the first one. Binary search.
 */
export function chunkAt({ starts, overlaps }: Cuts, offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) + (overlaps[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The first of some chunks, or other spans in order, that ends after an offset; or their number. Binary search. */
export function firstEndingAfter({ ends }: Pick<Cuts, 'ends'>, offset: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
