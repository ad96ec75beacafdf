// The author's table of contents, and the lines of a page that it names.
import type { OutlineEntry } from '@grainline/core';
import { outlineOf } from '@grainline/core/blocks';
import type { Serialised } from '../../../tree/serialise.ts';
import type { Bookmark } from '../pdfium/bookmarks.ts';
import { cleanName } from '../pdfium/strings.ts';
import { NUMBER } from './sections.ts';
import { isSameSize, type TextLine } from '../lines/text.ts';

/** The titles of a page in the outline: the depth of each entry with that title. */
type PageTitles = ReadonlyMap<string, readonly number[]>;

export function titlesOf(outline: readonly Bookmark[]): Map<number, PageTitles> {
  const pages = new Map<number, Map<string, number[]>>();
  for (const { page, title, depth } of outline) {
    const titles = pages.get(page) ?? new Map<string, number[]>();
    pages.set(page, titles);
    const key = keyOf(title);
    const depths = titles.get(key);
    if (depths !== undefined) depths.push(depth);
    else if (key !== '') titles.set(key, [depth]);
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
        const depths = titles.get(start + rest) ?? [];
        found.set(at, { lines: length, depth: depths[same.length] ?? depths[0] ?? 1 });
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
  return found;
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
  for (const { page = 0, title, start = 0 } of outlineOf(text, blocks, pages).reverse()) {
    starts.set(`${page} ${keyOf(title.replace(NUMBER, ''))}`, start);
    starts.set(`${page} ${keyOf(title)}`, start);
  }
  return bookmarks.flatMap(({ title, depth, page: index }): OutlineEntry[] => {
    const words = cleanName(title);
    if (words === '') return [];
    const page = index < 0 ? {} : { page: index + 1 };
    const start = starts.get(`${index + 1} ${keyOf(title)}`);
    return [{ title: words, level: depth, ...page, ...(start !== undefined && { start }) }];
  });
}
