// Footnotes of a page: small type at the foot of a column that begins with a mark, where the text has the same mark
// behind a word. They leave the lines of the page, so that sentences go on over them.
import type { Table } from '../tables/cells.ts';
import { CAPTION, isSmall, type TextLine } from '../lines/text.ts';

/** A footnote. */
export interface Footnote {
  /** Its mark: a number or signs. */
  readonly label: string;
  /** The first without the mark. */
  readonly lines: readonly TextLine[];
}

/**
 * The lines of a page without its footnotes, the marks in them as `[^1]`, and the footnotes by the lines that refer to
 * them.
 */
export interface FootedPage {
  readonly lines: readonly TextLine[];
  readonly footnotes: ReadonlyMap<TextLine, readonly Footnote[]>;
  /** The lowest footnote. */
  readonly last?: Footnote | undefined;
  /** Small type without a mark at the foot, above the footnotes: the rest of one of the page before, perhaps. */
  readonly rest: readonly TextLine[];
}

/** Facts about the lines of a page. */
export interface FootnoteContext {
  /** Font size of the document's text. */
  readonly size: number;
  readonly tables: ReadonlyMap<TextLine, Table>;
  /** True for lines that are no text: in the margin, running heads, page numbers. */
  readonly isApart: (line: TextLine) => boolean;
  readonly isCode: (line: TextLine) => boolean;
}

const MARK =
  /^(?:(\d{1,3})|([*∗†‡§¶]{1,3})|\((\d{1,3})\))\s?(?=["“‘«„<([]?\s?(?:\p{Lu}|\p{Lo}|https?:|www\.|see |cf\.|ibid|e\.g|i\.e))/u;
/** The mark in a line above its note. */
const MARK_ALONE = /^(?:\d{1,3}|[*∗†‡§¶]{1,3})$/u;
/** Only so many of a page are examined: with more it is a list. */
const MAX_FOOTNOTES = 40;
/** The lines of a footnote are at most this many times their size apart, and differ in size by at most this share. */
const MOST_DROP = 2.5;
const SAME_NOTE = 0.1;
/** Longer small type is no rest of a note. */
const MAX_REST = 25;
/** The text below a worksheet may be a list: so many of its lines begin with numbers. */
const ITEM = /^\d{1,2}\.\s/;
const LEAST_ITEMS = 2;
/** The end of a line of code, whose number is no mark. */
const CODE_END = /[{};]$/;
/** A line of running text has so many characters. */
const LINE_LENGTH = 18;
/** A title stands at most this many times its size above its text, has so many characters, and is larger or bold. */
const TITLE_DROP = 4;
const TITLE_LENGTH = 60;
const LARGER = 1.12;
const WORD = /^\p{L}{3,}[^.]*$/u;

const NONE: ReadonlyMap<TextLine, readonly Footnote[]> = new Map();

/** A possible footnote. */
interface Candidate {
  readonly note: Footnote;
  readonly own: readonly TextLine[];
}

/** Parts the footnotes of a page, given in reading order, from its other lines. Linear. */
export function separateFootnotes(lines: readonly TextLine[], context: FootnoteContext): FootedPage {
  const candidates = candidatesOf(lines, context);
  const none = { lines, footnotes: NONE, rest: [] };
  if (candidates.length > MAX_FOOTNOTES) return none;
  const end = candidates[0]?.own[0];
  const above = unmarkedAt(lines, end === undefined ? lines.length : lines.indexOf(end), context);
  if (candidates.length === 0 && above.length === 0) return none;
  const heights = lines.filter(({ text, isTurned }) => text !== '' && !isTurned);
  heights.sort((a, b) => b.baseline - a.baseline);
  const rest = isAtFoot({ own: above }, heights, context) ? above : [];
  const small = candidates.filter((candidate) => isAtFoot(candidate, heights, context));
  const notes = new Set(small.flatMap(({ own }) => own));
  const text = lines.filter(
    (line) => !notes.has(line) && !context.tables.has(line) && !context.isApart(line) && !line.isTurned,
  );
  const marked = [...text];
  const notesAt = new Map<number, Footnote[]>();
  const taken = new Set<TextLine>();
  let from = 0;
  let last = -1;
  let lowest: Footnote | undefined;
  for (const { note, own } of small) {
    const found = referenceIn(marked, note.label, from);
    const isNext = last > 0 && Number(note.label) === last + 1;
    // The mark of a note between others may be lost; then it goes with the one before.
    const at = found?.at ?? (isNext ? from : -1);
    if (marked[at] === undefined) continue;
    if (found !== undefined) marked[at] = withReference(marked[at], found, note.label);
    from = at;
    last = Number(note.label);
    lowest = note;
    notesAt.set(at, [...(notesAt.get(at) ?? []), note]);
    for (const one of own) taken.add(one);
  }
  if (taken.size === 0) return { ...none, rest };
  const replaced = new Map(text.map((line, at) => [line, marked[at] ?? line]));
  return {
    lines: lines.flatMap((line) => (taken.has(line) ? [] : [replaced.get(line) ?? line])),
    footnotes: new Map(
      [...notesAt].flatMap(([at, notes]) => (marked[at] === undefined ? [] : [[marked[at], notes]])),
    ),
    last: lowest,
    rest,
  };
}

/** The small type right before an index, below running text. */
function unmarkedAt(lines: readonly TextLine[], end: number, context: FootnoteContext): TextLine[] {
  const own: TextLine[] = [];
  for (let at = end - 1; at >= 0; at--) {
    const line = lines[at];
    if (line === undefined || line.text === '' || context.isApart(line)) continue;
    if (!mayBeNote(line, context)) return isRunningText(line, context) ? own : [];
    const [below = line] = own;
    const isNext =
      Math.abs(line.size - below.size) <= SAME_NOTE * below.size && line.baseline >= below.baseline;
    if (!isNext || own.length === MAX_REST) return [];
    own.unshift(line);
  }
  return [];
}

function candidatesOf(lines: readonly TextLine[], context: FootnoteContext): Candidate[] {
  const candidates: Candidate[] = [];
  /** Lines below a title such as "References": they belong to it. */
  const titled = new Set<TextLine>();
  for (let at = 0; at < lines.length; at++) {
    const begun = beginningAt(lines, at, context);
    if (begun === undefined) continue;
    const end = endOf(lines, begun.at, context);
    const own = lines.slice(begun.at, end).filter(({ text }) => text !== '');
    const note = { label: begun.label, lines: [begun.first, ...own.slice(1)] };
    const above = lines.slice(Math.max(0, at - 2), at).findLast(({ text }) => text !== '');
    const isTitled = above !== undefined && (titled.has(above) || isTitleOf(above, own[0], context));
    if (isTitled) for (const line of own) titled.add(line);
    else if (
      own.filter(({ text }) => ITEM.test(text)).length < LEAST_ITEMS &&
      !own.every((line) => context.isCode(line) || CODE_END.test(line.text))
    )
      candidates.push({ note, own: lines.slice(at, end).filter(({ text }) => text !== '') });
    at = end - 1;
  }
  return candidates;
}

/** True if a line is a title right above another: short, and larger than the text or bold in no smaller type. */
function isTitleOf(line: TextLine, below: TextLine | undefined, context: FootnoteContext): boolean {
  const { size, tables, isApart } = context;
  const drop = line.baseline - (below?.baseline ?? Infinity);
  if (drop <= 0 || drop > TITLE_DROP * line.size || line.text.length > TITLE_LENGTH) return false;
  if (line.isTurned || tables.has(line) || isApart(line)) return false;
  return line.size >= LARGER * size || (line.isBold && !isSmall(line, { size }) && WORD.test(line.text));
}

/** The mark of a note, and its first line with the index of it; a raised mark may be a line by itself. */
function beginningAt(
  lines: readonly TextLine[],
  at: number,
  context: FootnoteContext,
): { readonly label: string; readonly at: number; readonly first: TextLine } | undefined {
  const line = lines[at];
  if (line === undefined || !mayBeNote(line, context)) return undefined;
  const next = lines[at + 1];
  if (MARK_ALONE.test(line.text) && next !== undefined && mayBeNote(next, context)) {
    const drop = line.baseline - next.baseline;
    const isBeside = drop > -next.size && drop < MOST_DROP * next.size && next.left >= line.right - 1;
    return isBeside && line.size < next.size ? { label: line.text, at: at + 1, first: next } : undefined;
  }
  const mark = MARK.exec(line.text);
  if (mark === null) return undefined;
  const label = mark[1] ?? mark[2] ?? mark[3] ?? '';
  return { label, at, first: { ...line, text: line.text.slice(mark[0].length) } };
}

function mayBeNote(line: TextLine, { size, tables, isApart }: FootnoteContext): boolean {
  return line.size > 0 && isSmall(line, { size }) && !line.isTurned && !tables.has(line) && !isApart(line);
}

/** The index behind the lines of the footnote that begins at an index. */
function endOf(lines: readonly TextLine[], at: number, context: FootnoteContext): number {
  let end = at + 1;
  let last = lines[at];
  for (let next = end; next < lines.length; next++) {
    const line = lines[next];
    if (line === undefined || last === undefined) break;
    if (line.text === '') continue;
    const drop = last.baseline - line.baseline;
    const isNext =
      mayBeNote(line, context) &&
      Math.abs(line.size - last.size) <= SAME_NOTE * last.size &&
      drop > -last.size / 2 &&
      drop <= MOST_DROP * last.size &&
      isAbove(last, line) &&
      !MARK.test(line.text);
    if (!isNext) break;
    last = line;
    end = next + 1;
  }
  return end;
}

function isAbove({ left, right }: TextLine, line: TextLine): boolean {
  return line.left < right && line.right > left;
}

/** True if no running text stands below: at most small type, or a table with its title. `heights` is from above. */
function isAtFoot(
  { own }: Pick<Candidate, 'own'>,
  heights: readonly TextLine[],
  context: FootnoteContext,
): boolean {
  const last = own.at(-1);
  if (last === undefined) return false;
  const left = Math.min(...own.map((line) => line.left));
  const right = Math.max(...own.map((line) => line.right));
  const below = heights.find(
    (line) =>
      line.baseline < last.baseline &&
      line.left < right &&
      line.right > left &&
      (context.tables.has(line) || CAPTION.test(line.text) || isRunningText(line, context)),
  );
  return below === undefined || !isRunningText(below, context);
}

function isRunningText(line: TextLine, context: FootnoteContext): boolean {
  const isText = line.text.length >= LINE_LENGTH && !isSmall(line, context) && !line.isBold;
  return isText && !context.isApart(line) && !context.tables.has(line) && !CAPTION.test(line.text);
}

/** The mark of a note: the index of its line, and its offsets there, with the blanks and brackets around it. */
interface Reference {
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

/** The mark of a note in the first line from an index on that has it. */
function referenceIn(text: readonly TextLine[], label: string, from: number): Reference | undefined {
  for (const pattern of referencesTo(label)) {
    const reference = new RegExp(pattern, 'du');
    for (let at = from; at < text.length; at++) {
      const line = text[at]?.text ?? '';
      // Few lines have the label at all, and a search for it is cheaper than the pattern.
      const [start, end] = (line.includes(label) ? reference.exec(line)?.indices?.[1] : undefined) ?? [];
      if (start !== undefined && end !== undefined) return { at, start, end };
    }
  }
  return undefined;
}

/** A line with a mark as Markdown writes it. */
function withReference(line: TextLine, { start, end }: Reference, label: string): TextLine {
  const text = `${line.text.slice(0, start)}[^${label}]${line.text.slice(end)}`;
  const [only, ...others] = line.cells;
  return only === undefined || others.length > 0
    ? { ...line, text }
    : { ...line, text, cells: [{ ...only, text }] };
}

/**
 * Patterns of a mark, their first group, behind a word or a sentence, the surest first. Behind a decimal point it is
 * none.
 */
function referencesTo(label: string): readonly string[] {
  if (!/^\d/.test(label)) {
    const sign = label.replaceAll('*', String.raw`\*`);
    return [String.raw`[^\s${sign}](${sign})(?![${sign}\d\p{L}])`];
  }
  return [
    String.raw`(?:\p{L}[)\]”"’'»]*[.,;:!?]?|[)\]”"’'»%][.,;:!?]?|(?:19|20)\d\d[.,;:]?)(${label})(?![\d\p{L}]|[.,]\d)`,
    String.raw`[\p{L}.,;:!?)\]”"’'»%]( ?\(${label}\))`,
    String.raw`[\p{L})”’»]( ${label} )[.,;:](?!\d)`,
  ];
}
