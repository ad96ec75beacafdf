// Tree → Markdown text with the blocks and pages that point into it. One pass with a stack of its own: time and
// memory are linear in the tree, and depth costs nothing but its marks.
import type { Block, BlockKind, Link } from '@grainline/core';
import { isLayout, listOf, isSections, partsOf, withoutBlankColumns, type TablePart } from './frame.ts';
import { layOut, type Grid } from './grid.ts';
import { markdownOf } from './leaf-text.ts';
import { LinkTargets, LinkWriter, offsetIn, prefixed, type LinkStyle, type WrittenText } from './links.ts';
import type { ItemNode, ListNode, RowNode, TableNode, TreeNode } from './node.ts';
import { glyphsWithin } from './cell.ts';
import type { GlyphRange } from './glyphs.ts';
import type { TextPlaces } from './placement.ts';

/** The text of a tree; offsets as everywhere, see core's Document. */
export interface Serialised {
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Start of each page, the first being 0; empty when the tree has no pages. */
  readonly pages: readonly number[];
  /** In order; empty when links are Markdown. */
  readonly links: readonly Link[];
}

/** The facts about a tree besides its nodes. */
export interface TreeFacts {
  /** Those that the builders of the tree took. */
  readonly targets?: LinkTargets;
  /** Default `data`. */
  readonly links?: LinkStyle | undefined;
  /** Marks a tree with pages even without any page break: then it has one. */
  readonly isPaged?: boolean;
  /** Takes the places of the text, when they are wanted. */
  readonly placement?: TextPlaces | undefined;
}

/** A block whose end, and perhaps start, is not known yet. */
interface OpenBlock {
  readonly kind: BlockKind;
  readonly depth?: number;
  readonly language?: string;
  readonly ordered?: true;
  readonly first?: number;
  readonly header?: true;
  readonly columnSpan?: number;
  readonly rowSpan?: number;
  page?: number;
  /** -1 while empty. */
  start: number;
  end: number;
  children?: OpenBlock[];
}

/** The entries of the stack: nodes of the tree, items with their mark, and laid-out tables. */
type Writable =
  TreeNode | { readonly kind: 'marked'; readonly mark: string; readonly item: ItemNode } | GridNode;

interface GridNode {
  readonly kind: 'grid';
  readonly grid: Grid;
}

/** The document, a container, or a run of nodes that has no block of its own. */
interface Frame {
  readonly nodes: readonly Writable[];
  next: number;
  /** The prefix of its first line: the mark of an item. */
  readonly first: string;
  /** The prefix of its other lines, including that of the containers around it. */
  readonly rest: string;
  /** No blank lines between its blocks. */
  readonly tight: boolean;
  /** Nesting of lists, from 1; 0 outside lists. */
  readonly listDepth: number;
  readonly block: OpenBlock | undefined;
  /** The characters of its mark. */
  readonly glyphs?: readonly GlyphRange[] | undefined;
}

const BULLET = '- ';

/** Deeper containers are not indented further, so that the indentation of a line never outweighs its text by far. */
const MAX_REST = 24;

/** Writes a tree. */
export function serialise(
  tree: readonly TreeNode[],
  { targets = new LinkTargets(), links = 'data', isPaged = false, placement }: TreeFacts = {},
): Serialised {
  const root: Frame = {
    nodes: tree,
    next: 0,
    first: '',
    rest: '',
    tight: false,
    listDepth: 0,
    block: undefined,
  };
  const frames: Frame[] = [root];
  const writer = new Writer(new LinkWriter(targets, links), placement);
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const node = frame.nodes[frame.next++];
    if (node === undefined) {
      frames.pop();
      if (frame.block !== undefined && frame.block.start !== -1) writer.endContainer(frame.block, frames);
    } else if (node.kind === 'page') writer.breakPage();
    else {
      const inside = enter(node, frame);
      if (inside === undefined) writer.writeLeaf(node, frames);
      else frames.push(...inside);
    }
  }
  return writer.finish(isPaged);
}

/** The frames of a container, the one to be written first at the end; `undefined` for a leaf. */
function enter(node: Writable, frame: Frame): Frame[] | undefined {
  switch (node.kind) {
    case 'list':
      return [isSections(node) ? enterSections(node, frame) : enterList(node, frame)];
    case 'marked': {
      const rest = ' '.repeat(node.mark.length);
      const { children, label } = labelledItem(node.item);
      const shape = { kind: 'item', first: node.mark + label, rest, tight: frame.tight } as const;
      return [{ ...container(frame, children, shape), glyphs: node.item.glyphs }];
    }
    case 'quote':
      return [container(frame, node.children, { kind: 'quote', first: '> ', rest: '> ' })];
    case 'table': {
      const list = listOf(node);
      return list === undefined ? enterTable(node, frame) : [enterList(list, frame)];
    }
    default:
      return undefined;
  }
}

/**
 * The content of an item, and the text behind its mark: a label before any block but text is a line of its own, or it
 * would break that block.
 */
function labelledItem({ label = '', children }: ItemNode): { children: readonly TreeNode[]; label: string } {
  const kind = children[0]?.kind ?? 'paragraph';
  if (label === '' || kind === 'paragraph' || kind === 'image') return { children, label };
  return { children: [{ kind: 'paragraph', text: label.trim() }, ...children], label: '' };
}

interface ContainerShape {
  readonly kind: BlockKind;
  readonly first: string;
  readonly rest: string;
  readonly tight?: boolean;
  /** The facts of a list. */
  readonly list?: { readonly depth: number; readonly ordered?: true; readonly first?: number };
}

function container(around: Frame, nodes: readonly Writable[], shape: ContainerShape): Frame {
  const { kind, first, rest, tight = false, list } = shape;
  return {
    nodes,
    next: 0,
    first,
    rest: around.rest.length < MAX_REST ? around.rest + rest : around.rest,
    tight,
    listDepth: list?.depth ?? around.listDepth,
    block: { kind, start: -1, end: -1, children: [], ...list },
  };
}

function enterList(list: ListNode, around: Frame): Frame {
  const items = list.children.map((item, index) => {
    return { kind: 'marked', mark: list.ordered ? `${list.start + index}. ` : BULLET, item } as const;
  });
  const shape = {
    depth: around.listDepth + 1,
    ...(list.ordered ? ({ ordered: true } as const) : undefined),
    ...(list.ordered && list.start !== 1 ? { first: list.start } : undefined),
  };
  return container(around, items, { kind: 'list', first: '', rest: '', tight: isTight(list), list: shape });
}

/** Sections are blocks of the container around them. */
function enterSections({ children }: ListNode, around: Frame): Frame {
  const nodes = children.flatMap((item) => item.children);
  return { ...around, nodes, next: 0, first: '', tight: false, block: undefined };
}

/** Items of one paragraph, perhaps with lists below it, need no blank lines between them. */
function isTight({ children }: ListNode): boolean {
  return children.every((item) =>
    item.children
      .filter(({ kind }) => kind !== 'page')
      .every(
        ({ kind }, index) => kind === 'list' || (index === 0 && (kind === 'paragraph' || kind === 'image')),
      ),
  );
}

/**
 * A table of values is written as rows, below its caption, and begins anew below each heading row; the cells of a
 * layout table are blocks of the container around it.
 */
function enterTable(whole: TableNode, around: Frame): Frame[] {
  const table = withoutBlankColumns(whole);
  const frame = { ...around, next: 0, first: '', tight: false, block: undefined };
  const below = (above: readonly TreeNode[], nodes: readonly Writable[]): Frame[] => [
    { ...frame, nodes },
    { ...frame, nodes: above },
  ];
  if (isLayout(table)) {
    const cells = table.rows.flatMap(({ cells, startsPage }): TreeNode[] => [
      ...(startsPage === true ? [{ kind: 'page' } as const] : []),
      ...cells.flatMap(({ children }) => children),
    ]);
    return below(table.caption, cells);
  }
  return below(table.caption, layOutSections(table));
}

/**
 * The parts of a table with the headings above them; all parts below names of columns that no other part has are one
 * part.
 */
function layOutSections(table: TableNode): Writable[] {
  const lay = (rows: RowNode[]): GridNode => ({ kind: 'grid', grid: layOut({ ...table, rows }) });
  const parts = partsOf(table);
  const grids = parts.map(({ rows }) => lay(rows));
  const headingsOf = ({ titles }: TablePart): TreeNode[] =>
    titles.flatMap(({ cells }) => cells.flatMap(({ children }) => children));
  const [first, ...others] = parts;
  const [named, ...further] = grids.map(({ grid }) => grid.headers > 0);
  if (first !== undefined && named === true && further.includes(false)) {
    const rows = [...first.rows, ...others.flatMap((part) => [...part.titles, ...part.rows])];
    return [...headingsOf(first), lay(rows)];
  }
  return parts.flatMap((part, index) => [...headingsOf(part), ...grids.slice(index, index + 1)]);
}

class Writer {
  readonly #pieces: string[] = [];
  #length = 0;
  readonly #pages: number[] = [0];
  /** Page breaks since the last leaf. */
  #breaks = 0;
  readonly #blocks: OpenBlock[] = [];
  /** Blocks before the first page break: it is still open if they are on page 1 or the document has no pages. */
  readonly #unpaged: OpenBlock[] = [];
  readonly #links: LinkWriter;
  readonly #placement: TextPlaces | undefined;
  /** The marks before the next leaf, and the characters that they were made of. */
  #marks = '';
  #marked: readonly GlyphRange[] = [];

  constructor(links: LinkWriter, placement: TextPlaces | undefined) {
    this.#links = links;
    this.#placement = placement;
  }

  breakPage(): void {
    this.#breaks++;
  }

  endContainer(block: OpenBlock, frames: readonly Frame[]): void {
    block.end = this.#length;
    this.#addTo(frames, block);
  }

  writeLeaf(node: Writable, frames: readonly Frame[]): void {
    const rest = frames.at(-1)?.rest ?? '';
    if (node.kind === 'grid') {
      this.#writeGrid(node.grid, frames, rest);
      return;
    }
    const leaf =
      'text' in node || node.kind === 'rule' || node.kind === 'footnote' ? markdownOf(node) : undefined;
    if (leaf === undefined) return;
    const start = this.#begin(frames);
    const text = this.#length;
    const indented = (some: string): string => (rest === '' ? some : some.replaceAll('\n', `\n${rest}`));
    const written = this.#put(indented(leaf.text));
    if (this.#placement !== undefined) {
      const { glyphs = [] } = glyphsWithin('text' in node || node.kind === 'footnote' ? [node] : []) ?? {};
      const ranges = this.#marked.length === 0 ? glyphs : [...this.#marked, ...glyphs];
      this.#placement.add(start, prefixed(this.#marks, written), ranges);
    }
    this.#addTo(frames, this.#paged({ ...leaf.shape, start, end: this.#length }));
    if (node.kind === 'paragraph' && node.pageBreak !== undefined)
      this.#pages.push(text + offsetIn(written, indented(node.text.slice(0, node.pageBreak))));
  }

  finish(isPaged: boolean): Serialised {
    for (; this.#breaks > 0; this.#breaks--) this.#pages.push(this.#length);
    const hasPages = isPaged || this.#pages.length > 1;
    if (hasPages) for (const block of this.#unpaged) block.page = 1;
    return {
      // A lone surrogate (a broken character reference) becomes one unit of U+FFFD: offsets stay.
      text: this.#pieces.join('').toWellFormed(),
      blocks: this.#blocks,
      pages: hasPages ? this.#pages : [],
      links: this.#links.links,
    };
  }

  #put(marked: string): WrittenText {
    const written = this.#links.write(marked, this.#length);
    this.#pieces.push(written.text);
    this.#length += written.text.length;
    return written;
  }

  #addTo(frames: readonly Frame[], block: OpenBlock): void {
    const around = frames.findLast((frame) => frame.block !== undefined);
    (around?.block?.children ?? this.#blocks).push(block);
  }

  #paged(block: OpenBlock): OpenBlock {
    if (this.#pages.length > 1) block.page = this.#pages.length;
    else this.#unpaged.push(block);
    return block;
  }

  /**
   * Writes the separator between a leaf and the one before, and the marks of the containers that begin with the leaf,
   * and returns the offset at which all of them start: the first character that is not blank.
   */
  #begin(frames: readonly Frame[]): number {
    const common = frames.findLastIndex(
      ({ block }, index) => index === 0 || (block !== undefined && block.start !== -1),
    );
    const fresh = frames.slice(common + 1);
    const { rest = '', tight = false } = frames[common] ?? {};
    const gap = this.#length === 0 ? '' : tight ? '\n' : `\n${rest.trimEnd()}\n`;
    const prefix = gap + rest + fresh.map(({ first }) => first).join('');
    const start = this.#length + prefix.length - prefix.trimStart().length;
    this.#put(prefix);
    if (this.#placement !== undefined) {
      this.#marks = prefix.trimStart();
      this.#marked = fresh.flatMap(({ glyphs = [] }) => glyphs);
    }
    for (; this.#breaks > 0; this.#breaks--) this.#pages.push(start);
    for (const { block } of fresh) {
      if (block === undefined) continue;
      block.start = start;
      this.#paged(block);
    }
    return start;
  }

  /**
   * Rows of a GFM table. The line of dashes belongs to the last cell of the first row, which is no header when the
   * table has none: an empty header would be noise in the text.
   */
  #writeGrid({ rows, headers, pageStarts }: Grid, frames: readonly Frame[], rest: string): void {
    const width = rows[0]?.length ?? 0;
    if (width === 0) return;
    const dashes = `\n${rest}|${' --- |'.repeat(width)}`;
    const table: OpenBlock = { kind: 'table', start: this.#begin(frames), end: -1, children: [] };
    this.#paged(table);
    for (const [index, cells] of rows.entries()) {
      const start = index === 0 ? table.start : this.#length + 1 + rest.length - rest.trimStart().length;
      if (index > 0) this.#put(`\n${rest}`);
      for (let count = pageStarts[index] ?? 0; count > 0; count--) this.#pages.push(start);
      table.children?.push(this.#writeRow(cells, start, index < headers, index === 0 ? dashes : ''));
    }
    table.end = this.#length;
    this.#addTo(frames, table);
    this.#breaks += pageStarts[rows.length] ?? 0;
  }

  /**
   * A row. A position that a span covers becomes an empty cell, and belongs to the cell before it, else to the one
   * behind.
   */
  #writeRow(cells: Grid['rows'][number], start: number, isHeader: boolean, after: string): OpenBlock {
    const children: OpenBlock[] = [];
    const header = isHeader ? ({ header: true } as const) : undefined;
    const row = this.#paged({ kind: 'row', start, end: -1, ...header, children });
    for (const [column, cell] of cells.entries()) {
      const from = children.length === 0 ? start : this.#length;
      this.#put('| ');
      const text = this.#length;
      const written = this.#put(cell?.text ?? '');
      this.#put(` ${column === cells.length - 1 ? `|${after}` : ''}`);
      if (this.#placement !== undefined && cell !== undefined)
        this.#placement.add(text, written, glyphsWithin(cell.children)?.glyphs ?? []);
      const last = children.at(-1);
      if (cell !== undefined) {
        const { columnSpan, rowSpan, pageBreak } = cell;
        const spans = {
          ...(columnSpan > 1 ? { columnSpan } : undefined),
          ...(rowSpan > 1 ? { rowSpan } : undefined),
        };
        children.push(this.#paged({ kind: 'cell', start: from, end: this.#length, ...spans }));
        if (pageBreak !== undefined)
          this.#pages.push(text + offsetIn(written, cell.text.slice(0, pageBreak)));
      } else if (last !== undefined) last.end = this.#length;
    }
    row.end = this.#length;
    return row;
  }
}
