// Finds the headings of a document and their depths, by type, number, and the outline of the file, if any. In doubt a
// line is text: a false heading tears a section apart, a missed one only merges two.
import { depthsOf } from './depths.ts';
import type { Bookmark } from '../pdfium/bookmarks.ts';
import { titlesIn, titlesOf, type OutlinedTitle } from './outline.ts';
import { paperHeadings } from './papers.ts';
import { bodyOf, PROSE_LENGTH, type Body } from './body.ts';
import { withoutDoubts } from './doubts.ts';
import { withoutRepeated } from './repeats.ts';
import { count, inTitleStyles, isText, styleOf, type StyleUses } from './title-styles.ts';
import { inSequence, NUMBER, numberDepth } from './sections.ts';
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
  /** As of `styleOf`. */
  readonly style: string;
  /** True if text of the body stands below it. */
  readonly hasText: boolean;
  /** True if it is a heading only where its style is that of titles. */
  readonly isDoubted: boolean;
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
  const uses: StyleUses = new Map();
  const candidates = inSequence(
    withoutRepeated(
      inTitleStyles(
        pages.flatMap((lines, page) => {
          const outlined = papers?.get(page) ?? titlesIn(lines, titles.get(page));
          const candidates = candidatesOf(lines, bodyOfPage(lines, body), outlined, uses);
          return withoutDoubts(candidates, lines, page === 0, isLabel);
        }),
        uses,
      ),
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
  uses: StyleUses,
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
    const style = styleOf(group);
    const mayBe =
      group.length <= MAX_LINES &&
      (isLarge ||
        title !== undefined ||
        first?.isBold === true ||
        isNumbered ||
        !style.startsWith(body.type));
    const text = mayBe ? joinLines(group, ' ') : '';
    const isAtEdge = at === 0 || at + group.length === lines.length;
    const after = lines[at + group.length];
    const isPlain = !isLarge && first?.isBold !== true;
    const hasText =
      after !== undefined && isText(after, body) && (!isPlain || after.text.length >= PROSE_LENGTH);
    const common = {
      lines: group,
      text,
      size,
      isLarge,
      outlined: title?.depth ?? 0,
      isAtEdge,
      style,
      hasText,
    };
    const candidate = { ...common, isByNumber: false, isDoubted: false };
    const place = { before: lines[at - 1], after, pitch, right };
    count(uses, style);
    if (mayBe && mayBeHeading(candidate)) {
      if (isHeading(candidate, body, place)) candidates.push(candidate);
      else if (isNumbered && isNumberedHeading(candidate, body, place))
        candidates.push({ ...candidate, isByNumber: true });
      else if (isLikeTitle(candidate, body, place)) candidates.push({ ...candidate, isDoubted: true });
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
  const own = candidates.filter(
    ({ outlined, text, isDoubted }) => outlined === 0 && !isDoubted && numberDepth(text) < 2,
  );
  const isExcess = (some: readonly Candidate[]): boolean =>
    some.reduce((sum, candidate) => sum + candidate.lines.length, 0) > DENSE_SHARE * lines;
  if (lines < DENSE_LINES || !isExcess(own)) return candidates;
  const isLargeExcess = isExcess(own.filter(({ isLarge }) => isLarge));
  const hasLarge = own.some(({ isLarge }) => isLarge);
  const largest = own.reduce((most, { size }) => Math.max(most, size), 0);
  return candidates.flatMap((candidate) => {
    const { size, outlined, isLarge, text } = candidate;
    if (outlined > 0 || (isLarge && (!isLargeExcess || isSameSize(size, largest)))) return [candidate];
    const isByNumber = numberDepth(text) > 1;
    if (hasLarge && !isLarge && !isByNumber) return [];
    return [{ ...candidate, isDoubted: !isByNumber, isByNumber }];
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
    !(SMALL_LETTER.test(after.text) && isSameSize(after.size, size)) &&
    numberDepth(after.text) !== numberDepth(text)
  );
}

/** True if a line may be a heading where others in its style are: it stands alone, and differs from the text. */
function isLikeTitle(
  { lines, text, size, isLarge, style }: Candidate,
  body: Body,
  { before, after, pitch, right }: Surroundings,
): boolean {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined || style.startsWith(body.type) || lines.length > 2)
    return false;
  if (size < SMALLEST_BOLD * body.proseSize || text.length > MAX_BOLD || /[.;,]$/.test(text)) return false;
  if (body.isBold && first.isBold && !isLarge) return false;
  if (!isLarge && last.right > right - 2 * size && numberDepth(text) === 0) return false;
  const gap = before === undefined ? Infinity : before.baseline - first.baseline;
  const isApart = gap < 0 || gap > GAP_BEFORE * pitch;
  const drop = after === undefined ? pitch : last.baseline - after.baseline;
  if (text.endsWith(':') && gap > 0 && gap < APART * drop) return false;
  return (isApart || first.isBold || isLarge) && drop > 0;
}

/** A title with a colon is so many times as far from the text above as from that below. */
const APART = 1.3;

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
