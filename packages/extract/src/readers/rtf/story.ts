// The paragraphs of one story (the document, a note, a text box) → calls of the tree builder: headings, lists and
// tables, of which RTF says only on each paragraph what it belongs to.
import type { TreeBuilder } from '../../tree/builder.ts';
import type { LinkTargets } from '../../tree/links.ts';
import type { TreeNode } from '../../tree/node.ts';
import { NO_MARKS, type RunMarks } from '../../tree/run-marks.ts';
import type { GroupState } from './state.ts';
import type { ParagraphRole } from './styles.ts';
import { OpenTable, type CellDefinition } from './tables.ts';

/** Tables inside tables; deeper text goes into the deepest one. */
const MAX_TABLES = 8;
/** Twips of a level of lists without indents, and between indents that are the same. */
const LEVEL = 360;
const SAME_INDENT = 60;
/** Cells of a row, as in Word. */
const MAX_CELLS = 1000;

/** The parts of a file that its stories use. */
export interface StoryContext {
  readonly targets: LinkTargets;
  readonly marks: (builder: TreeBuilder) => RunMarks;
  /** Level of a paragraph's heading from 1; 0 for text. */
  readonly headingOf: (state: GroupState) => number;
  readonly roleOf: (state: GroupState) => ParagraphRole | undefined;
  /** True in a font of a fixed pitch, in a file that has most of its text in others. */
  readonly isFixed: (state: GroupState) => boolean;
}

/** The flow of blocks in the story or in a cell. */
interface Flow {
  readonly builder: TreeBuilder;
  readonly marks: RunMarks;
  /** The open lists, from outside. */
  readonly lists: { readonly isOrdered: boolean; readonly indent: number }[];
  /** The open code or quotation, which further paragraphs of its kind continue. */
  joined: ParagraphRole | undefined;
}

/** A number that Markdown has, and the signs of bullets. */
const NUMBER = /^(\d{1,9})[.)]$/;
const BULLET = /^[\p{P}\p{S}\p{Co}o§]?$/u;

/** A bullet that is typed before a tab. */
const TYPED_BULLET = /^[•·‣◦▪▫■□●○–—*o§\p{Co}-]\s*$/u;

/** A run in a font of a fixed pitch; LF is a line break. */
interface FixedRun {
  readonly text: string;
  readonly marks: GroupState['marks'];
  readonly link: string;
}

export class RtfStory {
  /** The printed number or bullet of the coming paragraph; undefined for a paragraph without. */
  label: string | undefined;
  readonly #source: StoryContext;
  /** A typed bullet, while the tab behind it has not come. */
  #typed = '';
  /** The begin of a paragraph in a font of a fixed pitch, which is code if all of it is. */
  #fixed: FixedRun[] = [];
  readonly #flows: Flow[];
  readonly #tables: OpenTable[] = [];
  #isOpen = false;
  #definitions: CellDefinition[] = [];
  #joins = { left: false, above: false };
  #isHeaderRow = false;
  #isFramed = false;

  constructor(builder: TreeBuilder, source: StoryContext) {
    this.#source = source;
    this.#flows = [{ builder, marks: source.marks(builder), lists: [], joined: undefined }];
  }

  /** The builder of the present place. */
  get builder(): TreeBuilder {
    return this.#flow.builder;
  }

  get #flow(): Flow {
    const flow = this.#flows.at(-1);
    if (flow === undefined) throw new Error('A story has a flow.');
    return flow;
  }

  write(text: string, state: GroupState): void {
    if (this.#waits(state)) {
      this.#fixed.push({ text, marks: state.marks, link: state.link });
      return;
    }
    this.#writeFixed(state);
    const rest = this.#isOpen ? text : this.#behindBullet(text, state);
    if (rest === undefined) return;
    this.#begin(state);
    const { builder, marks } = this.#flow;
    marks.set(builder.isInCode ? NO_MARKS : state.marks, state.link);
    builder.text(rest);
  }

  /** True at the begin of a paragraph that may be code by its font. */
  #waits(state: GroupState): boolean {
    // A cell with code would make its table a frame.
    if (this.#isOpen || state.isInTable || this.label !== undefined || this.#typed !== '') return false;
    return this.#source.isFixed(state) && this.#source.headingOf(state) === 0;
  }

  /** Writes the begin of a paragraph that is no code. */
  #writeFixed(state: GroupState): void {
    for (const { text, marks, link } of this.#fixed.splice(0)) {
      for (const [at, line] of text.split('\n').entries()) {
        if (at > 0) this.breakLine(state);
        this.write(line, { ...state, marks, link, font: -1 });
      }
    }
  }

  /** Writes a paragraph in a font of a fixed pitch: code, unless it is bold as a whole, as titles are. */
  #endFixed(state: GroupState): void {
    if (this.#fixed.length === 0) return;
    const text = this.#fixed.map((run) => run.text).join('');
    if (text.trim() === '' && this.#flow.joined !== 'code') this.#fixed = [];
    else if (this.#fixed.every(({ marks }) => marks.has('strong'))) this.#writeFixed(state);
    else {
      this.#fixed = [];
      this.#isOpen = true;
      this.#enterTables(state);
      if (this.#flow.joined !== 'code') this.#join('code', state);
      this.builder.text(text);
    }
  }

  /**
   * The text that begins a paragraph, behind a bullet that is typed where the first line hangs out; `undefined` while
   * only a bullet or blanks have come.
   */
  #behindBullet(text: string, state: GroupState): string | undefined {
    if (this.#roleOf(state) === 'code') return text;
    if (state.firstIndent >= 0 || this.label !== undefined) return text.trim() === '' ? undefined : text;
    const all = (this.#typed + text).trimStart();
    if (all === '') return undefined;
    const tab = all.indexOf('\t');
    if (!TYPED_BULLET.test(tab === -1 ? all : all.slice(0, tab))) {
      this.#writeTyped(state);
      return text;
    }
    this.#typed = tab === -1 ? all.replace(/\s+/g, ' ') : '';
    if (tab === -1) return undefined;
    this.label = all.slice(0, tab);
    return all.slice(tab + 1);
  }

  /** Writes a typed bullet without a tab behind it. */
  #writeTyped(state: GroupState): void {
    const typed = this.#typed;
    this.#typed = '';
    if (typed.trim() === '') return;
    this.#begin(state);
    this.builder.text(typed);
  }

  /** The mark of a note, which is no part of an index before it. */
  writeReference(label: string, state: GroupState): void {
    this.#writeFixed(state);
    this.#writeTyped(state);
    this.#begin(state);
    this.#flow.marks.end();
    this.builder.footnoteReference(label);
  }

  breakLine(state: GroupState): void {
    if (this.#fixed.length > 0 && this.#waits(state)) {
      this.write('\n', state);
      return;
    }
    this.#writeFixed(state);
    this.#writeTyped(state);
    if (!this.#isOpen) return;
    if (!this.builder.isInCode) this.#flow.marks.set(state.marks, state.link);
    this.builder.lineBreak();
  }

  endParagraph(state: GroupState): void {
    this.#endFixed(state);
    this.#writeTyped(state);
    if (!this.#isOpen) {
      this.#enterTables(state);
      // An empty line of code.
      const isCode = this.#roleOf(state) === 'code' || this.#source.isFixed(state);
      if (this.#flow.joined === 'code' && isCode) this.#isOpen = true;
    }
    this.#endParagraph();
  }

  /** Ends a cell or a row. */
  endPart(name: string, state: GroupState): void {
    if (name === 'cell' || name === 'row') this.#setTables(1);
    else if (name === 'nestcell' || name === 'nestrow') this.#enterTables({ ...state, isInTable: true });
    else return;
    this.#endFixed(state);
    this.#writeTyped(state);
    this.#endParagraph();
    this.#closeLists();
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    if (name.endsWith('cell')) table.endCell();
    else {
      table.isFramed ||= this.#isFramed;
      table.endRow(this.#definitions, this.#isHeaderRow);
    }
    this.#flows.pop();
    this.#addFlow(table.cell);
  }

  /** Control words of a row's definition. Returns false for others. */
  tableWord(name: string, value: number | undefined): boolean {
    switch (name) {
      case 'trowd':
        this.#definitions = [];
        this.#joins = { left: false, above: false };
        this.#isHeaderRow = false;
        return true;
      case 'trhdr':
        this.#isHeaderRow = true;
        return true;
      case 'clmrg':
        this.#joins.left = true;
        return true;
      case 'clvmrg':
        this.#joins.above = true;
        return true;
      case 'clbrdrt':
      case 'trbrdrh':
        this.#isFramed = true;
        return true;
      case 'cellx':
        if (this.#definitions.length < MAX_CELLS)
          this.#definitions.push({
            right: value ?? 0,
            joinsLeft: this.#joins.left,
            joinsAbove: this.#joins.above,
          });
        this.#joins = { left: false, above: false };
        return true;
      default:
        return false;
    }
  }

  /** Ends everything that is open, but not the builder. */
  endAll(state: GroupState): void {
    this.#endFixed(state);
    this.#writeTyped(state);
    this.#endParagraph();
    this.#setTables(0);
    this.#closeLists();
  }

  finish(state: GroupState): TreeNode[] {
    this.endAll(state);
    return this.builder.finish();
  }

  /** Begins the paragraph, whose place is known now. */
  #begin(state: GroupState): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#enterTables(state);
    const depth = this.#source.headingOf(state);
    const label = this.label?.trim();
    const role = label === undefined ? this.#roleOf(state) : undefined;
    this.label = undefined;
    if (depth > 0) {
      this.#closeLists();
      this.builder.openHeading(depth);
      if (label !== undefined && !BULLET.test(label)) this.builder.text(`${label} `);
    } else if (label !== undefined) this.#openItem(label, state);
    else if (role === undefined) this.#closeLists();
    else if (role !== this.#flow.joined) this.#join(role, state);
  }

  #roleOf(state: GroupState): ParagraphRole | undefined {
    return this.#source.headingOf(state) > 0 ? undefined : this.#source.roleOf(state);
  }

  /** Opens code, in the item whose indent it has, or a quotation. */
  #join(role: ParagraphRole, { indent }: GroupState): void {
    const item = this.#flow.lists.at(-1)?.indent ?? Infinity;
    if (role === 'code' && indent >= item - SAME_INDENT) this.#endJoined();
    else this.#closeLists();
    if (role === 'code') this.builder.openCode();
    else this.builder.openQuote();
    this.#flow.joined = role;
  }

  #endJoined(): void {
    if (this.#flow.joined === 'code') this.builder.closeCode();
    else if (this.#flow.joined === 'quote') this.builder.close();
    this.#flow.joined = undefined;
  }

  #endParagraph(): void {
    if (this.#isOpen) {
      this.#flow.marks.end();
      if (this.builder.isInCode) this.builder.text('\n');
      else this.builder.closeHeading();
    }
    this.label = undefined;
    this.#isOpen = false;
  }

  /** Lists nest by their indents: the levels of lists that interrupt one another do not agree. */
  #openItem(label: string, state: GroupState): void {
    this.#endJoined();
    const { builder, lists } = this.#flow;
    const number = NUMBER.exec(label)?.[1];
    const isOrdered = number !== undefined;
    const indent = state.indent === 0 ? state.listLevel * LEVEL : state.indent;
    while ((lists.at(-1)?.indent ?? 0) > indent + SAME_INDENT) this.#closeList();
    const isSame = Math.abs((lists.at(-1)?.indent ?? Infinity) - indent) <= SAME_INDENT;
    if (isSame && lists.at(-1)?.isOrdered === isOrdered) builder.close();
    else {
      if (isSame) this.#closeList();
      builder.openList({ ordered: isOrdered, start: Number(number ?? 1) });
      lists.push({ isOrdered, indent });
    }
    builder.openItem(isOrdered || BULLET.test(label) ? '' : `${label} `);
  }

  /** Ends lists, code and quotations. */
  #closeLists(): void {
    this.#endJoined();
    while (this.#flow.lists.length > 0) this.#closeList();
  }

  /** Closes the item and its list. */
  #closeList(): void {
    this.#flow.lists.pop();
    this.builder.close();
    this.builder.close();
  }

  #enterTables({ isInTable, tableDepth }: GroupState): void {
    this.#setTables(tableDepth ?? (isInTable ? 1 : 0));
  }

  /** Opens and closes tables up to a depth. */
  #setTables(depth: number): void {
    const wanted = Math.min(MAX_TABLES, depth);
    while (this.#tables.length > wanted) {
      this.#closeLists();
      this.#flows.pop();
      this.#tables.pop()?.writeTo(this.builder);
    }
    while (this.#tables.length < wanted) {
      this.#closeLists();
      const table = new OpenTable(this.#source.targets);
      this.#tables.push(table);
      this.#addFlow(table.cell);
    }
  }

  #addFlow(builder: TreeBuilder): void {
    this.#flows.push({ builder, marks: this.#source.marks(builder), lists: [], joined: undefined });
  }
}
