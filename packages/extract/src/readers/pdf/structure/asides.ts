// Blocks beside the text in the tree: footnotes and figures, behind the paragraph, list or code that they belong to, so
// that no sentence is cut.
import type { FootnoteNode, TreeNode } from '../../../tree/node.ts';
import { paragraphText, type LineBreaks } from '../lines/breaks.ts';
import { joinLines, type TextLine } from '../lines/text.ts';
import type { Figure } from '../order/figures.ts';
import type { Footnote } from '../order/footnotes.ts';
import { joinGlyphs } from '../../../tree/glyphs.ts';

/** Blocks by the lines behind which they stand; `undefined` is the top of the page. */
export type Asides = ReadonlyMap<TextLine | undefined, readonly TreeNode[]>;

/** The blocks of the footnotes and figures of a page. */
export function asidesFrom(
  figures: ReadonlyMap<TextLine | undefined, readonly Figure[]>,
  footnotes: ReadonlyMap<TextLine, readonly Footnote[]>,
  breaks: LineBreaks,
): Asides {
  const asides = new Map<TextLine | undefined, readonly TreeNode[]>();
  const left = new Map(footnotes);
  const add = (line: TextLine | undefined, nodes: readonly TreeNode[]): void => {
    asides.set(line, [...(asides.get(line) ?? []), ...nodes]);
  };
  for (const [anchor, some] of figures)
    for (const figure of some) {
      add(anchor, [{ kind: 'paragraph', text: joinLines(figure, '\n'), ...joinGlyphs(figure) }]);
      for (const line of figure) {
        add(
          anchor,
          (left.get(line) ?? []).map((note) => footnoteNode(note, breaks)),
        );
        left.delete(line);
      }
    }
  for (const [line, notes] of left)
    add(
      line,
      notes.map((note) => footnoteNode(note, breaks)),
    );
  return asides;
}

/** A footnote as a block. */
export function footnoteNode({ label, lines }: Footnote, breaks: LineBreaks): FootnoteNode {
  return {
    kind: 'footnote',
    label,
    children: [{ kind: 'paragraph', ...paragraphText(lines, breaks), ...joinGlyphs(lines) }],
  };
}

/** The blocks that stand behind some lines. */
export function asidesOf(asides: Asides | undefined, lines: readonly (TextLine | undefined)[]): TreeNode[] {
  if (asides === undefined || asides.size === 0) return [];
  return lines.flatMap((line) => asides.get(line) ?? []);
}

/** The figures that stand right behind a heading or a table. */
export function figuresOf(asides: Asides | undefined, lines: readonly TextLine[]): TreeNode[] {
  return asidesOf(asides, lines).filter(({ kind }) => kind !== 'footnote');
}

/**
 * The blocks of a page behind lines that are not in its paragraphs: those at its top or behind a paragraph of the page
 * before come first; the footnotes of headings and all blocks behind a paragraph that goes on on the next page come
 * last, so that they stay on their own page.
 */
export function outerAsides(
  asides: Asides,
  isIn: Readonly<Record<'paragraphs' | 'titles' | 'open', (line: TextLine) => boolean>>,
): { readonly first: TreeNode[]; readonly last: TreeNode[] } {
  const first: TreeNode[] = [];
  const last: TreeNode[] = [];
  for (const [line, nodes] of asides) {
    if (line === undefined) first.push(...nodes);
    else if (isIn.open(line)) last.push(...nodes);
    else if (isIn.titles(line)) last.push(...nodes.filter(({ kind }) => kind === 'footnote'));
    else if (!isIn.paragraphs(line)) first.push(...nodes);
  }
  return { first, last };
}
