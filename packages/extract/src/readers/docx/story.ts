// One story of Word, that is a body, a cell or a text box: its paragraphs in order, which styles and numbering turn
// into headings, items, code or quotations, and the visible runs of each, with their marks. A paragraph enters the
// builder with its first content.
import type { TreeBuilder } from '../../tree/builder.ts';
import { Flow, type ListPlace } from '../../tree/flow.ts';
import type { MarkKind } from '../../tree/inline.ts';
import { NO_MARKS, RunMarks } from '../../tree/run-marks.ts';
import { Fields } from './fields.ts';
import type { Numbering } from './numbering.ts';
import { depthByOutline, PLAIN_RUN, type RunStyle, type StyleNumbering, type Styles } from './styles.ts';
import { attributeOf, NO_PROPERTIES, valueOf, type Properties } from '../../package/xml.ts';

/** The shared state of all stories of a part. */
export interface StorySource {
  readonly builder: TreeBuilder;
  readonly styles: Styles;
  readonly numbering: Numbering;
  /** Text of the paragraph in the style "Title"; `undefined` before the first heading while none has come. */
  readonly title: { text: string | undefined };
}

/** A paragraph under construction. */
interface Paragraph {
  properties: Properties;
  /** True after it has entered the builder. */
  isOpen: boolean;
  isHidden: boolean;
  /** True in a heading whose style is that of entries in a list of contents. */
  mayBeEntry: boolean;
  /** The number of a heading, until text follows. */
  label: string;
  /** The callback at its end. */
  end: (() => void) | undefined;
}

/** Paragraphs that join, the open one, and its marks. */
export class Story {
  readonly flow: Flow;
  readonly fields = new Fields();
  /** Style of the current run. */
  run: RunStyle = PLAIN_RUN;

  /** Length of the visible text so far, in UTF-16 units. */
  written = 0;

  readonly #source: StorySource;
  /** True when the last paragraph goes on in the next one. */
  #isGlued = false;
  #paragraph: Paragraph | undefined;
  readonly #marks: RunMarks;
  /** True when the last text was an equation. */
  #afterEquation = false;
  /** Collects the title while its paragraph is open. */
  #title: string | undefined;

  constructor(source: StorySource) {
    this.#source = source;
    this.flow = new Flow(source.builder);
    this.#marks = new RunMarks(source.builder);
  }

  /** False in hidden runs and paragraphs, and in the code of a field. */
  get isShown(): boolean {
    return !this.run.isHidden && !this.fields.isHidden && this.#paragraph?.isHidden !== true;
  }

  /** Opens a paragraph and returns the callback for its end. */
  openParagraph(): () => void {
    const around = this.#paragraph;
    this.#afterEquation = false;
    this.#paragraph = {
      properties: NO_PROPERTIES,
      isOpen: false,
      isHidden: false,
      mayBeEntry: false,
      label: '',
      end: undefined,
    };
    return () => {
      this.beginParagraph();
      this.#marks.end();
      this.#paragraph?.end?.();
      this.#paragraph = around;
    };
  }

  /** The properties of a paragraph, before its text. */
  enterParagraph(properties: Properties): void {
    if (this.#paragraph !== undefined) this.#paragraph.properties = properties;
  }

  /** Puts the paragraph into the builder, once its properties and first content are known. */
  beginParagraph(): void {
    const paragraph = this.#paragraph;
    if (paragraph === undefined || paragraph.isOpen) return;
    paragraph.isOpen = true;
    const { properties } = paragraph;
    const { builder, styles, title } = this.#source;
    const { role, numbering, isHidden, ...style } = styles.paragraph(valueOf(properties, 'w:pStyle'));
    paragraph.isHidden = isHidden;
    const isEntry = role === 'entry' && this.fields.isListing;
    const depth = isEntry ? 0 : (depthByOutline(properties.get('w:outlineLvl')) ?? style.depth);
    const place = this.#place(properties, numbering);
    const isGlued = this.#isGlued;
    this.#isGlued = false;
    if (role === 'title' && title.text === undefined) this.#beginTitle(paragraph);
    else if (depth > 0) {
      this.flow.end();
      title.text ??= '';
      builder.openHeading(depth);
      paragraph.mayBeEntry = role === 'entry';
      paragraph.label = place?.label ?? '';
      paragraph.end = () => builder.closeHeading();
    } else if (role === 'code') {
      this.flow.join('code');
      paragraph.end = () => builder.text('\n');
    } else {
      if (isGlued) this.flow.endJoined();
      else if (place !== undefined) this.flow.openItem(place);
      else if (role === 'quote') this.flow.join('quote');
      else this.flow.end();
      if (!isGlued) builder.boundary();
      paragraph.end = () => this.#endPlain(properties);
    }
  }

  /** A list of contents begins in the paragraph: if still empty, the paragraph is the first entry and no heading. */
  beginListing(): void {
    const { builder } = this.#source;
    if (this.#paragraph?.mayBeEntry !== true || builder.isInFilledHeading) return;
    builder.closeHeading();
    this.#paragraph.label = '';
  }

  /** A drop cap belongs to the first word of the next paragraph; a paragraph whose end was deleted goes on. */
  #endPlain(properties: Properties): void {
    const isDropCap = /^(?:drop|margin)$/.test(attributeOf(properties.get('w:framePr') ?? '', 'dropCap'));
    if (isDropCap || properties.has('w:rPr w:del') || properties.has('w:rPr w:moveFrom'))
      this.#isGlued = true;
    else this.#source.builder.boundary();
  }

  #beginTitle(paragraph: Paragraph): void {
    const { builder, title } = this.#source;
    this.#title = '';
    this.flow.end();
    builder.boundary();
    paragraph.end = () => {
      builder.boundary();
      title.text = titleOf(this.#title);
      this.#title = undefined;
    };
  }

  /** The paragraph's place in a list: its own, or that of its style. Headings are counted, too. */
  #place(properties: Properties, ofStyle: StyleNumbering | undefined): ListPlace | undefined {
    const { numbering } = this.#source;
    const level = valueOf(properties, 'w:numPr w:ilvl');
    const numId = valueOf(properties, 'w:numPr w:numId');
    // The paragraph's style supplies each missing value by itself.
    if (numId !== '') return numbering.place(numId, level || (ofStyle?.level ?? ''), '');
    if (ofStyle === undefined) return undefined;
    return level === ''
      ? numbering.place(ofStyle.numId, ofStyle.level, ofStyle.styleId)
      : numbering.place(ofStyle.numId, level, '');
  }

  /** Adds visible text of the run. */
  write(text: string): void {
    if (text === '' || !this.isShown) return;
    this.beginParagraph();
    this.#afterEquation = false;
    if (text.trim() !== '') {
      this.writeLabel();
      this.#marks.set(this.#wantedMarks());
    } else if (this.run.raised !== 'superscript') this.#marks.endRaised();
    if (this.#title !== undefined) this.#title += text;
    this.written += text.length;
    this.#source.builder.text(text);
  }

  /** Adds an equation. Dollar signs between two adjacent equations would run together. */
  writeEquation(markdown: string): void {
    if (this.#afterEquation) this.write(' ');
    this.write(markdown);
    this.#afterEquation = true;
  }

  /** Writes the number of a heading once text follows. */
  writeLabel(): void {
    const paragraph = this.#paragraph;
    if (paragraph === undefined || paragraph.label === '') return;
    this.#source.builder.text(paragraph.label);
    paragraph.label = '';
  }

  /** Adds the mark of a note, which is no part of the index before it. */
  writeReference(label: string): void {
    this.writeLabel();
    this.#marks.endRaised();
    this.#source.builder.footnoteReference(label);
  }

  #wantedMarks(): ReadonlySet<MarkKind> {
    const { strong, emphasis, strike, code, raised } = this.run;
    // An index stays one in letters of any type.
    if (raised === 'superscript') return new Set([...this.#marks.open, 'raised']);
    if (!strong && !emphasis && !strike && !code) return NO_MARKS;
    const wanted = new Set<MarkKind>();
    if (strong) wanted.add('strong');
    if (emphasis) wanted.add('emphasis');
    if (strike) wanted.add('strike');
    if (code) wanted.add('code');
    return wanted;
  }
}

/** A title on one line; `undefined` when it is blank. */
function titleOf(text = ''): string | undefined {
  const title = text.replace(/\s+/g, ' ').trim();
  return title === '' ? undefined : title;
}
