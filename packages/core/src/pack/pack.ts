// The packer: chooses the gaps between atoms at which a document is cut, by the best total over all ways of cutting
// it. Every structural tier ends here; they differ in the atoms they bring. Stands between a tier's atoms and cuts.ts.
//
// A chunk scores by its size against the target, by the gap it begins at, and loses when it is tiny or ends on what
// leads to the text after it (research: "SD", a structural dynamic program). Time is atoms × atoms in a chunk, the
// latter bounded by Atoms; memory is 20 bytes an atom. A tier that also knows how alike atoms are brings their
// cohesion.
import { type Atoms, FLAG, STRENGTH } from './atoms.ts';

/** What the packer aims at, in the unit of its measure. */
export interface PackLimits {
  /** The longest a chunk may be, its context included. */
  readonly size: number;
  /** The length that chunks are drawn to. */
  readonly target: number;
  /** A shorter chunk is a loss, taken only where its neighbours are full. */
  readonly min: number;
  /** How alike the atoms are, where that is known. */
  readonly cohesion?: Cohesion;
  /**
   * For the gap before each atom, where somebody has read the text: 1 to cut there, -1 to keep what stands around it
   * together, 0 for no opinion. The maximum goes before it, and so does the minimum.
   */
  readonly advice?: Int8Array;
}

/** What each two atoms that stand near one another add to a chunk that holds both: more than 0 if they are alike. */
export interface Cohesion {
  /** Two atoms further apart add nothing. */
  readonly band: number;
  /** For each atom `band` sums: what it adds with the next one, with the next two, and so on. */
  readonly sums: Float32Array;
}

/** How much a chunk loses by (ln(length / target))². */
const SIZE_WEIGHT = 0.5;
/** Share of that for an atom which is over the target all alone: nothing could be done about it. */
const ALONE_SHARE = 0.2;
/** What a chunk loses by being under the minimum. */
const TINY_LOSS = 1;
/** What a chunk gains by beginning where that is advised: more than its size or the other gaps can outweigh, … */
const ADVISED_GAIN = 12;
/** … what it loses where keeping together is, … */
const KEPT_LOSS = 6;
/** … and what it then loses by being under the minimum, more than any advice. */
const ADVISED_TINY_LOSS = 30;
/** What a chunk gains by the strength of the gap it begins at, from `character` to `heading`. */
const GAIN = [-1, -0.6, -0.5, 0, 0.25, 0.5, 1] as const;
/**
 * What a heading gains for each level that it steps out of the section before it, and loses for each that it steps in,
 * up to so many: short sections of one chapter are joined rather than the last of it with the first of the next.
 */
const LEVEL_GAIN = 0.1;
const MOST_LEVELS = 2;
/**
 * How far that differs among the gaps of a text that runs on for more than so many targets without the end of a line:
 * there gaps are alike, and an edit would move every cut for up to a hundred chunks. Up to a few, with this.
 */
const UNEVENNESS = 0.3;
const LONG_RUN = 8;
/** By advice from -1 to 1. */
const ADVISED = [-KEPT_LOSS, 0, ADVISED_GAIN] as const;
/** What a chunk loses by ending on a heading: more than anything else can outweigh. */
const LEADS_LOSS = 1000;
/** What a chunk loses by ending on a lead-in. */
const INTRODUCES_LOSS = 4;
/** What it loses by ending on a question or the like: less than a cut inside the paragraph behind it would. */
const ASKS_LOSS = 0.4;
/** No chunk has more atoms, so that the time is linear also where a counter finds next to nothing in each. */
const MOST_ATOMS = 4096;

/**
 * The index of the first atom of each chunk, ascending. No chunk is longer than `limits.size` unless one atom is.
 * Deterministic; of two equal totals the one with the later cut wins.
 */
export function pack(atoms: Atoms, limits: PackLimits): Int32Array {
  return firstsOf(bestFirsts(atoms, limits));
}

/** For the end of each atom the first one of the chunk that is best to end there; by itself, as in prose.ts. */
function bestFirsts(atoms: Atoms, limits: PackLimits): Int32Array {
  const { flags, count, lengths } = atoms;
  const { size, target, cohesion } = limits;
  const { heads, tails } = lengths;
  const reaches = reachesOf(atoms);
  const scores = scoresOf(limits);
  const gains = gainsOf(atoms, limits);
  /** A chunk takes of the maximum what its text takes, and nobody knows how alike the atoms are. */
  const isPlain = reaches === heads && cohesion === undefined;
  /** What the best chunks up to an atom and the gap before it add up to. */
  const sums = new Float64Array(count);
  const from = new Int32Array(count + 1);
  let best = 0;
  /** A chunk must begin here. */
  let least = 0;
  for (let last = 0; last < count; last++) {
    const flag = flags[last] ?? 0;
    const tail = tails[last] ?? 0;
    sums[last] = best + (gains[last] ?? 0);
    if ((flag & FLAG.begins) !== 0) least = last;
    let first = last;
    const alone = tail - (reaches[last] ?? 0);
    let top =
      (sums[last] ?? 0) + ((alone <= target ? scores[alone] : undefined) ?? score(alone, true, limits));
    const end = Math.max(least, last + 1 - MOST_ATOMS);
    if (isPlain) {
      // The loop below without what is always the same, which is a third of it.
      for (let at = last - 1; at >= end; at--) {
        const length = tail - (heads[at] ?? 0);
        if (length > size) break;
        const total = (sums[at] ?? 0) + (scores[length] ?? score(length, false, limits));
        if (total > top) {
          top = total;
          first = at;
        }
      }
    } else {
      let together = 0;
      for (let at = last - 1; at >= end && tail - (heads[at] ?? 0) <= size; at--) {
        const length = tail - (reaches[at] ?? 0);
        if (cohesion !== undefined) together += addedBy(cohesion, at, last);
        if (length > size) continue;
        const total = (sums[at] ?? 0) + (scores[length] ?? score(length, false, limits)) + together;
        if (total > top) {
          top = total;
          first = at;
        }
      }
    }
    best = top - lossAfter(flag);
    from[last + 1] = first;
  }
  return from;
}

/** What an atom adds to a run behind it that ends with `last`. */
export function addedBy({ band, sums }: Cohesion, at: number, last: number): number {
  const distance = last - at < band ? last - at : band;
  return distance === 0 ? 0 : (sums[at * band + distance - 1] ?? 0);
}

/** Heads less the context before each atom, so that `tail - reach` is what a chunk takes of the maximum. */
function reachesOf({ contexts, contextOf, count, lengths: { heads } }: Atoms): Int32Array {
  if (contexts.length === 1) return heads;
  const reaches = heads.slice(0, count);
  for (let at = 0; at < count; at++) {
    const context = contexts[contextOf[at] ?? 0];
    if (context !== undefined) reaches[at] = (heads[at] ?? 0) - context.length;
  }
  return reaches;
}

/**
 * What each gap gains; in a long run more or less by the lengths of the atoms just before it, which an edit elsewhere
 * leaves alone.
 */
export function gainsOf(atoms: Atoms, { target, advice }: PackLimits): Float64Array {
  const { starts, ends, strengths, count, sections } = atoms;
  const { heads } = atoms.lengths;
  const gains = new Float64Array(count);
  let run = 0;
  let hash = 0;
  for (let at = 0; at < count; at++) {
    const head = heads[at] ?? 0;
    const strength = strengths[at] ?? 0;
    if (strength > STRENGTH.sentence) run = head;
    const chance = head - run > LONG_RUN * target ? hash / 2 ** 32 : 0;
    gains[at] = (GAIN[strength] ?? 0) + UNEVENNESS * chance;
    if (strength === STRENGTH.heading && sections.length > 1)
      gains[at] = (gains[at] ?? 0) + LEVEL_GAIN * levelsOut(atoms, at);
    if (advice !== undefined) gains[at] = (gains[at] ?? 0) + (ADVISED[(advice[at] ?? 0) + 1] ?? 0);
    // Each atom shifts the one before further up, so that four of them count. The factor is 2³² over the golden ratio.
    hash = Math.imul((hash << 8) ^ ((ends[at] ?? 0) - (starts[at] ?? 0)), 0x9e3779b1);
  }
  return gains;
}

/** How many levels a heading is above the section that the atom before it stands in; less than 0 below it. */
function levelsOut({ starts, sections, sectionOf }: Atoms, at: number): number {
  const before = at > 0 ? sections[sectionOf[at - 1] ?? 0] : undefined;
  if (before === undefined) return 0;
  let section = sectionOf[at] ?? 0;
  // Short headings that follow one another are one atom, of the section of the last; its first one is what steps out.
  while ((sections[section - 1]?.start ?? -1) >= (starts[at] ?? 0)) section--;
  const levels = before.depth - (sections[section]?.depth ?? before.depth);
  return Math.max(-MOST_LEVELS, Math.min(MOST_LEVELS, levels));
}

/** The scores of all lengths, of which logarithms would be a quarter of the work; not those of a giant maximum. */
function scoresOf(limits: PackLimits): Float64Array {
  const scores = new Float64Array(Math.min(limits.size, MOST_SCORES) + 1);
  for (let length = 0; length < scores.length; length++) scores[length] = score(length, false, limits);
  return scores;
}

const MOST_SCORES = 4096;

/** What the size of a chunk is worth: 0 at the target, less on either side. */
function score(length: number, alone: boolean, { target, min, advice }: PackLimits): number {
  const ratio = Math.log(Math.max(1, length) / target);
  const share = alone && length > target ? ALONE_SHARE : 1;
  const tinyLoss = advice === undefined ? TINY_LOSS : ADVISED_TINY_LOSS;
  return -SIZE_WEIGHT * share * ratio * ratio - (length < min ? tinyLoss : 0);
}

function lossAfter(flags: number): number {
  if ((flags & FLAG.leads) !== 0) return LEADS_LOSS;
  if ((flags & FLAG.introduces) !== 0) return INTRODUCES_LOSS;
  return (flags & FLAG.asks) !== 0 ? ASKS_LOSS : 0;
}

/**
 * What a chunk from one atom to another adds to the total, cohesion apart, the loss at its end included; less than all
 * else if too long.
 */
export function worthOf(
  { flags, contextOf, contexts, count, lengths }: Atoms,
  limits: PackLimits,
  gains: Float64Array,
  first: number,
  last: number,
): number {
  const own = (lengths.tails[last] ?? 0) - (lengths.heads[first] ?? 0);
  const length = own + (contexts[contextOf[first] ?? 0]?.length ?? 0);
  if (length > limits.size && first < last) return -Infinity;
  const loss = last === count - 1 ? 0 : lossAfter(flags[last] ?? 0);
  return (gains[first] ?? 0) + score(length, first === last, limits) - loss;
}

/** The chain of best choices, from the end of the document to its beginning, turned round. */
function firstsOf(from: Int32Array): Int32Array {
  let chunks = 0;
  for (let end = from.length - 1; end > 0; end = from[end] ?? 0) chunks++;
  const firsts = new Int32Array(chunks);
  for (let end = from.length - 1; end > 0; end = from[end] ?? 0) firsts[--chunks] = from[end] ?? 0;
  return firsts;
}
