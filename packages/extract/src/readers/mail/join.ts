// Pieces of one document, each with its own offsets → one text with the blocks and links of all.
import type { Block, Link } from '@grainline/core';
import { firstIndex } from '../../search.ts';

/** A part of a document with offsets of its own. */
export interface MailPiece {
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly links?: readonly Link[];
}

const GAP = '\n\n';

/** Joins pieces with a blank line between them. Linear. */
export function joinPieces(pieces: readonly MailPiece[]): Required<MailPiece> {
  const texts: string[] = [];
  const blocks: Block[] = [];
  const links: Link[] = [];
  let length = 0;
  for (const piece of pieces) {
    const text = piece.text.trimEnd();
    if (text === '') continue;
    const shift = length === 0 ? 0 : length + GAP.length;
    for (const block of piece.blocks) blocks.push(shifted(block, shift, text.length));
    for (const link of piece.links ?? [])
      links.push({ ...link, start: link.start + shift, end: link.end + shift });
    texts.push(text);
    length = shift + text.length;
  }
  return { text: texts.join(GAP), blocks, links };
}

/** A block moved by a number of units; its page is that of another document, and falls away. */
function shifted(block: Block, shift: number, end: number): Block {
  const moved = {
    ...block,
    start: block.start + shift,
    end: Math.min(block.end, end) + shift,
    ...(block.children && { children: block.children.map((child) => shifted(child, shift, end)) }),
  };
  Reflect.deleteProperty(moved, 'page');
  return moved;
}

/** A piece whose headings stand a level lower, for a document inside another one. Linear. */
export function lowered({ text, blocks, links = [] }: MailPiece): MailPiece {
  const marks = headingStarts(blocks).filter((start) => text[start] === '#');
  if (marks.length === 0) return { text, blocks, links };
  const parts = [0, ...marks].map((start, at) => text.slice(start, marks[at]));
  const moved = (offset: number): number => offset + firstIndex(marks, (mark) => mark >= offset);
  const lower = (block: Block): Block => {
    const isHeading = block.kind === 'heading' && text[block.start] === '#';
    const start = moved(block.start);
    const children = block.children?.map(lower);
    return {
      ...block,
      start,
      end: moved(block.end),
      ...(isHeading && { depth: Math.min(6, (block.depth ?? 1) + 1) }),
      ...(children && { children }),
    };
  };
  return {
    text: parts.join('#'),
    blocks: blocks.map(lower),
    links: links.map((link) => ({ ...link, start: moved(link.start), end: moved(link.end) })),
  };
}

/** Starts of the headings that can stand lower, ascending. */
function headingStarts(blocks: readonly Block[]): number[] {
  return blocks.flatMap(({ kind, depth = 1, start, children }) =>
    kind === 'heading' && depth < 6 ? [start] : children === undefined ? [] : headingStarts(children),
  );
}
