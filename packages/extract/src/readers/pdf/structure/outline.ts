// The author's table of contents, and the lines of a page that it names.
import type { OutlineEntry } from '@grainline/core';
import { outlineOf } from '@grainline/core/blocks';
import type { Serialised } from '../../../tree/serialise.ts';
import type { Bookmark } from '../pdfium/bookmarks.ts';
import { cleanName } from '../pdfium/strings.ts';
import { NUMBER } from './sections.ts';
import { firstWordWidth, isSameSize, SMALL_LETTER, type TextLine } from '../lines/text.ts';

/** The titles of a page in the outline, with the entries that have each. */
type PageTitles = ReadonlyMap<string, readonly Bookmark[]>;

export function titlesOf(outline: readonly Bookmark[]): Map<number, PageTitles> {
  const pages = new Map<number, Map<string, Bookmark[]>>();
  for (const entry of outline) {
    const titles = pages.get(entry.page) ?? new Map<string, Bookmark[]>();
    pages.set(entry.page, titles);
    const key = keyOf(entry.title);
    const entries = titles.get(key);
    if (entries !== undefined) entries.push(entry);
    else if (key !== '') titles.set(key, [entry]);
  }
  return pages;
}

/** Letters and digits only: outlines leave out numbers' points, breaks and blanks. */
export function keyOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Longer texts in characters are no titles. */
const MAX_TITLE = 200;
/** Longest title of an outline, in lines. */
const MAX_TITLE_LINES = 3;

/** A title of the outline on a page. */
export interface OutlinedTitle {
  readonly lines: number;
  readonly depth: number;
}

/**
 * The titles of the outline by the index of their first line. An outline may leave out the numbers that the page has.
 */
export function titlesIn(
  lines: readonly TextLine[],
  titles: PageTitles = new Map(),
): ReadonlyMap<number, OutlinedTitle> {
  const found = new Map<number, OutlinedTitle>();
  if (titles.size === 0) return found;
  const places = new Map<string, number[]>();
  const keys = lines.map(({ text }) => (text.length <= MAX_TITLE ? keyOf(text) : undefined));
  lines.forEach(({ text }, at) => {
    const unnumbered = text.length <= MAX_TITLE ? text.replace(NUMBER, '') : text;
    if (keys[at] === '') return;
    const starts = unnumbered === text ? [keys[at]] : [keys[at], keyOf(unnumbered)];
    for (let [length, rest] = [1, '']; length <= MAX_TITLE_LINES && rest.length <= MAX_TITLE; length++) {
      const start = starts.find((key) => key !== undefined && titles.has(key + rest));
      if (start !== undefined) {
        const same = places.get(start + rest) ?? [];
        const entries = titles.get(start + rest) ?? [];
        found.set(at, { lines: length, depth: (entries[same.length] ?? entries[0])?.depth ?? 1 });
        same.push(at);
        places.set(start + rest, same);
        return;
      }
      const next = keys[at + length];
      if (next === undefined) return;
      rest += next;
    }
  });
  for (const [title, same] of places) {
    const count = titles.get(title)?.length ?? 0;
    for (const at of same.length > count ? weakerOf(same, count, lines) : []) found.delete(at);
  }
  const right = lines.reduce((most, line) => Math.max(most, line.right), 0);
  for (const [title, entries] of titles)
    for (const entry of entries.slice(places.get(title)?.length ?? 0)) {
      const at = lineBegunBy(entry, lines, right);
      if (at !== undefined && !found.has(at)) found.set(at, { lines: 1, depth: entry.depth });
    }
  return found;
}

/** The first line below a destination is no further from it than this many times its size, and hardly above it. */
const BELOW = 3;
const ABOVE = 0.5;
/** A shorter beginning may be one by chance. */
const LEAST_BEGINNING = 3;

/**
 * The line that an entry points to, if it begins with the entry's title and goes on with something else: arguments of
 * a command, a note in the margin, the mark of a footnote. A full line, or a sentence, is text behind a title.
 */
function lineBegunBy(
  { title, top }: Bookmark,
  lines: readonly TextLine[],
  right: number,
): number | undefined {
  const key = keyOf(title);
  if (top === undefined || key.length < LEAST_BEGINNING) return undefined;
  const at = lines.findIndex((line, index) => {
    const { text, size } = line;
    const drop = top - line.baseline;
    if (drop < -ABOVE * size || drop > BELOW * size || text.length > MAX_TITLE) return false;
    return !SENTENCE.test(text) && !goesOn(line, lines[index + 1], right) && beginsWith(text, key);
  });
  return at === -1 ? undefined : at;
}

/** Lines of a paragraph are closer than this many times their size. */
const CLOSE = 1.5;

/** True if a line goes on right below with a small letter, or with a word that had no room at its end. */
function goesOn(line: TextLine, below: TextLine | undefined, right: number): boolean {
  if (below === undefined || line.baseline - below.baseline > CLOSE * line.size) return false;
  return SMALL_LETTER.test(below.text) || line.right + firstWordWidth(below) > right - line.size;
}

/** The end of a sentence at the end of a line, or within it. */
const SENTENCE = /\p{L}{2}[.:;,]["'”’)]?(?:$|\s+\p{Lu})/u;

/** The end of a word, which a number may follow: the mark of a footnote. */
const WORD_ENDS = /(?<=[\p{L}\p{N}])(?!\p{L})/gu;

/** True if a text, or its title behind a number, begins with the words of a key. */
function beginsWith(text: string, key: string): boolean {
  return [text, text.replace(NUMBER, '')].some(
    (title) =>
      keyOf(title).startsWith(key) &&
      Array.from(title.matchAll(WORD_ENDS)).some(({ index }) => keyOf(title.slice(0, index)) === key),
  );
}

/** The lines in weaker type than the strongest of some lines, when enough others remain. */
function weakerOf(places: readonly number[], least: number, lines: readonly TextLine[]): readonly number[] {
  const size = places.reduce((most, at) => Math.max(most, lines[at]?.size ?? 0), 0);
  const large = places.filter((at) => isSameSize(lines[at]?.size ?? 0, size));
  const bold = large.filter((at) => lines[at]?.isBold === true);
  const strongest = bold.length >= least ? bold : large;
  const kept = new Set(strongest.length < least ? places : strongest);
  return places.filter((at) => !kept.has(at));
}

/** The bookmarks of a file as a table of contents; each that names a heading on its page has its start. */
export function outlineOfBookmarks(
  bookmarks: readonly Bookmark[],
  { text, blocks, pages }: Serialised,
): OutlineEntry[] {
  const starts = new Map<string, number>();
  const headings = outlineOf(text, blocks, pages);
  for (const { page = 0, title, start = 0 } of headings.toReversed()) {
    starts.set(`${page} ${keyOf(title.replace(NUMBER, ''))}`, start);
    starts.set(`${page} ${keyOf(title)}`, start);
  }
  const byPage = Map.groupBy(headings, ({ page }) => page);
  return bookmarks.flatMap(({ title, depth, page: index }): OutlineEntry[] => {
    const words = cleanName(title);
    if (words === '') return [];
    const page = index < 0 ? {} : { page: index + 1 };
    const key = keyOf(title);
    const longer = (): number | undefined =>
      byPage
        .get(index + 1)
        ?.find((heading) => key.length >= LEAST_BEGINNING && beginsWith(heading.title, key))?.start;
    const start = starts.get(`${index + 1} ${key}`) ?? longer();
    return [{ title: words, level: depth, ...page, ...(start !== undefined && { start }) }];
  });
}
