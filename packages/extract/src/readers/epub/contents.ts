// The table of contents as headings of a chapter: publishers style titles as they like, and list them truly.
import { withoutMarks } from '../../tree/links.ts';
import type { HeadingNode, TextNode, TreeNode } from '../../tree/node.ts';
import type { ContentsEntry } from './book.ts';

/** Markdown has six levels of headings. */
const MAX_DEPTH = 6;
/** No longer block is the title of an entry. */
const MAX_TITLE = 1000;

/**
 * The blocks of a chapter with its entries as headings: a heading or a paragraph with the words of an entry gets its
 * level, in order; headings below go as far below it as they were. The title of a chapter that does not have it in its
 * text stands above it. Linear.
 */
export function withContents(tree: readonly TreeNode[], entries: readonly ContentsEntry[]): TreeNode[] {
  const places = placesOf(entries);
  /** The next entry to find. */
  let next = 0;
  /** Levels that the headings between two entries are moved by. */
  let shift = 0;
  let isFirstFound = false;
  const find = (node: HeadingNode | TextNode): number => {
    const words = keyOf(withoutMarks(node.text));
    const queue = places.get(words) ?? [];
    while ((queue.at(-1) ?? next) < next) queue.pop();
    const at = queue.at(-1);
    if (at !== undefined || node.kind !== 'heading' || next > 0) return at ?? -1;
    // "Chapter 1" and "The Tide", listed as "1. The Tide".
    const title = keyOf(entries[0]?.title ?? '');
    return words !== '' && title !== '' && (title.includes(words) || words.includes(title)) ? 0 : -1;
  };
  const blocks: TreeNode[] = [];
  for (const node of tree) {
    const isText = node.kind === 'heading' || (node.kind === 'paragraph' && node.text.length <= MAX_TITLE);
    const at = isText ? find(node) : -1;
    const entry = entries[at];
    if (entry !== undefined && isText) {
      next = at + 1;
      isFirstFound ||= at === 0;
      if (node.kind === 'heading') shift = entry.depth - node.depth;
      blocks.push({ kind: 'heading', depth: clamp(entry.depth), text: oneLine(node.text) });
    } else blocks.push(node.kind === 'heading' ? { ...node, depth: clamp(node.depth + shift) } : node);
  }
  const [first] = entries;
  if (first?.isStart !== true || isFirstFound) return blocks;
  return [{ kind: 'heading', depth: clamp(first.depth), text: first.title.toWellFormed() }, ...blocks];
}

/** The places of entries by their words, the first one last. */
function placesOf(entries: readonly ContentsEntry[]): ReadonlyMap<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [at, { title }] of [...entries.entries()].reverse()) {
    const words = keyOf(title);
    const queue = places.get(words);
    if (words !== '' && queue === undefined) places.set(words, [at]);
    else queue?.push(at);
  }
  return places;
}

function clamp(depth: number): number {
  return Math.min(MAX_DEPTH, Math.max(1, depth));
}

/** Letters and digits alone: entries differ from titles in blanks, case and punctuation. */
function keyOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** A heading is one line, and has no emphasis. */
function oneLine(text: string): string {
  return withoutMarks(text)
    .replace(/\\?\n/g, ' ')
    .replace(/(?<!\\)[*_]+/g, '')
    .trim();
}
