// The tree that every reader with structure builds and that serialise.ts turns into Markdown and blocks: one shape
// for HTML and DOCX. Leaves carry finished Markdown of their own line or lines, containers carry children.
import type { FurnitureKind } from '@grainline/core';
import type { WithGlyphs } from './glyphs.ts';

/** A heading; `text` is one line without emphasis or links. */
export interface HeadingNode extends WithGlyphs {
  readonly kind: 'heading';
  readonly depth: number;
  readonly text: string;
}

/** Running text or an image that stands alone; LF in `text` is a line break of the author. */
export interface TextNode extends WithGlyphs {
  readonly kind: 'paragraph' | 'image';
  readonly text: string;
  /** Offset in `text` of the page break, in a paragraph across the end of its page; in a cell it stands alone. */
  readonly pageBreak?: number;
}

/** Preformatted text, without its fence. */
export interface CodeNode extends WithGlyphs {
  readonly kind: 'code';
  readonly text: string;
  readonly language: string;
}

/** A thematic break, or the end of a page. */
export interface BreakNode {
  readonly kind: 'rule' | 'page';
}

/** A node without child nodes. */
export type LeafNode = HeadingNode | TextNode | CodeNode | BreakNode;

/** A list of any nesting; its items hold their content. */
export interface ListNode {
  readonly kind: 'list';
  readonly ordered: boolean;
  /** True when its items are terms with descriptions. */
  readonly isOfTerms?: boolean;
  /** Number of the first item of an ordered list. */
  readonly start: number;
  readonly children: ItemNode[];
}

/** An item of a list; its characters are those of its label. */
export interface ItemNode extends WithGlyphs {
  readonly kind: 'item';
  /** The label before it when Markdown's own mark does not show it, with the blank behind: `(b) `, `4.2 `. */
  readonly label?: string;
  readonly children: TreeNode[];
}

/** A quotation. */
export interface QuoteNode {
  readonly kind: 'quote';
  readonly children: TreeNode[];
}

/** The text of a footnote or endnote; `label` is the text of its mark: `[^label]`. */
export interface FootnoteNode {
  readonly kind: 'footnote';
  readonly label: string;
  readonly children: TreeNode[];
}

/**
 * A part of a page that is no block; it is taken out or dissolved before the tree is written. A `box` says nothing
 * about its content.
 */
export interface RegionNode {
  readonly kind: 'region';
  readonly label: FurnitureKind | 'pager' | 'main' | 'article' | 'aside' | 'comments' | 'figure' | 'box';
  readonly children: TreeNode[];
}

/** A table in the shape of its source: {@link CellNode} gives the extent of a cell. */
export interface TableNode {
  readonly kind: 'table';
  /** True when the author declares the table as layout only. */
  readonly presentational: boolean;
  /** True if lines or colours set its cells off; `undefined` when unknown, as with style sheets. */
  isFramed?: boolean | undefined;
  /** The author's list in the form of a table: each row a term and its description, or a number and its text. */
  readonly list?: 'terms' | 'callouts' | undefined;
  /** The blocks above the table. */
  readonly caption: TreeNode[];
  readonly rows: RowNode[];
}

/** A row of a table. */
export interface RowNode {
  readonly kind: 'row';
  /** True in a table head. A row is also a header when all its cells are. */
  readonly header: boolean;
  /** True in a table foot, which is placed below all other rows. */
  readonly footer?: boolean;
  /** True if a page begins with it, in a table across the end of its page. */
  readonly startsPage?: boolean;
  readonly cells: CellNode[];
}

/** A cell of a table. */
export interface CellNode {
  readonly kind: 'cell';
  readonly header: boolean;
  /** Columns it covers, 1 to {@link MAX_COLSPAN}. */
  readonly colspan: number;
  /** Rows it covers, 1 to {@link MAX_ROWSPAN}. */
  readonly rowspan: number;
  readonly children: TreeNode[];
}

/** A piece of a document as its reader found it, before there is a text. */
export type TreeNode = LeafNode | ListNode | QuoteNode | TableNode | FootnoteNode | RegionNode;

/** The highest number that an item of an ordered list has: CommonMark takes at most nine digits. */
export const MAX_START = 999_999_999;

/** The most columns of a cell, as in browsers (HTML standard, section 4.9.11): hostile spans stay finite. */
export const MAX_COLSPAN = 1000;
/** The most rows, likewise. */
export const MAX_ROWSPAN = 65_534;

/** Most nested containers; deeper ones give their text to the deepest allowed one. */
export const MAX_DEPTH = 100;
