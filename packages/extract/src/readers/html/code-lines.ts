// Lists and tables of lines of code, as highlighters make them: the items or rows are lines, in `<pre>` or instead of it, and what stands in
// none of them is no text.
import type { TreeBuilder } from '../../tree/builder.ts';
import { languageOf, type Attributes } from './attributes.ts';
import type { Element } from './elements.ts';
import type { OpenElements } from './open-elements.ts';

/** The innermost list or table of lines of code that is open, if any. */
export class CodeLines {
  readonly #builder: TreeBuilder;
  readonly #elements: OpenElements;
  /** Position of its element, or -1. */
  #position = -1;
  /** True when its present line has text. */
  #hasText = false;

  constructor(builder: TreeBuilder, elements: OpenElements) {
    this.#builder = builder;
    this.#elements = elements;
  }

  /** Opens one, before its element is pushed, and gives what is to be done at its end. */
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

  /** True for an element that is but a part of one: its items and rows are lines, its cells and sections nothing. */
  isPart({ role }: Element): boolean {
    if (this.#position === -1) return false;
    return role === 'item' || role === 'row' || role === 'section' || role === 'cell';
  }

  /** Opens such an element, and gives what is to be done at its end. */
  openPart({ role }: Element): (() => void) | undefined {
    if (role !== 'item' && role !== 'row') return undefined;
    this.#hasText = false;
    return () => {
      if (this.#hasText) this.#builder.boundary();
      else this.#builder.lineBreak();
    };
  }

  /** Notes that text is to be written. False between its lines, where there is none. */
  takesText(): boolean {
    if (this.#position === -1) return true;
    if (Math.max(this.#elements.last('li'), this.#elements.last('cell')) < this.#position) return false;
    this.#hasText = true;
    return true;
  }
}
