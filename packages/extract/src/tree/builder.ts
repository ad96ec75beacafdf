// Builds the tree from what a reader meets, in the order it meets it. Readers say what opens, what closes and what is
// written; the builder repairs what does not fit (an item without a list, text between rows), drops what stays
// blank, and keeps the depth of containers within bounds. No call costs more than what it is given.
import { InlineText, type MarkKind } from './inline.ts';
import { OpenMarks } from './marks.ts';
import {
  MAX_COLSPAN,
  MAX_DEPTH,
  MAX_ROWSPAN,
  type FootnoteNode,
  type ItemNode,
  type ListNode,
  type RowNode,
  type TableNode,
  type TreeNode,
} from './node.ts';

/** A container that is open. `into` takes its blocks; lists, tables and rows have none of their own. */
type Frame = Implied &
  (
    | { readonly kind: 'flow' | 'item'; readonly into: TreeNode[] }
    | {
        readonly kind: 'cell';
        readonly into: TreeNode[];
        readonly node: { rowspan: number };
        readonly outside: OpenMarks;
      }
    | { readonly kind: 'list'; readonly node: ListNode }
    | { readonly kind: 'table'; readonly node: TableNode }
    | { readonly kind: 'row'; readonly node: RowNode }
  );

interface Implied {
  /** Opened by the builder, because something stood where it does not belong; closed by it, too. */
  readonly implied: boolean;
}

/** Preformatted text while it is being collected. */
interface Code {
  readonly pieces: string[];
  language: string;
}

/** A line with what stands beside it, put aside while that is being written. */
interface Line {
  readonly inline: InlineText;
  readonly into: TreeNode[];
}

/** What an aside interrupts. */
interface Outside {
  readonly line: Line | undefined;
  readonly heading: number;
  readonly code: Code | undefined;
  readonly broken: boolean;
  readonly beside: TreeNode[];
  readonly marks: OpenMarks;
  /** How many containers were open. */
  readonly frames: number;
}

const HEADING_DEPTHS = 6;

/** The blocks of an aside are moved once for each aside around it; Word allows none in another. */
const MAX_ASIDES = 10;

/** CommonMark takes at most nine digits in the number of an item. */
const MAX_START = 999_999_999;

export class TreeBuilder {
  readonly #root: TreeNode[] = [];
  readonly #footnotes: FootnoteNode[] = [];
  readonly #frames: Frame[] = [{ kind: 'flow', into: this.#root, implied: false }];
  #open = new OpenMarks();
  #cells = 0;
  /** Depth of the heading that is open, else 0. */
  #heading = 0;
  #line: Line | undefined;
  /** True when the last thing on the line was a line break: a second one ends the paragraph. */
  #broken = false;
  #code: Code | undefined;
  /** Blocks that stand beside the leaf that is open, and come behind it. */
  #beside: TreeNode[] = [];
  readonly #asides: Outside[] = [];

  /** Opens a list. `start` is the number of the first item when it is ordered. */
  openList({ ordered, start = 1 }: { readonly ordered: boolean; readonly start?: number }): void {
    this.#openList(ordered, Number.isInteger(start) && start >= 0 && start <= MAX_START ? start : 1, false);
  }

  /** Opens an item of the list that is open; where none is, of a new one. `label` is shown before it, behind the mark of the list. */
  openItem(label = ''): void {
    this.#endLeaf();
    this.#popImplied('list');
    if (this.#top().kind !== 'list' && !this.#isFull()) this.#openList(false, 1, true);
    const list = this.#top();
    if (list.kind === 'list') this.#pushItem(list.node, false, label);
    else this.#openPhantom();
  }

  /** Opens a quotation. */
  openQuote(): void {
    this.#endLeaf();
    if (this.#isFull()) {
      this.#openPhantom();
      return;
    }
    const children: TreeNode[] = [];
    this.#place().push({ kind: 'quote', children });
    this.#frames.push({ kind: 'flow', into: children, implied: false });
  }

  /** Adds a block that another builder has made. */
  add(node: TreeNode): void {
    this.#endLeaf();
    this.#place().push(node);
  }

  /** Puts a note at the end of the document. {@link footnoteReference} points to it. */
  footnote(label: string, children: readonly TreeNode[]): void {
    this.#footnotes.push({ kind: 'footnote', label, children: [...children] });
  }

  /**
   * Opens what stands beside the line that is being written, as a text box does: its blocks come behind that paragraph, heading or code,
   * which goes on after {@link closeAside}. Asides in more asides than {@link MAX_ASIDES} end it.
   */
  openAside(): void {
    if (this.#asides.length >= MAX_ASIDES) this.#endLeaf();
    const outside = { line: this.#line, heading: this.#heading, code: this.#code, broken: this.#broken };
    const isInLeaf = this.#line !== undefined || this.#code !== undefined || this.#heading > 0;
    const into = isInLeaf ? this.#beside : this.#place();
    this.#asides.push({ ...outside, beside: this.#beside, marks: this.#open, frames: this.#frames.length });
    this.#line = undefined;
    this.#code = undefined;
    this.#heading = 0;
    this.#broken = false;
    this.#beside = [];
    this.#open = new OpenMarks();
    this.#frames.push({ kind: 'flow', into, implied: false });
  }

  closeAside(): void {
    this.#endLeaf();
    const outside = this.#asides.pop();
    if (outside === undefined) return;
    while (this.#frames.length > outside.frames) this.#pop();
    this.#line = outside.line;
    this.#heading = outside.heading;
    this.#code = outside.code;
    this.#broken = outside.broken;
    this.#beside = outside.beside;
    this.#open = outside.marks;
  }

  /**
   * Opens a table; `presentational` when the author declares it to be mere layout, `isFramed` where it is known whether its cells are set off. Gives the table,
   * for those that learn that later; `undefined` where none could be.
   */
  openTable({ presentational = false, isFramed }: TableShape = {}): Pick<TableNode, 'isFramed'> | undefined {
    this.#endLeaf();
    if (this.#isFull()) {
      this.#openPhantom();
      return undefined;
    }
    const node: TableNode = { kind: 'table', presentational, isFramed, caption: [], rows: [] };
    this.#place().push(node);
    this.#frames.push({ kind: 'table', node, implied: false });
    return node;
  }

  /** Opens what is to stand above the table that is open. */
  openCaption(): void {
    this.#endLeaf();
    this.#popImplied('table');
    const table = this.#top();
    this.#frames.push({
      kind: 'flow',
      into: table.kind === 'table' ? table.node.caption : this.#place(),
      implied: false,
    });
  }

  /** Opens a row of the table that is open; `header` in a table head. */
  openRow({ header }: { readonly header: boolean }): void {
    this.#endLeaf();
    this.#popImplied('table');
    this.#pushRow(header, false);
  }

  /** Opens a cell of the row that is open; spans are clamped as browsers do. */
  openCell({ header = false, colspan = 1, rowspan = 1 }: CellShape = {}): void {
    this.#endLeaf();
    this.#popImplied('row');
    if (this.#top().kind === 'table') this.#pushRow(false, true);
    this.#pushCell({ header, colspan, rowspan }, false);
  }

  /** The cell that was opened just now, for those that learn later how far it reaches; `undefined` where no cell could be. */
  get cell(): { rowspan: number } | undefined {
    const top = this.#top();
    return top.kind === 'cell' ? top.node : undefined;
  }

  /** Closes the container that was opened last. */
  close(): void {
    this.#endLeaf();
    this.#popImplied(undefined);
    if (this.#frames.length > 1) this.#pop();
  }

  /** Begins a heading; depth is clamped to 1 to 6. */
  openHeading(depth: number): void {
    this.#endLeaf();
    this.#heading = Math.min(HEADING_DEPTHS, Math.max(1, Math.trunc(depth)));
  }

  closeHeading(): void {
    this.#endLeaf();
  }

  /** Begins preformatted text: until {@link closeCode} text is taken as it is. */
  openCode(language = ''): void {
    this.#endLeaf();
    this.#code = { pieces: [], language };
  }

  /** Names the language of the code that is open, when it is not known yet. */
  nameLanguage(language: string): void {
    if (this.#code?.language === '') this.#code.language = language;
  }

  closeCode(): void {
    this.#endLeaf();
  }

  get isInCode(): boolean {
    return this.#code !== undefined;
  }

  /** True while a heading is open that has text already. */
  get isInFilledHeading(): boolean {
    return this.#heading > 0 && this.#line !== undefined && !this.#line.inline.isBlank;
  }

  /** Ends the paragraph that is being written; in a heading and in code only the line. */
  boundary(): void {
    if (this.#code !== undefined) {
      if (this.#code.pieces.at(-1)?.endsWith('\n') === false) this.#code.pieces.push('\n');
    } else if (this.#heading > 0) this.#line?.inline.space();
    else this.#endLeaf();
  }

  /** Adds text to the paragraph, heading or code that is open; begins a paragraph where none is. */
  text(text: string): void {
    if (this.#code !== undefined) {
      this.#code.pieces.push(text);
      return;
    }
    if (this.#line === undefined && !VISIBLE.test(text)) return;
    if (this.#broken && VISIBLE.test(text)) this.#broken = false;
    this.#inline().text(text);
  }

  /** A line break of the author; two in a row end the paragraph. */
  lineBreak(): void {
    if (this.#code !== undefined) this.#code.pieces.push('\n');
    else if (this.#broken) this.boundary();
    else if (this.#line !== undefined) {
      this.#line.inline.lineBreak();
      this.#broken = true;
    }
  }

  /** An image by its description; one without description is left out. */
  image(alt: string, source: string): void {
    if (alt.trim() === '' || this.#code !== undefined) return;
    this.#broken = false;
    this.#inline().image(alt, source);
  }

  /** The mark of a note in the text. */
  footnoteReference(label: string): void {
    this.#inline().text(`[^${label}]`);
  }

  /** A thematic break. */
  rule(): void {
    this.#endLeaf();
    this.#place().push({ kind: 'rule' });
  }

  /** What follows stands on the next page. */
  pageBreak(): void {
    this.#endLeaf();
    this.#place().push({ kind: 'page' });
  }

  /** Begins an inline mark. A link ends the one that is open. */
  openMark(kind: MarkKind, target = ''): void {
    if (kind === 'link') this.closeMark('link');
    const mark = this.#open.open(kind, target);
    if (mark !== undefined) this.#line?.inline.open(mark);
  }

  /** Ends the inline mark of this kind that was opened last; nothing when none is open. */
  closeMark(kind: MarkKind): void {
    const mark = this.#open.close(kind);
    if (mark !== undefined) this.#line?.inline.close(mark);
  }

  /** The tree, notes at its end. The builder must not be used afterwards. */
  finish(): readonly TreeNode[] {
    while (this.#asides.length > 0) this.closeAside();
    this.#endLeaf();
    this.#frames.length = 1;
    return [...this.#root, ...this.#footnotes];
  }

  #inline(): InlineText {
    this.#line ??= {
      into: this.#place(),
      inline: new InlineText({ inCell: this.#cells > 0, plain: this.#heading > 0, marks: this.#open.all }),
    };
    return this.#line.inline;
  }

  /** Closes the paragraph, heading or code that is open and puts it into the tree, unless it is blank. */
  #endLeaf(): void {
    if (this.#code !== undefined) this.#endCode(this.#code);
    const line = this.#line;
    const depth = this.#heading;
    this.#line = undefined;
    this.#heading = 0;
    this.#broken = false;
    if (line !== undefined && !line.inline.isBlank) this.#endLine(line, depth);
    if (this.#beside.length === 0) return;
    const into = line?.into ?? this.#place();
    for (const node of this.#beside) into.push(node);
    this.#beside = [];
  }

  #endLine({ inline, into }: Line, depth: number): void {
    const { isImage } = inline;
    const text = inline.finish();
    if (text === '') return;
    if (depth > 0) into.push({ kind: 'heading', depth, text });
    else into.push({ kind: isImage ? 'image' : 'paragraph', text });
  }

  #endCode({ pieces, language }: Code): void {
    this.#code = undefined;
    const text = pieces
      .join('')
      .replace(/\r\n?/g, '\n')
      .replace(/[\0\ufeff]/g, '')
      .replace(/^(?:[\t ]*\n)+/, '')
      .trimEnd();
    if (text !== '') this.#place().push({ kind: 'code', text, language });
  }

  #top(): Frame {
    return this.#frames.at(-1) ?? { kind: 'flow', into: this.#root, implied: true };
  }

  #isFull(): boolean {
    return this.#frames.length > MAX_DEPTH;
  }

  /** Where a block goes now. Opens the item, row or cell that is missing. */
  #place(): TreeNode[] {
    if (this.#top().kind === 'list' && this.#top().implied) this.#pop();
    if (this.#top().kind === 'table') this.#pushRow(false, true);
    const top = this.#top();
    if (top.kind === 'list') return this.#pushItem(top.node, true);
    if (top.kind === 'row') return this.#pushCell({}, true);
    return top.kind === 'table' ? [] : top.into;
  }

  #openList(ordered: boolean, start: number, implied: boolean): void {
    this.#endLeaf();
    if (this.#isFull()) {
      this.#openPhantom();
      return;
    }
    const node: ListNode = { kind: 'list', ordered, start, children: [] };
    this.#place().push(node);
    this.#frames.push({ kind: 'list', node, implied });
  }

  /** What stands in a list but in no item belongs to the item before it. */
  #pushItem(list: ListNode, implied: boolean, label = ''): TreeNode[] {
    let item: ItemNode | undefined = implied ? list.children.at(-1) : undefined;
    if (item === undefined)
      list.children.push((item = { kind: 'item', ...(label !== '' && { label }), children: [] }));
    this.#frames.push({ kind: 'item', into: item.children, implied });
    return item.children;
  }

  #pushRow(header: boolean, implied: boolean): void {
    const table = this.#top();
    if (table.kind !== 'table') {
      this.#openPhantom();
      return;
    }
    const node: RowNode = { kind: 'row', header, cells: [] };
    table.node.rows.push(node);
    this.#frames.push({ kind: 'row', node, implied });
  }

  #pushCell({ header = false, colspan = 1, rowspan = 1 }: CellShape, implied: boolean): TreeNode[] {
    const row = this.#top();
    if (row.kind !== 'row') return this.#openPhantom();
    const children: TreeNode[] = [];
    const node = {
      kind: 'cell',
      header,
      colspan: clamp(colspan, MAX_COLSPAN),
      rowspan: clamp(rowspan, MAX_ROWSPAN),
      children,
    } as const;
    row.node.cells.push(node);
    this.#frames.push({ kind: 'cell', into: children, node, implied, outside: this.#open });
    this.#open = new OpenMarks();
    this.#cells++;
    return children;
  }

  /** Stands for a container that cannot be where it is, or is too deep: its blocks go to the one around it. */
  #openPhantom(): TreeNode[] {
    const into = this.#place();
    this.#frames.push({ kind: 'flow', into, implied: false });
    return into;
  }

  /** Closes implied frames, down to one of the given kind. */
  #popImplied(kind: 'list' | 'table' | 'row' | undefined): void {
    while (this.#top().implied && this.#frames.length > 1 && this.#top().kind !== kind) this.#pop();
  }

  #pop(): void {
    const frame = this.#frames.pop();
    if (frame?.kind !== 'cell') return;
    this.#open = frame.outside;
    this.#cells--;
  }
}

/** What is known of a table before its rows. */
export interface TableShape {
  readonly presentational?: boolean;
  readonly isFramed?: boolean | undefined;
}

/** How a cell stands in its table. */
export interface CellShape {
  readonly header?: boolean;
  /** Columns it covers; 1 when absent or not a positive number. */
  readonly colspan?: number;
  /** Rows it covers; 1 when absent or not a positive number. */
  readonly rowspan?: number;
}

/** What begins a paragraph: anything but white space that collapses. */
const VISIBLE = /[^\t\n\f\r ]/;

function clamp(value: number, max: number): number {
  return value >= 1 ? Math.min(max, Math.trunc(value)) : 1;
}
