// The headings of a page's tree among the lines of its layout.
import type { TextLine } from '../lines/text.ts';
import type { TagChild } from '../pdfium/tags.ts';
import type { Heading } from '../structure/headings.ts';
import type { TabledPage } from '../tables/continued.ts';
import { MAX_HEADING } from './nodes.ts';
import { placesOf, type TaggedPage } from './page.ts';
import { depthOf, isSection, roleOf } from './roles.ts';
import { leavesOf } from './tree.ts';

/** The headings of a tree, each of consecutive lines outside tables with its text and no other. */
export function taggedTitles(
  page: TaggedPage,
  { lines, tables }: Pick<TabledPage, 'lines' | 'tables'>,
): Map<TextLine, Heading> {
  const placeOf = placesOf(lines);
  const indexes = new Map(lines.map((line, index) => [line, index]));
  const titles = new Map<TextLine, Heading>();
  const add = (own: readonly TextLine[], depth: number): void => {
    const text = lettersOf(own);
    if (text === '' || text.length > MAX_HEADING) return;
    const places = [...new Set(own.flatMap((line) => indexes.get(placeOf(line) ?? line) ?? []))];
    const first = Math.min(...places);
    const found = lines.slice(first, first + places.length);
    if (lettersOf(found) !== text || found.some((line) => tables.has(line))) return;
    for (const line of found) titles.set(line, { depth, lines: found });
  };
  const walk = (children: readonly TagChild[], sections: number): void => {
    for (const child of children) {
      if (typeof child !== 'object') continue;
      const { type } = child;
      if (roleOf(type) !== 'heading') walk(child.children, sections + Number(isSection(type)));
      else
        add(
          leavesOf(child.children).flatMap((leaf) => page.leaves.get(leaf) ?? []),
          depthOf(type, sections),
        );
    }
  };
  walk(page.elements, 0);
  return titles;
}

function lettersOf(lines: readonly TextLine[]): string {
  return lines.map(({ text }) => text.replace(/\s+/g, '')).join('');
}
