// HTML tables inside Markdown: turns their tags into rows and cells that tile the table, so that every tag belongs to a
// cell. As forgiving as a browser: end tags may be missing, and a table may stand inside a cell. Linear in the length.
import { hasLetter, skipBlank, skipBlankBack } from './lines.ts';
import { GREATER, LESS } from './marks.ts';
import type { GrowingBlock } from './tree.ts';

/** Most rows or columns that a cell may span, as HTML itself has it. */
const MAX_SPAN = 1000;

interface Row extends GrowingBlock {
  children: GrowingBlock[];
}

const SLASH = 0x2f;
/** Length of `</table` and the character behind it. */
const LONGEST_TAG = 8;

/** The end of each table by the offset of its `<table`. Tables without an end tag are absent. */
export function matchTables(text: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  // Searching for a `<` is far faster than searching for a pattern.
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
    const code = text.charCodeAt(text.charCodeAt(at + 1) === SLASH ? at + 2 : at + 1);
    if ((code | 0x20) !== 0x74) continue;
    const [tag, slash] = /^<(\/?)table(?![a-z\d-])>?/i.exec(text.slice(at, at + LONGEST_TAG)) ?? [];
    if (tag === undefined) continue;
    if (slash === '') {
      open.push(at);
      continue;
    }
    const start = open.pop();
    if (start !== undefined) ends.set(start, at + tag.length);
  }
  return ends;
}

/**
 * The blocks of the HTML table [start, end): its caption as a paragraph, if there is one, and the table. A table
 * without cells becomes one paragraph.
 */
export function htmlTableBlocks(text: string, start: number, end: number): GrowingBlock[] {
  const { rows, captionEnd } = readRows(text, start, end);
  if (rows.length === 0) return [{ kind: 'paragraph', form: 'html', start, end }];
  const from = captionEnd === -1 ? start : skipBlank(text, captionEnd, end);
  tile(text, rows, from, end);
  for (const row of rows) tile(text, row.children, row.start, row.end);
  markHeader(text, rows);
  const table: GrowingBlock = { kind: 'table', form: 'html', start: from, end, children: rows };
  if (captionEnd === -1) return [table];
  return [{ kind: 'paragraph', form: 'html', start, end: skipBlankBack(text, start, captionEnd) }, table];
}

/** Reads rows and cells, each with an end of its own; {@link tile} closes the gaps between them. */
function readRows(text: string, start: number, end: number): { rows: Row[]; captionEnd: number } {
  const html = text.slice(start, end);
  const tags = /<!--(?:[^]*?-->|[^]*)|<(\/?)([a-z][a-z\d-]*)/gi;
  const rows: Row[] = [];
  let cells: GrowingBlock[] = [];
  let headers = 0;
  let depth = 0;
  let inHead = false;
  let captionEnd = -1;
  const endRow = (at: number): void => {
    const [first] = cells;
    if (first === undefined) return;
    const row: Row = { kind: 'row', start: first.start, end: at, children: cells };
    if (inHead || headers === cells.length) row.header = true;
    rows.push(row);
    cells = [];
    headers = 0;
  };
  for (let tag = tags.exec(html); tag !== null; tag = tags.exec(html)) {
    const [, slash, word] = tag;
    if (word === undefined) continue;
    const name = word.toLowerCase();
    const closing = slash !== '';
    const from = start + tag.index;
    const to = tagEnd(text, start + tags.lastIndex, end);
    tags.lastIndex = to - start;
    if (name === 'table') depth += closing ? -1 : 1;
    if (depth > 1) continue;
    if (name === 'caption' && closing && rows.length + cells.length === 0) captionEnd = to;
    else if (name === 'tr') endRow(closing ? to : from);
    else if (/^t(?:head|body|foot)$/.test(name)) {
      endRow(from);
      inHead = name === 'thead' && !closing;
    } else if (name === 'td' || name === 'th') {
      const last = cells.at(-1);
      if (!closing) {
        if (name === 'th') headers++;
        cells.push({ kind: 'cell', start: from, end, ...spans(text.slice(from, to)) });
      } else if (last !== undefined) last.end = to;
    }
  }
  endRow(end);
  return { rows, captionEnd };
}

/** The spans greater than 1 in a tag such as `<td colspan="2">`. */
function spans(tag: string): Pick<GrowingBlock, 'columnSpan' | 'rowSpan'> {
  const [columnSpan, rowSpan] = ['col', 'row'].map((axis) => {
    const digits = new RegExp(`\\s${axis}span\\s*=\\s*["']?(\\d+)`, 'i').exec(tag)?.[1];
    return Math.min(MAX_SPAN, Number(digits ?? 1));
  });
  return {
    ...(columnSpan !== undefined && columnSpan > 1 ? { columnSpan } : undefined),
    ...(rowSpan !== undefined && rowSpan > 1 ? { rowSpan } : undefined),
  };
}

/** Makes blocks adjoin: text between two of them goes to the one before, text before the first to the first. */
function tile(text: string, blocks: readonly GrowingBlock[], start: number, end: number): void {
  let at = start;
  for (const [index, block] of blocks.entries()) {
    const next = blocks[index + 1];
    block.start = at;
    block.end = skipBlankBack(text, at, next === undefined ? end : Math.min(block.end, next.start));
    at = skipBlank(text, block.end, end);
  }
}

/**
 * Marks the header rows: the explicit header rows at the top or, if there are none, a first row of words above figures,
 * together with the rows that it spans.
 */
function markHeader(text: string, rows: readonly Row[]): void {
  const declared = rows.findIndex(({ header }) => header !== true);
  if (declared === -1) return;
  for (const row of rows.slice(declared)) delete row.header;
  const band = (rows[0]?.children ?? []).reduce((most, { rowSpan = 1 }) => Math.max(most, rowSpan), 1);
  const head = rows.slice(0, band);
  if (declared > 0 || band >= rows.length) return;
  if (head.every(({ children }) => children.every((cell) => isName(text, cell))))
    for (const row of head) row.header = true;
}

/** True for a cell that could name a column: words, not a figure. */
function isName(text: string, { start, end }: GrowingBlock): boolean {
  const content = text
    .slice(start, end)
    .replace(/<[^>]*>/g, ' ')
    .trim();
  return content.length <= MAX_NAME && (!/\d/.test(content) || hasLetter(content));
}

/** Most UTF-16 units of a column's name. */
const MAX_NAME = 100;

/** The offset behind the tag's `>`, quoted values skipped. A `<` ends a tag that was never closed. */
function tagEnd(text: string, at: number, end: number): number {
  for (let after = at; after < end; after++) {
    const code = text.charCodeAt(after);
    if (code === GREATER) return after + 1;
    if (code === LESS) return after;
    if (code !== 0x22 && code !== 0x27) continue;
    const value = text.slice(after + 1, Math.min(end, after + MAX_VALUE));
    after += value.indexOf(text.charAt(after)) + 1;
  }
  return end;
}

/** A quoted value longer than this, in UTF-16 units, is taken for a quotation mark that was never closed. */
const MAX_VALUE = 500;
