// White space that runs down through pieces of text.
import { edgesOf, type Gutter } from './cells.ts';
import type { InkSpan } from './rows.ts';

/** The gaps between spans that at most `allowed` of them reach over, from the left, wider than `least`. */
export function gapsOf(pieces: readonly InkSpan[], allowed: number, least: number): Gutter[] {
  const { begins, ends } = edgesOf(pieces);
  const gaps: Gutter[] = [];
  let from: number | undefined;
  for (let begun = 0, ended = 0; ended < ends.length;) {
    const begin = begins[begun] ?? Infinity;
    const end = ends[ended] ?? Infinity;
    const isBegin = begun < begins.length && begin <= end;
    if (isBegin) begun++;
    else ended++;
    const at = isBegin ? begin : end;
    if (begun - ended <= allowed) from ??= at;
    else if (from !== undefined) {
      if (at - from >= least) gaps.push({ from, to: at });
      from = undefined;
    }
  }
  // Space before the first piece is no gap.
  return gaps.filter((gap) => gap.from > (begins[0] ?? 0) || allowed === 0);
}
