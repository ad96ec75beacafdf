// Stands between the tags of a Word document and the walk: skips invisible content, gathers the properties of elements,
// and runs the callbacks at their ends. The walk receives the rest.
import { ElementWalk } from '../../package/element-walk.ts';
import { NO_PROPERTIES, type Properties } from '../../package/xml.ts';

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

/** Passes the visible content of a part to a walk. */
export class Sieve extends ElementWalk {
  readonly #walk: SieveTarget;
  /** Takes the content of one element after another: none of them holds another. */
  readonly #gathered = new GatheredProperties();
  #begun = 0;

  constructor(walk: SieveTarget) {
    super();
    this.#walk = walk;
  }

  /**
   * Number of elements begun, including skipped ones: the index of the last one, which is the same in every walk of the
   * part.
   */
  get begun(): number {
    return this.#begun;
  }

  override open(name: string, written: string): void {
    this.#begun++;
    super.open(name, written);
  }

  protected override enter(name: string, written: string): void {
    if (SKIPPED.has(name)) this.skip();
    else if (GATHERED.has(name)) {
      this.divert(this.#gathered);
      this.atEnd(() => {
        this.#walk.properties(name, this.#gathered.take());
      });
    } else this.#walk.open(name, written);
  }

  protected override characters(text: string): void {
    this.#walk.text(text);
  }
}

/** The properties inside an element, as they are now: those before a change are left out. */
class GatheredProperties extends ElementWalk {
  #properties: Map<string, string> | undefined;
  /** The last child element; the names of elements inside start with its name. */
  #inside = '';

  protected override enter(name: string, written: string): void {
    if (name.endsWith('Change') || name === 'w:sectPr') {
      this.skip();
      return;
    }
    const isDirect = this.depth === 1;
    if (isDirect) this.#inside = name;
    const key = isDirect ? name : `${this.#inside} ${name}`;
    // The order distinguishes the entries of a list of choices.
    const properties = (this.#properties ??= new Map<string, string>());
    properties.set(name === 'w:listEntry' ? `${key} ${properties.size}` : key, written);
  }

  /** The properties of the element that has ended. */
  take(): Properties {
    const properties = this.#properties ?? NO_PROPERTIES;
    this.#properties = undefined;
    return properties;
  }

  protected override characters(): void {
    // Properties are attributes.
  }
}
