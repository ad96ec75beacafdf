// A line of Markdown while its marks are consumed one after the other, in units and in columns. A tab reaches to the
// next multiple of four columns (CommonMark 0.31.2, section 2.2), and a mark may consume a part of it.
import { isOtherBlank, skipBlank } from './lines.ts';
import * as mark from './marks.ts';

/** A line indented by this many columns is code, or continues a paragraph. */
export const CODE_INDENT = 4;

/** The position in the current line. Linear: each call reads blanks that no other call reads again. */
export class LineCursor {
  readonly #text: string;
  /** End of the consumed part, and its columns. */
  #offset = 0;
  #column = 0;

  /** The first character that is not blank, a mark of a container perhaps. */
  start = 0;
  /** The end of the line, without its line end. */
  end = 0;
  /** The first character behind the consumed part that is neither space nor tab. */
  next = 0;
  /** Columns of the blanks before `next` that are not consumed. */
  indent = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The code of the character at `next`; NaN at the end of the text. */
  get code(): number {
    return this.#text.charCodeAt(this.next);
  }

  /** Goes to the line [start, end). */
  begin(start: number, end: number): void {
    this.end = end > start && this.#text.charCodeAt(end - 1) === mark.RETURN ? end - 1 : end;
    this.#offset = start;
    this.#column = 0;
    this.#findNext();
    // Markdown takes other blanks, such as a no-break space, for text, but no leaf begins with them.
    this.start = isOtherBlank(this.code) ? skipBlank(this.#text, this.next, this.end) : this.next;
  }

  /** Consumes columns of the indentation, perhaps only part of a tab. */
  advance(columns: number): void {
    this.indent -= columns;
    let left = columns;
    while (left > 0) {
      const width = this.#text.charCodeAt(this.#offset) === mark.TAB ? 4 - (this.#column & 3) : 1;
      this.#column += Math.min(width, left);
      if (width <= left) this.#offset++;
      left -= width;
    }
  }

  /** Consumes the indentation and the mark of `length` units behind it. */
  consume(length: number): void {
    this.#offset = this.next + length;
    this.#column += this.indent + length;
    this.#findNext();
  }

  /** Moves `next` and `indent` past the blanks behind the consumed part. */
  #findNext(): void {
    let at = this.#offset;
    let column = this.#column;
    for (; at < this.end; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === mark.SPACE) column++;
      else if (code === mark.TAB) column += 4 - (column & 3);
      else {
        // A line of nothing but other blanks counts as blank, because no leaf may be blank.
        if (isOtherBlank(code) && skipBlank(this.#text, at, this.end) === this.end) at = this.end;
        break;
      }
    }
    this.next = at;
    this.indent = column - this.#column;
  }
}
