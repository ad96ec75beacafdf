// The place of a span in a source without pages: the number of its paragraph in a DOCX, and a text fragment of a link
// to an HTML page. A text fragment names words of the page, so it is made of the document's text alone
// (https://wicg.github.io/scroll-to-text-fragment/): the browser takes the first place in the page where they stand.
import { type Block, countWhile, type Document, type Span } from '../document.ts';

/** The place of a span in its source. */
export interface Anchor {
  /**
   * Of a DOCX, the paragraph in which the span starts, from 1: elements `w:p` of the main part in order, those in text
   * boxes left out, which belong to the paragraph that holds the box. In a cell, and in code of several paragraphs, it
   * is the first one.
   */
  readonly paragraph?: number;
  /** Of an HTML page, what follows `#` in a link to the span: `:~:text=…`, percent-encoded. */
  readonly fragment?: string;
}

/**
 * The place of a span in a document without pages; `undefined` when it has none. A DOCX has paragraphs when it was read
 * with `regions`. A span of HTML has none when it has no word, or when the words around it stand in the page before.
 * Linear in the document at the first call, and in the span after that.
 *
 * @example
 * const { fragment } = anchorOf(document, chunk) ?? {};
 * const link = fragment === undefined ? url : `${url}#${fragment}`;
 */
export function anchorOf(
  document: Pick<Document, 'text' | 'blocks' | 'mediaType' | 'paragraphs'>,
  span: Span,
): Anchor | undefined {
  const { paragraphs, mediaType } = document;
  if (paragraphs !== undefined) {
    const paragraph = paragraphs.numbers[countWhile(paragraphs.starts, (start) => start <= span.start) - 1];
    return paragraph === undefined ? undefined : { paragraph };
  }
  if (!/^(?:text\/html|application\/xhtml\+xml)$/.test(mediaType)) return undefined;
  const fragment = fragmentOf(wordsOf(document), span);
  return fragment === undefined ? undefined : { fragment };
}

/** Words of a term, and the most that it grows to until it is unique. */
const TERM = 4;
const LONGEST_TERM = 16;
/** A span of so many words is named whole. */
const WHOLE = 8;

/** A word as the page shows it, between two blanks. Its span is that of its letters, without signs around them. */
interface PageWord extends Span {
  readonly text: string;
  /** A term has words of one run alone: nothing but blanks stands between them. */
  readonly run: number;
  /** Its place in the folded text. */
  readonly at: number;
  readonly until: number;
}

/** The words of a page. */
interface PageWords {
  readonly words: readonly PageWord[];
  /** Their letters without case and accents, with a blank between words that meet, and a line end between others. */
  readonly folded: string;
  /** The places in `folded` of each stretch of letters there, ascending. */
  readonly places: ReadonlyMap<string, readonly number[]>;
}

function fragmentOf(page: PageWords, { start, end }: Span): string | undefined {
  const { words, folded } = page;
  const first = countWhile(words, (word) => word.start < start);
  const last = countWhile(words, (word) => word.end <= end) - 1;
  if (last < first) return undefined;
  const isUnique = (from: number, to: number): boolean =>
    isFirst(page, words[from]?.at ?? 0, words[to]?.until ?? 0);
  const runEnd = lastOfRun(words, first);
  if (runEnd >= last && last - first < WHOLE) return exactFragment(words, first, last, isUnique);
  const most = Math.min(runEnd, last - 1, first + LONGEST_TERM - 1);
  let to = Math.max(first, Math.min(most, first + TERM - 1));
  while (to < most && !isUnique(first, to)) to++;
  const before = prefixOf(words, first, (from) => isUnique(from, to));
  if (before === undefined) return undefined;
  let from = Math.max(to + 1, last - TERM + 1, firstOfRun(words, last));
  const isNext = (): boolean =>
    firstPhrase(folded, folded.slice(words[from]?.at, words[last]?.until), words[to]?.until ?? 0) ===
    words[from]?.at;
  const least = Math.max(to + 1, firstOfRun(words, last), last - LONGEST_TERM + 1);
  while (from > least && !isNext()) from--;
  return `:~:text=${before}${termOf(words, first, to)},${termOf(words, from, last)}`;
}

/** All words of the span, with those before or behind it when they stand elsewhere too. */
function exactFragment(
  words: readonly PageWord[],
  first: number,
  last: number,
  isUnique: (from: number, to: number) => boolean,
): string | undefined {
  const term = termOf(words, first, last);
  const before = prefixOf(words, first, (from) => isUnique(from, last));
  if (before !== undefined) return `:~:text=${before}${term}`;
  const next = last + 1;
  const most = Math.min(lastOfRun(words, next), last + LONGEST_TERM);
  for (let to = next; to <= most && to < words.length; to++)
    if (isUnique(first, to)) return `:~:text=${term},-${termOf(words, next, to)}`;
  return undefined;
}

/** The words before a term with which it is unique, as a directive has them: none, some, or `undefined`. */
function prefixOf(
  words: readonly PageWord[],
  first: number,
  isUnique: (from: number) => boolean,
): string | undefined {
  if (isUnique(first)) return '';
  const least = Math.max(firstOfRun(words, first - 1), first - LONGEST_TERM);
  for (let from = first - 1; from >= least; from--)
    if (isUnique(from)) return `${termOf(words, from, first - 1)}-,`;
  return undefined;
}

function termOf(words: readonly PageWord[], from: number, to: number): string {
  const term = words
    .slice(from, to + 1)
    .map(({ text }) => text)
    .join(' ');
  // A hyphen at the end of a term would make it a prefix.
  return encodeURIComponent(term).replaceAll('-', '%2D');
}

function firstOfRun(words: readonly PageWord[], at: number): number {
  const run = words[at]?.run ?? Infinity;
  return countWhile(words, (word) => word.run < run);
}

function lastOfRun(words: readonly PageWord[], at: number): number {
  const run = words[at]?.run ?? Infinity;
  return countWhile(words, (word) => word.run <= run) - 1;
}

/** Places of a phrase's rarest letters that are compared; beyond them it counts as standing before. */
const MOST_PLACES = 64;

/** True if a phrase of the folded text, from one border of a word to another, stands nowhere before. */
function isFirst({ folded, places }: PageWords, at: number, until: number): boolean {
  const phrase = folded.slice(at, until);
  let rarest: { readonly index: number; readonly places: readonly number[] } | undefined;
  for (const { 0: letters, index } of phrase.matchAll(LETTERS)) {
    const own = places.get(letters) ?? [];
    if (rarest === undefined || own.length < rarest.places.length) rarest = { index, places: own };
  }
  if (rarest === undefined) return false;
  for (const [count, place] of rarest.places.entries()) {
    const start = place - rarest.index;
    if (start >= at) return true;
    if (count === MOST_PLACES || (folded.startsWith(phrase, start) && isBordered(folded, phrase, start)))
      return false;
  }
  return true;
}

const LETTERS = /[\p{L}\p{N}]+/gu;
const LETTER_AT_END = /[\p{L}\p{N}]$/u;
const LETTER_AT_START = /^[\p{L}\p{N}]/u;

/** The first place of a phrase from an offset on where it begins and ends at the border of a word; -1 without one. */
function firstPhrase(folded: string, phrase: string, from: number): number {
  for (let at = folded.indexOf(phrase, from); at !== -1; at = folded.indexOf(phrase, at + 1)) {
    if (isBordered(folded, phrase, at)) return at;
  }
  return -1;
}

/** True if a phrase begins and ends at the border of a word at its place. */
function isBordered(folded: string, phrase: string, at: number): boolean {
  const end = at + phrase.length;
  const isInside =
    (LETTER_AT_END.test(folded.slice(Math.max(0, at - 2), at)) && LETTER_AT_START.test(phrase)) ||
    (LETTER_AT_START.test(folded.slice(end, end + 2)) && LETTER_AT_END.test(phrase));
  return !isInside;
}

const LETTER = /[\p{L}\p{N}]/u;
const LAST_LETTER = /[\p{L}\p{N}]\p{M}*(?=[^\p{L}\p{N}]*$)/u;

function lengthToLastLetter(token: string): number {
  const found = LAST_LETTER.exec(token);
  return found === null ? token.length : found.index + found[0].length;
}

/** The words of the documents in use, by their blocks. */
const KNOWN = new WeakMap<readonly Block[], PageWords>();

function wordsOf({ text, blocks }: Pick<Document, 'text' | 'blocks'>): PageWords {
  const known = KNOWN.get(blocks);
  if (known !== undefined) return known;
  const words: PageWord[] = [];
  const folded: string[] = [];
  let [run, at, isBroken] = [0, 0, false];
  for (const leaf of leavesOf(blocks)) {
    run++;
    for (const { 0: token, index } of shownText(text.slice(leaf.start, leaf.end), leaf).matchAll(
      /[^ \n]+|\n/g,
    )) {
      const shown = token === '\n' ? '' : shownWord(token);
      if (shown === '') run++;
      else if (shown === undefined) [run, isBroken] = [run + 1, true];
      else {
        const letters = shown.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
        const before = token.search(LETTER);
        const start = leaf.start + index + Math.max(0, before);
        const end = leaf.start + index + lengthToLastLetter(token);
        at += 1;
        folded.push(isBroken ? '\n' : ' ', letters);
        words.push({ text: shown, start, end, run, at, until: at + letters.length });
        at += letters.length;
        isBroken = false;
      }
    }
  }
  const made = pageOf(words, folded.join(''));
  KNOWN.set(blocks, made);
  return made;
}

function pageOf(words: readonly PageWord[], folded: string): PageWords {
  const places = new Map<string, number[]>();
  for (const { 0: letters, index } of folded.matchAll(LETTERS)) {
    const own = places.get(letters);
    if (own === undefined) places.set(letters, [index]);
    else own.push(index);
  }
  return { words, folded, places };
}

/** Blocks without children, in order; one may be as deep as a document is nested. */
function leavesOf(blocks: readonly Block[]): Block[] {
  const leaves: Block[] = [];
  const stack = blocks.toReversed();
  for (let block = stack.pop(); block !== undefined; block = stack.pop()) {
    if (block.children === undefined || block.children.length === 0) leaves.push(block);
    else stack.push(...block.children.toReversed());
  }
  return leaves;
}

/** Marks before the first words of a leaf: of headings, quotations and items. */
const LEADING = /^(?: *(?:>|[-*+]|\d+[.)]|#{1,6}) +)+/;
/** Images, targets of links, and marks of notes, which the page shows otherwise. */
const SHOWN_OTHERWISE = /!\[[^\]]*\](?:\([^)]*\))?|\]\([^)]*\)|\[\^[^\]]*\]:?/g;
/** Breaks of lines, bars and dashes of tables, and blanks that browsers keep. */
const BREAKS = /<br>|\\\||\||(?<=^|[| ])-{3,}(?=$|[| ])|[^\S ]/gm;

/** The text of a leaf with line ends in place of what separates its parts, at its own length. */
function shownText(text: string, { kind }: Block): string {
  const inside =
    kind === 'code' ? withoutFences(text) : text.replace(LEADING, (marks) => '\n'.repeat(marks.length));
  return inside
    .replace(SHOWN_OTHERWISE, (mark) => '\\'.repeat(mark.length))
    .replace(BREAKS, (mark) => '\n'.repeat(mark.length));
}

function withoutFences(code: string): string {
  const lines = code.split('\n');
  return lines
    .map((line, at) => (at === 0 || at === lines.length - 1 ? '\n'.repeat(line.length) : line))
    .join('\n');
}

/** Marks around a word, and signs of Markdown inside it, which may or may not be shown. */
const OUTER_MARKS = /^(?:\*\*|~~|[*`])+|(?:\*\*|~~|[*`])+(?=\p{P}*$)/gu;
const DOUBTFUL = /[*`~\\[\]<>$]/;

/** A word as the page shows it; '' for marks alone, `undefined` when that is in doubt. */
function shownWord(token: string): string | undefined {
  const shown = token.replaceAll(OUTER_MARKS, '');
  return DOUBTFUL.test(shown) ? undefined : shown;
}
