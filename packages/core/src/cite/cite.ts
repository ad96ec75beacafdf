// Finds a quotation of a document in it, as a language model writes one: with other blanks, quotes, dashes and case, a
// word more or less, and an ellipsis for what it left out.
import type { Chunk } from '../chunk.ts';
import { type Document, pageAt, type Span } from '../document.ts';
import {
  assertNoIssues,
  assertObject,
  issueUnless,
  type OptionIssue,
  unknownOptionIssues,
} from '../errors.ts';
import { findMatches, type Match, type SearchRange } from './find.ts';
import { fold, type FoldedText, GAP, spanOf, type PlacedText } from './fold.ts';

/** The longest quotation in UTF-16 units. */
export const MAX_QUOTE = 5000;
/** Parts of a quotation between its ellipses; the rest is one part. */
const MAX_PARTS = 16;
/** The most letters that an ellipsis leaves out. */
const MAX_OMITTED = 20_000;
/**
 * Default bound. Of 1,000 sentences with a word in ten changed, 99.0 % are found at their place, with two 93.7 %, with
 * three 79.9 %; in another document at most 0.1 %. At 0.85 it is 96.7, 81.2 and 51.6 %, and as few elsewhere
 * (bench/RESULTS.md).
 */
const DEFAULT_BOUND = 0.8;

/** A part of a quotation in its document. */
export interface CitedSpan extends Span {
  /** Pages from 1; absent when the source has none. Of chunks, the pages of those that hold the span. */
  readonly pageStart?: number;
  readonly pageEnd?: number;
}

/** The place of a quotation. */
export interface Citation {
  /** One span, or one for each part between ellipses that was found; in the order of the document. */
  readonly spans: readonly CitedSpan[];
  /** The share of the quotation's letters and digits that stand there, from the bound to 1. */
  readonly score: number;
}

/** Options of {@link cite}. */
export interface CiteOptions {
  /** The least score of a find, above 0 and up to 1. Default 0.8. */
  readonly bound?: number | undefined;
}

/**
 * Finds the place that a quotation was taken from. Letters and digits are compared, without case, accents, blanks and
 * punctuation; a score below 1 says that some differ. Quotations of fewer than 12 letters have to agree in all of them.
 * Of equal places the first one is taken. Linear in the source.
 *
 * @param source the document, its text, or chunks of it in any order, of which some may be missing
 * @param quote at most 5,000 UTF-16 units; `…` and `...` stand for what was left out
 * @returns undefined when no place reaches the bound
 * @throws ChunkError `invalid_options` with every issue
 * @example
 * const { spans, score } = cite(document, 'the cell … “divides” twice') ?? { spans: [], score: 0 };
 * document.text.slice(spans[0].start, spans[0].end); // 'The cell'
 */
export function cite(
  source: string | Document | readonly Chunk[],
  quote: string,
  options: CiteOptions = {},
): Citation | undefined {
  assertObject(options);
  assertNoIssues(citeIssues(source, quote, options));
  const { bound = DEFAULT_BOUND } = options;
  const pieces = piecesOf(source);
  const text = fold(pieces);
  const parts = partsOf(quote);
  // The text itself may have the dots, and stand there otherwise than its parts do.
  const best = locate(text, parts, bound) ?? (parts.length > 1 ? locate(text, [quote], bound) : undefined);
  if (best === undefined) return undefined;
  const spans = best.spans.map((span) => ({ ...span, ...pagesOf(source, span) }));
  return { spans, score: best.score };
}

/** An ellipsis; folding drops the blanks and brackets around it. */
const ELLIPSIS = /…|\.{3,}|\. \. \./u;

function partsOf(quote: string): string[] {
  const parts = quote.split(ELLIPSIS).filter((part) => /[\p{L}\p{N}]/u.test(part));
  if (parts.length <= MAX_PARTS) return parts;
  return [...parts.slice(0, MAX_PARTS - 1), parts.slice(MAX_PARTS - 1).join(' ')];
}

/** The places of the parts of a quotation. */
interface Placement {
  readonly spans: readonly Span[];
  readonly score: number;
  /** Folded units from the first to the last part. */
  readonly extent: number;
}

/** Finds the longest part first, then the others near it: the best of its places is the one where most parts agree. */
function locate(text: FoldedText, parts: readonly string[], bound: number): Placement | undefined {
  const patterns = parts.map((part) => fold([{ text: part, start: 0 }]).units);
  const total = patterns.reduce((sum, { length }) => sum + length, 0);
  const isWhole = (from: number, to: number): boolean => isBorder(text, from) && isBorder(text, to);
  const search = (pattern: Uint16Array, range: Omit<SearchRange, 'isWhole'>): Match[] =>
    findMatches(text.units, pattern, bound, { ...range, isWhole });
  const longest = patterns.reduce((best, { length }, at) => (length > lengthOf(best) ? at : best), 0);
  function lengthOf(at: number): number {
    return patterns[at]?.length ?? 0;
  }

  /** The parts around one place of the longest part. */
  function around(anchor: Match): Placement {
    let { from, to } = anchor;
    const matches = [anchor];
    let score = anchor.score * lengthOf(longest);
    const add = (match: Match | undefined, length: number): void => {
      if (match === undefined) return;
      [from, to] = [Math.min(from, match.from), Math.max(to, match.to)];
      matches.push(match);
      score += match.score * length;
    };
    for (const pattern of patterns.slice(longest + 1))
      add(
        search(pattern, { from: to, to: Math.min(text.units.length, to + MAX_OMITTED) })[0],
        pattern.length,
      );
    for (const pattern of patterns.slice(0, longest).reverse())
      add(
        search(pattern, { from: Math.max(0, from - MAX_OMITTED), to: from, nearest: 'end' })[0],
        pattern.length,
      );
    return { spans: spansOf(text, matches), score: score / total, extent: to - from };
  }

  const found = search(patterns[longest] ?? new Uint16Array(), { from: 0, to: text.units.length }).map(
    around,
  );
  const best = found
    .filter(({ score }) => score >= bound)
    .sort((one, other) => other.score - one.score || one.extent - other.extent);
  return best[0];
}

/** The spans of matches in order; those that meet are one. */
function spansOf(text: FoldedText, matches: readonly Match[]): Span[] {
  const ranges: { from: number; to: number }[] = [];
  for (const { from, to } of matches.toSorted((one, other) => one.from - other.from)) {
    const last = ranges.at(-1);
    if (last?.to === from) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges.map(({ from, to }) => spanOf(text, from, to));
}

/** Scripts whose words have no blanks between them. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** True when a word may end before a unit: at the text's ends, after what folding drops, between two ideographs. */
function isBorder({ units, starts, ends }: FoldedText, at: number): boolean {
  if (at === 0 || at === units.length || units[at] === GAP || units[at - 1] === GAP) return true;
  return (
    (ends[at - 1] ?? 0) < (starts[at] ?? 0) ||
    UNSPACED.test(String.fromCharCode(units[at] ?? 0, units[at - 1] ?? 0))
  );
}

/** The texts of a source, in the order of the document, each part of it once. */
function piecesOf(source: string | Document | readonly Chunk[]): PlacedText[] {
  if (typeof source === 'string') return [{ text: source, start: 0 }];
  if (!isChunks(source)) return [{ text: source.text, start: 0 }];
  const pieces: PlacedText[] = [];
  let end = 0;
  for (const { text, start } of source.toSorted((one, other) => one.start - other.start)) {
    const from = Math.max(start, end);
    if (from >= start + text.length) continue;
    pieces.push({ text: text.slice(from - start), start: from });
    end = start + text.length;
  }
  return pieces;
}

function pagesOf(
  source: string | Document | readonly Chunk[],
  { start, end }: Span,
): Pick<CitedSpan, 'pageStart' | 'pageEnd'> {
  if (typeof source === 'string') return {};
  const ranges = isChunks(source)
    ? source
        .filter((chunk) => chunk.start < end && chunk.end > start)
        .map(({ metadata: { pageStart, pageEnd } }) => [pageStart, pageEnd])
    : [[pageAt(source.pages, start), pageAt(source.pages, end - 1)]];
  const pages = ranges.flat().filter((page) => page !== undefined);
  return pages.length === 0 ? {} : { pageStart: Math.min(...pages), pageEnd: Math.max(...pages) };
}

function isChunks(source: Document | readonly Chunk[]): source is readonly Chunk[] {
  return Array.isArray(source);
}

function citeIssues(source: unknown, quote: unknown, options: CiteOptions): OptionIssue[] {
  const { bound } = options as Readonly<Record<keyof CiteOptions, unknown>>;
  const isSource =
    typeof source === 'string' ||
    (Array.isArray(source) && source.every(isTextAt)) ||
    typeof (source as Partial<Document> | null)?.text === 'string';
  const isQuote = typeof quote === 'string' && quote.length <= MAX_QUOTE;
  const isBound = bound === undefined || (typeof bound === 'number' && bound > 0 && bound <= 1);
  return [
    ...issueUnless(isSource, 'source', 'a document, a text, or an array of chunks', source),
    ...issueUnless(isQuote, 'quote', `a text of at most ${MAX_QUOTE} characters`, quote),
    ...issueUnless(isBound, 'bound', 'a number above 0 and up to 1', bound),
    ...unknownOptionIssues(options, ['bound'], 'cite'),
  ];
}

function isTextAt(chunk: unknown): boolean {
  const { text, start } = (chunk ?? {}) as Partial<Record<keyof Chunk, unknown>>;
  return typeof text === 'string' && Number.isInteger(start);
}
