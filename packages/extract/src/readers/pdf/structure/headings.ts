// Finds the headings of a document and their depths, by type, number, and the outline of the file, if any. In doubt a
// line is text: a false heading tears a section apart, a missed one only merges two.
import { depthsOf } from './depths.ts';
import type { Bookmark } from '../pdfium/bookmarks.ts';
import { titlesIn, titlesOf, type OutlinedTitle } from './outline.ts';
import { paperHeadings } from './papers.ts';
import { bodyOf, PROSE_LENGTH, type Body } from './body.ts';
import {
  isHeading,
  isLikeTitle,
  isNumberedHeading,
  MAX_LINES,
  mayBeHeading,
  type Title,
} from './conditions.ts';
import { withoutDoubts } from './doubts.ts';
import { withoutRepeated } from './repeats.ts';
import { count, inTitleStyles, isCode, isText, styleOf, type StyleUses } from './title-styles.ts';
import { partTitles, inSequence, NUMBER, numberDepth } from './sections.ts';
import { charactersIn, isSameSize, joinLines, quantile, type TextLine } from '../lines/text.ts';

/** A heading of one or more lines. */
export interface Heading {
  /** From 1 to 6. */
  readonly depth: number;
  readonly lines: readonly TextLine[];
}

/** A line that may be a heading needs a font this many times as large as the body's, or a bold one. */
const LARGER = 1.12;
/** A page with more characters than this, most of them large, is a cover or a poster with a body size of its own. */
const OWN_BODY_CHARACTERS = 200;
const DEEPEST = 6;
/** Consecutive lines in one type that may be one heading. */
interface Candidate extends Title {
  /** True if it is the first or the last of its page. */
  readonly isAtEdge: boolean;
  /** True if only its number marks it, so that it is a heading only where that number is due. */
  readonly isByNumber: boolean;
  /** True if text of the body stands below it. */
  readonly hasText: boolean;
  readonly hasTitle: boolean;
  readonly after: TextLine | undefined;
  /** True if it is a heading only where its style is that of titles. */
  readonly isDoubted: boolean;
}

/** The parts of a document that help to find its headings. */
export interface HeadingContext {
  /** Lines in the type of the running text. */
  readonly text: readonly TextLine[];
  readonly outline: readonly Bookmark[];
  readonly isLabel: (line: TextLine) => boolean;
  /** The first line of the table right below a line. */
  readonly tables: ReadonlyMap<TextLine | undefined, TextLine>;
}

/**
 * The headings of a document by each of their lines. `pages` holds the lines that are neither blank nor part of
 * anything else, in reading order. Linear but for the sorting of sizes.
 */
export function findHeadings(
  pages: readonly (readonly TextLine[])[],
  { text, outline, isLabel, tables }: HeadingContext,
): Map<TextLine, Heading> {
  const body = bodyOf(text);
  const titles = titlesOf(outline);
  const papers = outline.length > 0 ? undefined : paperHeadings(pages, (lines) => usualPitch(lines, tables));
  const uses: StyleUses = new Map();
  const parts = partTitles(pages.flat().filter((line) => line.isBold || line.size > LARGER * body.size));
  const candidates = inSequence(
    withoutRepeated(
      inTitleStyles(
        pages.flatMap((lines, page) => {
          const outlined = papers?.get(page) ?? titlesIn(lines, titles.get(page));
          const candidates = candidatesOf(lines, bodyOfPage(lines, body), { outlined, uses, tables, parts });
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

/** Facts that help to find the titles of a page. */
interface TitleMarks extends Pick<HeadingContext, 'tables'> {
  readonly outlined: ReadonlyMap<number, OutlinedTitle>;
  readonly uses: StyleUses;
  /** Lines of parts that count. */
  readonly parts: ReadonlySet<TextLine | undefined>;
}

/** Fewer lines outside tables do not show how long full ones are. */
const LEAST_LINES = 4;

function candidatesOf(
  lines: readonly TextLine[],
  body: Body,
  { outlined, uses, tables, parts }: TitleMarks,
): readonly Candidate[] {
  const pitch = usualPitch(lines, tables);
  const edges = lines.flatMap((line) => [line.right, tables.get(line)?.right ?? []].flat());
  const right = lines.length < LEAST_LINES ? Infinity : quantile(edges, 0.9);
  const candidates: Candidate[] = [];
  for (let at = 0; at < lines.length;) {
    const title = outlined.get(at);
    const group =
      title === undefined
        ? groupAt(lines, at, LARGER * body.size, { outlined, parts })
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
    const table = tables.get(group.at(-1));
    const isAtEdge = at === 0 || (at + group.length === lines.length && table === undefined);
    const after = table ?? lines[at + group.length];
    const isPlain = !isLarge && first?.isBold !== true;
    const hasText =
      table !== undefined ||
      (after !== undefined &&
        (isText(after, body) || isCode(after, body)) &&
        (!isPlain || after.text.length >= PROSE_LENGTH));
    const common = {
      lines: group,
      text,
      size,
      isLarge,
      outlined: title?.depth ?? 0,
      isAtEdge,
      style,
      hasText,
      after,
      isPart: parts.has(first),
    };
    const candidate: Candidate = { ...common, hasTitle: false, isByNumber: false, isDoubted: false };
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
    ({ outlined, text, isDoubted, isPart }) =>
      outlined === 0 && !isDoubted && !isPart && numberDepth(text) < 2,
  );
  const isExcess = (some: readonly Candidate[]): boolean =>
    some.reduce((sum, candidate) => sum + candidate.lines.length, 0) > DENSE_SHARE * lines;
  if (lines < DENSE_LINES || !isExcess(own)) return candidates;
  const isLargeExcess = isExcess(own.filter(({ isLarge }) => isLarge));
  const hasLarge = own.some(({ isLarge }) => isLarge);
  const largest = own.reduce((most, { size }) => Math.max(most, size), 0);
  return candidates.flatMap((candidate) => {
    const { size, outlined, isLarge, isPart, text, hasText, after } = candidate;
    if (outlined > 0 || isPart || (isLarge && (!isLargeExcess || isSameSize(size, largest))))
      return [candidate];
    const isByNumber = numberDepth(text) > 1;
    // There a line of prose proves a style, and not the value of a label.
    const hasProse = hasText && after !== undefined && after.text.length >= PROSE_LENGTH;
    return [
      {
        ...candidate,
        hasText: hasLarge && !isLarge ? hasProse : hasText,
        isDoubted: !isByNumber,
        isByNumber,
      },
    ];
  });
}

/** This share of the distances of two lines on a page of short paragraphs is within a paragraph. */
const WITHIN = 0.3;

/** The usual distance of two lines of a paragraph, none of them on both sides of a table. */
function usualPitch(lines: readonly TextLine[], tables: HeadingContext['tables'] = new Map()): number {
  const drops = lines
    .slice(1)
    .map(({ baseline }, index) => (tables.has(lines[index]) ? 0 : (lines[index]?.baseline ?? 0) - baseline));
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
  { outlined, parts }: Pick<TitleMarks, 'outlined' | 'parts'>,
): TextLine[] {
  const group = lines.slice(at, at + 1);
  for (let next = at + 1; next < lines.length; next++) {
    const before = group.at(-1);
    const line = lines[next];
    if (before === undefined || line === undefined || !isContinued(before, line, large)) break;
    if (outlined.has(next) || parts.has(before) || parts.has(line)) break;
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
