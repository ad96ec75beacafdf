// One story of an OpenDocument file, that is a body, a cell, a text box or a note: its paragraphs in order, which
// styles and lists turn into headings, items, code or quotations, and the runs of each, with their marks.
import type { TreeBuilder } from '../../tree/builder.ts';
import { Flow } from '../../tree/flow.ts';
import type { MarkKind } from '../../tree/inline.ts';
import type { TargetCount } from '../../tree/links.ts';
import { NO_MARKS, RunMarks } from '../../tree/run-marks.ts';
import { OpenLists } from './lists.ts';
import type { OpenStyles, RunMeaning } from './styles.ts';

/** The shared state of all stories of a document. */
export interface StoryState {
  readonly styles: OpenStyles;
  readonly counts: TargetCount;
  /** Text of the paragraph in the style "Title" above all headings; `undefined` while neither has come. */
  readonly title: { text: string | undefined };
  /** Lists of the document's body, whose headings are counted. */
  readonly lists: OpenLists;
}

/** A run: the span around it, or the paragraph's own style. */
interface Run {
  readonly marks: ReadonlySet<MarkKind>;
  readonly isHidden: boolean;
  /** Target of its link, '' for none. */
  readonly address: string;
}

/** Paragraphs of one story, the open one, and its runs. */
export class OpenStory {
  readonly builder: TreeBuilder;
  readonly lists: OpenLists;
  readonly #state: StoryState;
  readonly #flow: Flow;
  readonly #marks: RunMarks;
  /** The open spans, the paragraph first; empty outside paragraphs. */
  readonly #runs: Run[] = [];
  /** True until the first paragraph of an item. */
  #isItemDue = false;
  #end: (() => void) | undefined;
  /** Number of a heading, until text follows. */
  #label = '';
  #title: string | undefined;

  constructor(builder: TreeBuilder, state: StoryState) {
    this.builder = builder;
    this.#state = state;
    this.lists = new OpenLists(state.styles);
    this.#flow = new Flow(builder);
    this.#marks = new RunMarks(builder, state.counts);
  }

  /** True inside a paragraph or heading. */
  get isInParagraph(): boolean {
    return this.#runs.length > 0;
  }

  openItem(attributes: ReadonlyMap<string, string>, isLabelled: boolean): void {
    if (isLabelled) this.lists.openItem(attributes);
    this.#isItemDue = isLabelled;
  }

  /** `<text:h>`: a heading, from level 1. */
  openHeading(attributes: ReadonlyMap<string, string>): void {
    const level = Math.max(1, Number.parseInt(attributes.get('outline-level') ?? '', 10) || 1);
    const isCounted = attributes.get('is-list-header') !== 'true';
    const label = this.#state.lists.headingLabel(level - 1, isCounted && this.lists.depth === 0);
    this.#label = this.lists.depth > 0 && this.#isItemDue ? this.lists.place(true).label : label;
    this.#isItemDue = false;
    this.#state.title.text ??= '';
    this.#open(this.#state.styles.paragraph(attributes.get('style-name') ?? '').run, () =>
      this.builder.closeHeading(),
    );
    this.#flow.end();
    this.builder.openHeading(level);
  }

  /** `<text:p>`. */
  openParagraph(attributes: ReadonlyMap<string, string>): void {
    const { role, run } = this.#state.styles.paragraph(attributes.get('style-name') ?? '');
    this.#open(run, () => this.builder.boundary());
    if (role === 'title' && this.lists.depth === 0) this.#openTitle();
    else if (role === 'code') {
      const isInList = this.lists.depth > 0;
      if (isInList && this.#isItemDue) this.#openItem();
      this.#flow.join('code', isInList ? this.lists.place(false).level : undefined);
      this.#end = () => this.builder.text('\n');
    } else {
      if (this.lists.depth > 0) this.#openItem();
      else if (role === 'quote') this.#flow.join('quote');
      else this.#flow.end();
      this.builder.boundary();
    }
  }

  /** Begins the due item, or a further paragraph of the open one. */
  #openItem(): void {
    this.#flow.openItem(this.lists.place(this.#isItemDue));
    this.#isItemDue = false;
  }

  /** The first title above all headings stays a paragraph; another one is a heading. */
  #openTitle(): void {
    const { title } = this.#state;
    this.#flow.end();
    if (title.text !== undefined) {
      this.builder.openHeading(1);
      this.#end = () => this.builder.closeHeading();
      return;
    }
    this.#title = '';
    this.builder.boundary();
    this.#end = () => {
      this.builder.boundary();
      const text = (this.#title ?? '').replace(/\s+/g, ' ').trim();
      if (text !== '') title.text = text;
      this.#title = undefined;
    };
  }

  #open({ marks, isHidden }: RunMeaning, end: () => void): void {
    this.#runs.push({ marks, isHidden, address: '' });
    this.#end = end;
  }

  closeParagraph(): void {
    this.#marks.end();
    this.#end?.();
    this.#end = undefined;
    this.#label = '';
    this.#runs.length = 0;
  }

  /** `<text:span>`: its marks are added to those around it. */
  openSpan({ marks, isHidden }: RunMeaning): void {
    const around = this.#runs.at(-1);
    if (around === undefined) return;
    this.#runs.push({
      marks: marks.size === 0 ? around.marks : new Set([...around.marks, ...marks]),
      isHidden: isHidden || around.isHidden,
      address: around.address,
    });
  }

  /** `<text:a>`. */
  openLink(address: string): void {
    const around = this.#runs.at(-1);
    if (around !== undefined) this.#runs.push({ ...around, address: around.address || address });
  }

  /** Closes a span or link. */
  closeSpan(): void {
    if (this.#runs.length <= 1) return;
    const { address } = this.#runs.pop() ?? {};
    if (address !== this.#runs.at(-1)?.address) this.#marks.endLink();
  }

  write(text: string): void {
    const run = this.#runs.at(-1);
    if (run === undefined || run.isHidden || text === '') return;
    if (text.trim() !== '') {
      this.writeLabel();
      this.#marks.set(this.builder.isInCode ? NO_MARKS : run.marks, run.address);
    }
    if (this.#title !== undefined) this.#title += text;
    this.builder.text(text);
  }

  /** Writes the number of a heading once text follows. */
  writeLabel(): void {
    if (this.#label !== '') this.builder.text(this.#label);
    this.#label = '';
  }

  lineBreak(): void {
    if (this.#title !== undefined) this.#title += ' ';
    if (this.#runs.at(-1)?.isHidden === false) this.builder.lineBreak();
  }

  /** The mark of a note, which is no part of an index before it. */
  writeReference(label: string): void {
    this.writeLabel();
    this.#marks.end();
    this.builder.footnoteReference(label);
  }

  /** Ends the lists, code and quotations before a table, or at the end of the story. */
  endFlow(): void {
    this.#flow.end();
  }
}
