// The numbers of lists and headings in an OpenDocument file: each list counts for itself unless it goes on with another
// one, and deeper levels begin anew.
import type { ListPlace } from '../../tree/flow.ts';
import { labelOf, type ListLevel, type OpenStyles } from './styles.ts';

/** A list that is open, inside an item of the one before. */
interface OpenList {
  readonly style: string;
  /** Numbers of the levels from the outermost list. */
  readonly numbers: (number | undefined)[];
}

/** Deepest level that is counted; deeper lists are on it. */
const MAX_LEVEL = 10;
const MAX_NUMBER = 999_999_999;

/** Counts the lists of one document. */
export class OpenLists {
  readonly #styles: OpenStyles;
  readonly #open: OpenList[] = [];
  /** The last numbers of each list style, and of each list by its id, for lists that go on. */
  readonly #last = new Map<string, (number | undefined)[]>();
  readonly #headings: (number | undefined)[] = [];

  constructor(styles: OpenStyles) {
    this.#styles = styles;
  }

  get depth(): number {
    return this.#open.length;
  }

  /** `<text:list>`; `style` is that of its paragraphs where the list has none. */
  openList(attributes: ReadonlyMap<string, string>): void {
    const around = this.#open.at(-1);
    const style = attributes.get('style-name') ?? around?.style ?? '';
    const before =
      attributes.get('continue-numbering') === 'true'
        ? this.#last.get(style)
        : this.#last.get(`#${attributes.get('continue-list') ?? ''}`);
    const numbers = around?.numbers ?? before ?? [];
    this.#open.push({ style, numbers });
    const id = attributes.get('id');
    if (around !== undefined) return;
    this.#last.set(style, numbers);
    if (id !== undefined) this.#last.set(`#${id}`, numbers);
  }

  closeList(): void {
    this.#open.pop();
  }

  /** Counts an item of the open list, which may set its number. */
  openItem(attributes: ReadonlyMap<string, string>): void {
    const list = this.#open.at(-1);
    const level = this.#level;
    if (list === undefined) return;
    const set = Number.parseInt(attributes.get('start-value') ?? '', 10);
    const last = list.numbers[level];
    const start = this.#levelOf(list.style, level)?.start ?? 1;
    list.numbers[level] = set >= 0 ? set : last === undefined ? start : Math.min(MAX_NUMBER, last + 1);
    list.numbers.length = level + 1;
  }

  /** The place of the first paragraph of the open item, or of a further one. */
  place(isMarked: boolean): ListPlace {
    const { style, numbers } = this.#open.at(-1) ?? { style: '', numbers: [] };
    const level = this.#level;
    const label = labelOf((at) => this.#levelOf(style, at), numbers, level);
    const isShown = label !== '' || this.#levelOf(style, level)?.format !== 'none';
    return { level, number: numbers[level] ?? 1, label, isMarked: isMarked && isShown };
  }

  /** Counts a heading, from level 0, and returns its label. */
  headingLabel(level: number, isCounted: boolean): string {
    const levels = this.#styles.outline;
    const of = levels[level];
    if (!isCounted || of === undefined || of.format === 'none') return '';
    for (let above = 0; above < level; above++) this.#headings[above] ??= levels[above]?.start ?? 1;
    const last = this.#headings[level];
    this.#headings[level] = last === undefined ? of.start : Math.min(MAX_NUMBER, last + 1);
    this.#headings.length = level + 1;
    return labelOf((at): ListLevel | undefined => levels[at], this.#headings, level);
  }

  get #level(): number {
    return Math.min(MAX_LEVEL, this.#open.length) - 1;
  }

  #levelOf(style: string, at: number): ListLevel | undefined {
    return this.#styles.level(style, at);
  }
}
