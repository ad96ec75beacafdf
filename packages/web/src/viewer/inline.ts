// Inline Markdown as runs of visible text: strong, emphasis, code, links. It follows CommonMark 0.31.2 sections 6.1 to
// 6.9 for the marks that prose has; anything else stays visible as it is written. A run is a slice of the text, so the
// viewer colours it like any other slice, and no markup is ever parsed.
import type { Span } from '@grainline/core';

/** A style of a run. */
export type InlineStyle = 'strong' | 'em' | 'code' | 'del' | 'link' | 'image' | 'sup';

/** Visible text of one set of styles, or the end of a line. */
export interface InlineRun extends Span {
  readonly styles: readonly InlineStyle[];
  /** Target of a link. */
  readonly target?: string;
  /** True when a line ends behind the run. */
  readonly breaks?: boolean;
}

/** A style from one offset to another. */
interface Styled extends Span {
  readonly style: InlineStyle;
  readonly target?: string;
}

/** The marks of one text. */
interface Marks {
  readonly hidden: Span[];
  readonly styled: Styled[];
  /** Offsets at which a line ends. */
  readonly breaks: Set<number>;
}

/** A run of `*`, `_` or `~` that may open or close emphasis. */
interface Delimiter {
  readonly mark: string;
  /** Offset of the first mark that is left, and the number of those. */
  start: number;
  count: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
}

/** HTML that formats text and has no text of its own. */
const TAG =
  /<(?:\/?(?:b|i|u|s|em|strong|del|ins|sub|sup|span|p|div|td|th|tr|table|thead|tbody|caption|a|code|kbd|small|center|font)(?:\s+[\w:-]{1,50}(?:\s*=\s*(?:"[^"<>]{0,500}"|'[^'<>]{0,500}'|[^\s"'<>=`]{1,500}))?){0,20}\s*\/?|br ?\/?|!--[^]{0,500}?--)>/iy;
const AUTOLINK = /<((?:https?:|mailto:)[^\s<>]{1,1000}|[\w.+-]{1,64}@[\w.-]{1,200})>/iy;
/** The rest of a link: a target in parentheses, with a title, or the name of a definition. */
const TARGET =
  /\((?:<([^<>\n]{0,2000})>|((?:[^\s()<]|\([^\s()]{0,500}\)){0,2000}))(?:\s+(?:"[^"]{0,500}"|'[^']{0,500}'))?\s?\)|\[[^\][]{0,200}\]/y;
const FOOTNOTE = /\[\^[^\]\s]{1,100}\]/y;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const BLANK = /\s/;
/** Punctuation and symbols of all scripts, which decide on the sides of a delimiter (section 6.2). */
const SIGN = /[\p{P}\p{S}]/u;

/** The runs of a text without the marks of its block, by offsets in that text. Linear but for nested emphasis. */
export function inlineRuns(text: string): InlineRun[] {
  return runsOf(text, marksOf(text));
}

function marksOf(text: string): Marks {
  const marks: Marks = { hidden: [], styled: [], breaks: new Set() };
  const delimiters: Delimiter[] = [];
  const brackets: { readonly at: number; readonly isImage: boolean }[] = [];
  for (let at = 0; at < text.length;) at = readMark(text, at, { marks, delimiters, brackets });
  emphasize(delimiters, marks);
  return marks;
}

interface Reading {
  readonly marks: Marks;
  readonly delimiters: Delimiter[];
  readonly brackets: { readonly at: number; readonly isImage: boolean }[];
}

/** Reads what stands at an offset, and returns the offset behind it. */
function readMark(text: string, at: number, reading: Reading): number {
  const { marks, delimiters, brackets } = reading;
  switch (text.charAt(at)) {
    case '\\':
      return readEscape(text, at, marks);
    case '`':
      return readCode(text, at, marks);
    case '<':
      return readTag(text, at, marks);
    case '\n':
      return readLineEnd(text, at, marks);
    case '!':
      if (text.charAt(at + 1) !== '[') return at + 1;
      brackets.push({ at, isImage: true });
      return at + 2;
    case '[':
      return readOpening(text, at, reading);
    case ']':
      return readLink(text, at, reading);
    case '*':
    case '_':
    case '~': {
      const delimiter = delimiterAt(text, at);
      delimiters.push(delimiter);
      return at + delimiter.count;
    }
    default:
      return at + 1;
  }
}

function readEscape(text: string, at: number, { hidden, breaks }: Marks): number {
  const next = text.charAt(at + 1);
  if (next === '\n') breaks.add(at + 1);
  else if (!PUNCTUATION.test(next)) return at + 1;
  hidden.push({ start: at, end: at + 1 });
  return at + 2;
}

/** `` ` `` … `` ` ``: from a run of backticks to the next one of the same length. */
function readCode(text: string, at: number, { hidden, styled }: Marks): number {
  const open = runLength(text, at);
  let close = at + open;
  for (;;) {
    close = text.indexOf('`', close);
    if (close === -1) return at + open;
    const length = runLength(text, close);
    if (length === open) break;
    close += length;
  }
  const content = text.slice(at + open, close);
  const isPadded = content.startsWith(' ') && content.endsWith(' ') && content.trim() !== '';
  const pad = isPadded ? 1 : 0;
  const [start, end] = [at + open + pad, close - pad];
  hidden.push({ start: at, end: start }, { start: end, end: close + open });
  styled.push({ start, end, style: 'code' });
  return close + open;
}

function readTag(text: string, at: number, { hidden, styled, breaks }: Marks): number {
  const link = matchAt(AUTOLINK, text, at);
  if (link !== undefined) {
    const [all, target = ''] = link;
    const [start, end] = [at + 1, at + all.length - 1];
    hidden.push({ start: at, end: start }, { start: end, end: end + 1 });
    styled.push({ start, end, style: 'link', target });
    return end + 1;
  }
  const tag = matchAt(TAG, text, at)?.[0];
  if (tag === undefined) return at + 1;
  hidden.push({ start: at, end: at + tag.length });
  if (/^<br/i.test(tag)) breaks.add(at);
  return at + tag.length;
}

/** Two blanks before a line end make it a break (section 6.7). */
function readLineEnd(text: string, at: number, { breaks }: Marks): number {
  if (text.slice(Math.max(0, at - 2), at) === '  ') breaks.add(at);
  return at + 1;
}

function readOpening(text: string, at: number, { marks, brackets }: Reading): number {
  const note = matchAt(FOOTNOTE, text, at)?.[0];
  if (note === undefined) {
    brackets.push({ at, isImage: false });
    return at + 1;
  }
  const end = at + note.length;
  marks.hidden.push({ start: at, end: at + 2 }, { start: end - 1, end });
  marks.styled.push({ start: at + 2, end: end - 1, style: 'sup' });
  return end;
}

function readLink(text: string, at: number, { marks, brackets }: Reading): number {
  const open = brackets.pop();
  const rest = open === undefined ? undefined : matchAt(TARGET, text, at + 1);
  if (open === undefined || rest === undefined) return at + 1;
  const start = open.at + (open.isImage ? 2 : 1);
  const end = at + 1 + rest[0].length;
  marks.hidden.push({ start: open.at, end: start }, { start: at, end });
  const target = rest[1] ?? rest[2];
  const style = open.isImage ? 'image' : 'link';
  marks.styled.push({ start, end: at, style, ...(target === undefined ? {} : { target }) });
  return end;
}

/** The delimiter at an offset, with the sides on which it may stand (section 6.2). */
function delimiterAt(text: string, at: number): Delimiter {
  const mark = text.charAt(at);
  const count = runLength(text, at);
  const [before, after] = [text.charAt(at - 1), text.charAt(at + count)];
  const isBlank = (character: string): boolean => character === '' || BLANK.test(character);
  const opens = !isBlank(after) && (!SIGN.test(after) || isBlank(before) || SIGN.test(before));
  const closes = !isBlank(before) && (!SIGN.test(before) || isBlank(after) || SIGN.test(after));
  const isLow = mark === '_';
  return {
    mark,
    start: at,
    count,
    canOpen: opens && (!isLow || !closes || SIGN.test(before)) && (mark !== '~' || count === 2),
    canClose: closes && (!isLow || !opens || SIGN.test(after)) && (mark !== '~' || count === 2),
  };
}

/** Pairs delimiters from the inside out, as "process emphasis" of CommonMark's appendix. */
function emphasize(delimiters: Delimiter[], { hidden, styled }: Marks): void {
  const open: Delimiter[] = [];
  for (const closer of delimiters) {
    while (closer.canClose && closer.count > 0) {
      const index = open.findLastIndex(({ mark, count }) => mark === closer.mark && count > 0);
      const opener = open[index];
      if (opener === undefined) break;
      // Openers between the two pair with neither.
      open.length = index + 1;
      const used = Math.min(2, opener.count, closer.count);
      const start = opener.start + opener.count;
      opener.count -= used;
      hidden.push({ start: start - used, end: start }, { start: closer.start, end: closer.start + used });
      const style = closer.mark === '~' ? 'del' : used === 2 ? 'strong' : 'em';
      styled.push({ start, end: closer.start, style });
      closer.start += used;
      closer.count -= used;
      if (opener.count === 0) open.pop();
    }
    if (closer.canOpen && closer.count > 0) open.push(closer);
  }
}

/** Cuts the text at every edge of a mark, and leaves the hidden parts out. */
function runsOf(text: string, { hidden, styled, breaks }: Marks): InlineRun[] {
  const edges = new Map<number, Edge>([
    [0, newEdge()],
    [text.length, newEdge()],
  ]);
  const edgeAt = (at: number): Edge => {
    const edge = edges.get(at) ?? newEdge();
    edges.set(at, edge);
    return edge;
  };
  for (const { start, end } of hidden) {
    edgeAt(start).hides++;
    edgeAt(end).hides--;
  }
  for (const span of styled) {
    edgeAt(span.start).opens.push(span);
    edgeAt(span.end).closes.push(span);
  }
  for (const at of breaks) edgeAt(at);
  const runs: InlineRun[] = [];
  const open = new Set<Styled>();
  let hides = 0;
  const ordered = [...edges].sort(([one], [other]) => one - other);
  for (const [index, [start, edge]] of ordered.entries()) {
    hides += edge.hides;
    for (const span of edge.closes) open.delete(span);
    // An empty span closes where it opens.
    for (const span of edge.opens) if (span.end > start) open.add(span);
    if (breaks.has(start)) runs.push({ start, end: start, styles: [], breaks: true });
    const end = ordered[index + 1]?.[0] ?? start;
    if (end > start && hides === 0) runs.push({ start, end, ...styleOf(open) });
  }
  return runs;
}

/** The marks that begin or end at one offset. */
interface Edge {
  hides: number;
  readonly opens: Styled[];
  readonly closes: Styled[];
}

const newEdge = (): Edge => ({ hides: 0, opens: [], closes: [] });

function styleOf(open: ReadonlySet<Styled>): Pick<InlineRun, 'styles' | 'target'> {
  const styles = new Set<InlineStyle>();
  let target: string | undefined;
  for (const span of open) {
    styles.add(span.style);
    target ??= span.target;
  }
  return { styles: [...styles], ...(target === undefined ? {} : { target }) };
}

function runLength(text: string, at: number): number {
  let end = at;
  while (text.charAt(end) === text.charAt(at)) end++;
  return end - at;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
