// The metadata of a record on its way through a database: with the record's hash beside it, and without.
import type { ChunkRecord } from '@grainline/core';
import type { ChunkRow } from './connection.ts';

/** Key of {@link ChunkRow.hash} in databases that keep it among the metadata; no key of a record begins so. */
export const HASH_KEY = 'grainline_hash';

/** Metadata as such a database stores them. */
export function storedMetadata({ metadata, hash }: ChunkRow): Record<string, string | number | boolean> {
  return { ...metadata, [HASH_KEY]: hash };
}

/** The record's own metadata among the stored ones; `others` are further keys that the adapter added. */
export function recordMetadata(stored: object, ...others: readonly string[]): ChunkRecord['metadata'] {
  const entries = Object.entries(stored).filter(([key]) => key !== HASH_KEY && !others.includes(key));
  // Written by this package, with the keys that every record has.
  return Object.fromEntries(entries) as ChunkRecord['metadata'];
}
