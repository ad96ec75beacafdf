// Lists and the lines that announce them. A chunk that begins inside a list may have lost the line before it.
import { endsInColon } from '../../blocks/lines.ts';
import type { Block, Span } from '../../document.ts';

/** A list with the block that announces it, and the index of the next announced list around it, or -1. */
interface AnnouncedList extends Span {
  readonly by: Block;
  readonly parent: number;
}

/** Most levels of a nested list that are looked at. */
const MOST_LEVELS = 4;

/**
 * Returns a function that gives the blocks which announce the lists around an offset and end before it, outermost
 * first. A list is announced by a line that ends in a colon or, inside an item, by the line of that item. To be called
 * with ascending offsets. Linear, however deep lists nest.
 */
export function leadIns(text: string, blocks: readonly Block[]): (at: number) => Block[] {
  const lists = announcedLists(text, blocks);
  let next = 0;
  let open = -1;
  return (at) => {
    while ((lists[next]?.start ?? Infinity) <= at) open = next++;
    // A list that has been left is never entered again, because later offsets are behind it.
    while ((lists[open]?.end ?? Infinity) <= at) open = lists[open]?.parent ?? -1;
    const found: Block[] = [];
    for (let list = lists[open]; list !== undefined && found.length < MOST_LEVELS; list = lists[list.parent])
      found.push(list.by);
    return found.reverse();
  };
}

/** The announced lists in the order of the text. Uses a stack, since nothing bounds how deep lists nest. */
function announcedLists(text: string, blocks: readonly Block[]): AnnouncedList[] {
  const lists: AnnouncedList[] = [];
  const pending: (readonly [block: Block, before: Block | undefined, isInItem: boolean, parent: number])[] =
    [];
  const push = (children: readonly Block[] = [], isInItem: boolean, parent: number): void => {
    for (let index = children.length - 1; index >= 0; index--) {
      const block = children[index];
      if (block !== undefined) pending.push([block, children[index - 1], isInItem, parent]);
    }
  };
  push(blocks, false, -1);
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    const [{ kind, start, end, children }, by, isInItem, around] = entry;
    const isAnnounced =
      kind === 'list' && by?.kind === 'paragraph' && (isInItem || endsInColon(text, by.start, by.end));
    const parent = isAnnounced ? lists.push({ start, end, by, parent: around }) - 1 : around;
    push(children, kind === 'item', parent);
  }
  return lists;
}
