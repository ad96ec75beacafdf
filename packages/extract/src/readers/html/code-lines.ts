// Lists, tables and boxes of lines of code, as highlighters make them: the items, rows or boxes are lines, in `<pre>`
// or instead of it. Text between the lines of a list or table is dropped.
import type { TreeBuilder } from '../../tree/builder.ts';
import { languageOf, type Attributes } from './attributes.ts';
import type { Element } from './elements.ts';
import type { OpenElements } from './open-elements.ts';

/** The innermost list, table or box of lines of code that is open, if any. */
export class CodeLines {
  readonly #builder: TreeBuilder;
  readonly #elements: OpenElements;
  /** Position of its element, or -1. */
  #position = -1;
  /** True when its current line has text. */
  #hasText = false;
  /** True in a line that is a box. */
  #isInLine = false;
  /** Position of the box that may hold lines, or -1. */
  #box = -1;

  constructor(builder: TreeBuilder, elements: OpenElements) {
    this.#builder = builder;
    this.#elements = elements;
  }

  /** Opens a list or table of lines of code, before its element is pushed, and returns the callback for its end. */
  open(attributes: Attributes): () => void {
    const builder = this.#builder;
    const { isInCode } = builder;
    if (isInCode) builder.boundary();
    else builder.openCode(languageOf(attributes));
    const outside = this.#position;
    this.#position = this.#elements.length;
    return () => {
      this.#position = outside;
      if (!isInCode) builder.closeCode();
    };
  }

  /**
   * Opens a box that holds code if it holds lines, before its element is pushed, and returns the callback for its end.
   */
  openBox(): () => void {
    const outside = { box: this.#box, position: this.#position };
    this.#box = this.#elements.length;
    return () => {
      if (this.#position === this.#box) this.#builder.closeCode();
      this.#builder.boundary();
      this.#box = outside.box;
      this.#position = outside.position;
    };
  }

  /** True where a line may be a box. */
  get isInBox(): boolean {
    return this.#box > -1;
  }

  /** Opens a line that is a box: the first one begins the code. */
  openBoxLine(): () => void {
    if (this.#builder.isInCode) this.#builder.boundary();
    else this.#builder.openCode();
    this.#position = this.#box;
    this.#isInLine = true;
    const endLine = this.#openLine();
    return () => {
      this.#isInLine = false;
      endLine();
    };
  }

  /**
   * True for an element that is only part of a list or table of lines: its items and rows are lines, its cells and
   * sections nothing.
   */
  isPart({ role }: Element): boolean {
    if (this.#position === -1 || (this.#position === this.#box && !this.#isInLine)) return false;
    return role === 'item' || role === 'row' || role === 'section' || role === 'cell';
  }

  /** Opens such an element, and returns the callback for its end. */
  openPart({ role }: Element): (() => void) | undefined {
    return role === 'item' || role === 'row' ? this.#openLine() : undefined;
  }

  #openLine(): () => void {
    this.#hasText = false;
    return () => {
      if (this.#hasText) this.#builder.boundary();
      else this.#builder.lineBreak();
    };
  }

  /**
   * Reports that text follows. Returns false between the lines of a list or table, where text is dropped; in a box the
   * text ends the code.
   */
  takesText(text: string): boolean {
    if (this.#position === -1) return true;
    if (this.#position === this.#box && !this.#isInLine) {
      if (!this.#builder.isInCode) return true;
      if (text.trim() === '') return false;
      this.#builder.closeCode();
      return true;
    }
    if (!this.#isInLine && Math.max(this.#elements.last('li'), this.#elements.last('cell')) < this.#position)
      return false;
    this.#hasText = true;
    return true;
  }
}
