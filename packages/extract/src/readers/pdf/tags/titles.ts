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
  for (const { lines: own, depth } of treeTitles(page)) {
    const text = lettersOf(own);
    if (text === '' || text.length > MAX_HEADING) continue;
    const places = [...new Set(own.flatMap((line) => indexes.get(placeOf(line) ?? line) ?? []))];
    const first = Math.min(...places);
    const found = lines.slice(first, first + places.length);
    if (lettersOf(found) !== text || found.some((line) => tables.has(line))) continue;
    for (const line of found) titles.set(line, { depth, lines: found });
  }
  return titles;
}

/** The headings of a tree with the lines of its own. */
export function treeTitles({ elements, leaves }: TaggedPage): Heading[] {
  const titles: Heading[] = [];
  const walk = (children: readonly TagChild[], sections: number): void => {
    for (const child of children) {
      if (typeof child !== 'object') continue;
      const { type } = child;
      if (roleOf(type) !== 'heading') walk(child.children, sections + Number(isSection(type)));
      else {
        const lines = leavesOf(child.children).flatMap((leaf) => leaves.get(leaf) ?? []);
        if (lines.length > 0) titles.push({ lines, depth: depthOf(type, sections) });
      }
    }
  };
  walk(elements, 0);
  return titles;
}

/** Leaves headings among tagged lines only where they are in the type of headings of trees, with the level of those. */
export function likeTitles(
  found: ReadonlyMap<TextLine, Heading>,
  tagged: ReadonlySet<TextLine>,
  titles: readonly Heading[],
): Map<TextLine, Heading> {
  const depths = new Map<string, number>();
  for (const { lines, depth } of titles) {
    const type = typeOf(lines);
    depths.set(type, Math.min(depth, depths.get(type) ?? depth));
  }
  const alike = new Map<TextLine, Heading>();
  for (const heading of new Set(found.values())) {
    const { lines } = heading;
    const isTagged = lines.some((line) => tagged.has(line));
    const depth = isTagged ? depths.get(typeOf(lines)) : heading.depth;
    if (depth === undefined) continue;
    const levelled = { depth, lines };
    for (const line of lines) alike.set(line, levelled);
  }
  return alike;
}

function typeOf([line]: readonly TextLine[]): string {
  return `${Math.round(2 * (line?.size ?? 0))} ${String(line?.isBold)}`;
}

function lettersOf(lines: readonly TextLine[]): string {
  return lines.map(({ text }) => text.replace(/\s+/g, '')).join('');
}
