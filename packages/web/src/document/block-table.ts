// The block tree of a document as arrays of numbers, which travel between worker and page. A block stands before its
// children.
import { BLOCK_KINDS, type Block, type BlockForm, type BlockKind } from '@grainline/core';

/** Blocks by their index in the arrays. All offsets are in UTF-16 units of the text. */
export interface BlockTable {
  /** Indexes in `BLOCK_KINDS`. */
  readonly kinds: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** The part of a heading, a cell or code without its marks; of other blocks the whole. */
  readonly contentStarts: Uint32Array;
  readonly contentEnds: Uint32Array;
  /** Index of the parent; -1 at the top. */
  readonly parents: Int32Array;
  /** Level of a heading from 1; of other blocks 0. */
  readonly levels: Uint8Array;
  /** Further members of the blocks that have some. */
  readonly details: ReadonlyMap<number, BlockDetails>;
}

/** Members that few blocks have. */
export type BlockDetails = Partial<Pick<Block, 'language' | 'form' | 'header' | 'columnSpan' | 'rowSpan'>>;

/** The kind of an existing block. */
export function kindAt({ kinds }: BlockTable, index: number): BlockKind {
  return BLOCK_KINDS[kinds[index] ?? 0] ?? 'paragraph';
}

/** The special form of a block. */
export function formAt({ details }: BlockTable, index: number): BlockForm | undefined {
  return details.get(index)?.form;
}

/** The indexes of the blocks around a block, the outermost first. */
export function ancestorsOf({ parents }: BlockTable, index: number): number[] {
  const found: number[] = [];
  for (let at = parents[index] ?? -1; at !== -1; at = parents[at] ?? -1) found.unshift(at);
  return found;
}
