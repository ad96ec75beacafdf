// The headings of a document whose pages have trees, or a layout, or both.
import type { TextLine } from '../lines/text.ts';
import type { Bookmark } from '../pdfium/bookmarks.ts';
import { runningText, tablesBelow } from '../structure/body.ts';
import { findHeadings, type Heading } from '../structure/headings.ts';
import type { TabledPage } from '../tables/continued.ts';
import type { TaggedPage } from './page.ts';
import { likeTitles, taggedTitles, treeTitles } from './titles.ts';
import { leavesOf } from './tree.ts';
import { areLabels, type TrustedTags } from './trust.ts';

const NO_TITLES: ReadonlyMap<TextLine, Heading> = new Map();

/** Headings by their lines: those of trees that give nothing else, and those that the other pages show. */
export function headingsOf(
  { parts, pages, free }: HeadedPages,
  { hasHeadings }: TrustedTags,
  outline: readonly Bookmark[],
): ReadonlyMap<TextLine, Heading> {
  const labels = new Set(parts.flatMap((part) => [...part.labels]));
  const titles = pages.map((page, index) => {
    const titled = parts[index]?.titled;
    return titled === undefined ? NO_TITLES : taggedTitles(titled, page);
  });
  const trees = parts.map(({ tagged }) => tagged && treeTitles(tagged.page));
  const untitled = free.map((lines, index) => {
    const count = trees[index]?.length ?? titles[index]?.size;
    return hasHeadings && (count !== 0 || (trees[index] !== undefined && areLabels(lines))) ? [] : lines;
  });
  const found = findHeadings(untitled, {
    text: runningText(free, pages),
    outline,
    isLabel: (line) => labels.has(line),
    isWide: (page) => parts[page]?.isWide === true,
    tables: tablesBelow(
      pages.map(({ lines }, index) => linesOfTree(parts[index]?.tagged?.page) ?? lines),
      free,
    ),
  });
  const tagged = new Set(untitled.flatMap((lines, index) => (trees[index] === undefined ? [] : lines)));
  const alike = hasHeadings
    ? likeTitles(
        found,
        tagged,
        trees.flatMap((some) => some ?? []),
      )
    : found;
  return new Map([alike, ...titles].flatMap((some) => [...some]));
}

/** The lines of a page in the order of its tree. */
function linesOfTree(page: TaggedPage | undefined): readonly TextLine[] | undefined {
  return page && leavesOf(page.elements).flatMap((leaf) => page.leaves.get(leaf) ?? []);
}

/** The tree of a page that is read by it, or that gives the headings alone; and the labels of its drawings. */
interface TreedPage {
  readonly tagged?: { readonly page: TaggedPage };
  readonly titled?: TaggedPage;
  readonly labels: ReadonlySet<TextLine>;
  /** True if the page is wider than high. */
  readonly isWide: boolean;
}

interface HeadedPages {
  readonly parts: readonly TreedPage[];
  readonly pages: readonly TabledPage[];
  /** The lines of each page outside tables. */
  readonly free: readonly (readonly TextLine[])[];
}
