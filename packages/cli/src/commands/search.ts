// `grainline search`: a question → the chunks of a store that answer it, with document, pages and score.
import { type StoreHit, VectorStoreError } from '@grainline/core';
import type { SearchRequest } from '../args/request.ts';
import { closeAll, type Io, printable } from '../io.ts';
import { columnsOf, createRunLog, type Sink } from '../output/terminal.ts';
import { openNamedStore, provenEmbedder } from './store.ts';

/**
 * Searches the store of a request and writes what it finds, best first. Resolves with true when it finds something.
 * Rejects with a VectorStoreError, and with a ModelError of the embedder.
 */
export async function searchStore(request: SearchRequest, io: Io, sink: Sink): Promise<boolean> {
  const log = createRunLog(io.stderr, { quiet: request.quiet, showProgress: true, isPiped: io.isPiped });
  const store = await openNamedStore(request.from, io);
  try {
    const { signal } = io;
    const state = await store.inspect({ signal });
    if (state === undefined)
      throw new VectorStoreError(
        'not_prepared',
        `Nothing has been loaded into ${store.url}; load documents with grainline load FILES --to URL.`,
      );
    const { question, by, top } = request;
    let vector: ArrayLike<number> | undefined;
    if (by !== 'keywords') {
      const { embed, model, dimensions } = await provenEmbedder(request.embedder, io, log);
      const { assertSameEmbedding } = await import('@grainline/stores');
      // A question has no neighbours whose vectors could be blended in.
      assertSameEmbedding(state.embedding, { ...state.embedding, model, dimensions }, store);
      [vector] = (await embed([question], { signal })).vectors;
    }
    const text = by === 'vectors' ? undefined : question;
    const hits = await store.search({ vector, text, limit: top }, { signal });
    const line =
      request.layout === 'json'
        ? jsonLine
        : (hit: StoreHit) => textLines(hit, question, columnsOf(io.stdout));
    await log.aside(() => sink.write(hits.map(line), signal));
    if (hits.length === 0) log.note('grainline: Nothing was found.');
    return hits.length > 0;
  } finally {
    await closeAll([() => log.close(), () => store.close()]);
  }
}

function jsonLine({ id, document, metadata, score, vectorRank, textRank }: StoreHit): string {
  return `${JSON.stringify({ score, vector_rank: vectorRank, keyword_rank: textRank, id, text: document, metadata })}\n`;
}

/** Most lines of a chunk's text on a screen. */
const MOST_LINES = 6;

/**
 * ```text
 * 0.83  handbook.pdf, pages 12–13, characters 10234–10890
 *       Tides > High water
 *   the text of the chunk, some lines of it
 * ```
 */
function textLines({ document, metadata, score }: StoreHit, question: string, columns: number): string {
  const { page_start: first, page_end: last = first, heading_path: path } = metadata;
  const pages = first === undefined ? '' : first === last ? `, page ${first}` : `, pages ${first}–${last}`;
  const place = `${metadata.document_id}${pages}, characters ${metadata.start_offset}–${metadata.end_offset}`;
  const heading = path === undefined ? '' : `      ${printable(path)}\n`;
  const shown = excerptOf(document.replaceAll(/\s+/gu, ' '), question, (columns - 3) * MOST_LINES);
  return `${score.toPrecision(3)}  ${printable(place)}\n${heading}  ${printable(shown)}\n\n`;
}

/** Words that can say where in a chunk its answer is. */
const WORD = /[\p{L}\p{N}]{3,}/gu;

/** Most characters that an excerpt has before the first of the words that it is chosen for. */
const LEAD = 80;

/** Share of an excerpt that has these words: their sentences go on after them. */
const WITH_WORDS = 0.75;

function count(words: Map<string, number>, word = '', change: number): void {
  const times = (words.get(word) ?? 0) + change;
  if (times === 0) words.delete(word);
  else words.set(word, times);
}

/** The excerpt of a text with the most words of a question, the first of several. Linear. */
function excerptOf(text: string, question: string, most: number): string {
  if (text.length <= most) return text;
  const sought = new Set(question.toLowerCase().match(WORD));
  const found = [...text.matchAll(WORD)]
    .map(({ index, 0: word }) => ({ index, word: word.toLowerCase() }))
    .filter(({ word }) => sought.has(word));
  const starts = found.map(({ index }) => text.lastIndexOf(' ', Math.max(0, index - LEAD)) + 1);
  let [start, words, first, last] = [0, 0, 0, 0];
  /** How often each word stands between the two. */
  const shownWords = new Map<string, number>();
  for (const from of [0, ...starts]) {
    for (; (found[last]?.index ?? Infinity) < from + most * WITH_WORDS; last++)
      count(shownWords, found[last]?.word, 1);
    for (; (found[first]?.index ?? Infinity) < from; first++) count(shownWords, found[first]?.word, -1);
    if (shownWords.size > words) [start, words] = [from, shownWords.size];
  }
  const shown = text.slice(start, start + most - 2).toWellFormed();
  return `${start > 0 ? '…' : ''}${shown}${start + most - 2 < text.length ? '…' : ''}`;
}
