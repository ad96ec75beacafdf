// Tags and text of an HTML page → calls of the tree builder. Takes the role of a browser's tree construction without a
// tree: a stack of open elements with the position of the last one of each name, so that every tag costs the same at
// any depth. Decides which parts of a page are text, and the limits of its blocks.
import type { TreeBuilder } from '../../tree/builder.ts';
import type { RegionNode } from '../../tree/node.ts';
import {
  boxedTableOf,
  headingDepthOf,
  holdsCodeLines,
  isCodeBox,
  isCodeBoxLine,
  integerOf,
  isColumnName,
  isHidden,
  isSwitch,
  isUnseen,
  isWordMark,
  keepsLines,
  languageOf,
  rendersFormula,
  roleOf,
  tableOf,
  wordLevelOf,
  type Attributes,
} from './attributes.ts';
import { BoxTables } from './box-tables.ts';
import { CodeLines } from './code-lines.ts';
import {
  elementOf,
  ENDING_FOREIGN,
  HOLDING_HTML,
  INSIDE_TABLE,
  OPEN_TO_ARIA,
  type Element,
} from './elements.ts';
import { OpenFurniture, partOf } from './furniture.ts';
import { closeImplied } from './implied-ends.ts';
import { LineText } from './line-text.ts';
import { Lists, WordList } from './lists.ts';
import { OpenElements, type AtEnd } from './open-elements.ts';
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
  readonly #furniture: OpenFurniture;
  readonly #marksBoxes: boolean;
  /** Position of the element with hidden content, or -1. */
  #skipped = -1;
  /** True if that element is a drawing of the formula inside it. */
  #drawsFormula = false;
  #inTitle = false;
  #hasBase = false;
  /** True right behind the start tag of an element in a line, where icon fonts have their letters. */
  #mayBeIcon = false;

  /** The end callbacks of most elements, created once. */
  readonly #closeContainer = (): void => this.#builder.close();
  readonly #closeHeading = (): void => this.#builder.closeHeading();
  readonly #endLine = (): void => this.#builder.boundary();
  readonly #endTo = (position: number): void => this.#popTo(position);

  /**
   * @param marksFurniture opens a region for what its author declares as furniture
   * @param marksBoxes opens one for every block
   */
  constructor(builder: TreeBuilder, { marksFurniture = false, marksBoxes = false } = {}) {
    this.#builder = builder;
    this.#furniture = new OpenFurniture(builder, marksFurniture, marksBoxes);
    this.#marksBoxes = marksBoxes;
    this.#lists = new Lists(builder, this.#elements);
    this.#wordList = new WordList(builder);
    this.#codeLines = new CodeLines(builder, this.#elements);
    this.#boxTables = new BoxTables(builder, this.#elements);
    this.#line = new LineText(builder, this.#codeLines);
  }

  text(text: string): void {
    const mayBeIcon = this.#mayBeIcon;
    this.#mayBeIcon = false;
    if (this.#inTitle) this.title += text;
    else if (this.#skipped !== -1) return;
    else if (mayBeIcon && ICON.test(text) && !this.#builder.isInCode) return;
    else if (this.#elements.at(-1)?.keepsLines === true && !this.#builder.isInCode) this.#line.lines(text);
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
    this.#mayBeIcon = element.role === 'inline' || element.role === 'mark';
    const endsItself = isSelfClosing && (element.isForeign || this.isForeign);
    closeImplied(element, this.#elements, this.#endTo);
    if (element.role === 'void') {
      if (this.#skipped === -1 && !isHidden(name, attributes)) this.#void(name, attributes);
    } else if (this.#skipped !== -1) {
      if (element.role === 'math' && this.#drawsFormula) this.#openDrawnFormula(element, attributes);
      else this.#push(element);
    } else if (isUnseen(name, element, attributes)) {
      if (element.isSpecial) this.#builder.boundary();
      this.#skip(element);
      this.#drawsFormula = rendersFormula(attributes);
    } else this.#openShown(name, element, attributes);
    // Only foreign content has self-closing tags; elsewhere the slash means nothing.
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

  /** Ends the page and closes all open elements. */
  end(): void {
    this.#popTo(0);
    this.#wordList.end();
  }

  #void(name: string, attributes: Attributes): void {
    this.#line.endSign();
    const builder = this.#builder;
    if (name === 'br') builder.lineBreak();
    else if (name === 'hr') builder.rule();
    else if (name === 'img') this.#line.image(attributes);
    else if (name === 'input') this.#input(attributes);
    else if (name === 'base') this.#setBase(attributes.get('href'));
  }

  /** The first base with an address counts (HTML standard, section 4.2.3). */
  #setBase(address: string | undefined): void {
    if (!this.#hasBase) this.#builder.targets.base = address;
    this.#hasBase ||= address !== undefined;
  }

  /** Check boxes, except those that open the menus of pages. */
  #input(attributes: Attributes): void {
    if (attributes.get('type')?.toLowerCase() !== 'checkbox') return;
    if (isSwitch(attributes) || this.#elements.last('nav') !== -1) return;
    this.#builder.text(attributes.has('checked') ? '[x] ' : '[ ] ');
  }

  #openShown(name: string, element: Element, attributes: Attributes): void {
    if (element.role !== 'inline') this.#line.endSign();
    if (element.isSpecial && wordLevelOf(attributes) === undefined) this.#wordList.end();
    const label = this.#furniture.labelAt(name, element, attributes);
    if (this.#codeLines.isPart(element)) this.#push(element, this.#codeLines.openPart(element), attributes);
    else if (label !== undefined) this.#openFurniture(label, name, element, attributes);
    else if (element.role === 'mark') this.#openMark(element, attributes);
    else if (element.role === 'title') this.#openTitle(element);
    else if (element.role === 'annotation') this.#openAnnotation(element, attributes);
    else if (INSIDE_TABLE.has(element.role) && this.#elements.last('table') === -1) this.#builder.boundary();
    else {
      const atEnd = this.#openByRole(element, attributes) ?? this.#openByName(name, element, attributes);
      this.#push(element, atEnd, attributes);
    }
  }

  /** Opens an element in a region of its own; a mark ends like other elements then. */
  #openFurniture(label: RegionNode['label'], name: string, element: Element, attributes: Attributes): void {
    const endRegion = this.#furniture.open(label, element);
    const atEnd = element.role === 'mark' ? undefined : this.#openByName(name, element, attributes);
    const end = (): void => {
      atEnd?.();
      endRegion();
    };
    this.#push(element, end, attributes);
  }

  /**
   * The ARIA role of an element: a table of boxes, a part of one, or a heading. Elements of tables keep their own role.
   */
  #openByRole({ role }: Element, attributes: Attributes): AtEnd | undefined {
    if (!attributes.has('role') || !OPEN_TO_ARIA.has(role)) return undefined;
    const inTable = this.#boxTables.open(attributes);
    if (inTable !== undefined || roleOf(attributes) !== 'heading') return inTable;
    const builder = this.#builder;
    if (builder.isInCode || role === 'heading') return undefined;
    builder.openHeading(headingDepthOf(attributes));
    return this.#closeHeading;
  }

  /** Opens an element before it is pushed, and returns the callback for its end. */
  #openByName(name: string, element: Element, attributes: Attributes): AtEnd | undefined {
    const builder = this.#builder;
    switch (element.role) {
      case 'heading':
        builder.openHeading(Number(name[1]));
        return this.#closeHeading;
      case 'list':
        if (holdsCodeLines(attributes)) return this.#codeLines.open(attributes);
        return this.#lists.open(name, attributes);
      case 'item':
        return this.#lists.openItem(attributes);
      case 'definitions':
        return this.#lists.openDefinitions(attributes);
      case 'term':
      case 'description':
        return this.#lists.openDefinition(element.role === 'term');
      case 'quote':
        builder.openQuote();
        return this.#closeContainer;
      case 'table':
        if (holdsCodeLines(attributes)) return this.#codeLines.open(attributes);
        builder.openTable(tableOf(attributes, this.#elements.at(-1)?.boxed));
        return this.#closeContainer;
      case 'caption':
        builder.openCaption();
        return this.#closeContainer;
      case 'row':
        builder.openRow(this.#section());
        return this.#closeContainer;
      case 'cell':
        return this.#openCell(name, attributes);
      case 'preformatted':
        return this.#openPreformatted(attributes);
      case 'skipped':
        return name === 'script' ? this.#line.openMathScript(attributes.get('type') ?? '') : undefined;
      case 'math':
        return this.#line.openFormula(attributes);
      case 'quotation':
        builder.text('“');
        return () => builder.text('”');
      case 'control':
        return this.#line.openControl(name);
      case 'reading':
        return this.#line.openReading();
      case 'paragraph':
        // An unclosed heading must not swallow the text behind it.
        if (builder.isInFilledHeading) builder.closeHeading();
        builder.boundary();
        this.#wordList.level = wordLevelOf(attributes);
        return this.#endLine;
      case 'block':
        return this.#openBlock(name, attributes);
      case 'inline':
        return this.#openInline(name, attributes);
      default:
        return undefined;
    }
  }

  /**
   * Marks are not on the stack of elements, unless they are rows or cells: their end tags find them at any position.
   */
  #openMark(element: Element, attributes: Attributes): void {
    const builder = this.#builder;
    const inTable = attributes.has('role') ? this.#boxTables.open(attributes) : undefined;
    if (inTable !== undefined) {
      this.#push(element, inTable, attributes);
      return;
    }
    const { mark = 'code' } = element;
    if (mark === 'code' && builder.isInCode) builder.nameLanguage(languageOf(attributes));
    if (mark !== 'link') builder.openMark(mark);
    else if (attributes.has('href')) this.#line.openLink(attributes.get('href') ?? '');
  }

  #openBlock(name: string, attributes: Attributes): AtEnd {
    const isCodeLine = this.#codeLines.isInBox && isCodeBoxLine(attributes);
    const part = isCodeLine ? this.#codeLines.openBoxLine() : this.#boxTables.open(attributes);
    if (part !== undefined) return part;
    const builder = this.#builder;
    if (isCodeBox(attributes)) {
      builder.boundary();
      return this.#codeLines.openBox();
    }
    if (this.#marksBoxes && !builder.isInCode && !builder.isInHeading) {
      builder.openRegion(partOf(name, attributes));
      return this.#closeContainer;
    }
    builder.boundary();
    return this.#endLine;
  }

  #openInline(name: string, attributes: Attributes): AtEnd | undefined {
    const inFormula = this.#line.openFormulaPart(name, attributes);
    if (inFormula !== undefined) return inFormula;
    if (name === 'sup') return this.#line.openRaised();
    if (name === 'ruby') return this.#line.openRuby();
    if (this.#wordList.level === undefined || !isWordMark(attributes)) return undefined;
    return this.#line.collect((mark) => this.#wordList.openItem(mark));
  }

  /** The section of the current row. */
  #section(): { readonly header: boolean; readonly footer: boolean } {
    const position = this.#elements.last('section');
    const section =
      position > this.#elements.last('table') ? this.#elements.at(position)?.element : undefined;
    return { header: section === HEAD, footer: section === FOOT };
  }

  #openCell(name: string, attributes: Attributes): AtEnd {
    const colspan = integerOf(attributes.get('colspan'));
    const rowspan = integerOf(attributes.get('rowspan'));
    this.#builder.openCell({
      header: name === 'th' || isColumnName(attributes),
      colspan,
      // rowspan="0" reaches to the end of the table; the builder clamps it.
      rowspan: rowspan === 0 ? Infinity : rowspan,
    });
    return this.#closeContainer;
  }

  #openPreformatted(attributes: Attributes): AtEnd | undefined {
    const builder = this.#builder;
    if (builder.isInCode) {
      builder.boundary();
      return undefined;
    }
    // GitHub writes `div.highlight-source-js > pre`, Sphinx `div.highlight-python > div > pre`.
    const around = [1, 2].map((up) => this.#elements.at(-up)?.language ?? '');
    builder.openCode([languageOf(attributes), ...around].find((language) => language !== ''));
    return () => builder.closeCode();
  }

  #openAnnotation(element: Element, attributes: Attributes): void {
    const atEnd = this.#line.openAnnotation(attributes);
    if (atEnd === undefined) this.#skip(element);
    else this.#push(element, atEnd);
  }

  #openTitle(element: Element): void {
    const isTitle = this.title === '' && this.#elements.last('svg') === -1;
    this.#inTitle = isTitle;
    this.#skip(element, () => {
      this.#inTitle = false;
      if (isTitle) this.title = this.title.replace(/\s+/g, ' ').trim();
    });
  }

  /** Opens the MathML inside a drawing of it, which is hidden before and behind. */
  #openDrawnFormula(element: Element, attributes: Attributes): void {
    const drawing = this.#skipped;
    this.#skipped = -1;
    const atEnd = this.#line.openFormula(attributes);
    this.#push(element, () => {
      atEnd?.();
      this.#skipped = drawing;
    });
  }

  /** Opens an element with hidden content. */
  #skip(element: Element, atEnd?: AtEnd): void {
    this.#skipped = this.#elements.length;
    this.#drawsFormula = false;
    this.#push(element, atEnd);
  }

  #push(element: Element, atEnd?: AtEnd, attributes?: Attributes): void {
    const isBlock = element.role === 'block' && attributes?.has('class') === true;
    const ownKeepsLines = attributes?.has('style') === true ? keepsLines(attributes) : undefined;
    this.#elements.push({
      element,
      atEnd,
      language: attributes !== undefined && element.role === 'block' ? languageOf(attributes) : '',
      boxed: isBlock ? boxedTableOf(attributes) : undefined,
      keepsLines: ownKeepsLines ?? this.#elements.at(-1)?.keepsLines ?? false,
    });
  }

  /** Closes elements down to and including the one at a position. */
  #popTo(position: number): void {
    if (position === 0) this.#line.endSign();
    while (this.#elements.length > position) {
      const open = this.#elements.pop();
      if (this.#skipped === this.#elements.length) this.#skipped = -1;
      open?.atEnd?.();
    }
  }
}

/** Letters for private use, which only a font of the page draws. */
const ICON = /^\s*[\uE000-\uF8FF]+\s*$/;

const HEAD = elementOf('thead');
const FOOT = elementOf('tfoot');
