// Joins successive paragraphs of Word: items to a list, lines to a block of code, quoted ones to a quotation. Word has
// paragraphs alone, in DOCX and in its HTML; this file finds the limits of such runs.
import type { TreeBuilder } from './builder.ts';

/** A paragraph's position in a list. */
export interface ListPlace {
  /** From 0. */
  readonly level: number;
  /** The number of the item, if any. */
  readonly number: number;
  /** The label before the item, with the blank behind: `3. `, `(b) `, `4.2 `; '' for a bullet. */
  readonly label: string;
  /** False for a paragraph without a label: a further paragraph of the item above. */
  readonly isMarked: boolean;
}

/** A list that is open, at a level of Word's numbering. */
interface OpenList {
  readonly level: number;
  readonly ordered: boolean;
  /** Number of its last item. */
  last: number;
}

/** The open list, code or quotation of a body, a cell or a text box. */
export class Flow {
  readonly #builder: TreeBuilder;
  readonly #lists: OpenList[] = [];
  #joined: 'code' | 'quote' | undefined;

  constructor(builder: TreeBuilder) {
    this.#builder = builder;
  }

  /**
   * An item at a level: deeper lists close, and one opens unless this level's is open and counts on to this number. The
   * label stays where Markdown's own numbers, which are figures alone, do not show it: readers cite the visible (b) and
   * 4.2.
   */
  openItem({ level, number, label, isMarked }: ListPlace): void {
    this.endJoined();
    if (!isMarked) {
      this.#goOn(level);
      return;
    }
    const ordered = isPlainNumber(label, number);
    const lists = this.#lists;
    const builder = this.#builder;
    for (let last = lists.at(-1); last !== undefined && last.level >= level; last = lists.at(-1)) {
      builder.close();
      if (last.level === level && last.ordered === ordered && (!ordered || last.last + 1 === number)) break;
      builder.close();
      lists.pop();
    }
    const list = lists.at(-1);
    if (list?.level === level) list.last = number;
    else {
      builder.openList({ ordered, start: number });
      lists.push({ level, ordered, last: number });
    }
    builder.openItem(ordered ? '' : label);
  }

  /** A further paragraph of the item at a level: only deeper lists close. */
  #goOn(level: number): void {
    for (let last = this.#lists.at(-1); last !== undefined && last.level > level; last = this.#lists.at(-1)) {
      this.#builder.close();
      this.#builder.close();
      this.#lists.pop();
    }
  }

  /** Joins the paragraph to the ones before it of the same kind, at a level inside the item there. */
  join(kind: 'code' | 'quote', level?: number): void {
    if (this.#joined === kind) return;
    if (level === undefined) this.end();
    else {
      this.endJoined();
      this.#goOn(level);
    }
    if (kind === 'code') this.#builder.openCode();
    else this.#builder.openQuote();
    this.#joined = kind;
  }

  /** Ends code or a quotation; lists stay open. */
  endJoined(): void {
    if (this.#joined === 'code') this.#builder.closeCode();
    else if (this.#joined === 'quote') this.#builder.close();
    this.#joined = undefined;
  }

  /** Ends list, code and quotation. */
  end(): void {
    this.endJoined();
    for (let open = this.#lists.pop(); open !== undefined; open = this.#lists.pop()) {
      this.#builder.close();
      this.#builder.close();
    }
  }
}

/** True for a label that equals the number of an item in Markdown: `3.`, `3)`, `(3)`. */
function isPlainNumber(label: string, number: number): boolean {
  return /^\(?(\d+)[.)]*\s*$/.exec(label)?.[1] === String(number);
}
