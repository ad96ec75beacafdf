// Footnotes in the tree: behind the paragraph, list or code that refers to them; those of a title at the end of the
// page, and those of a paragraph that goes on on the next page before it, so that they stay on their own page.
import type { TreeNode } from '../../../tree/node.ts';
import { joinLines, type TextLine } from '../lines/text.ts';
import type { Footnote } from '../order/footnotes.ts';

export type Footnotes = ReadonlyMap<TextLine, readonly Footnote[]>;

/** The footnotes that some lines refer to. */
export function footnotesOf(footnotes: Footnotes | undefined, lines: readonly TextLine[]): TreeNode[] {
  if (footnotes === undefined || footnotes.size === 0) return [];
  return lines.flatMap((line) => (footnotes.get(line) ?? []).map(footnoteNode));
}

function footnoteNode({ label, lines }: Footnote): TreeNode {
  return { kind: 'footnote', label, children: [{ kind: 'paragraph', text: joinLines(lines, '\n') }] };
}

/** The footnotes of a page whose references stand outside the lines of its paragraphs. */
export function outerFootnotes(
  footnotes: Footnotes,
  isText: (line: TextLine) => boolean,
  isOnPage: (line: TextLine) => boolean,
): { readonly first: TreeNode[]; readonly last: TreeNode[] } {
  const outer = [...footnotes.keys()].filter((line) => !isText(line));
  return {
    first: footnotesOf(
      footnotes,
      outer.filter((line) => !isOnPage(line)),
    ),
    last: footnotesOf(footnotes, outer.filter(isOnPage)),
  };
}
