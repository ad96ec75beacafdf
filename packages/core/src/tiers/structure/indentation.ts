// The outline of code by its lines alone: what is indented deeper belongs to the line above it, comments and
// decorators to the line below, closing brackets to what they close. Knows no language.
import { skipBlank } from '../../blocks/lines.ts';
import { GAP, type Outline } from '../../syntax.ts';

/** How lines begin that go on with the block above: closing brackets, `end`, `else` and the like. */
const CLOSING =
  /[)\]}>]|<\/|(?:end(?:if|for\w*|while)?|fi|done|esac|else|elif|elsif|elseif|except|finally|catch|rescue|ensure|then|do)\b/y;
/** How lines begin that belong to the line below: comments, decorators, attributes. */
const ATTACHED =
  /\/[/*]|#(?!include|define|undef|if|el|endif|pragma|error|import)|--|@(?!import|media|include)|\[\[?\w|<!--/y;
/** A return type on a line of its own, as GNU's C has it. */
const BARE_TYPE = /(?:static|extern|inline|const|unsigned|struct|void|int|char|bool|template|auto)\b[\w\s*<>,:]*$/y;
/** What goes on with the line before: `{` alone, or a branch of the preprocessor inside a block. */
const OPENING = /\{[ \t]*$/my;
const BRANCH = /#[ \t]*(?:if|el|endif|define|undef|pragma)/y;
/** What begins a text of several lines, with what ends it. */
const LONG: readonly (readonly [string, string])[] = [
  ['/*', '*/'],
  ['"""', '"""'],
  ["'''", "'''"],
  ['<!--', '-->'],
];

/** The outline of the code in [start, end), with offsets of the text. Linear. */
export function outlineByLines(text: string, start: number, end: number): Outline {
  return new Lines(text, start, end).outline;
}

/** Reads lines one after the other. */
class Lines {
  readonly outline = {
    starts: [] as number[],
    depths: [] as number[],
    bodies: [] as number[],
    signatures: [] as number[],
    gaps: [] as number[],
  };
  private readonly text: string;
  private readonly end: number;
  /** Indentation of the parts that are open, outermost first. */
  private readonly open: number[] = [];
  /** Indentation of comments and the like that wait for what they stand over, or -1. */
  private waiting = -1;
  /** Where the long comment or string that was begun last ends. */
  private past = 0;
  /** Ends that the rest of the text does not have. */
  private readonly missing = new Set<string>();
  /** Depth of the line before. */
  private depth = 0;

  constructor(text: string, start: number, end: number) {
    this.text = text;
    this.end = end;
    let parted = false;
    let at = text.lastIndexOf('\n', start - 1) + 1;
    if (skipBlank(text, at, start) < start) at = start;
    while (at < end) {
      const feed = text.indexOf('\n', at);
      const lineEnd = feed === -1 ? end : Math.min(feed, end);
      const first = skipBlank(text, at, lineEnd);
      if (first < lineEnd && first >= this.past) this.addLine(first, first - at, lineEnd, parted);
      parted = first === lineEnd;
      at = lineEnd + 1;
    }
  }

  private addLine(first: number, column: number, lineEnd: number, parted: boolean): void {
    const { open, outline } = this;
    const waits = !parted && this.waiting === column;
    const attached = this.isAttached(first, lineEnd);
    if (attached && waits) return;
    if (!attached && waits) {
      this.waiting = -1;
      outline.bodies[outline.bodies.length - 1] = first;
      return;
    }
    const before = this.depth;
    if (outline.starts.length > 0 && !parted) {
      if (this.is(OPENING, first)) return;
      if (column === 0 && before > 0 && this.is(BRANCH, first)) return;
    }
    while ((open.at(-1) ?? -1) > column) open.pop();
    if (this.is(CLOSING, first) && outline.starts.length > 0) {
      this.waiting = -1;
      if (before >= open.length) this.addPart(first, open.length, GAP.tied);
      return;
    }
    if (open.at(-1) !== column) open.push(column);
    const depth = open.length - 1;
    const apart = parted || before > depth;
    this.addPart(first, depth, apart ? GAP.apart : GAP.near);
    this.waiting = attached ? column : -1;
  }

  private addPart(start: number, depth: number, gap: number): void {
    const { starts, depths, bodies, signatures, gaps } = this.outline;
    starts.push(start);
    depths.push(depth);
    bodies.push(start);
    signatures.push(0);
    gaps.push(gap);
    this.depth = depth;
  }

  /** True of a line that belongs to the one below. Passes over comments and strings of several lines. */
  private isAttached(first: number, lineEnd: number): boolean {
    for (const [opening, closing] of LONG) {
      if (!this.text.startsWith(opening, first)) continue;
      this.past = Math.max(this.past, this.endOf(closing, first + opening.length));
    }
    if (this.is(ATTACHED, first)) return true;
    return lineEnd - first < LONGEST_TYPE && BARE_TYPE.test(this.text.slice(first, lineEnd));
  }

  /** The offset behind the next `closing`; the one asked about when there is none before the end. */
  private endOf(closing: string, from: number): number {
    if (this.missing.has(closing)) return from;
    const hit = this.text.indexOf(closing, from);
    if (hit !== -1 && hit < this.end) return hit + closing.length;
    this.missing.add(closing);
    return from;
  }

  private is(pattern: RegExp, at: number): boolean {
    pattern.lastIndex = at;
    return pattern.test(this.text);
  }
}

const LONGEST_TYPE = 60;
