// How surely the topic changes at a gap. A few atoms at the edge of a topic are more like those behind them in the same
// topic than like those across the gap, on both sides; a block of whole topics is not needed for that, and topics of
// books are no blocks. Each scale takes an edge and its reach: short ones find the exact gap, long ones the topic. The
// words on both sides of the gap say as much again (word-changes.ts).
import { STRENGTH, type Atoms, FLAG } from '../../pack/atoms.ts';
import { addedBy, type Cohesion } from '../../pack/pack.ts';
import { type PieceWords, WORDS_WEIGHT } from './vocabulary.ts';
import { wordChangesOf } from './word-changes.ts';

/**
 * Atoms at the edge, atoms that they are compared with on either side, and the weight of the difference. The weights,
 * and `PRIOR`, come from a logistic regression on joined sections of books: the sum is the logarithm of the odds.
 */
const SCALES = [
  { edge: 1, reach: 6, weight: 3.1 },
  { edge: 3, reach: 20, weight: 1.3 },
] as const;
/** Atoms in the windows of words on either side, and the weight of the logarithm of their likelihoods' ratio. */
const WORD_SCALES = [
  { reach: 4, weight: 0.037 },
  { reach: 16, weight: 0.0075 },
  { reach: 48, weight: 0.004 },
] as const;
/** The logarithm of the odds that an author begins a topic at a gap about which nothing is known, negated. */
const PRIOR = 3.4;
/** Boundaries with a change above this are the certain ones: a third of those just above it are true. */
const LEAST_CHANGE = -1;
/** A certain boundary has no surer one so near: the change is high at the gaps beside a boundary, too. */
const APART = 3;
/** A change that a heading adds. */
const HEADING_CHANGE = 1;
/** No topic begins inside a paragraph of fewer atoms than this, if there are other paragraphs. */
const LONG_PARAGRAPH = 40;
/** Likeness of an atom to itself. */
const SELF = 1 + WORDS_WEIGHT;

/** The logarithm of the odds that the topic changes before an atom. */
export type ChangeBefore = (atom: number) => number;

/**
 * @param likeness for each atom the sums of its likenesses with the next atoms
 * @param rowOf for each atom the index of its piece, or -1
 */
export function changesOf(likeness: Cohesion, rowOf: Int32Array, vocabulary: PieceWords): ChangeBefore {
  const count = rowOf.length;
  const wordChanges = WORD_SCALES.map(({ reach, weight }) => ({
    weight,
    changes: wordChangesOf(vocabulary, rowOf, reach),
  }));
  /** The sum over pairs of one atom in `[from, middle)` and one in `[middle, end)`. */
  const between = (from: number, middle: number, end: number): number => {
    let sum = 0;
    for (let at = from; at < middle; at++)
      sum += addedBy(likeness, at, end - 1) - addedBy(likeness, at, middle - 1);
    return sum;
  };
  const within = (from: number, end: number): number => {
    let sum = 0;
    for (let at = from; at < end; at++) sum += SELF + 2 * addedBy(likeness, at, end - 1);
    return sum;
  };
  /** The cosine of the sums of two neighbouring runs of atoms. */
  const cosine = (from: number, middle: number, end: number): number => {
    const [first, last] = [Math.max(0, from), Math.min(count, end)];
    if (first >= middle || middle >= last) return 0;
    const squares = within(first, middle) * within(middle, last);
    return squares > 0 ? between(first, middle, last) / Math.sqrt(squares) : 0;
  };
  return (atom) => {
    let change = -PRIOR;
    for (const { edge, reach, weight } of SCALES) {
      const after = cosine(atom, atom + edge, atom + edge + reach) - cosine(atom - reach, atom, atom + edge);
      const before = cosine(atom - edge - reach, atom - edge, atom) - cosine(atom - edge, atom, atom + reach);
      change += weight * (after + before);
    }
    for (const { weight, changes } of wordChanges) change += weight * (changes[atom] ?? 0);
    return change;
  };
}

/** A change as a share of boundaries that are true. */
export function certaintyOf(change: number): number {
  return 1 / (1 + Math.exp(-change));
}

/**
 * Makes a chunk begin where the topic surely changes. Linear.
 *
 * @param least changes above this are sure
 */
export function startTopics(atoms: Atoms, changeBefore: ChangeBefore, least = LEAST_CHANGE): void {
  const { count, flags } = atoms;
  const changes = Float64Array.from({ length: count }, (_, atom) =>
    atom === 0 ? -Infinity : changeBefore(atom),
  );
  addStructure(changes, atoms);
  for (let atom = 1; atom < count; atom++) {
    const change = changes[atom] ?? 0;
    if (change <= least) continue;
    const [first, end] = [Math.max(0, atom - APART), Math.min(count, atom + APART + 1)];
    const isHighest =
      changes.subarray(first, atom).every((other) => other <= change) &&
      changes.subarray(atom + 1, end).every((other) => other < change);
    if (isHighest) flags[atom] = (flags[atom] ?? 0) | FLAG.startsChunk;
  }
}

/** Adds the author's own structure to the changes. */
function addStructure(changes: Float64Array, { count, flags, strengths }: Atoms): void {
  const keeps = FLAG.keepWithNext | FLAG.introduces;
  for (let first = 0, end = 1; first < count; first = end++) {
    while (end < count && (strengths[end] ?? 0) < STRENGTH.line) end++;
    if (strengths[first] === STRENGTH.heading) changes[first] = (changes[first] ?? 0) + HEADING_CHANGE;
    if (end - first < LONG_PARAGRAPH && end - first < count) changes.fill(-Infinity, first + 1, end);
  }
  for (let atom = 1; atom < count; atom++)
    if (((flags[atom - 1] ?? 0) & keeps) !== 0) changes[atom] = -Infinity;
}
