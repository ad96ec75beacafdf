// Makes the table of a document's blocks.
import { BLOCK_KINDS, type Block } from '@grainline/core';
import { contentOf } from '@grainline/core/blocks';
import type { BlockDetails, BlockTable } from '../document/block-table.ts';

/** The table of some blocks. */
export function blockTable(text: string, blocks: readonly Block[]): BlockTable {
  const all: Block[] = [];
  const parents: number[] = [];
  collect(blocks, -1, all, parents);
  const contents = all.map((block) => contentOf(text, block));
  const details = new Map<number, BlockDetails>();
  all.forEach((block, index) => {
    const own = detailsOf(block);
    if (own !== undefined) details.set(index, own);
  });
  const numbers = (of: (block: Block) => number): Uint32Array => Uint32Array.from(all, of);
  return {
    kinds: Uint8Array.from(all, ({ kind }) => BLOCK_KINDS.indexOf(kind)),
    starts: numbers(({ start }) => start),
    ends: numbers(({ end }) => end),
    contentStarts: Uint32Array.from(contents, ({ start }) => start),
    contentEnds: Uint32Array.from(contents, ({ end }) => end),
    parents: Int32Array.from(parents),
    levels: Uint8Array.from(all, ({ kind, depth = 0 }) => (kind === 'heading' ? depth : 0)),
    details,
  };
}

function collect(blocks: readonly Block[], parent: number, all: Block[], parents: number[]): void {
  for (const block of blocks) {
    const index = all.push(block) - 1;
    parents.push(parent);
    collect(block.children ?? [], index, all, parents);
  }
}

function detailsOf({ language, form, header, columnSpan, rowSpan }: Block): BlockDetails | undefined {
  const members = Object.entries({ language, form, header, columnSpan, rowSpan });
  const given = members.filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
