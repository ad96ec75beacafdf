// Tags of a Word document → calls of the tree builder, in one pass: which element means what, and which of the files
// here decides on it (paragraphs and runs, tables, fields, equations, other parts). The sieve has taken out what is
// passed over. Text boxes come behind the paragraph that they are anchored in. Hidden text and the codes of fields are
// left out.
import type { TreeBuilder } from '../../tree/builder.ts';
import { linkTarget } from '../../tree/inline.ts';
import type { TreeNode } from '../../tree/node.ts';
import { Equation } from './equations.ts';
import { shownByCode } from './field-codes.ts';
import { hyperlinkOf } from './fields.ts';
import type { Numbering } from './numbering.ts';
import type { Relationship } from './parts.ts';
import { Sieve, type Sieved } from './sieve.ts';
import { Story, type StorySource } from './story.ts';
import { PLAIN_RUN, withRunProperties, type Styles } from './styles.ts';
import { symbolOf, textInFont } from './symbols.ts';
import { Tables } from './tables.ts';
import { attributeOf, attributesOf, isOn, valueOf, type XmlVisitor } from './xml.ts';

/** What the walk asks about while it reads. */
export interface WordSource {
  readonly styles: Styles;
  readonly numbering: Numbering;
  readonly relationships: ReadonlyMap<string, Relationship>;
  /** What a note says, by `footnote 2`, `endnote 1`; `undefined` when there is none. */
  readonly note: (key: string) => readonly TreeNode[] | undefined;
  /** The note that is read, by the same key; '' in the document itself. */
  readonly inNote?: string;
  /** Fields without an end that are known of: they hide nothing. */
  readonly unended: Unended;
  readonly counts: Counts;
  /** Adds what another part holds: a chunk of another format, a diagram, a chart. */
  readonly embedded: (kind: 'chunk' | 'diagram' | 'chart', part: string, builder: TreeBuilder) => void;
}

/** What is counted through a document, its notes and the documents inside it. */
export interface Counts {
  /** Notes that have been referred to; the number of each is its label. */
  notes: number;
  /** UTF-16 units of targets of links: an address that is written once may be linked to without end. */
  targets: number;
}

/** Targets that are kept: 100,000 of the usual length. The text of further links stands without. */
const MAX_TARGETS = 10_000_000;

/** Fields without an end, in the document ('') and its notes: places of their begins among all elements there. */
export type Unended = ReadonlyMap<string, ReadonlySet<number>>;

/** What came to light on the way. */
export interface Walked {
  /** Page breaks that the author set. */
  readonly pageBreaks: number;
  /** Text of the paragraph in the style "Title" that stands before all headings; '' when there is none. */
  readonly title: string;
  /** Fields that began and never ended, which hid all that follows. */
  readonly unended: readonly { readonly note: string; readonly index: number }[];
}

/** Reads a part with paragraphs in it: the document, or one of its notes. */
export class WordWalk implements Sieved {
  readonly #source: WordSource;
  readonly #builder: TreeBuilder;
  readonly #sieve = new Sieve(this);
  #isDisplay = false;
  /** What the stories share. */
  readonly #stories: StorySource;
  /** The body, or the cell or text box that is open. */
  #story: Story;
  readonly #tables: Tables;
  /** True inside `mc:AlternateContent` once one of its alternatives has been read. */
  #hasChosen = false;
  /** True in a drawing that is anchored in a paragraph and no part of its line. */
  #isAnchored = false;
  /** `[x] ` or `[ ] ` where a content control is a check box; '' elsewhere. */
  #checkBox = '';
  /** Where text stands: in a run, or in the code of a field. */
  #text: 'shown' | 'code' | 'none' = 'none';
  /** Labels of the notes by their keys, in the order of the references. */
  readonly #notes = new Map<string, string>();
  #pageBreaks = 0;
  /** Fields without an end in cells and text boxes that are closed. */
  readonly #unended: number[] = [];

  readonly #note: string;

  constructor(source: WordSource, builder: TreeBuilder) {
    this.#source = source;
    this.#note = source.inNote ?? '';
    this.#builder = builder;
    const { styles, numbering } = source;
    this.#stories = { builder, styles, numbering, title: { text: undefined } };
    this.#story = new Story(this.#stories);
    this.#tables = new Tables(builder, source.styles);
  }

  /** Ends the part. */
  end(): Walked {
    this.#endStory();
    return {
      pageBreaks: this.#pageBreaks,
      title: this.#stories.title.text ?? '',
      unended: this.#unended.map((index) => ({ note: this.#note, index })),
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

  properties(name: string, properties: ReadonlyMap<string, string>): void {
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
      case 'w:sdtPr':
        if (properties.has('w14:checkbox'))
          this.#checkBox = isOn(properties.get('w14:checkbox w14:checked')) ? '[x] ' : '[ ] ';
        break;
      case 'w:ffData':
        story.fields.form(properties);
        break;
      default:
    }
  }

  open(name: string, written: string): void {
    const builder = this.#builder;
    switch (name) {
      case 'w:p':
        this.#beginCell();
        this.#sieve.atEnd(this.#story.openParagraph());
        break;
      case 'w:r':
        this.#story.beginParagraph();
        this.#story.run = PLAIN_RUN;
        break;
      case 'w:t':
        if (this.#story.isShown) this.#openText('shown');
        break;
      case 'w:instrText':
        this.#openText('code');
        break;
      case 'w:tab':
      case 'w:ptab':
        this.#story.write(builder.isInCode ? '\t' : ' ');
        break;
      case 'w:br':
      case 'w:cr':
        if (!this.#story.isShown) return;
        if (attributeOf(written, 'type') === 'page') this.#pageBreaks++;
        builder.lineBreak();
        break;
      case 'w:noBreakHyphen':
        this.#story.write('-');
        break;
      case 'w:sym': {
        const attributes = attributesOf(written);
        this.#story.write(symbolOf(attributes.get('font') ?? '', attributes.get('char') ?? ''));
        break;
      }
      case 'w:fldChar':
      case 'w:fldSimple':
        this.#story.beginParagraph();
        this.#field(name, written);
        break;
      case 'w:hyperlink':
        this.#story.beginParagraph();
        this.#openHyperlink(attributesOf(written));
        break;
      case 'w:footnoteReference':
      case 'w:endnoteReference':
        if (this.#story.isShown) this.#noteReference(`${name.slice(2, -9)} ${attributeOf(written, 'id')}`);
        break;
      case 'wp:anchor':
      case 'wp:inline':
        this.#openDrawing(name === 'wp:anchor');
        break;
      case 'wp:docPr': {
        const attributes = attributesOf(written);
        const descriptions = [attributes.get('descr') ?? '', attributes.get('title') ?? ''];
        if (attributes.get('hidden') === '1') break;
        this.#image(descriptions.find((text) => text !== '') ?? '', this.#isAnchored);
        break;
      }
      case 'v:shape': {
        const attributes = attributesOf(written);
        this.#image(attributes.get('alt') ?? '', /\bposition:absolute\b/.test(attributes.get('style') ?? ''));
        break;
      }
      case 'v:rect':
        // How Word keeps a horizontal line.
        if (attributeOf(written, 'hr') === 't') builder.rule();
        break;
      case 'w:txbxContent':
        if (this.#story.isShown) this.#openTextBox();
        else this.#sieve.skip();
        break;
      case 'mc:AlternateContent':
      case 'mc:Choice':
      case 'mc:Fallback':
        this.#alternative(name);
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
      case 'w:sdtContent':
        this.#openControl();
        break;
      case 'm:oMathPara':
        this.#isDisplay = true;
        this.#sieve.atEnd(() => (this.#isDisplay = false));
        break;
      case 'm:oMath':
        this.#openEquation();
        break;
      case 'w:altChunk':
        this.#beginCell();
        this.#story.flow.end();
        builder.boundary();
        this.#embed('chunk', attributeOf(written, 'id'));
        builder.boundary();
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
        if (this.#source.unended.get(this.#note)?.has(this.#sieve.begun) !== true)
          fields.begin(this.#sieve.begun);
        break;
      case 'separate': {
        const wasListing = fields.isListing;
        const address = fields.separate();
        if (address !== undefined) this.#builder.openMark('link', this.#target(address));
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

  /** A field whose result stands in it; where it has none, it shows what its code says. */
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

  #openHyperlink(attributes: ReadonlyMap<string, string>): void {
    const relationship = this.#source.relationships.get(attributes.get('id') ?? '');
    const anchor = attributes.get('anchor') ?? '';
    const address = relationship?.isExternal === true ? relationship.target : '';
    this.#openLink(anchor === '' ? address : `${address}#${anchor}`);
  }

  #openLink(address: string): void {
    this.#builder.openMark('link', this.#target(address));
    this.#sieve.atEnd(() => this.#builder.closeMark('link'));
  }

  #target(address: string): string {
    const target = linkTarget(address);
    const { counts } = this.#source;
    counts.targets += target.length;
    return counts.targets > MAX_TARGETS ? '' : target;
  }

  #noteReference(key: string): void {
    const note = this.#source.note(key) ?? [];
    if (note.length === 0) return;
    let label = this.#notes.get(key);
    if (label === undefined) {
      label = String(++this.#source.counts.notes);
      this.#notes.set(key, label);
      this.#builder.footnote(label, note);
    }
    this.#story.writeReference(label);
  }

  #openDrawing(isAnchored: boolean): void {
    const outside = this.#isAnchored;
    this.#isAnchored = isAnchored;
    this.#sieve.atEnd(() => (this.#isAnchored = outside));
  }

  /**
   * A picture in the line is part of it; one that the text flows around comes behind the paragraph, as a text box does.
   */
  #image(description: string, isAnchored: boolean): void {
    if (!this.#story.isShown || description.trim() === '') return;
    if (isAnchored) this.#builder.openAside();
    else this.#story.writeLabel();
    this.#builder.image(description, '');
    if (isAnchored) this.#builder.closeAside();
  }

  /** A text box has paragraphs of its own, in the middle of the one that it is anchored in. */
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

  /** The first alternative is what newer programs show; the others are the same for older ones. */
  #alternative(name: string): void {
    if (name === 'mc:AlternateContent') {
      const outside = this.#hasChosen;
      this.#hasChosen = false;
      this.#sieve.atEnd(() => (this.#hasChosen = outside));
    } else if (this.#hasChosen) this.#sieve.skip();
    else this.#sieve.atEnd(() => (this.#hasChosen = true));
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

  /** Ends the body, a cell or a text box: a field that began in it cannot end elsewhere. */
  #endStory(): void {
    const { flow, fields } = this.#story;
    flow.end();
    for (const index of fields.unended) this.#unended.push(index);
  }

  /** Begins a cell that has no properties, before what stands in it. */
  #beginCell(): void {
    if (this.#tables.isCellPending) this.#enterCell(NONE);
  }

  /** A cell has lists and quotations of its own; one that only goes on with another is passed over. */
  #enterCell(properties: ReadonlyMap<string, string>): void {
    if (this.#tables.enterCell(properties)) this.#story = new Story(this.#stories);
    else this.#sieve.skip();
  }

  /** A content control shows what is in it; a check box is shown as task lists show it. */
  #openControl(): void {
    const checkBox = this.#checkBox;
    this.#checkBox = '';
    if (checkBox === '') return;
    this.#beginCell();
    this.#story.write(checkBox);
    this.#sieve.skip();
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

const NONE: ReadonlyMap<string, string> = new Map();
