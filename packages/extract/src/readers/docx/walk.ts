// Tags of a Word document → calls of the tree builder, in one pass. Dispatches each element to the file that handles it
// (paragraphs and runs, tables, fields, equations, other parts), after the sieve has removed skipped content. Text
// boxes come behind their anchor paragraph. Hidden text and the codes of fields are left out.
import type { TreeBuilder } from '../../tree/builder.ts';
import { Equation } from '../../package/equations.ts';
import { shownByCode } from './field-codes.ts';
import { hyperlinkOf } from './fields.ts';
import { References } from './references.ts';
import { Sieve, type SieveTarget } from './sieve.ts';
import { Story, type StorySource } from './story.ts';
import { PLAIN_RUN, withRunProperties } from './styles.ts';
import { symbolOf, textInFont } from './symbols.ts';
import { WordTables } from './tables.ts';
import type { WalkResult, WordSource } from './word-source.ts';
import {
  attributeOf,
  attributesOf,
  NO_PROPERTIES,
  valueOf,
  type Properties,
  type XmlVisitor,
} from '../../package/xml.ts';

/** Reads a part with paragraphs: the document, or one of its notes. */
export class WordWalk implements SieveTarget {
  readonly #source: WordSource;
  readonly #builder: TreeBuilder;
  readonly #sieve = new Sieve(this);
  readonly #references: References;
  #isDisplay = false;
  /** The shared state of the stories. */
  readonly #stories: StorySource;
  /** The open body, cell or text box. */
  #story: Story;
  readonly #tables: WordTables;
  /** True in a drawing that is anchored in a paragraph and no part of its line. */
  #isAnchored = false;
  /** The place of text: a run, the code of a field, or neither. */
  #text: 'shown' | 'code' | 'none' = 'none';
  #pageBreaks = 0;
  /** Fields without an end in closed cells and text boxes. */
  readonly #unended: number[] = [];

  constructor(source: WordSource, builder: TreeBuilder) {
    this.#source = source;
    this.#builder = builder;
    this.#references = new References(source, builder);
    const { styles, numbering } = source;
    this.#stories = { builder, styles, numbering, title: { text: undefined } };
    this.#story = new Story(this.#stories);
    this.#tables = new WordTables(builder, source.styles);
  }

  /** Ends the part. */
  end(): WalkResult {
    this.#endStory();
    return {
      pageBreaks: this.#pageBreaks,
      title: this.#stories.title.text ?? '',
      unended: this.#unended.map((index) => ({ note: this.#source.inNote, index })),
    };
  }

  /** Takes the tags of the part. */
  get visitor(): XmlVisitor {
    return this.#sieve;
  }

  text(text: string): void {
    if (this.#text === 'shown') this.#story.write(textInFont(text, this.#story.run.font));
    else if (this.#text === 'code') this.#story.fields.code(text);
  }

  properties(name: string, properties: Properties): void {
    const story = this.#story;
    switch (name) {
      case 'w:pPr':
        story.enterParagraph(properties);
        break;
      case 'w:rPr': {
        const style = valueOf(properties, 'w:rStyle');
        const base = style === '' ? PLAIN_RUN : this.#source.styles.character(style);
        story.run = withRunProperties(base, properties);
        break;
      }
      case 'w:tblPr':
        this.#tables.enterTable(properties);
        break;
      case 'w:trPr':
        if (!this.#tables.enterRow(properties)) this.#sieve.skip();
        break;
      case 'w:tcPr':
        if (this.#tables.isCellPending) this.#enterCell(properties);
        break;
      case 'w:ffData':
        story.fields.form(properties);
        break;
      default:
    }
  }

  open(name: string, written: string): void {
    if (name.startsWith('w:')) this.#openWord(name, written);
    else this.#openForeign(name, written);
  }

  /** Opens an element of WordprocessingML. */
  #openWord(name: string, written: string): void {
    const story = this.#story;
    switch (name) {
      case 'w:p':
        this.#openParagraph();
        break;
      case 'w:r':
        story.beginParagraph();
        story.run = PLAIN_RUN;
        break;
      case 'w:t':
        if (story.isShown) this.#openText('shown');
        break;
      case 'w:instrText':
        this.#openText('code');
        break;
      case 'w:tab':
      case 'w:ptab':
        story.write(this.#builder.isInCode ? '\t' : ' ');
        break;
      case 'w:br':
      case 'w:cr':
        if (!story.isShown) return;
        if (attributeOf(written, 'type') === 'page') this.#pageBreaks++;
        this.#builder.lineBreak();
        break;
      case 'w:noBreakHyphen':
        story.write('-');
        break;
      case 'w:sym':
        story.write(symbolOf(attributeOf(written, 'font'), attributeOf(written, 'char')));
        break;
      case 'w:fldChar':
      case 'w:fldSimple':
        story.beginParagraph();
        this.#field(name, written);
        break;
      case 'w:hyperlink':
        story.beginParagraph();
        this.#openLink(this.#references.addressOf(attributesOf(written)));
        break;
      case 'w:footnoteReference':
      case 'w:endnoteReference':
        this.#writeNoteReference(`${name.slice(2, -9)} ${attributeOf(written, 'id')}`);
        break;
      case 'w:txbxContent':
        if (story.isShown) this.#openTextBox();
        else this.#sieve.skip();
        break;
      case 'w:tbl':
        this.#openTable();
        break;
      case 'w:tr':
        this.#tables.openRow();
        this.#sieve.atEnd(() => this.#tables.closeRow());
        break;
      case 'w:tc':
        this.#openCell();
        break;
      case 'w:altChunk':
        this.#embedChunk(attributeOf(written, 'id'));
        break;
      default:
    }
  }

  /** Opens an element of a drawing, an equation or a chart. */
  #openForeign(name: string, written: string): void {
    switch (name) {
      case 'wp:anchor':
      case 'wp:inline':
        this.#openDrawing(name === 'wp:anchor');
        break;
      case 'wp:docPr':
        if (attributeOf(written, 'hidden') !== '1')
          this.#image(attributeOf(written, 'descr') || attributeOf(written, 'title'), this.#isAnchored);
        break;
      case 'v:shape':
        this.#image(attributeOf(written, 'alt'), /\bposition:absolute\b/.test(attributeOf(written, 'style')));
        break;
      case 'v:rect':
        // Word's form of a horizontal line.
        if (attributeOf(written, 'hr') === 't') this.#builder.rule();
        break;
      case 'm:oMathPara':
        this.#isDisplay = true;
        this.#sieve.atEnd(() => (this.#isDisplay = false));
        break;
      case 'm:oMath':
        this.#openEquation();
        break;
      case 'dgm:relIds':
        this.#embedBeside('diagram', attributeOf(written, 'dm'));
        break;
      case 'c:chart':
        this.#embedBeside('chart', attributeOf(written, 'id'));
        break;
      default:
    }
  }

  #openParagraph(): void {
    this.#beginCell();
    this.#sieve.atEnd(this.#story.openParagraph());
  }

  #openText(kind: 'shown' | 'code'): void {
    this.#text = kind;
    this.#sieve.atEnd(() => (this.#text = 'none'));
  }

  #field(name: string, written: string): void {
    const { fields } = this.#story;
    if (name === 'w:fldSimple') {
      this.#openSimpleField(attributeOf(written, 'instr'));
      return;
    }
    switch (attributeOf(written, 'fldCharType')) {
      case 'begin':
        if (this.#source.unended.get(this.#source.inNote)?.has(this.#sieve.begun) !== true)
          fields.begin(this.#sieve.begun);
        break;
      case 'separate': {
        const wasListing = fields.isListing;
        const address = fields.separate();
        if (address !== undefined) this.#builder.openMark('link', this.#references.linkTarget(address));
        else if (fields.isListing && !wasListing) this.#story.beginListing();
        break;
      }
      case 'end': {
        const { isLink, text } = fields.end();
        if (isLink) this.#builder.closeMark('link');
        if (text !== '') this.#story.write(text);
        break;
      }
      default:
    }
  }

  /** A field that contains its result; without one, its code gives the text. */
  #openSimpleField(code: string): void {
    const address = hyperlinkOf(code);
    if (address !== undefined) {
      this.#openLink(address);
      return;
    }
    const story = this.#story;
    const { written } = story;
    this.#sieve.atEnd(() => {
      if (story.written > written) return;
      story.run = PLAIN_RUN;
      story.write(shownByCode(code));
    });
  }

  #openLink(address: string): void {
    this.#builder.openMark('link', this.#references.linkTarget(address));
    this.#sieve.atEnd(() => this.#builder.closeMark('link'));
  }

  #writeNoteReference(key: string): void {
    const label = this.#story.isShown ? this.#references.noteLabel(key) : undefined;
    if (label !== undefined) this.#story.writeReference(label);
  }

  #openDrawing(isAnchored: boolean): void {
    const outside = this.#isAnchored;
    this.#isAnchored = isAnchored;
    this.#sieve.atEnd(() => (this.#isAnchored = outside));
  }

  /**
   * An inline picture is part of its line; a picture with text flowing around it comes behind the paragraph, as a text
   * box does.
   */
  #image(description: string, isAnchored: boolean): void {
    if (!this.#story.isShown || description.trim() === '') return;
    if (isAnchored) this.#builder.openAside();
    else this.#story.writeLabel();
    this.#builder.image(description, '');
    if (isAnchored) this.#builder.closeAside();
  }

  /** A text box has paragraphs of its own, in the middle of its anchor paragraph. */
  #openTextBox(): void {
    const outside = this.#story;
    this.#builder.openAside();
    this.#story = new Story(this.#stories);
    this.#sieve.atEnd(() => {
      this.#endStory();
      this.#builder.closeAside();
      this.#story = outside;
    });
  }

  #openTable(): void {
    this.#beginCell();
    this.#story.flow.end();
    this.#tables.open();
    this.#sieve.atEnd(() => this.#tables.close());
  }

  #openCell(): void {
    if (!this.#tables.openCell()) return;
    const outside = this.#story;
    this.#sieve.atEnd(() => {
      this.#beginCell();
      if (this.#story === outside) return;
      this.#endStory();
      this.#story = outside;
      this.#builder.close();
    });
  }

  /** Ends the body, a cell or a text box: a field that began there cannot end elsewhere. */
  #endStory(): void {
    const { flow, fields } = this.#story;
    flow.end();
    for (const index of fields.unended) this.#unended.push(index);
  }

  /** Begins a cell without properties, before its first content. */
  #beginCell(): void {
    if (this.#tables.isCellPending) this.#enterCell(NO_PROPERTIES);
  }

  /** A cell has lists and quotations of its own; a cell that continues another is skipped. */
  #enterCell(properties: Properties): void {
    if (this.#tables.enterCell(properties)) this.#story = new Story(this.#stories);
    else this.#sieve.skip();
  }

  #openEquation(): void {
    this.#story.beginParagraph();
    const equation = new Equation();
    this.#sieve.divert(equation);
    this.#sieve.atEnd(() => {
      const latex = equation.latex();
      const sign = this.#isDisplay ? '$$' : '$';
      if (latex !== '') this.#story.writeEquation(`${sign}${latex}${sign}`);
    });
  }

  #embedChunk(id: string): void {
    this.#beginCell();
    this.#story.flow.end();
    this.#builder.boundary();
    this.#embed('chunk', id);
    this.#builder.boundary();
  }

  #embedBeside(kind: 'diagram' | 'chart', id: string): void {
    if (!this.#story.isShown) return;
    this.#builder.openAside();
    this.#embed(kind, id);
    this.#builder.closeAside();
  }

  #embed(kind: 'chunk' | 'diagram' | 'chart', id: string): void {
    const relationship = this.#source.relationships.get(id);
    if (relationship?.isExternal === false) this.#source.embedded(kind, relationship.target, this.#builder);
  }
}
