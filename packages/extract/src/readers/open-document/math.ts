// A formula of OpenDocument, which is MathML → LaTeX.
import { attributesOf, type XmlVisitor } from '../../package/xml.ts';
import { Formula } from '../html/mathml.ts';

/** Passes MathML with any prefix to the formula. */
export class MathVisitor implements XmlVisitor {
  readonly #formula = new Formula(new Map());
  #isNotation = false;

  open(name: string, written: string): void {
    const element = name.slice(name.indexOf(':') + 1);
    // LibreOffice adds its own notation, which is no LaTeX.
    if (element === 'annotation') this.#isNotation = true;
    this.#formula.open(element, new Map(attributesOf(written)));
  }

  close(name: string): void {
    if (name.endsWith('annotation')) this.#isNotation = false;
    this.#formula.close();
  }

  text(text: string): void {
    if (!this.#isNotation) this.#formula.text(text);
  }

  markdown(): string {
    return this.#formula.markdown();
  }
}
