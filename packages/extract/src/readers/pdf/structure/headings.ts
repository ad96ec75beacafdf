// Finds the headings of a document and their depths, by type, number, and the outline of the file, if any. In doubt a
// line is text: a false heading tears a section apart, a missed one only merges two.
import { depthsOf } from './depths.ts';
import type { Bookmark } from '../pdfium/bookmarks.ts';
import { type OutlinedTitle, titlesIn, titlesOf } from './outline.ts';
import { paperHeadings } from './papers.ts';
import { bodyOf, PROSE_LENGTH, type Body } from './body.ts';
import {
  isHeading,
  isInCode,
  isLikeTitle,
  isNumberedHeading,
  MAX_LINES,
  mayBeHeading,
  type Title,
  type TitlePlace,
} from './conditions.ts';
import { withoutDoubts } from './doubts.ts';
import { withoutLabels } from './labels.ts';
import { withoutRepeated } from './repeats.ts';
import { count, inTitleStyles, isCode, isText, styleOf, type StyleUses } from './title-styles.ts';
import { partTitles, inSequence, NUMBER, numberDepth } from './sections.ts';
import { onCover, slideTitles } from './slides.ts';
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
  /** True if a table stands right below it. */
  readonly isAboveTable: boolean;
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
  /** True for a page that is wider than high. */
  readonly isWide: (page: number) => boolean;
  /** The first line of the table right below a line. */
  readonly tables: ReadonlyMap<TextLine | undefined, TextLine>;
}

/**
 * The headings of a document by each of their lines. `pages` holds the lines that are neither blank nor part of
 * anything else, in reading order. Linear but for the sorting of sizes.
 */
export function findHeadings(
  pages: readonly (readonly TextLine[])[],
  { text, outline, isLabel, isWide, tables }: HeadingContext,
): Map<TextLine, Heading> {
  const body = bodyOf(text);
  const titles = titlesOf(outline);
  const papers = outline.length > 0 ? undefined : paperHeadings(pages, (lines) => usualPitch(lines, tables));
  const slides = slideTitles(pages, isWide, body.type);
  const uses: StyleUses = new Map();
  const parts = new Set([
    ...partTitles(pages.flat().filter((line) => line.isBold || line.size > LARGER * body.size)),
    ...[...slides].flatMap(([page, { at }]) => pages[page]?.[at]),
  ]);
  const possible = pages.flatMap((lines, page) => {
    const [slide, named] = [slides.get(page), titlesIn(lines, titles.get(page))];
    const outlined =
      named.size > 0 ? named : (papers?.get(page) ?? (slide && new Map([[slide.at, slide]])) ?? named);
    const found = candidatesOf(lines, bodyOfPage(lines, body), { outlined, uses, tables, parts });
    const sure = withoutDoubts(found, lines, page === 0, isLabel);
    return slides.size > 0 && slide === undefined ? onCover(sure, lines) : sure;
  });
  const candidates = inSequence(withoutRepeated(inTitleStyles(withoutLabels(possible, pages), uses)));
  const depths = depthsOf(withSections(candidates, pages));
  const headings = new Map<TextLine, Heading>();
  candidates.forEach(({ lines }, index) => {
    const heading = { depth: Math.min(DEEPEST, depths[index] ?? 1), lines };
    for (const line of lines) headings.set(line, heading);
  });
  return headings;
}

/** The titles with the ones that have lines below them, once the text of the document has begun. Linear. */
function withSections(
  titles: readonly Candidate[],
  pages: readonly (readonly TextLine[])[],
): (Candidate & { readonly hasSection: boolean })[] {
  const owners = new Map(titles.flatMap((title) => title.lines.map((line) => [line, title] as const)));
  const sections = new Set<Candidate>();
  let open: Candidate | undefined;
  let hasBegun = false;
  for (const line of pages.flat()) {
    const owner = owners.get(line);
    hasBegun ||= owner === undefined ? line.text.length >= PROSE_LENGTH : owner.isPart;
    if (owner === undefined && open !== undefined && hasBegun) sections.add(open);
    open = owner ?? open;
  }
  return titles.map((title) => ({ ...title, hasSection: sections.has(title) }));
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

/** The possible headings of a page. Most of a page is prose, which the first check leaves out. */
function candidatesOf(lines: readonly TextLine[], body: Body, marks: TitleMarks): readonly Candidate[] {
  const { tables, uses } = marks;
  const pitch = usualPitch(lines, tables);
  const right = rightEdge(lines, tables);
  const candidates = groupsOf(lines, body, marks).flatMap((group): Candidate[] => {
    const style = styleOf(group.lines);
    count(uses, style);
    if (!isUnlikeText(group, style, body)) return [];
    const candidate = describe(group, style, lines, body, marks);
    return judge(candidate, body, { before: lines[group.at - 1], after: candidate.after, pitch, right });
  });
  return withoutExcess(candidates, lines.length);
}

/** The right edge of the full lines of a page. */
function rightEdge(lines: readonly TextLine[], tables: HeadingContext['tables']): number {
  if (lines.length < LEAST_LINES) return Infinity;
  const edges = lines.flatMap((line) => [line.right, tables.get(line)?.right ?? []].flat());
  return quantile(edges, 0.9);
}

/** Consecutive lines that are one heading, if they are any. */
interface Group {
  readonly lines: readonly TextLine[];
  /** The index of the first line. */
  readonly at: number;
  readonly outlined: OutlinedTitle | undefined;
}

/** The lines of a page in groups of one type, and of one title of the outline. */
function groupsOf(lines: readonly TextLine[], { size }: Body, marks: TitleMarks): Group[] {
  const groups: Group[] = [];
  for (let at = 0; at < lines.length;) {
    const outlined = marks.outlined.get(at);
    const own =
      outlined === undefined
        ? groupAt(lines, at, LARGER * size, marks)
        : lines.slice(at, at + outlined.lines);
    groups.push({ lines: own, at, outlined });
    at += own.length;
  }
  return groups;
}

function isLarger({ lines: [first] }: Pick<Group, 'lines'>, { size }: Body): boolean {
  return size > 0 && (first?.size ?? 0) > LARGER * size;
}

/** True if anything marks lines as a heading: the outline, type, or a number. */
function isUnlikeText(group: Group, style: string, body: Body): boolean {
  const [first] = group.lines;
  if (group.lines.length > MAX_LINES) return false;
  return (
    isLarger(group, body) ||
    group.outlined !== undefined ||
    first?.isBold === true ||
    numberDepth(first?.text ?? '') > 1 ||
    !style.startsWith(body.type)
  );
}

/** The facts about a possible heading; `page` has the lines around it. */
function describe(
  group: Group,
  style: string,
  page: readonly TextLine[],
  body: Body,
  { tables, parts }: TitleMarks,
): Candidate {
  const { lines, at, outlined } = group;
  const [first] = lines;
  const table = tables.get(lines.at(-1));
  const end = at + lines.length;
  const after = table ?? page[end];
  const isLarge = isLarger(group, body);
  const isPlain = !isLarge && first?.isBold !== true;
  return {
    lines,
    text: joinLines(lines, ' '),
    size: first?.size ?? 0,
    isLarge,
    outlined: outlined?.depth ?? 0,
    isAtEdge: at === 0 || (end === page.length && table === undefined),
    style,
    hasText: table !== undefined || isTextBelow(after, body, isPlain),
    isAboveTable: table !== undefined,
    after,
    isPart: parts.has(first),
    hasTitle: false,
    isByNumber: false,
    isDoubted: false,
  };
}

/** True if the line below a title is text or code; a title in plain type needs a line of prose. */
function isTextBelow(after: TextLine | undefined, body: Body, isPlain: boolean): boolean {
  if (after === undefined || !(isText(after, body) || isCode(after, body))) return false;
  return !isPlain || after.text.length >= PROSE_LENGTH;
}

/** The candidate with the conditions that it has yet to meet; none if it is no heading. */
function judge(candidate: Candidate, body: Body, place: TitlePlace): Candidate[] {
  if (!mayBeHeading(candidate) || isInCode(candidate, body, place)) return [];
  if (isHeading(candidate, body, place)) return [candidate];
  const isNumbered = numberDepth(candidate.lines[0]?.text ?? '') > 1;
  if (isNumbered && isNumberedHeading(candidate, body, place)) return [{ ...candidate, isByNumber: true }];
  return isLikeTitle(candidate, body, place) ? [{ ...candidate, isDoubted: true }] : [];
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
