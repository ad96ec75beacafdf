// The proof of coverage: with a text and its chunks a client can check every law that ties them together, without
// trusting the service that cut them. It reads nothing but spans and texts, and is short enough for clients to write
// again in their own language.
import type { Span } from './document.ts';
import { issueUnless, assertNoIssues } from './errors.ts';

/** The input of {@link verify}: a Chunk, or a record of the format `raw` with its fields renamed. */
export interface SlicedText extends Span {
  readonly text: string;
  readonly overlap: number;
}

/** The result for chunks that cover their text: all the blank text between the chunks, in order. */
export interface Coverage {
  readonly covered: true;
  readonly gaps: readonly Span[];
}

/**
 * The first breach, and the law that it breaks:
 * - `order`: the chunk is empty, or starts or ends no later than the one before, or not at a whole number;
 * - `slice`: its text differs from the source between `start` and `end`;
 * - `overlap`: it repeats more or less of the chunk before than `overlap`;
 * - `gap`: text that is not blank stands between it and the chunk before;
 * - `tail`: text that is not blank stands behind the last chunk.
 */
export interface CoverageBreach {
  readonly covered: false;
  readonly law: 'order' | 'slice' | 'overlap' | 'gap' | 'tail';
  /** Index of the chunk at fault; for `tail`, the index of the missing chunk. */
  readonly chunk: number;
}

/**
 * Checks that the chunks together are the source, up to blank text: the ranges `[start + overlap, end)` of all chunks
 * and the blank gaps between them tile it. Linear; stops at the first breach.
 *
 * @param source the text that the offsets refer to, or the document that holds it
 * @throws ChunkError `invalid_options` when the arguments are no text and no list of chunks, as when they are swapped
 * @example
 * const verdict = verify(text, chunkSync(text));
 * if (!verdict.covered) throw new Error(`chunk ${verdict.chunk} breaks the law of ${verdict.law}`);
 */
export function verify(
  source: string | { readonly text: string },
  chunks: readonly SlicedText[],
): Coverage | CoverageBreach {
  const whole = typeof source === 'string' ? source : source.text;
  assertNoIssues([
    ...issueUnless(typeof whole === 'string', 'source', 'a text, or the document that holds it', source),
    ...issueUnless(Array.isArray(chunks), 'chunks', 'an array of chunks', chunks),
  ]);
  const gaps: Span[] = [];
  let last: Span = { start: -1, end: 0 };
  const blankTo = (start: number): boolean => {
    if (start > last.end) gaps.push({ start: last.end, end: start });
    return start <= last.end || whole.slice(last.end, start).trim() === '';
  };
  for (const [chunk, { text, start, end, overlap }] of chunks.entries()) {
    if (!(Number.isInteger(start) && start > last.start && end > Math.max(start, last.end)))
      return broken(chunk, 'order');
    if (text.length !== end - start || text !== whole.slice(start, end)) return broken(chunk, 'slice');
    if (overlap !== Math.max(0, last.end - start)) return broken(chunk, 'overlap');
    if (!blankTo(start)) return broken(chunk, 'gap');
    last = { start, end };
  }
  return blankTo(whole.length) ? { covered: true, gaps } : broken(chunks.length, 'tail');
}

const broken = (chunk: number, law: CoverageBreach['law']): CoverageBreach => ({
  covered: false,
  law,
  chunk,
});
