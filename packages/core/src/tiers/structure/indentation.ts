// The outline of code by its lines alone: an indented line belongs to the line above it, a comment or decorator to the
// line below, a closing bracket to its opening line. It knows no language.
import { lineStart, skipBlank } from '../../blocks/lines.ts';
import { GAP, type Outline } from '../../syntax.ts';

/** Matches lines that continue the block above: closing brackets, `end`, `else` and the like. */
const CLOSING =
  /^(?:[)\]}>]|<\/|(?:end(?:if|for\w*|while)?|fi|done|esac|else?if|elif|else|except|finally|catch|rescue|ensure|then|do)\b)/;
/**
 * Matches lines that belong to the line below: comments, decorators, attributes, a return type on a line of its own.
 */
const ATTACHED =
  /^(?:\/[/*]|#(?!include|define|undef|if|el|endif|pragma|error)|--|@(?!import|media)|\[\[?\w|<!--|(?:static|extern|inline|const|unsigned|struct|void|int|char|template)\b[\w\s*<>,]*$)/;
/** Matches a line that continues the one before: `{` alone. */
const OPENING = /^\{\s*$/;
/** Matches directives of the preprocessor, which continue the block before although they stand at the margin. */
const DIRECTIVE = /^#[ \t]*(?:if|el|endif|define|undef|pragma)/;
/** Beginnings of comments and strings of several lines, each with its end. */
const LONG: readonly (readonly [string, string])[] = [
  ['/*', '*/'],
  ['"""', '"""'],
  ["'''", "'''"],
  ['<!--', '-->'],
];

/** The outline of the code in [start, end), with offsets of the whole text. Linear. */
export function outlineByLines(text: string, start: number, end: number): Outline {
  const starts: number[] = [];
  const depths: number[] = [];
  const bodies: number[] = [];
  const gaps: number[] = [];
  /** Indentation of the open parts, outermost first. */
  const open: number[] = [];
  /** Indentation of comments and the like that wait for their line, or -1. */
  let waiting = -1;
  /** Depth of the last part. */
  let depth = 0;
  let parted = false;
  const passLong = longPasser(text, end);
  const add = (at: number, deep: number, gap: number): void => {
    starts.push(at);
    bodies.push(at);
    depths.push((depth = deep));
    gaps.push(gap);
  };
  const addLine = (first: number, column: number, opening: string): void => {
    const attached = ATTACHED.test(opening);
    const waits = !parted && waiting === column;
    if (waits) {
      if (attached) return;
      waiting = -1;
      bodies[bodies.length - 1] = first;
      return;
    }
    const begun = starts.length > 0;
    if (begun && !parted && OPENING.test(opening)) return;
    if (depth > 0 && !parted && column === 0 && DIRECTIVE.test(opening)) return;
    while ((open.at(-1) ?? -1) > column) open.pop();
    waiting = -1;
    if (begun && CLOSING.test(opening)) {
      if (depth >= open.length) add(first, open.length, GAP.tied);
      return;
    }
    if (open.at(-1) !== column) open.push(column);
    const deep = open.length - 1;
    add(first, deep, parted || depth > deep ? GAP.apart : GAP.near);
    if (attached) waiting = column;
  };
  let past = 0;
  for (let at = lineStart(text, start, 0); at < end;) {
    const feed = text.indexOf('\n', at);
    const lineEnd = feed === -1 ? end : Math.min(feed, end);
    const first = skipBlank(text, at, lineEnd);
    if (first < lineEnd && first >= past) {
      past = passLong(first);
      addLine(first, first - at, text.slice(first, Math.min(lineEnd, first + LONGEST_OPENING)));
    }
    parted = first === lineEnd;
    at = lineEnd + 1;
  }
  return { starts, depths, bodies, gaps };
}

/**
 * Returns a function that gives the end of the comment or string of several lines that begins at an offset; 0 where
 * none does.
 */
function longPasser(text: string, end: number): (at: number) => number {
  // End marks that do not occur in the rest of the text, so that each is searched only once.
  const missing = new Set<string>();
  return (at) => {
    for (const [opening, closing] of LONG) {
      if (!text.startsWith(opening, at) || missing.has(closing)) continue;
      const hit = text.indexOf(closing, at + opening.length);
      if (hit !== -1 && hit < end) return hit + closing.length;
      missing.add(closing);
    }
    return 0;
  };
}

/** Most units of a line to read. */
const LONGEST_OPENING = 80;
