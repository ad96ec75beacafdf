// Numbers of the items of an HTML list, as browsers show them: those that Markdown's own numbers cannot show (letters, Roman ones, a list
// that counts down) become labels.
import { numeral } from '../../numerals.ts';
import type { TreeBuilder } from '../../tree/builder.ts';
import { integerOf, type Attributes } from './attributes.ts';

/** An ordered list that is open. */
export class OrderedList {
  readonly #builder: TreeBuilder;
  readonly #format: string;
  readonly #step: 1 | -1;
  #number: number;

  /**
   * Opens it.
   *
   * @param attributes those of `<ol>`
   */
  constructor(attributes: Attributes, builder: TreeBuilder) {
    this.#builder = builder;
    this.#format = formatOf(attributes);
    // Where a list that counts down begins is not known before its end, unless it says so.
    this.#step = attributes.has('reversed') && attributes.has('start') ? -1 : 1;
    this.#number = integerOf(attributes.get('start')) || 1;
    builder.openList({ ordered: this.#isPlain, start: this.#number });
  }

  /** Opens an item; one that says its number begins another list there, for Markdown's numbers go on. */
  openItem(attributes: Attributes): void {
    const builder = this.#builder;
    const own = integerOf(attributes.get('value') ?? 'none');
    if (Number.isInteger(own) && own !== this.#number) {
      this.#number = own;
      if (this.#isPlain) {
        builder.close();
        builder.openList({ ordered: true, start: own });
      }
    }
    builder.openItem(this.#isPlain ? '' : `${numeral(this.#format, this.#number)}. `);
    this.#number += this.#step;
  }

  get #isPlain(): boolean {
    return this.#format === 'decimal' && this.#step === 1;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
};

const STYLE = /list-style(?:-type)?\s*:\s*(lower|upper)-(alpha|latin|roman)/i;

function formatOf(attributes: Attributes): string {
  const [, letters, kind] = STYLE.exec(attributes.get('style') ?? '') ?? [];
  if (letters !== undefined)
    return letters.toLowerCase() + (kind?.toLowerCase() === 'roman' ? 'Roman' : 'Letter');
  return TYPES[attributes.get('type') ?? ''] ?? 'decimal';
}
