// Keyword search for databases that have no ranking by words of their own: the words of a text, a ranking of candidates
// (Okapi BM25; Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009), and sparse vectors of words for
// databases that search those.
import { createHash } from 'node:crypto';
import type { ChunkRecord } from '@grainline/core';
import type { ScoredChunk } from './connection.ts';

/** Saturation of a word's frequency and weight of a text's length: the usual values of BM25. */
const K1 = 1.2;
const B = 0.75;
/** Typical length of a chunk in words, for sparse vectors, which are made without the other chunks. */
const TYPICAL_WORDS = 150;
/** Most words of a question; the first ones count. */
const MOST_QUESTION_WORDS = 64;

/** The words of a text in order: runs of letters, marks and digits in lower case, compatibility forms folded. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

/** The different words of a question, at most {@link MOST_QUESTION_WORDS}. */
export function questionWords(text: string): string[] {
  return [...new Set(wordsOf(text))].slice(0, MOST_QUESTION_WORDS);
}

/**
 * Ranks candidates by BM25, best first; leaves out those without a word of the question.
 *
 * @param total number of all chunks, of which the candidates contain at least one word
 */
export function rankByWords(
  candidates: readonly ChunkRecord[],
  question: string,
  total: number,
  limit: number,
): ScoredChunk[] {
  const words = questionWords(question);
  const counted = candidates.map((record) => ({ record, ...countWords(record.document, words) }));
  const mean = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length);
  const weights = words.map((_, at) => {
    const holders = counted.filter(({ counts }) => (counts[at] ?? 0) > 0).length;
    return Math.log(1 + (Math.max(total, holders) - holders + 0.5) / (holders + 0.5));
  });
  return counted
    .map(({ record, counts, length }) => ({
      ...record,
      score: weights.reduce((sum, weight, at) => sum + weight * saturated(counts[at] ?? 0, length, mean), 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
    .slice(0, limit);
}

function countWords(text: string, words: readonly string[]): { counts: number[]; length: number } {
  const places = new Map(words.map((word, at) => [word, at]));
  const counts = words.map(() => 0);
  const all = wordsOf(text);
  for (const word of all) {
    const at = places.get(word);
    if (at !== undefined) counts[at] = (counts[at] ?? 0) + 1;
  }
  return { counts, length: all.length };
}

const saturated = (count: number, length: number, mean: number): number =>
  (count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / Math.max(1, mean)));

/** A vector with few numbers other than 0, by ascending index. */
export interface SparseVector {
  readonly indices: number[];
  readonly values: number[];
}

/** The words of a text as a sparse vector: the saturated frequency of BM25 at the hash of each word. */
export function sparseOf(text: string): SparseVector {
  const all = wordsOf(text);
  const counts = new Map<number, number>();
  for (const word of all) {
    const at = indexOf(word);
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  const entries = [...counts].sort(([one], [other]) => one - other);
  return {
    indices: entries.map(([at]) => at),
    values: entries.map(([, count]) => saturated(count, all.length, TYPICAL_WORDS)),
  };
}

/** The words of a question as a sparse vector: 1 for each. */
export function sparseQuestion(text: string): SparseVector {
  const indices = [...new Set(questionWords(text).map(indexOf))].sort((one, other) => one - other);
  return { indices, values: indices.map(() => 1) };
}

/** 31 bits of the SHA-256 of a word. Of 100,000 words some two share an index. */
function indexOf(word: string): number {
  return createHash('sha256').update(word).digest().readUInt32BE(0) >>> 1;
}
