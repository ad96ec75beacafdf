// Lists of HTML: items with the numbers that browsers show, which become labels if Markdown's own numbers cannot show
// them (letters, Roman ones, a list that counts down); terms with their descriptions; and the list paragraphs of Word's
// HTML.
import { numeral } from '../../numerals.ts';
import type { TreeBuilder } from '../../tree/builder.ts';
import { Flow } from '../../tree/flow.ts';
import { MAX_START } from '../../tree/node.ts';
import { integerOf, isContents, type Attributes } from './attributes.ts';
import type { OpenElements } from './open-elements.ts';

/** The open lists, except those of lines of code. Each `open…` returns the callback for the end of its element. */
export class Lists {
  readonly #builder: TreeBuilder;
  readonly #elements: OpenElements;
  readonly #definitions: DefinitionList[] = [];
  /** The ordered lists, and the positions of their elements. */
  readonly #ordered: { readonly position: number; readonly list: OrderedList }[] = [];
  readonly #close = (): void => this.#builder.close();

  constructor(builder: TreeBuilder, elements: OpenElements) {
    this.#builder = builder;
    this.#elements = elements;
  }

  open(name: string, attributes: Attributes): () => void {
    if (name !== 'ol') {
      this.#builder.openList({ ordered: false });
      return this.#close;
    }
    const list = new OrderedList(attributes, this.#builder);
    this.#ordered.push({ position: this.#elements.length, list });
    return () => {
      this.#ordered.pop();
      list.close();
    };
  }

  /** An item outside a list, or in a cell of one, has no number. */
  openItem(attributes: Attributes): () => void {
    const innermost = this.#ordered.at(-1);
    const position = this.#elements.list();
    if (innermost?.position === position && position > this.#elements.barrier())
      innermost.list.openItem(attributes);
    else this.#builder.openItem();
    return this.#close;
  }

  openDefinitions(attributes: Attributes): () => void {
    const list = new DefinitionList(
      this.#builder,
      isContents(attributes) || this.#definition()?.isContents === true,
    );
    this.#definitions.push(list);
    return () => {
      list.close();
      this.#definitions.pop();
    };
  }

  /** A term or a description; outside a list it is only a paragraph. */
  openDefinition(isTerm: boolean): () => void {
    const builder = this.#builder;
    builder.boundary();
    const list = this.#definition();
    list?.open(isTerm);
    const isStrong = isTerm && list?.isContents !== true;
    if (isStrong) builder.openMark('strong');
    return () => {
      if (isStrong) builder.closeMark('strong');
      builder.boundary();
    };
  }

  /** The current list of terms and descriptions. */
  #definition(): DefinitionList | undefined {
    return this.#elements.last('dl') > this.#elements.barrier() ? this.#definitions.at(-1) : undefined;
  }
}

/** An item whose number is known at the end of its list. */
interface Unnumbered {
  readonly item: { label?: string } | undefined;
  /** Its own explicit number, NaN without one. */
  readonly own: number;
}

/** An ordered list that is open. */
class OrderedList {
  readonly #builder: TreeBuilder;
  readonly #format: string;
  readonly #step: 1 | -1;
  /** Items of a list that counts down to 1 from the number of its items; `undefined` when the first number is known. */
  readonly #unnumbered: Unnumbered[] | undefined;
  #number: number;
  /** True while Markdown's own numbers equal those of browsers. */
  #isPlain: boolean;

  /**
   * Opens it.
   *
   * @param attributes those of `<ol>`
   */
  constructor(attributes: Attributes, builder: TreeBuilder) {
    this.#builder = builder;
    this.#format = formatOf(attributes);
    const start = integerOf(attributes.get('start') ?? 'none');
    this.#step = attributes.has('reversed') ? -1 : 1;
    this.#unnumbered = this.#step === -1 && !Number.isInteger(start) ? [] : undefined;
    this.#number = Number.isInteger(start) ? start : 1;
    this.#isPlain = this.#canBePlain();
    builder.openList({ ordered: this.#isPlain, start: this.#number });
  }

  /** Opens an item. An item with an explicit number begins another list, because Markdown's numbers go on. */
  openItem(attributes: Attributes): void {
    const builder = this.#builder;
    const own = integerOf(attributes.get('value') ?? 'none');
    if (this.#unnumbered !== undefined) {
      // The label is a placeholder for the final one.
      this.#unnumbered.push({ item: builder.openItem(this.#label()), own });
      return;
    }
    if (Number.isInteger(own) && own !== this.#number) this.#goOnFrom(own);
    builder.openItem(this.#isPlain ? '' : this.#label());
    this.#number += this.#step;
  }

  close(): void {
    this.#number = this.#unnumbered?.length ?? 0;
    for (const { item, own } of this.#unnumbered ?? []) {
      if (Number.isInteger(own)) this.#number = own;
      if (item !== undefined) item.label = this.#label();
      this.#number--;
    }
    this.#builder.close();
  }

  #goOnFrom(number: number): void {
    const wasPlain = this.#isPlain;
    this.#number = number;
    this.#isPlain = this.#canBePlain();
    if (!wasPlain && !this.#isPlain) return;
    this.#builder.close();
    this.#builder.openList({ ordered: this.#isPlain, start: number });
  }

  #canBePlain(): boolean {
    return this.#format === 'decimal' && this.#step === 1 && this.#number >= 0 && this.#number <= MAX_START;
  }

  #label(): string {
    const letters = this.#format.endsWith('Letter') && this.#number > 0 ? lettersOf(this.#number) : undefined;
    const shown = letters ?? numeral(this.#format, this.#number);
    return `${this.#format === 'upperLetter' ? shown.toUpperCase() : shown}. `;
  }
}

/** The number of an item in letters as in browsers: aa behind z, then ab. Word doubles them: aa, bb. */
function lettersOf(number: number): string {
  let letters = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(97 + ((rest - 1) % 26)) + letters;
  return letters;
}

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'lowerLetter',
    A: 'upperLetter',
    i: 'lowerRoman',
    I: 'upperRoman',
  }),
);

const STYLE = /list-style(?:-type)?\s*:\s*(lower|upper)-(alpha|latin|roman)/i;

function formatOf(attributes: Attributes): string {
  const [, letters, kind] = STYLE.exec(attributes.get('style') ?? '') ?? [];
  if (letters !== undefined)
    return letters.toLowerCase() + (kind?.toLowerCase() === 'roman' ? 'Roman' : 'Letter');
  return TYPES.get(attributes.get('type') ?? '') ?? 'decimal';
}

/**
 * A definition list that is open. Each group of terms with its descriptions is an item: the terms in strong type, the
 * descriptions below. In a table of contents each term is an item, and a description the entries below it.
 */
class DefinitionList {
  readonly isContents: boolean;
  readonly #builder: TreeBuilder;
  #hasItem = false;
  #isDescribed = false;

  /** Opens it. */
  constructor(builder: TreeBuilder, isContents: boolean) {
    this.isContents = isContents;
    this.#builder = builder;
    builder.openList({ ordered: false, isOfTerms: true });
  }

  /** Opens the item that a term or a description belongs to, unless it is open. */
  open(isTerm: boolean): void {
    const isNext = isTerm && this.#hasItem && (this.#isDescribed || this.isContents);
    if (isNext) this.#builder.close();
    if (!this.#hasItem || isNext) this.#builder.openItem();
    this.#hasItem = true;
    this.#isDescribed = !isTerm;
  }

  close(): void {
    if (this.#hasItem) this.#builder.close();
    this.#builder.close();
  }
}

/** `3.`, `(b)`, `1.2`; a lone `o` is a bullet. */
const WORD_NUMBER = /^\(?(?:\d+(?:\.\d+)*[.)]*|[a-z]{1,5}[.)]+)$/i;

/**
 * The lists that successive paragraphs of Word's HTML make: their level is in a style, their bullet or number in the
 * text.
 */
export class WordList {
  readonly #builder: TreeBuilder;
  #flow: Flow | undefined;
  /** Level of the open paragraph, while its bullet has not come; `undefined` when the paragraph is no item. */
  level: number | undefined;

  constructor(builder: TreeBuilder) {
    this.#builder = builder;
  }

  /** Makes the paragraph an item, once its bullet or number is known. */
  openItem(text: string): void {
    const mark = text.replace(/[\s\u00a0]+/g, '');
    this.#flow ??= new Flow(this.#builder);
    this.#flow.openItem({
      level: this.level ?? 0,
      number: Number.parseInt(/\d+/.exec(mark)?.[0] ?? '', 10) || 0,
      label: WORD_NUMBER.test(mark) ? `${mark} ` : '',
      isMarked: true,
    });
    this.level = undefined;
  }

  /** Ends the list before any element that is no item of the list. */
  end(): void {
    this.#flow?.end();
    this.#flow = undefined;
  }
}
