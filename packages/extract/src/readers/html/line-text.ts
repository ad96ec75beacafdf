// Text on its way from the page to the builder: formulas become LaTeX. Text that may turn out to be dropped (a
// permalink's sign) or to move (the reading of a ruby, the bullet of Word) is held back until that is known.
import type { TreeBuilder } from '../../tree/builder.ts';
import { linkTarget } from '../../tree/links.ts';
import { formulaOf, type Attributes } from './attributes.ts';
import type { CodeLines } from './code-lines.ts';
import { Formula } from './mathml.ts';
import type { AtEnd } from './open-elements.ts';

/**
 * Link signs beside the headings and notes of documentation, which are no text, and prefixes of such signs; U+F0C1 is
 * the chain of an icon font.
 */
const PERMALINK = /^\s*(?:[¶§#⚓🔗↩◆\uF0C1\u200B]\uFE0E?\uFE0F?\s*)*$/u;

/** Longest sign, in UTF-16 units; longer text is not checked again with each index in it. */
const MAX_SIGN = 100;

/**
 * The text of lines, and the elements in them that change it. Each `open…` returns the callback for the end of its
 * element.
 */
export class LineText {
  readonly #builder: TreeBuilder;
  readonly #codeLines: CodeLines;
  /**
   * Text of a link into the page itself, held back while it may be a permalink's sign; undefined outside such links.
   */
  #sign: string | undefined;
  /** Text held back for {@link collect}. */
  #collected: string | undefined;
  #isRaised = false;
  /** Readings of the ruby that is open. */
  #readings = '';
  /** The formula that is open. */
  #formula: Formula | undefined;
  /** True right behind a formula in MathML. */
  #isBehindFormula = false;

  constructor(builder: TreeBuilder, codeLines: CodeLines) {
    this.#builder = builder;
    this.#codeLines = codeLines;
  }

  text(text: string): void {
    if (this.#isBehindFormula && this.#collected === undefined) this.#isBehindFormula = text.trim() === '';
    if (this.#collected !== undefined) this.#collected += text;
    else if (!this.#codeLines.takesText(text)) return;
    else if (this.#sign !== undefined) this.#keepBack(this.#sign + text);
    else if (this.#formula === undefined) this.#builder.text(text);
    else this.#formula.text(text);
  }

  /** Text with its line ends preserved. */
  lines(text: string): void {
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) {
        this.endSign();
        this.#builder.lineBreak();
      }
      this.text(line);
    }
  }

  #keepBack(sign: string): void {
    this.#sign = sign;
    if (sign.length > MAX_SIGN) this.endSign();
  }

  openLink(href: string): void {
    this.#builder.openMark('link', linkTarget(href));
    if (href.startsWith('#') && this.#formula === undefined && !this.#builder.isInCode) this.#sign = '';
  }

  /** Passes the held text to the builder, unless it is a mere sign that fills a permalink. */
  endSign(): void {
    const sign = this.#sign ?? '';
    this.#sign = undefined;
    const isText = sign.trim() === '' || !PERMALINK.test(sign);
    if (sign !== '' && isText) this.#builder.text(sign);
  }

  /** Passes the held text to the builder as soon as it is more than a sign. */
  #settleSign(): void {
    if (this.#sign !== undefined && !PERMALINK.test(this.#sign)) this.endSign();
  }

  /**
   * Opens an index. Held text of a link before or around the index stays in place. Another index inside ends the first
   * one: many pages have `<sup>2<sup>` for `<sup>2</sup>`.
   */
  openRaised(): AtEnd {
    this.#endRaised();
    this.#builder.openMark('raised');
    this.#isRaised = true;
    return () => this.#endRaised();
  }

  #endRaised(): void {
    this.#settleSign();
    if (this.#isRaised) this.#builder.closeMark('raised');
    this.#isRaised = false;
  }

  /** The readings stand behind the whole word, because between its letters they would break search. */
  openRuby(): AtEnd {
    return () => {
      if (this.#readings !== '') this.#builder.text(`(${this.#readings})`);
      this.#readings = '';
    };
  }

  openReading(): AtEnd {
    return this.collect((reading) => (this.#readings += reading));
  }

  /** Holds the text of an element back. */
  collect(take: (text: string) => void): AtEnd {
    this.#collected = '';
    return () => {
      const text = this.#collected ?? '';
      this.#collected = undefined;
      take(text);
    };
  }

  /**
   * A button behind the words of a heading is a control (copy, edit, fold); it goes behind the heading, because
   * headings serve as paths.
   */
  openControl(name: string): AtEnd {
    const builder = this.#builder;
    if (name === 'button' && builder.isInFilledHeading) {
      builder.openAside();
      return () => builder.closeAside();
    }
    builder.text(' ');
    return () => builder.text(' ');
  }

  /** MathJax 2: `<script type="math/tex; mode=display">`, perhaps behind the same formula in MathML. */
  openMathScript(type: string): AtEnd {
    const sign = /display/i.test(type) ? '$$' : '$';
    return this.collect((script) => {
      const tex = script.trim();
      if (tex !== '' && !this.#isBehindFormula) this.text(`${sign}${tex}${sign}`);
      this.#isBehindFormula = false;
    });
  }

  /** A nested formula is part of the outer one. */
  openFormula(attributes: Attributes): AtEnd | undefined {
    if (this.#formula !== undefined) return undefined;
    const formula = new Formula(attributes);
    this.#formula = formula;
    return () => {
      this.#formula = undefined;
      const text = formula.markdown();
      this.text(text);
      this.#isBehindFormula = text !== '';
    };
  }

  /** An element in a line; `undefined` outside formulas. */
  openFormulaPart(name: string, attributes: Attributes): AtEnd | undefined {
    const formula = this.#formula;
    if (formula === undefined) return undefined;
    formula.open(name, attributes);
    return () => formula.close();
  }

  /** A second notation of the formula; `undefined` when it is skipped. */
  openAnnotation(attributes: Attributes): AtEnd | undefined {
    const formula = this.#formula;
    const isTex = /tex/i.test(attributes.get('encoding') ?? '');
    if (formula === undefined || !isTex || formula.hasNotation) return undefined;
    formula.isNotation = true;
    return () => (formula.isNotation = false);
  }

  image(attributes: Attributes): void {
    const formula = formulaOf(attributes);
    if (formula !== '') this.text(`$${formula}$`);
    else this.#builder.image(attributes.get('alt') ?? '', attributes.get('src') ?? '');
  }
}
