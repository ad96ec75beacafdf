// HTML text → its tags and the text between them. The tokeniser reports offsets; this file turns them into names in
// lower case, attributes, and text with its character references decoded.
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { KEPT, type Attributes } from './attributes.ts';

/** Receives the parts of a page in order. */
export interface TokenSink {
  text(text: string): void;
  /** A start tag. The attributes are those of {@link KEPT}, valid for this call only. */
  open(name: string, attributes: Attributes, isSelfClosing: boolean): void;
  close(name: string): void;
  /** The page is at its end. */
  end(): void;
  /** True directly in SVG or MathML, where a start tag may end itself and all elements but scripts hold elements. */
  readonly isForeign: boolean;
}

/** Tokenises a text in any number of steps. */
export class Tokens implements TokenizerCallbacks {
  readonly #html: string;
  readonly #sink: TokenSink;
  readonly #tokenizer: Tokenizer;
  #written = 0;

  #name = '';
  readonly #attributes: Attributes = new Map();
  #attribute = '';
  #value = '';

  constructor(html: string, sink: TokenSink) {
    this.#html = html;
    this.#sink = sink;
    this.#tokenizer = new Tokenizer({}, this);
  }

  /** Reads on up to an offset of the text. */
  readTo(end: number): void {
    this.#tokenizer.write(this.#html.slice(this.#written, end));
    this.#written = end;
  }

  end(): void {
    this.#tokenizer.end();
    this.#sink.end();
  }

  // Callbacks of the tokeniser. Offsets count from the start of the text.

  ontext(start: number, end: number): void {
    this.#sink.text(this.#html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#sink.text(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#html.slice(start, end).toLowerCase();
    this.#attributes.clear();
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#html.slice(start, end).toLowerCase();
  }

  onattribdata(start: number, end: number): void {
    if (KEPT.has(this.#attribute)) this.#value += this.#html.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    if (KEPT.has(this.#attribute)) this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (KEPT.has(this.#attribute) && !this.#attributes.has(this.#attribute))
      this.#attributes.set(this.#attribute, this.#value);
    this.#value = '';
  }

  onopentagend(): void {
    this.#sink.open(this.#name, this.#attributes, false);
  }

  onselfclosingtag(): void {
    this.#sink.open(this.#name, this.#attributes, true);
  }

  onclosetag(start: number, end: number): void {
    this.#sink.close(this.#html.slice(start, end).toLowerCase());
  }

  /** Outside foreign content it is a comment. */
  oncdata(start: number, end: number, offset: number): void {
    if (this.#sink.isForeign) this.#sink.text(this.#html.slice(start, end - offset));
  }

  /** Otherwise `<title/>` and `<style/>` of a drawing would swallow the rest of the page. */
  isInForeignContext(): boolean {
    return this.#sink.isForeign;
  }

  // Invisible parts.
  readonly oncomment = ignore;
  readonly ondeclaration = ignore;
  readonly onprocessinginstruction = ignore;
  readonly onend = ignore;
}

const ignore = (): void => undefined;
