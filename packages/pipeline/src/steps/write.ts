// The last step: the records and vectors of one revision → the vector store. The store has no transaction over several
// requests, so three things keep a late or doubled write from doing harm: a lock for each document, which is renewed
// before every request that writes; the revision in the document's entry of the manifest, from the mark "at work" on;
// and a comparison of the store with the newest revision by every write that comes too late (ADR 0045).
import type { ChunkRecord, ManifestEntry, SourceLock, StoreSpec, VectorStore } from '@grainline/core';
import { hex, sha256 } from '@grainline/core/formats';
import type { CutRecords } from '../load/cut-document.ts';
import { holdLock } from '../load/lock.ts';
import { isInterrupted, type KnownDocument } from '../load/manifest.ts';
import { isDone, planDocument } from '../load/plan.ts';
import { BatchWriter, type PlannedDocument } from '../load/write.ts';
import type { QueuedDocument } from './step.ts';

/** The unblended vectors of texts. */
export interface EmbeddedTexts {
  /** Hashes of the texts, by {@link textHash}. */
  readonly hashes: readonly string[];
  /** The vectors one after another. */
  readonly vectors: Float32Array | Float64Array;
}

/**
 * The result of a write. `superseded`: a later revision is stored, and stays; `repaired`: it was stored incompletely,
 * and is written again.
 */
export type WriteOutcome = 'written' | 'same' | 'superseded' | 'repaired';

/** Keys of the results that a revision is written from. */
export interface ResultKeys {
  readonly cut: string;
  readonly embed: string;
}

/** Dependencies of {@link writeRevision}. */
export interface WriteDeps {
  readonly store: VectorStore;
  readonly embedding: StoreSpec['embedding'];
  /** Time after which the lock of a killed worker is free, in milliseconds. */
  readonly lockMs: number | undefined;
  /** The results of a revision; undefined when they are no longer there. */
  readonly load: (keys: ResultKeys) => Promise<{ cut: CutRecords; embedded: EmbeddedTexts } | undefined>;
  /** Versions that the document depends on, by its reader. */
  readonly versionsOf: (reader: string | undefined) => Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
}

/** The hash of a text in {@link EmbeddedTexts}. */
export function textHash(text: string): string {
  return hex(sha256(text)).slice(0, 32);
}

/** The keys of the results that a stored document was written from; undefined for a document of another load. */
export async function storedKeys(store: VectorStore, documentId: string): Promise<ResultKeys | undefined> {
  const { cut, embed } = (await entryOf(store, documentId))?.versions ?? {};
  return cut === undefined || embed === undefined ? undefined : { cut, embed };
}

/**
 * Brings the store in step with one revision of a document, unless a later one is there. Rejects with `locked` while
 * another worker writes the document, with `lock_lost` when this one was too slow, and with the store's other errors;
 * each time the step may run again.
 *
 * @param keys those of the revision; undefined removes the document and keeps its revision in the manifest
 */
export async function writeRevision(
  document: QueuedDocument,
  keys: ResultKeys | undefined,
  deps: WriteDeps,
): Promise<WriteOutcome> {
  const { store, lockMs, signal } = deps;
  const { documentId, revision } = document;
  return holdLock(store, sourceOf(documentId), { ttlMs: lockMs, signal }, async (held, lock) => {
    const known = await entryOf(store, documentId, held);
    const stored = Number(known?.versions['revision'] ?? -1);
    const work: DocumentWork = { ...deps, store, lock, signal: held };
    if (known === undefined || stored < revision) return write(document, keys, known, work);
    if (isInterrupted(known)) {
      // The step of the later revision is yet to be run again.
      return stored > revision ? 'superseded' : write(document, keys, known, work);
    }
    const isOther = known.versions['cut'] !== keys?.cut || known.versions['embed'] !== keys?.embed;
    if (stored === revision && isOther) return write(document, keys, known, work);
    const outcome = await rewriteIfDamaged({ ...document, revision: stored }, known, work);
    return stored > revision && outcome === 'same' ? 'superseded' : outcome;
  });
}

/** The document's own name as a source: locks and entries of one document concern no other. */
function sourceOf(documentId: string): string {
  return `document:${documentId}`;
}

type StoredEntry = KnownDocument & Pick<ManifestEntry, 'chunkIds'>;

async function entryOf(
  store: VectorStore,
  documentId: string,
  signal?: AbortSignal,
): Promise<StoredEntry | undefined> {
  for await (const entry of store.entries(sourceOf(documentId), signal && { signal }))
    if (entry.documentId === documentId) return { ...entry, chunks: entry.chunkIds.length };
  return undefined;
}

interface DocumentWork extends WriteDeps {
  readonly lock: SourceLock;
  readonly signal: AbortSignal;
}

/** Writes the stored revision as a whole when the store holds other chunks than its own. */
async function rewriteIfDamaged(
  document: QueuedDocument,
  known: StoredEntry,
  work: DocumentWork,
): Promise<WriteOutcome> {
  const { cut, embed } = known.versions;
  const keys = cut === undefined || embed === undefined ? undefined : { cut, embed };
  const results = keys && (await work.load(keys));
  const { documentId } = document;
  const isDamaged =
    results === undefined
      ? !(await hasIds(work.store, known, work.signal))
      : !isDone(
          await planDocument(work.store, documentId, results.cut.records, known, {
            isFresh: false,
            signal: work.signal,
          }),
        );
  if (!isDamaged) return 'same';
  if (keys !== undefined && results === undefined)
    throw new Error(
      `The stored chunks of ${documentId} are not its own, and its results are gone: submit it again.`,
    );
  await write({ ...document, ...placeOf(known) }, keys, undefined, work);
  return 'repaired';
}

/** The facts of an entry that a document in the queue has as well. */
function placeOf({
  sha256: hash,
  location,
  documentId,
}: StoredEntry): Pick<QueuedDocument, 'sha256' | 'url'> {
  return { sha256: hash, ...(location === documentId ? {} : { url: location }) };
}

async function hasIds(
  store: VectorStore,
  { documentId, chunkIds }: StoredEntry,
  signal: AbortSignal,
): Promise<boolean> {
  const stored = await store.list(documentId, { signal });
  const own = new Set(chunkIds);
  return stored.length === own.size && stored.every(({ id }) => own.has(id));
}

async function write(
  document: QueuedDocument,
  keys: ResultKeys | undefined,
  known: KnownDocument | undefined,
  work: DocumentWork,
): Promise<WriteOutcome> {
  const { store, embedding, lock, signal, versionsOf } = work;
  const { documentId, revision, sha256: hash, url } = document;
  const results = keys && (await work.load(keys));
  if (keys !== undefined && results === undefined)
    throw new Error(`The results of ${documentId} are gone: submit it again.`);
  const { records = [], reader } = results?.cut ?? {};
  const fence = { revision: String(revision), ...keys };
  const planned: PlannedDocument = {
    entry: {
      documentId,
      shown: documentId,
      url,
      read: () => Promise.reject(new Error('It is read already.')),
    },
    source: sourceOf(documentId),
    plan: await planDocument(store, documentId, records, known, { isFresh: false, signal }),
    facts: {
      sha256: hash,
      chunkIds: records.map(({ id }) => id),
      versions: { ...(keys === undefined ? {} : versionsOf(reader)), ...fence },
    },
    fence,
    outcome: known === undefined ? 'added' : 'changed',
  };
  const writer = new BatchWriter({
    store: fenced(store, lock),
    embed: embedFrom(results?.embedded, embedding),
    embedding,
    embedBatch: Math.max(1, records.length),
    signal,
    onWritten: () => undefined,
    onIssue: (_, error) => {
      throw error;
    },
  });
  await writer.add(planned);
  await writer.flush();
  return 'written';
}

/** A store that proves the lock before each write: after its loss, another worker may have begun. */
function fenced(store: VectorStore, lock: SourceLock): Pick<VectorStore, 'putEntries' | 'upsert' | 'remove'> {
  return {
    async putEntries(...given) {
      await lock.renew();
      await store.putEntries(...given);
    },
    async upsert(...given) {
      await lock.renew();
      await store.upsert(...given);
    },
    async remove(...given) {
      await lock.renew();
      await store.remove(...given);
    },
  };
}

/** An embedder that knows the texts of a result. */
function embedFrom(
  embedded: EmbeddedTexts | undefined,
  { model, dimensions }: StoreSpec['embedding'],
): (
  texts: readonly string[],
) => Promise<{ model: string; dimensions: number; vectors: ArrayLike<number>[] }> {
  const vectors = embedded === undefined ? new Map<string, ArrayLike<number>>() : vectorsOf(embedded);
  return (texts) => {
    const found = texts.map((text) => vectors.get(textHash(text)) ?? []);
    return Promise.resolve({ model, dimensions, vectors: found });
  };
}

/** The vectors of a result by the hashes of their texts. */
export function vectorsOf({ hashes, vectors }: EmbeddedTexts): Map<string, ArrayLike<number>> {
  const dimensions = vectors.length / Math.max(1, hashes.length);
  return new Map(hashes.map((hash, at) => [hash, vectors.subarray(at * dimensions, (at + 1) * dimensions)]));
}

/** The texts of records, each once. */
export function textsOf(records: readonly ChunkRecord[]): string[] {
  return [...new Set(records.map(({ document }) => document))];
}
