// Tags of the content of an OpenDocument file → calls of the tree builder, in one pass: paragraphs, lists, tables,
// notes, frames. Deleted text, comments, hidden text, forms and the sources of indices are left out. Text boxes and
// pictures beside the text come behind their anchor paragraph.
import { ElementWalk } from '../../package/element-walk.ts';
import { attributeOf, attributesOf } from '../../package/xml.ts';
import { TreeBuilder } from '../../tree/builder.ts';
import type { LinkTargets, TargetCount } from '../../tree/links.ts';
import { MAX_COLSPAN, type TableNode } from '../../tree/node.ts';
import { SHAPES, SKIPPED } from './elements.ts';
import { OpenFrames } from './frames.ts';
import { OpenLists } from './lists.ts';
import { MathVisitor } from './math.ts';
import { Recording, type RepeatCount } from './repeats.ts';
import { OpenStory, type StoryState } from './story.ts';
import type { OpenStyles } from './styles.ts';

/** The facts that the walk needs while it reads. */
export interface OpenSource {
  readonly styles: OpenStyles;
  readonly targets: LinkTargets;
  readonly counts: OpenCounts;
  /** Adds the content of an object of the package, a chart or a formula, by the name that the document gives it. */
  readonly object: (name: string, story: OpenStory) => void;
}

/** Counters of one document. */
export interface OpenCounts extends TargetCount, RepeatCount {
  /** Notes referred to so far; the number of each is its label. */
  notes: number;
}

/** A table that is open. */
interface OpenTable {
  readonly node: Pick<TableNode, 'isFramed'> | undefined;
  isHead: boolean;
  /** Columns of empty cells since the last one with content; those at the end of a row are none. */
  empty: number;
}

/** Reads the body of a document. */
export class OpenWalk extends ElementWalk {
  protected readonly source: OpenSource;
  readonly #state: StoryState;
  #story: OpenStory;
  readonly #tables: OpenTable[] = [];
  readonly #frames = new OpenFrames();
  #isInNote = false;
  /** The repeated element around, whose repetitions inside count no more. */
  #repeating: 'none' | 'row' | 'cell' = 'none';

  constructor(source: OpenSource, builder: TreeBuilder) {
    super();
    this.source = source;
    const { styles, counts } = source;
    this.#state = { styles, counts, title: { text: undefined }, lists: new OpenLists(styles) };
    this.#story = new OpenStory(builder, this.#state);
  }

  /** Text of the paragraph in the style "Title" above all headings; '' when there is none. */
  get title(): string {
    return this.#state.title.text ?? '';
  }

  /** Ends the body. */
  end(): void {
    this.#story.endFlow();
  }

  protected get builder(): TreeBuilder {
    return this.#story.builder;
  }

  /** True in a paragraph, to which a drawing is anchored. */
  protected get isInParagraph(): boolean {
    return this.#story.isInParagraph;
  }

  protected characters(text: string): void {
    if (!this.#frames.takes(text)) this.#story.write(text);
  }

  protected enter(name: string, written: string): void {
    if (SKIPPED.has(name)) this.skip();
    else if (name.startsWith('text:')) this.#enterText(name, written);
    else if (name.startsWith('table:')) this.#enterTable(name, written);
    else if (SHAPES.has(name)) this.openShape(name, written);
    else this.#enterFrame(name, written);
  }

  /** A drawing: text of its own beside the paragraph, or a picture in it. */
  protected openShape(name: string, written: string): void {
    this.#frames.open(attributeOf(written, 'anchor-type') === 'as-char');
    if (name === 'draw:frame') this.atEnd(() => this.#closeFrame());
    else this.#enterBeside(() => this.#closeFrame());
  }

  /** Reads a drawing into a builder of its own until its end. */
  protected readShape(builder: TreeBuilder, end: () => void): void {
    this.#frames.open(false);
    this.#enterStory(builder, () => {
      this.#closeFrame();
      end();
    });
  }

  /** Begins text beside the open paragraph. */
  #enterBeside(end: () => void): void {
    const { builder, isInParagraph } = this.#story;
    if (isInParagraph) builder.openAside();
    this.#enterStory(builder, () => {
      end();
      if (isInParagraph) builder.closeAside();
    });
  }

  /** Begins a story of its own until the end of the element; `end` runs before the story around goes on. */
  #enterStory(builder: TreeBuilder, end: () => void): void {
    const [outside, tables] = [this.#story, this.#tables.splice(0)];
    this.#story = new OpenStory(builder, this.#state);
    this.atEnd(() => {
      this.#story.endFlow();
      end();
      this.#story = outside;
      this.#tables.splice(0, Infinity, ...tables);
    });
  }

  /** A picture by its description; text flows around one that is no part of its line. */
  #closeFrame(): void {
    const picture = this.#frames.close();
    if (picture === undefined) return;
    const { builder, isInParagraph } = this.#story;
    const isBeside = isInParagraph && !picture.isInline;
    if (isBeside) builder.openAside();
    else this.#story.writeLabel();
    builder.image(picture.description, '');
    if (isBeside) builder.closeAside();
  }

  #enterText(name: string, written: string): void {
    const story = this.#story;
    switch (name) {
      case 'text:p':
      case 'text:h':
        if (story.isInParagraph) return;
        if (name === 'text:h') story.openHeading(attributesOf(written));
        else story.openParagraph(attributesOf(written));
        this.atEnd(() => story.closeParagraph());
        break;
      case 'text:span':
        story.openSpan(this.source.styles.run(attributeOf(written, 'style-name')));
        this.atEnd(() => story.closeSpan());
        break;
      case 'text:a':
        story.openLink(attributeOf(written, 'href'));
        this.atEnd(() => story.closeSpan());
        break;
      case 'text:s':
        story.write(' '.repeat(spacesOf(written, this.builder.isInCode)));
        break;
      case 'text:tab':
        story.write(this.builder.isInCode ? '\t' : ' ');
        break;
      case 'text:line-break':
        story.lineBreak();
        break;
      case 'text:list':
        story.lists.openList(attributesOf(written));
        this.atEnd(() => story.lists.closeList());
        break;
      case 'text:list-item':
      case 'text:list-header':
        story.openItem(attributesOf(written), name === 'text:list-item');
        break;
      case 'text:note':
        this.#openNote();
        break;
      case 'text:section':
        if (isHidden(written, this.source.styles)) this.skip();
        break;
      case 'text:hidden-paragraph':
        if (attributeOf(written, 'is-hidden') === 'true') this.skip();
        break;
      default:
    }
  }

  /** A note has a tree of its own; its reference stands in the line. Notes of notes are left out. */
  #openNote(): void {
    const story = this.#story;
    if (this.#isInNote || !story.isInParagraph) {
      this.skip();
      return;
    }
    this.#isInNote = true;
    const builder = new TreeBuilder(this.source.targets);
    this.#enterStory(builder, () => {
      this.#isInNote = false;
      const nodes = builder.finish();
      if (nodes.length === 0) return;
      const label = String(++this.source.counts.notes);
      story.builder.footnote(label, nodes);
      story.writeReference(label);
    });
  }

  #enterTable(name: string, written: string): void {
    switch (name) {
      case 'table:table':
        this.#openTable();
        break;
      case 'table:table-header-rows':
        this.#setHead(true);
        this.atEnd(() => this.#setHead(false));
        break;
      case 'table:table-row':
        this.#openRow(written);
        break;
      case 'table:table-cell':
        this.#openCell(written);
        break;
      default:
    }
  }

  #openTable(): void {
    const { builder } = this.#story;
    this.#story.endFlow();
    this.#frames.use();
    // Framed cells set it off, once they come.
    this.#tables.push({ node: builder.openTable({ isFramed: false }), isHead: false, empty: 0 });
    this.atEnd(() => {
      this.#tables.pop();
      builder.close();
    });
  }

  #setHead(isHead: boolean): void {
    const table = this.#tables.at(-1);
    if (table !== undefined) table.isHead = isHead;
  }

  #openRow(written: string): void {
    const table = this.#tables.at(-1);
    const times = Number.parseInt(attributeOf(written, 'number-rows-repeated'), 10) || 1;
    if (table === undefined) return;
    if (times > 1 && this.#repeating === 'none') {
      this.#repeat(
        'row',
        ({ hasContent }) => (hasContent ? times : 0),
        (recording) => this.#readRow(table, recording),
      );
      return;
    }
    const { builder } = this.#story;
    builder.openRow({ header: table.isHead });
    table.empty = 0;
    this.atEnd(() => builder.close());
  }

  #readRow(table: OpenTable, recording: Recording): void {
    const { builder } = this.#story;
    builder.openRow({ header: table.isHead });
    table.empty = 0;
    recording.play(this);
    builder.close();
  }

  #openCell(written: string): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    const attributes = attributesOf(written);
    const times = Number.parseInt(attributes.get('number-columns-repeated') ?? '', 10) || 1;
    if (times > 1 && this.#repeating !== 'cell') {
      this.#repeat(
        'cell',
        (recording) => {
          if (recording.hasContent) return times;
          table.empty = Math.min(MAX_COLSPAN, table.empty + times);
          return 0;
        },
        (recording) => this.#readCell(table, attributes, recording),
      );
      return;
    }
    this.#beginCell(table, attributes);
    const { builder } = this.#story;
    this.#enterStory(builder, () => builder.close());
  }

  #readCell(table: OpenTable, attributes: ReadonlyMap<string, string>, recording: Recording): void {
    this.#beginCell(table, attributes);
    const [outside, { builder }] = [this.#story, this.#story];
    this.#story = new OpenStory(builder, this.#state);
    recording.play(this);
    this.#story.endFlow();
    this.#story = outside;
    builder.close();
  }

  #beginCell(table: OpenTable, attributes: ReadonlyMap<string, string>): void {
    const { builder } = this.#story;
    if (table.empty > 0) {
      builder.openCell({ colspan: table.empty });
      builder.close();
      table.empty = 0;
    }
    if (table.node?.isFramed === false && this.source.styles.isFramed(attributes.get('style-name') ?? ''))
      table.node.isFramed = true;
    const number = (attribute: string): number => Number.parseInt(attributes.get(attribute) ?? '', 10) || 1;
    builder.openCell({ colspan: number('number-columns-spanned'), rowspan: number('number-rows-spanned') });
  }

  /** Records an element and reads it as often as it is repeated. */
  #repeat(
    kind: 'row' | 'cell',
    timesOf: (recording: Recording) => number,
    read: (recording: Recording) => void,
  ): void {
    const recording = new Recording();
    const outside = this.#repeating;
    this.divert(recording);
    this.atEnd(() => {
      const wanted = timesOf(recording);
      this.#repeating = kind;
      const times = wanted === 0 ? 0 : recording.timesOf(wanted, this.source.counts);
      for (let time = 0; time < times; time++) read(recording);
      this.#repeating = outside;
    });
  }

  /** The contents of a frame, and everything of other names. */
  #enterFrame(name: string, written: string): void {
    switch (name) {
      case 'draw:text-box':
        if (this.#frames.use()) this.#enterBeside(() => undefined);
        else this.skip();
        break;
      case 'draw:image':
        this.#frames.usePicture();
        this.skip();
        break;
      case 'draw:object':
        this.#openObject(written);
        break;
      case 'draw:object-ole':
      case 'draw:plugin':
      case 'draw:applet':
      case 'draw:floating-frame':
        this.skip();
        break;
      case 'svg:title':
      case 'svg:desc':
        this.#frames.name(name === 'svg:title' ? 'title' : 'description');
        this.atEnd(() => this.#frames.name(undefined));
        break;
      case 'math:math':
        this.#openFormula();
        break;
      default:
    }
  }

  /** An object of the package by its name; in a flat file it stands inside. */
  #openObject(written: string): void {
    const name = attributeOf(written, 'href');
    if (!this.#frames.use()) this.skip();
    else if (name !== '') {
      this.source.object(name, this.#story);
      this.skip();
    }
  }

  #openFormula(): void {
    const story = this.#story;
    const formula = new MathVisitor();
    this.divert(formula);
    this.atEnd(() => story.write(formula.markdown()));
  }
}

/** Blanks of a line of code are part of it; elsewhere many are one. */
const MAX_SPACES = 200;

function spacesOf(written: string, isInCode: boolean): number {
  const count = Number.parseInt(attributeOf(written, 'c'), 10) || 1;
  return isInCode ? Math.min(MAX_SPACES, Math.max(1, count)) : 1;
}

function isHidden(written: string, styles: OpenStyles): boolean {
  const attributes = attributesOf(written);
  return attributes.get('display') === 'none' || styles.isHiddenSection(attributes.get('style-name') ?? '');
}
