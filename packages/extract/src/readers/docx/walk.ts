// Tags of a Word document → calls of the tree builder, in one pass: styles become headings, quotes and code, numbering becomes
// lists, runs become marks, text boxes come behind the paragraph that they are anchored in. Deleted and hidden text, field
// codes and comments are left out.
import type { TreeBuilder } from '../../tree/builder.ts';
import { Flow, type ListPlace } from '../../tree/flow.ts';
import { linkTarget, raised, type MarkKind } from '../../tree/inline.ts';
import { MAX_COLSPAN, type TreeNode } from '../../tree/node.ts';
import { Equation } from './equations.ts';
import { Fields, hyperlinkOf } from './fields.ts';
import type { Numbering } from './numbering.ts';
import type { Relationship } from './parts.ts';
import {
  depthByOutline,
  isOn,
  PLAIN_RUN,
  withRunProperties,
  type RunStyle,
  type StyleNumbering,
  type Styles,
} from './styles.ts';
import { symbolOf, textInFont } from './symbols.ts';
import { attributeOf, attributesOf, type XmlVisitor } from './xml.ts';

/** What the walk asks about while it reads. */
export interface WordSource {
  readonly styles: Styles;
  readonly numbering: Numbering;
  readonly relationships: ReadonlyMap<string, Relationship>;
  /** What a note says, by `footnote 2`, `endnote 1`; `undefined` when there is none. */
  readonly note: (key: string) => readonly TreeNode[] | undefined;
  /** Fields without an end, by their place among all that begin: they hide nothing. Default: none. */
  readonly unended?: ReadonlySet<number>;
  /** Adds what another part holds: a chunk of another format, a diagram, a chart. */
  readonly embedded: (kind: 'chunk' | 'diagram' | 'chart', part: string, builder: TreeBuilder) => void;
}

/** What came to light on the way. */
export interface Walked {
  /** Page breaks that the author set. */
  readonly pageBreaks: number;
  /** Text of the paragraph in the style "Title" that stands before all headings; '' when there is none. */
  readonly title: string;
  /** Fields that began and never ended, which hid all that follows. */
  readonly unended: readonly number[];
}

/** Cells that may go on in the next row, by their first column. */
type Merged = Map<number, { rowspan: number }>;

/** A table that is open. */
interface OpenTable {
  /** Column that the next cell begins in. */
  column: number;
  merged: Merged;
  row: OpenRow | undefined;
}

/** A row that is open. It stands in the builder once it has a cell. */
interface OpenRow {
  isHeader: boolean;
  /** Columns that it leaves out at its beginning. */
  before: number;
  isOpen: boolean;
  readonly merged: Merged;
}

/** Elements whose properties are collected, with what they say by name. */
interface Collected {
  readonly name: string;
  readonly depth: number;
  /** The element directly inside that was opened last; those inside it are named after both. */
  inside: string;
  readonly properties: Map<string, string>;
}

/** A paragraph while it is read. */
interface Paragraph {
  properties: ReadonlyMap<string, string>;
  /** True once it stands in the builder. */
  isOpen: boolean;
  isHidden: boolean;
  /** What is done at its end. */
  end: (() => void) | undefined;
}

/** What a body, a cell or a text box has of its own: paragraphs that join, a paragraph, marks and tables that are open. */
interface Story {
  readonly flow: Flow;
  /** True when the last paragraph goes on in the next one. */
  isGlued: boolean;
  paragraph: Paragraph | undefined;
  /** Marks that are open in the builder. Neighbouring runs of one kind share theirs. */
  readonly marks: Set<MarkKind>;
  run: RunStyle;
  readonly fields: Fields;
}

const newStory = (builder: TreeBuilder): Story => ({
  flow: new Flow(builder),
  isGlued: false,
  paragraph: undefined,
  marks: new Set(),
  run: PLAIN_RUN,
  fields: new Fields(),
});

/** What nobody sees, or what says how things look. What a run said before a change is a property, and goes with these. */
const SKIPPED = new Set(
  (
    'w:del w:moveFrom w:delText w:delInstrText w:sectPr w:tblPr w:tblGrid w:tblPrEx w:sdtEndPr w:rt w:rubyPr w:pgNum ' +
    'w:footnoteRef w:endnoteRef w:annotationRef w:separator w:continuationSeparator w:fldData ' +
    'w:pPrChange w:rPrChange w:tblPrChange w:trPrChange w:tcPrChange w:sectPrChange w:numberingChange wp:positionH wp:positionV'
  ).split(' '),
);

/** Elements that hold properties, which are known before what they belong to is begun. */
const COLLECTED = new Set(['w:pPr', 'w:rPr', 'w:trPr', 'w:tcPr', 'w:sdtPr', 'w:ffData']);

/** Reads a part with paragraphs in it: the document, or one of its notes. */
export class WordWalk implements XmlVisitor {
  readonly #source: WordSource;
  readonly #builder: TreeBuilder;
  /** What is to be done at the end of each element that is open. */
  readonly #ends: ((() => void) | undefined)[] = [];
  /** Depth of the element whose content is passed over, or 0. */
  #skipped = 0;
  #collected: Collected | undefined;
  #equation: Equation | undefined;
  /** Depth of the element that the equation is in. */
  #equationDepth = 0;
  #isDisplay = false;
  /** True when the last text was an equation. */
  #afterEquation = false;
  #story: Story;
  readonly #tables: OpenTable[] = [];
  /** True between the start of a cell and what it begins with. */
  #isCellPending = false;
  /** True inside `mc:AlternateContent` once one of its alternatives has been read. */
  #hasChosen = false;
  /** `[x] ` or `[ ] ` where a content control is a check box; '' elsewhere. */
  #checkBox = '';
  /** Where text stands: in a run, or in the code of a field. */
  #text: 'shown' | 'code' | 'none' = 'none';
  /** Labels of the notes by their keys, in the order of the references. */
  readonly #notes = new Map<string, string>();
  #pageBreaks = 0;
  /** Fields that have begun. */
  #begun = 0;
  /** `undefined` before the first heading while no title has come. */
  #title: string | undefined;
  /** Collects the title while its paragraph is being read. */
  #titleText: string | undefined;

  constructor(source: WordSource, builder: TreeBuilder) {
    this.#source = source;
    this.#builder = builder;
    this.#story = newStory(builder);
  }

  /** Ends the part: the notes that it refers to come last. */
  end(): Walked {
    const { flow, fields } = this.#story;
    flow.end();
    for (const [key, label] of this.#notes) this.#builder.footnote(label, this.#source.note(key) ?? []);
    return { pageBreaks: this.#pageBreaks, title: this.#title ?? '', unended: fields.unended };
  }

  open(name: string, written: string): void {
    this.#ends.push(undefined);
    if (this.#skipped > 0) return;
    if (this.#collected !== undefined) this.#collect(this.#collected, name, written);
    else if (this.#equation !== undefined) this.#equation.open(name, written);
    else if (SKIPPED.has(name)) this.#skip();
    else if (COLLECTED.has(name))
      this.#collected = { name, depth: this.#ends.length, inside: '', properties: new Map() };
    else this.#open(name, written);
  }

  close(): void {
    const depth = this.#ends.length;
    const end = this.#ends.pop();
    if (this.#skipped > 0) {
      if (depth > this.#skipped) return;
      this.#skipped = 0;
    }
    const collected = this.#collected;
    if (collected !== undefined) {
      if (depth > collected.depth) return;
      this.#collected = undefined;
      this.#apply(collected.name, collected.properties);
    } else if (this.#equation !== undefined && depth > this.#equationDepth) this.#equation.close();
    else end?.();
  }

  text(text: string): void {
    if (this.#skipped > 0 || this.#collected !== undefined) return;
    if (this.#equation !== undefined) this.#equation.text(text);
    else if (this.#text === 'shown') this.#write(textInFont(text, this.#story.run.font));
    else if (this.#text === 'code') this.#story.fields.code(text);
  }

  /** What is to be done where the element ends that has just begun. */
  #atEnd(end: () => void): void {
    this.#ends[this.#ends.length - 1] = end;
  }

  /** Passes over the rest of the element that is open. */
  #skip(): void {
    this.#skipped = this.#ends.length;
  }

  #collect(collected: Collected, name: string, written: string): void {
    if (name.endsWith('Change') || name === 'w:sectPr') {
      this.#skip();
      return;
    }
    const isDirect = this.#ends.length === collected.depth + 1;
    if (isDirect) collected.inside = name;
    const key = isDirect ? name : `${collected.inside} ${name}`;
    // The entries of a list of choices are told apart by their order.
    collected.properties.set(name === 'w:listEntry' ? `${key} ${collected.properties.size}` : key, written);
  }

  #apply(name: string, properties: ReadonlyMap<string, string>): void {
    const story = this.#story;
    switch (name) {
      case 'w:pPr':
        if (story.paragraph !== undefined) story.paragraph.properties = properties;
        break;
      case 'w:rPr': {
        const style = valueOf(properties, 'w:rStyle');
        const base = style === '' ? PLAIN_RUN : this.#source.styles.character(style);
        story.run = withRunProperties(base, properties);
        break;
      }
      case 'w:trPr':
        this.#applyRow(properties);
        break;
      case 'w:tcPr':
        this.#openCell(properties);
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

  #open(name: string, written: string): void {
    const builder = this.#builder;
    switch (name) {
      case 'w:p':
        this.#openParagraph();
        break;
      case 'w:r':
        this.#beginParagraph();
        this.#story.run = PLAIN_RUN;
        break;
      case 'w:t':
        if (this.#isShown()) this.#openText('shown');
        break;
      case 'w:instrText':
        this.#openText('code');
        break;
      case 'w:tab':
      case 'w:ptab':
        this.#write(builder.isInCode ? '\t' : ' ');
        break;
      case 'w:br':
      case 'w:cr':
        if (!this.#isShown()) return;
        if (attributeOf(written, 'type') === 'page') this.#pageBreaks++;
        builder.lineBreak();
        break;
      case 'w:noBreakHyphen':
        this.#write('-');
        break;
      case 'w:sym': {
        const attributes = attributesOf(written);
        this.#write(symbolOf(attributes.get('font') ?? '', attributes.get('char') ?? ''));
        break;
      }
      case 'w:fldChar':
      case 'w:fldSimple':
        this.#beginParagraph();
        this.#field(name, written);
        break;
      case 'w:hyperlink':
        this.#beginParagraph();
        this.#openHyperlink(attributesOf(written));
        break;
      case 'w:footnoteReference':
      case 'w:endnoteReference':
        if (this.#isShown()) this.#noteReference(`${name.slice(2, -9)} ${attributeOf(written, 'id')}`);
        break;
      case 'wp:docPr':
        this.#image(attributesOf(written));
        break;
      case 'v:shape':
        if (this.#isShown()) builder.image(attributeOf(written, 'alt'), '');
        break;
      case 'v:rect':
        // How Word keeps a horizontal line.
        if (attributeOf(written, 'hr') === 't') builder.rule();
        break;
      case 'w:txbxContent':
        if (this.#isShown()) this.#openTextBox();
        else this.#skip();
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
        this.#openRow();
        break;
      case 'w:tc':
        this.#openTableCell();
        break;
      case 'w:sdtContent':
        this.#openControl();
        break;
      case 'm:oMathPara':
        this.#isDisplay = true;
        this.#atEnd(() => (this.#isDisplay = false));
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

  /** False in hidden runs and paragraphs, and in what a field is made from. */
  #isShown(): boolean {
    const { run, fields, paragraph } = this.#story;
    return !run.isHidden && !fields.isHidden && paragraph?.isHidden !== true;
  }

  #openText(kind: 'shown' | 'code'): void {
    this.#text = kind;
    this.#atEnd(() => (this.#text = 'none'));
  }

  #openParagraph(): void {
    this.#beginCell();
    const around = this.#story.paragraph;
    this.#afterEquation = false;
    this.#story.paragraph = { properties: NONE, isOpen: false, isHidden: false, end: undefined };
    this.#atEnd(() => {
      this.#beginParagraph();
      this.#syncMarks(NO_MARKS);
      this.#story.paragraph?.end?.();
      this.#story.paragraph = around;
    });
  }

  /** Puts the paragraph into the builder, once its properties are known and there is something in it. */
  #beginParagraph(): void {
    const story = this.#story;
    const { paragraph } = story;
    if (paragraph === undefined || paragraph.isOpen) return;
    paragraph.isOpen = true;
    const { properties } = paragraph;
    const styleId = valueOf(properties, 'w:pStyle');
    const { role, numbering, isHidden, ...style } = this.#source.styles.paragraph(styleId);
    paragraph.isHidden = isHidden;
    const depth = depthByOutline(properties.get('w:outlineLvl')) ?? style.depth;
    const place = this.#place(properties, numbering);
    const isGlued = story.isGlued;
    story.isGlued = false;
    if (role === 'title' && this.#title === undefined) this.#beginTitle(paragraph);
    else if (depth > 0) {
      this.#story.flow.end();
      this.#title ??= '';
      this.#builder.openHeading(depth);
      paragraph.end = () => this.#builder.closeHeading();
    } else if (role === 'code') {
      story.flow.join('code');
      paragraph.end = () => this.#builder.text('\n');
    } else {
      if (isGlued) story.flow.endJoined();
      else if (place !== undefined) story.flow.openItem(place);
      else if (role === 'quote') story.flow.join('quote');
      else this.#story.flow.end();
      if (!isGlued) this.#builder.boundary();
      paragraph.end = () => this.#endPlain(properties);
    }
  }

  /** A drop cap belongs to the word that the next paragraph begins with; where a paragraph's end was deleted, it goes on. */
  #endPlain(properties: ReadonlyMap<string, string>): void {
    const isDropCap = /^(?:drop|margin)$/.test(attributeOf(properties.get('w:framePr') ?? '', 'dropCap'));
    if (isDropCap || properties.has('w:rPr w:del') || properties.has('w:rPr w:moveFrom'))
      this.#story.isGlued = true;
    else this.#builder.boundary();
  }

  #beginTitle(paragraph: Paragraph): void {
    this.#titleText = '';
    this.#story.flow.end();
    this.#builder.boundary();
    paragraph.end = () => {
      this.#builder.boundary();
      this.#title = titleOf(this.#titleText);
      this.#titleText = undefined;
    };
  }

  /** The paragraph's place in a list: its own, or that of its style. Headings are counted, too. */
  #place(
    properties: ReadonlyMap<string, string>,
    ofStyle: StyleNumbering | undefined,
  ): ListPlace | undefined {
    const level = valueOf(properties, 'w:numPr w:ilvl');
    const numId = valueOf(properties, 'w:numPr w:numId');
    if (numId !== '') return this.#source.numbering.place(numId, level, '');
    if (ofStyle === undefined) return undefined;
    return level === ''
      ? this.#source.numbering.place(ofStyle.numId, ofStyle.level, ofStyle.styleId)
      : this.#source.numbering.place(ofStyle.numId, level, '');
  }

  #write(text: string): void {
    if (!this.#isShown()) return;
    this.#beginParagraph();
    this.#afterEquation = false;
    if (text.trim() !== '') this.#syncMarks(this.#wantedMarks());
    if (this.#titleText !== undefined) this.#titleText += text;
    this.#builder.text(this.#story.run.raised === 'superscript' ? raised(text) : text);
  }

  #wantedMarks(): ReadonlySet<MarkKind> {
    const { strong, emphasis, strike, code } = this.#story.run;
    if (!strong && !emphasis && !strike && !code) return NO_MARKS;
    const wanted = new Set<MarkKind>();
    if (strong) wanted.add('strong');
    if (emphasis) wanted.add('emphasis');
    if (strike) wanted.add('strike');
    if (code) wanted.add('code');
    return wanted;
  }

  #syncMarks(wanted: ReadonlySet<MarkKind>): void {
    const { marks } = this.#story;
    for (const kind of marks) {
      if (wanted.has(kind)) continue;
      this.#builder.closeMark(kind);
      marks.delete(kind);
    }
    for (const kind of wanted) {
      if (marks.has(kind)) continue;
      this.#builder.openMark(kind);
      marks.add(kind);
    }
  }

  #field(name: string, written: string): void {
    const { fields } = this.#story;
    if (name === 'w:fldSimple') {
      const address = hyperlinkOf(attributeOf(written, 'instr'));
      if (address !== undefined) this.#openLink(address);
      return;
    }
    switch (attributeOf(written, 'fldCharType')) {
      case 'begin':
        if (this.#source.unended?.has(this.#begun) !== true) fields.begin(this.#begun);
        this.#begun++;
        break;
      case 'separate': {
        const address = fields.separate();
        if (address !== undefined) this.#builder.openMark('link', linkTarget(address));
        break;
      }
      case 'end': {
        const { isLink, text } = fields.end();
        if (isLink) this.#builder.closeMark('link');
        if (text !== '') this.#write(text);
        break;
      }
      default:
    }
  }

  #openHyperlink(attributes: ReadonlyMap<string, string>): void {
    const relationship = this.#source.relationships.get(attributes.get('id') ?? '');
    const anchor = attributes.get('anchor') ?? '';
    const address = relationship?.isExternal === true ? relationship.target : '';
    this.#openLink(anchor === '' ? address : `${address}#${anchor}`);
  }

  #openLink(address: string): void {
    this.#builder.openMark('link', linkTarget(address));
    this.#atEnd(() => this.#builder.closeMark('link'));
  }

  #noteReference(key: string): void {
    if ((this.#source.note(key)?.length ?? 0) === 0) return;
    const label = this.#notes.get(key) ?? String(this.#notes.size + 1);
    this.#notes.set(key, label);
    this.#builder.footnoteReference(label);
  }

  #image(attributes: ReadonlyMap<string, string>): void {
    if (!this.#isShown() || attributes.get('hidden') === '1') return;
    const descriptions = [attributes.get('descr') ?? '', attributes.get('title') ?? ''];
    this.#builder.image(descriptions.find((text) => text !== '') ?? '', '');
  }

  /** A text box has paragraphs of its own, in the middle of the one that it is anchored in. */
  #openTextBox(): void {
    const outside = this.#story;
    const title = this.#titleText;
    this.#titleText = undefined;
    this.#builder.openAside();
    this.#story = newStory(this.#builder);
    this.#atEnd(() => {
      this.#story.flow.end();
      this.#builder.closeAside();
      this.#story = outside;
      this.#titleText = title;
    });
  }

  /** The first alternative is what newer programs show; the others are the same for older ones. */
  #alternative(name: string): void {
    if (name === 'mc:AlternateContent') {
      const outside = this.#hasChosen;
      this.#hasChosen = false;
      this.#atEnd(() => (this.#hasChosen = outside));
    } else if (this.#hasChosen) this.#skip();
    else this.#atEnd(() => (this.#hasChosen = true));
  }

  #openTable(): void {
    this.#beginCell();
    this.#story.flow.end();
    this.#builder.openTable();
    this.#tables.push({ column: 0, merged: new Map(), row: undefined });
    this.#atEnd(() => {
      this.#tables.pop();
      this.#builder.close();
    });
  }

  #openRow(): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    const row: OpenRow = { isHeader: false, before: 0, isOpen: false, merged: new Map() };
    table.row = row;
    table.column = 0;
    this.#atEnd(() => {
      if (!row.isOpen) return;
      this.#builder.close();
      table.merged = row.merged;
    });
  }

  #applyRow(properties: ReadonlyMap<string, string>): void {
    const row = this.#tables.at(-1)?.row;
    if (row === undefined) return;
    row.isHeader = isOn(properties.get('w:tblHeader'));
    row.before = Math.min(MAX_COLSPAN, Number.parseInt(valueOf(properties, 'w:gridBefore'), 10) || 0);
    if (properties.has('w:del')) this.#skip();
  }

  #openTableCell(): void {
    const table = this.#tables.at(-1);
    if (table?.row === undefined) return;
    if (!table.row.isOpen) this.#beginRow(table, table.row);
    const outside = this.#story;
    this.#isCellPending = true;
    this.#atEnd(() => {
      this.#beginCell();
      if (this.#story === outside) return;
      this.#story.flow.end();
      this.#story = outside;
      this.#builder.close();
    });
  }

  #beginRow(table: OpenTable, row: OpenRow): void {
    row.isOpen = true;
    this.#builder.openRow({ header: row.isHeader });
    if (row.before === 0) return;
    this.#builder.openCell({ colspan: row.before });
    this.#builder.close();
    table.column = row.before;
  }

  /** Opens a cell that has no properties, before what stands in it. */
  #beginCell(): void {
    if (this.#isCellPending) this.#openCell(NONE);
  }

  /** Puts a cell into the builder, or passes over one that only goes on with another. A cell has lists and quotations of its own. */
  #openCell(properties: ReadonlyMap<string, string>): void {
    const table = this.#tables.at(-1);
    const row = table?.row;
    this.#isCellPending = false;
    if (table === undefined || row === undefined) return;
    const { column } = table;
    const colspan = Math.min(MAX_COLSPAN, Number.parseInt(valueOf(properties, 'w:gridSpan'), 10) || 1);
    const merge = properties.get('w:vMerge');
    const above = table.merged.get(column);
    table.column += colspan;
    if (merge !== undefined && attributeOf(merge, 'val') !== 'restart' && above !== undefined) {
      above.rowspan++;
      row.merged.set(column, above);
      this.#skip();
      return;
    }
    if (properties.has('w:cellDel') || valueOf(properties, 'w:hMerge') === 'continue') {
      this.#skip();
      return;
    }
    this.#builder.openCell({ colspan });
    const { cell } = this.#builder;
    if (merge !== undefined && cell !== undefined) row.merged.set(column, cell);
    this.#story = newStory(this.#builder);
  }

  /** A content control shows what is in it; a check box is shown as task lists show it. */
  #openControl(): void {
    const checkBox = this.#checkBox;
    this.#checkBox = '';
    if (checkBox === '') return;
    this.#beginCell();
    this.#write(checkBox);
    this.#skip();
  }

  #openEquation(): void {
    this.#beginParagraph();
    const equation = new Equation();
    this.#equation = equation;
    this.#equationDepth = this.#ends.length;
    this.#atEnd(() => {
      this.#equation = undefined;
      const latex = equation.latex();
      const sign = this.#isDisplay ? '$$' : '$';
      if (latex === '') return;
      // Between two of them the signs would run together.
      if (this.#afterEquation) this.#write(' ');
      this.#write(`${sign}${latex}${sign}`);
      this.#afterEquation = true;
    });
  }

  #embedBeside(kind: 'diagram' | 'chart', id: string): void {
    if (!this.#isShown()) return;
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
const NO_MARKS: ReadonlySet<MarkKind> = new Set();

/** A title on one line; `undefined` when it is blank. */
function titleOf(text = ''): string | undefined {
  const title = text.replace(/\s+/g, ' ').trim();
  return title === '' ? undefined : title;
}

/** The `w:val` of a property; '' when it is not there. */
function valueOf(properties: ReadonlyMap<string, string>, name: string): string {
  return attributeOf(properties.get(name) ?? '', 'val');
}
