// A visitor of XML for readers: callbacks at the ends of elements, skipped elements, and elements whose content goes to
// another visitor. It counts depth instead of recursing.
import type { XmlVisitor } from './xml.ts';

const ALTERNATIVES: ReadonlySet<string> = new Set(['mc:AlternateContent', 'mc:Choice', 'mc:Fallback']);

/** The base of the walks over a part. Content of the first alternative is read, as newer programs show it. */
export abstract class ElementWalk implements XmlVisitor {
  /** The callback at the end of each open element. */
  readonly #ends: ((() => void) | undefined)[] = [];
  /** Depth of the skipped element, or 0. */
  #skipped = 0;
  #diverted: { readonly to: XmlVisitor; readonly depth: number } | undefined;
  /** True inside `mc:AlternateContent` once one of its alternatives has been read. */
  #hasChosen = false;

  /** Begins an element. */
  protected abstract enter(name: string, written: string): void;

  /** Text between two tags. */
  protected abstract characters(text: string): void;

  /** Number of open elements. */
  protected get depth(): number {
    return this.#ends.length;
  }

  /** Sets the callback for the end of the element that has just begun. */
  atEnd(end: () => void): void {
    this.#ends[this.#ends.length - 1] = end;
  }

  /** Skips the rest of the element that has just begun. */
  skip(): void {
    this.#skipped = this.#ends.length;
  }

  /** Diverts the content of the element that has just begun. */
  divert(to: XmlVisitor): void {
    this.#diverted = { to, depth: this.#ends.length };
  }

  open(name: string, written: string): void {
    this.#ends.push(undefined);
    if (this.#skipped > 0) return;
    if (this.#diverted !== undefined) this.#diverted.to.open(name, written);
    else if (ALTERNATIVES.has(name)) this.#chooseAlternative(name);
    else this.enter(name, written);
  }

  close(name: string): void {
    const depth = this.#ends.length;
    const end = this.#ends.pop();
    if (this.#skipped > 0) {
      if (depth > this.#skipped) return;
      this.#skipped = 0;
    }
    const diverted = this.#diverted;
    if (diverted !== undefined) {
      if (depth > diverted.depth) {
        diverted.to.close(name);
        return;
      }
      this.#diverted = undefined;
    }
    end?.();
  }

  text(text: string): void {
    if (this.#skipped > 0) return;
    if (this.#diverted !== undefined) this.#diverted.to.text(text);
    else this.characters(text);
  }

  #chooseAlternative(name: string): void {
    if (name === 'mc:AlternateContent') {
      const outside = this.#hasChosen;
      this.#hasChosen = false;
      this.atEnd(() => (this.#hasChosen = outside));
    } else if (this.#hasChosen) this.skip();
    else this.atEnd(() => (this.#hasChosen = true));
  }
}
