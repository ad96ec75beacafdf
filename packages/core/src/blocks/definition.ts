// Link reference definitions (CommonMark 0.31.2 section 4.7): `[label]: destination "title"`, found in the content of
// a paragraph after it has ended. They always end with a line, so the answer is a number of lines.
import { BACKSLASH, BRACKET_CLOSE, BRACKET_OPEN, COLON, GREATER, isSpace, LESS, LINE_FEED } from './marks.ts';
import type { GrowingBlock } from './tree.ts';

const PAREN_OPEN = 0x28;
const PAREN_CLOSE = 0x29;
const QUOTE_DOUBLE = 0x22;
const QUOTE_SINGLE = 0x27;
/** The longest label there may be, in characters. */
const MAX_LABEL = 999;
/** Unbalanced parentheses beyond this make no destination; implementations may set such a bound (section 6.3). */
const MAX_PARENS = 32;

/** A line of a paragraph: its first mark, its content, and its end. */
export interface ParagraphLine {
  readonly start: number;
  readonly content: number;
  readonly end: number;
}

/** A definition and how many lines it takes. */
export interface Definition {
  readonly block: GrowingBlock;
  readonly lines: number;
}

/** The definitions with which a paragraph begins that starts at `start` and has these lines. */
export function definitionsOf(text: string, start: number, lines: readonly ParagraphLine[]): Definition[] {
  const content = lines.map((line) => text.slice(line.content, line.end)).join('\n');
  const definitions: Definition[] = [];
  let line = 0;
  for (let at = 0; at < content.length;) {
    const end = definitionEnd(content, at);
    if (end === -1) break;
    const count = countLines(content, at, end);
    at = end;
    const from = line === 0 ? start : (lines[line]?.start ?? start);
    line += count;
    const to = lines[line - 1]?.end ?? from;
    definitions.push({
      block: { kind: 'paragraph', form: 'definition', start: from, end: to },
      lines: count,
    });
  }
  return definitions;
}

/** Lines that [at, end) takes; `end` stands behind a line feed or at the end of all. */
function countLines(content: string, at: number, end: number): number {
  let lines = 0;
  for (let from = at; from < end; lines++) {
    const feed = content.indexOf('\n', from);
    from = feed === -1 ? content.length : feed + 1;
  }
  return lines;
}

/**
 * The offset after the definition at the start of the line `at` of `content`, its line feed included, -1 when none
 * stands there. `content` is a paragraph without the marks and the indentation of its lines.
 */
function definitionEnd(content: string, at: number): number {
  const colon = labelEnd(content, at);
  if (colon === -1 || content.charCodeAt(colon) !== COLON) return -1;
  const from = skipBlankLine(content, colon + 1);
  const destination = destinationEnd(content, from);
  if (destination === -1) return -1;
  const withoutTitle = lineEndAfter(content, destination);
  const titleStart = skipBlankLine(content, destination);
  if (titleStart > destination) {
    const title = titleEnd(content, titleStart);
    const withTitle = title === -1 ? -1 : lineEndAfter(content, title);
    if (withTitle !== -1) return withTitle;
  }
  return withoutTitle;
}

/** `[label]` → the offset after it; -1 when this is no label. */
function labelEnd(content: string, at: number): number {
  if (content.charCodeAt(at) !== BRACKET_OPEN) return -1;
  let hasText = false;
  for (let after = at + 1; after < content.length && after - at <= MAX_LABEL + 1; after++) {
    const code = content.charCodeAt(after);
    if (code === BRACKET_CLOSE) return hasText ? after + 1 : -1;
    if (code === BRACKET_OPEN) return -1;
    if (!isSpace(code) && code !== LINE_FEED) hasText = true;
    if (code === BACKSLASH && isMarkup(content.charCodeAt(after + 1))) after++;
  }
  return -1;
}

function isMarkup(code: number): boolean {
  return code === BRACKET_OPEN || code === BRACKET_CLOSE || code === BACKSLASH;
}

/** Spaces and at most one line feed. */
function skipBlankLine(content: string, at: number): number {
  let after = at;
  while (after < content.length && isSpace(content.charCodeAt(after))) after++;
  if (content.charCodeAt(after) !== LINE_FEED) return after;
  after++;
  while (after < content.length && isSpace(content.charCodeAt(after))) after++;
  return after;
}

function destinationEnd(content: string, at: number): number {
  if (at >= content.length) return -1;
  return content.charCodeAt(at) === LESS ? enclosedEnd(content, at) : rawEnd(content, at);
}

/** `<a b>` */
function enclosedEnd(content: string, at: number): number {
  for (let after = at + 1; after < content.length; after++) {
    const code = content.charCodeAt(after);
    if (code === GREATER) return after + 1;
    if (code === LESS || code === LINE_FEED) return -1;
    if (code === BACKSLASH) after++;
  }
  return -1;
}

/** `/url(1)`: no blanks, no control characters, parentheses in pairs. */
function rawEnd(content: string, at: number): number {
  let depth = 0;
  let after = at;
  for (; after < content.length; after++) {
    const code = content.charCodeAt(after);
    if (code === BACKSLASH && !isBlankOrControl(content.charCodeAt(after + 1))) after++;
    else if (isBlankOrControl(code)) break;
    else if (code === PAREN_OPEN && ++depth > MAX_PARENS) return -1;
    else if (code === PAREN_CLOSE && depth-- === 0) break;
  }
  return after > at && depth === 0 ? Math.min(after, content.length) : -1;
}

function isBlankOrControl(code: number): boolean {
  return code <= 0x20 || code === 0x7f;
}

function titleEnd(content: string, at: number): number {
  const open = content.charCodeAt(at);
  if (open !== QUOTE_DOUBLE && open !== QUOTE_SINGLE && open !== PAREN_OPEN) return -1;
  const close = open === PAREN_OPEN ? PAREN_CLOSE : open;
  for (let after = at + 1; after < content.length; after++) {
    const code = content.charCodeAt(after);
    if (code === close) return after + 1;
    if (code === PAREN_OPEN && open === PAREN_OPEN) return -1;
    if (code === BACKSLASH) after++;
  }
  return -1;
}

/** The offset after the line feed when only spaces stand before it, -1 otherwise. */
function lineEndAfter(content: string, at: number): number {
  let after = at;
  while (after < content.length && isSpace(content.charCodeAt(after))) after++;
  if (after >= content.length) return content.length;
  return content.charCodeAt(after) === LINE_FEED ? after + 1 : -1;
}
