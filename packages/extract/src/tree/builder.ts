// Builds the tree from what a reader meets, in the order it meets it. Readers say what opens, what closes and what is
// written; the builder repairs what does not fit (an item without a list, text between rows), drops what stays
// blank, and keeps the depth of containers within bounds. No call costs more than what it is given.
import { Containers, type CellShape, type ListShape, type RowShape, type TableShape } from './containers.ts';
import type { MarkKind } from './inline.ts';
import { Leaf } from './leaf.ts';
import { OpenMarks } from './marks.ts';
import type { FootnoteNode, TableNode, TreeNode } from './node.ts';

/** What an aside interrupts. */
interface Outside {
  readonly leaf: Leaf;
  readonly marks: OpenMarks;
  /** How many containers were open. */
  readonly depth: number;
}

/** The blocks of an aside are moved once for each aside around it; Word allows none in another. */
const MAX_ASIDES = 10;

export class TreeBuilder {
  readonly #root: TreeNode[] = [];
  readonly #footnotes: FootnoteNode[] = [];
  readonly #containers = new Containers(this.#root);
  #leaf = new Leaf(this.#containers);
  readonly #asides: Outside[] = [];

  /** Opens a list. `start` is the number of the first item when it is ordered. */
  openList(shape: ListShape): void {
    this.#leaf.end();
    this.#containers.openList(shape);
  }

  /**
   * Opens an item of the list that is open; where none is, of a new one. `label` is shown before it, behind the mark of
   * the list. Gives the item, for those that learn its label later; `undefined` where none could be.
   */
  openItem(label = ''): { label?: string } | undefined {
    this.#leaf.end();
    return this.#containers.openItem(label);
  }

  /** Opens a quotation. */
  openQuote(): void {
    this.#leaf.end();
    this.#containers.openQuote();
  }

  /** Adds a block that another builder has made. */
  add(node: TreeNode): void {
    this.#leaf.end();
    this.#containers.place().push(node);
  }

  /** Puts a note at the end of the document. {@link footnoteReference} points to it. */
  footnote(label: string, children: readonly TreeNode[]): void {
    this.#footnotes.push({ kind: 'footnote', label, children: [...children] });
  }

  /**
   * Opens what stands beside the line that is being written, as a text box does: its blocks come behind that paragraph,
   * heading or code, which goes on after {@link closeAside}. Asides in more asides than {@link MAX_ASIDES} end it.
   */
  openAside(): void {
    if (this.#asides.length >= MAX_ASIDES) this.#leaf.end();
    const leaf = this.#leaf;
    const containers = this.#containers;
    const into = leaf.isBegun ? leaf.beside : containers.place();
    this.#asides.push({ leaf, marks: containers.marks, depth: containers.depth });
    this.#leaf = new Leaf(containers);
    containers.marks = new OpenMarks();
    containers.openFlow(into);
  }

  closeAside(): void {
    this.#leaf.end();
    const outside = this.#asides.pop();
    if (outside === undefined) return;
    this.#containers.closeTo(outside.depth);
    this.#containers.marks = outside.marks;
    this.#leaf = outside.leaf;
  }

  /**
   * Opens a table; `presentational` when the author declares it to be mere layout, `isFramed` where it is known whether
   * its cells are set off. Gives the table, for those that learn that later; `undefined` where none could be.
   */
  openTable(shape: TableShape = {}): Pick<TableNode, 'isFramed'> | undefined {
    this.#leaf.end();
    return this.#containers.openTable(shape);
  }

  /** Opens what is to stand above the table that is open. */
  openCaption(): void {
    this.#leaf.end();
    this.#containers.openCaption();
  }

  /** Opens a row of the table that is open; `header` in a table head, `footer` in a foot, which comes last. */
  openRow(shape: RowShape): void {
    this.#leaf.end();
    this.#containers.openRow(shape);
  }

  /** Opens a cell of the row that is open; spans are clamped as browsers do. */
  openCell(shape: CellShape = {}): void {
    this.#leaf.end();
    this.#containers.openCell(shape);
  }

  /**
   * The cell that was opened just now, for those that learn later how far it reaches; `undefined` where no cell could
   * be.
   */
  get cell(): { rowspan: number } | undefined {
    return this.#containers.cell;
  }

  /** Closes the container that was opened last. */
  close(): void {
    this.#leaf.end();
    this.#containers.close();
  }

  /** Begins a heading; depth is clamped to 1 to 6. */
  openHeading(depth: number): void {
    this.#leaf.end();
    this.#leaf.openHeading(depth);
  }

  closeHeading(): void {
    this.#leaf.end();
  }

  /** Begins preformatted text: until {@link closeCode} text is taken as it is. */
  openCode(language = ''): void {
    this.#leaf.end();
    this.#leaf.openCode(language);
  }

  /** Names the language of the code that is open, when it is not known yet. */
  nameLanguage(language: string): void {
    this.#leaf.nameLanguage(language);
  }

  closeCode(): void {
    this.#leaf.end();
  }

  get isInCode(): boolean {
    return this.#leaf.isInCode;
  }

  /** True while a heading is open that has text already. */
  get isInFilledHeading(): boolean {
    return this.#leaf.isFilledHeading;
  }

  /** Ends the paragraph that is being written; in a heading and in code only the line. */
  boundary(): void {
    this.#leaf.boundary();
  }

  /** Adds text to the paragraph, heading or code that is open; begins a paragraph where none is. */
  text(text: string): void {
    this.#leaf.text(text);
  }

  /** A line break of the author; two in a row end the paragraph. */
  lineBreak(): void {
    this.#leaf.lineBreak();
  }

  /** An image by its description; one without description is left out. */
  image(alt: string, source: string): void {
    this.#leaf.image(alt, source);
  }

  /** The mark of a note in the text. */
  footnoteReference(label: string): void {
    this.#leaf.inline().text(`[^${label}]`);
  }

  /** A thematic break. */
  rule(): void {
    this.#leaf.end();
    this.#containers.place().push({ kind: 'rule' });
  }

  /** What follows stands on the next page. */
  pageBreak(): void {
    this.#leaf.end();
    this.#containers.place().push({ kind: 'page' });
  }

  /** Begins an inline mark. A link ends the one that is open. */
  openMark(kind: MarkKind, target = ''): void {
    if (kind === 'link') this.closeMark('link');
    const mark = this.#containers.marks.open(kind, target);
    if (mark !== undefined) this.#leaf.openMark(mark);
  }

  /** Ends the inline mark of this kind that was opened last; nothing when none is open. */
  closeMark(kind: MarkKind): void {
    const mark = this.#containers.marks.close(kind);
    if (mark !== undefined) this.#leaf.closeMark(mark);
  }

  /** The tree, notes at its end. The builder must not be used afterwards. */
  finish(): readonly TreeNode[] {
    while (this.#asides.length > 0) this.closeAside();
    this.#leaf.end();
    return [...this.#root, ...this.#footnotes];
  }
}
