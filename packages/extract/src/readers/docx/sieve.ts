// Between the tags of a Word document and the walk: passes over what nobody sees, gathers what elements say of the one
// that they stand in, and keeps what is to be done where an element ends. The walk is told of the rest. Depth is
// counted, never called into.
import type { XmlVisitor } from './xml.ts';

/** What is left of a part once properties and what nobody sees have been taken out. */
export interface Sieved {
  /** An element that is read begins; {@link Sieve.atEnd} says what is to be done where it ends. */
  readonly open: (name: string, written: string) => void;
  /**
   * What the element that is open says of itself, such as `w:pPr`: what stands in it by name, as it is written; what
   * stands deeper by both names, `w:numPr w:numId`.
   */
  readonly properties: (name: string, properties: ReadonlyMap<string, string>) => void;
  readonly text: (text: string) => void;
}

/** Elements whose properties are gathered, with what they say by name. */
interface Gathered {
  readonly name: string;
  readonly depth: number;
  /** The element directly inside that was opened last; those inside it are named after both. */
  inside: string;
  readonly properties: Map<string, string>;
}

/** What takes all that stands in an element, tags and text alike. */
interface Diverted {
  readonly to: XmlVisitor;
  readonly depth: number;
}

/**
 * What nobody sees, or what says how things look. What a run said before a change is a property, and goes with these.
 */
const SKIPPED = new Set(
  (
    'w:del w:moveFrom w:delText w:delInstrText w:sectPr w:tblGrid w:tblPrEx w:sdtEndPr w:rt w:rubyPr w:pgNum ' +
    'w:footnoteRef w:endnoteRef w:annotationRef w:separator w:continuationSeparator w:fldData ' +
    'w:pPrChange w:rPrChange w:tblPrChange w:trPrChange w:tcPrChange w:sectPrChange w:numberingChange wp:positionH wp:positionV'
  ).split(' '),
);

/** Elements that hold properties, which are known before what they belong to is begun. */
const GATHERED = new Set(['w:pPr', 'w:rPr', 'w:tblPr', 'w:trPr', 'w:tcPr', 'w:sdtPr', 'w:ffData']);

/** Tells a walk what is read of a part. */
export class Sieve implements XmlVisitor {
  readonly #walk: Sieved;
  /** What is to be done at the end of each element that is open. */
  readonly #ends: ((() => void) | undefined)[] = [];
  /** Depth of the element whose content is passed over, or 0. */
  #skipped = 0;
  #gathered: Gathered | undefined;
  #diverted: Diverted | undefined;
  #begun = 0;

  constructor(walk: Sieved) {
    this.#walk = walk;
  }

  /**
   * Elements that have begun, also those that are passed over: the place of the last one, which is the same whenever
   * the part is read.
   */
  get begun(): number {
    return this.#begun;
  }

  /** What is to be done where the element ends that has just begun. */
  atEnd(end: () => void): void {
    this.#ends[this.#ends.length - 1] = end;
  }

  /** Passes over the rest of the element that is open. */
  skip(): void {
    this.#skipped = this.#ends.length;
  }

  /** Gives what stands in the element that has just begun to somebody else. */
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

  #gather(gathered: Gathered, name: string, written: string): void {
    if (name.endsWith('Change') || name === 'w:sectPr') {
      this.skip();
      return;
    }
    const isDirect = this.#ends.length === gathered.depth + 1;
    if (isDirect) gathered.inside = name;
    const key = isDirect ? name : `${gathered.inside} ${name}`;
    // The entries of a list of choices are told apart by their order.
    gathered.properties.set(name === 'w:listEntry' ? `${key} ${gathered.properties.size}` : key, written);
  }
}
