// The marks of successive runs of text. Neighbouring runs of one kind share their marks, and neighbouring runs of one
// link are one link.
import type { TreeBuilder } from './builder.ts';
import type { MarkKind } from './inline.ts';
import { linkTarget, MAX_TARGETS, type TargetCount } from './links.ts';

/** The marks of a run without any. */
export const NO_MARKS: ReadonlySet<MarkKind> = new Set();

/** The open marks of one story. */
export class RunMarks {
  readonly #builder: TreeBuilder;
  readonly #count: TargetCount;
  readonly #open = new Set<MarkKind>();
  #link = '';

  constructor(builder: TreeBuilder, count: TargetCount = { targets: 0 }) {
    this.#builder = builder;
    this.#count = count;
  }

  /** Opens and closes marks for the next run; `address` is the target of its link, '' for none. */
  set(wanted: ReadonlySet<MarkKind>, address = ''): void {
    const target = linkTarget(address);
    this.#setLink(target);
    if (wanted.size === 0 && this.#open.size === 0) return;
    for (const kind of this.#open)
      if (!wanted.has(kind)) {
        this.#builder.closeMark(kind);
        this.#open.delete(kind);
      }
    for (const kind of wanted)
      if (!this.#open.has(kind)) {
        this.#builder.openMark(kind);
        this.#open.add(kind);
      }
  }

  /** Ends the link, whose words end here. */
  endLink(): void {
    this.#setLink('');
  }

  /** The open marks but the link. */
  get open(): ReadonlySet<MarkKind> {
    return this.#open;
  }

  /** Ends an index, before a sign that is no part of it. */
  endRaised(): void {
    if (this.#open.delete('raised')) this.#builder.closeMark('raised');
  }

  /** Ends all marks, at the end of a paragraph. */
  end(): void {
    this.set(NO_MARKS);
  }

  #setLink(target: string): void {
    if (target === this.#link) return;
    if (this.#link !== '') this.#builder.closeMark('link');
    this.#link = target;
    this.#count.targets += target.length;
    if (target === '') return;
    this.#builder.openMark('link', this.#count.targets > MAX_TARGETS ? '' : target);
  }
}
