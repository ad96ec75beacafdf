// Tags and text of an HTML page → calls of the tree builder. Stands where a browser's tree construction stands, without
// a tree: a stack of open elements with the position of the last one of each name, so that every tag costs the same
// however deep it stands. Decides what of a page is text and where its blocks begin and end.
import type { TreeBuilder } from '../../tree/builder.ts';
import {
  holdsCodeLines,
  isCodeBox,
  isCodeBoxLine,
  integerOf,
  isColumnName,
  isHidden,
  isNoteBox,
  isSwitch,
  isWordMark,
  keepsLines,
  languageOf,
  tableOf,
  wordLevelOf,
  type Attributes,
} from './attributes.ts';
import { BoxTables } from './box-tables.ts';
import { CodeLines } from './code-lines.ts';
import { elementOf, type Element } from './elements.ts';
import { closeImplied } from './implied-ends.ts';
import { LineText } from './line-text.ts';
import { Lists, WordList } from './lists.ts';
import { OpenElements } from './open-elements.ts';
import type { TokenSink } from './tokens.ts';

/** Feeds the tokens of a page to a builder. */
export class HtmlWalk implements TokenSink {
  /** Text of the first <title>, collapsed; '' when there is none. */
  title = '';

  readonly #builder: TreeBuilder;
  readonly #elements = new OpenElements();
  readonly #lists: Lists;
  readonly #wordList: WordList;
  readonly #codeLines: CodeLines;
  readonly #boxTables: BoxTables;
  readonly #line: LineText;
  /** Position of the element whose content is not shown, or -1. */
  #skipped = -1;
  #inTitle = false;
  /** What open elements say of the ends of lines, the innermost last. */
  readonly #whiteSpace: { readonly position: number; readonly keepsLines: boolean }[] = [];
  /** Position of the box of a note whose table has not come, or -1. */
  #noteBox = -1;

  /** What most elements do at their end, made once. */
  readonly #closeContainer = (): void => this.#builder.close();
  readonly #endLine = (): void => this.#builder.boundary();
  readonly #endTo = (position: number): void => this.#popTo(position);

  constructor(builder: TreeBuilder) {
    this.#builder = builder;
    this.#lists = new Lists(builder, this.#elements);
    this.#wordList = new WordList(builder);
    this.#codeLines = new CodeLines(builder, this.#elements);
    this.#boxTables = new BoxTables(builder, this.#elements);
    this.#line = new LineText(builder, this.#codeLines);
  }

  text(text: string): void {
    if (this.#inTitle) this.title += text;
    else if (this.#skipped !== -1) return;
    else if (this.#whiteSpace.at(-1)?.keepsLines === true && !this.#builder.isInCode) this.#lines(text);
    else this.#line.text(text);
  }

  /** True in SVG or MathML, but not in their elements that hold HTML. */
  get isForeign(): boolean {
    const root = this.#elements.foreign();
    return root !== -1 && HOLDING_HTML.every((name) => this.#elements.last(name) < root);
  }

  open(name: string, attributes: Attributes, isSelfClosing: boolean): void {
    const element = elementOf(name);
    if (this.isForeign && ENDING_FOREIGN.has(name)) this.#popTo(this.#elements.foreign());
    const endsItself = isSelfClosing && (element.isForeign || this.isForeign);
    closeImplied(element, this.#elements, this.#endTo);
    if (element.role === 'void') {
      if (this.#skipped === -1 && !isHidden(name, attributes)) this.#void(name, attributes);
    } else if (this.#skipped !== -1) this.#push(element);
    else if (isUnseen(name, element, attributes)) {
      if (element.isSpecial) this.#builder.boundary();
      this.#skip(element);
    } else {
      const position = this.#elements.length;
      this.#openShown(name, element, attributes);
      if (attributes.has('style')) this.#noteWhiteSpace(position, attributes);
    }
    // Only foreign content knows self-closing tags; elsewhere the slash means nothing.
    if (endsItself) this.close(name);
  }

  close(name: string): void {
    const element = elementOf(name);
    if (name === 'br') {
      if (this.#skipped === -1) this.#builder.lineBreak();
      return;
    }
    const position = this.#elements.last(element.key);
    if (element.role !== 'inline' && this.#skipped === -1) this.#line.endSign();
    if (position > this.#elements.reach(element)) this.#popTo(position);
    else if (this.#skipped !== -1) return;
    else if (element.mark !== undefined) this.#builder.closeMark(element.mark);
    else if (element.isSpecial) this.#builder.boundary();
  }

  /** Ends the page: whatever is open closes. */
  end(): void {
    this.#popTo(0);
    this.#wordList.end();
  }

  /** Text whose ends of lines are shown. */
  #lines(text: string): void {
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) {
        this.#line.endSign();
        this.#builder.lineBreak();
      }
      this.#line.text(line);
    }
  }

  /** Notes what an element that was just pushed says of the ends of lines. */
  #noteWhiteSpace(position: number, attributes: Attributes): void {
    const keeps = keepsLines(attributes);
    if (keeps !== undefined && this.#elements.length > position)
      this.#whiteSpace.push({ position, keepsLines: keeps });
  }

  #void(name: string, attributes: Attributes): void {
    this.#line.endSign();
    const builder = this.#builder;
    if (name === 'br') builder.lineBreak();
    else if (name === 'hr') builder.rule();
    else if (name === 'img') this.#line.image(attributes);
    else if (name === 'input') this.#input(attributes);
  }

  /** Boxes to tick, but those that open the menus of pages. */
  #input(attributes: Attributes): void {
    if (attributes.get('type')?.toLowerCase() !== 'checkbox') return;
    if (isSwitch(attributes) || this.#elements.last('nav') !== -1) return;
    this.#builder.text(attributes.has('checked') ? '[x] ' : '[ ] ');
  }

  #openShown(name: string, element: Element, attributes: Attributes): void {
    const builder = this.#builder;
    if (element.role !== 'inline') this.#line.endSign();
    if (element.isSpecial && wordLevelOf(attributes) === undefined) this.#wordList.end();
    if (this.#codeLines.isPart(element)) {
      this.#push(element, this.#codeLines.openPart(element));
      return;
    }
    switch (element.role) {
      case 'mark':
        this.#openMark(element, attributes);
        return;
      case 'heading':
        builder.openHeading(Number(name[1]));
        this.#push(element, () => builder.closeHeading());
        return;
      case 'list':
        if (holdsCodeLines(attributes)) this.#push(element, this.#codeLines.open(attributes));
        else this.#push(element, this.#lists.open(name, attributes));
        return;
      case 'item':
        this.#push(element, this.#lists.openItem(attributes));
        return;
      case 'definitions':
        this.#push(element, this.#lists.openDefinitions(attributes));
        return;
      case 'term':
      case 'description':
        this.#push(element, this.#lists.openDefinition(element.role === 'term'));
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
        this.#openTable(element, attributes);
        return;
      case 'caption':
      case 'section':
      case 'row':
      case 'cell':
        this.#openInTable(name, element, attributes);
        return;
      case 'preformatted':
        this.#openPreformatted(element, attributes);
        return;
      case 'title':
        this.#openTitle(element);
        return;
      case 'skipped':
        this.#push(
          element,
          name === 'script' ? this.#line.openMathScript(attributes.get('type') ?? '') : undefined,
        );
        return;
      case 'math':
        this.#push(element, this.#line.openFormula(attributes));
        return;
      case 'annotation': {
        const atEnd = this.#line.openAnnotation(attributes);
        if (atEnd === undefined) this.#skip(element);
        else this.#push(element, atEnd);
        return;
      }
      case 'quotation':
        builder.text('“');
        this.#push(element, () => builder.text('”'));
        return;
      case 'control':
        this.#openControl(name, element);
        return;
      case 'reading':
        this.#push(element, this.#line.openReading());
        return;
      case 'paragraph':
        // An unclosed heading must not swallow what follows it.
        if (builder.isInFilledHeading) builder.closeHeading();
        builder.boundary();
        this.#wordList.level = wordLevelOf(attributes);
        this.#push(element, this.#endLine);
        return;
      case 'block':
        this.#openBlock(element, attributes);
        return;
      default:
        this.#push(element, this.#openInline(name, attributes));
    }
  }

  /**
   * Marks are no elements of the stack, unless they are rows or cells: their end tags find them wherever they stand.
   */
  #openMark(element: Element, attributes: Attributes): void {
    const builder = this.#builder;
    const inTable = this.#boxTables.openInLine(attributes);
    if (inTable !== undefined) {
      this.#push(element, inTable);
      return;
    }
    const { mark = 'code' } = element;
    if (mark === 'code' && builder.isInCode) builder.nameLanguage(languageOf(attributes));
    if (mark !== 'link') builder.openMark(mark);
    else if (attributes.has('href')) this.#line.openLink(attributes.get('href') ?? '');
  }

  #openBlock(element: Element, attributes: Attributes): void {
    const isCodeLine = this.#codeLines.isInBox && isCodeBoxLine(attributes);
    const part = isCodeLine ? this.#codeLines.openBoxLine() : this.#boxTables.open(attributes);
    if (part !== undefined) {
      this.#push(element, part);
      return;
    }
    this.#builder.boundary();
    if (isNoteBox(attributes)) this.#noteBox = this.#elements.length;
    const atEnd = isCodeBox(attributes) ? this.#codeLines.openBox() : this.#endLine;
    this.#push(element, atEnd, languageOf(attributes));
  }

  /**
   * A button behind the words of a heading does something with it (copy, edit, fold); it stands behind it, for headings
   * serve as paths.
   */
  #openControl(name: string, element: Element): void {
    const builder = this.#builder;
    if (name === 'button' && builder.isInFilledHeading) {
      builder.openAside();
      this.#push(element, () => builder.closeAside());
      return;
    }
    builder.text(' ');
    this.#push(element, () => builder.text(' '));
  }

  #openInline(name: string, attributes: Attributes): (() => void) | undefined {
    const inFormula = this.#line.openFormulaPart(name, attributes);
    if (inFormula !== undefined) return inFormula;
    const inTable = this.#boxTables.openInLine(attributes);
    if (inTable !== undefined) return inTable;
    if (name === 'sup') return this.#line.openRaised();
    if (name === 'ruby') return this.#line.openRuby();
    if (this.#wordList.level === undefined || !isWordMark(attributes)) return undefined;
    return this.#line.collect((mark) => this.#wordList.openItem(mark));
  }

  #openTable(element: Element, attributes: Attributes): void {
    const isNote = this.#noteBox > -1 && this.#noteBox === this.#elements.length - 1;
    const shape = tableOf(attributes);
    this.#builder.openTable(isNote ? { ...shape, presentational: true } : shape);
    this.#push(element, this.#closeContainer);
  }

  /** Parts of a table; outside one they mean nothing but an end of line. */
  #openInTable(name: string, element: Element, attributes: Attributes): void {
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
      const colspan = integerOf(attributes.get('colspan'));
      const rowspan = integerOf(attributes.get('rowspan'));
      // rowspan="0" reaches to the end of the table; the builder clamps it.
      builder.openCell({
        header: name === 'th' || isColumnName(attributes),
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

  #openPreformatted(element: Element, attributes: Attributes): void {
    const builder = this.#builder;
    if (builder.isInCode) {
      builder.boundary();
      this.#push(element);
      return;
    }
    // GitHub writes `div.highlight-source-js > pre`, Sphinx `div.highlight-python > div > pre`.
    const around = [1, 2].map((up) => this.#elements.at(-up)?.language ?? '');
    builder.openCode([languageOf(attributes), ...around].find((language) => language !== ''));
    this.#push(element, () => builder.closeCode());
  }

  #openTitle(element: Element): void {
    const isTitle = this.title === '' && this.#elements.last('svg') === -1;
    this.#inTitle = isTitle;
    this.#skip(element, () => {
      this.#inTitle = false;
      if (isTitle) this.title = this.title.replace(/\s+/g, ' ').trim();
    });
  }

  /** Opens an element whose content is not shown. */
  #skip(element: Element, atEnd?: () => void): void {
    this.#skipped = this.#elements.length;
    this.#push(element, atEnd);
  }

  #push(element: Element, atEnd?: () => void, language = ''): void {
    this.#elements.push({ element, atEnd, language });
  }

  /** Closes elements down to and including the one at a position. */
  #popTo(position: number): void {
    if (position === 0) this.#line.endSign();
    while (this.#elements.length > position) {
      const open = this.#elements.pop();
      if (this.#skipped === this.#elements.length) this.#skipped = -1;
      if (this.#noteBox === this.#elements.length) this.#noteBox = -1;
      if (this.#whiteSpace.at(-1)?.position === this.#elements.length) this.#whiteSpace.pop();
      open?.atEnd?.();
    }
  }
}

/**
 * True for what is not shown. A script that is a formula and a template that is shown (a declarative shadow root) are
 * read.
 */
function isUnseen(name: string, { role }: Element, attributes: Attributes): boolean {
  if (isHidden(name, attributes)) return true;
  if (role !== 'skipped') return false;
  if (name === 'template') return !attributes.has('shadowrootmode');
  return name !== 'script' || !MATH_SCRIPT.test(attributes.get('type') ?? '');
}

/** Elements of SVG and MathML that hold HTML (HTML standard, section 13.2.6: integration points). */
const HOLDING_HTML = ['foreignobject', 'desc', 'mtext', 'mi', 'mo', 'mn', 'ms', 'annotation-xml'] as const;

/**
 * Start tags that a drawing or a formula cannot hold: it was not closed, and ends (HTML standard, section 13.2.6.5).
 */
const ENDING_FOREIGN: ReadonlySet<string> = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);

const MATH_SCRIPT = /^math\/tex/i;

const HEAD = elementOf('thead');
