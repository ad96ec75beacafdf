// Spans of a document → boxes on its pages. The reader has placed every character; this file finds those of a span by
// binary search and cuts the first and the last line at the character.
import {
  countWhile,
  type Document,
  type DocumentRegions,
  NO_PLACE,
  type Region,
  type Span,
} from '../document.ts';

/** Hundredths of a point in a point. */
const UNITS = 100;

/**
 * The boxes of a span, in the order of the text: one for each line of a page, cut at the character. Text without a
 * place (marks of Markdown, blanks at line ends) adds nothing. Empty when the document has no regions, and for a span
 * without any character that a page shows. Takes time logarithmic in the document and linear in the span.
 *
 * @example
 * const document = await extract(bytes, { regions: true });
 * const [chunk] = await chunk(document);
 * const boxes = regionsOf(document, chunk); // [{ page: 1, x0: 72, y0: 70.9, x1: 523.3, y1: 84.2 }, …]
 */
export function regionsOf({ regions }: Pick<Document, 'regions'>, { start, end }: Span): Region[] {
  const boxes: Region[] = [];
  if (regions === undefined) return boxes;
  const { starts, offsets } = regions;
  // The last run that starts at or before the span may reach into it.
  let run = Math.max(0, countWhile(starts, (at) => at <= start) - 1);
  for (; run < starts.length; run++) {
    const begin = starts[run] ?? 0;
    if (begin >= end) break;
    const first = offsets[run] ?? 0;
    const from = first + Math.max(0, start - begin);
    const to = Math.min(offsets[run + 1] ?? 0, first + end - begin);
    const box = boxOf(regions, run, from, to);
    if (box !== undefined) boxes.push(box);
  }
  return boxes;
}

/** The box of some units of a run; `undefined` when none has a place. */
function boxOf(
  { pages, turns, extents, edges }: DocumentRegions,
  run: number,
  from: number,
  to: number,
): Region | undefined {
  let low = Infinity;
  let high = -Infinity;
  for (let at = 2 * from; at < 2 * to; at += 2) {
    const [near = NO_PLACE, far = NO_PLACE] = [edges[at], edges[at + 1]];
    if (near === NO_PLACE) continue;
    if (near < low) low = near;
    if (far > high) high = far;
  }
  if (low > high) return undefined;
  const along = [low / UNITS, high / UNITS] as const;
  const across = [(extents[2 * run] ?? 0) / UNITS, (extents[2 * run + 1] ?? 0) / UNITS] as const;
  const isLevel = (turns[run] ?? 0) % 2 === 0;
  const [[x0, x1], [y0, y1]] = isLevel ? [along, across] : [across, along];
  return { page: pages[run] ?? 1, x0, y0, x1, y1 };
}

/** Width and height of a page as a viewer shows it, in points; `undefined` when the document has no such page. */
export function pageSizeOf(
  { regions }: Pick<Document, 'regions'>,
  page: number,
): { readonly width: number; readonly height: number } | undefined {
  const [width = 0, height = 0] = page < 1 ? [] : (regions?.pageSizes.subarray(2 * page - 2, 2 * page) ?? []);
  return width > 0 && height > 0 ? { width: width / UNITS, height: height / UNITS } : undefined;
}
