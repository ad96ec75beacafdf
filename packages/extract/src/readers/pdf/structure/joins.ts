// Joins paragraphs and lists across interruptions: a note at the foot of a column, a figure's labels, the end of a page
// with its running head and number. Nothing is left out: the interruption comes before the paragraph or behind it,
// always on its own page.
import { isCompany, isItem, unitsOf, type ParagraphRule, type TextUnit } from './flow.ts';
import { furnitureOf, isAside, ownNumbers } from '../lines/margins.ts';
import { CAPTION, isSameSize, isSmall, SENTENCE_END, SMALL_LETTER, type TextLine } from '../lines/text.ts';

/** A page whose lines are joined. */
export interface PageFlow {
  readonly lines: readonly TextLine[];
  /** Lines of notes in the margin. */
  readonly notes: ReadonlySet<TextLine>;
  readonly isParagraphEnd: ParagraphRule;
  /** True if more than its lines stands at its end. */
  readonly isClosed: boolean;
}

/** The lines of pages in output order. */
export interface JoinedPages {
  /** A paragraph or list across the end of its page has only its first line here, as the last of its page. */
  readonly pages: readonly (readonly TextLine[])[];
  /** The units of those paragraphs and lists, by their first lines; the units hold the page breaks. */
  readonly long: ReadonlyMap<TextLine, readonly TextUnit[]>;
  /** The pages that lie wholly within one of them. */
  readonly within: ReadonlySet<number>;
}

/** Joins paragraphs and lists. `isText` separates their lines from those of headings, tables and code. Linear. */
export function joinPages(flows: readonly PageFlow[], isText: (line: TextLine) => boolean): JoinedPages {
  const pages = flows.map((flow) => moveNotes(flow, isText));
  const furniture = furnitureOf(pages);
  const numbered = new Set(ownNumbers(pages));
  const long = new Map<TextLine, TextUnit[]>();
  const within = new Set<number>();
  /** The list that fills the whole page and continues the one before. */
  let open: TextUnit[] | undefined;
  for (const [at, flow] of flows.entries()) {
    const page = pages[at] ?? [];
    const next = pages[at + 1] ?? [];
    const list = open;
    open = undefined;
    const isBody = (line: TextLine): boolean => !isAside(line, furniture);
    const lastOf = (line: TextLine): number =>
      page.findLastIndex((one) => isBody(one) && !isSmall(one, line));
    const behind = next.findIndex((line) => isBody(line) && !numbered.has(line));
    const body = next[behind];
    const end = body && page[lastOf(body)];
    // A head that alone counts its page is no evidence, but a sentence is that goes on behind it.
    const isHead = body !== undefined && end !== undefined && goesOn(end, body, isText);
    const first = isHead ? behind : next.findIndex(isBody);
    const begin = next[first];
    if (begin === undefined || flow.isClosed) continue;
    const last = lastOf(begin);
    const rest = restOf(next, first, isText, flows[at + 1]?.isParagraphEnd ?? flow.isParagraphEnd);
    const units = list ?? lastUnits(page, last, isText, flow.isParagraphEnd);
    const more = units.length === 0 ? [] : moreUnits(units, rest, isText);
    const start = units[0]?.lines[0];
    if (start === undefined || more.length === 0) continue;
    append(units, more);
    const own = new Set(more.flatMap(({ lines }) => lines));
    pages[at + 1] = next.filter((line) => !own.has(line));
    if (list === undefined) {
      long.set(start, units);
      pages[at] = [...page.slice(0, page.indexOf(start)), ...page.slice(last + 1), start];
    } else within.add(at);
    const isWhole = pages[at + 1]?.every((line) => isAside(line, furniture)) === true;
    if (isWhole && units[0]?.marker !== undefined) open = units;
  }
  return { pages, long, within };
}

/** The paragraph or the list at the end of a page, up to a line. */
function lastUnits(
  page: readonly TextLine[],
  last: number,
  isText: (line: TextLine) => boolean,
  isParagraphEnd: ParagraphRule,
): TextUnit[] {
  const end = page[last];
  if (end === undefined || !isText(end)) return [];
  const before = page.slice(0, last).findLastIndex((line) => line.text !== '' && !isText(line));
  const units = unitsOf(page.slice(before + 1, last + 1), isParagraphEnd).filter(isFilled);
  const paragraph = units.findLastIndex(({ marker }) => marker === undefined);
  // An item without an end goes on in the text below it on the page.
  return paragraph === units.length - 1 ? units.slice(-1) : units.slice(paragraph + 1);
}

/** The paragraphs and items that a page begins with. */
function restOf(
  page: readonly TextLine[],
  first: number,
  isText: (line: TextLine) => boolean,
  isParagraphEnd: ParagraphRule,
): TextUnit[] {
  const length = page.slice(first).findIndex((line) => line.text !== '' && !isText(line));
  const lines = page.slice(first, length === -1 ? page.length : first + length);
  return unitsOf(lines, isParagraphEnd).filter(isFilled);
}

function isFilled({ lines }: TextUnit): boolean {
  return lines.some(({ text }) => text !== '');
}

/** The units of the next page that continue the last ones of a page. */
function moreUnits(
  units: readonly TextUnit[],
  rest: readonly TextUnit[],
  isText: (line: TextLine) => boolean,
): TextUnit[] {
  const [first] = rest;
  const last = units.at(-1);
  const [end, begin] = [last?.lines.at(-1), first?.lines[0]];
  if (first === undefined || last === undefined || end === undefined || begin === undefined) return [];
  const isList = last.marker !== undefined;
  const isRest = first.marker === undefined && last.pageBreak === undefined && goesOn(end, begin, isText);
  const items = rest.slice(isRest ? 1 : 0);
  const count = items.findIndex(({ marker }) => marker === undefined);
  const next = isList ? items.slice(0, count === -1 ? items.length : count) : [];
  const isSame = next[0] !== undefined && units.some((unit) => isCompany(unit, next[0] ?? unit, 1));
  return [...(isRest ? [first] : []), ...(isSame && (isRest || first.marker !== undefined) ? next : [])];
}

/** Adds the units of the next page; the rest of the last unit joins it. */
function append(units: TextUnit[], [first, ...others]: readonly TextUnit[]): void {
  const last = units.at(-1);
  if (first === undefined || last === undefined) return;
  if (first.marker === undefined)
    units[units.length - 1] = {
      ...last,
      lines: [...last.lines, ...first.lines],
      pageBreak: last.lines.length,
    };
  else units.push({ ...first, pageBreak: 0 });
  for (const unit of others) units.push(unit);
}

/** True if the sentence of one line goes on in another that does not follow it. */
function goesOn(end: TextLine, begin: TextLine, isText: (line: TextLine) => boolean): boolean {
  return (
    isText(end) &&
    isText(begin) &&
    end.cells.length === 1 &&
    begin.cells.length === 1 &&
    end.size > 0 &&
    isSameSize(end.size, begin.size) &&
    end.isBold === begin.isBold &&
    !SENTENCE_END.test(end.text) &&
    !CAPTION.test(end.text) &&
    (SMALL_LETTER.test(begin.text) || isWithinBrackets(end.text, begin.text))
  );
}

/** True if a text ends within brackets that another closes. */
function isWithinBrackets(end: string, begin: string): boolean {
  const isOpen =
    Math.max(end.lastIndexOf('['), end.lastIndexOf('(')) >
    Math.max(end.lastIndexOf(']'), end.lastIndexOf(')'));
  return isOpen && /^[^[\]()]*[\])]/.test(begin);
}

/** The index behind the paragraph of a line. */
function endOf(
  lines: readonly TextLine[],
  at: number,
  isText: (line: TextLine) => boolean,
  isParagraphEnd: ParagraphRule,
): number {
  for (; at + 1 < lines.length; at++) {
    const [line, next] = [lines[at], lines[at + 1]];
    if (line === undefined || next === undefined || !isText(next) || isItem(next)) break;
    if (!line.isDivided && isParagraphEnd(line, next)) break;
  }
  return at + 1;
}

/** Lines of a paragraph are no further apart than this many times the font size. */
const PITCH = 1.8;

/** True if a line stands between two lines of a paragraph in their distance: it is small by the code in it. */
function isWithin(before: TextLine, line: TextLine, next: TextLine | undefined): boolean {
  if (next === undefined || !isSameSize(before.size, next.size)) return false;
  const [above, below] = [before.baseline - line.baseline, line.baseline - next.baseline];
  const isAligned = Math.max(Math.abs(before.left - next.left), Math.abs(line.left - next.left)) < line.size;
  return isAligned && above > 0 && above < PITCH * before.size && Math.abs(above - below) < 1;
}

/** Longer runs of small lines are a text of their own and no interruption. */
const MAX_NOTE_LINES = 60;

/** Puts notes and labels in the middle of a sentence behind its paragraph. */
function moveNotes(
  { lines, notes, isParagraphEnd }: PageFlow,
  isText: (line: TextLine) => boolean,
): readonly TextLine[] {
  const ordered: TextLine[] = [];
  let isChanged = false;
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    if (line === undefined) break;
    ordered.push(line);
    at++;
    if (!isText(line) || line.cells.length !== 1 || SENTENCE_END.test(line.text)) continue;
    const next = behindNotes(lines, at, line, isText, isParagraphEnd);
    const begin = lines[next];
    if (next === at || begin === undefined) continue;
    const note = lines[at];
    const isBeside =
      note !== undefined &&
      notes.has(note) &&
      !notes.has(line) &&
      isText(begin) &&
      isSameSize(line.size, begin.size) &&
      begin.baseline < line.baseline &&
      !isParagraphEnd(line, begin);
    if (!isBeside && !goesOn(line, begin, isText)) continue;
    const stop = endOf(lines, next, isText, isParagraphEnd);
    for (const one of [...lines.slice(next, stop), ...lines.slice(at, next)]) ordered.push(one);
    isChanged = true;
    at = stop;
  }
  return isChanged ? ordered : lines;
}

/**
 * The index behind the small lines and the captions from an index on, including blank ones; that index itself when
 * there are none.
 */
function behindNotes(
  lines: readonly TextLine[],
  at: number,
  text: TextLine,
  isText: (line: TextLine) => boolean,
  isParagraphEnd: ParagraphRule,
): number {
  let end = at;
  let notes = 0;
  let isCaption = false;
  // A divided word always goes on; whole sentences stay with the captions in place.
  const isCut = text.isDivided || /\p{L}-$/u.test(text.text);
  for (; end < lines.length && end - at < MAX_NOTE_LINES; end++) {
    const [before, line] = [lines[end - 1], lines[end]];
    if (line === undefined || (end === at && isWithin(text, line, lines[at + 1]))) break;
    isCaption =
      (isCut && CAPTION.test(line.text)) ||
      (isCaption && before !== undefined && !isParagraphEnd(before, line));
    if (line.text !== '' && !((isCaption || isSmall(line, text)) && isText(line))) break;
    if (line.text !== '') notes++;
  }
  return notes === 0 ? at : end;
}
