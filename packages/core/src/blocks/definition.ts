// Link reference definitions (CommonMark 0.31.2 section 4.7): `[label]: destination "title"`, searched for in a
// paragraph after its end. A definition always ends with a line, so the result holds the number of its lines.
import type { GrowingBlock } from './tree.ts';

/** Most parentheses inside one another in a destination; implementations may set such a bound (section 6.3). */
const MAX_PARENS = 32;
/** Most escapes in a title or destination: a pattern that repeats without a bound would overflow its stack. */
const MOST_ESCAPES = 9999;

/** A line of a paragraph: its first mark, its content, and its end. */
export interface ParagraphLine {
  readonly start: number;
  readonly content: number;
  readonly end: number;
}

/** A definition and the number of its lines. */
export interface Definition {
  readonly block: GrowingBlock;
  readonly lines: number;
}

let pattern: RegExp | undefined;

/** The definitions at the beginning of a paragraph that starts at `start` and has these lines. */
export function definitionsOf(text: string, start: number, lines: readonly ParagraphLine[]): Definition[] {
  // Most paragraphs that begin with a bracket begin with a link, not with a definition.
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
 * Matches a definition with its line end. No two neighbouring parts of the pattern can match the same characters, so it
 * fails in linear time.
 */
function createPattern(): RegExp {
  const label = String.raw`\[(?![ \t\n]*\])(?:[^[\]\\]|\\(?:[[\]\\]|(?![[\]\\]))){1,999}\]:`;
  const blanks = String.raw`[ \t]*\n?[ \t]*`;
  /** A pattern for text between two marks that contains neither mark except behind a backslash. */
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

/** `/url(1)`: true when the parentheses of a destination come in pairs. Escaped parentheses do not count. */
function hasPairs(destination: string): boolean {
  if (!/[()]/.test(destination)) return true;
  let depth = 0;
  for (const [mark] of destination.matchAll(/\\.|[()]/g)) {
    if (mark === '(' && ++depth > MAX_PARENS) return false;
    if (mark === ')' && depth-- === 0) return false;
  }
  return depth === 0;
}
