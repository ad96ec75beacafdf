// The comparison of two tiers' boundaries on one text.
import { countOf, type CutTable } from './cut-table.ts';

/** Boundaries of two tiers on one text, each in order. */
export interface Comparison {
  readonly shared: readonly number[];
  readonly onlyFirst: readonly number[];
  readonly onlySecond: readonly number[];
  /** Shared boundaries as a fraction of all boundaries, from 0 to 1; 1 without any. */
  readonly agreement: number;
}

/**
 * The boundaries, without the start of the text: the first character of each chunk that is neither repeated nor blank.
 * A cut before a line break equals one behind it.
 */
export function boundariesOf(cuts: CutTable, text: string): number[] {
  const boundaries: number[] = [];
  for (let index = 1; index < countOf(cuts); index++) {
    const own = (cuts.starts[index] ?? 0) + (cuts.overlaps[index] ?? 0);
    boundaries.push(skipBlanks(text, own, cuts.ends[index] ?? own));
  }
  return boundaries;
}

function skipBlanks(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && text.charAt(at).trim() === '') at++;
  return at < to ? at : from;
}

/** Compares two lists of boundaries, both in order. Linear. */
export function compareBoundaries(first: readonly number[], second: readonly number[]): Comparison {
  const shared: number[] = [];
  const onlyFirst: number[] = [];
  const onlySecond: number[] = [];
  let [a, b] = [0, 0];
  while (a < first.length || b < second.length) {
    const [left = Infinity, right = Infinity] = [first[a], second[b]];
    if (left === right) shared.push(left);
    else if (left < right) onlyFirst.push(left);
    else onlySecond.push(right);
    if (left <= right) a++;
    if (right <= left) b++;
  }
  const all = shared.length + onlyFirst.length + onlySecond.length;
  return { shared, onlyFirst, onlySecond, agreement: all === 0 ? 1 : shared.length / all };
}
