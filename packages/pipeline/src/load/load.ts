// A load: source → entries → what the manifest does not know → bytes → records → plan → vectors → store. Documents are
// read and cut several at a time and written in batches. A load that ended at any moment is completed by the next one.
import {
  type Embed,
  embeddedText,
  type ManifestEntry,
  type StoreSpec,
  type VectorStore,
  type Warning,
} from '@grainline/core';
import { hex } from '@grainline/core/formats';
import type { CutRecords, DocumentToCut } from './cut-document.ts';
import { holdLock } from './lock.ts';
import { isInterrupted, isOutdated, type KnownDocument, isUnchanged, readManifest } from './manifest.ts';
import { planDocument } from './plan.ts';
import { type Prune, type PruneOutcome, pruneVanished } from './prune.ts';
import type { LoadSource, SourceEntry, SourceIssue } from './source.ts';
import { embedInWords, textsToEmbed, wantedOf } from './vectors.ts';
import { type Versions, versionsOf } from './versions.ts';
import { BatchWriter, type PlannedDocument } from './write.ts';

/** The programs of a load. */
export interface LoadPorts {
  readonly store: VectorStore;
  /** Reads and cuts a document, as `cutDocument` does. The bytes may be moved away. */
  readonly cut: (document: DocumentToCut, entry: SourceEntry, signal: AbortSignal) => Promise<CutRecords>;
  /** Gives unblended vectors. */
  readonly embed: Embed;
  /** Most texts of one call of `embed`. Default 64. */
  readonly embedBatch?: number | undefined;
  /** Counts the tokens of a text for the plan of a dry run. Default: none are counted. */
  readonly countTokens?: ((text: string) => number) | undefined;
}

/** Options of {@link load}. */
export interface LoadOptions {
  /** The embedder of the vectors; {@link LoadPorts.embed} is that. */
  readonly embedding: StoreSpec['embedding'];
  /** The current versions, by `currentVersions`. */
  readonly versions: Versions;
  /** True to leave documents of other versions as they are, unless they have changed. Default false. */
  readonly keepVersion?: boolean | undefined;
  /** What happens to documents that the source no longer has. Default `'keep'`. */
  readonly prune?: Prune | undefined;
  /** True to plan everything and write nothing. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Most documents that are read and cut at the same time. Default 2. */
  readonly atOnce?: number | undefined;
  /** Name of this process for the lock. Default: the store's. */
  readonly owner?: string | undefined;
  /** Time after which the lock of a killed load is free, in milliseconds. Default: the store's. */
  readonly lockMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly log?: LoadLog | undefined;
}

/** The events of a load. */
export interface LoadLog {
  /** Once, after the listing: the documents to read, and the number of those that another version made. */
  readonly onListed?: (toRead: readonly SourceEntry[], outdated: number) => void;
  readonly onBegin?: (entry: SourceEntry) => void;
  /** Once for each document of `onListed`: it is stored, or cannot be. */
  readonly onEnd?: (entry: SourceEntry) => void;
  readonly onWarning?: (warning: Warning, entry: SourceEntry) => void;
  /** A document or a part of the source that is left out. */
  readonly onIssue?: (issue: Pick<SourceIssue, 'shown' | 'error'>) => void;
}

/** The result of a load; of a dry run what it would be. */
export interface LoadReport extends PruneOutcome {
  /** Documents by outcome. `same`: read, and equal to what is stored; `unread`: equal by size and time, or ETag. */
  readonly documents: Record<'added' | 'changed' | 'same' | 'unread' | 'failed', number>;
  /**
   * Chunks of the documents that were read. `reembedded`: written again because a neighbour changed; `moved`: written
   * with the stored vector.
   */
  readonly chunks: Record<'added' | 'reembedded' | 'moved' | 'kept' | 'removed', number>;
  /** Texts given to the embedder, which are more than the vectors with a blend. */
  embedded: number;
  /** Tokens of these texts; 0 without a counter. */
  tokens: number;
}

/**
 * Brings a store in step with a source.
 *
 * Rejects with a VectorStoreError of `prepare` before anything is written, with `locked` when another process loads the
 * source, with the errors of the store and the embedder that concern all documents, and with the signal's reason. What
 * was written stays, and the next load completes it.
 */
export async function load(source: LoadSource, ports: LoadPorts, options: LoadOptions): Promise<LoadReport> {
  const { store } = ports;
  const { embedding, versions, dryRun = false, owner, lockMs, signal } = options;
  signal?.throwIfAborted();
  const isFresh = (await store.inspect(signal && { signal })) === undefined;
  if (dryRun) return new Load(source, ports, options, isFresh, signal ?? new AbortController().signal).run();
  await store.prepare({ embedding, versions }, { acceptVersions: true, ...(signal && { signal }) });
  return holdLock(store, source.id, { owner, ttlMs: lockMs, signal }, (held) =>
    new Load(source, ports, options, isFresh, held).run(),
  );
}

/** One run of a load, with its counts. */
class Load {
  readonly #source: LoadSource;
  readonly #ports: LoadPorts;
  readonly #options: LoadOptions;
  /** False once another load may have stored documents. */
  #isFresh: boolean;
  readonly #signal: AbortSignal;
  readonly #report: Omit<LoadReport, keyof PruneOutcome> = {
    documents: { added: 0, changed: 0, same: 0, unread: 0, failed: 0 },
    chunks: { added: 0, reembedded: 0, moved: 0, kept: 0, removed: 0 },
    embedded: 0,
    tokens: 0,
  };
  #known: ReadonlyMap<string, KnownDocument> = new Map();

  constructor(
    source: LoadSource,
    ports: LoadPorts,
    options: LoadOptions,
    isFresh: boolean,
    signal: AbortSignal,
  ) {
    this.#source = source;
    this.#ports = ports;
    this.#options = options;
    this.#isFresh = isFresh;
    this.#signal = signal;
  }

  async run(): Promise<LoadReport> {
    const { store } = this.#ports;
    const { prune = 'keep', dryRun = false } = this.#options;
    this.#known = await readManifest(store, this.#signal);
    // Another load may have been between the look at the store and the lock.
    this.#isFresh &&= this.#known.size === 0;
    const { entries, isComplete } = await this.#list();
    const toRead: SourceEntry[] = [];
    let outdated = 0;
    for (const entry of entries.values()) {
      const known = this.#known.get(entry.documentId);
      const isOld = known !== undefined && this.#isOutdated(known);
      if (isOld && !isInterrupted(known)) outdated++;
      if (known === undefined || isOld || !isUnchanged(known, entry)) toRead.push(entry);
      else this.#report.documents.unread++;
    }
    await this.#claim([...entries.values()]);
    this.#options.log?.onListed?.(toRead, outdated);
    await this.#readAll(toRead);
    const vanished = [...this.#known.values()].filter(
      ({ documentId, source }) => source === this.#source.id && !entries.has(documentId),
    );
    const own = [...this.#known.values()].filter(({ source: name }) => name === this.#source.id).length;
    const pruned = await pruneVanished(vanished, own, {
      store,
      prune,
      isComplete,
      dryRun,
      signal: this.#signal,
    });
    this.#report.chunks.removed += pruned.prunedChunks;
    return { ...this.#report, ...pruned };
  }

  async #list(): Promise<{ readonly entries: Map<string, SourceEntry>; readonly isComplete: boolean }> {
    const entries = new Map<string, SourceEntry>();
    let isComplete = this.#source.isWhole;
    for await (const item of this.#source.list(this.#signal)) {
      this.#signal.throwIfAborted();
      if ('error' in item) {
        if (item.hides) isComplete = false;
        this.#fail(item);
      } else entries.set(item.documentId, item);
    }
    return { entries, isComplete };
  }

  #fail({ shown, error }: Pick<SourceIssue, 'shown' | 'error'>): void {
    this.#report.documents.failed++;
    this.#options.log?.onIssue?.({ shown, error });
  }

  #isOutdated(known: KnownDocument): boolean {
    return this.#options.keepVersion !== true && isOutdated(known, this.#options.versions);
  }

  /** A whole source takes over documents that were loaded one by one or from another source, so that it prunes them. */
  async #claim(entries: readonly SourceEntry[]): Promise<void> {
    if (!this.#source.isWhole || this.#options.dryRun === true) return;
    const { store } = this.#ports;
    const signal = this.#signal;
    const { id } = this.#source;
    const foreign = new Set(
      entries.map(({ documentId }) => documentId).filter((name) => this.#isForeign(name)),
    );
    if (foreign.size === 0) return;
    const claimed: ManifestEntry[] = [];
    for await (const entry of store.entries(undefined, { signal }))
      if (foreign.has(entry.documentId)) claimed.push({ ...entry, source: id });
    await store.putEntries(claimed, { signal });
  }

  #isForeign(documentId: string): boolean {
    const known = this.#known.get(documentId);
    return known !== undefined && known.source !== this.#source.id;
  }

  /** Reads and cuts some documents at a time. The first error that concerns all ends the others. */
  async #readAll(toRead: readonly SourceEntry[]): Promise<void> {
    const { atOnce = 2, embedding } = this.#options;
    const { store, embed, embedBatch = 64 } = this.#ports;
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#signal, stop.signal]);
    const writer = new BatchWriter({
      store,
      embed: embedInWords(embed),
      embedding,
      embedBatch,
      signal,
      onWritten: (document) => {
        this.#count(document);
        this.#options.log?.onEnd?.(document.entry);
      },
      onIssue: ({ entry }, error) => {
        this.#fail({ shown: entry.shown, error });
        this.#options.log?.onEnd?.(entry);
      },
    });
    const queue = toRead.values();
    const work = async (): Promise<void> => {
      for (const entry of queue) {
        signal.throwIfAborted();
        await this.#document(entry, writer, signal);
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.max(1, atOnce) }, work));
      await writer.flush();
    } catch (error) {
      stop.abort(error);
      throw error;
    }
  }

  async #document(entry: SourceEntry, writer: BatchWriter, signal: AbortSignal): Promise<void> {
    const { log, dryRun = false } = this.#options;
    log?.onBegin?.(entry);
    try {
      const planned = await this.#plan(entry, signal);
      if (!dryRun) {
        await writer.add(planned);
        return;
      }
      this.#count(planned);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DocumentError)) throw error;
      this.#fail({ shown: entry.shown, error: error.cause });
    }
    log?.onEnd?.(entry);
  }

  async #plan(entry: SourceEntry, signal: AbortSignal): Promise<PlannedDocument> {
    const { store } = this.#ports;
    const { documentId } = entry;
    const known = this.#known.get(documentId);
    const { cut, sha256 } = await this.#read(entry, known, signal);
    const source = this.#source.isWhole || known === undefined ? this.#source.id : known.source;
    if (cut === undefined) {
      const { versions = {} } = known ?? {};
      const chunkIds = (await store.list(documentId, { signal })).map(({ id }) => id);
      const facts = { sha256, chunkIds, versions };
      const plan = { records: [], embed: [], reembedded: 0, update: [], kept: chunkIds.length, remove: [] };
      return { entry, source, plan, facts, outcome: 'same' };
    }
    const { records, reader } = cut;
    const plan = await planDocument(store, documentId, records, known, { isFresh: this.#isFresh, signal });
    const chunkIds = records.map(({ id }) => id);
    const facts = { sha256, chunkIds, versions: versionsOf(this.#options.versions, reader) };
    const outcome = known === undefined || isInterrupted(known) ? 'added' : 'changed';
    return { entry, source, plan, facts, outcome };
  }

  /** Reads a document, and cuts it unless its content is the stored one. Errors are the document's own. */
  async #read(
    entry: SourceEntry,
    known: KnownDocument | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly sha256: string; readonly cut?: CutRecords }> {
    try {
      const { bytes, contentType } = await entry.read(signal);
      const sha256 = await hashOf(bytes);
      if (known?.sha256 === sha256 && !this.#isOutdated(known)) return { sha256 };
      const { documentId, filename, url } = entry;
      const cut = await this.#ports.cut({ documentId, bytes, filename, contentType, url }, entry, signal);
      for (const warning of cut.warnings) this.#options.log?.onWarning?.(warning, entry);
      return { sha256, cut };
    } catch (cause) {
      throw new DocumentError(cause);
    }
  }

  #count({ outcome, plan }: PlannedDocument): void {
    const { documents, chunks } = this.#report;
    const { embedding } = this.#options;
    const { countTokens } = this.#ports;
    documents[outcome]++;
    chunks.added += plan.embed.length - plan.reembedded;
    chunks.reembedded += plan.reembedded;
    chunks.moved += plan.update.length;
    chunks.kept += plan.kept;
    chunks.removed += plan.remove.length;
    const embedded = textsToEmbed(wantedOf(plan.records, plan.embed), embedding.blend ?? 0);
    this.#report.embedded += embedded.length;
    if (countTokens !== undefined)
      this.#report.tokens += embedded.reduce((sum, text) => sum + countTokens(embeddedText(text)), 0);
  }
}

/** An error that concerns one document; its cause is the error itself. */
class DocumentError extends Error {
  constructor(cause: unknown) {
    super('A document cannot be read.', { cause });
    this.name = 'DocumentError';
  }
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}
