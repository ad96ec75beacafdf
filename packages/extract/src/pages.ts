// The option `pages`: page numbers and ranges, as 3-7 or 1,4-6 or 9-.
import { ExtractError } from './errors.ts';

/** Pages in a row, by their numbers from 1, both included. */
export interface PageRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Chooses pages of a document: ranges in ascending order without a page in common. A range may end behind the last
 * page, as 1-10 means the first ten.
 *
 * @param wanted in the syntax of the option; undefined for all pages
 * @param count pages that the document has; 0 for a kind without pages
 * @throws ExtractError `no_such_pages` when a range names no page of the document
 */
export function choosePages(wanted: string | undefined, count: number): PageRange[] {
  if (wanted === undefined) return [{ first: 1, last: count }];
  if (count === 0) throw new ExtractError('no_such_pages', { detail: 'it has no pages to choose from' });
  const chosen: PageRange[] = [];
  for (const { first, last } of rangesOf(wanted, count)) {
    const before = chosen.at(-1);
    if (before === undefined || first > before.last + 1) chosen.push({ first, last });
    else chosen[chosen.length - 1] = { ...before, last: Math.max(last, before.last) };
  }
  return chosen;
}

/** Lists the pages of ranges. */
export function* pagesIn(ranges: readonly PageRange[]): Generator<number> {
  for (const { first, last } of ranges) for (let page = first; page <= last; page++) yield page;
}

/** The ranges in ascending order of their first pages. */
function rangesOf(wanted: string, count: number): PageRange[] {
  const ranges = wanted.split(',').map((words) => {
    const range = words.trim();
    const [from = '', to = from] = range.split('-');
    const [first, last] = [Number(from), to === '' ? Infinity : Number(to)];
    if (first > count)
      throw new ExtractError('no_such_pages', { detail: `${range} begins after its last page, ${count}` });
    return { first, last: Math.min(last, count) };
  });
  return ranges.sort((a, b) => a.first - b.first);
}
