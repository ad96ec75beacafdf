// The conditions under which lines are a heading by themselves, by their number, or where others in their style are.
import type { Body } from './body.ts';
import { NUMBER, numberDepth } from './sections.ts';
import { typeOf } from './title-styles.ts';
import { CAPTION, hasLeader, isSameSize, SAME_SIZE, SMALL_LETTER, type TextLine } from '../lines/text.ts';

/** Lines that may be one heading. */
export interface Title {
  readonly lines: readonly TextLine[];
  readonly text: string;
  readonly size: number;
  readonly isLarge: boolean;
  /** Depth by the outline; 0 when the line is not in it. */
  readonly outlined: number;
  /** As of `styleOf`. */
  readonly style: string;
  /** True for a part of a form that counts. */
  readonly isPart: boolean;
}

/** A bold line smaller than this share of the body size is a label or a note. */
const SMALLEST_BOLD = 0.9;
/** A bold name of code above text is a title from this share on: code is set smaller. */
export const SMALLEST_CODE = 0.8;
/** Text with a small initial letter and no larger than this many times the body is the label of a field. */
const LARGE_LOWER = 1.5;
/** Longest heading in characters, in large type and in bold body type. */
const MAX_LARGE = 200;
const MAX_BOLD = 120;
/** Text a little larger than the body with the end of a sentence is a sentence from so many words on. */
const SENTENCE_WORDS = 4;
/** A large line longer than this with the end of a sentence is a sentence. */
const MAX_SENTENCE = 80;
/** Longest heading in lines. */
export const MAX_LINES = 4;
/** A bold line at body size needs a gap before it wider than this many usual line distances. */
const GAP_BEFORE = 1.15;
/** A sentence does not go on over a gap wider than this many of them. */
const GAP_AFTER = 1.5;

/** The lines around those of a title. */
export interface TitlePlace {
  readonly before: TextLine | undefined;
  readonly after: TextLine | undefined;
  readonly pitch: number;
  /** The right edge of the page's full lines. */
  readonly right: number;
}

/** True if lines meet the conditions of every heading, in any type. */
export function mayBeHeading({ lines, text, outlined, isPart }: Title): boolean {
  const [first] = lines;
  if (first === undefined || first.isTurned || lines.length > MAX_LINES || text.length > MAX_LARGE)
    return false;
  if (
    (!isPart && !hasWord(text, outlined > 0)) ||
    CAPTION.test(text) ||
    PAGE_LABEL.test(text) ||
    hasLeader(text)
  )
    return false;
  if (outlined === 0 && (BULLET.test(text) || WIDE_MARK_END.test(text))) return false;
  return (
    outlined > 0 ||
    isPart ||
    !lines.some((line, index) => cellsOf(line) > 1 || isBeside(lines[index - 1], line))
  );
}

/** Lines of code stand no further apart than this many times their size, and titles do. */
const CODE_PITCH = 1.5;

/** True for a word of code in bold: the line above or below is code too. */
export function isInCode({ lines, outlined }: Title, body: Body, { before, after }: TitlePlace): boolean {
  const [first, last] = [lines[0], lines.at(-1)];
  if (outlined > 0 || first === undefined || last?.isFixedPitch !== true) return false;
  const isCode = (line: TextLine | undefined, distance: (baseline: number) => number): boolean => {
    if (line?.isFixedPitch !== true || typeOf(line) === body.type || !isSameSize(line.size, last.size))
      return false;
    const drop = distance(line.baseline);
    return drop > 0 && drop < CODE_PITCH * last.size;
  };
  return (
    isCode(before, (baseline) => baseline - first.baseline) ||
    isCode(after, (baseline) => last.baseline - baseline)
  );
}

export function isHeading(candidate: Title, body: Body, place: TitlePlace): boolean {
  const [first] = candidate.lines;
  if (candidate.outlined > 0) return !isSentenceOfBody(candidate, first, body);
  if (candidate.isPart) return true;
  if (first === undefined || FIGURE_LABEL.test(place.before?.text ?? '')) return false;
  return candidate.isLarge ? isLargeHeading(candidate, body) : isBoldHeading(candidate, first, body, place);
}

/**
 * True if lines with the number of a section may be its heading without any other sign: the title is the name of a
 * command, the font's name does not show bold, or the lines of the text are as far apart as the heading is. A heading
 * in the type of the text needs white space above, and a text of its own below.
 */
export function isNumberedHeading(
  { lines, text, size, isLarge }: Title,
  body: Body,
  { before, after, pitch, right }: TitlePlace,
): boolean {
  const [first] = lines;
  const last = lines.at(-1);
  if (first === undefined || last === undefined) return false;
  if (text.length > MAX_BOLD || NO_TITLE_END.test(text) || RUN_IN.test(text) || text.includes(' = '))
    return false;
  const drop = last.baseline - (after?.baseline ?? -Infinity);
  // Above a drawing or at the end of a page a longer number is needed.
  if (numberDepth(text) < LONG_NUMBER && (drop <= 0 || drop > 4 * Math.max(pitch, size))) return false;
  if (isLarge || (first.isBold && !body.isBold && size >= SMALLEST_BOLD * body.size)) return true;
  const gap = before === undefined ? Infinity : before.baseline - first.baseline;
  return (
    lines.length === 1 &&
    size > (1 - SAME_SIZE) * body.size &&
    (gap < 0 || gap > GAP_BEFORE * pitch) &&
    last.right < right - 2 * size &&
    !(SMALL_LETTER.test(after?.text ?? '') && isSameSize(after?.size ?? 0, size)) &&
    numberDepth(after?.text ?? '') !== numberDepth(text)
  );
}

/** Number of parts. */
const LONG_NUMBER = 3;

/** True if a line may be a heading where others in its style are: it stands alone, and differs from the text. */
export function isLikeTitle(
  { lines, text, size, isLarge, style }: Title,
  body: Body,
  { before, after, pitch, right }: TitlePlace,
): boolean {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined || style.startsWith(body.type) || lines.length > 2)
    return false;
  const isName = first.isFixedPitch && first.isBold && after?.isFixedPitch === false;
  const smallest = (isName ? SMALLEST_CODE : SMALLEST_BOLD) * body.size;
  if (size < smallest || text.length > MAX_BOLD || /[.;,]$/.test(text)) return false;
  if (body.isBold && first.isBold && !isLarge) return false;
  if (!isLarge && last.right > right - 2 * size && numberDepth(text) === 0) return false;
  const gap = before === undefined ? Infinity : before.baseline - first.baseline;
  const isApart = gap < 0 || gap > GAP_BEFORE * pitch;
  const drop = after === undefined ? pitch : last.baseline - after.baseline;
  if (text.endsWith(':') && gap > 0 && gap < APART * drop) return false;
  return (isApart || (first.isBold && !isName) || isLarge) && drop > 0;
}

/** A title with a colon is so many times as far from the text above as from that below. */
const APART = 1.3;

function isLargeHeading({ text, size }: Title, body: Body): boolean {
  if (size < LARGE_LOWER * body.size && (LOWER_CASE.test(text) || isSentence(text))) return false;
  return !/[;,]$/.test(text) && !(text.length > MAX_SENTENCE && SENTENCE_END.test(text));
}

/** True for a sentence in the type of the text, which an outline may name by mistake. */
function isSentenceOfBody({ text, isLarge }: Title, first: TextLine | undefined, body: Body): boolean {
  return (
    !isLarge && (first?.isBold !== true || body.isBold) && text.length > MAX_SENTENCE && /[.:]$/.test(text)
  );
}

/** True if a text without a number ends as a sentence does and is longer than a name. */
function isSentence(text: string): boolean {
  return (
    numberDepth(text) === 0 &&
    /\p{Ll}{2}[)\]”’"']?[.:]$/u.test(text) &&
    text.split(' ').length >= SENTENCE_WORDS
  );
}

function isBoldHeading(
  { lines, text, size }: Title,
  first: TextLine,
  body: Body,
  place: TitlePlace,
): boolean {
  if (!first.isBold || body.isBold || size < SMALLEST_BOLD * body.size) return false;
  if (text.length > MAX_BOLD || lines.length > 2 || NO_HEADING_END.test(text) || LOWER_CASE.test(text))
    return false;
  if (text.includes(' = ')) return false;
  const last = lines.at(-1) ?? first;
  // A full line that goes on in the next one, in another type, is a lead-in.
  if (last.right > place.right - 2 * size && numberDepth(text) === 0) return false;
  const { before, after, pitch } = place;
  const gap = before === undefined ? Infinity : before.baseline - first.baseline;
  const isApart = gap < 0 || gap > GAP_BEFORE * pitch;
  const drop = after === undefined ? -1 : last.baseline - after.baseline;
  // So is a line whose sentence goes on in the next line.
  const isRight = drop < GAP_AFTER * pitch;
  if (after !== undefined && isRight && LOWER_CASE.test(after.text) && isSameSize(after.size, size))
    return false;
  return isApart && drop > 0 && drop < 4 * Math.max(pitch, size);
}

/** True if a line stands beside the one before it, which is no section's number: the page of an entry. */
function isBeside(before: TextLine | undefined, line: TextLine): boolean {
  const isLevel = Math.abs((before?.baseline ?? Infinity) - line.baseline) < line.size / 2;
  return before !== undefined && isLevel && !SECTION.test(before.text);
}

/** Number of cells of a line besides the number of its section. */
function cellsOf({ cells }: TextLine): number {
  return cells.length - (cells.length > 1 && SECTION.test(cells[0]?.text ?? '') ? 1 : 0);
}

/**
 * A heading has a word behind its number; page numbers, formulas, rows of figures and drop caps have none. In the
 * outline are letters of an index ("A") and dates too.
 */
function hasWord(text: string, isOutlined: boolean): boolean {
  if (isOutlined && /\p{L}/u.test(text) && text.split(/\s+/).length <= FEW) return true;
  const title = numberDepth(text) > 1 ? text.replace(NUMBER, '') : text;
  const letters = title.match(LETTERS)?.join('').length ?? 0;
  return WORD.test(title) && letters * 2 >= title.replace(/\s+/g, '').length;
}

/** A row of figures has more of them. */
const FEW = 3;
const LETTERS = /\p{L}+/gu;
const WORD = /\p{L}{3}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u;
const SECTION =
  /^(?:(?:chapter|section|part|appendix|kapitel)\s)?(?:\d{1,3}(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3})*|[IVX]{1,5})[.:]?$|^\((?:\d{1,2}|[a-z]|[ivx]{1,4})\)$/i;
/** The label alone above the title of a figure or table. */
const FIGURE_LABEL = /^(?:fig(?:ure|\.)?|table|abbildung|tabelle)\s*[\dIVX]+(?:[.-]\d+)*[.:]?$/i;
/** The letter of a section ("(a) Methods") is no small initial. */
const LOWER_CASE = /^(?!\([a-z]{1,3}\)\s+\p{Lu})[^\p{L}]*\p{Ll}/u;
const PAGE_LABEL = /^(?:page|seite|p\.)\s*\d+(?:\s*$|\s*(?:of|von|\/)\s*\d)/i;
const SENTENCE_END = /[.!?;,]["'\u2019\u201D)\]]*$/;
const NO_HEADING_END = /[.;,:]$/;
const NO_TITLE_END = /[.;,:?!]$/;
/** A sentence behind the title in its line: the text of the section begins there. */
const RUN_IN = /(?:\p{L}{2}|\))\.\s+\p{Lu}/u;
/** Marks that end sentences and clauses in Chinese and Japanese; even a short title has none at its end. */
const WIDE_MARK_END = /[。，；：、！？]$/;
/** The sign of an item, even with bold text in the item. */
const BULLET = /^[•‣◦▪▫●○■□*·]\s/;
