// Builds the tree from a reader's calls, in document order. Readers open and close containers and write text; the
// builder repairs misplaced parts (an item without a list, text between rows), drops blank ones, and bounds the depth
// of containers. The cost of a call is linear in its arguments.
import { Containers, type CellShape, type ListShape, type RowShape, type TableShape } from './containers.ts';
import type { MarkKind } from './inline.ts';
import { Leaf } from './leaf.ts';
import { LinkTargets } from './links.ts';
import { OpenMarks } from './marks.ts';
import { paragraphMark } from './paragraphs.ts';
import type { FootnoteNode, RegionNode, TableNode, TreeNode } from './node.ts';

/** The state that an aside interrupts. */
interface Outside {
  readonly leaf: Leaf;
  readonly marks: OpenMarks;
  /** Number of open containers. */
  readonly depth: number;
}

/** Each enclosing aside moves the blocks of an aside once; Word does not nest them. */
const MAX_ASIDES = 10;

export class TreeBuilder {
  readonly #root: TreeNode[] = [];
  readonly #footnotes: FootnoteNode[] = [];
  /** Those of the links in the tree. */
  readonly targets: LinkTargets;
  readonly #containers = new Containers(this.#root);
  #leaf: Leaf;
  readonly #asides: Outside[] = [];

  /** @param targets take the targets of links: one object for all builders of a document */
  constructor(targets = new LinkTargets()) {
    this.targets = targets;
    this.#leaf = new Leaf(this.#containers, targets);
  }

  /** Opens a list. `start` is the number of the first item when it is ordered. */
  openList(shape: ListShape): void {
    this.#leaf.end();
    this.#containers.openList(shape);
  }

  /**
   * Opens an item of the open list; without one, of a new list. `label` is shown before the item, behind the mark of
   * the list. Returns the item, for callers that set its label later; `undefined` when no item is possible here.
   */
  openItem(label = ''): { label?: string } | undefined {
    this.#leaf.end();
    return this.#containers.openItem(label.replaceAll('\0', ''));
  }

  /** Opens a quotation. */
  openQuote(): void {
    this.#leaf.end();
    this.#containers.openQuote();
  }

  /** Opens a region, which is no block; not in a heading or in code. */
  openRegion(label: RegionNode['label']): void {
    this.#leaf.end();
    this.#containers.openRegion(label);
  }

  /** Adds a block from another builder. */
  add(node: TreeNode): void {
    this.#leaf.end();
    this.#containers.place().push(node);
  }

  /** Adds a note at the end of the document. {@link footnoteReference} refers to the note. */
  footnote(label: string, children: readonly TreeNode[]): void {
    this.#footnotes.push({ kind: 'footnote', label, children: [...children] });
  }

  /**
   * Opens content beside the current line, such as a text box: its blocks come behind that paragraph, heading or code,
   * which goes on after {@link closeAside}. An aside inside more than {@link MAX_ASIDES} asides ends the paragraph.
   */
  openAside(): void {
    if (this.#asides.length >= MAX_ASIDES) this.#leaf.end();
    const leaf = this.#leaf;
    const containers = this.#containers;
    const into = leaf.isBegun ? leaf.beside : containers.place();
    this.#asides.push({ leaf, marks: containers.marks, depth: containers.depth });
    this.#leaf = new Leaf(containers, this.targets);
    containers.marks = new OpenMarks();
    containers.openFlow(into);
  }

  /** Opens a region beside the current line, as {@link openAside} does, until {@link closeAside}. */
  openFurniture(label: RegionNode['label']): void {
    this.openAside();
    this.#containers.openRegion(label);
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
   * Opens a table; `presentational` when the author declares mere layout, `isFramed` when it is known if its cells are
   * set off. Returns the table, for callers that set those later; `undefined` when no table is possible here.
   */
  openTable(shape: TableShape = {}): Pick<TableNode, 'isFramed'> | undefined {
    this.#leaf.end();
    return this.#containers.openTable(shape);
  }

  /** Opens the caption of the open table. */
  openCaption(): void {
    this.#leaf.end();
    this.#containers.openCaption();
  }

  /** Opens a row of the open table; `header` in a table head, `footer` in a foot, which comes last. */
  openRow(shape: RowShape): void {
    this.#leaf.end();
    this.#containers.openRow(shape);
  }

  /** Opens a cell of the open row; spans are clamped as in browsers. */
  openCell(shape: CellShape = {}): void {
    this.#leaf.end();
    this.#containers.openCell(shape);
  }

  /** The cell opened last, for callers that set its span later; `undefined` when no cell is possible here. */
  get cell(): { rowspan: number } | undefined {
    return this.#containers.cell;
  }

  /** Closes the container that was opened last. */
  close(): void {
    this.#leaf.end();
    this.#containers.close();
  }

  /** Marks the leaves that begin from now on with the number of their paragraph. */
  set paragraph(number: number) {
    this.#containers.mark = paragraphMark(number);
  }

  /** Begins a heading; depth is clamped to 1 to 6. */
  openHeading(depth: number): void {
    this.#leaf.end();
    this.#leaf.openHeading(depth);
  }

  closeHeading(): void {
    this.#leaf.end();
  }

  /** Begins preformatted text: until {@link closeCode} text stays unchanged. */
  openCode(language = ''): void {
    this.#leaf.end();
    this.#leaf.openCode(language);
  }

  /** Sets the language of the open code, unless it is known already. */
  nameLanguage(language: string): void {
    this.#leaf.nameLanguage(language);
  }

  closeCode(): void {
    this.#leaf.end();
  }

  get isInCode(): boolean {
    return this.#leaf.isInCode;
  }

  get isInHeading(): boolean {
    return this.#leaf.isInHeading;
  }

  /** True while a heading is open that has text already. */
  get isInFilledHeading(): boolean {
    return this.#leaf.isFilledHeading;
  }

  /** Ends the current paragraph; in a heading and in code only the line. */
  boundary(): void {
    this.#leaf.boundary();
  }

  /** Adds text to the open paragraph, heading or code; begins a paragraph without one. */
  text(text: string): void {
    this.#leaf.text(text);
  }

  /** A line break of the author; two in a row end the paragraph. */
  lineBreak(): void {
    this.#leaf.lineBreak();
  }

  /** An image by its description; an image without description is left out. */
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

  /** The next block stands on the next page. */
  pageBreak(): void {
    this.#leaf.end();
    this.#containers.place().push({ kind: 'page' });
  }

  /** Begins an inline mark. A link ends the open one. */
  openMark(kind: MarkKind, target = ''): void {
    if (kind === 'link') this.closeMark('link');
    const mark = this.#containers.marks.open(kind, target);
    if (mark !== undefined) this.#leaf.openMark(mark);
  }

  /** Ends the inline mark of this kind that was opened last, if any. */
  closeMark(kind: MarkKind): void {
    const mark = this.#containers.marks.close(kind);
    if (mark !== undefined) this.#leaf.closeMark(mark);
  }

  /** The tree, notes at its end. The builder must not be used afterwards. */
  finish(): TreeNode[] {
    while (this.#asides.length > 0) this.closeAside();
    this.#leaf.end();
    return [...this.#root, ...this.#footnotes];
  }
}
