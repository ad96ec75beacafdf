// The part of a load that needs neither store nor embedder: the bytes of one document → records without vectors. It
// takes and gives plain data, so that it can run in a thread.
import type { ChunkRecord, Warning } from '@grainline/core';
import type { ExtractError } from '@grainline/extract';
import {
  type ChunkedDocument,
  chunkSource,
  type ChunkSourceOptions,
  excessRepetition,
  type PipelinePorts,
} from '../chunk-source.ts';
import { recordsFor } from '../records.ts';

/** A document to cut. */
export interface DocumentToCut {
  readonly documentId: string;
  readonly bytes: Uint8Array;
  readonly filename?: string | undefined;
  readonly contentType?: string | undefined;
  readonly url?: string | undefined;
}

/** A document's records. */
export interface CutRecords {
  /** In the order of the document. */
  readonly records: readonly ChunkRecord[];
  /** `Document.reader`. */
  readonly reader: string | undefined;
  readonly warnings: readonly Warning[];
}

/**
 * Reads and cuts a document. One without text, such as an empty file, has no records and the warning `empty_document`.
 * Rejects as `chunkSource` does otherwise, and with a RangeError when the chunks repeat one another too much to keep.
 */
export async function cutDocument(
  { documentId, url, ...file }: DocumentToCut,
  options: ChunkSourceOptions,
  ports: PipelinePorts = {},
): Promise<CutRecords> {
  const chunked = await chunkSource({ ...file, url }, options, ports).catch((error: unknown) => {
    if (isEmptyDocument(error)) return error;
    throw error;
  });
  if (isEmptyDocument(chunked)) {
    const { code, message } = chunked;
    return { records: [], reader: undefined, warnings: [{ code, message }] };
  }
  return recordsOfChunks(chunked, { documentId, url, tier: options.tier });
}

/** By its code: the error of a reader in a thread has lost its class. */
function isEmptyDocument(result: unknown): result is Pick<ExtractError, 'code' | 'message'> {
  return result instanceof Error && 'code' in result && result.code === 'empty_document';
}

/**
 * The records of a document's chunks.
 *
 * @throws RangeError when the chunks repeat one another too much to keep
 */
export function recordsOfChunks(
  chunked: ChunkedDocument,
  { documentId, url, tier }: Pick<DocumentToCut, 'documentId' | 'url'> & Pick<ChunkSourceOptions, 'tier'>,
): CutRecords {
  const excess = excessRepetition(chunked);
  if (excess !== undefined)
    throw new RangeError(
      `The chunks would repeat one another to ${excess.characters} characters; take a smaller overlap.`,
    );
  const { records, warnings } = recordsFor(chunked, 'chroma', { documentId, sourceUrl: url, tier });
  const { reader, warnings: own } = chunked.document;
  return { records, reader, warnings: [...own, ...warnings] };
}
