// Tables → atoms: rows. A chunk that begins with a row below the header has the header as context, counted in the
// budget. Where the header leaves rows less than half of it, rows go by groups of cells, each with the header cells of
// its own columns as context, so that every value still stands under its name.
import { skipBlank, skipBlankBack } from '../../blocks/lines.ts';
import type { ContextPart } from '../../cut.ts';
import type { Block, Span } from '../../document.ts';
import { type AtomContext, type Atoms, FLAG, STRENGTH } from '../../pack/atoms.ts';
import type { Measure } from '../../pack/measure.ts';
import type { Prose } from '../../pack/prose.ts';

/** The most of a chunk that a header may take as context. */
const HEADER_SHARE = 0.5;
/** Line ends between the context and the text of a chunk, as `leadOf` has them; never more in tokens. */
const JOINT = 2;
/** Cells with a span that are followed at once; more are in no table that means something. */
const MOST_REACHING = 16;
/** The rule below the header of a GFM table, for trees that do not mark header rows. */
const RULE = /\n[ \t>]*\|?[ \t]*:?-+:?[ \t]*\|/;

/** Adds the atoms of tables of one text. */
export class Tables {
  private readonly atoms: Atoms;
  private readonly prose: Prose;
  private readonly text: string;
  private readonly size: number;
  private readonly measure: Measure;
  /** Where the contexts of columns stand in `atoms.contexts`. */
  private readonly indexes = new Map<AtomContext, number>();

  /** @param size the maximum of a chunk, in the unit of the measure */
  constructor(atoms: Atoms, prose: Prose, text: string, size: number, measure: Measure) {
    this.atoms = atoms;
    this.prose = prose;
    this.text = text;
    this.size = size;
    this.measure = measure;
  }

  /** Adds a table that does not fit into one chunk. Linear in its length. */
  add(table: Block, strength: number): void {
    const rows = (table.children ?? []).filter(({ kind }) => kind === 'row');
    const spans = rows.map((row, index) => this.spanOf(table, row, rows[index + 1], index === 0));
    const headers = this.headersOf(table, rows);
    const header = spans.slice(0, headers).filter(isFilled);
    if (header.length === 0 || headers === rows.length) this.addRows(spans, strength, this.size);
    else this.addBelow(rows, spans, headers, strength);
  }

  /** A row with what stands behind it up to the next one, such as the rule below a header. */
  private spanOf(table: Block, row: Block, next: Block | undefined, isFirst: boolean): Span {
    const start = isFirst ? table.start : row.start;
    return { start, end: skipBlankBack(this.text, start, next?.start ?? table.end) };
  }

  /** How many rows the header has: those marked, else the one above a rule. */
  private headersOf(table: Block, rows: readonly Block[]): number {
    const marked = rows.findIndex(({ header }) => header !== true);
    if (marked !== 0) return marked === -1 ? rows.length : marked;
    const second = rows[1]?.start ?? table.start;
    return RULE.test(this.text.slice(table.start, second)) ? 1 : 0;
  }

  private addRows(spans: readonly Span[], strength: number, most: number): void {
    for (const [index, { start, end }] of spans.entries()) {
      const gap = index === 0 ? strength : STRENGTH.sentence;
      if (end > start)
        this.prose.addPiece(start, end, gap, 0, Math.min(most, this.prose.roomAt(start)), most);
    }
  }

  /** Adds the header, then the rows below it with the header as context, whole or by columns. */
  private addBelow(rows: readonly Block[], spans: readonly Span[], headers: number, strength: number): void {
    const head = { start: spans[0]?.start ?? 0, end: spans[headers - 1]?.end ?? 0 };
    this.prose.addPiece(head.start, head.end, strength, FLAG.leads, this.prose.roomAt(head.start));
    const length = this.measure.length(head.start, head.end) + JOINT;
    const body = spans.slice(headers);
    if (length > HEADER_SHARE * this.size) {
      const columns = new Columns(this.text, rows.slice(0, headers), this.size, this.measure);
      for (const [index, span] of body.entries()) this.addGroups(columns, rows[headers + index], span);
    } else {
      this.addBody(rows.slice(headers), body, { parts: [headerPart(this.text, head)], length });
    }
    this.atoms.context = -1;
  }

  /** Adds rows with the header as context, and with the cells of rows above that reach down to them. */
  private addBody(rows: readonly Block[], spans: readonly Span[], header: AtomContext): void {
    let context = header;
    let reaching: readonly Reaching[] = [];
    for (const [index, span] of spans.entries()) {
      this.atoms.context = this.contextIndex(context);
      this.addRows([span], STRENGTH.sentence, this.size - context.length);
      const next = reachingBelow(rows[index], reaching);
      if (next.length > 0 || reaching.length > 0) context = this.withCells(header, next);
      reaching = next;
    }
  }

  /** The header and the cells of rows above that a row belongs to; the header alone when that takes too much. */
  private withCells(header: AtomContext, reaching: readonly Reaching[]): AtomContext {
    const parts = reaching.map(({ cell }) => headerPart(this.text, inkOf(this.text, cell)));
    const length = parts.reduce(
      (sum, { start, end }) => sum + this.measure.length(start, end) + 1,
      header.length,
    );
    if (parts.length === 0 || length > HEADER_SHARE * this.size) return header;
    return { parts: [...header.parts, ...parts], length };
  }

  /** Adds a row by groups of neighbouring cells that fit with their header cells; each group begins a chunk. */
  private addGroups(columns: Columns, row: Block | undefined, { start, end }: Span): void {
    const cells = row?.children ?? [];
    let at = start;
    let gap: number = STRENGTH.line;
    for (let from = 0; at < end;) {
      let to = from + 1;
      let length = this.measure.length(at, cellEnd(cells, from, end));
      while (to < cells.length) {
        length += this.measure.length(cellEnd(cells, to - 1, end), cellEnd(cells, to, end));
        if (columns.lengthOf(from, to + 1) + length > this.size) break;
        to++;
      }
      const stop = cellEnd(cells, to - 1, end);
      const context = columns.contextOf(from, to);
      this.atoms.context = context === undefined ? -1 : this.contextIndex(context);
      const first = skipBlank(this.text, at, stop);
      const last = skipBlankBack(this.text, first, stop);
      const most = this.size - (context?.length ?? 0);
      if (first < last) this.prose.addPiece(this.prose.settled(first), last, gap, FLAG.begins, most, most);
      gap = STRENGTH.clause;
      at = stop;
      from = to;
    }
  }

  private contextIndex(context: AtomContext): number {
    const known = this.indexes.get(context) ?? this.atoms.contexts.push(context) - 1;
    this.indexes.set(context, known);
    return known;
  }
}

/** A cell that takes rows below its own, with how many of them are still to come. */
interface Reaching {
  readonly cell: Block;
  readonly rows: number;
}

/** The cells that reach below a row: its own and those that have reached it, at most {@link MOST_REACHING}. */
function reachingBelow(row: Block | undefined, reaching: readonly Reaching[]): readonly Reaching[] {
  const own = (row?.children ?? []).flatMap((cell) =>
    (cell.rowSpan ?? 1) > 1 ? [{ cell, rows: cell.rowSpan ?? 1 }] : [],
  );
  if (own.length === 0 && reaching.length === 0) return reaching;
  const left = [...reaching, ...own].map(({ cell, rows }) => ({ cell, rows: rows - 1 }));
  return left.filter(({ rows }) => rows > 0).slice(0, MOST_REACHING);
}

/** Where a cell ends: at the next one, the last at the end of its row. */
function cellEnd(cells: readonly Block[], index: number, end: number): number {
  return Math.min(end, cells[index + 1]?.start ?? end);
}

/** The header of a table by columns. */
class Columns {
  private readonly text: string;
  /** The spans of the cells, row by row. */
  private readonly headers: readonly (readonly Span[])[];
  private readonly most: number;
  private readonly measure: Measure;
  private readonly known = new Map<string, AtomContext>();

  constructor(text: string, headers: readonly Block[], size: number, measure: Measure) {
    this.text = text;
    this.measure = measure;
    this.headers = headers.map(({ children = [] }) => children.map((cell) => inkOf(text, cell)));
    this.most = HEADER_SHARE * size;
  }

  /** The header cells of the columns [from, to) as context; `undefined` when a single one takes too much of a chunk. */
  contextOf(from: number, to: number): AtomContext | undefined {
    const length = this.lengthOf(from, to);
    if (length === 0 || (to === from + 1 && length > this.most)) return undefined;
    const key = `${from}:${to}`;
    let context = this.known.get(key);
    if (context === undefined) {
      const parts = this.headers.map((cells) => spanOf(cells, from, to)).filter(isFilled);
      context = { parts: parts.map((span) => headerPart(this.text, span)), length };
      this.known.set(key, context);
    }
    return context;
  }

  /** What the context of the columns [from, to) takes of the budget. */
  lengthOf(from: number, to: number): number {
    let length = 0;
    for (const cells of this.headers) {
      const { start, end } = spanOf(cells, from, to);
      if (end > start) length += this.measure.length(start, end) + 1;
    }
    return length === 0 ? 0 : length - 1 + JOINT;
  }
}

/** From the first to the last of the cells [from, to), as far as a row has them. */
function spanOf(cells: readonly Span[], from: number, to: number): Span {
  const start = cells[from]?.start ?? 0;
  return { start, end: cells[Math.min(to, cells.length) - 1]?.end ?? start };
}

/** The first line of a cell without blanks: the rule below a header may stand in its last cell. */
function inkOf(text: string, cell: Block): Span {
  const start = skipBlank(text, cell.start, cell.end);
  const feed = text.slice(start, cell.end).indexOf('\n');
  return { start, end: skipBlankBack(text, start, feed === -1 ? cell.end : start + feed) };
}

function headerPart(text: string, { start, end }: Span): ContextPart {
  return { kind: 'table-header', start, end, text: text.slice(start, end) };
}

function isFilled({ start, end }: Span): boolean {
  return end > start;
}
