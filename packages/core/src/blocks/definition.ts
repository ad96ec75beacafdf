// Link reference definitions (CommonMark 0.31.2 section 4.7): `[label]: destination "title"`, found in the content of
// a paragraph after it has ended. They always end with a line, so the answer is a number of lines.
import type { GrowingBlock } from './tree.ts';

/** Unbalanced parentheses beyond this make no destination; implementations may set such a bound (section 6.3). */
const MAX_PARENS = 32;
/** Escapes that a title or destination may have: a pattern that repeats without end would run out of its stack. */
const MOST_ESCAPES = 9999;

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

let pattern: RegExp | undefined;

/** The definitions with which a paragraph begins that starts at `start` and has these lines. */
export function definitionsOf(text: string, start: number, lines: readonly ParagraphLine[]): Definition[] {
  // Most paragraphs that begin with a bracket begin with a link.
  if (!text.slice(start, lines.at(-1)?.end).includes(']:')) return [];
  const content = lines.map((line) => text.slice(line.content, line.end)).join('\n');
  const definitions: Definition[] = [];
  pattern ??= createPattern();
  pattern.lastIndex = 0;
  let line = 0;
  for (let match = pattern.exec(content); match !== null; match = pattern.exec(content)) {
    if (!hasPairs(match[1] ?? '')) break;
    const count = match[0].trimEnd().split('\n').length;
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

/**
 * A definition with its line end. No two parts that follow one another can match the same characters, so that it
 * fails in linear time.
 */
function createPattern(): RegExp {
  const label = String.raw`\[(?![ \t\n]*\])(?:[^[\]\\]|\\(?:[[\]\\]|(?![[\]\\]))){1,999}\]:`;
  const blanks = String.raw`[ \t]*\n?[ \t]*`;
  /** What stands between two marks: no such mark but behind a backslash. */
  const between = (open: string, close: string, not: string, escaped: string): string =>
    `${open}[^${not}]*(?:\\\\${escaped}[^${not}]*){0,${MOST_ESCAPES}}${close}`;
  const destination = `(?:${between('<', '>', '<>\\n\\\\', '.')}|([^\\0- \\x7f<][^\\0- \\x7f]*))`;
  const title = [`""`, `''`, `()`].map(([open = '', close = '']) =>
    between(`\\${open}`, `\\${close}`, `${open}${close}\\\\`, '[^]'),
  );
  const lineEnd = String.raw`[ \t]*(?:\n|$)`;
  return new RegExp(
    `${label}${blanks}${destination}(?:(?=\\s)${blanks}(?:${title.join('|')})${lineEnd}|${lineEnd})`,
    'y',
  );
}

/** `/url(1)`: parentheses in pairs, those behind a backslash aside. */
function hasPairs(destination: string): boolean {
  if (!/[()]/.test(destination)) return true;
  let depth = 0;
  for (const [mark] of destination.matchAll(/\\.|[()]/g)) {
    if (mark === '(' && ++depth > MAX_PARENS) return false;
    if (mark === ')' && depth-- === 0) return false;
  }
  return depth === 0;
}
