// Finds the headings of a document and their depths, by type, number, and the outline of the file, if any. In doubt a
// line is text: a false heading tears a section apart, a missed one only merges two.
import { depthsOf } from './depths.ts';
import { mostFrequent } from '../pdfium/text-lines.ts';
import type { Bookmark } from '../pdfium/bookmarks.ts';
import { keyOf, titlesIn, titlesOf, type OutlinedTitle } from './outline.ts';
import { paperHeadings } from './papers.ts';
import { withoutDoubts } from './doubts.ts';
import { inSequence, NUMBER, numberDepth, sectionNumber } from './sections.ts';
import {
  CAPTION,
  charactersIn,
  hasLeader,
  isSameSize,
  joinLines,
  quantile,
  SAME_SIZE,
  SMALL_LETTER,
  type TextLine,
} from '../lines/text.ts';

/** A heading of one or more lines. */
export interface Heading {
  /** From 1 to 6. */
  readonly depth: number;
  readonly lines: readonly TextLine[];
}

/** A line that may be a heading needs a font this many times as large as the body's, or a bold one. */
const LARGER = 1.12;
/** A bold line smaller than this share of the body size is a label or a note. */
const SMALLEST_BOLD = 0.9;
/** Text with a small initial letter and no larger than this many times the body is the label of a field. */
const LARGE_LOWER = 1.5;
/** Longest heading in characters, in large type and in bold body type. */
const MAX_LARGE = 200;
const MAX_BOLD = 120;
/** Text a little larger than the body with the end of a sentence is a sentence from so many words on. */
const SENTENCE_WORDS = 4;
/** A large line longer than this with the end of a sentence is a sentence. */
const MAX_SENTENCE = 80;
const MAX_LINES = 4;
/** A bold line at body size needs a gap before it wider than this many usual line distances. */
const GAP_BEFORE = 1.15;
/** A sentence does not go on over a gap wider than this many of them. */
const GAP_AFTER = 1.5;
/** A page with more characters than this, most of them large, is a cover or a poster with a body size of its own. */
const OWN_BODY_CHARACTERS = 200;
const DEEPEST = 6;
/** Most repetitions of one heading in a document, numbers aside; and as the first or last line of a page. */
const MAX_REPEATS = 3;
const MAX_REPEATS_AT_EDGE = 2;

/** Consecutive lines in one type that may be one heading. */
interface Candidate {
  readonly lines: readonly TextLine[];
  readonly text: string;
  readonly size: number;
  readonly isLarge: boolean;
  /** Depth by the outline; 0 when the line is not in it. */
  readonly outlined: number;
  /** True if it is the first or the last of its page. */
  readonly isAtEdge: boolean;
  /** True if only its number marks it, so that it is a heading only where that number is due. */
  readonly isByNumber: boolean;
}

/**
 * The headings of a document by each of their lines. `pages` holds the lines that are neither blank nor part of
 * anything else, in reading order; `text` those in the type of the running text. Linear but for the sorting of sizes.
 */
export function findHeadings(
  pages: readonly (readonly TextLine[])[],
  text: readonly TextLine[],
  outline: readonly Bookmark[] = [],
  isLabel: (line: TextLine) => boolean = () => false,
): Map<TextLine, Heading> {
  const body = bodyOf(text);
  const titles = titlesOf(outline);
  const papers = outline.length > 0 ? undefined : paperHeadings(pages, usualPitch);
  const candidates = inSequence(
    withoutRepeated(
      pages.flatMap((lines, page) => {
        const outlined = papers?.get(page) ?? titlesIn(lines, titles.get(page));
        const candidates = candidatesOf(lines, bodyOfPage(lines, body), outlined);
        return withoutDoubts(candidates, lines, page === 0, isLabel);
      }),
    ),
  );
  const depths = depthsOf(candidates);
  const headings = new Map<TextLine, Heading>();
  candidates.forEach(({ lines }, index) => {
    const heading = { depth: Math.min(DEEPEST, depths[index] ?? 1), lines };
    for (const line of lines) headings.set(line, heading);
  });
  return headings;
}

/** The type of the running text of a document or page. */
interface Body {
  readonly size: number;
  /** True if bold means nothing, because most of the text is bold. */
  readonly isBold: boolean;
}

/** Text in no fixed pitch is the body beside code when it is at least this share of the characters. */
const PROSE_SHARE = 0.2;

/** The type of most of some lines, by their characters; code is often smaller than the text around it. */
export function bodyOf(lines: readonly TextLine[]): Body {
  const prose = { sizes: new Map<number, number>(), total: 0, bold: 0 };
  const all = { sizes: new Map<number, number>(), total: 0, bold: 0 };
  for (const { size, text, isBold, isFixedPitch } of lines) {
    const rounded = Math.round(size * 2) / 2;
    for (const counts of isFixedPitch ? [all] : [all, prose]) {
      if (size > 0) counts.sizes.set(rounded, (counts.sizes.get(rounded) ?? 0) + text.length);
      counts.total += text.length;
      if (isBold) counts.bold += text.length;
    }
  }
  const { sizes, bold, total } = prose.total < PROSE_SHARE * all.total ? all : prose;
  return { size: mostFrequent(sizes), isBold: bold > 0.4 * total };
}

/** A page that is set larger throughout than the rest is not a page of headings. */
function bodyOfPage(lines: readonly TextLine[], body: Body): Body {
  const total = charactersIn(lines);
  const large = charactersIn(lines.filter(({ size }) => size > LARGER * body.size));
  if (total < OWN_BODY_CHARACTERS || large < total / 2) return body;
  const own = bodyOf(lines);
  return own.size > body.size ? own : body;
}

function candidatesOf(
  lines: readonly TextLine[],
  body: Body,
  outlined: ReadonlyMap<number, OutlinedTitle>,
): readonly Candidate[] {
  const pitch = usualPitch(lines);
  const right = quantile(
    lines.map((line) => line.right),
    0.9,
  );
  const candidates: Candidate[] = [];
  for (let at = 0; at < lines.length;) {
    const title = outlined.get(at);
    const group =
      title === undefined
        ? groupAt(lines, at, LARGER * body.size, outlined)
        : lines.slice(at, at + title.lines);
    const [first] = group;
    const size = first?.size ?? 0;
    const isLarge = body.size > 0 && size > LARGER * body.size;
    // Most of a page is prose and needs no further check.
    const isNumbered = numberDepth(first?.text ?? '') > 1;
    const mayBe =
      group.length <= MAX_LINES && (isLarge || title !== undefined || first?.isBold === true || isNumbered);
    const text = mayBe ? joinLines(group, ' ') : '';
    const isAtEdge = at === 0 || at + group.length === lines.length;
    const common = { lines: group, text, size, isLarge, outlined: title?.depth ?? 0, isAtEdge };
    const candidate = { ...common, isByNumber: false };
    const place = { before: lines[at - 1], after: lines[at + group.length], pitch, right };
    if (mayBe && mayBeHeading(candidate)) {
      if (isHeading(candidate, body, place)) candidates.push(candidate);
      else if (isNumbered && isNumberedHeading(candidate, body, place))
        candidates.push({ ...common, isByNumber: true });
    }
    at += group.length;
  }
  return withoutExcess(candidates, lines.length);
}

/**
 * A page with more lines than the first number, of which more than this share look like headings, is a form or a
 * poster.
 */
const DENSE_LINES = 40;
const DENSE_SHARE = 0.12;

/**
 * Of the many headings of a crowded page only those in large type count; if they are many too, only those in the
 * largest. Section numbers that are due make no crowd.
 */
function withoutExcess(candidates: readonly Candidate[], lines: number): readonly Candidate[] {
  const own = candidates.filter(({ outlined, text }) => outlined === 0 && numberDepth(text) < 2);
  const isExcess = (some: readonly Candidate[]): boolean =>
    some.reduce((sum, candidate) => sum + candidate.lines.length, 0) > DENSE_SHARE * lines;
  if (lines < DENSE_LINES || !isExcess(own)) return candidates;
  const isLargeExcess = isExcess(own.filter(({ isLarge }) => isLarge));
  const largest = own.reduce((most, { size }) => Math.max(most, size), 0);
  return candidates.flatMap((candidate) => {
    const { size, outlined, isLarge, text } = candidate;
    if (outlined > 0 || (isLarge && (!isLargeExcess || isSameSize(size, largest)))) return [candidate];
    return numberDepth(text) > 1 ? [{ ...candidate, isByNumber: true }] : [];
  });
}

/** This share of the distances of two lines on a page of short paragraphs is within a paragraph. */
const WITHIN = 0.3;

/** The usual distance of two lines of a paragraph. */
function usualPitch(lines: readonly TextLine[]): number {
  const drops = lines.slice(1).map(({ baseline }, index) => (lines[index]?.baseline ?? 0) - baseline);
  return quantile(
    drops.filter((drop) => drop > 1),
    WITHIN,
  );
}

/** The lines from an index on in one type and close below each other. */
function groupAt(
  lines: readonly TextLine[],
  at: number,
  large: number,
  outlined: ReadonlyMap<number, OutlinedTitle>,
): TextLine[] {
  const group = lines.slice(at, at + 1);
  for (let next = at + 1; next < lines.length; next++) {
    const before = group.at(-1);
    const line = lines[next];
    if (before === undefined || line === undefined || !isContinued(before, line, large)) break;
    if (outlined.has(next)) break;
    group.push(line);
  }
  return group;
}

function isContinued(before: TextLine, line: TextLine, large: number): boolean {
  const drop = before.baseline - line.baseline;
  return (
    isSameSize(before.size, line.size) &&
    (before.isBold === line.isBold || line.size > large) &&
    before.isTurned === line.isTurned &&
    drop > -1 &&
    drop < 1.7 * line.size &&
    NUMBER.exec(line.text) === null
  );
}

interface Surroundings {
  readonly before: TextLine | undefined;
  readonly after: TextLine | undefined;
  readonly pitch: number;
  /** The right edge of the page's full lines. */
  readonly right: number;
}

/** True if lines meet the conditions of every heading, in any type. */
function mayBeHeading({ lines, text, outlined }: Candidate): boolean {
  const [first] = lines;
  if (first === undefined || first.isTurned || lines.length > MAX_LINES || text.length > MAX_LARGE)
    return false;
  if (!hasWord(text) || CAPTION.test(text) || PAGE_LABEL.test(text) || hasLeader(text)) return false;
  if (outlined === 0 && (BULLET.test(text) || WIDE_MARK_END.test(text))) return false;
  return outlined > 0 || !lines.some((line, index) => cellsOf(line) > 1 || isBeside(lines[index - 1], line));
}

function isHeading(candidate: Candidate, body: Body, place: Surroundings): boolean {
  const [first] = candidate.lines;
  if (candidate.outlined > 0) return true;
  if (first === undefined || FIGURE_LABEL.test(place.before?.text ?? '')) return false;
  return candidate.isLarge ? isLargeHeading(candidate, body) : isBoldHeading(candidate, first, body, place);
}

/**
 * True if lines with the number of a section may be its heading without any other sign: the title is the name of a
 * command, the font's name does not show bold, or the lines of the text are as far apart as the heading is. A heading
 * in the type of the text needs white space above, and a text of its own below.
 */
function isNumberedHeading(
  { lines, text, size, isLarge }: Candidate,
  body: Body,
  { before, after, pitch, right }: Surroundings,
): boolean {
  const [first] = lines;
  const last = lines.at(-1);
  if (first === undefined || last === undefined || after === undefined) return false;
  if (text.length > MAX_BOLD || NO_TITLE_END.test(text) || RUN_IN.test(text) || text.includes(' = '))
    return false;
  const drop = last.baseline - after.baseline;
  if (drop <= 0 || drop > 4 * Math.max(pitch, size)) return false;
  if (isLarge || (first.isBold && !body.isBold && size >= SMALLEST_BOLD * body.size)) return true;
  const gap = before === undefined ? Infinity : before.baseline - first.baseline;
  return (
    lines.length === 1 &&
    size > (1 - SAME_SIZE) * body.size &&
    (gap < 0 || gap > GAP_BEFORE * pitch) &&
    last.right < right - 2 * size &&
    !SMALL_LETTER.test(after.text) &&
    numberDepth(after.text) !== numberDepth(text)
  );
}

function isLargeHeading({ text, size }: Candidate, body: Body): boolean {
  if (size < LARGE_LOWER * body.size && (LOWER_CASE.test(text) || isSentence(text))) return false;
  return !/[;,]$/.test(text) && !(text.length > MAX_SENTENCE && SENTENCE_END.test(text));
}

/** True if a text without a number ends as a sentence does and is longer than a name. */
function isSentence(text: string): boolean {
  return (
    numberDepth(text) === 0 &&
    /\p{Ll}{2}[)\]”’"']?[.:]$/u.test(text) &&
    text.split(' ').length >= SENTENCE_WORDS
  );
}

function isBoldHeading(
  { lines, text, size }: Candidate,
  first: TextLine,
  body: Body,
  place: Surroundings,
): boolean {
  if (!first.isBold || body.isBold || size < SMALLEST_BOLD * body.size) return false;
  if (text.length > MAX_BOLD || lines.length > 2 || NO_HEADING_END.test(text) || LOWER_CASE.test(text))
    return false;
  if (text.includes(' = ')) return false;
  const last = lines.at(-1) ?? first;
  // A full line that goes on in the next one, in another type, is a lead-in.
  if (last.right > place.right - 2 * size && numberDepth(text) === 0) return false;
  const { before, after, pitch } = place;
  const gap = before === undefined ? Infinity : before.baseline - first.baseline;
  const isApart = gap < 0 || gap > GAP_BEFORE * pitch;
  const drop = after === undefined ? -1 : last.baseline - after.baseline;
  // So is a line whose sentence goes on in the next line.
  const isRight = drop < GAP_AFTER * pitch;
  if (after !== undefined && isRight && LOWER_CASE.test(after.text) && isSameSize(after.size, size))
    return false;
  return isApart && drop > 0 && drop < 4 * Math.max(pitch, size);
}

/**
 * The key of repeated headings: their text without figures, except the number of a section, and their size. A running
 * head is smaller than the title that it repeats.
 */
function repetitionKey({ text, size }: Candidate): string {
  const number = numberDepth(text) > 1 ? sectionNumber(text) : '';
  const title = number === '' ? text : text.replace(NUMBER, '');
  return `${number} ${keyOf(title).replace(/\d+/g, '#')} ${Math.round(size)}`;
}

/** A text that repeats often is a running head or the label of a box ("TIP"), at any position. */
function withoutRepeated(candidates: readonly Candidate[]): Candidate[] {
  const counts = new Map<string, number>();
  const keys = candidates.map(repetitionKey);
  const count = (key: string): void => {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  candidates.forEach(({ isAtEdge }, index) => {
    count(keys[index] ?? '');
    if (isAtEdge) count(`${keys[index] ?? ''} at edge`);
  });
  return candidates.filter(({ outlined }, index) => {
    const key = keys[index] ?? '';
    const isRare =
      (counts.get(key) ?? 0) <= MAX_REPEATS && (counts.get(`${key} at edge`) ?? 0) <= MAX_REPEATS_AT_EDGE;
    return outlined > 0 || isRare;
  });
}

/** True if a line stands beside the one before it, which is no section's number: the page of an entry. */
function isBeside(before: TextLine | undefined, line: TextLine): boolean {
  const isLevel = Math.abs((before?.baseline ?? Infinity) - line.baseline) < line.size / 2;
  return before !== undefined && isLevel && !SECTION.test(before.text);
}

/** Number of cells of a line besides the number of its section. */
function cellsOf({ cells }: TextLine): number {
  return cells.length - (cells.length > 1 && SECTION.test(cells[0]?.text ?? '') ? 1 : 0);
}

/** A heading has a word; page numbers, formulas, rows of figures and drop caps have none. */
function hasWord(text: string): boolean {
  const letters = text.match(LETTERS)?.join('').length ?? 0;
  return WORD.test(text) && letters * 2 >= text.replace(/\s+/g, '').length;
}

const LETTERS = /\p{L}+/gu;
const WORD = /\p{L}{3}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u;
const SECTION =
  /^(?:(?:chapter|section|part|appendix|kapitel)\s)?(?:\d{1,3}(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3})*|[IVX]{1,5})[.:]?$|^\((?:\d{1,2}|[a-z]|[ivx]{1,4})\)$/i;
/** The label alone above the title of a figure or table. */
const FIGURE_LABEL = /^(?:fig(?:ure|\.)?|table|abbildung|tabelle)\s*[\dIVX]+(?:[.-]\d+)*[.:]?$/i;
/** The letter of a section ("(a) Methods") is no small initial. */
const LOWER_CASE = /^(?!\([a-z]{1,3}\)\s+\p{Lu})[^\p{L}]*\p{Ll}/u;
const PAGE_LABEL = /^(?:page|seite|p\.)\s*\d+(?:\s*$|\s*(?:of|von|\/)\s*\d)/i;
const SENTENCE_END = /[.!?;,]["'\u2019\u201D)\]]*$/;
const NO_HEADING_END = /[.;,:]$/;
const NO_TITLE_END = /[.;,:?!]$/;
/** A sentence behind the title in its line: the text of the section begins there. */
const RUN_IN = /(?:\p{L}{2}|\))\.\s+\p{Lu}/u;
/** Marks that end sentences and clauses in Chinese and Japanese; even a short title has none at its end. */
const WIDE_MARK_END = /[。，；：、！？]$/;
/** The sign of an item, even with bold text in the item. */
const BULLET = /^[•‣◦▪▫●○■□*·]\s/;
