// Text that nobody has read as blocks → ranges for prose.ts. What a line begins with tells headings, items of lists,
// the code between fences and the rows of tables; all else is paragraphs. What an item holds and what a table's columns
// mean is left to those who read blocks.
import { lineEnd, lineStart, skipBlank } from '../blocks/lines.ts';
import { BACKTICK, DASH, EQUALS, FEED, fenceLength, HASH, PIPE, PLUS, skipRun } from '../blocks/marks.ts';
import { beginsItem } from '../sentences/items.ts';
import { isBlank } from '../unicode.ts';
import { STRENGTH } from './atoms.ts';
import { headingEnd, type HeadingLine, headingOf } from './heading-line.ts';
import { isWideLine, type Prose } from './prose.ts';

/** A longer run of backticks is a line that somebody drew, and opens nothing. */
const WIDEST_FENCE = 16;
/** The first letter of ASCII. Figures stand before it, and all marks of ASCII that open a line but two. */
const FIRST_LETTER = 0x41;
/** General punctuation to arrows: among them are the bullets of Unicode … */
const FIRST_SIGN = 0x2000;
const LAST_SIGN = 0x2bff;
/** … and the box drawings of which tables are made. */
const FIRST_BOX = 0x2500;
const LAST_BOX = 0x257f;

/** Reads ranges of one text line by line and adds what they hold to its {@link Prose}. */
export class LineReader {
  readonly #prose: Prose;
  readonly #text: string;
  readonly #open: ((heading: HeadingLine) => void) | undefined;
  // The range that is being read, which ends with the next blank line or heading.
  #rangeStart = 0;
  /** The strength of the gap before it. */
  #gap = 0;
  /** Where its parts begin but the last one, … */
  readonly #parts: number[] = [];
  /** … and which of them are code or rows of a table, that no sentence runs through. */
  readonly #areLaidOut: boolean[] = [];
  #count = 0;
  // Its last part, which is being read.
  #partStart = 0;
  #isLaidOut = false;
  /** The first unit of it that is not blank. */
  #opening = 0;
  /** Where the code ends that was entered last. */
  #codeEnd = 0;
  /** From the last fence on no run of so many backticks, or more, closes one in what is being added, … */
  #unclosed = WIDEST_FENCE + 1;
  /** … and no such run follows in the text. */
  #unfollowed = WIDEST_FENCE + 1;

  /**
   * @param open told of each heading of a wiki, just before it is added; given for the paragraphs of a text that was
   * read as blocks, in which a line that begins with `#` is rather a comment, which no chunk should end with either
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
   * Adds all but the range that ends with the text. By itself, so that the engine never leaves the compiled loop for
   * want of having seen what follows it.
   */
  #addParted(start: number, end: number): void {
    const text = this.#text;
    for (let at = start; at < end;) {
      // Past blank lines, to where the next line with anything in it starts, and to what it begins with.
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
      // Most lines begin with a letter, and a call for each would cost as much as all else.
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
   * Reads a line that begins with a mark, or stands behind code or rows. Returns where to look for its end: behind it
   * when more than the line has been read.
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
    // The first line of a range only says what its first part is.
    if (start > this.#rangeStart) {
      this.#parts[this.#count] = this.#partStart;
      this.#areLaidOut[this.#count++] = this.#isLaidOut;
      this.#partStart = start;
    }
    this.#opening = first;
    this.#isLaidOut = isLaidOut;
  }

  /** Adds the range that is being read, which ends here. */
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

  /** Where the code ends whose fence opens at `first`, the line that closes it included; `first` when none does. */
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

/** True for what a row of a table, or a line between two rows, begins with: `|`, `+-`, `+=` or a box drawing. */
function isRow(mark: number, after: number): boolean {
  if (mark === PLUS) return after === DASH || after === EQUALS;
  return mark === PIPE || (mark >= FIRST_BOX && mark <= LAST_BOX);
}
