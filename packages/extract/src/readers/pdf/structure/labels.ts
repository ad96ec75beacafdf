// Bold lines that are no titles, by the text below all lines in their style: labels of values and fields, speakers,
// and terms with their definitions. The text of a title goes on, and another title has another name.
import { SMALL_LETTER, type TextLine } from '../lines/text.ts';
import { SMALLEST_CODE } from './conditions.ts';
import { CAPITALS } from './depths.ts';
import { isItem } from './flow.ts';
import { keyOf } from './outline.ts';
import { largerBefore } from './repeats.ts';
import { sectionNumber } from './sections.ts';
import { typeOf } from './title-styles.ts';

/** A possible title. */
interface Labelled {
  readonly lines: readonly TextLine[];
  readonly text: string;
  readonly size: number;
  readonly isLarge: boolean;
  /** Above 0 when it is in the outline. */
  readonly outlined: number;
  /** True for a part of a form that counts. */
  readonly isPart: boolean;
  /** As of `styleOf`. */
  readonly style: string;
  /** True if a table stands right below it. */
  readonly isAboveTable: boolean;
}

/** The lines of a document below each of its possible titles, up to the next one. */
type Sections = ReadonlyMap<Labelled, Section>;

interface Section {
  readonly lines: readonly TextLine[];
  readonly next: Labelled | undefined;
}

const NOTHING: Section = { lines: [], next: undefined };

/** The possible titles without labels, speakers and terms. `pages` has the lines outside tables. Linear. */
export function withoutLabels<One extends Labelled>(
  titles: readonly One[],
  pages: readonly (readonly TextLine[])[],
): One[] {
  const repetitions = repetitionsOf(titles);
  const wide = widthOfText(pages);
  const named = without(titles, sectionsOf(titles, pages), (some, sections) =>
    // The letters of an index, which an outline may have, are none.
    areTerms(some.filter(mayBeLabel), sections) ? some : speakersOf(some, repetitions),
  );
  return without(named, sectionsOf(named, pages), (some, sections) => {
    const bare = some.filter((one) => isBare(one, sections, wide));
    return bare.length * 2 > some.length ? bare : [];
  });
}

/** The titles without those of each style that are labels. */
function without<One extends Labelled>(
  titles: readonly One[],
  sections: Sections,
  labelsOf: (some: readonly One[], sections: Sections) => readonly One[],
): One[] {
  const styles = Map.groupBy(titles, ({ lines: [line], text }) =>
    [line && typeOf(line), text.endsWith(':'), CAPITALS.test(text)].join(),
  );
  const labels = new Set([...styles.values()].flatMap((some) => labelsOf(some, sections)));
  return titles.filter((one) => !labels.has(one) || !mayBeLabel(one));
}

/** True for a title that nothing but bold or slanted type shows. */
function mayBeLabel({ isLarge, outlined, isPart, text }: Labelled): boolean {
  return !isLarge && outlined === 0 && !isPart && sectionNumber(text) === '';
}

function sectionsOf(titles: readonly Labelled[], pages: readonly (readonly TextLine[])[]): Sections {
  const owners = new Map(titles.flatMap((title) => title.lines.map((line) => [line, title] as const)));
  const sections = new Map(
    titles.map((title, index) => [title, { lines: [] as TextLine[], next: titles[index + 1] }]),
  );
  let open: TextLine[] | undefined;
  for (const line of pages.flat()) {
    const owner = owners.get(line);
    if (owner === undefined) open?.push(line);
    else open = sections.get(owner)?.lines;
  }
  return sections;
}

// --- Speakers

const LEAST_SPEAKERS = 4;
/** A title that comes so often, each in a section of its own, is that of a part of each section. */
const LEAST_PARTS = 3;

/** How the texts of titles come again. */
interface Repetitions {
  /** Titles whose text comes again before a title in larger type. */
  readonly repeated: ReadonlySet<Labelled>;
  /** Titles whose text comes often, each time in a section of its own. */
  readonly parts: ReadonlySet<Labelled>;
}

function repetitionsOf(titles: readonly Labelled[]): Repetitions {
  const larger = largerBefore(titles, () => true);
  const [repeated, parts] = [new Set<Labelled>(), new Set<Labelled>()];
  for (const same of Map.groupBy(titles.entries(), ([, title]) => keyOfText(title)).values()) {
    const isRepeated = same.some(
      ([index], at) => at > 0 && (larger[index] ?? -1) < (same[at - 1]?.[0] ?? -1),
    );
    if (!isRepeated && same.length < LEAST_PARTS) continue;
    for (const [, title] of same) (isRepeated ? repeated : parts).add(title);
  }
  return { repeated, parts };
}

function keyOfText({ style, text }: Labelled): string {
  return `${style} ${keyOf(text).replace(/\d+/g, '#')}`;
}

/**
 * The titles in one style, if half of them and more are names that take turns; some speak once. One that comes again
 * alone says nothing about the others.
 */
function speakersOf<One extends Labelled>(
  titles: readonly One[],
  { repeated, parts }: Repetitions,
): readonly One[] {
  const speakers = titles.filter((title) => repeated.has(title));
  const areMost = titles.length >= LEAST_SPEAKERS && speakers.length * 2 >= titles.length;
  if (!areMost || titles.some((title) => parts.has(title))) return [];
  return new Set(speakers.map(keyOfText)).size > 1 ? titles : speakers;
}

// --- Labels of values

/** A line of a text is so many times as wide as its type is high; addresses and values are narrower. */
const WIDE = 20;
/** In a narrow column it has this share of the widest one. */
const FULL = 0.8;

function widthOfText(pages: readonly (readonly TextLine[])[]): number {
  let widest = 0;
  for (const { left, right, size } of pages.flat())
    widest = Math.max(widest, (right - left) / Math.max(1, size));
  return Math.min(WIDE, FULL * widest);
}

/** More lines are no value. */
const MOST_VALUES = 5;

/** True for a title right above one in weaker type. Code is set smaller. */
function isAbove({ style, size, lines: [line] }: Labelled, next: Labelled): boolean {
  return style !== next.style && next.size * (line?.isFixedPitch === true ? SMALLEST_CODE : 1) <= size;
}

/** True if a title has values below it at most. */
function isBare(title: Labelled, sections: Sections, wide: number): boolean {
  const { lines, next } = sections.get(title) ?? NOTHING;
  if (lines.length > MOST_VALUES || !mayBeLabel(title)) return false;
  if (lines.length === 0 && next !== undefined && isAbove(title, next)) return false;
  return (
    !title.isAboveTable &&
    !lines.some(
      (line, index) =>
        isItem(line) ||
        line.isFixedPitch ||
        ((line.right - line.left > wide * line.size || (index > 0 && SMALL_LETTER.test(line.text))) &&
          WORD.test(line.text)),
    )
  );
}

const WORD = /\p{L}{2}|\p{Lo}/u;

// --- Terms

const LEAST_TERMS = 6;
const SORTED = 0.9;
const MOST_LINES = 6;

/** True for titles in the order of the alphabet with short texts below them; "Appendix A", "Appendix B" count. */
function areTerms(titles: readonly Labelled[], sections: Sections): boolean {
  if (titles.length < LEAST_TERMS) return false;
  const keys = titles.map(({ text }) => keyOf(text));
  const sorted = keys.slice(1).filter((key, index) => key > (keys[index] ?? '')).length;
  const firstWords = new Set(titles.map(({ text }) => text.split(/\s/)[0]));
  return (
    firstWords.size * 2 > titles.length &&
    sorted >= SORTED * (keys.length - 1) &&
    titles.every((title) => {
      const { lines } = sections.get(title) ?? NOTHING;
      return lines.length <= MOST_LINES && !lines.some((line) => line.isFixedPitch);
    })
  );
}
