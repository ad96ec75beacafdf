// The units that a language model chooses among: the sentences, rows and pieces of code of a document, numbered. They
// follow from the document alone and not from the limits of the chunks, so that one answer serves all sizes. A heading,
// a table's header or an opening fence is one unit with the text behind it, because no chunk begins between the two.
import type { Document } from '../../document.ts';
import { FLAG, STRENGTH } from '../../pack/atoms.ts';
import { UTF16 } from '../../pack/measure.ts';
import { isSettledBoundary } from '../../unicode.ts';
import { partSentences } from '../semantic/sentences.ts';
import { layOut } from '../structure.ts';
import type { TextUnits } from './windows.ts';

/**
 * Longest unit, in UTF-16 units: pieces are laid out as for chunks of this size, so longer sentences go by clauses and
 * longer tables by rows.
 */
const PIECE = 600;

/** Numbers the units of a document. Linear in its text. */
export function unitsOf(document: Document): TextUnits {
  const { text } = document;
  // The overlap makes atoms of the sentences of short paragraphs too.
  const pieces = { size: PIECE, overlap: 1 };
  const laidOut = layOut(document, pieces, { size: PIECE, target: PIECE, min: 0 }, UTF16);
  const { starts: from, ends: to, strengths, flags, count } = partSentences(text, laidOut, PIECE, UTF16);
  const starts: number[] = [];
  const ends: number[] = [];
  const continues: boolean[] = [];
  for (let at = 0; at < count; at++) {
    const start = from[at] ?? 0;
    const keepsWithNext = at > 0 && ((flags[at - 1] ?? 0) & FLAG.keepWithNext) !== 0;
    const parts = (strengths[at] ?? 0) > STRENGTH.character && isSettledBoundary(text, start);
    if (at > 0 && (keepsWithNext || !parts)) {
      ends[ends.length - 1] = to[at] ?? 0;
    } else {
      starts.push(start);
      ends.push(to[at] ?? 0);
      continues.push((strengths[at] ?? 0) <= STRENGTH.sentence);
    }
  }
  return { starts, ends, continues };
}
