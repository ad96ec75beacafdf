// The titles of slides: most of the pages are wide and begin with a line in one type, at one height.
import { keyOf, type OutlinedTitle } from './outline.ts';
import { typeOf } from './title-styles.ts';
import { isSameSize, type TextLine } from '../lines/text.ts';

/** Fewer wide pages are no slides, and so many of them begin with a title. */
const LEAST_SLIDES = 3;
const TITLED = 0.5;
/** A slide has no more lines, and its title no more than these. */
const MOST_LINES = 40;
const MOST_TITLE_LINES = 3;
const MAX_TITLE = 120;
const LETTER = /\p{L}/u;
/** This share of the titles are unlike each other: the name of an event stands on each slide. */
const UNLIKE = 0.5;
/** The place of a title varies by no more points. */
const HEIGHT = 6;

/** The title of a slide. */
interface SlideTitle extends OutlinedTitle {
  /** The index of its first line. */
  readonly at: number;
}

/** The titles of the wide pages by page, if these are slides. Type decides their depths. Linear. */
export function slideTitles(
  pages: readonly (readonly TextLine[])[],
  isWide: (page: number) => boolean,
  body: string,
): ReadonlyMap<number, SlideTitle> {
  const slides = [...pages.keys()].filter((page) => isWide(page) && (pages[page] ?? []).length > 0);
  const tops = slides.flatMap((page) => topOf(pages[page] ?? [], page));
  if (slides.length < LEAST_SLIDES || slides.length * 2 < pages.length) return new Map();
  const [titles = []] = [...Map.groupBy(tops, ({ type }) => type).values()].sort(
    (a, b) => b.length - a.length,
  );
  const texts = new Set(titles.map(({ text }) => keyOf(text)));
  if (titles.length < Math.max(LEAST_SLIDES, TITLED * slides.length)) return new Map();
  if (texts.size < UNLIKE * titles.length || (titles[0]?.type === body && !areAtOnePlace(titles)))
    return new Map();
  return new Map(titles.map(({ page, at, lines }) => [page, { at, lines, depth: 0 }]));
}

/** The lines at the top of a slide. */
interface Top {
  readonly page: number;
  readonly at: number;
  readonly lines: number;
  readonly text: string;
  readonly type: string;
  readonly height: number;
  /** True if white space parts it from the text below. */
  readonly isApart: boolean;
}

/** The highest lines of a page in one type, without a page of text. */
function topOf(lines: readonly TextLine[], page: number): Top[] {
  if (lines.length > MOST_LINES) return [];
  const highest = lines.reduce((most, { baseline }) => Math.max(most, baseline), -Infinity);
  const at = lines.findIndex(({ baseline }) => baseline === highest);
  const first = lines[at];
  if (first === undefined || first.isTurned) return [];
  const type = typeOf(first);
  let end = at + 1;
  for (; end < lines.length; end++) {
    const [before, line] = [lines[end - 1], lines[end]];
    if (before === undefined || line === undefined || typeOf(line) !== type) break;
    const drop = before.baseline - line.baseline;
    if (drop <= 0 || drop > 1.4 * line.size) break;
  }
  const title = lines.slice(at, end);
  const text = title.map((line) => line.text).join(' ');
  if (title.length > MOST_TITLE_LINES || text.length > MAX_TITLE || !LETTER.test(text)) return [];
  const after = lines[end];
  const isApart = after === undefined || (title.at(-1)?.baseline ?? 0) - after.baseline > 1.5 * first.size;
  return [{ page, at, lines: title.length, text, type, height: highest, isApart }];
}

/** True if titles in the type of the text stand at one height, and apart from it. */
function areAtOnePlace(titles: readonly Top[]): boolean {
  const heights = titles.map(({ height }) => height).sort((a, b) => a - b);
  const middle = heights[Math.floor(heights.length / 2)] ?? 0;
  return titles.every(({ height, isApart }) => isApart && Math.abs(height - middle) <= HEIGHT);
}

/** The titles of a page without the title of a slide: those in its largest type. Names stand below. */
export function onCover<One extends { readonly size: number }>(
  titles: readonly One[],
  lines: readonly TextLine[],
): One[] {
  const largest = lines.reduce((most, { size }) => Math.max(most, size), 0);
  return titles.filter(({ size }) => isSameSize(size, largest));
}
