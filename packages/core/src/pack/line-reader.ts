// Text without blocks → ranges for prose.ts. The first characters of a line show headings, list items, code between
// fences and table rows; all else is paragraphs. The content of an item and the meaning of a table's columns are left
// to the block readers.
import { lineEnd, lineStart, skipBlank } from '../blocks/lines.ts';
import { BACKTICK, DASH, EQUALS, FEED, fenceLength, HASH, PIPE, PLUS, skipRun } from '../blocks/marks.ts';
import { beginsItem } from '../sentences/items.ts';
import { isBlank } from '../unicode.ts';
import { STRENGTH } from './atoms.ts';
import { headingEnd, type HeadingLine, headingOf } from './heading-line.ts';
import { isWideLine, type Prose } from './prose.ts';

/** A longer run of backticks is a drawn line, and opens nothing. */
const WIDEST_FENCE = 16;
/** The first letter of ASCII. Figures stand before it, and all marks of ASCII that open a line but two. */
const FIRST_LETTER = 0x41;
/** General punctuation to arrows: among them are the bullets of Unicode … */
const FIRST_SIGN = 0x2000;
const LAST_SIGN = 0x2bff;
/** … and the box drawings of tables. */
const FIRST_BOX = 0x2500;
const LAST_BOX = 0x257f;

/** Reads ranges of one text line by line and adds their content to its {@link Prose}. */
export class LineReader {
  readonly #prose: Prose;
  readonly #text: string;
  readonly #open: ((heading: HeadingLine) => void) | undefined;
  // The current range, which ends with the next blank line or heading.
  #rangeStart = 0;
  /** The strength of the gap before the range. */
  #gap = 0;
  /** The starts of its parts without the last one, … */
  readonly #parts: number[] = [];
  /** … and which of them are code or rows of a table, through which no sentence runs. */
  readonly #areLaidOut: boolean[] = [];
  #count = 0;
  // Its last part, still open.
  #partStart = 0;
  #isLaidOut = false;
  /** The first unit of the last part that is not blank. */
  #opening = 0;
  /** The end of the code that was entered last. */
  #codeEnd = 0;
  /** No run of this many backticks, or more, closes the fence in the rest of the range, … */
  #unclosed = WIDEST_FENCE + 1;
  /** … and none follows in the text. */
  #unfollowed = WIDEST_FENCE + 1;

  /**
   * @param open called with each heading of a wiki, just before it is added. Given for the paragraphs of a text that
   * was read as blocks: there a line that begins with `#` is rather a comment, and no chunk should end with a comment
   * either
   */
  constructor(prose: Prose, text: string, open?: (heading: HeadingLine) => void) {
    this.#prose = prose;
    this.#text = text;
    this.#open = open;
  }

  /**
   * Adds [start, end), which begins behind all that was added before. Linear.
   *
   * @param strength of the gap before the first atom
   */
  add(start: number, end: number, strength: number): void {
    this.#unclosed = this.#unfollowed;
    this.#beginRange(start, start, strength);
    this.#addParted(start, end);
    this.#endRange(end);
  }

  /**
   * Adds all but the range that ends with the text. A separate function, because the engine leaves a compiled loop at
   * code that it has never run.
   */
  #addParted(start: number, end: number): void {
    const text = this.#text;
    for (let at = start; at < end;) {
      // Skips blank lines, to the start and the first unit of the next line with content.
      let line = at;
      let first = at;
      for (; first < end; first++) {
        const code = text.charCodeAt(first);
        if (code === FEED) line = first + 1;
        else if (!isBlank(code)) break;
      }
      if (line > at || first === end) {
        this.#endRange(at);
        this.#beginRange(line, first, STRENGTH.paragraph);
      }
      if (first === end) break;
      const mark = text.charCodeAt(first);
      // Most lines begin with a letter, and a call for each would cost as much as all the rest.
      const isPlain =
        mark >= FIRST_LETTER &&
        mark !== BACKTICK &&
        mark !== PIPE &&
        (mark < FIRST_SIGN || mark > LAST_SIGN) &&
        !this.#isLaidOut;
      const feed = text.indexOf('\n', isPlain ? first : this.#readMarked(mark, start, line, first, end));
      at = feed === -1 ? end : feed + 1;
    }
  }

  /**
   * Reads a line that begins with a mark, or stands behind code or rows. Returns the offset from which to search its
   * end: behind the line when more than the line has been read.
   */
  #readMarked(mark: number, start: number, line: number, first: number, end: number): number {
    const text = this.#text;
    const opensCode = mark === BACKTICK && first >= this.#codeEnd;
    if (opensCode) this.#codeEnd = this.#fenceEnd(first, end);
    if (first < this.#codeEnd || isRow(mark, text.charCodeAt(first + 1))) {
      if (!this.#isLaidOut) this.#beginPart(line, first, true);
      // Code that fits stays whole, blank lines and all.
      return opensCode && this.#prose.fits(first, this.#codeEnd) ? this.#codeEnd : first;
    }
    const last = mark === HASH || mark === EQUALS ? headingEnd(text, start, line, first, end) : -1;
    if (last !== -1) {
      this.#endRange(line);
      if (mark === EQUALS) this.#open?.(headingOf(text, first, last));
      this.#prose.addHeading(first, last);
      this.#beginRange(last, last, STRENGTH.paragraph);
      return last;
    }
    if (this.#isLaidOut || beginsItem(text, this.#opening, first, end)) this.#beginPart(line, first, false);
    return first;
  }

  #beginRange(start: number, first: number, gap: number): void {
    this.#rangeStart = this.#partStart = start;
    this.#gap = gap;
    this.#count = 0;
    this.#opening = first;
    this.#isLaidOut = first < this.#codeEnd;
  }

  #beginPart(start: number, first: number, isLaidOut: boolean): void {
    // The first line of a range only gives the kind of its first part.
    if (start > this.#rangeStart) {
      this.#parts[this.#count] = this.#partStart;
      this.#areLaidOut[this.#count++] = this.#isLaidOut;
      this.#partStart = start;
    }
    this.#opening = first;
    this.#isLaidOut = isLaidOut;
  }

  /** Adds the current range, which ends here. */
  #endRange(end: number): void {
    const isProse = this.#count === 0 && !this.#isLaidOut;
    if (isProse) this.#prose.addSentences(this.#rangeStart, end, this.#gap);
    else if (!this.#prose.addWhole(this.#rangeStart, end, this.#gap)) this.#addParts(end);
  }

  #addParts(end: number): void {
    this.#beginPart(end, end, false);
    this.#parts[this.#count] = end;
    let gap = this.#gap;
    for (let index = 0; index < this.#count; index++) {
      const from = this.#parts[index] ?? end;
      const to = this.#parts[index + 1] ?? end;
      if (this.#areLaidOut[index] === true) this.#prose.addLines(from, to, gap);
      else this.#prose.addSentences(from, to, gap);
      gap = isWideLine(this.#text, to - 1) ? STRENGTH.paragraph : STRENGTH.line;
    }
  }

  /** The end of the code whose fence opens at `first`, the closing line included; `first` when no line closes it. */
  #fenceEnd(first: number, end: number): number {
    const text = this.#text;
    const open = lineEnd(text, first, end);
    const length = fenceLength(text, first, open);
    if (length === 0 || length >= this.#unclosed) return first;
    const fence = text.slice(first, first + length);
    let at = text.indexOf(fence, open);
    for (; at !== -1 && at < end; at = text.indexOf(fence, at)) {
      const after = skipRun(text, at, end, BACKTICK);
      const isFirst = text.charCodeAt(lineStart(text, at, open) - 1) === FEED;
      if (isFirst && skipBlank(text, after, end) >= lineEnd(text, after, end)) return after;
      at = after;
    }
    this.#unclosed = length;
    if (at === -1) this.#unfollowed = length;
    return first;
  }
}

/** True for the beginning of a table row, or of a line between two rows: `|`, `+-`, `+=` or a box drawing. */
function isRow(mark: number, after: number): boolean {
  if (mark === PLUS) return after === DASH || after === EQUALS;
  return mark === PIPE || (mark >= FIRST_BOX && mark <= LAST_BOX);
}
