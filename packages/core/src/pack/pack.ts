// The packer: chooses the gaps between atoms at which a document is cut, by the best total over all ways of cutting
// it. Every structural tier ends here; they differ in the atoms they bring. Stands between a tier's atoms and cuts.ts.
//
// A chunk scores by its size against the target, by the gap it begins at, and loses when it is tiny or ends on what
// leads to the text after it (research: "SD", a structural dynamic program). Time is atoms × atoms in a chunk, the
// latter bounded by Atoms; memory is 20 bytes an atom. A tier that also knows how alike atoms are adds that to `score`.
import { type Atoms, FLAG, STRENGTH } from './atoms.ts';
import type { Measure } from './measure.ts';

/** What the packer aims at, in the unit of its measure. */
export interface PackLimits {
  /** The longest a chunk may be, its context included. */
  readonly size: number;
  /** The length that chunks are drawn to. */
  readonly target: number;
  /** A shorter chunk is a loss, taken only where its neighbours are full. */
  readonly min: number;
}

/** How much a chunk loses by (ln(length / target))². */
const SIZE_WEIGHT = 0.5;
/** Share of that for an atom which is over the target all alone: nothing could be done about it. */
const ALONE_SHARE = 0.2;
/** What a chunk loses by being under the minimum. */
const TINY_LOSS = 1;
/** What a chunk gains by the strength of the gap it begins at, from `character` to `heading`. */
const GAIN = [-1, -0.6, -0.5, 0, 0.25, 0.5, 1] as const;
/**
 * How far that differs among the gaps of a text that runs on for more than so many targets without the end of a line:
 * there gaps are alike, and an edit would move every cut for up to a hundred chunks. Up to a few, with this.
 */
const UNEVENNESS = 0.3;
const LONG_RUN = 8;
/** What a chunk loses by ending on a heading: more than anything else can outweigh. */
const LEADS_LOSS = 1000;
/** What a chunk loses by ending on a lead-in. */
const INTRODUCES_LOSS = 4;

/**
 * The index of the first atom of each chunk, ascending. No chunk is longer than `limits.size` unless one atom is.
 * Deterministic; of two equal totals the one with the later cut wins.
 */
export function pack(atoms: Atoms, limits: PackLimits, measure: Measure): Int32Array {
  const { count } = atoms;
  const best = new Float64Array(count + 1);
  const from = new Int32Array(count + 1);
  const scores = scoresOf(limits);
  const gains = gainsOf(atoms, limits, measure);
  for (let end = 1; end <= count; end++) choose(atoms, limits, scores, gains, measure, best, from, end);
  return firstsOf(from);
}

/** Finds the best chunk that ends with the atom before `end`. */
function choose(
  { starts, ends, flags, contextOf, contexts, count }: Atoms,
  limits: PackLimits,
  scores: Float64Array,
  gains: Float64Array,
  measure: Measure,
  best: Float64Array,
  from: Int32Array,
  end: number,
): void {
  const last = end - 1;
  const stop = ends[last] ?? 0;
  let top = -Infinity;
  let first = last;
  for (let at = last; at >= 0; at--) {
    const own = measure.length(starts[at] ?? 0, stop);
    if (own > limits.size && at < last) break;
    const context = contextOf[at] ?? -1;
    const length = context === -1 ? own : own + (contexts[context]?.length ?? 0);
    if (length <= limits.size || at === last) {
      const size =
        at === last ? score(length, true, limits) : (scores[length] ?? score(length, false, limits));
      const total = (best[at] ?? 0) + (gains[at] ?? 0) + size;
      if (total > top) {
        top = total;
        first = at;
      }
    }
    if (((flags[at] ?? 0) & FLAG.begins) !== 0) break;
  }
  best[end] = end === count ? top : top - lossAfter(flags[last] ?? 0);
  from[end] = first;
}

/** What each gap gains; in a long run more or less by the lengths of the atoms just before it, which an edit elsewhere leaves alone. */
function gainsOf(
  { starts, ends, strengths, count }: Atoms,
  { target }: PackLimits,
  measure: Measure,
): Float64Array {
  const gains = new Float64Array(count);
  let run = 0;
  let hash = 0;
  for (let at = 0; at < count; at++) {
    const start = starts[at] ?? 0;
    const strength = strengths[at] ?? 0;
    if (strength > STRENGTH.sentence) run = start;
    const chance = measure.length(run, start) > LONG_RUN * target ? hash / 2 ** 32 : 0;
    gains[at] = (GAIN[strength] ?? 0) + UNEVENNESS * chance;
    // Each atom shifts the one before further up, so that four of them count. The factor is 2³² over the golden ratio.
    hash = Math.imul((hash << 8) ^ ((ends[at] ?? 0) - start), 0x9e3779b1);
  }
  return gains;
}

/** The scores of all lengths, of which logarithms would be a quarter of the work; not those of a giant maximum. */
function scoresOf(limits: PackLimits): Float64Array {
  const scores = new Float64Array(Math.min(limits.size, MOST_SCORES) + 1);
  for (let length = 0; length < scores.length; length++) scores[length] = score(length, false, limits);
  return scores;
}

const MOST_SCORES = 4096;

/** What the size of a chunk is worth: 0 at the target, less on either side. */
function score(length: number, alone: boolean, { target, min }: PackLimits): number {
  const ratio = Math.log(length / target);
  const share = alone && length > target ? ALONE_SHARE : 1;
  return -SIZE_WEIGHT * share * ratio * ratio - (length < min ? TINY_LOSS : 0);
}

function lossAfter(flags: number): number {
  if ((flags & FLAG.leads) !== 0) return LEADS_LOSS;
  return (flags & FLAG.introduces) !== 0 ? INTRODUCES_LOSS : 0;
}

/** The chain of best choices, from the end of the document to its beginning, turned round. */
function firstsOf(from: Int32Array): Int32Array {
  let chunks = 0;
  for (let end = from.length - 1; end > 0; end = from[end] ?? 0) chunks++;
  const firsts = new Int32Array(chunks);
  for (let end = from.length - 1; end > 0; end = from[end] ?? 0) firsts[--chunks] = from[end] ?? 0;
  return firsts;
}
