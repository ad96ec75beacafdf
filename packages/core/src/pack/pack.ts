// The packer: chooses the gaps between atoms at which a document is cut, so that the sum of all chunks' scores is the
// greatest of all ways to cut it. Every structural tier ends here; they differ in the atoms that they bring. It stands
// between a tier's atoms and cuts.ts.
//
// A chunk scores by how near its size is to the target and by the gap that it begins at; it loses when it is tiny or
// ends on a block that introduces the next one. This is a dynamic program over the atoms (research: "SD", a structural
// dynamic program): the best sum up to an atom follows from the best sums up to the atoms before it. Time is the number
// of atoms times the number of atoms in a chunk, which the class Atoms bounds; memory is 20 bytes an atom. A tier that
// also knows how alike atoms are brings their cohesion.
import { type Atoms, FLAG, STRENGTH } from './atoms.ts';

/** The goals of the packer, in the unit of its measure. */
export interface PackLimits {
  /** The longest a chunk may be, its context included. */
  readonly size: number;
  /** The length that scores best, without context, so that rows do not stand alone below a long header. */
  readonly target: number;
  /** A chunk shorter than this loses, so that it is made only where its neighbours are full. */
  readonly min: number;
  /** The likeness of the atoms, in tiers with an embedder. */
  readonly cohesion?: Cohesion;
  /**
   * Advice about the gap before each atom, in tiers with a language model: 1 to cut there, -1 to keep both sides
   * together, 0 for none. The maximum and the minimum take precedence.
   */
  readonly advice?: Int8Array;
  /** Loss of each boundary, at whatever gap. With it no length scores better than another. */
  readonly boundaryLoss?: number;
}

/** The score that each pair of neighbouring atoms adds to a chunk with both: more than 0 if they are alike. */
export interface Cohesion {
  /** Pairs further apart than this add nothing. */
  readonly band: number;
  /** For each atom `band` sums: the score that it adds together with the next atom, with the next two, and so on. */
  readonly sums: Float32Array;
}

/** A chunk loses this times (ln(length / target))². */
const SIZE_WEIGHT = 0.5;
/** Share of that loss for a single atom that is longer than the target, since no cut could avoid it. */
const ALONE_SHARE = 0.2;
/** Loss of a chunk shorter than the minimum. */
const TINY_LOSS = 1;
/** Gain of a chunk that begins where a cut is advised: more than its size or the other gaps can outweigh. */
const ADVISED_GAIN = 12;
/** Loss of a chunk that begins where keeping together is advised. */
const KEPT_LOSS = 6;
/** Loss of a chunk shorter than the minimum when there is advice: more than any advice can outweigh. */
const ADVISED_TINY_LOSS = 30;
/** Gain of a chunk by the strength of the gap that it begins at, from `character` (0) to `heading` (6). */
const GAIN = [-1, -0.6, -0.5, 0, 0.25, 0.5, 1] as const;
/**
 * Gain of a chunk that begins with a heading, for each level that the heading steps out of the section before it, and
 * loss for each level that it steps in, up to `MOST_LEVELS`. Short sections of one chapter are thus joined with one
 * another rather than the last of them with the first section of the next chapter.
 */
const LEVEL_GAIN = 0.1;
const MOST_LEVELS = 2;
/**
 * A gap between two paragraphs, or two lines, has its whole gain where both together are as long as so many targets,
 * and less in proportion where they are shorter; not in code. With the whole gain everywhere, chunks of short
 * paragraphs were two thirds as long as those of long ones.
 */
const FULL_GAIN_TARGETS = 2;
/**
 * Loss of a chunk that begins inside a section that fits into a chunk and is no longer than `LONGEST_SECTION_TARGETS`
 * targets: more than two chunks of half its length gain by their size.
 */
const SECTION_LOSS = 0.25;
const LONGEST_SECTION_TARGETS = 2;
/**
 * Range of a pseudo-random gain of gaps in long runs, that is in text that goes on for more than `LONG_RUN` targets
 * without the end of a line. All gaps are alike there, and an edit would move every cut behind it for up to a hundred
 * chunks; with this the cuts are the same again a few chunks later.
 */
const UNEVENNESS = 0.3;
const LONG_RUN = 8;
/** Gain of a gap by its advice, from -1 to 1. */
const ADVISED = [-KEPT_LOSS, 0, ADVISED_GAIN] as const;
/** Loss of a chunk that ends on a heading: more than anything else can outweigh. */
const KEEP_WITH_NEXT_LOSS = 1000;
/** Loss of a chunk that ends on a lead-in. */
const INTRODUCES_LOSS = 4;
/** Loss of a chunk that ends on a question or the like: less than that of a cut inside the paragraph behind it. */
const WEAKLY_INTRODUCES_LOSS = 0.4;
/** Most atoms in a chunk, which keeps the time linear even with a counter that finds next to nothing in each atom. */
const MOST_ATOMS = 4096;

/**
 * Returns the index of the first atom of each chunk, ascending. No chunk is longer than `limits.size` unless it is a
 * single atom. Deterministic; of two equal sums the sum with the later cut wins.
 */
export function pack(atoms: Atoms, limits: PackLimits): Int32Array {
  return firstsOf(bestFirsts(atoms, limits));
}

/** For each atom, the first atom of the best chunk that ends with that atom. */
function bestFirsts(atoms: Atoms, limits: PackLimits): Int32Array {
  const { flags, count, lengths } = atoms;
  const { size, target, cohesion } = limits;
  const { heads, tails } = lengths;
  const reaches = reachesOf(atoms);
  const scores = sizeScores(limits);
  const gains = gainsOf(atoms, limits);
  /** For each atom: the score of the best chunks before it, plus the gain of the gap before it. */
  const sums = new Float64Array(count);
  const from = new Int32Array(count + 1);
  let best = 0;
  /** The last atom that a chunk must begin with. */
  let least = 0;
  for (let last = 0; last < count; last++) {
    const flag = flags[last] ?? 0;
    const tail = tails[last] ?? 0;
    sums[last] = best + (gains[last] ?? 0);
    if ((flag & FLAG.startsChunk) !== 0) least = last;
    let first = last;
    const alone = tail - (heads[last] ?? 0);
    let top =
      (sums[last] ?? 0) + ((alone <= target ? scores[alone] : undefined) ?? sizeScore(alone, true, limits));
    const end = Math.max(least, last + 1 - MOST_ATOMS);
    let together = 0;
    for (let at = last - 1; at >= end && tail - (heads[at] ?? 0) <= size; at--) {
      const length = tail - (heads[at] ?? 0);
      if (cohesion !== undefined) together += addedBy(cohesion, at, last);
      if (tail - (reaches[at] ?? 0) > size) continue;
      const total = (sums[at] ?? 0) + (scores[length] ?? sizeScore(length, false, limits)) + together;
      if (total > top) {
        top = total;
        first = at;
      }
    }
    best = top - lossAfter(flag);
    from[last + 1] = first;
  }
  return from;
}

/** The score that the atom `at` adds to a chunk from `at` to the atom `last`. */
export function addedBy({ band, sums }: Cohesion, at: number, last: number): number {
  const distance = last - at < band ? last - at : band;
  return distance === 0 ? 0 : (sums[at * band + distance - 1] ?? 0);
}

/**
 * For each atom its head minus the length of its context, so that `tail - reach` is the length of a chunk with context.
 */
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
 * The gain of the gap before each atom. In a long run a pseudo-random part is added, computed from the lengths of the
 * four atoms before the gap, so that it stays the same when the text is edited elsewhere.
 */
export function gainsOf(atoms: Atoms, limits: PackLimits): Float64Array {
  const { starts, ends, strengths, count, sections } = atoms;
  const { target, advice, boundaryLoss } = limits;
  const { heads } = atoms.lengths;
  const gains = new Float64Array(count);
  let run = 0;
  let hash = 0;
  for (let at = 0; at < count; at++) {
    const head = heads[at] ?? 0;
    const strength = strengths[at] ?? 0;
    if (strength > STRENGTH.sentence) run = head;
    const chance = head - run > LONG_RUN * target ? hash / 2 ** 32 : 0;
    gains[at] = (GAIN[strength] ?? 0) + UNEVENNESS * chance - (boundaryLoss ?? 0);
    if (strength === STRENGTH.heading && sections.length > 1)
      gains[at] = (gains[at] ?? 0) + LEVEL_GAIN * levelsOut(atoms, at);
    // Each atom shifts the earlier ones further up, so that only the last four count. The factor is 2³² over the golden
    // ratio.
    hash = Math.imul((hash << 8) ^ ((ends[at] ?? 0) - (starts[at] ?? 0)), 0x9e3779b1);
  }
  if (boundaryLoss === undefined) {
    scaleGaps(gains, atoms, STRENGTH.line, FULL_GAIN_TARGETS * target);
    scaleGaps(gains, atoms, STRENGTH.paragraph, FULL_GAIN_TARGETS * target);
    keepSections(gains, atoms, limits);
  }
  if (advice !== undefined)
    for (let at = 0; at < count; at++) gains[at] = (gains[at] ?? 0) + (ADVISED[(advice[at] ?? 0) + 1] ?? 0);
  return gains;
}

/**
 * Scales the gain of each gap of one strength by the text beside it, between the nearest gaps that are as strong.
 * Linear.
 */
function scaleGaps(
  gains: Float64Array,
  { strengths, count, lengths, kinds, kindOf }: Atoms,
  strength: 4 | 5,
  full: number,
): void {
  const { heads, tails } = lengths;
  const code = kinds.indexOf('code');
  let [before, gap] = [0, 0];
  for (let at = 1; at <= count; at++) {
    if (at < count && (strengths[at] ?? 0) < strength) continue;
    if (gap > 0 && strengths[gap] === strength && kindOf[gap] !== code) {
      const share = ((tails[at - 1] ?? 0) - (heads[before] ?? 0)) / full;
      if (share < 1) gains[gap] = (gains[gap] ?? 0) - GAIN[strength] * (1 - share);
    }
    [before, gap] = [gap, at];
  }
}

/**
 * Turns the gains of the gaps in a section that fits into a chunk into losses; a section here reaches from one heading
 * to the next of any depth. Linear.
 */
function keepSections(
  gains: Float64Array,
  { strengths, count, lengths }: Atoms,
  { size, target }: PackLimits,
): void {
  const { heads, tails } = lengths;
  const longest = Math.min(size, LONGEST_SECTION_TARGETS * target);
  let section = 0;
  for (let at = 1; at <= count; at++) {
    if (at < count && strengths[at] !== STRENGTH.heading) continue;
    const isSection = at < count || strengths[section] === STRENGTH.heading;
    if (isSection && (tails[at - 1] ?? 0) - (heads[section] ?? 0) <= longest)
      for (let inner = section + 1; inner < at; inner++)
        gains[inner] = Math.min(gains[inner] ?? 0, -SECTION_LOSS);
    section = at;
  }
}

/** Number of levels of a heading above the section of the atom before it; negative when the heading is below. */
function levelsOut({ starts, sections, sectionOf }: Atoms, at: number): number {
  const before = at > 0 ? sections[sectionOf[at - 1] ?? 0] : undefined;
  if (before === undefined) return 0;
  let section = sectionOf[at] ?? 0;
  // Short headings that follow one another are joined to one atom, which has the section of the last; the first counts
  // here.
  while ((sections[section - 1]?.start ?? -1) >= (starts[at] ?? 0)) section--;
  const levels = before.depth - (sections[section]?.depth ?? before.depth);
  return Math.max(-MOST_LEVELS, Math.min(MOST_LEVELS, levels));
}

/**
 * The scores of all lengths in a table, because logarithms would be a quarter of the work; not of all when the maximum
 * is huge.
 */
function sizeScores(limits: PackLimits): Float64Array {
  const scores = new Float64Array(Math.min(limits.size, MOST_SCORES) + 1);
  for (let length = 0; length < scores.length; length++) scores[length] = sizeScore(length, false, limits);
  return scores;
}

const MOST_SCORES = 4096;

/** The part of a chunk's score that depends on its size: 0 at the target, less on either side. */
function sizeScore(
  length: number,
  alone: boolean,
  { target, min, advice, boundaryLoss }: PackLimits,
): number {
  const ratio = boundaryLoss === undefined ? Math.log(Math.max(1, length) / target) : 0;
  const share = alone && length > target ? ALONE_SHARE : 1;
  const tinyLoss = advice === undefined ? TINY_LOSS : ADVISED_TINY_LOSS;
  return -SIZE_WEIGHT * share * ratio * ratio - (length < min ? tinyLoss : 0);
}

function lossAfter(flags: number): number {
  if ((flags & FLAG.keepWithNext) !== 0) return KEEP_WITH_NEXT_LOSS;
  if ((flags & FLAG.introduces) !== 0) return INTRODUCES_LOSS;
  return (flags & FLAG.weaklyIntroduces) !== 0 ? WEAKLY_INTRODUCES_LOSS : 0;
}

/**
 * The score of the chunk from the atom `first` to the atom `last`, with the loss at its end but without cohesion;
 * -Infinity when the chunk is too long.
 */
export function chunkScore(
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
  return (gains[first] ?? 0) + sizeScore(own, first === last, limits) - loss;
}

/** Follows the best choices from the end of the document to its beginning and returns them in ascending order. */
function firstsOf(from: Int32Array): Int32Array {
  let chunks = 0;
  for (let end = from.length - 1; end > 0; end = from[end] ?? 0) chunks++;
  const firsts = new Int32Array(chunks);
  for (let end = from.length - 1; end > 0; end = from[end] ?? 0) firsts[--chunks] = from[end] ?? 0;
  return firsts;
}
