// The tier `semantic`: atoms as `structure` lays them out, cut where the topic changes. An embedder measures the
// likeness of two pieces; the packer weighs it against the strength of the gaps and, lightly, the size of the chunks.
// Tables and code are not embedded: the likeness of numbers is noise, and their structure is known.
import type { Cut } from '../cut.ts';
import type { Document } from '../document.ts';
import { type CohesionGain, embedAll, type EmbedRun } from '../embed.ts';
import type { Atoms } from '../pack/atoms.ts';
import { cutsOf } from '../pack/cuts.ts';
import { measureOf } from '../pack/measure.ts';
import { packLimits } from '../pack/options.ts';
import { pack } from '../pack/pack.ts';
import { startTopics } from './semantic/changes.ts';
import { partSentences } from './semantic/sentences.ts';
import { type Likeness, likenessOf } from './semantic/similarity.ts';
import { type SemanticOptions, TIERS } from './registry.ts';
import { layOut } from './structure.ts';
import type { AsyncTier } from './tier.ts';

/** With fewer pieces than this there are no pairs to compare. */
const LEAST_PIECES = 3;
/**
 * A piece shorter than this, in UTF-16 units, is not embedded: it has no topic, and a list of a million such pieces
 * would fill the memory.
 */
const SHORTEST_PIECE = 8;

/**
 * Loss of a boundary beyond the certain ones: a topic that is longer than the maximum is cut as rarely as possible,
 * where its parts are least alike.
 */
const EXTRA_LOSS = 100;

/** The tier `semantic`. */
export const SEMANTIC: AsyncTier<SemanticOptions> = {
  ...TIERS.semantic,
  async cutAsync(document: Document, options: SemanticOptions, run: EmbedRun): Promise<Cut[]> {
    const measure = measureOf(document.text, options.measure);
    const isCertain = options.topics === 'certain';
    const limits = packLimits(options);
    const laidOut = layOut(document, options, limits, measure);
    const atoms = partSentences(document.text, laidOut, limits.size, measure);
    const likeness = await embedAtoms(document.text, atoms, options, run);
    if (likeness === undefined) return cutsOf(laidOut, pack(laidOut, limits), options, limits, measure);
    const packed = {
      ...limits,
      cohesion: likeness.cohesion,
      ...(isCertain && { boundaryLoss: EXTRA_LOSS }),
    };
    if (isCertain && likeness.changeBefore !== undefined) startTopics(atoms, likeness.changeBefore);
    const chosen = pack(atoms, packed);
    if (run.onCohesion !== undefined) {
      const gain = gainOf(likeness, chosen, sameStarts(atoms, laidOut, pack(laidOut, limits)));
      if (gain !== undefined) run.onCohesion(gain);
    }
    return cutsOf(atoms, chosen, options, packed, measure, likeness);
  },
};

/**
 * The extra drop in likeness at the boundaries `firsts` over those of `structure`; undefined unless both have
 * boundaries with a known drop.
 */
function gainOf(
  { dropBefore }: Likeness,
  chosen: Int32Array,
  structural: Int32Array,
): CohesionGain | undefined {
  const meanDrop = (firsts: Int32Array): number => {
    // Left out: the first chunk begins at no boundary.
    const drops = Array.from(firsts.subarray(1), dropBefore).filter((drop) => drop !== undefined);
    return rounded(drops.reduce((sum, drop) => sum + drop, 0) / drops.length);
  };
  const [semantic, structure] = [meanDrop(chosen), meanDrop(structural)];
  const gain = rounded(semantic - structure);
  return Number.isNaN(gain) ? undefined : { semantic, structure, gain };
}

/** Rounds to 4 decimals; further digits are noise. */
function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

/** Indexes of the fine atoms that start where the given coarse atoms do. Both lists are in the order of the text. */
function sameStarts(fine: Atoms, coarse: Atoms, firsts: Int32Array): Int32Array {
  let at = 0;
  return firsts.map((first) => {
    while (at < fine.count && (fine.starts[at] ?? 0) < (coarse.starts[first] ?? 0)) at++;
    return at;
  });
}

/**
 * The likeness of the atoms; undefined when too few of them can be embedded. Pieces that differ in blanks or numbers
 * alone are embedded once.
 */
export async function embedAtoms(
  text: string,
  atoms: Atoms,
  options: SemanticOptions,
  run: EmbedRun,
): Promise<Likeness | undefined> {
  const { starts, ends, kinds, kindOf, count } = atoms;
  const rowOf = new Int32Array(count).fill(-1);
  const rows = new Map<string, number>();
  let pieces = 0;
  for (let at = 0; at < count; at++) {
    const kind = kinds[kindOf[at] ?? 0];
    if (kind === 'table' || kind === 'code') continue;
    const piece = plain(text.slice(starts[at], ends[at]));
    if (piece.length < SHORTEST_PIECE) continue;
    pieces++;
    const row = rows.get(piece) ?? rows.size;
    rows.set(piece, row);
    rowOf[at] = row;
  }
  if (pieces < LEAST_PIECES || rows.size < 2) return undefined;
  const distinct = [...rows.keys()];
  const matrix = await embedAll(distinct, options, run);
  return likenessOf(distinct, matrix, rowOf, options.topics === 'certain' || options.boundaries === true);
}

/**
 * The text of a piece for embedding: its words with single spaces between, and 0 for each number. Counters, times and
 * page numbers that lie close together look alike, and made ten numbered lines a topic.
 */
function plain(piece: string): string {
  return /[^\S ]|\s\s|\d/.test(piece) ? piece.replaceAll(/\s+/g, ' ').replaceAll(/\d+/g, '0').trim() : piece;
}
