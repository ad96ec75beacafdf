// The writes of a load, for several documents at once: mark them as at work, upsert, remove, and only then write their
// entries. After a kill at any moment, a document is either finished or marked, and a marked one is written as a whole.
import type {
  ChunkRecord,
  ChunkVectorRecord,
  Embed,
  ManifestEntry,
  StoreSpec,
  VectorStore,
} from '@grainline/core';
import { atWorkEntry, type DocumentFacts, finishedEntry } from './manifest.ts';
import { type DocumentPlan, isDone } from './plan.ts';
import type { SourceEntry } from './source.ts';
import { embedWanted, wantedOf } from './vectors.ts';

/** A document with its plan. */
export interface PlannedDocument {
  readonly entry: SourceEntry;
  readonly plan: DocumentPlan;
  readonly facts: DocumentFacts;
  /** `same` when it was read and equals what is stored. */
  readonly outcome: 'added' | 'changed' | 'same';
  /** The name of the source in the entry. */
  readonly source: string;
}

/** Dependencies of a {@link BatchWriter}. */
export interface WriterDeps {
  readonly store: Pick<VectorStore, 'putEntries' | 'upsert' | 'remove'>;
  readonly embed: Embed;
  readonly embedding: StoreSpec['embedding'];
  /** Most texts of one call of the embedder. */
  readonly embedBatch: number;
  readonly signal: AbortSignal;
  /** False leaves out the marks of documents at work, for a caller that has another record of them. Default true. */
  readonly marks?: boolean | undefined;
  /** Called for each document after its entry is written. */
  readonly onWritten: (document: PlannedDocument) => void;
  /** Called for a document that cannot be embedded or stored, while others can. */
  readonly onIssue: (document: PlannedDocument, error: unknown) => void;
}

/** A batch is written as soon as it has this many records or characters: few calls for small documents. */
const MOST_RECORDS = 512;
const MOST_CHARACTERS = 2 ** 21;

/** Collects documents and writes them in batches. The next batch is embedded while one is written. */
export class BatchWriter {
  readonly #deps: WriterDeps;
  #batch: PlannedDocument[] = [];
  #records = 0;
  #characters = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(deps: WriterDeps) {
    this.#deps = deps;
  }

  /** Takes a document; when that completes a batch, resolves once it is written. Rejects when the store fails. */
  async add(document: PlannedDocument): Promise<void> {
    this.#batch.push(document);
    const { embed, update, remove, records } = document.plan;
    this.#records += embed.length + update.length + remove.length + 1;
    // Kept records stay in memory until the batch is written, too.
    this.#characters += records.reduce((sum, record) => sum + record.document.length, 0);
    if (this.#records >= MOST_RECORDS || this.#characters >= MOST_CHARACTERS) await this.flush();
  }

  /** Writes what is left. */
  flush(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#records = 0;
    this.#characters = 0;
    if (batch.length === 0) return this.#last;
    const embedded = this.#embed(batch);
    // A failure before this batch is the one to report; this one's own is read below, or never.
    embedded.catch(() => undefined);
    this.#last = this.#last.then(async () => this.#write(await embedded));
    this.#last.catch(() => undefined);
    return this.#last;
  }

  /** Embeds a batch. When that fails, each document alone, so that one bad text does not stop the others. */
  async #embed(batch: readonly PlannedDocument[]): Promise<EmbeddedDocument[]> {
    const { embed, embedBatch, embedding, signal } = this.#deps;
    const { blend = 0, dimensions } = embedding;
    const options = { embed, batch: embedBatch, blend, dimensions, signal };
    const wanted = batch.map(({ plan }) => wantedOf(plan.records, plan.embed));
    return apart(batch, signal, this.#deps.onIssue, async (part, from) => {
      const vectors = await embedWanted(wanted.slice(from, from + part.length), options);
      return part.map((document, index) => ({ document, vectors: vectors[index] ?? [] }));
    });
  }

  async #write(batch: readonly EmbeddedDocument[]): Promise<void> {
    const { signal, onIssue } = this.#deps;
    await apart(
      batch,
      signal,
      ({ document }, error) => onIssue(document, error),
      async (part) => {
        await this.#writeAll(part);
        return [];
      },
    );
  }

  async #writeAll(batch: readonly EmbeddedDocument[]): Promise<void> {
    const { store, embedding, signal, marks = true, onWritten } = this.#deps;
    const changed = batch.filter(({ document }) => !isDone(document.plan));
    if (changed.length > 0) {
      const atWork = changed.map(({ document: { entry, source } }) => atWorkEntry(entry, source));
      if (marks) await store.putEntries(atWork, { signal });
      const records = changed.flatMap((document) => recordsOf(document, embedding));
      if (records.length > 0) await store.upsert(records, { signal });
      const gone = changed.flatMap(({ document: { plan } }) => plan.remove);
      if (gone.length > 0) await store.remove(gone, { signal });
    }
    const entries: ManifestEntry[] = batch.map(({ document: { entry, source, facts } }) =>
      finishedEntry(entry, source, facts),
    );
    await store.putEntries(entries, { signal });
    for (const { document } of batch) onWritten(document);
  }
}

interface EmbeddedDocument {
  readonly document: PlannedDocument;
  /** Those of `plan.embed`, in its order. */
  readonly vectors: readonly number[][];
}

/**
 * Works on all items at once, and after a failure on each alone. Rejects when the signal is aborted, or when every item
 * of several, or the only one, fails for a reason that concerns the whole load.
 */
async function apart<Item, Result>(
  items: readonly Item[],
  signal: AbortSignal,
  onIssue: (item: Item, error: unknown) => void,
  work: (items: readonly Item[], from: number) => Promise<Result[]>,
): Promise<Result[]> {
  try {
    return await work(items, 0);
  } catch (error) {
    signal.throwIfAborted();
    if (!concernsDocument(error)) throw error;
    const results: Result[] = [];
    for (const [index, item] of items.entries()) {
      try {
        results.push(...(items.length === 1 ? rethrow(error) : await work([item], index)));
      } catch (own) {
        signal.throwIfAborted();
        if (!concernsDocument(own)) throw own;
        onIssue(item, own);
      }
    }
    return results;
  }
}

function rethrow(error: unknown): never {
  throw error;
}

/**
 * Codes of errors that a single document causes: a record that is too large, a text that the embedding service rejects.
 * Any other error would repeat with the next document.
 */
const OF_DOCUMENTS: ReadonlySet<unknown> = new Set([
  'record_too_large',
  'missing_vector',
  'rejected',
  'refused',
]);

function concernsDocument(error: unknown): boolean {
  const { code, status } = Object(error) as { readonly code?: unknown; readonly status?: unknown };
  return OF_DOCUMENTS.has(code) && status !== 401 && status !== 403;
}

/** The records to upsert. All name their embedder, also those whose vector stays: they replace what is stored. */
function recordsOf(
  { document: { plan }, vectors }: EmbeddedDocument,
  embedding: StoreSpec['embedding'],
): (ChunkRecord | ChunkVectorRecord)[] {
  const embedded = plan.embed.flatMap((index, at) => {
    const [record, vector] = [plan.records[index], vectors[at]];
    return record === undefined || vector === undefined
      ? []
      : [{ ...withEmbedder(record, embedding), embedding: vector }];
  });
  return [...embedded, ...plan.update.map((record) => withEmbedder(record, embedding))];
}

function withEmbedder(
  { id, document, metadata }: ChunkRecord,
  { model, dimensions, blend = 0 }: StoreSpec['embedding'],
): ChunkRecord {
  const facts = { embedding_model: model, embedding_dimensions: dimensions };
  return {
    id,
    document,
    metadata: { ...metadata, ...facts, ...(blend > 0 ? { embedding_blend: blend } : {}) },
  };
}
