// The worker of one document: reads it, cuts it, counts, searches. The same code as the service's, so the same chunks;
// its readers, vocabulary and embedder are loaded when they are first needed.
import {
  chunkSync,
  type Document,
  estimatePages,
  indexedText,
  loadTiers,
  type TokenCounter,
} from '@grainline/core';
import type { PageProgress } from '@grainline/extract';
import { sentenceOf } from '../faults.ts';
import type { Ask, Answer, Conversation, Question, Reading } from '../protocol.ts';
import { codeIn, NO_CODE } from '../viewer/code.ts';
import { chunksOf, cutsOf } from './chunks.ts';

/** The document, once it was read. */
let document: Document | undefined;

const ANSWERS: {
  readonly [Name in Question]: (
    ask: Conversation[Name]['ask'],
    onPage: (pages: PageProgress) => void,
  ) => Promise<Conversation[Name]['answer']> | Conversation[Name]['answer'];
} = { read, take, cut, count, records, search };

self.onmessage = async ({ data }: MessageEvent<Ask>) => {
  const { id, name, body } = data;
  try {
    // Each question goes to the answer of its own name.
    const answer = ANSWERS[name] as (
      ask: typeof body,
      onPage: (pages: PageProgress) => void,
    ) => Promise<Conversation[Question]['answer']>;
    reply({ id, body: await answer(body, (pages) => reply({ id, pages })) });
  } catch (error) {
    reply({ id, fault: sentenceOf(error) });
  }
};

function reply(answer: Answer): void {
  self.postMessage(answer);
}

async function read(
  { file }: Conversation['read']['ask'],
  onPage: (pages: PageProgress) => void,
): Promise<Reading> {
  const [buffer, { extract }] = await Promise.all([file.arrayBuffer(), import('@grainline/extract')]);
  const bytes = new Uint8Array(buffer);
  const type = file.type === '' ? {} : { contentType: file.type };
  return keep(await extract(bytes, { filename: file.name, onPage, ...type }), bytes, file.name);
}

async function take({ text, filename }: Conversation['take']['ask']): Promise<Reading> {
  const { READERS } = await import('@grainline/extract');
  const ending = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
  const isText = READERS.filter(({ binary, kind }) => !binary && kind !== 'html');
  const entry = isText.find(({ extensions }) => extensions.includes(ending)) ?? isText.at(-1);
  const reader = await entry?.load();
  // A text from a clipboard may hold half a character.
  const bytes = new TextEncoder().encode(text);
  const taken = await reader?.read({ bytes, filename, charset: 'utf-8', signal: undefined });
  if (taken === undefined || taken.text.trim() === '') throw new Error('There is no text in it.');
  return keep(taken, bytes, filename);
}

async function keep(read: Document, bytes: Uint8Array, filename: string): Promise<Reading> {
  const { hex, sha256 } = await import('@grainline/core/formats');
  document = read;
  const isCode = read.blocks.length > 0 && read.blocks.every(({ kind }) => kind === 'code');
  return {
    text: read.text,
    pages: read.pages,
    mediaType: read.mediaType,
    filename,
    ...(read.title === undefined ? {} : { title: read.title }),
    isCode,
    code: isCode ? NO_CODE : codeIn(read.blocks),
    estimatedPages: estimatePages(read),
    documentId: hex(sha256(bytes)),
    warnings: read.warnings.map(({ message }) => message),
  };
}

async function cut({ tier, options }: Conversation['cut']['ask']): Promise<Conversation['cut']['answer']> {
  if (document === undefined) throw new Error('There is no document to cut.');
  const { size, overlap, unit } = options;
  const measure = unit === 'tokens' ? { measure: await counter() } : {};
  await loadTiers([tier]);
  const startedMs = performance.now();
  const chunks = chunkSync(document, { tier, size, overlap, ...measure });
  return { cuts: cutsOf(chunks), ms: performance.now() - startedMs };
}

async function counter(): Promise<TokenCounter> {
  const { tokenCounter } = await import('@grainline/models/tokens');
  return tokenCounter('o200k');
}

async function count({ texts }: Conversation['count']['ask']): Promise<readonly number[]> {
  const tokens = await counter();
  return texts.map((text) => tokens.count(text));
}

async function records(wanted: Conversation['records']['ask']): Promise<Conversation['records']['answer']> {
  const { formatChunks } = await import('@grainline/core/formats');
  const { format, tier, documentId, filename, contentType } = wanted;
  const options = { documentId, filename, tier, contentType };
  const { records: made, extras, warnings } = formatChunks(chunksOf(wanted), format, options);
  return { records: made, extras, warnings: warnings.map(({ message }) => message) };
}

/** Texts that the embedder is given at once: it stays at its work for some 10 ms. */
const BATCH = 256;

async function search({
  question,
  text,
  cuts,
  most,
}: Conversation['search']['ask']): Promise<Conversation['search']['answer']> {
  const { staticEmbedder } = await import('@grainline/models/embeddings');
  const embed = await staticEmbedder();
  const vectorsOf = async (texts: readonly string[]): Promise<ArrayLike<number>[]> => {
    const vectors: ArrayLike<number>[] = [];
    for (let at = 0; at < texts.length; at += BATCH)
      vectors.push(...(await embed(texts.slice(at, at + BATCH), {})).vectors);
    return vectors;
  };
  const [asked = []] = await vectorsOf([question]);
  const found = [];
  for (const each of cuts) {
    const vectors = await vectorsOf(chunksOf({ cuts: each, text, pages: [] }).map(indexedText));
    const scores = vectors.map((vector, chunk) => ({ chunk, score: cosine(asked, vector) }));
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
