// The open elements as a stack with a lookup of the last one by name. Every lookup and every push takes constant time;
// a pop pays for one push.
import type { BoxedTable } from './attributes.ts';
import type { Element } from './elements.ts';

/** The callback at the end of an element. */
export type AtEnd = () => void;

/** An element whose end tag has not come. */
export interface OpenElement {
  readonly element: Element;
  readonly atEnd: AtEnd | undefined;
  /** Language that its class names for code directly inside; '' without one. */
  readonly language: string;
  /** The role of a table directly inside, when its class marks a table that holds no values. */
  readonly boxed: BoxedTable | undefined;
  /** True if line ends in its text are shown. */
  readonly keepsLines: boolean;
}

/** Stack of open elements. Positions count from 0 at the outermost; -1 is outside all of them. */
export class OpenElements {
  readonly #stack: OpenElement[] = [];
  readonly #positions = new Map<string, number[]>();
  readonly #barriers: number[] = [];
  readonly #specials: number[] = [];

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

  /** Position of the innermost barrier: only the end tag of its own table reaches over it. */
  barrier(): number {
    return this.#barriers.at(-1) ?? -1;
  }

  /** Position of the innermost drawing (SVG) or formula (MathML), or -1. */
  foreign(): number {
    return Math.max(this.last('svg'), this.last('math'));
  }

  /** Position of the innermost list, ordered or not, or -1. */
  list(): number {
    return Math.max(this.last('ul'), this.last('ol'), this.last('menu'), this.last('dir'));
  }

  /** The position at which the search of an end tag for its start tag stops. */
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
    const { key, isBarrier, isSpecial } = open.element;
    this.#stack.push(open);
    const positions = this.#positions.get(key);
    if (positions === undefined) this.#positions.set(key, [position]);
    else positions.push(position);
    if (isBarrier) this.#barriers.push(position);
    if (isSpecial) this.#specials.push(position);
  }

  pop(): OpenElement | undefined {
    const open = this.#stack.pop();
    if (open === undefined) return undefined;
    this.#positions.get(open.element.key)?.pop();
    if (open.element.isBarrier) this.#barriers.pop();
    if (open.element.isSpecial) this.#specials.pop();
    return open;
  }
}
