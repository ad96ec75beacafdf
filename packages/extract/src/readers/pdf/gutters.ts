// Gutters of a region of a page: upright strips with less ink above each other than what stands to their left and to
// their right.
import { edgesOf } from './cells.ts';

/** What covers a part of the measure, in points from the left, in a font of some size. */
interface Inked {
  readonly left: number;
  readonly right: number;
  readonly size: number;
}

/** Gutters that are looked at in one region. */
const MAX_GUTTERS = 8;

/**
 * A gutter is crossed by at most this share of the lines that the sparser of the two sides has at its fullest place.
 */
const CROSSED = 0.8;
/** A gutter is at least this many times as wide as the font is large. */
const GUTTER = 0.6;

/** The middles of the gutters of a region, the emptiest first. O(n log n). */
export function guttersOf(pieces: readonly Inked[]): number[] {
  const strips = stripsOf(pieces);
  const least = GUTTER * medianSize(pieces);
  const gutters: { readonly at: number; readonly share: number }[] = [];
  let fullest = 0;
  // The strips of a gutter that is being walked over, from the right.
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

function medianSize(pieces: readonly Inked[]): number {
  const sizes = Float64Array.from(pieces, ({ size }) => size).sort();
  return sizes[sizes.length >> 1] ?? 0;
}

/** A strip of a region between two edges of ink. */
interface Strip {
  readonly from: number;
  readonly to: number;
  /** How many pieces reach over it, and over the fullest strip from the left up to it. */
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
    while ((begins[begun] ?? Infinity) <= from) begun++;
    while ((ends[ended] ?? Infinity) <= from) ended++;
    const to = Math.min(begins[begun] ?? Infinity, ends[ended] ?? Infinity);
    const ink = begun - ended;
    fullest = Math.max(fullest, ink);
    if (to < Infinity) strips.push({ from, to, ink, fullest });
    if (!(from < Infinity)) break;
  }
  return strips;
}
