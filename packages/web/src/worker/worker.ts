// The worker of one document: reads, cuts, counts and searches it, by the service's own code. Readers, vocabulary and
// embedder load at their first use.
import {
  chunkSync,
  type Document,
  estimatePages,
  indexedText,
  loadTiers,
  type TokenCounter,
} from '@grainline/core';
import type { PageProgress } from '@grainline/extract';
import type { ReadDocument } from '../document/read-document.ts';
import { sentenceOf } from '../error-sentences.ts';
import type { WorkerRequest, WorkerAnswer, WorkerCalls, CallName } from './protocol.ts';
import { blockTable } from './block-table.ts';
import { chunksOf, cutsOf } from '../document/chunks.ts';

/** The document, after its reading. */
let document: Document | undefined;

const ANSWERS: {
  readonly [Name in CallName]: (
    ask: WorkerCalls[Name]['ask'],
    onPage: (pages: PageProgress) => void,
  ) => Promise<WorkerCalls[Name]['answer']> | WorkerCalls[Name]['answer'];
} = { read, take, cut, count, records, search };

self.onmessage = async ({ data }: MessageEvent<WorkerRequest>) => {
  const { id, name, body } = data;
  try {
    // The name of a call selects its answer.
    const answer = ANSWERS[name] as (
      ask: typeof body,
      onPage: (pages: PageProgress) => void,
    ) => Promise<WorkerCalls[CallName]['answer']>;
    reply({ id, body: await answer(body, (pages) => reply({ id, pages })) });
  } catch (error) {
    reply({ id, error: sentenceOf(error), code: codeOf(error) });
  }
};

function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

function reply(answer: WorkerAnswer): void {
  self.postMessage(answer);
}

async function read(
  { file, password, by }: WorkerCalls['read']['ask'],
  onPage: (pages: PageProgress) => void,
): Promise<ReadDocument> {
  const [buffer, { readSource }] = await Promise.all([file.arrayBuffer(), import('@grainline/pipeline')]);
  const bytes = new Uint8Array(buffer);
  const contentType = file.type === '' ? undefined : file.type;
  const read = await readSource({ bytes, filename: file.name, contentType }, { ...by, password, onPage });
  return keep(read, bytes, file.name);
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
    throw isEmpty ? new Error('There is no text in it.') : error;
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
  const found = [];
  for (const each of cuts) {
    const vectors = await vectorsOf(chunksOf({ cuts: each, text, pages: [] }).map(indexedText));
    const scores = vectors.map((vector, chunk) => ({ chunk, score: cosine(questionVector, vector) }));
    found.push(scores.sort((a, b) => b.score - a.score || a.chunk - b.chunk).slice(0, most));
  }
  return found;
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
