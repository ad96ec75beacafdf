// Headings in the type of the text, as engineers' papers have them: "I. INTRODUCTION" in capitals, and below it
// "A. Methods" in italics, and mathematicians' papers in the middle of the text: "1. Introduction". Only their numbers,
// which count, their place and the white space above them show them.
import type { OutlinedTitle } from './outline.ts';
import { hasLeader, quantile, type TextLine } from '../lines/text.ts';

/** A line on its page. */
interface LinePosition {
  readonly page: number;
  readonly at: number;
}

const ROMAN = ['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI', 'XII', 'XIII', 'XIV', 'XV'];
const SECTION = /^([IVX]{1,5})\.\s+\P{Ll}*\p{Lu}{3}\P{Ll}*$/u;
const CAPITALS = /^\P{Ll}*\p{Lu}{3}\P{Ll}*$/u;
const SUBSECTION = /^([A-Z])\.\s+\p{Lu}.*[^.;,:]$/u;
const NUMBERED = /^(\d{1,2}|[IVX]{1,5})\.\s+\p{L}.*[^.;,:]$/u;
/** So many lines below a title show the edges of its column. */
const BELOW = 5;
const LEAST_BELOW = 2;
/** A line in the middle of the text is so many times its size away from both edges, and off it by less than that. */
const INDENTED = 2;
const OFF_MIDDLE = 1;
/** Fewer sections may be items of a list. */
const LEAST_SECTIONS = 3;
const LEAST_SUBSECTIONS = 2;
const MAX_LENGTH = 90;
/** The title of a paper is above its sections. */
const DEPTH = 2;
/** White space above a heading is wider than this many usual line distances. */
const GAP = 1.15;

/** The headings of papers by page and index of their first line. `pitchOf` is the usual line distance of a page. */
export function paperHeadings(
  pages: readonly (readonly TextLine[])[],
  pitchOf: (lines: readonly TextLine[]) => number,
): ReadonlyMap<number, ReadonlyMap<number, OutlinedTitle>> {
  const found = new Map<number, Map<number, OutlinedTitle>>();
  const mayBe = pages.flatMap((lines, page) =>
    lines.flatMap((line, at) =>
      [SECTION, SUBSECTION, NUMBERED].some((form) => form.test(line.text)) ? [{ page, at, line }] : [],
    ),
  );
  const pitches = new Map<number, number>();
  const isApart = ({ page, at }: LinePosition): boolean => {
    const lines = pages[page] ?? [];
    const [before, line, after] = [lines[at - 1], lines[at], lines[at + 1]];
    let pitch = pitches.get(page);
    if (pitch === undefined) pitches.set(page, (pitch = pitchOf(lines)));
    if (line === undefined || after === undefined || line.text.length > MAX_LENGTH || hasLeader(line.text))
      return false;
    const gap = before === undefined ? Infinity : before.baseline - line.baseline;
    const drop = line.baseline - after.baseline;
    return (gap < 0 || gap > GAP * pitch) && drop > 0 && !SECTION.test(after.text);
  };
  const romans = counted(
    mayBe.filter(({ line }) => SECTION.test(line.text)),
    isApart,
    (text, count) => SECTION.exec(text)?.[1] === ROMAN[count],
  );
  const isInMiddle = ({ page, at, line }: (typeof mayBe)[number]): boolean => {
    const lines = pages[page] ?? [];
    const below = lines.slice(at + 1, at + 1 + BELOW);
    return NUMBERED.test(line.text) && isCentred(line, edgesOf(below.length < LEAST_BELOW ? lines : below));
  };
  const numbered = (): typeof mayBe => {
    const inMiddle = mayBe.filter(isInMiddle);
    const countedBy = (numberOf: (count: number) => string | undefined): typeof mayBe =>
      counted(inMiddle, isApart, (text, count) => NUMBERED.exec(text)?.[1] === numberOf(count));
    const figures = countedBy((count) => String(count + 1));
    return figures.length < LEAST_SECTIONS ? countedBy((count) => ROMAN[count]) : figures;
  };
  const sections = romans.length < LEAST_SECTIONS ? numbered() : romans;
  if (sections.length < LEAST_SECTIONS) return found;
  const add = ({ page, at }: LinePosition, depth: number): void => {
    const own = found.get(page) ?? new Map<number, OutlinedTitle>();
    const isLong = depth === DEPTH && CAPITALS.test(pages[page]?.[at + 1]?.text ?? '');
    found.set(page, own.set(at, { depth, lines: isLong ? 2 : 1 }));
  };
  sections.forEach((section, index) => {
    add(section, DEPTH);
    const next = sections[index + 1];
    const inside = mayBe.filter(
      (place) => isBefore(section, place) && (next === undefined || isBefore(place, next)),
    );
    const letters = counted(
      inside,
      isApart,
      (text, count) => SUBSECTION.exec(text)?.[1] === String.fromCharCode('A'.charCodeAt(0) + count),
    );
    if (letters.length >= LEAST_SUBSECTIONS) for (const place of letters) add(place, DEPTH + 1);
  });
  return found;
}

/** True for a line in the middle of the text of its page, between these edges, and away from both. */
function isCentred({ left, right, size, cells }: TextLine, [from, to]: readonly [number, number]): boolean {
  const [before, behind] = [left - from, to - right];
  const isIndented = Math.min(before, behind) > INDENTED * size;
  return cells.length === 1 && isIndented && Math.abs(before - behind) < 2 * OFF_MIDDLE * size;
}

/** The edges that most lines reach. */
function edgesOf(lines: readonly TextLine[]): readonly [number, number] {
  const [left, right] = [lines.map((line) => line.left), lines.map((line) => line.right)];
  return [quantile(left, 0.25), quantile(right, 0.75)];
}

/** The places whose numbers count. */
function counted<Line extends LinePosition & { readonly line: TextLine }>(
  places: readonly Line[],
  isApart: (place: LinePosition) => boolean,
  isNext: (text: string, count: number) => boolean,
): Line[] {
  const found: Line[] = [];
  for (const place of places) if (isNext(place.line.text, found.length) && isApart(place)) found.push(place);
  return found;
}

function isBefore(a: LinePosition, b: LinePosition): boolean {
  return a.page < b.page || (a.page === b.page && a.at < b.at);
}
