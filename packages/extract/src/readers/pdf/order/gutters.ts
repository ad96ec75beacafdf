// Gutters of a region of a page: vertical strips that fewer pieces cross than stand to their left and to their right.
import { quantile } from '../lines/text.ts';
import { edgesOf } from '../tables/cells.ts';

/** A horizontal range of ink, in points from the left, with its font size. */
interface Inked {
  readonly left: number;
  readonly right: number;
  readonly size: number;
}

/** Most gutters to examine in one region. */
const MAX_GUTTERS = 8;

/** At most this share of lines crosses a gutter, relative to the fullest strip of the sparser side. */
const CROSSED = 0.8;
/** A gutter is at least this many times as wide as the font is large. */
const GUTTER = 0.6;

/** The middles of the gutters of a region, the emptiest first. O(n log n). */
export function guttersOf(pieces: readonly Inked[]): number[] {
  const strips = stripsOf(pieces);
  const sizes = pieces.map(({ size }) => size);
  const least = GUTTER * quantile(sizes, 0.5);
  const gutters: { readonly at: number; readonly share: number }[] = [];
  let fullest = 0;
  // The strips of the current gutter, from the right.
  let right: Strip | undefined;
  let emptiest: Strip | undefined;
  let share = 0;
  for (let at = strips.length - 1; at >= 0; at--) {
    const strip = strips[at];
    if (strip === undefined) break;
    fullest = Math.max(fullest, strip.ink);
    const own = strip.ink / Math.max(1, Math.min(strip.fullest, fullest));
    if (own <= CROSSED) {
      right ??= strip;
      if (emptiest === undefined || isEmptier(strip, emptiest)) {
        emptiest = strip;
        share = own;
      }
      if (at > 0) continue;
    }
    const from = own <= CROSSED ? strip.from : strip.to;
    if (right !== undefined && emptiest !== undefined && right.to - from >= least)
      gutters.push({ at: (emptiest.from + emptiest.to) / 2, share });
    right = emptiest = undefined;
  }
  return gutters
    .sort((a, b) => a.share - b.share)
    .slice(0, MAX_GUTTERS)
    .map(({ at }) => at);
}

function isEmptier(strip: Strip, than: Strip): boolean {
  return strip.ink < than.ink || (strip.ink === than.ink && strip.to - strip.from > than.to - than.from);
}

/** A strip of a region between two edges of ink. */
interface Strip {
  readonly from: number;
  readonly to: number;
  /** Number of pieces over the strip, and over the fullest strip from the left up to it. */
  readonly ink: number;
  readonly fullest: number;
}

/** The strips of a region from the left. */
function stripsOf(pieces: readonly Inked[]): Strip[] {
  const { begins, ends } = edgesOf(pieces);
  const strips: Strip[] = [];
  let fullest = 0;
  for (let begun = 0, ended = 0; ended < ends.length;) {
    const from = Math.min(begins[begun] ?? Infinity, ends[ended] ?? Infinity);
    // NaN ends the loops: hostile files have edges at infinity.
    while ((begins[begun] ?? NaN) <= from) begun++;
    while ((ends[ended] ?? NaN) <= from) ended++;
    const to = Math.min(begins[begun] ?? Infinity, ends[ended] ?? Infinity);
    const ink = begun - ended;
    fullest = Math.max(fullest, ink);
    if (to < Infinity) strips.push({ from, to, ink, fullest });
    if (!(from < Infinity)) break;
  }
  return strips;
}
