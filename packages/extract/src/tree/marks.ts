// The open inline marks of a reader, across line ends. A cell and an aside have marks of their own.
import type { Mark, MarkKind } from './inline.ts';

/** Open marks of the current cell or aside or, outside them, of the document. */
export class OpenMarks {
  readonly #marks: Mark[] = [];
  /** Number of further openings of an open kind, as in `<b><b>`. */
  readonly #repeats = new Map<MarkKind, number>();

  /** All open marks, the outermost first. */
  get all(): readonly Mark[] {
    return this.#marks;
  }

  /** Opens a mark; `undefined` when one of its kind is open and goes on. */
  open(kind: MarkKind, target: string): Mark | undefined {
    if (this.#marks.some((mark) => mark.kind === kind)) {
      this.#repeats.set(kind, (this.#repeats.get(kind) ?? 0) + 1);
      return undefined;
    }
    const mark: Mark = { kind, target, written: false };
    this.#marks.push(mark);
    return mark;
  }

  /** Ends the mark of this kind that was opened last; `undefined` when none is open, or one goes on around it. */
  close(kind: MarkKind): Mark | undefined {
    const again = this.#repeats.get(kind) ?? 0;
    if (again > 0) {
      this.#repeats.set(kind, again - 1);
      return undefined;
    }
    const position = this.#marks.findLastIndex((mark) => mark.kind === kind);
    return position === -1 ? undefined : this.#marks.splice(position, 1)[0];
  }
}
