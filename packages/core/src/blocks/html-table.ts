// HTML tables inside Markdown: tags → rows and cells that tile the table, so that every tag belongs to a cell.
// Forgiving like a browser: end tags may be missing, a table may stand inside a cell. Linear in the length.
import { skipBlank, skipBlankBack } from './lines.ts';
import { skipName } from './html.ts';
import { GREATER } from './marks.ts';
import type { GrowingBlock } from './tree.ts';

const SLASH = 0x2f;
/** What HTML itself allows a cell to span at most. */
const MAX_SPAN = 1000;

interface Tag {
  readonly name: string;
  readonly closing: boolean;
  readonly start: number;
  readonly end: number;
}

/** A row while its cells are found. */
interface OpenRow {
  readonly cells: GrowingBlock[];
  readonly end: number;
  readonly header: boolean;
}

/** Where each table ends, by the offset of its `<table`; tables without an end tag are not listed. */
export function matchTables(text: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
    const closing = text.charCodeAt(at + 1) === SLASH;
    const nameStart = at + (closing ? 2 : 1);
    if ((text.charCodeAt(nameStart) | 0x20) !== 0x74) continue;
    const nameEnd = skipName(text, nameStart, text.length);
    if (text.slice(nameStart, nameEnd).toLowerCase() !== 'table') continue;
    if (!closing) open.push(at);
    else {
      const start = open.pop();
      if (start !== undefined) ends.set(start, text.charCodeAt(nameEnd) === GREATER ? nameEnd + 1 : nameEnd);
    }
  }
  return ends;
}

/**
 * Blocks of the HTML table [start, end): its caption as a paragraph, when it has one, and the table; a paragraph alone
 * when there is no cell.
 */
export function htmlTableBlocks(text: string, start: number, end: number): GrowingBlock[] {
  const { rows, captionEnd } = readRows(text, start, end);
  const cells = rows.map((row) => row.cells);
  if (cells.length === 0) return [{ kind: 'paragraph', form: 'html', start, end }];
  const from = captionEnd === -1 ? start : skipBlank(text, captionEnd, end);
  const table: GrowingBlock = {
    kind: 'table',
    form: 'html',
    start: from,
    end,
    children: tile(text, rows, from, end),
  };
  markHeader(text, rows, table.children ?? []);
  if (captionEnd === -1) return [table];
  return [{ kind: 'paragraph', form: 'html', start, end: skipBlankBack(text, start, captionEnd) }, table];
}

/** Cells with their own starts and ends; {@link tile} closes the gaps between them. */
function readRows(text: string, start: number, end: number): { rows: OpenRow[]; captionEnd: number } {
  const rows: OpenRow[] = [];
  let cells: GrowingBlock[] = [];
  let headers = 0;
  let depth = 0;
  let inHead = false;
  let captionEnd = -1;
  const endRow = (at: number): void => {
    if (cells.length > 0) rows.push({ cells, end: at, header: inHead || headers === cells.length });
    cells = [];
    headers = 0;
  };
  for (let tag = nextTag(text, start, end); tag !== undefined; tag = nextTag(text, tag.end, end)) {
    if (tag.name === 'table') depth += tag.closing ? -1 : 1;
    if (depth > 1) continue;
    if (tag.name === 'caption' && tag.closing && rows.length + cells.length === 0) captionEnd = tag.end;
    else if (tag.name === 'tr') endRow(tag.closing ? tag.end : tag.start);
    else if (tag.name === 'thead' || tag.name === 'tbody' || tag.name === 'tfoot') {
      endRow(tag.start);
      inHead = tag.name === 'thead' && !tag.closing;
    } else if (tag.name === 'td' || tag.name === 'th') {
      const last = cells.at(-1);
      if (tag.closing) {
        if (last !== undefined) last.end = tag.end;
        continue;
      }
      if (last?.end === -1) last.end = tag.start;
      if (tag.name === 'th') headers++;
      cells.push({ kind: 'cell', start: tag.start, end: -1, ...spans(text.slice(tag.start, tag.end)) });
    }
  }
  endRow(end);
  return { rows, captionEnd };
}

/** Spans above 1 that a tag such as `<td colspan="2">` asks for. */
function spans(tag: string): { columnSpan?: number; rowSpan?: number } {
  const columnSpan = spanOf(/\scolspan\s*=\s*["']?(\d+)/i.exec(tag)?.[1]);
  const rowSpan = spanOf(/\srowspan\s*=\s*["']?(\d+)/i.exec(tag)?.[1]);
  return { ...(columnSpan > 1 ? { columnSpan } : undefined), ...(rowSpan > 1 ? { rowSpan } : undefined) };
}

function spanOf(digits: string | undefined): number {
  return digits === undefined ? 1 : Math.min(MAX_SPAN, Number(digits));
}

/** Rows and cells side by side: what stands between two of them goes to the one before, what stands first to the first. */
function tile(text: string, rows: readonly OpenRow[], start: number, end: number): GrowingBlock[] {
  let at = start;
  return rows.map(({ cells, end: rowEnd, header }, index) => {
    const to = skipBlankBack(text, at, index === rows.length - 1 ? end : rowEnd);
    const row: GrowingBlock = { kind: 'row', start: at, end: to, children: tileCells(text, cells, at, to) };
    if (header) row.header = true;
    at = skipBlank(text, to, end);
    return row;
  });
}

function tileCells(text: string, cells: readonly GrowingBlock[], start: number, end: number): GrowingBlock[] {
  let at = start;
  return cells.map((cell, index) => {
    const next = cells[index + 1]?.start ?? end;
    cell.start = at;
    cell.end = skipBlankBack(text, at, index === cells.length - 1 ? end : Math.min(cell.end, next));
    at = skipBlank(text, cell.end, end);
    return cell;
  });
}

/** Header rows are those that say so at the top; without any, a first row of words above figures, with what spans it. */
function markHeader(text: string, rows: readonly OpenRow[], blocks: readonly GrowingBlock[]): void {
  const declared = rows.findIndex(({ header }) => !header);
  for (const block of declared === -1 ? [] : blocks.slice(declared)) delete block.header;
  const [first] = rows;
  if (declared !== 0 || first === undefined) return;
  const band = first.cells.reduce((most, { rowSpan = 1 }) => Math.max(most, rowSpan), 1);
  if (
    band >= rows.length ||
    !rows.slice(0, band).every(({ cells }) => cells.every((cell) => isName(text, cell)))
  )
    return;
  for (const block of blocks.slice(0, band)) block.header = true;
}

/** True for a cell that could name a column: words, not a figure. */
function isName(text: string, { start, end }: GrowingBlock): boolean {
  const content = text
    .slice(start, end)
    .replace(/<[^>]*>/g, ' ')
    .trim();
  return content.length <= MAX_NAME && !/^[^\p{L}]*\d[^\p{L}]*$/u.test(content);
}

/** No column is called by more than this, in UTF-16 units. */
const MAX_NAME = 100;

/** The next tag at or after `at`, comments skipped. */
function nextTag(text: string, at: number, end: number): Tag | undefined {
  let start = text.indexOf('<', at);
  while (start !== -1 && start < end) {
    if (text.startsWith('<!--', start)) {
      const close = text.slice(start + 4, end).indexOf('-->');
      if (close === -1) return undefined;
      start = text.indexOf('<', start + 4 + close);
      continue;
    }
    const closing = text.charCodeAt(start + 1) === SLASH;
    const nameStart = start + (closing ? 2 : 1);
    const nameEnd = skipName(text, nameStart, end);
    if (nameEnd > nameStart) {
      return {
        name: text.slice(nameStart, nameEnd).toLowerCase(),
        closing,
        start,
        end: tagEnd(text, nameEnd, end),
      };
    }
    start = text.indexOf('<', start + 1);
  }
  return undefined;
}

/** The offset after the tag's `>`, quoted values skipped; a `<` ends a tag that was never closed. */
function tagEnd(text: string, at: number, end: number): number {
  for (let after = at; after < end; after++) {
    const code = text.charCodeAt(after);
    if (code === GREATER) return after + 1;
    if (code === 0x3c) return after;
    if (code === 0x22 || code === 0x27) after = quotedEnd(text, after, end);
  }
  return end;
}

/** A value longer than this, in UTF-16 units, is taken for a quotation mark that was never closed. */
const MAX_VALUE = 500;

/** The offset of the mark that closes the one at `at`; `at` itself when there is none. */
function quotedEnd(text: string, at: number, end: number): number {
  const quote = text.charCodeAt(at);
  const limit = Math.min(end, at + MAX_VALUE);
  for (let after = at + 1; after < limit; after++) if (text.charCodeAt(after) === quote) return after;
  return at;
}
