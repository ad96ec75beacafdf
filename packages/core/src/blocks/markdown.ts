// Markdown: headings (CommonMark 0.31.2 section 4.2), fenced code (4.5) and the paragraphs between them.
// What else Markdown has stays inside its paragraph, so nothing is lost.
import type { Block, Span } from '../document.ts';
import { lines, skipBlank, skipBlankBack } from './lines.ts';

interface Fence {
  readonly start: number;
  readonly mark: string;
  readonly length: number;
  readonly language: string;
}

/** Blocks of a Markdown text. A fence that is never closed runs to the end. Linear. */
export function markdownBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let paragraph: { start: number; end: number } | undefined;
  let fence: Fence | undefined;
  let fenceEnd = 0;
  const endParagraph = (): void => {
    if (paragraph !== undefined) blocks.push({ kind: 'paragraph', ...paragraph });
    paragraph = undefined;
  };
  for (const line of lines(text)) {
    const span = trimmed(text, line);
    if (fence !== undefined) {
      if (span.end > span.start) fenceEnd = span.end;
      if (!closes(text, span, fence)) continue;
      blocks.push(codeBlock(fence, span.end));
      fence = undefined;
      continue;
    }
    if (span.start === span.end) {
      endParagraph();
      continue;
    }
    fence = openedFence(text, span);
    const depth = fence === undefined ? headingDepth(text, span) : 0;
    if (fence !== undefined || depth > 0) endParagraph();
    if (fence !== undefined) fenceEnd = span.end;
    else if (depth > 0) blocks.push({ kind: 'heading', depth, ...span });
    else paragraph = { start: paragraph?.start ?? span.start, end: span.end };
  }
  if (fence !== undefined) blocks.push(codeBlock(fence, fenceEnd));
  endParagraph();
  return blocks;
}

function trimmed(text: string, line: Span): Span {
  const start = skipBlank(text, line.start, line.end);
  return { start, end: skipBlankBack(text, start, line.end) };
}

/** `## Title` → 2; 0 when the line is no heading. */
function headingDepth(text: string, { start, end }: Span): number {
  let depth = 0;
  while (start + depth < end && text[start + depth] === '#') depth++;
  if (depth > 6) return 0;
  const after = text[start + depth];
  return start + depth === end || after === ' ' || after === '\t' ? depth : 0;
}

/** ```` ```ts ```` → a fence of three backticks with language `ts`. A backtick in the info string is no fence. */
function openedFence(text: string, { start, end }: Span): Fence | undefined {
  const mark = text[start];
  if (mark !== '`' && mark !== '~') return undefined;
  let length = 0;
  while (start + length < end && text[start + length] === mark) length++;
  if (length < 3) return undefined;
  const info = text.slice(start + length, end).trim();
  if (mark === '`' && info.includes('`')) return undefined;
  return { start, mark, length, language: (info.split(/\s/, 1)[0] ?? '').toLowerCase() };
}

function closes(text: string, { start, end }: Span, fence: Fence): boolean {
  if (end - start < fence.length) return false;
  for (let at = start; at < end; at++) if (text[at] !== fence.mark) return false;
  return true;
}

function codeBlock(fence: Fence, end: number): Block {
  const block = { kind: 'code', start: fence.start, end } as const;
  return fence.language === '' ? block : { ...block, language: fence.language };
}
