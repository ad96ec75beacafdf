// The last step of the pipeline: chunks → records of a vector database, with the vectors that the chunks have.
import type { Chunk, Document, EmbeddingFacts } from '@grainline/core';
import {
  type ExtrasOf,
  formatChunks,
  type FormatId,
  type Formatted,
  type RecordOptions,
  type StoreRecord,
  vectorsOf,
} from '@grainline/core/formats';

/** A document as records name it, and its chunks. */
export interface RecordInput {
  readonly document: Pick<Document, 'filename' | 'mediaType' | 'reader'>;
  readonly chunks: readonly Chunk[];
}

/** Records, and beside them the facts about their vectors; absent when the chunks have none. */
export type DocumentRecords<Id extends FormatId> = Formatted<
  StoreRecord<Id>,
  ExtrasOf<Id> & { readonly embedding?: EmbeddingFacts }
>;

/**
 * Makes the records of a document's chunks. Chunks that were made with the option `embeddings` have their vectors in
 * the records. Linear in the length of the text.
 *
 * @param names options of `formatChunks`; file name, content type and reader are by default those of the document
 * @throws ChunkError `invalid_options` with every issue
 * @example
 * const { records } = recordsFor(await chunkSource({ text }), 'qdrant', { documentId: 'handbook' });
 */
export function recordsFor<Id extends FormatId>(
  { document, chunks }: RecordInput,
  format: Id,
  names: Omit<RecordOptions, 'vectors' | 'embedding'>,
): DocumentRecords<Id> {
  const found = vectorsOf(chunks);
  const { extras, ...formatted } = formatChunks(chunks, format, {
    ...names,
    filename: names.filename ?? document.filename,
    contentType: names.contentType ?? document.mediaType,
    reader: names.reader ?? document.reader,
    vectors: found?.vectors,
    embedding: found?.embedding,
  });
  return {
    ...formatted,
    extras: found === undefined ? extras : { ...extras, embedding: found.embedding },
  };
}
