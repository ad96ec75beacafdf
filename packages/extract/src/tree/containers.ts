// The containers that are open while a tree is built: lists and their items, tables with rows and cells, quotations.
// Opens missing ones around a misplaced block (an item without a list, text between rows), and bounds their depth.
import type { WithGlyphs } from './glyphs.ts';
import { OpenMarks } from './marks.ts';
import {
  MAX_COLSPAN,
  MAX_DEPTH,
  MAX_ROWSPAN,
  MAX_START,
  type ItemNode,
  type ListNode,
  type RegionNode,
  type RowNode,
  type TableNode,
  type TreeNode,
} from './node.ts';

/** An open container. `into` takes its blocks; lists, tables and rows have none of their own. */
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
  /** Opened here for misplaced content, and closed here. */
  readonly implied: boolean;
}

/** The facts of a list before its items. */
export interface ListShape {
  readonly ordered: boolean;
  readonly isOfTerms?: boolean;
  /** Number of the first item of an ordered list; 1 when absent or no number that Markdown knows. */
  readonly start?: number;
}

/** The facts of a table before its rows. */
export interface TableShape {
  readonly presentational?: boolean;
  readonly isFramed?: boolean | undefined;
  readonly list?: TableNode['list'];
}

/** The section of a row in its table. */
export interface RowShape {
  readonly header: boolean;
  readonly footer?: boolean;
}

/** The shape of a cell in its table. */
export interface CellShape {
  readonly header?: boolean;
  /** Columns it covers; 1 when absent or not a positive number. */
  readonly colspan?: number;
  /** Rows it covers; 1 when absent or not a positive number. */
  readonly rowspan?: number;
}

/**
 * Stack of open containers, the document at its bottom. The cost of a call is linear in the containers that it opens or
 * closes.
 */
export class Containers {
  /** Inline marks that are open: those of a cell are its own. */
  marks = new OpenMarks();
  /** The mark of leaves that begin now. */
  mark: WithGlyphs | undefined;
  readonly #frames: Frame[];
  #cells = 0;

  /** @param root takes the blocks outside all containers */
  constructor(root: TreeNode[]) {
    this.#frames = [{ kind: 'flow', into: root, implied: false }];
  }

  /** Number of open containers, the document included. */
  get depth(): number {
    return this.#frames.length;
  }

  get isInCell(): boolean {
    return this.#cells > 0;
  }

  /** The cell that was opened last, when nothing in it is open. */
  get cell(): { rowspan: number } | undefined {
    const top = this.#top();
    return top.kind === 'cell' ? top.node : undefined;
  }

  /** The target of the next block. Opens a missing item, row or cell. */
  place(): TreeNode[] {
    if (this.#top().kind === 'list' && this.#top().implied) this.#pop();
    if (this.#top().kind === 'table') this.#pushRow({ header: false }, true);
    const top = this.#top();
    if (top.kind === 'list') return this.#pushItem(top.node, true).children;
    if (top.kind === 'row') return this.#pushCell({}, true);
    return top.kind === 'table' ? [] : top.into;
  }

  openList({ start = 1, ...shape }: ListShape): void {
    const isNumber = Number.isInteger(start) && start >= 0 && start <= MAX_START;
    this.#pushList({ ...shape, start: isNumber ? start : 1 }, false);
  }

  openItem(label: string): ItemNode | undefined {
    this.#popImplied('list');
    if (this.#top().kind !== 'list' && !this.#isFull()) this.#pushList({ ordered: false }, true);
    const list = this.#top();
    if (list.kind === 'list') return this.#pushItem(list.node, false, label);
    this.#pushPhantom();
    return undefined;
  }

  openQuote(): void {
    this.#openAround((children) => ({ kind: 'quote', children }));
  }

  openRegion(label: RegionNode['label']): void {
    this.#openAround((children) => ({ kind: 'region', label, children }));
  }

  #openAround(nodeOf: (children: TreeNode[]) => TreeNode): void {
    if (this.#isFull()) {
      this.#pushPhantom();
      return;
    }
    const children: TreeNode[] = [];
    this.place().push(nodeOf(children));
    this.openFlow(children);
  }

  /** Opens a container that is no block itself. */
  openFlow(into: TreeNode[]): void {
    this.#frames.push({ kind: 'flow', into, implied: false });
  }

  openTable({ presentational = false, ...shape }: TableShape): TableNode | undefined {
    if (this.#isFull()) {
      this.#pushPhantom();
      return undefined;
    }
    const node: TableNode = { kind: 'table', presentational, ...shape, caption: [], rows: [] };
    this.place().push(node);
    this.#frames.push({ kind: 'table', node, implied: false });
    return node;
  }

  openCaption(): void {
    this.#popImplied('table');
    const table = this.#top();
    this.openFlow(table.kind === 'table' ? table.node.caption : this.place());
  }

  openRow(shape: RowShape): void {
    this.#popImplied('table');
    this.#pushRow(shape, false);
  }

  openCell(shape: CellShape): void {
    this.#popImplied('row');
    if (this.#top().kind === 'table') this.#pushRow({ header: false }, true);
    this.#pushCell(shape, false);
  }

  /** Closes the container opened last, never the document. */
  close(): void {
    this.#popImplied(undefined);
    if (this.#frames.length > 1) this.#pop();
  }

  /** Closes all but so many. */
  closeTo(depth: number): void {
    while (this.#frames.length > depth) this.#pop();
  }

  #top(): Frame {
    return this.#frames.at(-1) ?? { kind: 'flow', into: [], implied: true };
  }

  #isFull(): boolean {
    return this.#frames.length > MAX_DEPTH;
  }

  #pushList({ ordered, isOfTerms = false, start = 1 }: ListShape, implied: boolean): void {
    if (this.#isFull()) {
      this.#pushPhantom();
      return;
    }
    const node: ListNode = { kind: 'list', ordered, isOfTerms, start, children: [] };
    this.place().push(node);
    this.#frames.push({ kind: 'list', node, implied });
  }

  /** Content of a list outside its items belongs to the item before. */
  #pushItem(list: ListNode, implied: boolean, label = ''): ItemNode {
    let item: ItemNode | undefined = implied ? list.children.at(-1) : undefined;
    if (item === undefined)
      list.children.push((item = { kind: 'item', ...(label !== '' && { label }), children: [] }));
    this.#frames.push({ kind: 'item', into: item.children, implied });
    return item;
  }

  #pushRow({ header, footer = false }: RowShape, implied: boolean): void {
    const table = this.#top();
    if (table.kind !== 'table') {
      this.#pushPhantom();
      return;
    }
    const node: RowNode = { kind: 'row', header, ...(footer && { footer }), cells: [] };
    table.node.rows.push(node);
    this.#frames.push({ kind: 'row', node, implied });
  }

  #pushCell({ header = false, colspan = 1, rowspan = 1 }: CellShape, implied: boolean): TreeNode[] {
    const row = this.#top();
    if (row.kind !== 'row') return this.#pushPhantom();
    const children: TreeNode[] = [];
    const node = {
      kind: 'cell',
      header,
      colspan: clamp(colspan, MAX_COLSPAN),
      rowspan: clamp(rowspan, MAX_ROWSPAN),
      children,
    } as const;
    row.node.cells.push(node);
    this.#frames.push({ kind: 'cell', into: children, node, implied, outside: this.marks });
    this.marks = new OpenMarks();
    this.#cells++;
    return children;
  }

  /** Stands for a misplaced or too deep container: its blocks go to the one around it. */
  #pushPhantom(): TreeNode[] {
    const into = this.place();
    this.openFlow(into);
    return into;
  }

  /** Closes implied containers, down to one of the given kind. */
  #popImplied(kind: 'list' | 'table' | 'row' | undefined): void {
    while (this.#top().implied && this.#frames.length > 1 && this.#top().kind !== kind) this.#pop();
  }

  /**
   * An item that holds nothing but lists, as editors nest them, has them below the item before it; a list of terms has
   * content of its own.
   */
  #joinNested(): void {
    const list = this.#top();
    if (list.kind !== 'list' || list.node.ordered) return;
    const [before, last] = list.node.children.slice(-2);
    if (before === undefined || last === undefined || last.label !== undefined) return;
    const isList = (node: TreeNode): boolean => node.kind === 'list' && node.isOfTerms !== true;
    if (last.children.length === 0 || !last.children.every(isList)) return;
    list.node.children.pop();
    before.children.push(...last.children);
  }

  #pop(): void {
    const frame = this.#frames.pop();
    if (frame?.kind === 'item' && !frame.implied) this.#joinNested();
    if (frame?.kind === 'table') putFootersLast(frame.node.rows);
    if (frame?.kind !== 'cell') return;
    this.marks = frame.outside;
    this.#cells--;
  }
}

function putFootersLast(rows: RowNode[]): void {
  const isFooter = ({ footer = false }: RowNode): boolean => footer;
  if (rows.some(isFooter)) rows.sort((one, other) => Number(isFooter(one)) - Number(isFooter(other)));
}

function clamp(value: number, max: number): number {
  return value >= 1 ? Math.min(max, Math.trunc(value)) : 1;
}
