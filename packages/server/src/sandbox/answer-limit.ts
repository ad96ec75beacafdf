// MAX_ANSWER_BYTES: the size of an answer, computed before its vectors and its records are made.
import type { Chunk, Document, Embed, Progress } from '@grainline/core';
import { boundRecordBytes, type FormatId, VECTOR_NUMBER_BYTES } from '@grainline/core/formats';
import { WorkError } from './task.ts';

/** Bounds the answer to one document. */
export interface AnswerLimit {
  /** The embedder; the limit learns the length of its vectors. */
  readonly watchEmbedder: (embed: Embed) => Embed;
  /**
   * Counts the vectors of the chunks and the text before a batch of chunks is embedded. The length of a vector is
   * unknown in the first batch of a tier that does not cut by vectors.
   *
   * @throws WorkError `answer_too_large`
   */
  readonly onProgress: (progress: Progress) => void;
  /**
   * Counts all parts of the answer that grow with the document.
   *
   * @throws WorkError `answer_too_large`
   */
  readonly assertWithin: (
    chunks: readonly Chunk[],
    format: FormatId,
    records: Parameters<typeof boundRecordBytes>[2],
  ) => void;
}

/** Longest escape of one UTF-16 unit in JSON: `\u000b`. */
const ESCAPE_BYTES = 6;
/** JSON of an empty text with its comma. */
const EMPTY_TEXT_BYTES = 3;

/** @param maxBytes bytes of the JSON */
export function createAnswerLimit(maxBytes: number, { text }: Pick<Document, 'text'>): AnswerLimit {
  const textBytes = Buffer.byteLength(text);
  let dimensions = 0;
  let isCut = false;

  function assertBytes(bytes: number, chunks: number, hasVectors: boolean): void {
    if (bytes <= maxBytes) return;
    const vectors = hasVectors ? ' with vectors' : '';
    const waysOut = `Choose a larger chunk_size,${hasVectors ? ' leave out embeddings,' : ''} or send the document in parts.`;
    throw new WorkError(
      'answer_too_large',
      `The answer would have up to ${bytes} bytes in ${chunks} chunks${vectors}; at most ${maxBytes} are allowed. ${waysOut} The operator sets the limit: MAX_ANSWER_BYTES.`,
      { limit: { max_answer_bytes: maxBytes, answer_bytes: bytes } },
    );
  }

  return {
    watchEmbedder: (embed) => async (texts, run) => {
      const answer = await embed(texts, run);
      dimensions = answer.dimensions;
      return answer;
    },
    onProgress({ stage, total }) {
      isCut ||= stage === 'cut';
      // Tiers also embed before they cut.
      if (!isCut || stage !== 'embed') return;
      assertBytes(textBytes + total * dimensions * VECTOR_NUMBER_BYTES, total, true);
    },
    assertWithin(chunks, format, records) {
      const vectorLength = chunks[0]?.embedding?.dimensions ?? 0;
      const gaps = format === 'raw' ? gapBytes(text, chunks) : 0;
      const bytes = gaps + boundRecordBytes(chunks, format, records, vectorLength);
      assertBytes(bytes, chunks.length, vectorLength > 0);
    },
  };
}

/** An upper bound on the JSON of the blanks between the chunks, which raw answers hold too. */
function gapBytes(text: string, chunks: readonly Chunk[]): number {
  const covered = chunks.reduce((sum, { start, end, overlap }) => sum + end - start - overlap, 0);
  return ESCAPE_BYTES * (text.length - covered) + EMPTY_TEXT_BYTES * (chunks.length + 1);
}
