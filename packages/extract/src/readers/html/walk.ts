// Tokens of an HTML text → calls of the tree builder. Stands where a browser's tree construction stands, without a
// tree: a stack of open elements with the position of the last one of each name, so that every tag costs the same
// however deep it stands. Decides what of a page is text and where its blocks begin and end.
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import type { TreeBuilder } from '../../tree/builder.ts';
import { linkTarget, raised } from '../../tree/inline.ts';
import {
  formulaOf,
  holdsCodeLines,
  integerOf,
  isColumnName,
  isHidden,
  isWordMark,
  KEPT,
  languageOf,
  tableOf,
  wordLevelOf,
  type Attributes,
} from './attributes.ts';
import { CodeLines } from './code-lines.ts';
import { elementOf, type Element } from './elements.ts';
import { closeImplied } from './implied-ends.ts';
import { DefinitionList, OrderedList, WordList } from './lists.ts';
import { Formula } from './mathml.ts';
import { OpenElements } from './open-elements.ts';

/** Feeds HTML to a builder. Give it the whole text, then tokenise it in as many parts as you like. */
export class HtmlWalk implements TokenizerCallbacks {
  /** Text of the first <title>, collapsed; '' when there is none. */
  title = '';

  readonly #html: string;
  readonly #builder: TreeBuilder;
  readonly #tokenizer: Tokenizer;
  #written = 0;

  readonly #elements = new OpenElements();
  readonly #definitions: DefinitionList[] = [];
  /** Lists that are open, but those of lines of code; `undefined` for those without numbers. */
  readonly #lists: (OrderedList | undefined)[] = [];
  /** Position of the element whose content is not shown, or -1. */
  #skipped = -1;
  #inTitle = false;
  /** Text of a link into the page itself, kept back while it may be a permalink's sign; undefined outside such links. */
  #sign: string | undefined;
  /** Text that is kept back: a reading of a ruby, or the bullet of an item of Word. */
  #collected: string | undefined;
  /** Readings of the ruby that is open. */
  #readings = '';
  readonly #wordList: WordList;
  readonly #codeLines: CodeLines;
  /** True inside `<sup>` while there are but figures in it. */
  #isRaised = false;
  /** The formula that is open. */
  #formula: Formula | undefined;

  /** What most elements do at their end, made once. */
  readonly #closeContainer = (): void => this.#builder.close();
  readonly #endLine = (): void => this.#builder.boundary();
  readonly #endTo = (position: number): void => this.#popTo(position);

  #name = '';
  readonly #attributes: Attributes = new Map();
  #attribute = '';
  #value = '';

  constructor(html: string, builder: TreeBuilder) {
    this.#html = html;
    this.#builder = builder;
    this.#wordList = new WordList(builder);
    this.#codeLines = new CodeLines(builder, this.#elements);
    this.#tokenizer = new Tokenizer({}, this);
  }

  /** Reads on up to an offset of the text. */
  readTo(end: number): void {
    this.#tokenizer.write(this.#html.slice(this.#written, end));
    this.#written = end;
  }

  /** Ends the document: whatever is open closes. */
  end(): void {
    this.#tokenizer.end();
    this.#popTo(0);
    this.#wordList.end();
  }

  // What the tokenizer calls. Offsets count from the start of the text.

  ontext(start: number, end: number): void {
    this.#text(this.#html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#text(String.fromCodePoint(codePoint));
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
    this.#open(this.#name);
  }

  onselfclosingtag(): void {
    this.#open(this.#name);
    // Only foreign content knows self-closing tags; elsewhere the slash means nothing.
    if (this.#elements.last('svg') !== -1 || this.#elements.last('math') !== -1) this.#close(this.#name);
  }

  onclosetag(start: number, end: number): void {
    this.#close(this.#html.slice(start, end).toLowerCase());
  }

  // What is never shown.
  readonly oncdata = ignore;
  readonly oncomment = ignore;
  readonly ondeclaration = ignore;
  readonly onprocessinginstruction = ignore;
  readonly onend = ignore;

  #text(text: string): void {
    if (this.#inTitle) this.title += text;
    else if (this.#skipped !== -1) return;
    else if (this.#collected !== undefined) this.#collected += text;
    else if (!this.#codeLines.takesText()) return;
    else if (this.#sign !== undefined) this.#sign += text;
    else if (this.#formula === undefined) {
      this.#builder.text(this.#isRaised ? this.#raise(text) : text);
    } else this.#formula.text(text);
  }

  /** Figures in `<sup>`; behind anything else, as in `[1]`, they are as they are. */
  #raise(text: string): string {
    const figures = this.#builder.isInCode ? text : raised(text);
    if (figures === text && text.trim() !== '') this.#isRaised = false;
    return figures;
  }

  #open(name: string): void {
    const element = elementOf(name);
    closeImplied(element, this.#elements, this.#endTo);
    if (element.role === 'void') {
      if (this.#skipped === -1 && !isHidden(name, this.#attributes)) this.#void(name);
      return;
    }
    if (this.#skipped !== -1) {
      this.#push(element);
      return;
    }
    if (this.#isUnseen(name, element)) {
      if (element.isSpecial) this.#builder.boundary();
      this.#skipped = this.#elements.length;
      this.#push(element);
      return;
    }
    this.#openShown(name, element);
  }

  /** A script that is a formula and a template that is shown (a declarative shadow root) are read. */
  #isUnseen(name: string, { role }: Element): boolean {
    const attributes = this.#attributes;
    if (isHidden(name, attributes)) return true;
    if (role !== 'skipped') return false;
    if (name === 'template') return !attributes.has('shadowrootmode');
    return name !== 'script' || !MATH_SCRIPT.test(attributes.get('type') ?? '');
  }

  #openShown(name: string, element: Element): void {
    const builder = this.#builder;
    const attributes = this.#attributes;
    if (element.role !== 'inline') this.#endSign();
    if (element.isSpecial && wordLevelOf(attributes) === undefined) this.#wordList.end();
    if (this.#codeLines.isPart(element)) {
      this.#push(element, this.#codeLines.openPart(element));
      return;
    }
    switch (element.role) {
      case 'mark':
        if (element.mark === 'code' && builder.isInCode) builder.nameLanguage(languageOf(attributes));
        if (element.mark !== 'link') builder.openMark(element.mark ?? 'code');
        else if (attributes.has('href')) this.#openLink(attributes.get('href') ?? '');
        return;
      case 'heading':
        builder.openHeading(Number(name[1]));
        this.#push(element, () => builder.closeHeading());
        return;
      case 'list':
        if (holdsCodeLines(attributes)) {
          this.#push(element, this.#codeLines.open(attributes));
          return;
        }
        this.#openList(name, element);
        return;
      case 'item':
        this.#openItem(element);
        return;
      case 'definitions':
      case 'term':
      case 'description':
        this.#openDefinition(element);
        return;
      case 'quote':
        builder.openQuote();
        this.#push(element, this.#closeContainer);
        return;
      case 'table':
        if (holdsCodeLines(attributes)) {
          this.#push(element, this.#codeLines.open(attributes));
          return;
        }
        builder.openTable(tableOf(attributes));
        this.#push(element, this.#closeContainer);
        return;
      case 'caption':
      case 'section':
      case 'row':
      case 'cell':
        this.#openInTable(name, element);
        return;
      case 'preformatted':
        this.#openPreformatted(element);
        return;
      case 'title':
        this.#openTitle(element);
        return;
      case 'skipped':
        if (name === 'script') this.#openMathScript(element);
        else this.#push(element);
        return;
      case 'math':
        this.#openMath(element);
        return;
      case 'annotation':
        this.#openAnnotation(element);
        return;
      case 'quotation':
        builder.text('“');
        this.#push(element, () => builder.text('”'));
        return;
      case 'control':
        builder.text(' ');
        this.#push(element, () => builder.text(' '));
        return;
      case 'reading':
        this.#collected = '';
        this.#push(element, () => {
          this.#readings += this.#collected ?? '';
          this.#collected = undefined;
        });
        return;
      case 'paragraph':
        // An unclosed heading must not swallow what follows it.
        if (builder.isInFilledHeading) builder.closeHeading();
        builder.boundary();
        this.#wordList.level = wordLevelOf(attributes);
        this.#push(element, this.#endLine);
        return;
      case 'block':
        builder.boundary();
        this.#push(element, this.#endLine, languageOf(attributes));
        return;
      default:
        this.#openInline(name, element);
    }
  }

  #openInline(name: string, element: Element): void {
    const formula = this.#formula;
    if (formula !== undefined) {
      formula.open(name, this.#attributes);
      this.#push(element, () => formula.close());
    } else if (name === 'sup') {
      this.#isRaised = true;
      this.#push(element, () => (this.#isRaised = false));
    } else if (name === 'ruby') {
      // Behind the whole word, for between its letters no search would find it.
      this.#push(element, () => {
        if (this.#readings !== '') this.#builder.text(`(${this.#readings})`);
        this.#readings = '';
      });
    } else if (this.#wordList.level !== undefined && isWordMark(this.#attributes)) {
      this.#collected = '';
      this.#push(element, () => {
        this.#wordList.openItem(this.#collected ?? '');
        this.#collected = undefined;
      });
    } else this.#push(element);
  }

  #openList(name: string, element: Element): void {
    if (name === 'ol') this.#lists.push(new OrderedList(this.#attributes, this.#builder));
    else {
      this.#builder.openList({ ordered: false });
      this.#lists.push(undefined);
    }
    this.#push(element, () => {
      this.#lists.pop();
      this.#builder.close();
    });
  }

  /** An item that stands in no list, or in a cell of one, has no number. */
  #openItem(element: Element): void {
    const list = this.#elements.last('list') > this.#elements.barrier() ? this.#lists.at(-1) : undefined;
    if (list === undefined) this.#builder.openItem();
    else list.openItem(this.#attributes);
    this.#push(element, this.#closeContainer);
  }

  #openLink(href: string): void {
    this.#builder.openMark('link', linkTarget(href));
    if (href.startsWith('#') && this.#formula === undefined && !this.#builder.isInCode) this.#sign = '';
  }

  /** Gives the text that was kept back to the builder, unless it is all of a permalink and but a sign. */
  #endSign(): void {
    const sign = this.#sign ?? '';
    this.#sign = undefined;
    if (sign !== '' && !PERMALINK.test(sign)) this.#builder.text(this.#isRaised ? this.#raise(sign) : sign);
  }

  #void(name: string): void {
    this.#endSign();
    const builder = this.#builder;
    const attributes = this.#attributes;
    if (name === 'br') builder.lineBreak();
    else if (name === 'hr') builder.rule();
    else if (name === 'img') this.#image();
    else if (name === 'input' && attributes.get('type')?.toLowerCase() === 'checkbox') {
      builder.text(attributes.has('checked') ? '[x] ' : '[ ] ');
    }
  }

  #image(): void {
    const formula = formulaOf(this.#attributes);
    if (formula !== '') this.#text(`$${formula}$`);
    else this.#builder.image(this.#attributes.get('alt') ?? '', this.#attributes.get('src') ?? '');
  }

  #openDefinition(element: Element): void {
    const builder = this.#builder;
    if (element.role === 'definitions') {
      const list = new DefinitionList(builder);
      this.#definitions.push(list);
      this.#push(element, () => {
        list.close();
        this.#definitions.pop();
      });
      return;
    }
    builder.boundary();
    const isTerm = element.role === 'term';
    if (this.#elements.last('dl') > this.#elements.barrier()) this.#definitions.at(-1)?.open(isTerm);
    if (isTerm) builder.openMark('strong');
    this.#push(element, () => {
      if (isTerm) builder.closeMark('strong');
      builder.boundary();
    });
  }

  /** Parts of a table; outside one they mean nothing but an end of line. */
  #openInTable(name: string, element: Element): void {
    const builder = this.#builder;
    if (this.#elements.last('table') === -1) {
      builder.boundary();
      return;
    }
    if (element.role === 'section') {
      this.#push(element);
      return;
    }
    if (element.role === 'caption') builder.openCaption();
    else if (element.role === 'row') builder.openRow({ header: this.#isInHead() });
    else {
      const colspan = integerOf(this.#attributes.get('colspan'));
      const rowspan = integerOf(this.#attributes.get('rowspan'));
      // rowspan="0" reaches to the end of the table; the builder clamps it.
      builder.openCell({
        header: name === 'th' || isColumnName(this.#attributes),
        colspan,
        rowspan: rowspan === 0 ? Infinity : rowspan,
      });
    }
    this.#push(element, this.#closeContainer);
  }

  #isInHead(): boolean {
    const section = this.#elements.last('section');
    return section > this.#elements.last('table') && this.#elements.at(section)?.element === HEAD;
  }

  #openPreformatted(element: Element): void {
    const builder = this.#builder;
    if (builder.isInCode) {
      builder.boundary();
      this.#push(element);
      return;
    }
    // GitHub writes `div.highlight-source-js > pre`, Sphinx `div.highlight-python > div > pre`.
    const around = [1, 2].map((up) => this.#elements.at(-up)?.language ?? '');
    builder.openCode([languageOf(this.#attributes), ...around].find((language) => language !== ''));
    this.#push(element, () => builder.closeCode());
  }

  #openTitle(element: Element): void {
    this.#skipped = this.#elements.length;
    const isTitle = this.title === '' && this.#elements.last('svg') === -1;
    this.#inTitle = isTitle;
    this.#push(element, () => {
      this.#inTitle = false;
      if (isTitle) this.title = this.title.replace(/\s+/g, ' ').trim();
    });
  }

  /** MathJax 2: `<script type="math/tex; mode=display">`. */
  #openMathScript(element: Element): void {
    const sign = /display/i.test(this.#attributes.get('type') ?? '') ? '$$' : '$';
    this.#collected = '';
    this.#push(element, () => {
      const tex = (this.#collected ?? '').trim();
      this.#collected = undefined;
      if (tex !== '') this.#text(`${sign}${tex}${sign}`);
    });
  }

  /** A formula inside one is a part of it. */
  #openMath(element: Element): void {
    if (this.#formula !== undefined) {
      this.#push(element);
      return;
    }
    const formula = new Formula(this.#attributes);
    this.#formula = formula;
    this.#push(element, () => {
      this.#formula = undefined;
      this.#text(formula.markdown());
    });
  }

  #openAnnotation(element: Element): void {
    const formula = this.#formula;
    const isTex = /tex/i.test(this.#attributes.get('encoding') ?? '');
    if (formula === undefined || !isTex || formula.hasNotation) {
      this.#skipped = this.#elements.length;
      this.#push(element);
      return;
    }
    formula.isNotation = true;
    this.#push(element, () => (formula.isNotation = false));
  }

  #close(name: string): void {
    const element = elementOf(name);
    if (name === 'br') {
      if (this.#skipped === -1) this.#builder.lineBreak();
      return;
    }
    const position = this.#elements.last(element.key);
    if (element.role !== 'inline' && this.#skipped === -1) this.#endSign();
    if (position > this.#elements.reach(element)) this.#popTo(position);
    else if (this.#skipped !== -1) return;
    else if (element.mark !== undefined) this.#builder.closeMark(element.mark);
    else if (element.isSpecial) this.#builder.boundary();
  }

  #push(element: Element, atEnd?: () => void, language = ''): void {
    this.#elements.push({ element, atEnd, language });
  }

  /** Closes elements down to and including the one at a position. */
  #popTo(position: number): void {
    if (position === 0) this.#endSign();
    while (this.#elements.length > position) {
      const open = this.#elements.pop();
      if (this.#skipped === this.#elements.length) this.#skipped = -1;
      open?.atEnd?.();
    }
  }
}

/** What pages of documentation show behind a heading or a note to link to it, and nobody means as text. */
const PERMALINK = /^\s*(?:[¶§#⚓🔗↩\u200B]\uFE0E?\uFE0F?\s*)+$/u;

const MATH_SCRIPT = /^math\/tex/i;

const ignore = (): void => undefined;

const HEAD = elementOf('thead');
