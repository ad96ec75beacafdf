// The measures of retrieval over spans of characters: recall, precision and IoU of the first chunks, recall within a
// budget of tokens, and PΩ. Definitions: Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval" (2024);
// recall within a budget is ours, because the first five chunks favour large chunks.
import type { Span } from '@grainline/core';

/** A chunk in an index over several documents. */
export interface IndexedChunk extends Span {
  /** Position of its document in the list of documents. */
  readonly document: number;
  /** The text that is indexed: the context, then the text of the span. */
  readonly text: string;
  /** Tokens of `text`. */
  readonly tokens: number;
  /** Tokens of the context before the span's own text. */
  readonly contextTokens: number;
  /** Heading path of its section, which blended vectors stay in. */
  readonly section?: string | undefined;
}

/** The answer to a question: spans of one document. */
export interface Answer {
  /** Position of the document in the list of documents. */
  readonly document: number;
  /** Disjoint, in order, none empty, at least one. */
  readonly spans: readonly Span[];
}

/** Recall, precision and intersection over union of some retrieved chunks, each from 0 to 1. */
export interface Overlap {
  readonly recall: number;
  readonly precision: number;
  readonly iou: number;
}

/** The union of some spans: disjoint, in order, none empty. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (end <= start) continue;
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/**
 * Compares retrieved chunks with an answer. Text that is retrieved twice counts twice against precision and IoU, as it
 * takes the reader's room twice. Context counts for neither.
 */
export function overlapWith({ document, spans }: Answer, chunks: readonly IndexedChunk[]): Overlap {
  const found = sharedLength(mergeSpans(chunks.filter((chunk) => chunk.document === document)), spans);
  const wanted = lengthOf(spans);
  const retrieved = lengthOf(chunks);
  return {
    recall: found / wanted,
    precision: retrieved === 0 ? 0 : found / retrieved,
    iou: found / (retrieved + wanted - found),
  };
}

/**
 * Recall when the reader takes so many tokens: chunks in the order of their rank, context included, the last one cut
 * off where the budget ends.
 *
 * @param budget tokens, above 0
 */
export function recallWithin(
  { document, spans }: Answer,
  ranked: readonly IndexedChunk[],
  budget: number,
): number {
  const read: Span[] = [];
  let left = budget;
  for (const chunk of ranked) {
    if (left <= 0) break;
    const { start, end, tokens, contextTokens } = chunk;
    const share = Math.min(1, Math.max(0, (left - contextTokens) / Math.max(1, tokens - contextTokens)));
    if (chunk.document === document) read.push({ start, end: Math.round(start + (end - start) * share) });
    left -= tokens;
  }
  return sharedLength(mergeSpans(read), spans) / lengthOf(spans);
}

/**
 * PΩ: the share of the answer in all chunks that touch it, which is the precision of a search that finds everything. It
 * needs no search.
 *
 * @param chunks those of the answer's document
 */
export function precisionOmega({ spans }: Answer, chunks: readonly IndexedChunk[]): number {
  const touching = chunks.filter((chunk) => sharedLength([chunk], spans) > 0);
  const cover = mergeSpans(touching);
  return sharedLength(cover, spans) / lengthOf(mergeSpans([...cover, ...spans]));
}

/** Characters that two lists of disjoint spans in order share. Linear. */
function sharedLength(ours: readonly Span[], theirs: readonly Span[]): number {
  let length = 0;
  let first = 0;
  for (const { start, end } of ours) {
    while ((theirs[first]?.end ?? Infinity) <= start) first++;
    for (const other of from(theirs, first)) {
      if (other.start >= end) break;
      length += Math.min(end, other.end) - Math.max(start, other.start);
    }
  }
  return length;
}

function* from<T>(list: readonly T[], first: number): Generator<T> {
  for (let index = first; index < list.length; index++) {
    const item = list[index];
    if (item !== undefined) yield item;
  }
}

function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { start, end }) => sum + (end - start), 0);
}
