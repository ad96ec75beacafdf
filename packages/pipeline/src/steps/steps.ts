// The steps of loading a document: plan → read (ranges of pages) → cut → embed → write. Every step between plan and
// write puts its result into the blob store under its key, and does nothing when it is there. A step makes the results
// that it needs and does not find, so the order in which an engine runs steps decides only how much is done at once.
import type { Embed, StoreSpec, VectorStore } from '@grainline/core';
import { hex } from '@grainline/core/formats';
import { detectKind } from '@grainline/extract';
import { countPages, layOutRanges, type PdfRange, readPages } from '@grainline/extract/ranges';
import {
  chunkDocument,
  type ChunkSourceOptions,
  type PipelinePorts,
  separateOptions,
} from '../chunk-source.ts';
import { type CutRecords, recordsOfChunks } from '../load/cut-document.ts';
import { embedInWords, embedTexts } from '../load/vectors.ts';
import { currentVersions, type Versions, versionsOf } from '../load/versions.ts';
import { type ReadOptions, readSource } from '../source.ts';
import type { BlobStore } from './blobs.ts';
import { documentFromJson, documentToJson } from './document.ts';
import { decodeJson, encodeJson } from './json.ts';
import {
  firstPagesOf,
  keyOf,
  parseStep,
  type QueuedDocument,
  type Step,
  StepError,
  type StepKind,
} from './step.ts';
import {
  type EmbeddedTexts,
  type ResultKeys,
  storedKeys,
  textHash,
  textsOf,
  vectorsOf,
  writeRevision,
  type WriteOutcome,
} from './write.ts';

/** Raised by each change of a result's shape, so that older results are made again. */
const RESULT_VERSION = 1;
/** Reading 100 pages takes about a quarter of a second; a file of a thousand is opened in a twentieth of that. */
const PAGES_PER_READ = 100;

/** Options of reading and cutting that are plain data. All workers have equal ones. */
export type StepSettings = Omit<
  ChunkSourceOptions,
  'measure' | 'signal' | 'password' | 'pdfium' | 'ocr' | 'embed' | 'complete' | 'syntax' | `on${string}`
> & { readonly tier: NonNullable<ChunkSourceOptions['tier']> };

/** The programs and settings of a worker. */
export interface StepDeps {
  readonly blobs: BlobStore;
  readonly store: VectorStore;
  /** Gives unblended vectors, those of `embedding`. */
  readonly embed: Embed;
  readonly embedding: StoreSpec['embedding'];
  /** Most texts of one call of `embed`. Default 64. */
  readonly embedBatch?: number | undefined;
  readonly settings: StepSettings;
  /** Models of the tiers that need some. */
  readonly ports?: PipelinePorts | undefined;
  /** Reads scanned pages, and the place of PDFium, as `extract` takes them. */
  readonly reading?: Pick<ReadOptions, 'ocr' | 'pdfium'> | undefined;
  /** Pages of a PDF that one step reads: an integer from 1. Default 100. */
  readonly pagesPerRead?: number | undefined;
  /** Time after which the lock of a killed worker is free, in milliseconds. Default: the store's. */
  readonly lockMs?: number | undefined;
  /** Called after each write that has ended. */
  readonly onWritten?: ((document: QueuedDocument, outcome: WriteOutcome) => void) | undefined;
}

/** A document to load, with its bytes; `undefined` removes it. */
export interface SubmittedDocument extends Omit<QueuedDocument, 'sha256'> {
  readonly bytes: Uint8Array | undefined;
}

/** The steps of one worker. */
export interface DocumentSteps {
  /** Puts a document's bytes into the blob store; resolves with its first step, which goes into a queue. */
  submit(document: SubmittedDocument): Promise<Step>;
  /**
   * Runs a step. Resolves with the steps that may run now: behind a plan the reads, behind the last read of a document
   * its cut, and so on; behind the write none. Two reads that end together may both give the cut.
   *
   * Rejects with errors of the document ({@link isPermanent}), of the stores and the embedder, with a
   * {@link StepError}, and with the signal's reason.
   */
  run(step: Step, signal?: AbortSignal): Promise<Step[]>;
  /** The steps behind a plan, all at once, for engines that keep an order: reads, cut, embed, write. */
  plan(step: Step, signal?: AbortSignal): Promise<PlannedSteps>;
}

/** The steps of a document, in their order. */
export interface PlannedSteps {
  /** None for a document that is removed. */
  readonly reads: readonly Step[];
  /** Each waits for the one before, the first for all reads. */
  readonly chain: readonly Step[];
}

/** The steps of a worker. Nothing is connected or written before the first one runs. */
export function createSteps(deps: StepDeps): DocumentSteps {
  return new StepRunner(deps);
}

class StepRunner implements DocumentSteps {
  readonly #deps: StepDeps;
  #versions: Promise<Versions> | undefined;
  #prepared: Promise<unknown> | undefined;

  constructor(deps: StepDeps) {
    this.#deps = deps;
  }

  async submit({ bytes, ...document }: SubmittedDocument): Promise<Step> {
    const sha256 = bytes === undefined ? '' : await hashOf(bytes);
    if (bytes !== undefined) await this.#deps.blobs.put(sourceKey(sha256), bytes);
    return this.#step('plan', { document: { ...document, sha256 } });
  }

  async plan(json: Step, signal?: AbortSignal): Promise<PlannedSteps> {
    const { document } = await this.#check(json);
    if (document.sha256 === '') return { reads: [], chain: [await this.#step('write', { document })] };
    const pages = await this.#pagesOf(document, signal);
    const { pagesPerRead = PAGES_PER_READ } = this.#deps;
    const given = { document, ...(pages === undefined ? {} : { pages, pagesPerRead }) };
    const chain = (['cut', 'embed', 'write'] as const).map((kind) => this.#step(kind, given));
    return { reads: await this.#reads(given), chain: await Promise.all(chain) };
  }

  async run(json: Step, signal?: AbortSignal): Promise<Step[]> {
    const step = await this.#check(json);
    switch (step.kind) {
      case 'plan': {
        const { reads, chain } = await this.plan(step, signal);
        return reads.length > 0 ? [...reads] : chain.slice(0, 1);
      }
      case 'read':
        await this.#ensure(step.key, () => this.#read(step, signal));
        for (const read of await this.#reads(step)) if (!(await this.#deps.blobs.has(read.key))) return [];
        return [await this.#step('cut', step)];
      case 'cut':
        await this.#ensure(step.key, () => this.#cut(step, signal));
        return [await this.#step('embed', step)];
      case 'embed':
        await this.#ensure(step.key, () => this.#embed(step, signal));
        return [await this.#step('write', step)];
      case 'write':
        await this.#write(step, signal);
        return [];
    }
  }

  /** The step of a message, when this worker would have made it as it is. */
  async #check(json: Step): Promise<Step> {
    const step = parseStep(json);
    const own = await this.#step(step.kind, step);
    if (own.key === step.key) return step;
    throw new StepError(
      'other_settings',
      `The step ${step.key} was planned with other versions or settings than those of this worker. Run workers of one version, or submit ${step.document.documentId} again.`,
    );
  }

  async #step(kind: StepKind, given: Omit<Step, 'kind' | 'key'>): Promise<Step> {
    const { document, pages, pagesPerRead, first } = given;
    const inRanges = pages === undefined ? {} : { pages, pagesPerRead: pagesPerRead ?? pages };
    const ofRead = kind !== 'read' || first === undefined ? {} : { first };
    return { kind, key: await this.#key(kind, given), document, ...inRanges, ...ofRead };
  }

  /** The key of a step: what its result depends on, and for plan and write the revision. */
  async #key(kind: StepKind, { document, first, pagesPerRead }: Omit<Step, 'kind' | 'key'>): Promise<string> {
    const { embedding, reading } = this.#deps;
    const { documentId, revision, sha256, filename, contentType, url } = document;
    const versions = await (this.#versions ??= currentVersions(this.#deps.settings));
    const content = [RESULT_VERSION, versions, reading?.ocr !== undefined, sha256];
    const hints = [filename, contentType, url];
    switch (kind) {
      case 'read':
        return keyOf(kind, content, ...(first === undefined ? hints : [first, pagesPerRead]));
      case 'cut':
        return keyOf(kind, content, hints, documentId);
      case 'embed':
        return keyOf(kind, content, hints, documentId, embedding.model, embedding.dimensions);
      case 'plan':
      case 'write':
        return keyOf(kind, content, hints, documentId, embedding, revision);
    }
  }

  async #reads(given: Omit<Step, 'kind' | 'key'>): Promise<Step[]> {
    const { document, pages } = given;
    if (pages === undefined) return [await this.#step('read', { document })];
    return Promise.all(firstPagesOf(given).map((first) => this.#step('read', { ...given, first })));
  }

  /** The number of pages of a PDF that can be read in ranges. */
  async #pagesOf(document: QueuedDocument, signal: AbortSignal | undefined): Promise<number | undefined> {
    const { settings, reading } = this.#deps;
    const bytes = await this.#source(document);
    const { filename, contentType } = document;
    const kind = await detectKind(bytes, { filename, contentType, images: reading?.ocr !== undefined });
    if (kind !== 'pdf' || settings.pages !== undefined) return undefined;
    const count = await countPages(bytes, { pdfium: reading?.pdfium, signal });
    return count === 0 ? undefined : count;
  }

  async #source({ documentId, sha256 }: QueuedDocument): Promise<Uint8Array> {
    const bytes = await this.#deps.blobs.get(sourceKey(sha256));
    if (bytes !== undefined) return bytes;
    throw new StepError(
      'missing_source',
      `The bytes of ${documentId} are not in the blob store: submit it again.`,
    );
  }

  async #ensure(key: string, make: () => Promise<unknown>): Promise<void> {
    const { blobs } = this.#deps;
    if (!(await blobs.has(key))) await blobs.put(key, encodeJson(await make()));
  }

  /** The result of a step; made when it is not there. */
  async #result(key: string, make: () => Promise<unknown>): Promise<unknown> {
    await this.#ensure(key, make);
    const bytes = await this.#deps.blobs.get(key);
    // A result may be deleted at any time.
    return bytes === undefined ? make() : decodeJson(bytes);
  }

  #options(signal: AbortSignal | undefined): ReturnType<typeof separateOptions> {
    return separateOptions({ ...this.#deps.settings, ...this.#deps.reading, signal });
  }

  async #read(
    { document, first, pagesPerRead = 1 }: Pick<Step, 'document' | 'first' | 'pagesPerRead'>,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const bytes = await this.#source(document);
    const { reading } = this.#options(signal);
    if (first !== undefined) return readPages(bytes, { first, last: first + pagesPerRead - 1 }, reading);
    const { filename, contentType, url } = document;
    return documentToJson(await readSource({ bytes, filename, contentType, url }, reading));
  }

  async #cut(step: Step, signal: AbortSignal | undefined): Promise<CutRecords> {
    const { settings, ports } = this.#deps;
    const { reading, cutting } = this.#options(signal);
    const { documentId, filename, url } = step.document;
    const results: unknown[] = [];
    for (const read of await this.#reads(step))
      results.push(await this.#result(read.key, () => this.#read(read, signal)));
    const document =
      step.pages === undefined
        ? documentFromJson(results[0])
        : await layOutRanges(results as PdfRange[], { ...reading, filename: baseName(filename) });
    // A bound on the whole file: it is read at once.
    const whole = document ?? documentFromJson(await this.#read({ document: step.document }, signal));
    const chunked = await chunkDocument(whole, { ...cutting, signal }, ports);
    return recordsOfChunks(chunked, { documentId, url, tier: settings.tier });
  }

  #cutResult(step: Step, key: string, signal: AbortSignal | undefined): Promise<CutRecords> {
    return this.#result(key, () => this.#cut(step, signal)) as Promise<CutRecords>;
  }

  /** Embeds the texts of a document, except those that its stored revision has too. */
  async #embed(step: Step, signal = new AbortController().signal): Promise<EmbeddedTexts> {
    const { embed, embedBatch: batch = 64, embedding } = this.#deps;
    const { dimensions } = embedding;
    const { records } = await this.#cutResult(step, await this.#key('cut', step), signal);
    const texts = textsOf(records);
    const known = await this.#storedVectors(step.document);
    const hashes = texts.map(textHash);
    const missing = texts.filter((_, at) => !known.has(hashes[at] ?? ''));
    const made = await embedTexts(missing, { embed: embedInWords(embed), batch, dimensions, signal });
    const rows = texts.map((text, at) => made.get(text) ?? known.get(hashes[at] ?? '') ?? []);
    const vectors = new Float64Array(texts.length * dimensions);
    for (const [at, row] of rows.entries()) vectors.set(row, at * dimensions);
    // Most embedders give single precision, which takes half of the room.
    const isSingle = vectors.every((value) => Math.fround(value) === value);
    return { hashes, vectors: isSingle ? Float32Array.from(vectors) : vectors };
  }

  async #storedVectors({ documentId }: QueuedDocument): Promise<Map<string, ArrayLike<number>>> {
    const { store, embedding } = this.#deps;
    const keys = await storedKeys(store, documentId);
    const { embedded } = (keys && (await this.#load(keys))) ?? {};
    // The store refuses another model, not this step.
    const isSame = embedded?.vectors.length === (embedded?.hashes.length ?? 0) * embedding.dimensions;
    return embedded === undefined || !isSame ? new Map() : vectorsOf(embedded);
  }

  async #load({ cut, embed }: ResultKeys): Promise<{ cut: CutRecords; embedded: EmbeddedTexts } | undefined> {
    const { blobs } = this.#deps;
    const [records, embedded] = await Promise.all([blobs.get(cut), blobs.get(embed)]);
    if (records === undefined || embedded === undefined) return undefined;
    return { cut: decodeJson(records) as CutRecords, embedded: decodeJson(embedded) as EmbeddedTexts };
  }

  async #write(step: Step, signal: AbortSignal | undefined): Promise<void> {
    const { document } = step;
    const { store, embedding, lockMs, onWritten } = this.#deps;
    const versions = await (this.#versions ??= currentVersions(this.#deps.settings));
    this.#prepared ??= store.prepare({ embedding, versions }, { acceptVersions: true });
    // The next write tries again.
    await this.#prepared.catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    });
    const keys = document.sha256 === '' ? undefined : await this.#keysOf(step, signal);
    const outcome = await writeRevision(document, keys, {
      store,
      embedding,
      lockMs,
      load: (wanted) => (wanted.cut === keys?.cut ? this.#results(step, signal) : this.#load(wanted)),
      versionsOf: (reader) => versionsOf(versions, reader),
      signal,
    });
    onWritten?.(document, outcome);
  }

  /** The keys of a document's results, which are there. */
  async #keysOf(step: Step, signal: AbortSignal | undefined): Promise<ResultKeys> {
    const [cut, embed] = await Promise.all([this.#key('cut', step), this.#key('embed', step)]);
    await this.#ensure(cut, () => this.#cut(step, signal));
    await this.#ensure(embed, () => this.#embed(step, signal));
    return { cut, embed };
  }

  async #results(
    step: Step,
    signal: AbortSignal | undefined,
  ): Promise<{ cut: CutRecords; embedded: EmbeddedTexts }> {
    const { cut, embed } = await this.#keysOf(step, signal);
    const embedded = await this.#result(embed, () => this.#embed(step, signal));
    return { cut: await this.#cutResult(step, cut, signal), embedded: embedded as EmbeddedTexts };
  }
}

function sourceKey(sha256: string): string {
  return `source/${sha256}`;
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  const own = Uint8Array.from(bytes);
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', own)));
}

/** As `extract` keeps it. */
function baseName(filename: string | undefined): string | undefined {
  return filename?.split(/[/\\]/).findLast((part) => part !== '');
}
