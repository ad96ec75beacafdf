// Turns tables into atoms, one for each row. A chunk that begins with a row below the header gets the header as
// context, counted in the budget. When the header would leave rows less than half of the budget, rows go by groups of
// cells, each with the header cells of its own columns as context, so that every value still stands under its name.
import { cellContent } from '../../blocks/cells.ts';
import { isLabelRow, MOST_LABEL_ROWS } from '../../blocks/gfm-table.ts';
import { skipBlank, skipBlankBack } from '../../blocks/lines.ts';
import type { ContextPart } from '../../cut.ts';
import type { Block, Span } from '../../document.ts';
import { type AtomContext, type Atoms, FLAG, STRENGTH } from '../../pack/atoms.ts';
import type { Measure } from '../../pack/measure.ts';
import type { Prose } from '../../pack/prose.ts';
import { isBlank, isSettledBoundary } from '../../unicode.ts';

/** Largest share of a chunk that a header may take as context. */
const HEADER_SHARE = 0.5;
/** A header cell longer than this share of a chunk is shortened to its first words in the context. */
const NAME_SHARE = 0.25;
/** Largest share of a chunk for the header together with cells of rows above that reach down to the row. */
const CONTEXT_SHARE = 0.75;
/**
 * Line ends between the context and the text of a chunk, as `leadOf` writes them. They take no more tokens than this.
 */
const JOINT = 2;
/** Most cells spanning several rows that are tracked at once; no meaningful table has more. */
const MOST_REACHING = 16;
/** Most columns in which spans are tracked, so that the time is linear in the table's text. */
const MOST_COLUMNS = 256;
/**
 * Matches the rule below the header of a GFM table, for trees that do not mark header rows. It has to have a dash and a
 * bar.
 */
const RULE = /^[-:|>\s]+$/;

/** Adds the atoms of the tables in one text. */
export class Tables {
  readonly #atoms: Atoms;
  readonly #prose: Prose;
  readonly #text: string;
  readonly #size: number;
  readonly #measure: Measure;
  /** The index in `atoms.contexts` of each context of columns. */
  readonly #indexes = new Map<AtomContext, number>();

  /** @param size the maximum of a chunk, in the unit of the measure */
  constructor(atoms: Atoms, prose: Prose, text: string, size: number, measure: Measure) {
    this.#atoms = atoms;
    this.#prose = prose;
    this.#text = text;
    this.#size = size;
    this.#measure = measure;
  }

  /** Adds a table that does not fit into one chunk. Linear in its length. */
  add(table: Block, strength: number): void {
    const rows = (table.children ?? []).filter(({ kind }) => kind === 'row');
    const spans = rows.map((row, index) => this.#spanOf(table, row, rows[index + 1], index === 0));
    const headers = this.#withLabels(spans, this.#headersOf(table, rows));
    const names = spans.slice(0, headers).some((span) => this.#saysMore(span));
    if (!names || headers === rows.length) this.#addRows(spans, strength, this.#size);
    else this.#addBelow(rows, spans, headers, strength);
  }

  /** A row together with the text before the next row, such as the rule below a header. */
  #spanOf(table: Block, row: Block, next: Block | undefined, isFirst: boolean): Span {
    const start = isFirst ? table.start : row.start;
    return { start, end: skipBlankBack(this.#text, start, next?.start ?? table.end) };
  }

  /** Number of header rows: the marked ones, else one if a rule stands below it. */
  #headersOf(table: Block, rows: readonly Block[]): number {
    const marked = rows.findIndex(({ header }) => header !== true);
    if (marked !== 0) return marked === -1 ? rows.length : marked;
    const end = skipBlankBack(this.#text, table.start, rows[1]?.start ?? table.start);
    const feed = this.#text.lastIndexOf('\n', end - 1);
    // Behind the rule of an empty header comes the first row.
    const line = feed > table.start ? this.#text.slice(feed + 1, end) : '';
    return RULE.test(line) && line.includes('-') && line.includes('|') ? 1 : 0;
  }

  /**
   * Number of header rows together with the rows of labels below them, such as the years below `Year ended`. Reports
   * often have the names of their columns there, below an empty header.
   */
  #withLabels(spans: readonly Span[], headers: number): number {
    const most = headers === 0 ? 0 : Math.min(headers + MOST_LABEL_ROWS, spans.length - 1);
    let count = headers;
    while (count < most && isLabelRow(this.#text.slice(spans[count]?.start, spans[count]?.end))) count++;
    return count;
  }

  /**
   * True when a header row names something. A row of lines and empty cells does not; `| + | - |` does, being pros and
   * cons.
   */
  #saysMore({ start, end }: Span): boolean {
    const row = this.#text.slice(start, end);
    return /[^-=+:|>\s\u2500-\u257f]| [+=]=? /.test(
      row.includes('<') ? row.replaceAll(/<[^<>]*>/g, '') : row,
    );
  }

  #addRows(spans: readonly Span[], strength: number, most: number, flags = 0): void {
    for (const [index, { start, end }] of spans.entries()) {
      const gap = index === 0 ? strength : STRENGTH.sentence;
      if (end > start)
        this.#prose.addPiece(start, end, gap, flags, Math.min(most, this.#prose.roomAt(start)), most);
    }
  }

  /** Adds the header, then the rows below it with the header as context, whole or by groups of cells. */
  #addBelow(rows: readonly Block[], spans: readonly Span[], headers: number, strength: number): void {
    const head = { start: spans[0]?.start ?? 0, end: spans[headers - 1]?.end ?? 0 };
    const before = this.#atoms.count;
    this.#prose.addPiece(head.start, head.end, strength, FLAG.keepWithNext, this.#prose.roomAt(head.start));
    const isParted = this.#atoms.count > before + 1;
    const length = this.#measure.length(head.start, head.end) + JOINT;
    const columns = new Columns(this.#text, rows, headers, this.#size, this.#measure);
    const context = { parts: [headerPart(this.#text, head)], length };
    const whole = length > HEADER_SHARE * this.#size ? columns.shortened() : context;
    // When the header itself is parted, no row may follow its last part in one chunk: it would lack the names in the
    // others.
    this.#addBody(columns, spans, headers, whole, isParted ? FLAG.startsChunk : 0);
    this.#atoms.context = 0;
  }

  /**
   * Adds rows with the header as context, and with the cells of rows above that reach down to them. A row that is too
   * long is split into groups of cells; all rows are when the whole header does not fit.
   */
  #addBody(
    columns: Columns,
    spans: readonly Span[],
    headers: number,
    header: AtomContext | undefined,
    first: number,
  ): void {
    const { rows } = columns;
    let whole = header;
    let reaching: readonly SpanningCell[] = [];
    let flags = first;
    for (let index = headers; index < rows.length; index++) {
      const span = spans[index] ?? { start: 0, end: 0 };
      const room = this.#size - this.#measure.length(span.start, span.end);
      const context = [whole, header].find((given) => given !== undefined && given.length <= room);
      if (context === undefined) this.#addGroups(columns, index, span, reaching);
      else {
        this.#atoms.context = this.#contextIndex(context);
        this.#addRows([span], STRENGTH.sentence, this.#size - context.length, flags);
      }
      // A row behind a group of cells has a context of its own and begins a chunk.
      flags = context === undefined ? FLAG.startsChunk : 0;
      const next = reachingBelow(rows[index], reaching);
      if (header !== undefined && (next.length > 0 || reaching.length > 0))
        whole = this.#withCells(header, next);
      reaching = next;
    }
  }

  /**
   * The header together with the cells of rows above that reach down to a row; the header alone when both take too
   * much.
   */
  #withCells(header: AtomContext, reaching: readonly SpanningCell[]): AtomContext {
    const parts = reaching.map(({ cell }) => headerPart(this.#text, cellContent(this.#text, cell)));
    const length = parts.reduce(
      (sum, { start, end }) => sum + this.#measure.length(start, end) + 1,
      header.length,
    );
    if (parts.length === 0 || length > CONTEXT_SHARE * this.#size) return header;
    return { parts: [...header.parts, ...parts], length };
  }

  /**
   * Adds a row by groups of neighbouring cells that fit together with their header cells. A group under other header
   * cells begins a chunk.
   */
  #addGroups(columns: Columns, row: number, { start, end }: Span, reaching: readonly SpanningCell[]): void {
    const cells = columns.rows[row]?.children ?? [];
    let at = start;
    let gap: number = STRENGTH.line;
    for (let from = 0; at < end;) {
      let to = from + 1;
      let length = this.#measure.length(at, cellEnd(cells, from, end));
      while (to < cells.length) {
        length += this.#measure.length(cellEnd(cells, to - 1, end), cellEnd(cells, to, end));
        if (columns.lengthOf(row, from, to + 1) + length > this.#size) break;
        to++;
      }
      const stop = cellEnd(cells, to - 1, end);
      const header = columns.contextOf(row, from, to);
      const room = this.#size - this.#measure.length(at, stop);
      const full = header !== undefined && reaching.length > 0 ? this.#withCells(header, reaching) : header;
      const context = full !== undefined && full.length <= room ? full : header;
      this.#atoms.context = context === undefined ? 0 : this.#contextIndex(context);
      const first = skipBlank(this.#text, at, stop);
      const last = skipBlankBack(this.#text, first, stop);
      const most = this.#size - (context?.length ?? 0);
      const index = this.#atoms.count;
      if (first < last) this.#prose.addPiece(this.#prose.settled(first), last, gap, 0, most, most);
      // Groups with the same context may share a chunk.
      if (index < this.#atoms.count && this.#atoms.contextOf[index] !== this.#atoms.contextOf[index - 1])
        this.#atoms.flags[index] = (this.#atoms.flags[index] ?? 0) | FLAG.startsChunk;
      gap = STRENGTH.clause;
      at = stop;
      from = to;
    }
  }

  #contextIndex(context: AtomContext): number {
    const known = this.#indexes.get(context) ?? this.#atoms.contexts.push(context) - 1;
    this.#indexes.set(context, known);
    return known;
  }
}

/** A cell that spans several rows, with the number of its remaining rows. */
interface SpanningCell {
  readonly cell: Block;
  readonly rows: number;
}

/**
 * The cells that reach into the row below a row: cells of its own and cells from further up, at most {@link
 * MOST_REACHING}.
 */
function reachingBelow(row: Block | undefined, reaching: readonly SpanningCell[]): readonly SpanningCell[] {
  const own = (row?.children ?? []).flatMap((cell) =>
    (cell.rowSpan ?? 1) > 1 ? [{ cell, rows: cell.rowSpan ?? 1 }] : [],
  );
  if (own.length === 0 && reaching.length === 0) return reaching;
  const left = [...reaching, ...own].map(({ cell, rows }) => ({ cell, rows: rows - 1 }));
  return left.filter(({ rows }) => rows > 0).slice(0, MOST_REACHING);
}

/** The end of a cell: the start of the next one; for the last cell the end of the row. */
function cellEnd(cells: readonly Block[], index: number, end: number): number {
  return Math.min(end, cells[index + 1]?.start ?? end);
}

/** The columns of a table: where the cells of its rows stand, and which header cells stand above them. */
class Columns {
  readonly rows: readonly Block[];
  readonly #text: string;
  readonly #headers: number;
  readonly #most: number;
  readonly #measure: Measure;
  readonly #known = new Map<string, AtomContext>();
  readonly #longestName: number;
  #found: { readonly firstColumns: number[][]; readonly heads: HeaderCell[][] } | undefined;

  constructor(text: string, rows: readonly Block[], headers: number, size: number, measure: Measure) {
    this.#text = text;
    this.rows = rows;
    this.#headers = headers;
    this.#measure = measure;
    this.#most = HEADER_SHARE * size;
    this.#longestName = Math.floor(NAME_SHARE * size);
  }

  /**
   * The header cells above the cells [from, to) of a row, as context. When those above a single cell that spans columns
   * take too much, the header cells of its first column; `undefined` when even these take too much.
   */
  contextOf(row: number, from: number, to: number): AtomContext | undefined {
    const [first, end] = this.#columnsOf(row, from, to);
    const all = this.#contextOver(first, end);
    if (to > from + 1 || all.length <= this.#most) return all.parts.length === 0 ? undefined : all;
    const one = this.#contextOver(first, first + 1);
    return one.length <= this.#most ? one : undefined;
  }

  /** The whole header with its long cells shortened to their first words, when that makes it fit; else `undefined`. */
  shortened(): AtomContext | undefined {
    const { heads } = (this.#found ??= this.#find());
    if (!heads.some((names) => names.some(({ isShort }) => isShort))) return undefined;
    const all = this.#contextOver(0, Math.max(...heads.map((names) => names.length)));
    return all.length <= this.#most ? all : undefined;
  }

  /** The length that {@link contextOf} takes of the budget. */
  lengthOf(row: number, from: number, to: number): number {
    return this.#measured(this.#headsOver(...this.#columnsOf(row, from, to)));
  }

  #contextOver(first: number, end: number): AtomContext {
    const spans = this.#headsOver(first, end);
    const key = spans.map((span) => `${span.start}:${span.end}`).join();
    let context = this.#known.get(key);
    if (context === undefined) {
      context = { parts: spans.map((span) => headerPart(this.#text, span)), length: this.#measured(spans) };
      this.#known.set(key, context);
    }
    return context;
  }

  #measured(spans: readonly Span[]): number {
    const length = spans.reduce((sum, { start, end }) => sum + this.#measure.length(start, end) + 1, 0);
    return length === 0 ? 0 : length - 1 + JOINT;
  }

  /** The columns [first, end) that the cells [from, to) of a row take. */
  #columnsOf(row: number, from: number, to: number): [first: number, end: number] {
    const firstColumns = (this.#found ??= this.#find()).firstColumns[row] ?? [];
    return [firstColumns[from] ?? 0, firstColumns[to] ?? 0];
  }

  /**
   * Spans of the header cells above the columns [first, end): for each header row that has any, from the first of them
   * to the last; several spans where some cells are shortened.
   */
  #headsOver(first: number, end: number): Span[] {
    const { heads } = (this.#found ??= this.#find());
    return heads.flatMap((names) => {
      const spans: Span[] = [];
      let start = -1;
      let to = 0;
      for (let column = first; column < Math.min(end, names.length); column++) {
        const name = names[column];
        if (name === undefined || (column > first && name === names[column - 1])) continue;
        if (start === -1) start = name.start;
        to = name.end;
        if (!name.isShort) continue;
        spans.push({ start, end: to });
        start = -1;
      }
      if (start !== -1 && to > start) spans.push({ start, end: to });
      return spans;
    });
  }

  /**
   * For each row the first column of each cell and, last, the column behind the row; and for each header row the cell
   * above each column.
   */
  #find(): { firstColumns: number[][]; heads: HeaderCell[][] } {
    /** For each column the index of the first row that no cell from above reaches. */
    const free: number[] = [];
    const heads: HeaderCell[][] = [];
    const firstColumns = this.rows.map(({ children = [], end: rowEnd }, row) => {
      let column = 0;
      const over: HeaderCell[] = [];
      const columns = children.map((cell) => {
        while ((free[column] ?? 0) > row) column++;
        const first = column;
        column += column < MOST_COLUMNS ? Math.min(MOST_COLUMNS, cell.columnSpan ?? 1) : 1;
        if (cell.rowSpan !== undefined)
          for (let at = first; at < Math.min(column, MOST_COLUMNS); at++) free[at] = row + cell.rowSpan;
        if (row < this.#headers) {
          // An empty cell is nothing but blanks, with which no context may begin or end.
          const { start, end } = cellContent(this.#text, cell);
          const name = this.#nameOf(skipBlank(this.#text, start, rowEnd), skipBlankBack(this.#text, 0, end));
          while (over.length < column) over.push(name);
        }
        return first;
      });
      if (row < this.#headers) heads.push(over);
      return [...columns, column];
    });
    return { firstColumns, heads };
  }

  /** The part of a header cell that goes into context: all of it, or its first words. */
  #nameOf(start: number, end: number): HeaderCell {
    if (start >= end || this.#measure.length(start, end) <= this.#longestName)
      return { start, end, isShort: false };
    const reach = this.#measure.reach(start, this.#longestName, end);
    let at = reach;
    while (at > start && !isBlank(this.#text.charCodeAt(at))) at--;
    if (at <= (start + reach) / 2) at = reach;
    while (at > start && !isSettledBoundary(this.#text, at)) at--;
    return at === start
      ? { start, end, isShort: false }
      : { start, end: skipBlankBack(this.#text, start, at), isShort: true };
  }
}

/** The text of a header cell, or its first words. */
interface HeaderCell extends Span {
  readonly isShort: boolean;
}

function headerPart(text: string, { start, end }: Span): ContextPart {
  return { kind: 'table-header', start, end, text: text.slice(start, end) };
}
