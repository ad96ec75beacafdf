// Lines of a paragraph → its text. Most line breaks are those of the page. Those of verse, addresses and labels are the
// author's, which the room that they leave shows: the first word of the next line would have fitted.
import { hasLeader, isUnspaced, joinLines, quantile, SMALL_LETTER, type TextLine } from './text.ts';

/** `'join'`: a paragraph of wrapped lines is one line of text. `'keep'`: it has the breaks of the page. */
export type LineMode = 'join' | 'keep';

/** How a page's lines become paragraphs. */
export interface LineBreaks {
  readonly mode: LineMode;
  /** The edge that the text around a line of the page reaches; `undefined` for a line of another page. */
  readonly reachOf?: (line: TextLine) => number | undefined;
}

/** The text of a paragraph, and the offset of the page that begins in it. */
export interface ParagraphText {
  readonly text: string;
  readonly pageBreak?: number;
}

/** The text of consecutive lines. `pageBreak` is the number of lines before the page that begins in it. Linear. */
export function paragraphText(
  lines: readonly TextLine[],
  { mode, reachOf = () => undefined }: LineBreaks,
  pageBreak?: number,
): ParagraphText {
  const filled = lines.filter(isFilled);
  if (pageBreak === undefined)
    return { text: joinLines(filled, separatorsOf(filled, mode, reachOf, filled.length)) };
  const before = lines.slice(0, pageBreak).filter(isFilled).length;
  const separators = separatorsOf(filled, mode, reachOf, before);
  const text = joinLines(filled, separators);
  const rest = joinLines(filled.slice(before), separators.slice(before));
  return { text, pageBreak: text.length - rest.length };
}

function isFilled({ text }: TextLine): boolean {
  return text !== '';
}

type ReachOf = NonNullable<LineBreaks['reachOf']>;

/** The separator behind each line. */
function separatorsOf(
  lines: readonly TextLine[],
  mode: LineMode,
  reachOf: ReachOf,
  pageBreak: number,
): string[] {
  if (mode === 'keep') return lines.map(() => '\n');
  const separators = lines.map(() => ' ');
  let from = 0;
  for (const [at, line] of lines.entries()) {
    const next = lines[at + 1];
    // A paragraph goes on in another column or on another page only within a sentence.
    if (next !== undefined && at + 1 !== pageBreak && next.baseline <= line.baseline) continue;
    for (const broken of ownBreaks(lines.slice(from, at + 1), reachOf)) separators[from + broken] = '\n';
    from = at + 1;
  }
  return separators;
}

/** When at least this share of the breaks leave room for the next word, all are the author's. */
const MANY = 0.5;
/** Lines that differ by less than this share of the measure may be wrapped, by a program that counts letters. */
const UNEVEN = 0.1;
/** Among wrapped lines a line was ended by its author when it leaves this share of the measure free. */
const SHORT = 0.25;

/** The indices of the lines of a column behind which the author broke the line. */
function ownBreaks(lines: readonly TextLine[], reachOf: ReachOf): readonly number[] {
  if (lines.length < 2) return [];
  const breaks = Array.from({ length: lines.length - 1 }, (_, at) => at);
  const isApart = lines.map((line, at) => standsApart(line, lines[at - 1], lines[at + 1]));
  const wrapped = breaks.filter((at) => isApart[at] === false && isApart[at + 1] === false);
  const column = columnOf(lines);
  const isFree = (at: number, share: number): boolean =>
    column.roomAt(at) > Math.max(needOf(lines[at + 1]), share * column.width);
  const free = wrapped.filter((at) => isFree(at, UNEVEN));
  if (free.length >= MANY * wrapped.length || isBlockOfItsOwn(lines, wrapped, reachOf)) return breaks;
  return breaks.filter((at) => isApart[at] === true || isApart[at + 1] === true || isFree(at, SHORT));
}

/** Justified lines have gaps up to this many times the font size. */
const STRETCHED = 1.5;

/**
 * True for lines that are no running text: turned lines, entries of a list of contents, and pieces with wide gaps
 * between that no line above or below crosses, as in rows of a table; and for lines without a position.
 */
function standsApart(line: TextLine, above: TextLine | undefined, below: TextLine | undefined): boolean {
  if (line.isTurned || line.cells.length === 0 || hasLeader(line.text)) return true;
  return line.cells.slice(1).some(({ left, right }, at) => {
    const before = line.cells[at] ?? { left, right };
    const [from, to] = [Math.min(right, before.right), Math.max(left, before.left)];
    if (to - from < STRETCHED * line.size) return false;
    return ![above, below].some((other) => other?.cells.some((cell) => cell.left < from && cell.right > to));
  });
}

/** The column that lines fill, and the room that each leaves in it. */
interface Column {
  readonly width: number;
  readonly roomAt: (index: number) => number;
}

function columnOf(lines: readonly TextLine[]): Column {
  const spans = lines.map(spanOf);
  const size = lines[0]?.size ?? 0;
  const begin = spans.reduce((least, span) => Math.min(least, span.begin), Infinity);
  const end = measureOf(spans, begin, size);
  const widest = spans.reduce((most, span) => Math.max(most, span.end - span.begin), 0);
  const isCentred = areCentred(spans, size);
  const roomAt = (at: number): number => {
    const span = spans[at] ?? NOWHERE;
    return isCentred ? widest - (span.end - span.begin) : end - span.end;
  };
  return { width: end - begin, roomAt };
}

/** Wrapped lines end within this many times the font size of each other, and an overlong word juts out beyond them. */
const RAGGED = 1.5;
/** But it juts out by no more than this share of the measure. */
const JUTTING = 0.2;

/** The edge that two lines of a column reach, near that of the longest, or the edge of the longest. */
function measureOf(spans: readonly Span[], begin: number, size: number): number {
  const ends = Float64Array.from(spans, (span) => span.end).sort();
  const longest = ends.at(-1) ?? 0;
  for (let at = ends.length - 1; at > 0; at--) {
    const [before = 0, end = 0] = [ends[at - 1], ends[at]];
    if (end < longest - JUTTING * (longest - begin)) break;
    if (end - before < RAGGED * size) return end;
  }
  return longest;
}

/** The edges of a line in the direction of its text. */
interface Span {
  readonly begin: number;
  readonly end: number;
}

const NOWHERE: Span = { begin: 0, end: 0 };
/** The first letter of a text from right to left: Hebrew, Arabic and their neighbours. */
const RIGHT_TO_LEFT = /^[^\p{L}]*[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/u;

function spanOf({ left, right, text }: TextLine): Span {
  return RIGHT_TO_LEFT.test(text) ? { begin: -right, end: -left } : { begin: left, end: right };
}

/** True if lines of several lengths have one middle. */
function areCentred(spans: readonly Span[], size: number): boolean {
  const [{ begin, end } = NOWHERE] = spans;
  const isLevel = spans.every((span) => Math.abs(span.begin - begin) < size);
  return !isLevel && spans.every((span) => Math.abs(span.begin + span.end - begin - end) < size);
}

/** A word is wider than its share of its line by up to this factor, and a blank is this share of the font size. */
const WIDEST = 1.3;
const BLANK = 0.5;

/** The width that the first word of a line takes on the line before. */
function needOf(line: TextLine | undefined): number {
  if (line === undefined) return Infinity;
  const { text, left, right, size } = line;
  const blank = text.indexOf(' ');
  const length = isUnspaced(text) ? 1 : blank === -1 ? text.length : blank;
  return (WIDEST * length * (right - left)) / Math.max(1, text.length) + BLANK * size;
}

/** No running text is set in lines of so few characters. */
const NARROW = 25;

/**
 * True if lines of similar length are a block of their own and no running text: they are very short, or all leave room
 * in the text around, and no sentence goes on in the next line.
 */
function isBlockOfItsOwn(lines: readonly TextLine[], breaks: readonly number[], reachOf: ReachOf): boolean {
  const [first] = lines;
  if (first === undefined || breaks.length === 0) return false;
  if (lines.slice(1).some(({ text }) => SMALL_LETTER.test(text) || isUnspaced(text))) return false;
  if (lines.every(({ text }) => text.length <= NARROW)) return true;
  const reach = reachOf(first);
  if (reach === undefined) return false;
  const { begin } = spanOf(first);
  return breaks.every((at) => {
    const room = reach - spanOf(lines[at] ?? first).end;
    return room > needOf(lines[at + 1]) && room > SHORT * (reach - begin);
  });
}

/** So many lines before and behind a line show how far its text reaches. */
const AROUND = 60;
/** Headings over several columns reach further than the text: at most one line of ten does. */
const ALMOST_ALL = 0.9;

/** The edge that the lines around a line reach: those of its page that begin no later and end no earlier. */
export function reachRule(lines: readonly TextLine[]): ReachOf {
  let places: Map<TextLine, number> | undefined;
  return (line) => {
    places ??= new Map(lines.map((one, index) => [one, index]));
    const at = places.get(line);
    if (at === undefined) return undefined;
    const { begin, end } = spanOf(line);
    const around = lines
      .slice(Math.max(0, at - AROUND), at + AROUND)
      .filter((one) => one.text !== '' && !one.isTurned)
      .map(spanOf)
      .filter((one) => one.begin <= begin + line.size && one.end >= end);
    return quantile(
      around.map((one) => one.end),
      ALMOST_ALL,
    );
  };
}
