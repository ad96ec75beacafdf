// The tier `semantic`: atoms as `structure` lays them out, cut where the topic changes. An embedder says how alike two
// pieces are; the packer weighs that against the strength of the gaps and, lightly, the size of the chunks. Tables and code are not embedded: likeness of numbers is noise, and their structure is known.
import type { Cut } from '../cut.ts';
import type { Document } from '../document.ts';
import { EMBED_OPTIONS, embedAll, embedFaults, type EmbedOptions, type Run } from '../embed.ts';
import { faultUnless } from '../errors.ts';
import type { Atoms } from '../pack/atoms.ts';
import { cutsOf } from '../pack/cuts.ts';
import { measureOf } from '../pack/measure.ts';
import { packLimits } from '../pack/options.ts';
import { pack } from '../pack/pack.ts';
import { partSentences } from './semantic/sentences.ts';
import { type Likeness, likenessOf } from './semantic/similarity.ts';
import { layOut, STRUCTURE, type StructureOptions } from './structure.ts';
import type { WaitingTier } from './tier.ts';

/** Options of the tier `semantic`. */
export interface SemanticOptions extends StructureOptions, EmbedOptions {
  /** Chunks come with their vectors. Default false. */
  readonly embeddings?: boolean;
}

/** Fewer pieces than this have no pairs to compare. */
const LEAST_PIECES = 3;
/** A shorter piece, in UTF-16 units, says nothing of topics; and a list of a million of them would fill the memory. */
const SHORTEST_PIECE = 8;

/** The tier `semantic`. */
export const SEMANTIC: WaitingTier<SemanticOptions> = {
  id: 'semantic',
  summary: 'As structure, cut where the topic changes, as an embedder sees it.',
  options: [...STRUCTURE.options, ...EMBED_OPTIONS, 'embeddings'],
  check: (options) => [
    ...STRUCTURE.check(options),
    ...embedFaults(options),
    ...faultUnless(
      [true, false, undefined].includes(options['embeddings'] as boolean | undefined),
      'embeddings',
      'true or false',
      options['embeddings'],
    ),
  ],
  async cutLater(document: Document, options: SemanticOptions, run: Run): Promise<Cut[]> {
    const measure = measureOf(document.text, options.measure);
    const limits = packLimits(options);
    const laidOut = layOut(document, options, limits, measure);
    const atoms = partSentences(document.text, laidOut, limits.size, measure);
    const likeness = await embedAtoms(document.text, atoms, options, run);
    if (likeness === undefined) return cutsOf(laidOut, pack(laidOut, limits), options, limits, measure);
    const packed = { ...limits, cohesion: likeness.cohesion };
    return cutsOf(atoms, pack(atoms, packed), options, packed, measure, likeness.dropBefore);
  },
};

/** How alike the atoms are; undefined when there are too few that can be embedded. Equal ones are embedded once. */
async function embedAtoms(
  text: string,
  atoms: Atoms,
  options: SemanticOptions,
  run: Run,
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
  const matrix = await embedAll([...rows.keys()], options, run);
  return likenessOf(matrix, rowOf);
}

/** A piece as it is embedded: its words with one space between, so that pieces which differ in their blanks alone are one. */
function plain(piece: string): string {
  return /[^\S ]|\s\s/.test(piece) ? piece.replaceAll(/\s+/g, ' ').trim() : piece;
}
