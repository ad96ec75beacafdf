// The block tree under construction: the open containers, and the leaf that each mark belongs to. Its leaves cover
// every mark: a block starts with the first mark on its line, marks on a line of their own (`>`) go to the leaf before
// them in the same quote, and a container with nothing behind its mark (`-`) becomes a leaf.
import type { Block } from '../document.ts';

type Moving = Omit<Block, 'children'>;

/** A block under construction, whose end still moves. */
export type GrowingBlock = { -readonly [Key in keyof Moving]: Moving[Key] } & { children?: GrowingBlock[] };

/** A paragraph that is [start, end). */
export function paragraph(start: number, end: number): GrowingBlock {
  return { kind: 'paragraph', start, end };
}

/** A container that later lines may continue. */
export interface Container {
  readonly block: GrowingBlock;
  /** The character that marks it: `>` of a quote, `[` of a footnote, `-` `*` `+` `.` `)` of a list and of its items. */
  readonly mark: number;
  /** Columns by which the content of an item or footnote is indented, counted from the container around it. */
  readonly indent: number;
}

/** Most nested containers; deeper text goes to a leaf, so that every input takes linear time. */
export const MAX_DEPTH = 100;

/** Collects blocks as they are appended, and keeps containers open until they are closed. */
export class BlockTree {
  readonly blocks: GrowingBlock[] = [];
  /** Open containers, outermost first. */
  readonly open: Container[] = [];
  /** Start of marks that no leaf covers yet, -1 when there are none. */
  #unclaimed = -1;

  /** Appends a leaf that starts with the line whose first mark stands at `lineStart`. */
  addLeaf(leaf: GrowingBlock, lineStart: number): void {
    leaf.start = this.#unclaimed === -1 ? lineStart : this.#unclaimed;
    this.#unclaimed = -1;
    this.append(leaf);
  }

  /** Appends a block unchanged. */
  append(block: GrowingBlock): void {
    const around = this.open.at(-1)?.block;
    if (around === undefined) this.blocks.push(block);
    // Most containers have one child, and an empty array that is pushed to takes room for seventeen.
    else if (around.children === undefined) around.children = [block];
    else around.children.push(block);
  }

  /** Replaces the block appended last by at least one other. */
  replaceLast(others: readonly GrowingBlock[]): void {
    const siblings = this.open.at(-1)?.block.children ?? this.blocks;
    siblings.pop();
    for (const other of others) siblings.push(other);
  }

  /** Appends a container, which takes the following blocks until its end. `lineStart` is as in {@link addLeaf}. */
  openContainer(block: GrowingBlock, mark: number, indent: number, lineStart: number): void {
    if (this.#unclaimed === -1) this.#unclaimed = lineStart;
    block.start = this.#unclaimed;
    this.append(block);
    this.open.push({ block, mark, indent });
  }

  /** Closes the innermost containers until `count` stay open. */
  closeTo(count: number): void {
    while (this.open.length > count) {
      const block = this.open.pop()?.block;
      if (block === undefined) return;
      const last = block.children?.at(-1);
      if (last === undefined) this.#unclaimed = -1;
      else block.end = last.end;
      if (block.kind === 'footnote' && isParagraph(block.children)) delete block.children;
    }
  }

  /** Gives marks that end at `end`, alone on their line in container number `index`, to the leaf before them. */
  claimMarks(index: number, end: number): void {
    let block = this.open[index]?.block;
    while (block !== undefined) {
      block.end = end;
      block = block.children?.at(-1);
    }
  }
}

function isParagraph(children: readonly GrowingBlock[] | undefined): boolean {
  return children?.length === 1 && children[0]?.kind === 'paragraph' && children[0].form === undefined;
}
