// Explains the choice of a boundary: the blocks beside its gap, and the next best gap. Only readers of the result use
// this; no decision depends on it.
import type { Boundary, BoundaryReason, ChosenBoundary } from '../cut.ts';
import { type Atoms, FLAG, STRENGTH } from './atoms.ts';
import { addedBy, chunkScore, type Cohesion, type PackLimits } from './pack.ts';

/** The reason for each strength. */
const REASONS: readonly BoundaryReason[] = [
  'character',
  'word',
  'clause',
  'sentence',
  'line',
  'paragraph',
  'heading',
];

/**
 * Describes the boundary before the atom `first`, between the chunk that begins at `previous` and the chunk that ends
 * before `next`. Takes time in proportion to the atoms of both chunks.
 *
 * @param limits the limits that the packer had
 * @param gains the gains of all gaps, as the packer counted them
 */
export function boundaryBefore(
  atoms: Atoms,
  limits: PackLimits,
  gains: Float64Array,
  previous: number,
  first: number,
  next: number,
): ChosenBoundary {
  const chosen = describe(atoms, first);
  if (((atoms.flags[first] ?? 0) & FLAG.startsChunk) !== 0) return chosen;
  const together = togetherAt(limits.cohesion, previous, next);
  const totalAt = (at: number): number =>
    chunkScore(atoms, limits, gains, previous, at - 1) +
    chunkScore(atoms, limits, gains, at, next - 1) +
    (together[at - previous] ?? 0);
  let best = first;
  let top = -Infinity;
  for (let at = previous + 1; at < next; at++) {
    const total = at === first ? -Infinity : totalAt(at);
    if (total > top) [top, best] = [total, at];
  }
  const margin = totalAt(first) - top;
  // With a counter whose counts do not add up, the cut may make a chunk that the packer would never choose.
  if (best === first || margin === -Infinity) return chosen;
  return { ...chosen, runnerUp: { ...describe(atoms, best), margin } };
}

/** For each gap from `previous` to `next`: how much cohesion the atoms on either side add to their two chunks. */
function togetherAt(cohesion: Cohesion | undefined, previous: number, next: number): Float64Array {
  const both = new Float64Array(next - previous);
  if (cohesion === undefined) return both;
  const { band } = cohesion;
  for (let at = next - 1, behind = 0; at > previous; at--) {
    behind += addedBy(cohesion, at, next - 1);
    both[at - previous] = behind;
  }
  for (let at = previous + 1, before = 0; at < next; at++) {
    both[at - previous] = (both[at - previous] ?? 0) + before;
    for (let one = Math.max(previous, at - band); one < at; one++)
      before += addedBy(cohesion, one, at) - addedBy(cohesion, one, at - 1);
  }
  return both;
}

function describe(atoms: Atoms, at: number): Boundary {
  return { at: atoms.starts[at] ?? 0, strength: atoms.strengths[at] ?? 0, reason: reasonOf(atoms, at) };
}

function reasonOf({ strengths, kinds, kindOf }: Atoms, at: number): BoundaryReason {
  const strength = strengths[at] ?? 0;
  const kind = kindOf[at] === kindOf[at - 1] ? kinds[kindOf[at] ?? 0] : undefined;
  if (strength >= STRENGTH.clause && strength <= STRENGTH.paragraph) {
    if (kind === 'table') return strength === STRENGTH.clause ? 'table-cell' : 'table-row';
    if (kind === 'code') return strength >= STRENGTH.line ? 'code-block' : 'code-line';
  }
  return REASONS[strength] ?? 'character';
}
