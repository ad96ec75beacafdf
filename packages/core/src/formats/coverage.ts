// The proof of completeness beside the records of a document: the hash of the text that the offsets refer to, its
// length, and the blanks between the chunks.
import type { Chunk } from '../chunk.ts';
import { ChunkError } from '../errors.ts';
import { verify } from '../verify.ts';
import { hex, sha256 } from './digest.ts';
import { storable } from './identify.ts';

/**
 * Describes the text of a document without containing it: the gaps and the chunks (each without its overlap), in turn
 * from the first gap to the last, put together are the whole text.
 */
export interface SourceCoverage {
  /** SHA-256 of the text's UTF-8 bytes in lower-case hexadecimal; U+0000 counts as U+FFFD, as in records. */
  readonly sha256: string;
  /** Length of the text in UTF-16 units. */
  readonly characters: number;
  /**
   * The blank text before each chunk, and last the blank text behind the last chunk: one entry more than there are
   * chunks, empty where two chunks touch.
   */
  readonly gaps: readonly string[];
}

/**
 * Describes the source text of chunks, as `source` does in an answer of the service. Verifies first that the chunks
 * cover it. Linear.
 *
 * @param source the text or document that the chunks were cut from
 * @throws ChunkError `not_covered` when the chunks do not cover this text, with the finding of {@link verify} in its
 * message
 * @example
 * const source = coverageOf(text, chunks);
 * const own = chunks.map((chunk, index) => source.gaps[index] + chunk.text.slice(chunk.overlap));
 * own.join('') + source.gaps.at(-1) === text; // true
 */
export function coverageOf(
  source: string | { readonly text: string },
  chunks: readonly Chunk[],
): SourceCoverage {
  const text = typeof source === 'string' ? source : source.text;
  const verdict = verify(text, chunks);
  if (!verdict.covered) {
    const message = `The chunks do not cover the text: chunk ${verdict.chunk} breaks the law of ${verdict.law}.`;
    throw new ChunkError('not_covered', message);
  }
  const starts = [...chunks.map(({ start }) => start), text.length];
  return {
    sha256: hex(sha256(storable(text))),
    characters: text.length,
    gaps: starts.map((start, index) => text.slice(chunks[index - 1]?.end ?? 0, start)),
  };
}
