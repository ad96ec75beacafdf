// Where text stands on the pages, and which text stands where: the runs of a document by page. Without regions, places
// are estimated from the starts of the pages.
import {
  type Document,
  type DocumentRegions,
  pageAt,
  pageSizeOf,
  type Region,
  regionsOf,
  type Span,
} from '@grainline/core';
import { countOf, type CutTable, firstEndingAfter, firstIndex } from '../../document/cut-table.ts';

/** A place on a page: the share of its height from the top. */
export interface PagePlace {
  readonly page: number;
  readonly y: number;
}

/** Width and height in points. */
export interface SheetSize {
  readonly width: number;
  readonly height: number;
}

/** The direction in which a line of text runs on the page. */
export type Direction = 'right' | 'left' | 'down' | 'up';

/** A place in a line. */
export interface LineStart {
  /** The box of the character. */
  readonly letter: Region;
  /** The box of the line, or of the part of one, that holds it. */
  readonly line: Region;
  readonly towards: Direction;
}

/** The part of a document that the index needs. */
export interface SheetText {
  readonly text: string;
  /** Offset at which each page starts. */
  readonly pages: readonly number[];
  readonly regions?: DocumentRegions | undefined;
}

/** Finds text by its place, and the place of text. */
export class PageIndex {
  readonly #source: SheetText;
  readonly #placed: Pick<Document, 'regions'>;
  readonly #count: number;
  /** The runs in the order of their pages, and of the text within one. */
  readonly #runs: Uint32Array;
  /** For each page, from 1, its first entry in `#runs`; behind the last page their number. */
  readonly #firsts: Uint32Array;

  /** @param count Number of pages of the file, which may be more than were read. */
  constructor(source: SheetText, count: number) {
    this.#source = source;
    this.#placed = source.regions === undefined ? {} : { regions: source.regions };
    this.#count = count;
    const pages = source.regions?.pages ?? new Uint16Array();
    const firsts = new Uint32Array(count + 2);
    for (const page of pages) if (page <= count) firsts[page + 1] = (firsts[page + 1] ?? 0) + 1;
    for (let page = 1; page <= count; page++)
      firsts[page + 1] = (firsts[page + 1] ?? 0) + (firsts[page] ?? 0);
    const next = firsts.slice();
    this.#runs = new Uint32Array(firsts[count + 1] ?? 0);
    for (const [run, page] of pages.entries()) {
      if (page > count) continue;
      const at = next[page] ?? 0;
      this.#runs[at] = run;
      next[page] = at + 1;
    }
    this.#firsts = firsts;
  }

  /** True when text has boxes. */
  get hasRegions(): boolean {
    return this.#runs.length > 0;
  }

  /** The boxes of a span on a page, in points. */
  boxesOf(span: Span, page: number): Region[] {
    return regionsOf(this.#placed, span).filter((box) => box.page === page);
  }

  /** The size of a page in the points of its boxes; undefined for a page without any. */
  sizeOf(page: number): SheetSize | undefined {
    return pageSizeOf(this.#placed, page);
  }

  /** The place of the text at an offset, or of the next text that a page shows. */
  startAt(offset: number): LineStart | undefined {
    const run = this.#runAt(offset);
    const line = run === undefined ? undefined : this.#boxOf(run);
    if (run === undefined || line === undefined) return undefined;
    const start = Math.max(offset, this.#spanOf(run).start);
    const [letter = line] = this.boxesOf({ start, end: start + 1 }, line.page);
    return { letter, line, towards: this.#directionOf(run) };
  }

  /** Points between the beginning of a line and the text beside it, as in the column before; undefined without any. */
  roomBefore({ line, towards }: LineStart): number | undefined {
    let room: number | undefined;
    for (const run of this.#runsOn(line.page)) {
      const box = this.#boxOf(run);
      if (box === undefined || box.y0 >= line.y1 || box.y1 <= line.y0) continue;
      const between = towards === 'left' ? box.x0 - line.x1 : line.x0 - box.x1;
      if (between >= 0 && between < (room ?? Infinity)) room = between;
    }
    return room;
  }

  /** The indexes of the chunks with text on a page, in order. */
  chunksOn(page: number, cuts: CutTable): number[] {
    const found = new Set<number>();
    for (const run of this.#runsOn(page)) {
      const { start, end } = this.#spanOf(run);
      for (let chunk = firstEndingAfter(cuts, start); chunk < countOf(cuts); chunk++) {
        if ((cuts.starts[chunk] ?? end) >= end) break;
        found.add(chunk);
      }
    }
    return [...found].sort((a, b) => a - b);
  }

  /** The span from the text before a page to its last text; undefined for a page without any. */
  spanOn(page: number): Span | undefined {
    const runs = this.#runsOn(page);
    const [first, last] = [runs[0], runs.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    // Marks of Markdown before the first line have no place.
    return { start: first === 0 ? 0 : this.#spanOf(first - 1).end, end: this.#spanOf(last).end };
  }

  /** The place of an offset, or of the next text that a page shows. */
  placeOf(offset: number): PagePlace {
    const run = this.#runAt(offset);
    const box = run === undefined ? undefined : this.#boxOf(run);
    if (box !== undefined) return { page: box.page, y: box.y0 / this.#heightOf(box.page) };
    const { pages, text } = this.#source;
    const page = pageAt(pages, offset) ?? 1;
    const start = pages[page - 1] ?? 0;
    return { page, y: (offset - start) / Math.max(1, (pages[page] ?? text.length) - start) };
  }

  /** The offset of the first text of a page that reaches below a height; of the next page when there is none. */
  offsetAt({ page, y }: PagePlace): number {
    const { pages, text } = this.#source;
    if (!this.hasRegions) {
      const start = pages[page - 1] ?? text.length;
      return Math.round(start + y * ((pages[page] ?? text.length) - start));
    }
    for (let at = page; at <= this.#count; at++) {
      const run = this.#runsOn(at).find(
        (each) => at > page || (this.#boxOf(each)?.y1 ?? 0) > y * this.#heightOf(page),
      );
      if (run !== undefined) return this.#spanOf(run).start;
    }
    return text.length;
  }

  #runsOn(page: number): Uint32Array {
    return this.#runs.subarray(this.#firsts[page] ?? 0, this.#firsts[page + 1] ?? 0);
  }

  /** The run that holds an offset, or the next one; it has a place. */
  #runAt(offset: number): number | undefined {
    const { starts = new Uint32Array() } = this.#source.regions ?? {};
    const run = firstIndex(starts.length, (index) => this.#spanOf(index).end > offset);
    return run < starts.length ? run : undefined;
  }

  #spanOf(run: number): Span {
    const { starts, offsets } = this.#source.regions ?? {};
    const start = starts?.[run] ?? 0;
    return { start, end: start + (offsets?.[run + 1] ?? 0) - (offsets?.[run] ?? 0) };
  }

  #boxOf(run: number): Region | undefined {
    const page = this.#source.regions?.pages[run] ?? 1;
    return this.boxesOf(this.#spanOf(run), page)[0];
  }

  #directionOf(run: number): Direction {
    const { start, end } = this.#spanOf(run);
    const page = this.#source.regions?.pages[run] ?? 1;
    const [first] = this.boxesOf({ start, end: start + 1 }, page);
    const [last] = this.boxesOf({ start: end - 1, end }, page);
    const isReversed = first !== undefined && last !== undefined && last.x1 < first.x0;
    const turns = this.#source.regions?.turns[run] ?? 0;
    return (['right', 'down', 'left', 'up'] as const)[turns === 0 && isReversed ? 2 : turns] ?? 'right';
  }

  #heightOf(page: number): number {
    return this.sizeOf(page)?.height ?? 1;
  }
}
