// The last step: the records and vectors of one revision → the vector store. The store has no transaction over several
// requests, so four things keep a late or doubled write from doing harm: a lock for each document, after whose end no
// request is sent; a claim of each revision in the manifest, an entry that no late write of another revision can
// overwrite; requests whose content follows from the revision alone, so that one which arrives after its repetition
// changes nothing; and a comparison of the store with the newest claim by every write that comes late or again (ADR
// 0045).
import type { ChunkRecord, ManifestEntry, SourceLock, StoreSpec, VectorStore } from '@grainline/core';
import { hex, sha256 } from '@grainline/core/formats';
import type { CutRecords } from '../load/cut-document.ts';
import { holdLock } from '../load/lock.ts';
import type { KnownDocument } from '../load/manifest.ts';
import { isDone, planDocument } from '../load/plan.ts';
import { BatchWriter, type PlannedDocument } from '../load/write.ts';
import { type QueuedDocument, StepError } from './step.ts';

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
  const { known } = await stateOf(store, documentId);
  return known && keysIn(known);
}

/**
 * Brings the store in step with one revision of a document, or with a later one that has begun. Rejects with `locked`
 * while another worker writes the document, with `lock_lost` when this one was too slow, and with the store's other
 * errors; each time the step may run again.
 *
 * @param keys those of the revision; undefined removes the document and keeps its revision in the manifest
 */
export async function writeRevision(
  document: QueuedDocument,
  keys: ResultKeys | undefined,
  deps: WriteDeps,
): Promise<WriteOutcome> {
  const { store, lockMs, signal } = deps;
  const { documentId } = document;
  return holdLock(store, sourceOf(documentId), { ttlMs: lockMs, signal }, async (held, lock) => {
    const work: DocumentWork = { ...deps, store, lock, signal: held };
    const { known, claims } = await stateOf(store, documentId, held);
    const newest = claims.at(-1);
    const isLate = newest !== undefined && revisionOf(newest) > document.revision;
    const target = isLate ? { document: claimed(newest), keys: keysIn(newest) } : { document, keys };
    const outcome = await bringInStep(target, { known, newest }, work);
    const older = claims.filter((claim) => revisionOf(claim) < target.document.revision);
    if (older.length > 0)
      await fenced(store, lock).removeEntries(
        older.map((claim) => claim.documentId),
        { signal: held },
      );
    if (!isLate) return outcome;
    return outcome === 'same' ? 'superseded' : 'repaired';
  });
}

/** The document's own name as a source: locks and entries of one document concern no other. */
function sourceOf(documentId: string): string {
  return `document:${documentId}`;
}

type StoredEntry = KnownDocument & Pick<ManifestEntry, 'chunkIds'>;

/** The manifest's knowledge of one document. */
interface DocumentState {
  readonly known: StoredEntry | undefined;
  /** Revisions that a worker has begun to write, ascending. No other revision overwrites one, as it could an entry. */
  readonly claims: readonly ManifestEntry[];
}

async function stateOf(store: VectorStore, documentId: string, signal?: AbortSignal): Promise<DocumentState> {
  let known: StoredEntry | undefined;
  const claims: ManifestEntry[] = [];
  for await (const entry of store.entries(sourceOf(documentId), signal && { signal })) {
    if (entry.documentId === documentId) known = { ...entry, chunks: entry.chunkIds.length };
    else claims.push(entry);
  }
  return { known, claims: claims.sort((one, other) => revisionOf(one) - revisionOf(other)) };
}

/** The claim of a revision: an entry of its own, without chunks. */
function claimOf(
  { documentId, revision, sha256: hash, url = documentId }: QueuedDocument,
  keys: ResultKeys | undefined,
): ManifestEntry {
  return {
    documentId: `${documentId}@${revision}`,
    source: sourceOf(documentId),
    location: url,
    sha256: hash,
    chunkIds: [],
    versions: { revision: String(revision), ...keys },
  };
}

/** The document of a claim. */
function claimed({ documentId: name, location, sha256: hash, versions }: ManifestEntry): QueuedDocument {
  const revision = Number(versions['revision']);
  const documentId = name.slice(0, -`@${revision}`.length);
  return { documentId, revision, sha256: hash, ...(location === documentId ? {} : { url: location }) };
}

function revisionOf({ versions }: Pick<ManifestEntry, 'versions'>): number {
  return Number(versions['revision']);
}

function keysIn({ versions: { cut, embed } }: Pick<ManifestEntry, 'versions'>): ResultKeys | undefined {
  return cut === undefined || embed === undefined ? undefined : { cut, embed };
}

/** True for an entry of the same revision and results. */
function isOfSame(
  entry: Pick<ManifestEntry, 'versions'> | undefined,
  { versions: { revision, cut, embed } }: ManifestEntry,
): boolean {
  const own = entry?.versions;
  return own?.['revision'] === revision && own?.['cut'] === cut && own?.['embed'] === embed;
}

interface DocumentWork extends WriteDeps {
  readonly lock: SourceLock;
  readonly signal: AbortSignal;
}

/** A revision, and the results that it is written from. */
interface Target {
  readonly document: QueuedDocument;
  readonly keys: ResultKeys | undefined;
}

async function bringInStep(
  { document, keys }: Target,
  { known, newest }: { known: StoredEntry | undefined; newest: ManifestEntry | undefined },
  work: DocumentWork,
): Promise<WriteOutcome> {
  const { store, lock, signal } = work;
  const wanted = claimOf(document, keys);
  const isBegun = isOfSame(newest, wanted);
  const isFinished = isOfSame(known, wanted);
  if (known !== undefined && isBegun && isFinished) {
    if (!(await isDamaged(known, keys, work))) return 'same';
    await write(document, keys, undefined, work);
  } else {
    // Only the entry of the last revision that was begun is that of what the store holds.
    const isSound = !isBegun && newest !== undefined && isOfSame(known, newest);
    if (!isBegun) await fenced(store, lock).putEntries([wanted], { signal });
    await write(document, keys, isSound ? known : undefined, work);
  }
  // A worker that has lost the lock meanwhile may have written late: its step runs again and finds the newest claim.
  await lock.renew();
  return isFinished ? 'repaired' : 'written';
}

/** True when the store holds other chunks of a finished document than its own. */
async function isDamaged(
  known: StoredEntry,
  keys: ResultKeys | undefined,
  { store, load, signal }: DocumentWork,
): Promise<boolean> {
  const { documentId, chunkIds } = known;
  const results = keys && (await load(keys));
  if (results !== undefined) {
    const given = { isFresh: false, signal };
    return !isDone(await planDocument(store, documentId, results.cut.records, known, given));
  }
  const stored = await store.list(documentId, { signal });
  const own = new Set(chunkIds);
  return stored.length !== own.size || stored.some(({ id }) => !own.has(id));
}

async function write(
  document: QueuedDocument,
  keys: ResultKeys | undefined,
  known: KnownDocument | undefined,
  work: DocumentWork,
): Promise<void> {
  const { store, embedding, lock, signal, versionsOf } = work;
  const { documentId, revision, sha256: hash, url } = document;
  const results = keys && (await work.load(keys));
  if (keys !== undefined && results === undefined)
    throw new StepError('missing_results', `The results of ${documentId} are gone: submit it again.`);
  const { records = [], reader } = results?.cut ?? {};
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
      versions: { ...(keys && versionsOf(reader)), revision: String(revision), ...keys },
    },
    outcome: known === undefined ? 'added' : 'changed',
  };
  const writer = new BatchWriter({
    store: fenced(store, lock),
    embed: embedFrom(results?.embedded, embedding),
    embedding,
    embedBatch: Math.max(1, records.length),
    // A claim without the entry of its revision marks a document at work. A mark in the entry could arrive last.
    marks: false,
    signal,
    onWritten: () => undefined,
    onIssue: (_, error) => {
      throw error;
    },
  });
  await writer.add(planned);
  await writer.flush();
}

/** A store that proves the lock before each write and each of its requests: after its loss, another may write. */
function fenced(
  store: VectorStore,
  lock: SourceLock,
): Pick<VectorStore, 'putEntries' | 'removeEntries' | 'upsert' | 'remove'> {
  return {
    async removeEntries(documentIds, run) {
      await lock.renew();
      await store.removeEntries(documentIds, { ...run, lock });
    },
    async putEntries(entries, run) {
      await lock.renew();
      await store.putEntries(entries, { ...run, lock });
    },
    async upsert(records, run) {
      await lock.renew();
      await store.upsert(records, { ...run, lock });
    },
    async remove(ids, run) {
      await lock.renew();
      await store.remove(ids, { ...run, lock });
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
