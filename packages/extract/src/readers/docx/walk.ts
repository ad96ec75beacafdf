// mammoth's document tree → calls of the tree builder: styles become headings, quotes and code, numbering becomes
// lists, runs become marks, notes go to the end.
import type { TreeBuilder } from '../../tree/builder.ts';
import { linkTarget, type MarkKind } from '../../tree/inline.ts';
import type { WordDocument, WordNode, WordParagraph, WordRun } from './mammoth.ts';
import type { HeadingDepths } from './styles.ts';

/** What came to light on the way. */
export interface Walked {
  /** Page breaks that the author set. */
  readonly pageBreaks: number;
  /** Text of the paragraph in the style "Title" that stands before all headings; '' when there is none. */
  readonly title: string;
}

/** A list that is open, at a level of Word's numbering. */
interface OpenList {
  readonly level: number;
  readonly ordered: boolean;
}

/** What successive paragraphs share: they join into one list, block of code, or quotation. */
interface Flow {
  readonly lists: OpenList[];
  joined: 'code' | 'quote' | undefined;
}

/** A step still to be taken: a node, or what comes after the children of one. */
type Step = WordNode | (() => void);

const CODE_STYLES =
  /^(?:source code|html preformatted|preformatted text|code|code block|macro text|plain text code)$/i;
const QUOTE_STYLES = /^(?:quote|intense quote|block text|quotations|block quote)$/i;
const CODE_RUN_STYLES =
  /^(?:verbatim char|html code|source text|code|code char|html preformatted char|inline code)$/i;

/** Feeds a document to a builder. Keeps its own stack: depth costs no stack frames. */
export function walkWord(document: WordDocument, headings: HeadingDepths, builder: TreeBuilder): Walked {
  return new WordWalk(document, headings, builder).run();
}

class WordWalk {
  readonly #document: WordDocument;
  readonly #headings: HeadingDepths;
  readonly #builder: TreeBuilder;
  readonly #steps: Step[] = [];
  #flow: Flow = { lists: [], joined: undefined };
  /** Marks that are open in the builder. Neighbouring runs of one kind share theirs. */
  readonly #marks = new Set<MarkKind>();
  readonly #runs: WordRun[] = [];
  /** Number of each note, by kind and id, in the order of the references. */
  readonly #notes = new Map<string, { readonly label: string; readonly body: readonly WordNode[] }>();
  #pageBreaks = 0;
  /** `undefined` before the first heading while no title has come. */
  #title: string | undefined;
  /** Collects the title while its paragraph is being read. */
  #titleText: string | undefined;

  constructor(document: WordDocument, headings: HeadingDepths, builder: TreeBuilder) {
    this.#document = document;
    this.#headings = headings;
    this.#builder = builder;
  }

  run(): Walked {
    this.#walk(this.#document.children);
    // A note may refer to further notes: the map grows while it is read.
    for (const { label, body } of this.#notes.values()) {
      this.#builder.openFootnote(label);
      this.#walk(body);
      this.#builder.close();
    }
    return { pageBreaks: this.#pageBreaks, title: this.#title ?? '' };
  }

  #walk(nodes: readonly WordNode[]): void {
    this.#push(nodes);
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      if (typeof step === 'function') step();
      else this.#node(step);
    }
    this.#endFlow();
  }

  #push(nodes: readonly WordNode[], after?: () => void): void {
    if (after !== undefined) this.#steps.push(after);
    for (let index = nodes.length - 1; index >= 0; index--) {
      const node = nodes[index];
      if (node !== undefined) this.#steps.push(node);
    }
  }

  #node(node: WordNode): void {
    const builder = this.#builder;
    switch (node.type) {
      case 'paragraph':
        this.#paragraph(node);
        break;
      case 'run':
        this.#runs.push(node);
        this.#push(node.children, () => this.#runs.pop());
        break;
      case 'text':
        this.#text(node.value);
        break;
      case 'tab':
        this.#text(builder.isInCode ? '\t' : ' ');
        break;
      case 'checkbox':
        this.#text(node.checked ? '[x] ' : '[ ] ');
        break;
      case 'hyperlink':
        this.#link(node.children, node.href);
        break;
      case 'noteReference':
        this.#noteReference(node);
        break;
      case 'image':
        builder.image(node.altText ?? '', '');
        break;
      case 'break':
        if (node.breakType === 'page') this.#pageBreaks++;
        builder.lineBreak();
        break;
      case 'table':
        this.#endFlow();
        builder.openTable();
        this.#push(node.children, () => builder.close());
        break;
      case 'tableRow':
        builder.openRow({ header: node.isHeader });
        this.#push(node.children, () => builder.close());
        break;
      case 'tableCell':
        this.#cell(node);
        break;
      default:
    }
  }

  #paragraph(paragraph: WordParagraph): void {
    const { children, styleId, styleName, numbering } = paragraph;
    const builder = this.#builder;
    const depth = this.#headings(styleId, styleName);
    if (this.#title === undefined && /^title$/i.test(styleName ?? '')) {
      this.#titleText = '';
      this.#endFlow();
      builder.boundary();
      this.#push(children, () => this.#endParagraph(() => builder.boundary()));
    } else if (depth > 0) {
      this.#endFlow();
      this.#title ??= '';
      builder.openHeading(depth);
      this.#push(children, () => this.#endParagraph(() => builder.closeHeading()));
    } else if (CODE_STYLES.test(styleName ?? '')) {
      this.#join('code');
      this.#push(children, () => builder.text('\n'));
    } else {
      if (numbering !== null) this.#openItem(numbering.isOrdered, Number.parseInt(numbering.level, 10) || 0);
      else if (QUOTE_STYLES.test(styleName ?? '')) this.#join('quote');
      else this.#endFlow();
      builder.boundary();
      this.#push(children, () => this.#endParagraph(() => builder.boundary()));
    }
  }

  #endParagraph(end: () => void): void {
    this.#syncMarks(new Set());
    end();
    if (this.#titleText !== undefined) this.#title = this.#titleText.replace(/\s+/g, ' ').trim() || undefined;
    this.#titleText = undefined;
  }

  #text(text: string): void {
    if (text.trim() !== '') this.#syncMarks(this.#wantedMarks());
    if (this.#titleText !== undefined) this.#titleText += text;
    this.#builder.text(text);
  }

  #wantedMarks(): Set<MarkKind> {
    const wanted = new Set<MarkKind>();
    for (const { isBold, isItalic, isStrikethrough, styleName } of this.#runs) {
      if (isBold || styleName === 'Strong') wanted.add('strong');
      if (isItalic || styleName === 'Emphasis') wanted.add('emphasis');
      if (isStrikethrough) wanted.add('strike');
      if (CODE_RUN_STYLES.test(styleName ?? '')) wanted.add('code');
    }
    return wanted;
  }

  #syncMarks(wanted: ReadonlySet<MarkKind>): void {
    for (const kind of this.#marks) {
      if (wanted.has(kind)) continue;
      this.#builder.closeMark(kind);
      this.#marks.delete(kind);
    }
    for (const kind of wanted) {
      if (this.#marks.has(kind)) continue;
      this.#builder.openMark(kind);
      this.#marks.add(kind);
    }
  }

  #link(children: readonly WordNode[], href: string | undefined): void {
    this.#builder.openMark('link', linkTarget(href));
    this.#push(children, () => this.#builder.closeMark('link'));
  }

  #noteReference(reference: { readonly noteType: string; readonly noteId: string }): void {
    const key = `${reference.noteType} ${reference.noteId}`;
    const note = this.#notes.get(key) ?? {
      label: String(this.#notes.size + 1),
      body: this.#document.notes.resolve(reference)?.body ?? [],
    };
    this.#notes.set(key, note);
    if (note.body.length > 0) this.#builder.footnoteReference(note.label);
  }

  /** A cell has lists and quotations of its own. */
  #cell({ children, colSpan, rowSpan }: Extract<WordNode, { type: 'tableCell' }>): void {
    const outside = this.#flow;
    this.#flow = { lists: [], joined: undefined };
    this.#builder.openCell({ colspan: colSpan, rowspan: rowSpan });
    this.#push(children, () => {
      this.#endFlow();
      this.#flow = outside;
      this.#builder.close();
    });
  }

  /** An item at a level: deeper lists close, and one opens unless this level's is open. */
  #openItem(ordered: boolean, level: number): void {
    this.#endJoined();
    const { lists } = this.#flow;
    const builder = this.#builder;
    for (let last = lists.at(-1); last !== undefined && last.level >= level; last = lists.at(-1)) {
      builder.close();
      if (last.level === level && last.ordered === ordered) break;
      builder.close();
      lists.pop();
    }
    if (lists.at(-1)?.level !== level) {
      builder.openList({ ordered });
      lists.push({ level, ordered });
    }
    builder.openItem();
  }

  /** Joins the paragraph to the ones before it of the same kind. */
  #join(kind: 'code' | 'quote'): void {
    if (this.#flow.joined === kind) return;
    this.#endFlow();
    if (kind === 'code') this.#builder.openCode();
    else this.#builder.openQuote();
    this.#flow.joined = kind;
  }

  #endJoined(): void {
    if (this.#flow.joined === 'code') this.#builder.closeCode();
    else if (this.#flow.joined === 'quote') this.#builder.close();
    this.#flow.joined = undefined;
  }

  /** Ends what successive paragraphs share. */
  #endFlow(): void {
    this.#endJoined();
    for (let open = this.#flow.lists.pop(); open !== undefined; open = this.#flow.lists.pop()) {
      this.#builder.close();
      this.#builder.close();
    }
  }
}
