// The marks over a text at the starts of chunks, for one tier or for two.
import { boundariesOf, compareBoundaries } from '../document/compare.ts';
import { countOf, type CutTable, firstIndex } from '../document/cut-table.ts';

/** The start of a chunk. */
export interface BoundaryMark {
  readonly at: number;
  /** `both` when two tiers agree, and for a single tier. */
  readonly side: 'both' | 'first' | 'second';
  /** The number of the chunk, from 1, by the first tier and by the second. */
  readonly first?: number;
  readonly second?: number;
}

/** Marks of the whole text, in order. */
export function marksOf(text: string, first: CutTable, second: CutTable | undefined): BoundaryMark[] {
  const opening = countOf(first) > 0 ? [{ at: first.starts[0] ?? 0, side: 'both', first: 1 } as const] : [];
  const own = boundariesOf(first, text);
  if (second === undefined)
    return [...opening, ...own.map((at, index) => ({ at, side: 'both', first: index + 2 }) as const)];
  const others = boundariesOf(second, text);
  const numberOf = new Map(own.map((at, index) => [at, index + 2]));
  const otherNumberOf = new Map(others.map((at, index) => [at, index + 2]));
  const { shared, onlyFirst, onlySecond } = compareBoundaries(own, others);
  const marks: BoundaryMark[] = [
    ...shared.map((at) => ({
      at,
      side: 'both' as const,
      first: numberOf.get(at) ?? 0,
      second: otherNumberOf.get(at) ?? 0,
    })),
    ...onlyFirst.map((at) => ({ at, side: 'first' as const, first: numberOf.get(at) ?? 0 })),
    ...onlySecond.map((at) => ({ at, side: 'second' as const, second: otherNumberOf.get(at) ?? 0 })),
  ];
  return [...opening, ...marks.sort((a, b) => a.at - b.at)];
}

/** The marks with `from <= at < to`. */
export function* marksWithin(
  marks: readonly BoundaryMark[],
  from: number,
  to: number,
): Generator<BoundaryMark> {
  const first = firstIndex(marks.length, (index) => (marks[index]?.at ?? 0) >= from);
  for (const mark of marks.slice(first)) {
    if (mark.at >= to) return;
    yield mark;
  }
}
