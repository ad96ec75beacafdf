// Paragraphs and lists that go on over what interrupts them: a note at the foot of a column, a figure's labels, the end
// of a page with its running head and number. Nothing is left out: what stands between comes before the paragraph or
// behind it, always on its own page.
import { isCompany, isItem, unitsOf, type ParagraphRule, type Unit } from './flow.ts';
import { furnitureOf, isAside } from './margins.ts';
import { CAPTION, isSameSize, SENTENCE_END, SMALL_LETTER, type Line } from './text.ts';

/** A page whose lines are joined. */
export interface PageFlow {
  readonly lines: readonly Line[];
  /** Lines of notes in the margin. */
  readonly notes: ReadonlySet<Line>;
  readonly isParagraphEnd: ParagraphRule;
  /** Whether more stands at its end than its lines. */
  readonly isClosed: boolean;
}

/** The lines of pages in the order in which they are told. */
export interface JoinedPages {
  /**
   * Of a paragraph or list that goes on over the end of its page only the first line is here, as the last of its page.
   */
  readonly pages: readonly (readonly Line[])[];
  /** The units of those, by their first lines; where the pages begin, they say. */
  readonly long: ReadonlyMap<Line, readonly Unit[]>;
  /** The pages in which one of those goes on from the page before to the page after. */
  readonly within: ReadonlySet<number>;
}

/** Joins what goes on. `isText` tells lines of paragraphs and lists from those of headings, tables and code. Linear. */
export function joinPages(flows: readonly PageFlow[], isText: (line: Line) => boolean): JoinedPages {
  const pages = flows.map((flow) => overNotes(flow, isText));
  const furniture = furnitureOf(pages);
  const long = new Map<Line, Unit[]>();
  const within = new Set<number>();
  /** The list that takes up the whole of the page, and goes on from the one before. */
  let open: Unit[] | undefined;
  for (const [at, flow] of flows.entries()) {
    const page = pages[at] ?? [];
    const next = pages[at + 1] ?? [];
    const list = open;
    open = undefined;
    const first = next.findIndex((line) => !isAside(line, furniture));
    const begin = next[first];
    if (begin === undefined || flow.isClosed) continue;
    const last = page.findLastIndex((line) => !isAside(line, furniture) && !isSmall(line, begin));
    const rest = restOf(next, first, isText, flows[at + 1]?.isParagraphEnd ?? flow.isParagraphEnd);
    const units = list ?? lastUnits(page, last, isText, flow.isParagraphEnd);
    const more = units.length === 0 ? [] : moreUnits(units, rest, isText);
    const head = units[0]?.lines[0];
    if (head === undefined || more.length === 0) continue;
    append(units, more);
    const own = new Set(more.flatMap(({ lines }) => lines));
    pages[at + 1] = next.filter((line) => !own.has(line));
    if (list === undefined) {
      const start = page.indexOf(head);
      long.set(head, units);
      pages[at] = [...page.slice(0, start), ...page.slice(last + 1), head];
    } else within.add(at);
    const isWhole = pages[at + 1]?.every((line) => isAside(line, furniture)) === true;
    if (isWhole && units[0]?.marker !== undefined) open = units;
  }
  return { pages, long, within };
}

/** The paragraph or the list at the end of a page, up to a line. */
function lastUnits(
  page: readonly Line[],
  last: number,
  isText: (line: Line) => boolean,
  isParagraphEnd: ParagraphRule,
): Unit[] {
  const end = page[last];
  if (end === undefined || !isText(end)) return [];
  const before = page.slice(0, last).findLastIndex((line) => line.text !== '' && !isText(line));
  const units = unitsOf(page.slice(before + 1, last + 1), isParagraphEnd).filter(isFilled);
  const paragraph = units.findLastIndex(({ marker }) => marker === undefined);
  // An item without an end goes on in what the page has below it.
  return paragraph === units.length - 1 ? units.slice(-1) : units.slice(paragraph + 1);
}

/** The paragraphs and items that a page begins with. */
function restOf(
  page: readonly Line[],
  first: number,
  isText: (line: Line) => boolean,
  isParagraphEnd: ParagraphRule,
): Unit[] {
  const length = page.slice(first).findIndex((line) => line.text !== '' && !isText(line));
  const lines = page.slice(first, length === -1 ? page.length : first + length);
  return unitsOf(lines, isParagraphEnd).filter(isFilled);
}

function isFilled({ lines }: Unit): boolean {
  return lines.some(({ text }) => text !== '');
}

/** Those of the next page's units that go on with the last ones of a page. */
function moreUnits(units: readonly Unit[], rest: readonly Unit[], isText: (line: Line) => boolean): Unit[] {
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

/** Adds the units of the next page; the rest of the last one is one with it. */
function append(units: Unit[], [first, ...others]: readonly Unit[]): void {
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

/** Notes, captions and labels are set no larger than this many times the text. */
const SMALL = 0.92;

export function isSmall(line: Pick<Line, 'size'>, text: Pick<Line, 'size'>): boolean {
  return line.size <= SMALL * text.size;
}

/** Whether the sentence of one line goes on in another that does not follow it. */
function goesOn(end: Line, begin: Line, isText: (line: Line) => boolean): boolean {
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
    SMALL_LETTER.test(begin.text)
  );
}

/** The index behind the paragraph of a line. */
function endOf(
  lines: readonly Line[],
  at: number,
  isText: (line: Line) => boolean,
  isParagraphEnd: ParagraphRule,
): number {
  for (; at + 1 < lines.length; at++) {
    const [line, next] = [lines[at], lines[at + 1]];
    if (line === undefined || next === undefined || !isText(next) || isItem(next)) break;
    if (!line.isDivided && isParagraphEnd(line, next)) break;
  }
  return at + 1;
}

/** Longer runs of small lines interrupt nothing: they are a text of their own. */
const MAX_NOTE_LINES = 60;

/** Puts notes and labels in the middle of a sentence behind its paragraph. */
function overNotes(
  { lines, notes, isParagraphEnd }: PageFlow,
  isText: (line: Line) => boolean,
): readonly Line[] {
  const told: Line[] = [];
  let isChanged = false;
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    if (line === undefined) break;
    told.push(line);
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
    for (const one of [...lines.slice(next, stop), ...lines.slice(at, next)]) told.push(one);
    isChanged = true;
    at = stop;
  }
  return isChanged ? told : lines;
}

/**
 * The index behind the small lines and the captions from a place on, blank ones with them; the place itself when there
 * are none.
 */
function behindNotes(
  lines: readonly Line[],
  at: number,
  text: Line,
  isText: (line: Line) => boolean,
  isParagraphEnd: ParagraphRule,
): number {
  let end = at;
  let notes = 0;
  let isCaption = false;
  // A word that is cut goes on in any case; whole sentences are told with the captions where they stand.
  const isCut = text.isDivided || /\p{L}-$/u.test(text.text);
  for (; end < lines.length && end - at < MAX_NOTE_LINES; end++) {
    const [before, line] = [lines[end - 1], lines[end]];
    if (line === undefined) break;
    isCaption =
      (isCut && CAPTION.test(line.text)) ||
      (isCaption && before !== undefined && !isParagraphEnd(before, line));
    if (line.text !== '' && !((isCaption || isSmall(line, text)) && isText(line))) break;
    if (line.text !== '') notes++;
  }
  return notes === 0 ? at : end;
}
