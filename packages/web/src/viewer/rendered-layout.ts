// Markdown as it reads: headings, lists, quotes, tables and code by the document's own block tree, inline marks by
// inline.ts. Every visible word is a slice of the text, so chunks are coloured, numbered and pointed at as in the
// source. Nothing is parsed as HTML, links lead nowhere, and images show their description.
import type { Span } from '@grainline/core';
import { ancestorsOf, type BlockTable, formAt, kindAt } from '../document/block-table.ts';
import type { BlockWriter } from './block-writer.ts';
import { displayBlocks } from './blocks.ts';
import { inlineRuns, type InlineStyle } from './inline.ts';
import type { TextLayout } from './layout.ts';
import { VIEWS } from '../texts.ts';

/** A block ends after so many UTF-16 units; rows of one table stay together for longer. */
const ENOUGH = 1200;
const ENOUGH_ROWS = 6000;
/** Longer leaves are split, as in the source. */
const LONGEST_LEAF = 4000;
/** A longer text has no inline marks: pairing them may take the square of the length. */
const LONGEST_INLINE = 8000;
/** Tables of so many columns scroll by themselves, and the keyboard can reach them. */
const MANY_COLUMNS = 5;

/** An element of the layout: leaves and rows from `from` to `to`, within its span. */
interface RenderedBlock extends Span {
  readonly from: number;
  readonly to: number;
}

/** Lays out the text of a document by its blocks. */
export function renderedLayout(text: string, table: BlockTable): TextLayout {
  const units = unitsOf(table);
  const blocks = pack(text, table, units);
  return {
    text,
    blocks,
    className: 'text rendered',
    fill(index, element, writer) {
      const block = blocks[index];
      if (block === undefined) return;
      const painter = new Painter(text, table, writer);
      for (let at = block.from; at < block.to;) {
        const unit = units[at] ?? 0;
        const last = kindAt(table, unit) === 'row' ? lastRow(table, units, at, block.to) : at + 1;
        if (kindAt(table, unit) === 'row') element.append(painter.rows(units.subarray(at, last)));
        else painter.leaf(element, unit, block);
        at = last;
      }
      writer.finish(element.lastElementChild ?? element);
    },
  };
}

/** The leaves and rows in order; cells are parts of their row. */
function unitsOf(table: BlockTable): Uint32Array {
  const { parents } = table;
  const isUnit = (index: number): boolean => {
    const kind = kindAt(table, index);
    if (kind === 'row') return true;
    return kind !== 'cell' && parents[index + 1] !== index;
  };
  const units: number[] = [];
  for (let index = 0; index < parents.length; index++) if (isUnit(index)) units.push(index);
  return Uint32Array.from(units);
}

/** Blocks that tile the text. Linear. */
function pack(text: string, table: BlockTable, units: Uint32Array): RenderedBlock[] {
  const blocks: RenderedBlock[] = [];
  let [from, start] = [0, 0];
  const close = (to: number, end: number): void => {
    if (end > start) blocks.push({ from, to, start, end });
    [from, start] = [to, end];
  };
  units.forEach((unit, index) => {
    const [begin, end] = [table.starts[unit] ?? 0, table.ends[unit] ?? 0];
    const isSameTable =
      kindAt(table, unit) === 'row' &&
      index > from &&
      table.parents[units[index - 1] ?? 0] === table.parents[unit];
    if (begin - start >= (isSameTable ? ENOUGH_ROWS : ENOUGH)) close(index, begin);
    if (kindAt(table, unit) === 'row' || end - begin <= LONGEST_LEAF) return;
    close(index, begin);
    for (const piece of displayBlocks(text.slice(begin, end))) {
      blocks.push({ from: index, to: index + 1, start, end: begin + piece.end });
      start = begin + piece.end;
    }
    from = index + 1;
  });
  close(units.length, text.length);
  return blocks;
}

function lastRow({ parents }: BlockTable, units: Uint32Array, at: number, to: number): number {
  let last = at + 1;
  while (last < to && parents[units[last] ?? 0] === parents[units[at] ?? 0]) last++;
  return last;
}

/** Elements by inline style; `span` is the text view's own. */
const ELEMENTS: Readonly<Record<InlineStyle, keyof HTMLElementTagNameMap>> = {
  strong: 'strong',
  em: 'em',
  code: 'code',
  del: 'del',
  link: 'a',
  image: 'cite',
  sup: 'sup',
};

/** Makes the elements of leaves and rows. */
class Painter {
  readonly #text: string;
  readonly #table: BlockTable;
  readonly #writer: BlockWriter;

  constructor(text: string, table: BlockTable, writer: BlockWriter) {
    this.#text = text;
    this.#table = table;
    this.#writer = writer;
  }

  /** Appends a leaf, or the part of it in a block, after the notes of the chunks that begin with it. */
  leaf(parent: HTMLElement, index: number, block: Span): void {
    const table = this.#table;
    const isWhole = block.start <= (table.starts[index] ?? 0) && (table.ends[index] ?? 0) <= block.end;
    const within = {
      start: Math.max(block.start, (isWhole ? table.contentStarts : table.starts)[index] ?? 0),
      end: Math.min(block.end, (isWhole ? table.contentEnds : table.ends)[index] ?? 0),
    };
    const around = containersOf(this.#text, table, index, within.start);
    const element = this.#writer.element('div', `unit ${around.className}`);
    element.style.setProperty('--indent', String(around.indent));
    parent.append(...this.#writer.takeNotes(within.start + 1), element);
    if (around.number !== undefined) {
      const number = this.#writer.element('b', 'number');
      this.#writer.write(number, around.number.start, around.number.end);
      element.append(number);
    }
    const inner = this.#leafElement(index);
    element.append(inner);
    const start = Math.max(within.start, around.contentStart);
    if (inner.localName === 'pre') this.#writer.boxes.push({ start, end: within.end, element: inner });
    const lines = linesOf(this.#text, { start, end: within.end }, around.quotes);
    if (kindAt(table, index) === 'rule') return;
    if (!isVerbatim(table, index)) this.#writeInline(inner, lines);
    else if (around.indent === 0 && formAt(table, index) !== 'indented') this.#writeLines(inner, lines);
    else this.#writeLines(inner, dedented(this.#text, lines, formAt(table, index) === 'indented'));
  }

  /** A table, or a part of one, of consecutive rows. */
  rows(indexes: Uint32Array): HTMLElement {
    const writer = this.#writer;
    const rows = [...indexes].map((row) => ({ row, cells: this.#cellsOf(row) }));
    const columns = Math.max(...rows.map(({ cells }) => this.#columns(cells)));
    const frame = writer.element('div', 'unit table');
    if (columns >= MANY_COLUMNS) {
      frame.tabIndex = 0;
      frame.setAttribute('role', 'group');
      frame.setAttribute('aria-label', VIEWS.table);
    }
    const element = writer.element('table');
    frame.append(element);
    for (const { row, cells } of rows) {
      const start = this.#table.contentStarts[cells[0] ?? row] ?? 0;
      for (const note of writer.takeNotes(start + 1)) {
        const cell = writer.element('td') as HTMLTableCellElement;
        cell.colSpan = columns;
        cell.append(note);
        const line = writer.element('tr', 'note-row');
        line.append(cell);
        element.append(line);
      }
      element.append(this.#row(row, cells));
    }
    return frame;
  }

  #row(row: number, cells: readonly number[]): HTMLElement {
    const writer = this.#writer;
    const { details, contentStarts, contentEnds } = this.#table;
    const line = writer.element('tr');
    const last = cells.at(-1) ?? row;
    writer.boxes.push({
      start: contentStarts[cells[0] ?? row] ?? 0,
      end: contentEnds[last] ?? 0,
      element: line,
    });
    for (const cell of cells) {
      const [start, end] = [contentStarts[cell] ?? 0, contentEnds[cell] ?? 0];
      // An empty header names nothing.
      const isHeader = details.get(row)?.header === true && end > start;
      const element = writer.element(isHeader ? 'th' : 'td') as HTMLTableCellElement;
      const { columnSpan = 1, rowSpan = 1 } = details.get(cell) ?? {};
      if (columnSpan > 1) element.colSpan = columnSpan;
      if (rowSpan > 1) element.rowSpan = rowSpan;
      line.append(element);
      this.#writeInline(element, linesOf(this.#text, { start, end }, 0));
    }
    return line;
  }

  #columns(cells: readonly number[]): number {
    return cells.reduce((sum, cell) => sum + (this.#table.details.get(cell)?.columnSpan ?? 1), 0);
  }

  /** The cells of a row, which follow it in the table; a row without cells is one. */
  #cellsOf(row: number): number[] {
    const { parents } = this.#table;
    const cells: number[] = [];
    for (let index = row + 1; index < parents.length && (parents[index] ?? -1) >= row; index++)
      if (parents[index] === row) cells.push(index);
    return cells.length === 0 ? [row] : cells;
  }

  #leafElement(index: number): HTMLElement {
    const writer = this.#writer;
    const form = formAt(this.#table, index);
    const kind = kindAt(this.#table, index);
    if (kind === 'heading') {
      const level = Math.min(6, this.#table.levels[index] ?? 1);
      const element = writer.element('div', `heading level-${level}`);
      element.setAttribute('role', 'heading');
      // Below the page's own heading.
      element.setAttribute('aria-level', String(level + 1));
      return element;
    }
    if (isVerbatim(this.#table, index)) return writer.element('pre', form ?? 'code');
    return writer.element('div', form === 'definition' ? 'definition' : kind);
  }

  #writeLines(parent: HTMLElement, lines: readonly Span[]): void {
    for (const { start, end } of lines) this.#writer.write(parent, start, end);
  }

  /** Writes lines with their inline marks. */
  #writeInline(parent: HTMLElement, lines: readonly Span[]): void {
    const length = lines.reduce((sum, { start, end }) => sum + end - start, 0);
    if (length > LONGEST_INLINE) {
      this.#writeLines(parent, lines);
      return;
    }
    const joined = lines.map(({ start, end }) => this.#text.slice(start, end)).join('');
    for (const { start, end, styles, target, breaks } of inlineRuns(joined)) {
      if (breaks === true) parent.append(this.#writer.element('br'));
      let inner = parent;
      for (const style of styles) {
        const element = this.#writer.element(ELEMENTS[style]);
        if (style === 'link' && target !== undefined) element.title = target;
        inner.append(element);
        inner = element;
      }
      for (const slice of slicesOf(lines, start, end)) this.#writer.write(inner, slice.start, slice.end);
    }
  }
}

/** True for a leaf that is shown as it is written. */
function isVerbatim(table: BlockTable, index: number): boolean {
  return kindAt(table, index) === 'code' || formAt(table, index) === 'html';
}

/** The lists and quotes around a leaf, and their marks at its start. */
interface Containers {
  readonly className: string;
  /** Number of lists around it. */
  readonly indent: number;
  readonly quotes: number;
  /** The number of an ordered item, or the name of a note, that begins here. */
  readonly number?: Span;
  /** Offset behind the marks. */
  readonly contentStart: number;
}

/** Marks of quotes, items and notes: the groups are the number of an item, its box, and the name of a note. */
const CONTAINER =
  /[ \t]*(?:>|(?:[-*+]|(\d{1,9}[.)]))(?=\s|$)(?:\s+\[([ xX])\](?=\s))?|\[\^([^\]\s]+)\]:)[ \t]*/y;

/** @param from start of the shown part; a part behind the start of the leaf has no marks */
function containersOf(text: string, table: BlockTable, index: number, from: number): Containers {
  const start = table.starts[index] ?? 0;
  const own = kindAt(table, index);
  const around = [...ancestorsOf(table, index), ...(own === 'item' || own === 'footnote' ? [index] : [])];
  const kinds = around.map((ancestor) => kindAt(table, ancestor));
  const classes: string[] = [];
  let contentStart = start;
  let number: Span | undefined;
  for (const [at, kind] of kinds.entries()) {
    const isFirst = table.starts[around[at] ?? 0] === start;
    if (from > start && table.contentStarts[index] !== from) break;
    if (kind !== 'quote' && !((kind === 'item' || kind === 'footnote') && isFirst)) continue;
    CONTAINER.lastIndex = contentStart;
    const match = CONTAINER.exec(text);
    if (match?.[0].trim().startsWith('>') !== (kind === 'quote')) continue;
    const [all, digits, task, note] = match;
    const name = digits ?? note;
    if (task !== undefined) classes.push(task === ' ' ? 'task' : 'task done');
    else if (name === undefined && kind === 'item') classes.push('bullet');
    if (name !== undefined) {
      const begin = text.indexOf(name, contentStart);
      number = { start: begin, end: begin + name.length };
    }
    contentStart += all.length;
  }
  const quotes = kinds.filter((kind) => kind === 'quote').length;
  return {
    className: [...classes, ...(quotes > 0 ? ['quoted'] : [])].join(' '),
    indent: kinds.filter((kind) => kind === 'item').length,
    quotes,
    contentStart,
    ...(number === undefined ? {} : { number }),
  };
}

/** The lines of a leaf without the marks of the quotes around it. */
function linesOf(text: string, { start, end }: Span, quotes: number): Span[] {
  const lines: Span[] = [];
  const mark = /[ \t]*>[ \t]?/y;
  for (let at = start; at < end;) {
    const feed = text.indexOf('\n', at);
    const next = feed === -1 || feed >= end ? end : feed + 1;
    for (let depth = 0; depth < quotes && at > start; depth++) {
      mark.lastIndex = at;
      const match = mark.exec(text);
      if (match === null) break;
      at = Math.min(next, at + match[0].length);
    }
    lines.push({ start: at, end: next });
    at = next;
  }
  return lines;
}

/** Lines without their common indentation; the first line of indented code has lost it already. */
function dedented(text: string, lines: readonly Span[], isIndented: boolean): Span[] {
  const depths = lines.map(({ start, end }) => {
    const depth = text.slice(start, end).search(/[^ \t]/);
    return depth === -1 ? end - start : depth;
  });
  const isBlank = ({ start, end }: Span): boolean => text.slice(start, end).trim() === '';
  const counted = depths.filter(
    (_, index) => !(isIndented && index === 0) && !isBlank(lines[index] ?? NOWHERE),
  );
  const common = Math.min(...counted);
  return lines.map(({ start, end }, index) => ({
    start: start + (isIndented && index === 0 ? 0 : Math.min(common, depths[index] ?? 0)),
    end,
  }));
}

const NOWHERE: Span = { start: 0, end: 0 };

/** The slices of the text behind a range of its joined lines. */
function slicesOf(lines: readonly Span[], start: number, end: number): Span[] {
  const slices: Span[] = [];
  let joined = 0;
  for (const line of lines) {
    const length = line.end - line.start;
    const from = Math.max(start, joined);
    const to = Math.min(end, joined + length);
    if (from < to) slices.push({ start: line.start + from - joined, end: line.start + to - joined });
    joined += length;
  }
  return slices;
}
