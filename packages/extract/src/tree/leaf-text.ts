// Leaf of the tree → its Markdown, marks of links included.
import type { Block } from '@grainline/core';
import { flatLines } from './cell.ts';
import { longestRun } from './inline.ts';
import type { CodeNode, FootnoteNode, LeafNode } from './node.ts';

/** Markdown of a leaf, without the marks of the containers around it; `undefined` when it has none. */
export function markdownOf(
  node: LeafNode | FootnoteNode,
): { readonly text: string; readonly shape: Pick<Block, 'kind' | 'depth' | 'language'> } | undefined {
  switch (node.kind) {
    case 'heading':
      return {
        text: `${'#'.repeat(node.depth)} ${node.text}`,
        shape: { kind: 'heading', depth: node.depth },
      };
    case 'paragraph':
    case 'image':
      return { text: node.text, shape: { kind: node.kind } };
    case 'code':
      return {
        text: fenced(node),
        shape: { kind: 'code', ...(node.language === '' ? {} : { language: node.language }) },
      };
    case 'rule':
      return { text: '---', shape: { kind: 'rule' } };
    case 'footnote': {
      const text = flatLines(node.children).join('\n').replaceAll('\n', '\n    ');
      return text === '' ? undefined : { text: `[^${node.label}]: ${text}`, shape: { kind: 'footnote' } };
    }
    case 'page':
      return undefined;
  }
}

/** Code that holds a fence gets a longer one (CommonMark 0.31.2 section 4.5). */
function fenced({ text, language }: CodeNode): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text, '`') + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}
