// The type that every stage of the pipeline shares: a document is one immutable string plus spans that point into it.
// Offsets are half-open [start, end) and count UTF-16 code units of `Document.text`, here and everywhere else.

/** A half-open range [start, end) of `Document.text` in UTF-16 code units, never inside a surrogate pair. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** All kinds of blocks. */
export const BLOCK_KINDS = [
  'heading',
  'paragraph',
  'list',
  'item',
  'quote',
  'table',
  'row',
  'cell',
  'code',
  'image',
  'footnote',
  'rule',
] as const;

/**
 * The kind of a block. Containers (list, item, quote, table, row, and a footnote of several blocks) hold `children`.
 * Every block without children is a leaf; so is a container that has only its mark (`-` alone).
 */
export type BlockKind = (typeof BLOCK_KINDS)[number];

/** All special forms of blocks. */
export const BLOCK_FORMS = ['front-matter', 'math', 'indented', 'definition', 'html', 'delimited'] as const;

/**
 * The special form of a block. Metadata before the text (`---`, `+++`), display math (`$$`) and indented code are
 * blocks of kind `code`; link reference definitions are paragraphs. HTML inside Markdown is a paragraph, except that
 * `<table>` is a table, `<h1>` a heading and `<pre>` code.
 */
export type BlockForm = (typeof BLOCK_FORMS)[number];

/**
 * A piece of structure. Blocks are ordered, children lie inside their parent, and the leaves together cover
 * all text that is not blank; Markdown marks (`## `, `- `, fences) belong to the span of their leaf.
 */
export interface Block extends Span {
  readonly kind: BlockKind;
  /** Heading level 1 to 6, or nesting depth of a list from 1. */
  readonly depth?: number;
  /** Language of a code block in the author's spelling, in lower case. */
  readonly language?: string;
  /** The special form; absent for an ordinary block. */
  readonly form?: BlockForm;
  /** True for a list whose items are numbered. */
  readonly ordered?: true;
  /** Number of the first item of an ordered list, when it is not 1. */
  readonly first?: number;
  /** True for a row that names the columns of the rows below it; header rows come first. */
  readonly header?: true;
  /** Number of columns and rows that a cell spans, when more than one. */
  readonly columnSpan?: number;
  readonly rowSpan?: number;
  /** Page on which the block starts, from 1; absent when the document has no pages. */
  readonly page?: number;
  readonly children?: readonly Block[];
}

/** A fact that did not stop the work and that the reader of the result should know. */
export interface Warning {
  /** Stable, in snake_case, for programs: `nul_dropped`, `pages_unreadable`, … */
  readonly code: string;
  /** One sentence for people. */
  readonly message: string;
}

/** A link of a document: the range of its words in `Document.text`, marks of the text inside them included. */
export interface Link extends Span {
  /** The target; relative when the document does not tell its own address. */
  readonly href: string;
}

/** A box on a page, in points (1/72 inch) from the top left corner of the page as a viewer shows it, y downwards. */
export interface Region {
  /** From 1. */
  readonly page: number;
  /** Left and top edge. */
  readonly x0: number;
  readonly y0: number;
  /** Right and bottom edge. */
  readonly x1: number;
  readonly y1: number;
}

/**
 * The places of the characters of a document on its pages, in hundredths of a point from the top left corner of the
 * page as a viewer shows it: its crop box, turned, in user units. A run is text on one line of a page: a line, a cell
 * of a table, or a part of it. Runs are in the order of the text and do not overlap; text between them has no place
 * (marks of Markdown, line ends, text that no page shows).
 *
 * Typed arrays, at most 30 bytes a character: they pass through `structuredClone` and between threads. JSON takes them
 * as the string of `packRegions`.
 */
export interface DocumentRegions {
  /** Width and height of each page; 0 and 0 for a page that was not read. */
  readonly pageSizes: Int32Array;
  /** Offset in `text` of the first unit of each run. */
  readonly starts: Uint32Array;
  /**
   * For each run the index of its first unit among all units of runs, and behind the last their number: run `r` has
   * `offsets[r + 1] - offsets[r]` units.
   */
  readonly offsets: Uint32Array;
  /** Page of each run, from 1. */
  readonly pages: Uint16Array;
  /** Direction of each run's base line, in quarter turns clockwise: 0 to the right, 1 down, 2 to the left, 3 up. */
  readonly turns: Uint8Array;
  /**
   * Two numbers for each run, the smaller first: its edges across its direction, which are top and bottom of a level
   * run, left and right of an upright one.
   */
  readonly extents: Int32Array;
  /**
   * Two numbers for each unit of the runs, the smaller first: its edges along the direction, left and right in a level
   * run, top and bottom in an upright one. A unit without a place has `NO_PLACE` twice. Both units of a surrogate
   * pair, and all letters of a ligature, may share one place.
   */
  readonly edges: Int32Array;
}

/** Where the paragraphs of a source begin in `text`. */
export interface DocumentParagraphs {
  /** Offsets, ascending. */
  readonly starts: Uint32Array;
  /** The number of the paragraph at each of them, from 1. */
  readonly numbers: Uint32Array;
}

/** The edges of a unit that has no place on the page. */
export const NO_PLACE = -0x8000_0000;

/** All kinds of furniture. */
export const FURNITURE_KINDS = [
  'header',
  'footer',
  'page-number',
  'line-numbers',
  'stamp',
  'artifact',
  'navigation',
  'consent',
  'skip-link',
  'edit-link',
] as const;

/**
 * The place of text that is no part of its document; an artifact is what the file itself calls so. The last four are
 * those of web pages: menus and lists of links, banners that ask for consent, links over the navigation, and links that
 * edit the page.
 */
export type FurnitureKind = (typeof FURNITURE_KINDS)[number];

/**
 * Text that a page repeats around its document: a running head, a page number, the stamp of an archive, the menu of a
 * web site.
 */
export interface Furniture {
  /** From 1; absent when the kind has no pages. */
  readonly page?: number;
  readonly text: string;
  readonly kind: FurnitureKind;
  /** Its boxes, one a line, in a document that was read with `regions`. */
  readonly regions?: readonly Region[];
}

/** An entry of a document's table of contents. */
export interface OutlineEntry {
  readonly title: string;
  /** From 1, the outermost. */
  readonly level: number;
  /** Page that it points to, from 1; absent when it points to none, or the document has no pages. */
  readonly page?: number;
  /** Offset of its heading in `text`; absent when there is no heading with its title on its page. */
  readonly start?: number;
}

/**
 * A document as extraction leaves it. `text` never changes afterwards: line ends are LF, NUL and the byte order mark
 * are gone, and every surrogate has its partner.
 */
export interface Document {
  readonly text: string;
  readonly blocks: readonly Block[];
  /**
   * Offset at which each page starts, ascending, the first being 0; empty when the kind has no pages. A page that was
   * not read is an empty one, and those after the last page read are absent.
   */
  readonly pages: readonly number[];
  /** Media type without parameters, for example `application/pdf`. */
  readonly mediaType: string;
  readonly filename?: string;
  readonly title?: string;
  /** Page count in the file's own metadata (a DOCX property), when it has no page map of its own. */
  readonly declaredPages?: number;
  /** Number of pages that were read, when only some were. */
  readonly pagesRead?: number;
  /** Table of contents: the bookmarks of a PDF that has some, else the headings; absent when there are none. */
  readonly outline?: readonly OutlineEntry[] | undefined;
  /**
   * The reader that made it and its version: `pdf-2`. The version rises with each change of a reader that alters texts,
   * so an index that stores it shows which documents to read again.
   */
  readonly reader?: string;
  /** Running heads, menus and the like that are not in `text`, in order; absent when there are none. */
  readonly furniture?: readonly Furniture[];
  /**
   * Links whose targets are not in `text`, and images with the addresses of their files: in order, without overlap;
   * absent when there are none.
   */
  readonly links?: readonly Link[];
  /** The paragraphs of a DOCX, for `anchorOf`; absent unless it was read with `regions`. */
  readonly paragraphs?: DocumentParagraphs;
  /** The places of its characters, for `regionsOf`; absent unless it was read with `regions` and has pages. */
  readonly regions?: DocumentRegions;
  readonly warnings: readonly Warning[];
}

/** Characters per page for kinds without pages: the median of 2,175 real PDF pages. */
export const CHARACTERS_PER_PAGE = 2200;

/**
 * The page count of a document: the real number of a PDF or a picture; for other kinds the larger of the file's own
 * count (form feeds, a DOCX property) and its length over {@link CHARACTERS_PER_PAGE}. Pages that were not read do not
 * count. At least 1.
 */
export function estimatePages(document: Document): number {
  const pages = document.pagesRead ?? document.pages.length;
  if (/^(?:application\/pdf$|image\/)/.test(document.mediaType)) return Math.max(1, pages);
  const declared = Math.max(pages, document.declaredPages ?? 1);
  return Math.max(1, declared, Math.ceil(document.text.length / CHARACTERS_PER_PAGE));
}

/**
 * The page, from 1, on which an offset lies; `undefined` when the document has no pages.
 * Binary search, so O(log pages).
 */
export function pageAt(pages: readonly number[], offset: number): number | undefined {
  if (pages.length === 0) return undefined;
  return countWhile(pages, (start) => start <= offset) || 1;
}

/** Number of entries at the start of a list for which a condition holds; it holds for none behind them. */
export function countWhile<Entry>(list: ArrayLike<Entry>, holds: (entry: Entry) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(list[middle] as Entry)) low = middle + 1;
    else high = middle;
  }
  return low;
}
