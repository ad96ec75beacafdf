// Text at the edges of pages that is not part of their content: running heads and feet, and page numbers. They repeat
// at one height on several pages, numbers aside.
import type { TextLine } from './text.ts';

/** Most lines at the upper and the lower edge of a page that may be furniture. */
const EDGE_LINES = 3;
/** Equal texts on two pages are furniture at one height, to within so many points. */
export const SAME_HEIGHT = 6;
export const PAGE_NUMBER =
  /^(?:(?:page|seite|p\.)\s*)?[-–—[(]?\s*(?:\d{1,4}(?:[-–.]\d{1,4})?|[ivxlc]{1,7})\s*[-–—\])]?(?:\s*(?:of|von|\/)\s*\d{1,4})?$/i;

/**
 * Page numbers with the text beside them, and text that repeats at one height at the edges of some pages, numbers
 * aside.
 */
export function furnitureOf(pages: readonly (readonly TextLine[])[]): Set<TextLine> {
  return furnitureAt(pages.map(outermost));
}

/**
 * The lines at the edges of pages that begin or end with the number of their page: no evidence by themselves, but a
 * sentence may go on behind them.
 */
export function ownNumbers(pages: readonly (readonly TextLine[])[]): TextLine[] {
  return pages.flatMap((lines, page) =>
    outermost(lines).filter(
      ({ cells }) =>
        cells.length > 1 && [cells[0], cells.at(-1)].some((cell) => cell?.text === String(page + 1)),
    ),
  );
}

function furnitureAt(edges: readonly (readonly TextLine[])[]): Set<TextLine> {
  const furniture = numberedOf(edges);
  const seen = new Map<string, { readonly line: TextLine; readonly page: number }>();
  for (const [page, lines] of edges.entries()) {
    for (const line of lines) {
      if (PAGE_NUMBER.test(line.text)) furniture.add(line);
      const key = keyOf(line);
      const other = seen.get(key);
      const isThere = other !== undefined && Math.abs(other.line.baseline - line.baseline) <= SAME_HEIGHT;
      if (isThere && other.page !== page) furniture.add(line).add(other.line);
      seen.set(key, { line, page });
    }
  }
  return furniture;
}

/** Texts that differ in figures only are equal, and so are those with the page number before or behind. */
export function keyOf({ text }: TextLine): string {
  return text
    .toLowerCase()
    .replace(/\d+/g, '0')
    .replace(/^0 | 0$/g, '');
}

/** So many pages that count at one height are numbered. */
const LEAST_NUMBERED = 3;
const FIGURES = /^\d{1,4}$/;

/**
 * Titles of slides are numbered, too, but begin with their numbers on all pages; page numbers of books change sides.
 */
function isCount(lines: readonly TextLine[]): boolean {
  return lines.length >= LEAST_NUMBERED && lines.some(({ cells }) => FIGURES.test(cells.at(-1)?.text ?? ''));
}

/** The lines whose first or last cell is the number of their page, apart from a constant offset. */
function numberedOf(edges: readonly (readonly TextLine[])[]): Set<TextLine> {
  const counts = new Map<string, TextLine[]>();
  for (const [page, lines] of edges.entries()) {
    const keys = new Set<string>();
    for (const line of lines) {
      const { cells, baseline } = line;
      for (const text of [cells[0]?.text ?? '', cells.at(-1)?.text ?? '']) {
        if (!FIGURES.test(text)) continue;
        const key = `${Number(text) - page} ${Math.round(baseline)}`;
        // Two on one page do not count.
        if (keys.has(key)) continue;
        keys.add(key);
        const known = counts.get(key);
        if (known === undefined) counts.set(key, [line]);
        else known.push(line);
      }
    }
  }
  return new Set([...counts.values()].filter(isCount).flat());
}

/** The upright lines of pages from above, which several rules need. */
const SORTED = new WeakMap<readonly TextLine[], readonly TextLine[]>();

function fromAbove(lines: readonly TextLine[]): readonly TextLine[] {
  const known = SORTED.get(lines);
  if (known !== undefined) return known;
  const upright = lines.filter(({ text, isTurned }) => text !== '' && !isTurned);
  const sorted = upright.sort((a, b) => b.baseline - a.baseline);
  SORTED.set(lines, sorted);
  return sorted;
}

/** The highest and the lowest lines of a page. */
export function outermost(lines: readonly TextLine[]): readonly TextLine[] {
  const heights = fromAbove(lines);
  return heights.filter((_, at) => at < EDGE_LINES || at >= heights.length - EDGE_LINES);
}

/** True if a line is no part of a paragraph: blank, turned, a running head or a page number. */
export function isAside(line: TextLine, furniture: ReadonlySet<TextLine>): boolean {
  return line.text === '' || line.isTurned || furniture.has(line);
}

/** Running heads and feet are this many times their size away from the rest of their page. */
const MARGIN_GAP = 1.6;
const WIDER = 1.2;

/**
 * The furniture at the edges of pages that white space separates from the rest, or that counts the pages, with the text
 * beside it.
 */
export function marginsOf(pages: readonly (readonly TextLine[])[]): Set<TextLine> {
  const edges = pages.map(outermost);
  const furniture = furnitureAt(edges);
  const numbered = numberedOf(edges);
  const margins = pages.flatMap((lines) => {
    if (!lines.some((line) => furniture.has(line))) return [];
    const heights = fromAbove(lines);
    return [heights, heights.toReversed()].flatMap((some) => {
      const margin = marginOf(some, furniture);
      return margin.length > 0 ? margin : firstRow(some, numbered);
    });
  });
  return new Set(margins);
}

/** The highest and the lowest lines of a page that white space separates from all others. */
export function edgeRows(lines: readonly TextLine[]): readonly TextLine[] {
  const heights = fromAbove(lines);
  return [heights, heights.toReversed()].flatMap((some) => {
    const end = rowEnd(some, 0);
    const isApart = end === some.length || gapBefore(some, end) > MARGIN_GAP * (some[0]?.size ?? 0);
    return isApart ? some.slice(0, end) : [];
  });
}

/** The lines, ordered by height, at the height of the first, when one of them counts the pages. */
function firstRow(lines: readonly TextLine[], numbered: ReadonlySet<TextLine>): readonly TextLine[] {
  const row = lines.slice(0, rowEnd(lines, 0));
  return row.some((line) => numbered.has(line)) ? row : [];
}

/**
 * The first rows of lines, ordered by height, that are furniture, up to the first white space. The space is wider than
 * that between the rows behind, because the header of a table repeats as well.
 */
function marginOf(lines: readonly TextLine[], furniture: ReadonlySet<TextLine>): readonly TextLine[] {
  // Without known sizes no white space is measurable.
  if (lines[0]?.size === 0) return [];
  for (let end = 0; ;) {
    const begin = end;
    const next = rowEnd(lines, begin);
    if (next === lines.length || !lines.slice(begin, next).some((line) => furniture.has(line))) return [];
    end = next;
    const gap = gapBefore(lines, end);
    const isWide = gap > MARGIN_GAP * (lines[end - 1]?.size ?? 0);
    if (!isWide || gap <= WIDER * gapBefore(lines, rowEnd(lines, end))) continue;
    return isHeader(lines.slice(begin, end), lines.slice(end, rowEnd(lines, end))) ? [] : lines.slice(0, end);
  }
}

/** A header has at least so many labels, each over a cell of at most so many characters. */
const LEAST_LABELS = 3;
const CELL_LENGTH = 30;

/** True if the cells of a row stand over those of the next, one over each, as the header of a table does. */
function isHeader(row: readonly TextLine[], next: readonly TextLine[]): boolean {
  const [labels, values] = [row, next].map((lines) =>
    lines.flatMap(({ cells }) => cells).sort((a, b) => a.left - b.left),
  );
  if (labels === undefined || labels.length < LEAST_LABELS || labels.length !== values?.length) return false;
  return values.every(({ left, right, text }, at) => {
    const label = labels[at] ?? { left: Infinity, right: -Infinity };
    return text.length <= CELL_LENGTH && label.left < right && label.right > left;
  });
}

/** The index behind the lines at the height of the line at an index. */
function rowEnd(lines: readonly TextLine[], at: number): number {
  const { baseline = 0, size = 0 } = lines[at] ?? {};
  let end = at;
  while (end < lines.length && Math.abs((lines[end]?.baseline ?? 0) - baseline) <= size / 2) end++;
  return Math.max(end, Math.min(at + 1, lines.length));
}

function gapBefore(lines: readonly TextLine[], at: number): number {
  const [above, below] = [lines[at - 1], lines[at]];
  return above === undefined || below === undefined ? 0 : Math.abs(above.baseline - below.baseline);
}
