// The elements whose end tags have not come, as a stack that can be asked for the last one of a name. Every question
// and every push costs the same however many are open; a pop pays for one push.
import type { BoxedTable } from './attributes.ts';
import type { Element } from './elements.ts';

/** An element whose end tag has not come. */
export interface OpenElement {
  readonly element: Element;
  /** What is to be done at its end. */
  readonly atEnd: (() => void) | undefined;
  /** Language that its class names for code directly inside; '' when none. */
  readonly language: string;
  /** What a table directly inside it is, where its class says that it is no table of values. */
  readonly boxed: BoxedTable | undefined;
  /** Whether the ends of lines in its text are shown. */
  readonly keepsLines: boolean;
}

/** Stack of open elements. Positions count from 0 at the outermost; -1 is outside all of them. */
export class OpenElements {
  readonly #stack: OpenElement[] = [];
  readonly #positions = new Map<string, number[]>();
  readonly #barriers: number[] = [];
  readonly #specials: number[] = [];
  readonly #foreign: number[] = [];
  readonly #lists: number[] = [];

  get length(): number {
    return this.#stack.length;
  }

  at(position: number): OpenElement | undefined {
    return this.#stack.at(position);
  }

  /** Position of the innermost element with a key, or -1. */
  last(key: string): number {
    return this.#positions.get(key)?.at(-1) ?? -1;
  }

  /** Position of the innermost barrier: no end tag but its own table's reaches over it. */
  barrier(): number {
    return this.#barriers.at(-1) ?? -1;
  }

  /** Position of the innermost drawing (SVG) or formula (MathML), or -1. */
  foreign(): number {
    return this.#foreign.at(-1) ?? -1;
  }

  /** Position of the innermost list, ordered or not, or -1. */
  list(): number {
    return this.#lists.at(-1) ?? -1;
  }

  /** The position beyond which an end tag does not look for its start. */
  reach({ role, isSpecial }: Element): number {
    switch (role) {
      case 'table':
        return -1;
      case 'caption':
      case 'section':
      case 'row':
      case 'cell':
        return this.last('table');
      case 'item':
        return Math.max(this.list(), this.barrier());
      case 'term':
      case 'description':
        return Math.max(this.last('dl'), this.barrier());
      default:
        return isSpecial || role === 'skipped' ? this.barrier() : (this.#specials.at(-1) ?? -1);
    }
  }

  push(open: OpenElement): void {
    const position = this.#stack.length;
    const { role, key, isBarrier, isSpecial, isForeign } = open.element;
    this.#stack.push(open);
    const positions = this.#positions.get(key);
    if (positions === undefined) this.#positions.set(key, [position]);
    else positions.push(position);
    if (isBarrier) this.#barriers.push(position);
    if (isSpecial) this.#specials.push(position);
    if (isForeign) this.#foreign.push(position);
    if (role === 'list') this.#lists.push(position);
  }

  pop(): OpenElement | undefined {
    const open = this.#stack.pop();
    if (open === undefined) return undefined;
    this.#positions.get(open.element.key)?.pop();
    if (open.element.isBarrier) this.#barriers.pop();
    if (open.element.isSpecial) this.#specials.pop();
    if (open.element.isForeign) this.#foreign.pop();
    if (open.element.role === 'list') this.#lists.pop();
    return open;
  }
}
