// The layouts of a text: as it is written, and as rendered Markdown (rendered-layout.ts).
import type { Span } from '@grainline/core';
import { type CodeSpans, codeWithin } from '../document/code.ts';
import type { BlockWriter } from './block-writer.ts';
import { displayBlocks } from './blocks.ts';

/** The elements of a text. */
export interface TextLayout {
  readonly text: string;
  /** Spans that tile the text, one element each. */
  readonly blocks: readonly Span[];
  /** Class of the element around all. */
  readonly className: string;
  /** Fills the element of a block; it writes slices of the block's span in order. */
  fill(block: number, element: HTMLElement, writer: BlockWriter): void;
}

/** The text unchanged, with code in a fixed pitch. */
export function sourceLayout(text: string, code: CodeSpans, isCode: boolean): TextLayout {
  const blocks = displayBlocks(text);
  return {
    text,
    blocks,
    className: isCode ? 'text source fixed' : 'text source',
    fill(block, element, writer) {
      const { start, end } = blocks[block] ?? { start: 0, end: 0 };
      let at = start;
      for (const span of codeWithin(code, start, end)) {
        writer.write(element, at, span.start);
        const inner = writer.element('code');
        writer.write(inner, span.start, span.end);
        element.append(inner);
        at = span.end;
      }
      writer.write(element, at, end);
    },
  };
}
