// The manifest of a store in memory: for each document what decides whether it must be read again. Entries of documents
// at work are marked before the first write, since a killed load leaves vectors with unknown neighbours.
import type { ManifestEntry, VectorStore } from '@grainline/core';
import type { SourceEntry } from './source.ts';
import { outdatedNames, type Versions } from './versions.ts';

/** A manifest's entry without the ids of its chunks, which would be most of its memory. */
export interface KnownDocument extends Omit<ManifestEntry, 'chunkIds'> {
  readonly chunks: number;
}

/**
 * SHA-256 of a document at work. A load that finds it was preceded by one that ended in between: the stored chunks of
 * the document may be of either version, and their vectors blended with the neighbours of either.
 */
const AT_WORK = '0'.repeat(64);

/** Reads the entries of all sources. */
export async function readManifest(
  store: VectorStore,
  signal: AbortSignal,
): Promise<Map<string, KnownDocument>> {
  const known = new Map<string, KnownDocument>();
  for await (const { chunkIds, ...entry } of store.entries(undefined, { signal }))
    known.set(entry.documentId, { ...entry, chunks: chunkIds.length });
  return known;
}

/** True for a document that an earlier load was at work on when it ended. */
export function isInterrupted({ sha256 }: Pick<KnownDocument, 'sha256'>): boolean {
  return sha256 === AT_WORK;
}

/** The entry of a document at work: it equals no document. */
export function atWorkEntry(
  { documentId, url = documentId }: Pick<SourceEntry, 'documentId' | 'url'>,
  source: string,
): ManifestEntry {
  return { documentId, source, location: url, sha256: AT_WORK, chunkIds: [], versions: {} };
}

/** True when size and time, or the ETag, are those of the manifest. Of a listing without them nothing is known. */
export function isUnchanged(known: KnownDocument, { size, modifiedMs, etag }: SourceEntry): boolean {
  if (isInterrupted(known) || size !== known.bytes) return false;
  if (etag !== undefined) return etag === known.etag;
  return size !== undefined && modifiedMs !== undefined && modifiedMs === known.modifiedMs;
}

/** True when a document was made by other versions than the current ones. */
export function isOutdated({ versions }: KnownDocument, current: Versions): boolean {
  return outdatedNames(versions, current).length > 0;
}

/** What a finished document's entry holds besides its place. */
export type DocumentFacts = Pick<ManifestEntry, 'sha256' | 'chunkIds' | 'versions'>;

/** The entry of a finished document. */
export function finishedEntry(entry: SourceEntry, source: string, facts: DocumentFacts): ManifestEntry {
  const { documentId, url = documentId, size, modifiedMs, etag } = entry;
  return {
    documentId,
    source,
    location: url,
    ...(size === undefined ? {} : { bytes: size }),
    ...(modifiedMs === undefined ? {} : { modifiedMs }),
    ...(etag === undefined ? {} : { etag }),
    ...facts,
  };
}
