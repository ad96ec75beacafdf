// The worker of one document: reads, cuts, counts and searches it, by the service's own code. Readers, vocabulary and
// embedder load at their first use.
import {
  chunkSync,
  type Document,
  type DocumentRegions,
  embeddedText,
  estimatePages,
  indexedText,
  loadTiers,
  type Span,
  type TokenCounter,
} from '@grainline/core';
import type { PagePicture, PdfPages } from '@grainline/extract/pages';
import type { ReadOptions } from '@grainline/pipeline';
import type { ReadDocument, ReadProgress } from '../document/read-document.ts';
import { sentenceOf } from '../error-sentences.ts';
import { spanOf } from '../document/cut-table.ts';
import type { CallName, Hit, WorkerAnswer, WorkerCalls, WorkerRequest } from './protocol.ts';
import { blockTable } from './block-table.ts';
import { chunksOf, cutsOf } from '../document/chunks.ts';
import { ERRORS } from '../texts.ts';

/** The document, after its reading. */
let document: Document | undefined;
/** The pages of a PDF, which stay open for drawing. */
let pages: PdfPages | undefined;

const ANSWERS: {
  readonly [Name in CallName]: (
    ask: WorkerCalls[Name]['ask'],
    onPage: (pages: ReadProgress) => void,
  ) => Promise<WorkerCalls[Name]['answer']> | WorkerCalls[Name]['answer'];
} = { read, take, cut, count, records, search, draw, picture };

self.onmessage = async ({ data }: MessageEvent<WorkerRequest>) => {
  const { id, name, body } = data;
  try {
    // The name of a call selects its answer.
    const answer = ANSWERS[name] as (
      ask: typeof body,
      onPage: (pages: ReadProgress) => void,
    ) => Promise<WorkerCalls[CallName]['answer']>;
    const made = await answer(body, (progress) => reply({ id, pages: progress }));
    self.postMessage({ id, body: made } satisfies WorkerAnswer, { transfer: movedWith(made) });
  } catch (error) {
    reply({ id, error: sentenceOf(error), code: codeOf(error), ...pagesOf(error) });
  }
};

/** Parts of an answer that move to the page without a copy; the worker needs them no more. */
function movedWith(answer: WorkerCalls[CallName]['answer']): Transferable[] {
  if ('image' in answer) return [answer.image];
  if (!('regions' in answer) || answer.regions === undefined) return [];
  const arrays: Iterable<DocumentRegions[keyof DocumentRegions]> = Object.values({ ...answer.regions });
  return Array.from(arrays, ({ buffer }) => buffer as ArrayBuffer);
}

function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The number of pages of a scan that was rejected. */
function pagesOf(error: unknown): { readonly count?: number } {
  const { pages: count } = Object(error) as { readonly pages?: unknown };
  return typeof count === 'number' ? { count } : {};
}

function reply(answer: WorkerAnswer): void {
  self.postMessage(answer);
}

async function read(
  { file, password, by, ocr = false }: WorkerCalls['read']['ask'],
  onPage: (pages: ReadProgress) => void,
): Promise<ReadDocument> {
  const [buffer, { readSource }] = await Promise.all([file.arrayBuffer(), import('@grainline/pipeline')]);
  const bytes = new Uint8Array(buffer);
  const contentType = file.type === '' ? undefined : file.type;
  const options = { ...by, password, regions: true, ...(ocr ? await ocrOptions(onPage) : { onPage }) };
  const read = await readSource({ bytes, filename: file.name, contentType }, options);
  return {
    ...(await keep(read, bytes, file.name)),
    regions: read.regions,
    sheets: await openSheets(read, bytes, password),
  };
}

/** OCR with the progress of its pages; those of text take no time beside it. */
async function ocrOptions(
  onPage: (pages: ReadProgress) => void,
): Promise<Pick<ReadOptions, 'ocr' | 'onOcrPage'>> {
  const { readPicture } = await import('./ocr.ts');
  return { ocr: readPicture, onOcrPage: (pages) => onPage({ ...pages, isOcr: true }) };
}

/** Opens the pages of a PDF; undefined for another kind, and for a file that can be read but not drawn. */
async function openSheets(
  { mediaType }: Document,
  bytes: Uint8Array,
  password: string | undefined,
): Promise<Float32Array | undefined> {
  if (mediaType !== 'application/pdf') return undefined;
  const { openPages } = await import('@grainline/extract/pages');
  try {
    pages = await openPages(bytes, { password });
  } catch {
    return undefined;
  }
  let last = LETTER;
  // A page that does not load is as large as the one before.
  return Float32Array.from(pages.sizes.flatMap((size = last) => [(last = size).width, size.height]));
}

const LETTER = { width: 612, height: 792 };

async function draw({ page, scale }: WorkerCalls['draw']['ask']): Promise<WorkerCalls['draw']['answer']> {
  const made = await drawn(page, scale);
  return { image: await createImageBitmap(imageOf(made)), isDark: isDark(made) };
}

/** Bytes between two samples of a picture, prime to its lines. */
const SAMPLE = 4 * 1009;

/** True when a picture is dark in the mean of its pixels. */
function isDark({ pixels }: PagePicture): boolean {
  let sum = 0;
  for (let at = 1; at < pixels.length; at += SAMPLE) sum += pixels[at] ?? 0;
  return (sum * SAMPLE) / pixels.length < 100;
}

async function picture({ page, scale }: WorkerCalls['picture']['ask']): Promise<Blob> {
  const { width, height, ...rest } = await drawn(page, scale);
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext('2d')?.putImageData(imageOf({ width, height, ...rest }), 0, 0);
  return canvas.convertToBlob({ type: 'image/webp', quality: 0.9 });
}

function drawn(page: number, scale: number): Promise<PagePicture> {
  if (pages === undefined) throw new Error('There are no pages to draw.');
  return pages.drawPage(page, scale);
}

function imageOf({ pixels, width, height }: PagePicture): ImageData {
  return new ImageData(pixels, width, height);
}

async function take({ text, filename }: WorkerCalls['take']['ask']): Promise<ReadDocument> {
  const [{ encodeText, readSource }, { ExtractError }] = await Promise.all([
    import('@grainline/pipeline'),
    import('@grainline/extract'),
  ]);
  // A text from a clipboard may end within a surrogate pair; the half becomes a replacement character.
  const source = encodeText(text, filename);
  try {
    return await keep(await readSource(source), source.bytes, filename);
  } catch (error) {
    const isEmpty = error instanceof ExtractError && error.code === 'empty_document';
    throw isEmpty ? new Error(ERRORS.noText) : error;
  }
}

async function keep(read: Document, bytes: Uint8Array, filename: string): Promise<ReadDocument> {
  const { hex, sha256 } = await import('@grainline/core/formats');
  document = read;
  const isCode = read.blocks.length > 0 && read.blocks.every(({ kind }) => kind === 'code');
  return {
    text: read.text,
    pages: read.pages,
    mediaType: read.mediaType,
    filename,
    title: read.title,
    isCode,
    blocks: blockTable(read.text, read.blocks),
    estimatedPages: estimatePages(read),
    documentId: hex(sha256(bytes)),
    warnings: read.warnings.map(({ message }) => message),
    hasScans: read.warnings.some(({ code }) => code === 'scanned_pages'),
  };
}

async function cut({ tier, options }: WorkerCalls['cut']['ask']): Promise<WorkerCalls['cut']['answer']> {
  if (document === undefined) throw new Error('There is no document to cut.');
  const { unit, ...limits } = options;
  const measure = unit === 'tokens' ? await counter() : undefined;
  await loadTiers([tier]);
  const startedMs = performance.now();
  const chunks = chunkSync(document, { tier, ...limits, measure });
  return { cuts: cutsOf(chunks), ms: performance.now() - startedMs };
}

async function counter(): Promise<TokenCounter> {
  const { loadCounter } = await import('@grainline/pipeline');
  return loadCounter('o200k');
}

async function count({ texts }: WorkerCalls['count']['ask']): Promise<readonly number[]> {
  const tokens = await counter();
  return texts.map((text) => tokens.count(text));
}

async function records(wanted: WorkerCalls['records']['ask']): Promise<WorkerCalls['records']['answer']> {
  const { recordsFor } = await import('@grainline/pipeline');
  const { format, tier, documentId, filename, contentType } = wanted;
  const source = { document: { filename, mediaType: contentType }, chunks: chunksOf(wanted) };
  const { records: made, extras, warnings } = recordsFor(source, format, { documentId, tier });
  return { records: made, extras, warnings: warnings.map(({ message }) => message) };
}

/** Texts in one call of the embedder, which takes some 10 ms. */
const BATCH = 256;

async function search({
  question,
  text,
  cuts,
  most,
}: WorkerCalls['search']['ask']): Promise<WorkerCalls['search']['answer']> {
  const { staticEmbedder } = await import('@grainline/models/embeddings');
  const embed = await staticEmbedder();
  const vectorsOf = async (texts: readonly string[]): Promise<ArrayLike<number>[]> => {
    const vectors: ArrayLike<number>[] = [];
    for (let at = 0; at < texts.length; at += BATCH)
      vectors.push(...(await embed(texts.slice(at, at + BATCH), {})).vectors);
    return vectors;
  };
  const [questionVector = []] = await vectorsOf([question]);
  const scoresOf = async (texts: readonly string[]): Promise<number[]> =>
    (await vectorsOf(texts)).map((vector) => cosine(questionVector, vector));
  const found: Hit[][] = [];
  for (const each of cuts) {
    const scores = await scoresOf(
      chunksOf({ cuts: each, text, pages: [] }).map((piece) => embeddedText(indexedText(piece))),
    );
    const hits = scores.map((score, chunk) => ({ chunk, score }));
    hits.sort((one, other) => other.score - one.score || one.chunk - other.chunk);
    const best: Hit[] = [];
    for (const hit of hits.slice(0, most)) {
      const sentences = sentencesOf(text, spanOf(each, hit.chunk));
      const near = await scoresOf(sentences.map(({ start, end }) => text.slice(start, end)));
      best.push({ ...hit, answer: sentences[near.indexOf(Math.max(...near))] });
    }
    found.push(best);
  }
  return found;
}

/** The most sentences of a chunk in which an answer is searched. */
const MAX_SENTENCES = 200;
/** Shorter sentences are numbers and labels. */
const SHORT_SENTENCE = 12;

/** The sentences of a span without the blanks around them. */
function sentencesOf(text: string, { start, end }: Span): Span[] {
  const spans: Span[] = [];
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' });
  for (const { segment, index } of segmenter.segment(text.slice(start, end))) {
    const from = start + index + segment.length - segment.trimStart().length;
    const to = from + segment.trim().length;
    if (to - from >= SHORT_SENTENCE) spans.push({ start: from, end: to });
    if (spans.length === MAX_SENTENCES) break;
  }
  return spans;
}

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let product = 0;
  let lengthA = 0;
  let lengthB = 0;
  for (let part = 0; part < a.length; part++) {
    const [left = 0, right = 0] = [a[part], b[part]];
    product += left * right;
    lengthA += left * left;
    lengthB += right * right;
  }
  return product === 0 ? 0 : product / Math.sqrt(lengthA * lengthB);
}
