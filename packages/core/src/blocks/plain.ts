// Plain text: paragraphs between blank lines. Headings need marks that plain text does not have.
import type { Block } from '../document.ts';
import { lines, skipBlank, skipBlankBack } from './lines.ts';

/** Paragraphs of a text without marks: runs of lines that are not blank. Linear. */
export function plainBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let start = -1;
  let end = -1;
  for (const line of lines(text)) {
    const first = skipBlank(text, line.start, line.end);
    if (first === line.end) {
      if (start !== -1) blocks.push({ kind: 'paragraph', start, end });
      start = -1;
      continue;
    }
    if (start === -1) start = first;
    end = skipBlankBack(text, line.start, line.end);
  }
  if (start !== -1) blocks.push({ kind: 'paragraph', start, end });
  return blocks;
}
