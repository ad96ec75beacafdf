// Stands between the tags of a Word document and the walk: skips invisible content, gathers the properties of elements,
// and runs the callbacks at their ends. The walk receives the rest. It counts depth instead of recursing.
import type { Properties, XmlVisitor } from '../../package/xml.ts';

/** The content of a part without properties and invisible content. */
export interface SieveTarget {
  /** Begins a visible element; {@link Sieve.atEnd} sets the callback for its end. */
  readonly open: (name: string, written: string) => void;
  /**
   * The properties of the open element, such as `w:pPr`: its children by name, in raw form; deeper elements by both
   * names, `w:numPr w:numId`.
   */
  readonly properties: (name: string, properties: Properties) => void;
  readonly text: (text: string) => void;
}

/** Elements whose properties are gathered, with the values by name. */
interface GatheredProperties {
  readonly name: string;
  readonly depth: number;
  /** The last child element; the names of elements inside start with its name. */
  inside: string;
  readonly properties: Map<string, string>;
}

/** The receiver of all content of an element, tags and text alike. */
interface Diversion {
  readonly to: XmlVisitor;
  readonly depth: number;
}

/** Invisible content, and elements for appearance only. The properties of a run before a change are among them. */
const SKIPPED = new Set(
  (
    'w:del w:moveFrom w:delText w:delInstrText w:sectPr w:tblGrid w:tblPrEx w:sdtEndPr w:rt w:rubyPr w:pgNum ' +
    'w:footnoteRef w:endnoteRef w:annotationRef w:separator w:continuationSeparator w:fldData ' +
    'w:pPrChange w:rPrChange w:tblPrChange w:trPrChange w:tcPrChange w:sectPrChange w:numberingChange wp:positionH wp:positionV'
  ).split(' '),
);

/** Elements that hold properties, which precede the content of their owner. */
const GATHERED = new Set(['w:pPr', 'w:rPr', 'w:tblPr', 'w:trPr', 'w:tcPr', 'w:sdtPr', 'w:ffData']);

const ALTERNATIVES = new Set(['mc:AlternateContent', 'mc:Choice', 'mc:Fallback']);

/** Passes the visible content of a part to a walk. */
export class Sieve implements XmlVisitor {
  readonly #walk: SieveTarget;
  /** The callback at the end of each open element. */
  readonly #ends: ((() => void) | undefined)[] = [];
  /** Depth of the skipped element, or 0. */
  #skipped = 0;
  #gathered: GatheredProperties | undefined;
  #diverted: Diversion | undefined;
  #begun = 0;
  /** True inside `mc:AlternateContent` once one of its alternatives has been read. */
  #hasChosen = false;

  constructor(walk: SieveTarget) {
    this.#walk = walk;
  }

  /**
   * Number of elements begun, including skipped ones: the index of the last one, which is the same in every walk of the
   * part.
   */
  get begun(): number {
    return this.#begun;
  }

  /** Sets the callback for the end of the element that has just begun. */
  atEnd(end: () => void): void {
    this.#ends[this.#ends.length - 1] = end;
  }

  /** Skips the rest of the open element. */
  skip(): void {
    this.#skipped = this.#ends.length;
  }

  /** Diverts the content of the element that has just begun. */
  divert(to: XmlVisitor): void {
    this.#diverted = { to, depth: this.#ends.length };
  }

  open(name: string, written: string): void {
    this.#ends.push(undefined);
    this.#begun++;
    if (this.#skipped > 0) return;
    if (this.#gathered !== undefined) this.#gather(this.#gathered, name, written);
    else if (this.#diverted !== undefined) this.#diverted.to.open(name, written);
    else if (SKIPPED.has(name)) this.skip();
    else if (GATHERED.has(name))
      this.#gathered = { name, depth: this.#ends.length, inside: '', properties: new Map() };
    else if (ALTERNATIVES.has(name)) this.#chooseAlternative(name);
    else this.#walk.open(name, written);
  }

  close(name: string): void {
    const depth = this.#ends.length;
    const end = this.#ends.pop();
    if (this.#skipped > 0) {
      if (depth > this.#skipped) return;
      this.#skipped = 0;
    }
    const gathered = this.#gathered;
    if (gathered !== undefined) {
      if (depth > gathered.depth) return;
      this.#gathered = undefined;
      this.#walk.properties(gathered.name, gathered.properties);
      return;
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
    if (this.#skipped > 0 || this.#gathered !== undefined) return;
    if (this.#diverted !== undefined) this.#diverted.to.text(text);
    else this.#walk.text(text);
  }

  /** The first alternative is for newer programs; the others are the same content for older ones. */
  #chooseAlternative(name: string): void {
    if (name === 'mc:AlternateContent') {
      const outside = this.#hasChosen;
      this.#hasChosen = false;
      this.atEnd(() => (this.#hasChosen = outside));
    } else if (this.#hasChosen) this.skip();
    else this.atEnd(() => (this.#hasChosen = true));
  }

  #gather(gathered: GatheredProperties, name: string, written: string): void {
    if (name.endsWith('Change') || name === 'w:sectPr') {
      this.skip();
      return;
    }
    const isDirect = this.#ends.length === gathered.depth + 1;
    if (isDirect) gathered.inside = name;
    const key = isDirect ? name : `${gathered.inside} ${name}`;
    // The order distinguishes the entries of a list of choices.
    gathered.properties.set(name === 'w:listEntry' ? `${key} ${gathered.properties.size}` : key, written);
  }
}
