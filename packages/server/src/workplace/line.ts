// The line itself: input → Document → chunks → records → members of an answer. Runs in the server for small text and
// in a child process for everything else; it is the same function, so the two cannot differ.
import { hash } from 'node:crypto';
import {
  type Chunk,
  chunk,
  ChunkError,
  type ChunkOptions,
  type CohesionGain,
  type Complete,
  type Decisions,
  type Document,
  type Embed,
  type EnrichmentReport,
  estimatePages,
  needsEmbedder,
  type Progress,
  refuseIllFormed,
  TIERS,
} from '@grainline/core';
import {
  coverageOf,
  type FormatId,
  type Formatted,
  MAX_NAME_LENGTH,
  type StoreRecord,
  formatChunks,
  vectorsOf,
} from '@grainline/core/formats';
import { detectKind, extract, ExtractError, type Kind, READERS } from '@grainline/extract';
import {
  type BytesInput,
  type EnrichmentWork,
  type Finished,
  type LanguageModelWork,
  type Task,
  type TextInput,
  WorkError,
} from './task.ts';

/** A document, its bytes, and what it is called. */
interface Read {
  readonly document: Document;
  readonly bytes: Uint8Array;
  readonly filename: string;
}

/** The signal and the models of one run of the line. */
export interface LineRun {
  readonly signal?: AbortSignal;
  /** Default: the built-in embedder. */
  readonly embed?: Embed;
  /** Tiers that ask a language model need it. */
  readonly complete?: Complete;
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * Works on one document from beginning to end. Rejects with an ExtractError, a ChunkError, a WorkError, or the signal's
 * reason.
 */
export async function runLine(task: Task, run: LineRun = {}): Promise<Finished> {
  const { signal } = run;
  const { input, overlap } = task;
  const read = await (input.kind === 'text' ? readText(input) : readBytes(input, signal));
  signal?.throwIfAborted();
  const { document, bytes, filename } = read;
  refuseLongText(document.text.length, task.maxCharacters ?? Infinity);
  let cohesion: CohesionGain | undefined;
  let decisions: Decisions | undefined;
  let enriched: EnrichmentReport | undefined;
  const chunks = await chunk(document, {
    ...(await chunkOptions(task, run)),
    onCohesion: (gain) => void (cohesion = gain),
    onDecisions: (made) => void (decisions = made),
    onEnriched: (report) => void (enriched = report),
  });
  refuseSwollen(chunks, document, overlap);
  const sha256 = digestsOf(read);
  const { records, extras, warnings } = recordsOf(chunks, task, read, sha256);
  return {
    metadata: {
      filename,
      content_type: document.mediaType,
      size_bytes: bytes.byteLength,
      estimated_pages: estimatePages(document),
      ...(cohesion === undefined ? undefined : { cohesion }),
      ...(decisions === undefined ? undefined : { language_model: workOf(decisions, enriched) }),
    },
    totalChunks: records.length,
    members: JSON.stringify({
      chunks: records,
      ...extras,
      ...sourceOf(chunks, document, task, sha256),
    }).slice(1, -1),
    warnings: [...document.warnings, ...warnings],
  };
}

/** Core checks them. Counter and embedder are loaded where they are first needed, which in most processes is never. */
async function chunkOptions(
  { tier, size, overlap, encoding, target, min, context, embeddings }: Task,
  { signal, embed, complete, onProgress }: LineRun,
): Promise<ChunkOptions> {
  const takes: readonly string[] = TIERS[tier].options;
  const options: Readonly<Record<string, unknown>> = {
    tier,
    size,
    overlap,
    ...(target === undefined ? {} : { target }),
    ...(min === undefined ? {} : { min }),
    ...(context === undefined ? {} : { context }),
    ...(embeddings === undefined ? {} : { embeddings }),
    ...(signal === undefined ? {} : { signal }),
    ...(needsEmbedder(tier, embeddings) ? await embedding(embed) : {}),
    ...(takes.includes('complete') ? { complete } : {}),
    ...(onProgress === undefined ? {} : { onProgress }),
  };
  if (encoding === undefined) return options;
  const { tokenCounter } = await import('@grainline/models/tokens');
  const inTokens: typeof options = { ...options, measure: await tokenCounter(encoding) };
  return inTokens;
}

/** The embedder that was brought, or the one that is built in. */
async function embedding(embed: Embed | undefined): Promise<Pick<ChunkOptions, 'embed' | 'embedBatch'>> {
  if (embed !== undefined) return { embed, embedBatch: ASKED_AT_ONCE };
  const { staticEmbedder } = await import('@grainline/models/embeddings');
  return { embed: await staticEmbedder() };
}

/** What the language model did, in the words of answers. */
function workOf(
  { model, promptVersion, windows, windowsFallback, usage }: Decisions,
  enriched: EnrichmentReport | undefined,
): LanguageModelWork {
  return {
    ...namedModel(model),
    prompt_version: promptVersion,
    windows: windows.length,
    windows_fallback: windowsFallback,
    usage: usageOf(usage),
    ...(enriched === undefined ? undefined : { enrichment: enrichmentOf(enriched) }),
  };
}

/** A document of one piece leaves nothing to ask: then no model is named, rather than an empty one. */
function namedModel(model: string): Pick<LanguageModelWork, 'model'> {
  return model === '' ? {} : { model };
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
    ...namedModel(model),
    prompt_version: promptVersion,
    ...(outlineFallback === undefined ? undefined : { outline_fallback: outlineFallback }),
    sections_failed: sectionsFailed,
    usage: usageOf(usage),
  };
}

function usageOf({ calls, input, cachedInput, output }: Decisions['usage']): LanguageModelWork['usage'] {
  return { calls, input_tokens: input, cached_input_tokens: cachedInput, output_tokens: output };
}

/** Texts of one question to an embedder elsewhere, which parts them again and asks for some parts at the same time. */
const ASKED_AT_ONCE = 1024;

/** Refuses a text that is longer than its tier takes, in UTF-16 units. */
export function refuseLongText(characters: number, maxCharacters: number): void {
  if (characters <= maxCharacters) return;
  throw new WorkError(
    'too_many_characters',
    `The document has ${characters} characters; this tier takes at most ${maxCharacters}. Send it in parts, or use the free tier.`,
    { limit: { max_characters: maxCharacters, characters } },
  );
}

/** Of a document that could be read: links may lead to every kind. */
const READABLE =
  '. A link to it is taken, and so is the file where whoever runs the service widens UPLOAD_KINDS';

/** The kind of some bytes, when it is one of those that are taken. Rejects with `unsupported_type` otherwise. */
export async function acceptedKind(input: BytesInput): Promise<Kind> {
  const { bytes, filename, contentType, accept } = input;
  if (input.found !== undefined) return input.found;
  const entryOf = (id: Kind) => READERS.find((entry) => entry.kind === id);
  const endings = accept.map((id) => `.${entryOf(id)?.extensions[0] ?? id}`).join(', ');
  const refused = (found: string, wayOut = ''): ExtractError =>
    new ExtractError('unsupported_type', { detail: `${found}; accepted here are ${endings}${wayOut}` });
  const kind = await detectKind(bytes, { filename, contentType }).catch((error: unknown) => {
    throw error instanceof ExtractError && error.found !== undefined ? refused(error.found) : error;
  });
  if (accept.includes(kind)) return kind;
  throw refused(`it is ${entryOf(kind)?.name ?? kind}`, READABLE);
}

async function readBytes(input: BytesInput, signal: AbortSignal | undefined): Promise<Read> {
  const { bytes, contentType } = input;
  const kind = await acceptedKind(input);
  const filename =
    input.filename ?? `document.${READERS.find((entry) => entry.kind === kind)?.extensions[0] ?? kind}`;
  return { document: await extract(bytes, { filename, contentType, kind, signal }), bytes, filename };
}

/**
 * Text is what it is: no look at its content turns it into a PDF or a page of HTML. Which kind of text it is, its name
 * says, or its content where the name says nothing.
 */
async function readText({ text, filename }: TextInput): Promise<Read> {
  refuseIllFormed(text);
  const ending = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
  const kind: Kind =
    READERS.find((entry) => !entry.binary && entry.kind !== 'html' && entry.extensions.includes(ending))
      ?.kind ?? 'txt';
  const reader = await READERS.find((entry) => entry.kind === kind)?.load();
  const bytes = new TextEncoder().encode(text);
  const document = await reader?.read({ bytes, filename, charset: 'utf-8' });
  if (document === undefined || document.text.trim() === '') throw new ExtractError('empty_document');
  return { document, bytes, filename };
}

/**
 * What chunks may hold together when their overlap makes it more than twice their document, in UTF-16 units. Up to half
 * of the size never does; at size - 1 every 100 kB could become 100 MB.
 */
const MAX_REPEATING = 16 * 1024 * 1024;

function refuseSwollen(chunks: readonly Chunk[], { text }: Document, overlap: number): void {
  const most = Math.max(2 * text.length, MAX_REPEATING);
  const length = chunks.reduce((sum, chunk) => sum + chunk.text.length, 0);
  if (length <= most) return;
  const expected = `less: the chunks of this document would hold ${length} characters, and ${most} are the most`;
  throw new ChunkError('invalid_options', `The overlap must be ${expected}.`, {
    faults: [{ option: 'overlap', expected, received: String(overlap) }],
  });
}

function recordsOf(
  chunks: Chunk[],
  { format, records }: Task,
  { document, filename }: Read,
  sha256: Digests,
): Formatted<StoreRecord<FormatId>, object> {
  const { tierName, documentId, sourceUrl, ...names } = records;
  // A link may be longer than a record can carry: then it is left out, and the bytes name the document.
  const link = sourceUrl !== undefined && sourceUrl.length <= MAX_NAME_LENGTH ? sourceUrl : undefined;
  const found = vectorsOf(chunks);
  const { extras, ...formatted } = formatChunks(chunks, format, {
    ...names,
    ...(found === undefined ? undefined : { vectors: found.vectors }),
    documentId: documentId ?? link ?? sha256.ofBytes(),
    ...(link === undefined ? undefined : { sourceUrl: link }),
    sha256: sha256.ofText,
    sha1: (name) => hash('sha1', name, 'hex'),
    filename,
    tier: tierName,
    contentType: document.mediaType,
  });
  const beside = found === undefined ? extras : { ...extras, embedding: found.embedding };
  return { ...formatted, extras: beside };
}

/** What clients check the answer by. In the shapes of databases the answer is what their call takes, and no more. */
function sourceOf(chunks: readonly Chunk[], document: Document, { format }: Task, sha256: Digests): object {
  return format === 'raw' ? { source: coverageOf(document, chunks, { sha256: sha256.ofText }) } : {};
}

/** SHA-256 in hexadecimal, faster than core's own. */
interface Digests {
  /** Digest of the document as it came. */
  readonly ofBytes: () => string;
  /** Digest of a text's UTF-8 bytes. */
  readonly ofText: (text: string) => string;
}

/** Up to this size the text is made bytes again for {@link digestsOf}; beyond it the memory is worth more. */
const MAX_COMPARED_BYTES = 256 * 1024;
/** Buffer in which these bytes are made. */
let room: Uint8Array | undefined;
const encoder = new TextEncoder();

/**
 * The text that was read is hashed, and so are its bytes. Mostly they are the same: to see that takes a tenth of what
 * it takes to hash them again.
 */
function digestsOf({ document: { text: read }, bytes }: Read): Digests {
  let known: string | undefined;
  return {
    ofBytes: () => (known ??= hash('sha256', bytes, 'hex')),
    ofText: (text) =>
      known !== undefined && text === read && isUtf8Of(text, bytes) ? known : hash('sha256', text, 'hex'),
  };
}

/** Whether a text is these bytes in UTF-8; false also for those that are not compared. */
function isUtf8Of(text: string, bytes: Uint8Array): boolean {
  if (bytes.byteLength > MAX_COMPARED_BYTES) return false;
  room ??= new Uint8Array(MAX_COMPARED_BYTES);
  const { read, written } = encoder.encodeInto(text, room);
  return read === text.length && Buffer.compare(room.subarray(0, written), bytes) === 0;
}
