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
/** Beginnings of comments of several lines, each with its end. They count at the beginning of a line only. */
const LONG_COMMENTS: readonly (readonly [string, string])[] = [
  ['/*', '*/'],
  ['<!--', '-->'],
];
/** Marks of strings of several lines, which begin anywhere in a line. */
const LONG_QUOTES = ['"""', "'''"] as const;
/** Matches the text before such a string: nothing, or an operator or bracket and the string's prefix. */
const BEFORE_QUOTE = /(?:^|[\s([{,=:+])[a-z]{0,2}$/i;

/** The outline of the code in [start, end), with offsets of the whole text. Linear in the length of the code. */
export function outlineByLines(whole: string, start: number, end: number): Outline {
  // A search that finds nothing ends at the end of the code: a document may have thousands of blocks.
  const text = whole.slice(0, end);
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
  const passLong = longPasser(text);
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
    const lineEnd = feed === -1 ? end : feed;
    const first = skipBlank(text, at, lineEnd);
    if (first < lineEnd && first >= past) {
      past = passLong(first, lineEnd);
      addLine(first, first - at, text.slice(first, Math.min(lineEnd, first + LONGEST_OPENING)));
    }
    parted = first === lineEnd;
    at = lineEnd + 1;
  }
  return { starts, depths, bodies, gaps };
}

/**
 * Returns a function that gives the end of the comment or string of several lines that a line [at, lineEnd) begins; 0
 * where it begins none. Lines must ascend.
 */
function longPasser(text: string): (at: number, lineEnd: number) => number {
  /** The next place of each mark, so that each is searched only once. */
  const places = new Map<string, number>();
  const next = (mark: string, from: number): number => {
    let place = places.get(mark) ?? -1;
    if (place < from) {
      place = text.indexOf(mark, from);
      places.set(mark, place === -1 ? (place = Infinity) : place);
    }
    return place;
  };
  const quoteFrom = (line: number, lineEnd: number): number => {
    for (let from = line; ;) {
      const quote = LONG_QUOTES.reduce((one, other) => (next(other, from) < next(one, from) ? other : one));
      const hit = next(quote, from);
      if (hit >= lineEnd) return 0;
      from = hit + quote.length;
      if (!BEFORE_QUOTE.test(text.slice(Math.max(line, hit - 3), hit))) continue;
      // SQL doubles its marks: `('''a'' is a string'`.
      if (quote === "'''" && hit > line && text.slice(from, lineEnd).includes("'")) continue;
      const past = next(quote, from) + quote.length;
      if (past > lineEnd) return past < Infinity ? past : 0;
      from = past;
    }
  };
  return (at, lineEnd) => {
    for (const [opening, closing] of LONG_COMMENTS)
      if (text.startsWith(opening, at)) {
        const place = next(closing, at + opening.length);
        if (place < Infinity) return place + closing.length;
      }
    return quoteFrom(at, lineEnd);
  };
}

/** Most units of a line to read. */
const LONGEST_OPENING = 80;
