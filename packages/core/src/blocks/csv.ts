// Turns delimited values into blocks: one table whose rows are records (RFC 4180) and whose first record names the
// columns. Used only when the caller or the filename asks for it, since prose has commas as well. Linear: a quotation
// mark that is never closed counts as an ordinary character, which shows at the next quotation mark.
import type { Block } from '../document.ts';
import { skipBlank, skipBlankBack } from './lines.ts';
import { FEED } from './marks.ts';
import { plainBlocks } from './plain.ts';
import type { GrowingBlock } from './tree.ts';

/** Characters that separate values, the commonest first. */
const DELIMITERS = [',', '\t', ';', '|'] as const;
const QUOTE = 0x22;
/** Records, and their length in UTF-16 units, that decide the delimiter. */
const SAMPLE_RECORDS = 25;
const SAMPLE_LENGTH = 10_000;
/** The first line by which Excel names the delimiter. */
const DECLARATION = /^sep=([,;\t|])\r?(?:\n|$)/i;
const COMMENT = 0x23;

/** The blocks of delimited values. A text whose first records show no delimiter is read as plain text. */
export function csvBlocks(text: string): readonly Block[] {
  const first = skipBlank(text, 0, text.length);
  const [declaration = '', declared] = DECLARATION.exec(text.slice(first, first + SAMPLE_RECORDS)) ?? [];
  const begin = first + declaration.length;
  const delimiter = declared ?? delimiterOf(text, begin);
  if (delimiter === undefined) return plainBlocks(text);
  const start = headOf(text, begin, delimiter.charCodeAt(0));
  const rows: GrowingBlock[] = [];
  for (let at = start; at < text.length;) {
    const record = readRecord(text, at, delimiter.charCodeAt(0));
    const { cells } = record;
    const [first] = cells;
    const last = cells.at(-1);
    if (first !== undefined && last !== undefined)
      rows.push({ kind: 'row', start: first.start, end: last.end, children: cells });
    at = record.end + 1;
  }
  const above = plainBlocks(text.slice(0, start));
  const [head] = rows;
  if (head === undefined) return above;
  if (rows.length > 1 && !isAllFigures(text, head)) head.header = true;
  const end = rows.at(-1)?.end ?? start;
  return [...above, { kind: 'table', form: 'delimited', start: head.start, end, children: rows }];
}

/**
 * The delimiter that parts most of the first records into the same number of values, of several the one with the most
 * values: a decimal comma is in the figures, and in no header.
 */
function delimiterOf(text: string, start: number): string | undefined {
  let best = { delimiter: undefined as string | undefined, records: 0, values: 1 };
  for (const delimiter of DELIMITERS) {
    const counts = sampleOf(text, start, delimiter.charCodeAt(0)).map(({ values }) => values);
    for (const values of new Set(counts)) {
      if (values < 2) continue;
      const records = counts.filter((count) => count === values).length;
      // One line with a comma below others is a sentence.
      if (records === 1 && counts[0] !== values) continue;
      if (records > best.records || (records === best.records && values > best.values))
        best = { delimiter, records, values };
    }
  }
  return best.delimiter;
}

/** The start of the table: titles without a delimiter and comments may stand above it. */
function headOf(text: string, start: number, delimiter: number): number {
  const records = sampleOf(text, start, delimiter);
  const isAbove = ({ at, values }: SampleRecord, index: number): boolean =>
    values < 2 || (text.charCodeAt(at) === COMMENT && values !== records[index + 1]?.values);
  return records.find((record, index) => !isAbove(record, index))?.at ?? start;
}

interface SampleRecord {
  readonly at: number;
  readonly values: number;
}

/** The first records that are not empty, with the number of their values. */
function sampleOf(text: string, start: number, delimiter: number): SampleRecord[] {
  const records: SampleRecord[] = [];
  const limit = Math.min(text.length, start + SAMPLE_LENGTH);
  for (let at = skipBlank(text, start, limit); at < limit && records.length < SAMPLE_RECORDS;) {
    let values = 1;
    let end = fieldEnd(text, at, delimiter);
    for (; text.charCodeAt(end) === delimiter; values++) end = fieldEnd(text, end + 1, delimiter);
    records.push({ at, values });
    at = end + 1;
    while (text.charCodeAt(at) === FEED || (text[at] === '\r' && text.charCodeAt(at + 1) === FEED)) at++;
  }
  return records;
}

/** The quotation mark that closes the one at `at`: the next that is not doubled; -1 if no value ends there. */
function closingQuote(text: string, at: number): number {
  let close = text.indexOf('"', at + 1);
  while (close !== -1 && text.charCodeAt(close + 1) === QUOTE) close = text.indexOf('"', close + 2);
  if (close === -1) return -1;
  const after = text.charAt(close + 1);
  return after === '' || after === '\n' || after === '\r' || DELIMITERS.some((mark) => mark === after)
    ? close
    : -1;
}

/**
 * Reads the record at `at`, up to the line end behind it. Its cells tile it: a cell begins with the delimiter before
 * it, and an empty first cell is the delimiter behind it. A cell that would be blank, between tabs, joins the one
 * before.
 */
function readRecord(text: string, at: number, delimiter: number): { cells: GrowingBlock[]; end: number } {
  const cells: GrowingBlock[] = [];
  let skipped = 0;
  let cellStart = at;
  let field = at;
  for (;;) {
    const end = fieldEnd(text, field, delimiter);
    const hasMore = text.charCodeAt(end) === delimiter;
    let start = skipBlank(text, cellStart, end);
    let stop = skipBlankBack(text, start, end);
    // An empty value without a delimiter of its own before it takes the one behind it.
    if (start === stop && hasMore && skipBlank(text, end, end + 1) === end) [start, stop] = [end, end + 1];
    if (start < stop) {
      const cell: GrowingBlock = { kind: 'cell', form: 'delimited', start, end: stop };
      if (cells.length === 0 && skipped > 0) cell.columnSpan = skipped + 1;
      cells.push(cell);
    } else {
      const last = cells.at(-1);
      if (last === undefined) skipped++;
      else last.columnSpan = (last.columnSpan ?? 1) + 1;
    }
    if (!hasMore) return { cells, end };
    cellStart = Math.max(stop, end);
    field = end + 1;
  }
}

/** The end of the value at `at`: a delimiter, a line end, or the end of the text. */
function fieldEnd(text: string, at: number, delimiter: number): number {
  let end = at;
  while (text.charCodeAt(end) === 0x20 && delimiter !== 0x20) end++;
  if (text.charCodeAt(end) === QUOTE) {
    const close = closingQuote(text, end);
    if (close !== -1) end = close + 1;
  }
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code === delimiter || code === FEED) return end;
    end++;
  }
  return end;
}

/** True when a record consists of figures, which name no columns. */
function isAllFigures(text: string, { children = [] }: GrowingBlock): boolean {
  return children.every(({ start, end }) => {
    const { start: from, end: to } = delimitedContent(text, start, end);
    return /^[-+\d.,:/%\s]+$/.test(text.slice(from, to));
  });
}

/** The value of a cell of delimited values: without the delimiter before it, and the quotation marks around it. */
export function delimitedContent(text: string, start: number, end: number): { start: number; end: number } {
  const mark = text.charAt(start);
  const from = skipBlank(text, DELIMITERS.some((one) => one === mark) ? start + 1 : start, end);
  const to = skipBlankBack(text, from, end);
  const isQuoted = to - from > 1 && text.charCodeAt(from) === QUOTE && text.charCodeAt(to - 1) === QUOTE;
  return isQuoted ? { start: from + 1, end: to - 1 } : { start: from, end: to };
}
