// The pipeline of the server, from a task to the members of an answer. It runs in the server for small text and in a
// child process for other documents. Both call the same function, so their answers are equal.
import { hash } from 'node:crypto';
import {
  type Chunk,
  ChunkError,
  type Complete,
  type Decisions,
  type Document,
  type Embed,
  type EnrichmentReport,
  estimatePages,
  assertWellFormed,
} from '@grainline/core';
import { OPTIONS, pickOptions } from '@grainline/core/options';
import {
  canonicalJson,
  coverageOf,
  MAX_NAME_LENGTH,
  type RecordOptions,
  type SourceCoverage,
} from '@grainline/core/formats';
import { detectKind, ExtractError, IMAGES, type Kind, type Ocr, READERS } from '@grainline/extract';
import {
  type BytesSource,
  chunkDocument,
  type ChunkedDocument,
  encodeText,
  excessRepetition,
  loadCounter,
  readSource,
  recordsFor,
} from '@grainline/pipeline';
import { createAnswerLimit } from './answer-limit.ts';
import type { TaskProgress } from './reply.ts';
import { createStageClock, type StageReport } from './stages.ts';
import {
  type BytesInput,
  type DocumentMeasure,
  type EnrichmentWork,
  type PipelineResult,
  type ResultHashes,
  type LanguageModelWork,
  type WorkerTask,
  type TextInput,
  WorkError,
} from './task.ts';

/** The signal and the models of one run. */
export interface PipelineRun {
  readonly signal?: AbortSignal | undefined;
  /** Default: the built-in embedder. */
  readonly embed?: Embed | undefined;
  /** Required by tiers with a language model. */
  readonly complete?: Complete | undefined;
  readonly onProgress?: ((progress: TaskProgress) => void) | undefined;
  readonly onStage?: StageReport | undefined;
  /** Reads pictures of pages. Required by tasks with `ocr`. */
  readonly ocr?: Ocr | undefined;
}

/** Bytes for the pipeline with their name in the answer. */
type NamedSource = BytesSource & {
  readonly bytes: Uint8Array;
  readonly filename: string;
  readonly kind: Kind;
};

/**
 * Chunks one document. Rejects with an ExtractError, a ChunkError, a WorkError, or the signal's reason.
 */
export async function runPipeline(task: WorkerTask, run: PipelineRun = {}): Promise<PipelineResult> {
  const { input, encoding, overlap } = task;
  const { signal, embed, complete, onProgress, onStage, ocr } = run;
  const stages = createStageClock(onStage);
  const source = await (input.kind === 'text' ? sourceOfText(input) : sourceOfBytes(input, task));
  const document = await readSource(source, {
    ...pickOptions('extract', task),
    ocr: task.ocr && ocr,
    maxOcrPages: task.ocr?.maxPages,
    onOcrPage: (page) => onProgress?.({ stage: 'ocr', ...page }),
    signal,
  }).catch((error: unknown) => {
    throw isTooManyScanned(error) ? tooManyScanned(error, task.ocr?.maxPages ?? 0) : error;
  });
  stages.end('read');
  assertTextLength(document.text.length, task.maxCharacters ?? Infinity);
  const pages = estimatePages(document);
  assertPages(pages, task.maxPages ?? Infinity);
  const answerLimit = createAnswerLimit(task.maxAnswerBytes ?? Infinity, document);
  const result = await chunkDocument(
    document,
    {
      ...pickOptions('library', task),
      encoding,
      signal,
      onProgress(progress) {
        answerLimit.onProgress(progress);
        onProgress?.(progress);
      },
    },
    {
      complete,
      loadEmbedder: async () =>
        stages.watch(answerLimit.watchEmbedder(embed ?? (await loadBuiltInEmbedder()))),
      embedBatch: embed && REQUESTED_AT_ONCE,
    },
  );
  stages.end('cut');
  assertRepetition(result, overlap);
  const names = nameRecords(document, task, source);
  answerLimit.assertWithin(result.chunks, task.format, names);
  const { cohesion, decisions, enriched } = result.report;
  const { records, extras, warnings } = recordsFor(result, task.format, names);
  const coverage = coverageFor(task, document, result.chunks);
  return {
    metadata: {
      filename: source.filename,
      content_type: document.mediaType,
      reader: document.reader,
      size_bytes: source.bytes.byteLength,
      estimated_pages: pages,
      cohesion,
      language_model: decisions && workOf(decisions, enriched),
    },
    totalChunks: records.length,
    members: JSON.stringify({
      chunks: records,
      ...extras,
      ...(task.format === 'raw' && { source: coverage }),
    }).slice(1, -1),
    hashes: coverage && hashesOf(coverage, records, task),
    warnings: [...document.warnings, ...warnings],
  };
}

/**
 * Coverage for clients that check the answer, and for its receipt. In the formats of databases the answer is exactly
 * the input of their call.
 */
function coverageFor(
  { format, needsHashes }: WorkerTask,
  document: Document,
  chunks: readonly Chunk[],
): SourceCoverage | undefined {
  return format === 'raw' || needsHashes === true ? coverageOf(document, chunks) : undefined;
}

function hashesOf(
  coverage: SourceCoverage,
  records: readonly unknown[],
  { needsHashes }: WorkerTask,
): ResultHashes | undefined {
  if (needsHashes !== true) return undefined;
  return { source: coverage.sha256, chunks: hash('sha256', canonicalJson(records)) };
}

/** Reads a document as {@link runPipeline} does without OCR, and measures it in place of cutting it. */
export async function measureDocument(task: WorkerTask): Promise<DocumentMeasure> {
  const { input } = task;
  const source = await (input.kind === 'text' ? sourceOfText(input) : sourceOfBytes(input, task));
  const document = await readSource(source, pickOptions('extract', task));
  const { text, mediaType, warnings } = document;
  const counter = await loadCounter(task.encoding ?? OPTIONS.encoding.default);
  return {
    kind: source.kind,
    contentType: mediaType,
    filename: source.filename,
    sizeBytes: source.bytes.byteLength,
    pages: estimatePages(document),
    characters: text.length,
    tokens: counter.count(text),
    warnings,
  };
}

/** Texts of one call of a remote embedder, which splits them again and sends some parts concurrently. */
const REQUESTED_AT_ONCE = 1024;

function sourceOfText({ text, filename }: TextInput): NamedSource {
  assertWellFormed(text);
  return { ...encodeText(text, filename), filename };
}

async function sourceOfBytes(input: BytesInput, { records }: WorkerTask): Promise<NamedSource> {
  const { bytes, contentType } = input;
  const kind = await acceptedKind(input);
  const filename = input.filename ?? `document.${usualEnding(kind)}`;
  return { bytes, filename, contentType, kind, url: records.sourceUrl };
}

function usualEnding(id: Kind): string {
  return [...READERS, IMAGES].find(({ kind }) => kind === id)?.extensions[0] ?? id;
}

/** The work of the language model under the names of the wire. */
function workOf(
  { model, promptVersion, windows, windowsFallback, usage }: Decisions,
  enriched: EnrichmentReport | undefined,
): LanguageModelWork {
  return {
    model: namedModel(model),
    prompt_version: promptVersion,
    windows: windows.length,
    windows_fallback: windowsFallback,
    usage: usageOf(usage),
    enrichment: enriched && enrichmentOf(enriched),
  };
}

/** A document of one window needs no request, so its model has no name. */
function namedModel(model: string): string | undefined {
  return model === '' ? undefined : model;
}

function enrichmentOf({
  model,
  promptVersion,
  outlineFallback,
  sectionsFailed,
  usage,
  ...same
}: EnrichmentReport): EnrichmentWork {
  return {
    ...same,
    model: namedModel(model),
    prompt_version: promptVersion,
    outline_fallback: outlineFallback,
    sections_failed: sectionsFailed,
    usage: usageOf(usage),
  };
}

function usageOf({ calls, input, cachedInput, output }: Decisions['usage']): LanguageModelWork['usage'] {
  return { calls, input_tokens: input, cached_input_tokens: cachedInput, output_tokens: output };
}

function isTooManyScanned(error: unknown): error is ExtractError {
  return error instanceof ExtractError && error.code === 'too_many_scanned_pages';
}

/** The error of a document with too many pages for OCR, with the limit of its tier. */
function tooManyScanned({ code, pages = 0 }: ExtractError, most: number): WorkError {
  return new WorkError(
    code,
    `The document has ${pages} scanned pages, and this tier reads at most ${most} by OCR. Send it in parts, or choose pages by the field pages. The operator sets the limit: OCR_MAX_PAGES and OCR_JOB_PAGES.`,
    { limit: { max_scanned_pages: most, scanned_pages: pages } },
  );
}

/** Rejects a text above the limit of its tier, in UTF-16 units. */
export function assertTextLength(characters: number, maxCharacters: number): void {
  if (characters <= maxCharacters) return;
  throw new WorkError(
    'too_many_characters',
    `The document has ${characters} characters; this tier takes at most ${maxCharacters}. Send it in parts, or use the free tier.`,
    { limit: { max_characters: maxCharacters, characters } },
  );
}

/** Rejects a document above the client's free pages. The server knows the day and writes the message for clients. */
function assertPages(pages: number, maxPages: number): void {
  if (pages <= maxPages) return;
  const limit = { pages_left: maxPages, pages_needed: pages };
  throw new WorkError('quota_exceeded', `The document counts ${pages} pages, and ${maxPages} are left.`, {
    limit,
  });
}

/** The way out for a document of a readable kind: links may lead to every kind. */
const READABLE = '. A link to it is taken, and so is the file where the operator widens UPLOAD_KINDS';

/** Detects the kind of a file. Rejects with `unsupported_type` when the task does not accept it. */
export async function acceptedKind(input: BytesInput): Promise<Kind> {
  const { bytes, filename, contentType, accept } = input;
  if (input.detectedKind !== undefined) return input.detectedKind;
  const endings = accept.map((id) => `.${usualEnding(id)}`).join(', ');
  const unsupported = (found: string, wayOut = ''): ExtractError =>
    new ExtractError('unsupported_type', { detail: `${found}; accepted here are ${endings}${wayOut}` });
  const images = accept.includes(IMAGES.kind);
  const kind = await detectKind(bytes, { filename, contentType, images }).catch((error: unknown) => {
    const found = error instanceof ExtractError ? foundKind(error, accept) : undefined;
    throw found === undefined ? error : unsupported(found);
  });
  if (accept.includes(kind)) return kind;
  const name = READERS.find((entry) => entry.kind === kind)?.name ?? kind;
  throw unsupported(`it is ${name}`, READABLE);
}

/** The kind of a file without a readable kind, in words. */
function foundKind({ code, found }: ExtractError, accept: readonly Kind[]): string | undefined {
  const takesPackages = READERS.some(({ kind, signature }) => signature?.zip && accept.includes(kind));
  // Where no package is accepted, a sound one or one without a password is of no more use.
  if (takesPackages || !(code in PACKAGES)) return found;
  return PACKAGES[code as keyof typeof PACKAGES];
}

/** Packages of office programs by the error of their detection. */
const PACKAGES = {
  corrupted: 'it is a damaged ZIP archive',
  encrypted: 'it is an office document with a password',
} as const;

/** Rejects an overlap with unbounded repetition between the chunks. */
function assertRepetition(result: ChunkedDocument, overlap: number): void {
  const excess = excessRepetition(result);
  if (excess === undefined) return;
  const { characters, limit } = excess;
  const expected = `less: the chunks of this document would hold ${characters} characters, and ${limit} are the most`;
  throw new ChunkError('invalid_options', `The overlap must be ${expected}.`, {
    issues: [{ option: 'overlap', expected, received: String(overlap) }],
  });
}

async function loadBuiltInEmbedder(): Promise<Embed> {
  const { staticEmbedder } = await import('@grainline/models/embeddings');
  return staticEmbedder();
}

/** The names in the records of a document. */
function nameRecords(
  { mediaType, reader }: Document,
  { records }: WorkerTask,
  { bytes, filename }: NamedSource,
): Omit<RecordOptions, 'vectors'> {
  const { tierName, documentId, sourceUrl, ...names } = records;
  // A link can be too long for a record. Then the record has none, and the hash of the bytes names the document.
  const link = sourceUrl !== undefined && sourceUrl.length <= MAX_NAME_LENGTH ? sourceUrl : undefined;
  return {
    ...names,
    documentId: documentId ?? link ?? hash('sha256', bytes, 'hex'),
    sourceUrl: link,
    filename,
    contentType: mediaType,
    reader,
    tier: tierName,
  };
}
