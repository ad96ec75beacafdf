// The tree that every reader with structure builds and that serialise.ts turns into Markdown and blocks: one shape
// for HTML and DOCX. Leaves carry finished Markdown of their own line or lines, containers carry children.

/** A heading; `text` is one line without emphasis or links. */
export interface HeadingNode {
  readonly kind: 'heading';
  readonly depth: number;
  readonly text: string;
}

/** Running text or an image that stands alone; LF in `text` is a line break of the author. */
export interface TextNode {
  readonly kind: 'paragraph' | 'image';
  readonly text: string;
  /**
   * Where in `text` the next page begins, in a paragraph that goes on over the end of its page; in a cell it stands
   * alone.
   */
  readonly pageBreak?: number;
}

/** Preformatted text, without its fence. */
export interface CodeNode {
  readonly kind: 'code';
  readonly text: string;
  readonly language: string;
}

/** A thematic break, or the place where a page ends. */
export interface BreakNode {
  readonly kind: 'rule' | 'page';
}

/** What holds no other nodes. */
export type LeafNode = HeadingNode | TextNode | CodeNode | BreakNode;

/** A list of any nesting; its items hold what is in them. */
export interface ListNode {
  readonly kind: 'list';
  readonly ordered: boolean;
  /** True where its items are terms with what describes them. */
  readonly isOfTerms?: boolean;
  /** Number of the first item of an ordered list. */
  readonly start: number;
  readonly children: ItemNode[];
}

/** An item of a list. */
export interface ItemNode {
  readonly kind: 'item';
  /** What is shown before it where Markdown's own mark does not say it, with the blank behind: `(b) `, `4.2 `. */
  readonly label?: string;
  readonly children: TreeNode[];
}

/** What is quoted. */
export interface QuoteNode {
  readonly kind: 'quote';
  readonly children: TreeNode[];
}

/** The text of a footnote or endnote; `label` is what stands in its mark: `[^label]`. */
export interface FootnoteNode {
  readonly kind: 'footnote';
  readonly label: string;
  readonly children: TreeNode[];
}

/** A table, as its source has it: {@link CellNode} says which places a cell covers. */
export interface TableNode {
  readonly kind: 'table';
  /** True when the author says that the table is for layout only. */
  readonly presentational: boolean;
  /** Whether lines or colours set its cells off; `undefined` where that is not known, as where style sheets say it. */
  isFramed?: boolean | undefined;
  /** What it is where its author wrote a list: each row a term and what describes it, or a number and its text. */
  readonly list?: 'terms' | 'callouts' | undefined;
  /** What stands above the table. */
  readonly caption: TreeNode[];
  readonly rows: RowNode[];
}

/** A row of a table. */
export interface RowNode {
  readonly kind: 'row';
  /** True in a table head. A row is also a header when all its cells are. */
  readonly header: boolean;
  /** True in a table foot, which stands below all other rows, wherever it is written. */
  readonly footer?: boolean;
  /** Whether a page begins with it, in a table that goes on over the end of its page. */
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
export type TreeNode = LeafNode | ListNode | QuoteNode | TableNode | FootnoteNode;

/** The highest number that an item of an ordered list has: CommonMark takes at most nine digits. */
export const MAX_START = 999_999_999;

/**
 * The most columns that a cell covers, as browsers have it (HTML standard, section 4.9.11): hostile spans stay finite.
 */
export const MAX_COLSPAN = 1000;
/** The most rows, likewise. */
export const MAX_ROWSPAN = 65_534;

/** How deep containers may nest; deeper ones give their text to the deepest that is allowed. */
export const MAX_DEPTH = 100;
