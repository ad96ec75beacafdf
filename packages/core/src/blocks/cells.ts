// Finds the value of a table cell without the marks around it, for tables of any origin.
import type { Block, Span } from '../document.ts';
import { delimitedContent } from './csv.ts';
import { nextPipe } from './gfm-table.ts';
import { belowFrame, drawnContent, isDrawn } from './grid-table.ts';
import { skipBlank, skipBlankBack } from './lines.ts';

/**
 * The part of a cell that is its value: `> - | a |` → `a`, without the line of dashes below a header;
 * `<tr><td>a</td></tr>` → `<td>a</td>`, because the tag may say what the cell spans. Empty cells covered by a span (`|
 * a |  |`) stand behind the value and belong to its cell.
 */
export function cellContent(text: string, block: Pick<Block, 'start' | 'end' | 'form'>): Span {
  const { end, form } = block;
  if (form === 'delimited') return delimitedContent(text, block.start, end);
  const start = belowFrame(text, block.start, end);
  if (isDrawn(text.charCodeAt(start))) return drawnContent(text, start, end);
  const cell = text.slice(start, end);
  const tag = /^\s*(?:<(?:!--|\/?(?:table|caption|t(?:head|body|foot|r|d|h))\b))/i.test(cell);
  if (tag) return htmlContent(text, cell, start, end);
  const marks =
    /^(?:(?:[-*+>]|\d{1,9}[.)]|\[\^[^\]\s]+\]:|\s)+(?=\|))?(?:[|\s:>-]*\n)?[|\s]*/.exec(cell)?.[0] ?? '';
  const value = cell.slice(marks.length);
  // Behind an empty header cell comes the rule.
  const isRule = marks.includes('\n') && /^[-:|\s]*$/.test(value);
  const feed = value.indexOf('\n');
  const from = start + marks.length;
  const to = nextPipe(text, from, feed === -1 ? end : from + feed);
  return { start: from, end: isRule ? from : skipBlankBack(text, from, to) };
}

/** The content of an HTML cell without the tags of the table and of rows. */
function htmlContent(text: string, cell: string, start: number, end: number): Span {
  const open = cell.search(/<t[dh]\b/i);
  const close = Math.max(...['</td>', '</th>'].map((tag) => cell.toLowerCase().lastIndexOf(tag)));
  const from = open === -1 ? skipBlank(text, start, end) : start + open;
  return { start: from, end: skipBlankBack(text, from, close < open ? end : start + close + 5) };
}
