// What stands at the edges of pages and belongs to none of their text: running heads and feet, and page numbers. They
// are told by coming at one height on several pages, numbers aside.
import type { Line } from './text.ts';

/** Lines from the upper and the lower edge of a page that may be furniture of it. */
const EDGE_LINES = 3;
/** The same text on two pages is furniture when it stands at one height, to within so many points. */
const SAME_HEIGHT = 6;
const PAGE_NUMBER =
  /^(?:(?:page|seite|p\.)\s*)?[-–—[(]?\s*(?:\d{1,4}(?:[-–.]\d{1,4})?|[ivxlc]{1,7})\s*[-–—\])]?(?:\s*(?:of|von|\/)\s*\d{1,4})?$/i;

/**
 * Page numbers with what stands beside them, and what stands at one height at the edges of some pages, numbers aside.
 */
export function furnitureOf(pages: readonly (readonly Line[])[]): Set<Line> {
  return furnitureAt(pages.map(outermost));
}

function furnitureAt(edges: readonly (readonly Line[])[]): Set<Line> {
  const furniture = numberedOf(edges);
  const seen = new Map<string, { readonly line: Line; readonly page: number }>();
  for (const [page, lines] of edges.entries()) {
    for (const line of lines) {
      if (PAGE_NUMBER.test(line.text)) furniture.add(line);
      const key = line.text.toLowerCase().replace(/\d+/g, '0');
      const other = seen.get(key);
      const isThere = other !== undefined && Math.abs(other.line.baseline - line.baseline) <= SAME_HEIGHT;
      if (isThere && other.page !== page) furniture.add(line).add(other.line);
      seen.set(key, { line, page });
    }
  }
  return furniture;
}

/** Pages of a document that count at one height, so many of them, are numbered. */
const LEAST_NUMBERED = 3;
const FIGURES = /^\d{1,4}$/;

/**
 * Titles of slides are numbered, too, but begin with their numbers on all pages; page numbers of books change sides.
 */
function isCount(lines: readonly Line[]): boolean {
  return lines.length >= LEAST_NUMBERED && lines.some(({ cells }) => FIGURES.test(cells.at(-1)?.text ?? ''));
}

/**
 * The lines of which the first or the last cell is the number of their page, as many pages as its count began with
 * aside.
 */
function numberedOf(edges: readonly (readonly Line[])[]): Set<Line> {
  const counts = new Map<string, Line[]>();
  for (const [page, lines] of edges.entries()) {
    const keys = new Set<string>();
    for (const line of lines) {
      const { cells, baseline } = line;
      for (const text of [cells[0]?.text ?? '', cells.at(-1)?.text ?? '']) {
        if (!FIGURES.test(text)) continue;
        const key = `${Number(text) - page} ${Math.round(baseline)}`;
        // Two on one page count nothing.
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

/** The highest and the lowest lines of a page. */
function outermost(lines: readonly Line[]): readonly Line[] {
  const upright = lines.filter(({ text, isTurned }) => text !== '' && !isTurned);
  if (upright.length <= 2 * EDGE_LINES) return upright.sort((a, b) => b.baseline - a.baseline);
  const above: Line[] = [];
  const below: Line[] = [];
  for (const line of upright) {
    insert(above, line, (other) => other.baseline < line.baseline);
    insert(below, line, (other) => other.baseline >= line.baseline);
  }
  return [...above, ...below.reverse()];
}

/** Puts a line before the first of those it comes before, of which only so many are kept. */
function insert(kept: Line[], line: Line, comesBefore: (other: Line) => boolean): void {
  const at = kept.findIndex(comesBefore);
  if (at === -1 && kept.length === EDGE_LINES) return;
  kept.splice(at === -1 ? kept.length : at, 0, line);
  if (kept.length > EDGE_LINES) kept.pop();
}

/** Whether a line is none that a paragraph consists of: blank, turned, a running head or a page number. */
export function isAside(line: Line, furniture: ReadonlySet<Line>): boolean {
  return line.text === '' || line.isTurned || furniture.has(line);
}

/** Running heads and feet are this many times their size away from the rest of their page. */
const MARGIN_GAP = 1.6;
const WIDER = 1.2;

/**
 * The furniture at the edges of pages that white parts from the rest, or that counts the pages, with what stands beside
 * it.
 */
export function marginsOf(pages: readonly (readonly Line[])[]): Set<Line> {
  const edges = pages.map(outermost);
  const furniture = furnitureAt(edges);
  const numbered = numberedOf(edges);
  const margins = pages.flatMap((lines) => {
    if (!lines.some((line) => furniture.has(line))) return [];
    const upright = lines.filter(({ text, isTurned }) => text !== '' && !isTurned);
    const heights = upright.sort((a, b) => b.baseline - a.baseline);
    return [heights, heights.toReversed()].flatMap((some) => {
      const margin = marginOf(some, furniture);
      return margin.length > 0 ? margin : firstRow(some, numbered);
    });
  });
  return new Set(margins);
}

/** The lines in the order of their heights that stand as high as the first, when one of them counts the pages. */
function firstRow(lines: readonly Line[], numbered: ReadonlySet<Line>): readonly Line[] {
  const row = lines.slice(0, rowEnd(lines, 0));
  return row.some((line) => numbered.has(line)) ? row : [];
}

/**
 * The first rows of lines in the order of their heights, as far as they are furniture and up to the first white. It is
 * wider than what parts the rows behind it, for the header of a table comes again as well.
 */
function marginOf(lines: readonly Line[], furniture: ReadonlySet<Line>): readonly Line[] {
  let end = 0;
  // Where sizes are unknown, nothing is told of white.
  if (lines[0]?.size === 0) return [];
  for (let gap = 0; gap <= MARGIN_GAP * (lines[end - 1]?.size ?? 0);) {
    const next = rowEnd(lines, end);
    if (next === lines.length || !lines.slice(end, next).some((line) => furniture.has(line))) return [];
    end = next;
    gap = gapBefore(lines, end);
  }
  return gapBefore(lines, end) > WIDER * gapBefore(lines, rowEnd(lines, end)) ? lines.slice(0, end) : [];
}

/** The index behind the lines that stand as high as the one at a place. */
function rowEnd(lines: readonly Line[], at: number): number {
  const { baseline = 0, size = 0 } = lines[at] ?? {};
  let end = at;
  while (end < lines.length && Math.abs((lines[end]?.baseline ?? 0) - baseline) <= size / 2) end++;
  return Math.max(end, Math.min(at + 1, lines.length));
}

function gapBefore(lines: readonly Line[], at: number): number {
  const [above, below] = [lines[at - 1], lines[at]];
  return above === undefined || below === undefined ? 0 : Math.abs(above.baseline - below.baseline);
}
