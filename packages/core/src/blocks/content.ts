// Finds what a leaf says without its marks: the title of a heading, the body of a fence, the value of a cell. It is
// found in the text on demand, so that it works alike for documents of any origin.
import { type Block, type OutlineEntry, pageAt, type Span } from '../document.ts';
import { cellContent } from './cells.ts';
import { skipBlank, skipBlankBack } from './lines.ts';
import { closesFence, DOLLAR, HASH, isSpace, skipRun } from './marks.ts';

/**
 * The part of a leaf without Markdown marks: `## Title ##` and `<h2>Title</h2>` → `Title`, a fence → the lines inside
 * it, `| a |` → `a`. Marks of containers are left out on the first line and stay on later ones. Returns the whole span
 * when there are no marks.
 */
export function contentOf(text: string, block: Block): Span {
  if (block.kind === 'heading') return titleOf(text, block);
  if (block.kind === 'code') return bodyOf(text, block);
  return block.kind === 'cell' ? cellContent(text, block) : { start: block.start, end: block.end };
}

/**
 * The headings of a text as a table of contents, in order, their titles on one line. Headings inside of tables, quotes
 * and lists are not in it, nor are those without a title.
 */
export function outlineOf(
  text: string,
  blocks: readonly Block[],
  pages: readonly number[] = [],
): OutlineEntry[] {
  return blocks.flatMap((block): OutlineEntry[] => {
    if (block.kind !== 'heading') return [];
    const { start, end } = contentOf(text, block);
    const title = text.slice(start, end).replace(/\s+/g, ' ').trim();
    if (title === '') return [];
    const page = pageAt(pages, block.start);
    return [{ title, level: block.depth ?? 1, ...(page !== undefined && { page }), start: block.start }];
  });
}

function titleOf(text: string, block: Block): Span {
  const { start } = block;
  if (block.form === 'html')
    return trim(text, text.indexOf('>', start) + 1, text.lastIndexOf('<', block.end - 1));
  const end = withoutMarkLines(text, start, block.end);
  const marks = afterPlainMarks(text, afterMarks(text, start, end), end);
  const title = skipRun(text, marks, end, HASH);
  const isAtx = title > marks && (title === end || isSpace(text.charCodeAt(title)));
  return isAtx
    ? trim(text, title, withoutClosing(text, title, end))
    : trim(text, marks, withoutBrace(text, marks, withoutRule(text, start, end)));
}

/** The offset behind what stands before a title in plain text: a line of marks, `==`, `=head2`, `**`, `\section{`. */
function afterPlainMarks(text: string, start: number, end: number): number {
  const marks =
    /^(?:([-=~^"'*+#`])\1{3,}[ \t]*\n|(?:={1,6}|=head\d|\*{2,6})[ \t]+|\\\w+\*?(?:\[[^\]]*\])?\{)/;
  return start + (marks.exec(text.slice(start, end))?.[0].length ?? 0);
}

/** `Title}\label{a}` behind `\section{` → the end of `Title`. */
function withoutBrace(text: string, start: number, end: number): number {
  const brace = text.charAt(start - 1) === '{' ? text.indexOf('}', start) : -1;
  return brace === -1 || brace > end ? end : brace;
}

/** `> # T`, then lines of `>` alone: the end of the first line. */
function withoutMarkLines(text: string, start: number, end: number): number {
  let to = end;
  for (;;) {
    const feed = text.lastIndexOf('\n', to - 1);
    if (feed < start || !/^[ \t>]*$/.test(text.slice(feed + 1, to))) return to;
    to = feed;
  }
}

/** The offset behind the quote and list marks before a block: of `> - ## T` that of `##`. */
function afterMarks(text: string, start: number, end: number): number {
  const match = /^(?:\s*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]+#)))*\s*/.exec(text.slice(start, end));
  return start + (match?.[0].length ?? 0);
}

/** `Title ##` → the end of `Title`; `C#` stays. */
function withoutClosing(text: string, start: number, end: number): number {
  let to = end;
  while (to > start && text.charCodeAt(to - 1) === HASH) to--;
  return to === start || isSpace(text.charCodeAt(to - 1)) ? to : end;
}

/** The end of the lines above an underline. */
function withoutRule(text: string, start: number, end: number): number {
  const feed = text.lastIndexOf('\n', end - 1);
  return feed >= start && /^[ \t>]*([-=~^"'*+#`])\1*[ \t]*$/.test(text.slice(feed + 1, end)) ? feed : end;
}

function bodyOf(text: string, block: Block): Span {
  const { start, form } = block;
  const end = withoutMarkLines(text, start, block.end);
  const feed = text.indexOf('\n', start);
  const openEnd = feed === -1 || feed > end ? end : feed;
  const fence = form === undefined ? FENCE.exec(text.slice(start, openEnd)) : null;
  if (fence === null && form !== 'math' && form !== 'front-matter') return { start, end: block.end };
  const from = Math.min(openEnd + 1, end);
  const lastLine = Math.max(from, text.lastIndexOf('\n', end - 1) + 1);
  if (form === 'math') return trim(text, text.indexOf('$$', start) + 2, skipRunBack(text, from, end, DOLLAR));
  if (fence !== null && !closes(text, lastLine, end, fence[0])) return { start: from, end };
  return { start: from, end: Math.max(from, lastLine - 1) };
}

/** Matches the run of three marks that opens a fence; what stands before it are the marks of containers. */
const FENCE = /`{3,}|~{3,}/;

function closes(text: string, lineStart: number, end: number, fence: string): boolean {
  let at = lineStart;
  while (at < end && /[ \t>]/.test(text.charAt(at))) at++;
  return closesFence(text, at, end, fence.charCodeAt(0), fence.length);
}

function skipRunBack(text: string, start: number, end: number, mark: number): number {
  let to = end;
  while (to > start && text.charCodeAt(to - 1) === mark) to--;
  return to;
}

function trim(text: string, start: number, end: number): Span {
  const from = skipBlank(text, start, Math.max(start, end));
  return { start: from, end: skipBlankBack(text, from, Math.max(from, end)) };
}
