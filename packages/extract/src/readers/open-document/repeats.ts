// Repeated rows and cells of a table: their tags are kept and read again, as often as the table says within a bound. A
// table may claim a million rows in one tag.
import type { XmlVisitor } from '../../package/xml.ts';

type Tag =
  | { readonly kind: 'open'; readonly name: string; readonly written: string }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };

/** Tags and texts that repetitions may add to one document: some ten thousand rows of ten cells. */
const MAX_REPEATED = 500_000;
/** Characters of a text that cost as much as a tag. */
const CHARACTERS_PER_TAG = 20;

/** The repetitions of one document. */
export interface RepeatCount {
  repeated: number;
}

/** Keeps the content of an element. */
export class Recording implements XmlVisitor {
  readonly #tags: Tag[] = [];
  #cost = 0;
  /** True once there is text, or an element that may stand for something visible. */
  hasContent = false;

  open(name: string, written: string): void {
    this.#tags.push({ kind: 'open', name, written });
    if (name.startsWith('draw:')) this.hasContent = true;
  }

  close(name: string): void {
    this.#tags.push({ kind: 'close', name });
  }

  text(text: string): void {
    this.#tags.push({ kind: 'text', text });
    this.#cost += Math.floor(text.length / CHARACTERS_PER_TAG);
    if (text.trim() !== '') this.hasContent = true;
  }

  /** Number of times that it is read when a table wants so many, at least once; counts what that adds. */
  timesOf(wanted: number, count: RepeatCount): number {
    const cost = Math.max(1, this.#tags.length + this.#cost);
    const free = Math.floor((MAX_REPEATED - count.repeated) / cost);
    const times = Math.max(1, Math.min(wanted, 1 + Math.max(0, free)));
    count.repeated += (times - 1) * cost;
    return times;
  }

  play(to: XmlVisitor): void {
    for (const tag of this.#tags)
      if (tag.kind === 'open') to.open(tag.name, tag.written);
      else if (tag.kind === 'close') to.close(tag.name);
      else to.text(tag.text);
  }
}
