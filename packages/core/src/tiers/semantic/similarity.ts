// The likeness of a document's pieces in the form that the packer takes. The likeness of a pair is its cosine and the
// words that it shares. A pair adds the logarithm of how much likelier its likeness is within a topic than across two,
// both taken for normal distributions of the same width. Both means come from the document itself: neighbours mostly
// share a topic, pieces far apart mostly do not. Only pairs within a band count, so time and memory are linear.
import type { Matrix } from '../../embed.ts';
import type { Cohesion } from '../../pack/pack.ts';
import { certaintyOf, type ChangeBefore, changesOf } from './changes.ts';
import { addSharedWords, vocabularyOf } from './vocabulary.ts';

/** Greatest distance of a pair, in atoms; a chunk has about as many sentences at most. */
const BAND = 32;
/** Pairs up to this distance count as neighbours. */
const NEIGHBOURS = 2;
/** Pairs up to this distance give the width of the distribution. */
const NEAR = 8;
/** Pairs from this distance on stand for two topics; in a short document half its length is enough. */
const FAR = 16;
/**
 * Share of the mean vector of a document that is subtracted from every vector: the common part of all pieces has no
 * information about topics.
 */
const COMMON_SHARE = 0.9;
/**
 * The cosine that counts for neither side, between the mean across topics (0) and the mean of neighbours (1). It is
 * below one half, because neighbours on two sides of a boundary lower the mean of neighbours.
 */
const MIDWAY = 0.4;
/**
 * Share of the pairs' summed evidence that is used, because the pairs of a chunk are not independent of one another.
 */
const TRUST = 0.5;
/** Pieces on either side of a boundary from which its drop is computed. */
const SIDE = 4;
/** Cosines with a variance below this count as equal: single precision resolves no more. */
const LEAST_VARIANCE = 1e-10;

/** The likeness of atoms near one another. */
export interface Likeness {
  readonly cohesion: Cohesion;
  /**
   * The drop in likeness at the gap before an atom, as `ChosenBoundary.drop`; undefined where there are too few pieces.
   */
  readonly dropBefore: (atom: number) => number | undefined;
  /** The certainty of the boundary before an atom, as `ChosenBoundary.certainty`; undefined unless it was requested. */
  readonly certaintyBefore?: (atom: number) => number;
  /** The same as the logarithm of the odds. */
  readonly changeBefore?: ChangeBefore;
}

/**
 * Computes the likeness of atoms.
 *
 * @param pieces the different pieces
 * @param matrix one row for each of them; the function changes it by subtracting the common part of the rows
 * @param rowOf for each atom the index of its row, or -1 for an atom without one, which is neither like nor unlike any
 * other
 * @param rates whether changes of topic are requested, which take a second array of pairs
 */
export function likenessOf(
  pieces: readonly string[],
  matrix: Matrix,
  rowOf: Int32Array,
  rates: boolean,
): Likeness {
  const count = rowOf.length;
  takeOffCommon(matrix);
  const cosine = (one: number, other: number): number => {
    const [a = -1, b = -1] = [rowOf[one], rowOf[other]];
    return a === -1 || b === -1 ? NaN : dot(matrix, a, b);
  };
  const band = Math.max(1, Math.min(BAND, count - 1));
  const sums = new Float32Array(count * band);
  for (let at = 0; at < count; at++)
    for (let step = 1; step <= band; step++)
      sums[at * band + step - 1] = at + step < count ? cosine(at, at + step) : NaN;
  const vocabulary = vocabularyOf(pieces);
  addSharedWords(sums, band, rowOf, vocabulary);
  const { middle, scale } = evidenceOf(sums, band, Math.min(FAR, Math.ceil(count / 2)));
  const changeBefore = rates
    ? changesOf({ band, sums: addedUp(sums.slice(), band, 0, 1) }, rowOf, vocabulary)
    : undefined;
  return {
    cohesion: { band, sums: addedUp(sums, band, middle, scale) },
    dropBefore: (atom) => dropBefore(atom, count, cosine),
    ...(changeBefore !== undefined && {
      changeBefore,
      certaintyBefore: (atom) => certaintyOf(changeBefore(atom)),
    }),
  };
}

/** Replaces, in each row of likenesses, each by `scale` times what all up to it are above `middle`. */
function addedUp(likenesses: Float32Array, band: number, middle: number, scale: number): Float32Array {
  for (let row = 0; row < likenesses.length; row += band) {
    let sum = 0;
    for (let at = row; at < row + band; at++) {
      const value = likenesses[at] ?? NaN;
      if (!Number.isNaN(value)) sum += scale * (value - middle);
      likenesses[at] = sum;
    }
  }
  return likenesses;
}

/** Subtracts a share of the mean of all rows from each. Rows have length 1 and the share is less, so none becomes 0. */
function takeOffCommon({ rows, dimensions }: Matrix): void {
  const mean = new Float64Array(dimensions);
  for (let at = 0, part = 0; at < rows.length; at++, part = part + 1 === dimensions ? 0 : part + 1)
    mean[part] = (mean[part] ?? 0) + (rows[at] ?? 0);
  const share = (COMMON_SHARE * dimensions) / rows.length;
  for (let start = 0; start < rows.length; start += dimensions) {
    let squares = 0;
    for (let part = 0; part < dimensions; part++) {
      const value = (rows[start + part] ?? 0) - share * (mean[part] ?? 0);
      rows[start + part] = value;
      squares += value * value;
    }
    const length = Math.sqrt(squares);
    for (let part = 0; part < dimensions; part++) rows[start + part] = (rows[start + part] ?? 0) / length;
  }
}

/**
 * Cosine of two rows, which have length 1. Four sums take less time than one, because none waits for another; this pays
 * for the words.
 */
function dot({ rows, dimensions }: Matrix, one: number, other: number): number {
  const [a, b] = [one * dimensions, other * dimensions];
  const fours = dimensions - (dimensions % 4);
  let [sum, second, third, fourth] = [0, 0, 0, 0];
  for (let at = 0; at < fours; at += 4) {
    sum += (rows[a + at] ?? 0) * (rows[b + at] ?? 0);
    second += (rows[a + at + 1] ?? 0) * (rows[b + at + 1] ?? 0);
    third += (rows[a + at + 2] ?? 0) * (rows[b + at + 2] ?? 0);
    fourth += (rows[a + at + 3] ?? 0) * (rows[b + at + 3] ?? 0);
  }
  for (let at = fours; at < dimensions; at++) sum += (rows[a + at] ?? 0) * (rows[b + at] ?? 0);
  return sum + second + third + fourth;
}

/**
 * The cosine that counts for neither side (`middle`), and the evidence of each unit of cosine above it (`scale`). The
 * scale is 0 when neighbours are no more alike than others: the text has a single topic, or the embedder sees none.
 */
function evidenceOf(cosines: Float32Array, band: number, far: number): { middle: number; scale: number } {
  const neighbours = meanOf(cosines, band, 1, NEIGHBOURS).mean;
  const others = meanOf(cosines, band, far, band).mean;
  const { variance } = meanOf(cosines, band, 1, NEAR);
  const apart = neighbours - others;
  if (!(apart > 0 && variance > LEAST_VARIANCE)) return { middle: 0, scale: 0 };
  return { middle: others + MIDWAY * apart, scale: (TRUST * apart) / variance };
}

/** Mean and variance of the cosines of pairs from `nearest` to `farthest` atoms apart. */
function meanOf(
  cosines: Float32Array,
  band: number,
  nearest: number,
  farthest: number,
): { mean: number; variance: number } {
  let [pairs, sum, squares] = [0, 0, 0];
  for (let row = 0; row < cosines.length; row += band) {
    for (let step = nearest; step <= Math.min(farthest, band); step++) {
      const value = cosines[row + step - 1] ?? NaN;
      if (Number.isNaN(value)) continue;
      pairs++;
      sum += value;
      squares += value * value;
    }
  }
  const mean = sum / pairs;
  return { mean, variance: squares / pairs - mean * mean };
}

function dropBefore(
  atom: number,
  count: number,
  cosine: (one: number, other: number) => number,
): number | undefined {
  const [first, end] = [Math.max(0, atom - SIDE), Math.min(count, atom + SIDE)];
  const same = { sum: 0, pairs: 0 };
  const opposite = { sum: 0, pairs: 0 };
  for (let one = first; one < end; one++) {
    for (let other = one + 1; other < end; other++) {
      const value = cosine(one, other);
      if (Number.isNaN(value)) continue;
      const side = one < atom && other >= atom ? opposite : same;
      side.sum += value;
      side.pairs++;
    }
  }
  if (same.pairs === 0 || opposite.pairs === 0) return undefined;
  return same.sum / same.pairs - opposite.sum / opposite.pairs;
}
