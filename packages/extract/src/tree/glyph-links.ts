// Links of a page by its characters → links of the tree's texts. The texts are made first, and the characters that show
// them are found again, so that no rule of reading meets a mark.
import { firstIndex } from '../search.ts';
import { alignGlyphs, type GlyphRange, type LettersOf, type LinkRange, type WithGlyphs } from './glyphs.ts';
import { markLink, MAX_TARGETS, type LinkTargets } from './links.ts';
import type { TreeNode } from './node.ts';

/** Units between two parts of one link: blanks, and hyphens that a line has lost or kept. */
const BETWEEN = /^[\s\u00AD-]*$/;

/** A tree with marks around the words of its links, without those of code; `targets` takes the targets. */
export function withLinks(tree: readonly TreeNode[], lettersOf: LettersOf, targets: LinkTargets): TreeNode[] {
  let units = 0;
  const numbers = new Map<string, number>();
  const numberOf = (href: string): number => {
    const known = numbers.get(href) ?? targets.add(href);
    numbers.set(href, known);
    return known;
  };
  const marked = <Leaf extends WithGlyphs & { readonly text: string; readonly pageBreak?: number }>(
    node: Leaf,
    form: 'link' | 'bare',
  ): Leaf => {
    const found = units > MAX_TARGETS ? [] : linksIn(node, lettersOf);
    if (found.length === 0) return node;
    const pieces: string[] = [];
    let [last, shift] = [0, 0];
    for (const { start, end, href } of found) {
      const words = markLink(node.text.slice(start, end), form, numberOf(href));
      pieces.push(node.text.slice(last, start), words);
      units += href.length;
      if (end <= (node.pageBreak ?? 0)) shift += words.length - (end - start);
      last = end;
    }
    const text = pieces.join('') + node.text.slice(last);
    return { ...node, text, ...(node.pageBreak !== undefined && { pageBreak: node.pageBreak + shift }) };
  };
  const all = (nodes: readonly TreeNode[]): TreeNode[] => nodes.map(one);
  const one = (node: TreeNode): TreeNode => {
    switch (node.kind) {
      case 'heading':
        return marked(node, 'bare');
      case 'paragraph':
        return marked(node, 'link');
      case 'list':
        return {
          ...node,
          children: node.children.map((item) => ({ ...item, children: all(item.children) })),
        };
      case 'table': {
        const rows = node.rows.map((row) => ({
          ...row,
          cells: row.cells.map((cell) => ({ ...cell, children: all(cell.children) })),
        }));
        return { ...node, caption: all(node.caption), rows };
      }
      case 'quote':
      case 'footnote':
      case 'region':
        return { ...node, children: all(node.children) };
      default:
        return node;
    }
  };
  return all(tree);
}

/** The links of a text by its offsets: neighbouring words of one page with one address are one. */
function linksIn(
  { text, glyphs = [] }: WithGlyphs & { readonly text: string },
  lettersOf: LettersOf,
): LinkRange[] {
  const found: LinkRange[] = [];
  if (!glyphs.some(hasLink)) return found;
  let page: GlyphRange['glyphs'] | undefined;
  alignGlyphs(text, glyphs, lettersOf, (at, range, index, length) => {
    const links = range.glyphs.links ?? [];
    for (let next = firstLink(links, index); (links[next]?.start ?? Infinity) < index + length; next++) {
      const { start = 0, end = 0, href = '' } = links[next] ?? {};
      const [from, to] = [at + Math.max(start, index) - index, at + Math.min(end, index + length) - index];
      const last = found.at(-1);
      if (last?.href === href && page === range.glyphs && BETWEEN.test(text.slice(last.end, from)))
        found[found.length - 1] = { ...last, end: to };
      else found.push({ start: from, end: to, href });
      page = range.glyphs;
    }
  });
  return found;
}

function hasLink({ glyphs: { links = [] }, start, end }: GlyphRange): boolean {
  return (links[firstLink(links, start)]?.start ?? Infinity) < end;
}

/** The index of the first link that ends behind an offset. */
function firstLink(links: readonly LinkRange[], offset: number): number {
  return firstIndex(links, ({ end }) => end > offset);
}
