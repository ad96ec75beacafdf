// Lists and the lines that announce them: a chunk that begins inside a list may have lost the line before it.
import type { Block, Span } from '../../document.ts';

/** A list that is announced. */
interface Announced extends Span {
  /** The block that announces it. */
  readonly by: Block;
  /** Index of the announced list around it, or -1. */
  readonly parent: number;
}

/** Levels of a nested list that are looked at. */
const MOST_LEVELS = 4;

/** The lead-ins of one document's lists, to be asked for with ascending offsets. Linear, however lists nest. */
export class LeadIns {
  private readonly lists: Announced[] = [];
  private next = 0;
  private open = -1;

  constructor(text: string, blocks: readonly Block[]) {
    const pending: { block: Block; before: Block | undefined; isNested: boolean; parent: number }[] = [];
    const pushAll = (children: readonly Block[], isNested: boolean, parent: number): void => {
      for (let index = children.length - 1; index >= 0; index--) {
        const block = children[index];
        if (block !== undefined) pending.push({ block, before: children[index - 1], isNested, parent });
      }
    };
    pushAll(blocks, false, -1);
    for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
      const { block, before, isNested } = entry;
      let { parent } = entry;
      if (block.kind === 'list' && before?.kind === 'paragraph' && (isNested || announces(text, before)))
        parent = this.lists.push({ start: block.start, end: block.end, by: before, parent }) - 1;
      if (block.children !== undefined) pushAll(block.children, block.kind === 'item', parent);
    }
  }

  /** The blocks that announce the lists around an offset, the outermost first. */
  over(at: number): Block[] {
    const { lists } = this;
    while ((lists[this.next]?.start ?? Infinity) <= at) this.open = this.next++;
    // A list that is left is never met again: what comes later begins behind it.
    while ((lists[this.open]?.end ?? Infinity) <= at) this.open = lists[this.open]?.parent ?? -1;
    const found: Block[] = [];
    for (
      let list = lists[this.open];
      list !== undefined && found.length < MOST_LEVELS;
      list = lists[list.parent]
    )
      found.push(list.by);
    return found.reverse();
  }
}

function announces(text: string, { start, end }: Block): boolean {
  return /[:：]\s*$/.test(text.slice(Math.max(start, end - 3), end));
}
