// What is drawn over a text: where chunks begin, by one tier or by two, and which text stands before them.
import { boundariesOf, compareBoundaries } from '../compare.ts';
import { countOf, type Cuts } from '../cuts.ts';

/** A place where a chunk begins. */
export interface Mark {
  readonly at: number;
  /** `both` when two tiers are compared and agree, or when there is one tier alone. */
  readonly side: 'both' | 'first' | 'second';
  /** The number of the chunk, from 1, by the first tier and by the second. */
  readonly first?: number;
  readonly second?: number;
}

/** Marks of the whole text, in order. */
export function marksOf(text: string, first: Cuts, second: Cuts | undefined): Mark[] {
  const opening = countOf(first) > 0 ? [{ at: first.starts[0] ?? 0, side: 'both', first: 1 } as const] : [];
  const own = boundariesOf(first, text);
  if (second === undefined)
    return [...opening, ...own.map((at, index) => ({ at, side: 'both', first: index + 2 }) as const)];
  const others = boundariesOf(second, text);
  const numberOf = new Map(own.map((at, index) => [at, index + 2]));
  const otherNumberOf = new Map(others.map((at, index) => [at, index + 2]));
  const { shared, onlyFirst, onlySecond } = compareBoundaries(own, others);
  const marks: Mark[] = [
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

/** The marks with `from <= at < to`. Binary search for the first. */
export function* marksWithin(marks: readonly Mark[], from: number, to: number): Generator<Mark> {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((marks[middle]?.at ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  for (let index = low; index < marks.length; index++) {
    const mark = marks[index];
    if (mark === undefined || mark.at >= to) return;
    yield mark;
  }
}
