// Markdown → blocks: CommonMark 0.31.2 plus GFM tables and footnotes, front matter and display math, line by line. A
// line first continues the open containers (quotes, items), then may begin new ones, and its rest goes to a leaf.
// Linear: containers are bounded in depth, and each character is read at most a constant number of times.
import type { Block, BlockKind } from '../document.ts';
import { definitionsOf, type ParagraphLine } from './definition.ts';
import { frontMatter } from './front-matter.ts';
import { countCells, delimiterColumns, tableRow } from './gfm-table.ts';
import { endsHtml, htmlHeadingDepth, htmlKindAt, type HtmlKind } from './html.ts';
import { htmlTableBlocks, matchTables } from './html-table.ts';
import { CODE_INDENT, LineCursor } from './line-cursor.ts';
import { skipBlankBack } from './lines.ts';
import * as mark from './marks.ts';
import { BlockTree, MAX_DEPTH, type GrowingBlock } from './tree.ts';

/** Blocks of a Markdown text. Fences, math and comments that are never closed run to the end of their container. */
export function markdownBlocks(text: string): Block[] {
  return new MarkdownScanner(text).scan();
}

/**
 * The kind of leaf that the next line may continue. `html-tail` is HTML behind a table or heading, before its first
 * line.
 */
type Leaf =
  'none' | 'paragraph' | 'fence' | 'indented' | 'html' | 'html-table' | 'html-tail' | 'table' | 'math';

/** The result of reading a mark at the start of a line: a container with more text behind it, a leaf, or nothing. */
type StartedBlock = 'container' | 'leaf' | 'nothing';

class MarkdownScanner {
  readonly #text: string;
  readonly #line: LineCursor;
  readonly #tree = new BlockTree();

  #leaf: Leaf = 'none';
  /** The open leaf, or the last one. */
  #block: GrowingBlock = { kind: 'paragraph', start: 0, end: 0 };
  #fenceMark = 0;
  #fenceLength = 0;
  #htmlKind: HtmlKind = 0;
  /** Depth of the heading that the open HTML would be; 0 when it would be none. */
  #htmlHeading = 0;
  #htmlTables: ReadonlyMap<number, number> | undefined;
  #htmlTableEnd = 0;
  /** The offset of the next `$$` behind the position of the last search; -1 before the first search. */
  #nextMath = -1;

  // The last line of the open paragraph, and the end of the lines before it.
  #lastStart = 0;
  #lastContent = 0;
  #lastIndent = 0;
  #endBefore = 0;
  /** All lines of a paragraph that begins with `[`, because it may begin with link reference definitions. */
  #lines: ParagraphLine[] | undefined;

  /** Containers that this line continues or has begun. */
  #kept = 0;
  /** True when the line does not continue all containers. */
  #lazy = false;
  /** No thematic break starts on this line before this offset, even for marks further right. */
  #noBreakUntil = 0;

  constructor(text: string) {
    this.#text = text;
    this.#line = new LineCursor(text);
  }

  scan(): GrowingBlock[] {
    const text = this.#text;
    const matter = frontMatter(text);
    if (matter !== undefined) this.#tree.append(matter);
    for (let start = matter?.end ?? 0; start < text.length;) {
      const end = lineEnd(text, start);
      this.#readLine(start, end);
      start = end + 1;
    }
    this.#closeTo(0);
    return this.#tree.blocks;
  }

  #readLine(start: number, end: number): void {
    this.#line.begin(start, end);
    this.#noBreakUntil = 0;
    const { open } = this.#tree;
    this.#kept = open.length === 0 ? 0 : this.#continueContainers();
    this.#lazy = this.#kept < open.length;
    if (this.#lazy) {
      if (this.#leaf !== 'paragraph' || this.#line.next === this.#line.end) this.#closeTo(this.#kept);
    } else if (this.#continueLeaf()) return;
    if (this.#line.next === this.#line.end) this.#readBlank();
    else this.#beginBlocks();
  }

  /**
   * Consumes the marks of open containers as far as the line continues them; returns the number of those containers.
   */
  #continueContainers(): number {
    const { open } = this.#tree;
    for (let index = 0; index < open.length; index++) {
      const container = open[index];
      if (container === undefined || container.block.kind === 'list') continue;
      const { block, indent } = container;
      const isBlankLine = this.#line.next === this.#line.end;
      if (block.kind === 'quote') {
        if (isBlankLine || this.#line.indent >= CODE_INDENT || this.#line.code !== mark.GREATER) return index;
        this.#consumeQuoteMark();
      } else if (isBlankLine) {
        if (block.kind === 'item' && block.children === undefined) return index;
      } else if (this.#line.indent >= indent) this.#line.advance(indent);
      else return index;
    }
    return open.length;
  }

  /** `> `: the blank behind the mark belongs to the mark. */
  #consumeQuoteMark(): void {
    this.#line.consume(1);
    if (this.#line.indent > 0) this.#line.advance(1);
  }

  /** Gives the line to the open leaf when that takes whole lines; returns false when the line still has to be read. */
  #continueLeaf(): boolean {
    switch (this.#leaf) {
      case 'none':
      case 'paragraph':
      case 'table':
        return false;
      case 'indented':
        return this.#continueIndented();
      case 'fence':
        return this.#continueFence();
      case 'math':
        this.#extend();
        if (this.#text.startsWith('$$', this.#block.end - 2) && this.#block.end - 2 >= this.#line.next)
          this.#leaf = 'none';
        return true;
      case 'html-table':
        this.#extend();
        if (this.#line.end >= this.#htmlTableEnd) this.#endHtmlTable();
        return true;
      case 'html':
      case 'html-tail':
        return this.#continueHtml();
    }
  }

  /** Extends the open leaf to the last character of the line that is not blank. */
  #extend(): void {
    if (this.#line.start < this.#line.end)
      this.#block.end = skipBlankBack(this.#text, this.#line.start, this.#line.end);
  }

  #continueIndented(): boolean {
    const goesOn = this.#line.next === this.#line.end || this.#line.indent >= CODE_INDENT;
    if (goesOn) this.#extend();
    else this.#leaf = 'none';
    return goesOn;
  }

  #continueFence(): boolean {
    this.#extend();
    const closes =
      this.#line.indent < CODE_INDENT &&
      mark.closesFence(this.#text, this.#line.next, this.#line.end, this.#fenceMark, this.#fenceLength);
    if (closes) this.#leaf = 'none';
    return true;
  }

  #continueHtml(): boolean {
    if (this.#htmlKind >= 6 && this.#line.next === this.#line.end) {
      this.#closeLeaf();
      return false;
    }
    if (this.#htmlKind === 6 && this.#beginHtmlTable()) return true;
    const isHeading = this.#htmlKind === 6 && htmlHeadingDepth(this.#text, this.#line.next) > 0;
    if (this.#leaf === 'html-tail' || isHeading) this.#addHtml();
    else {
      this.#extend();
      this.#endHtml();
    }
    return true;
  }

  /** Reads a line without content. Its quote marks, if any, belong to the leaf above. */
  #readBlank(): void {
    this.#closeLeaf();
    if (this.#line.start === this.#line.end) return;
    const { open } = this.#tree;
    const index = open.findLastIndex(({ block }, at) => at < this.#kept && block.kind === 'quote');
    this.#tree.claimMarks(index, skipBlankBack(this.#text, this.#line.start, this.#line.end));
  }

  /** Reads the rest of a line with content: containers begin as long as there are marks, then a leaf takes the rest. */
  #beginBlocks(): void {
    for (;;) {
      if (this.#line.next === this.#line.end) return;
      if (this.#line.indent >= CODE_INDENT) {
        if (this.#leaf === 'paragraph') break;
        this.#beginLeaf({ kind: 'code', form: 'indented', start: 0, end: 0 }, 'indented');
        return;
      }
      const begun = this.#begin(this.#line.code);
      if (begun === 'leaf') return;
      if (begun === 'nothing') break;
    }
    this.#addText();
  }

  /** Begins a block if one starts with this character. */
  #begin(code: number): StartedBlock {
    switch (code) {
      case mark.GREATER:
        return this.#beginQuote();
      case mark.HASH:
        return this.#beginHeading();
      case mark.BACKTICK:
      case mark.TILDE:
        return this.#beginFence();
      case mark.LESS:
        return this.#beginHtml();
      case mark.EQUALS:
        return this.#underline();
      case mark.UNDERSCORE:
        return this.#beginBreak();
      case mark.DASH: {
        const begun = this.#underline();
        return begun === 'nothing' ? this.#beginBreakOrItem() : begun;
      }
      case mark.ASTERISK:
        return this.#beginBreakOrItem();
      case mark.BRACKET_OPEN:
        return this.#beginFootnote();
      case mark.DOLLAR:
        return this.#beginMath();
      default:
        return code === mark.PLUS || mark.isDigit(code) ? this.#beginItem() : 'nothing';
    }
  }

  #beginQuote(): StartedBlock {
    if (this.#tree.open.length >= MAX_DEPTH) return 'nothing';
    this.#closeForNew();
    this.#open('quote', this.#line.next + 1, mark.GREATER, 0);
    this.#consumeQuoteMark();
    return 'container';
  }

  /** Opens a container whose mark ends at `end`. */
  #open(kind: BlockKind, end: number, character: number, indent: number): void {
    this.#tree.openContainer({ kind, start: 0, end }, character, indent, this.#line.start);
    this.#kept = this.#tree.open.length;
  }

  #beginHeading(): StartedBlock {
    const depth = mark.headingDepth(this.#text, this.#line.next, this.#line.end);
    if (depth === 0) return 'nothing';
    this.#beginLeaf({ kind: 'heading', depth, start: 0, end: 0 }, 'none');
    return 'leaf';
  }

  #beginFence(): StartedBlock {
    const length = mark.fenceLength(this.#text, this.#line.next, this.#line.end);
    if (length === 0) return 'nothing';
    this.#fenceMark = this.#line.code;
    this.#fenceLength = length;
    const language = mark.fenceLanguage(this.#text, this.#line.next + length, this.#line.end);
    const block: GrowingBlock = { kind: 'code', start: 0, end: 0 };
    if (language !== '') block.language = language;
    this.#beginLeaf(block, 'fence');
    return 'leaf';
  }

  #beginHtml(): StartedBlock {
    const kind = htmlKindAt(this.#text, this.#line.next, this.#line.end);
    if (kind === 0 || (kind === 7 && this.#leaf === 'paragraph')) return 'nothing';
    this.#closeForNew();
    this.#htmlKind = kind;
    if (kind === 6 && this.#beginHtmlTable()) return 'leaf';
    this.#addHtml();
    return 'leaf';
  }

  /** `<pre>` and scripts are code, `<h1>` is a heading when its end tag follows; all other HTML is a paragraph. */
  #addHtml(): void {
    const depth = this.#htmlKind === 6 ? htmlHeadingDepth(this.#text, this.#line.next) : 0;
    const kind = this.#htmlKind === 1 ? 'code' : 'paragraph';
    this.#addLeaf({ kind, form: 'html', start: 0, end: 0 }, 'html');
    this.#htmlHeading = depth;
    this.#endHtml();
  }

  /** Ends the HTML with its line if the line ends it, a heading with its end tag. */
  #endHtml(): void {
    if (this.#htmlHeading > 0 && this.#text.endsWith(`</h${this.#htmlHeading}>`, this.#block.end)) {
      this.#block.kind = 'heading';
      this.#block.depth = this.#htmlHeading;
      this.#htmlHeading = 0;
      this.#leaf = 'html-tail';
    } else if (endsHtml(this.#htmlKind, this.#text, this.#line.next, this.#line.end)) this.#leaf = 'none';
  }

  /**
   * Begins an HTML table when `<table` stands here and its end tag exists; the table then takes all lines up to that.
   */
  #beginHtmlTable(): boolean {
    if (this.#line.code !== mark.LESS || (this.#text.charCodeAt(this.#line.next + 1) | 0x20) !== 0x74)
      return false;
    this.#htmlTables ??= matchTables(this.#text);
    const end = this.#htmlTables.get(this.#line.next);
    if (end === undefined) return false;
    this.#htmlTableEnd = end;
    this.#addLeaf({ kind: 'table', form: 'html', start: 0, end: 0 }, 'html-table');
    if (this.#line.end >= end) this.#endHtmlTable();
    return true;
  }

  /** Reads the rows of the HTML table; text behind the table without a blank line is still HTML. */
  #endHtmlTable(): void {
    this.#tree.replaceLast(htmlTableBlocks(this.#text, this.#block.start, this.#block.end));
    this.#leaf = 'html-tail';
  }

  /** `===` or `---` below a paragraph makes it a heading. */
  #underline(): StartedBlock {
    if (this.#leaf !== 'paragraph' || this.#lazy) return 'nothing';
    const depth = mark.underlineDepth(this.#text, this.#line.next, this.#line.end);
    if (depth === 0) return 'nothing';
    this.#takeDefinitions();
    // Only definitions precede, so the line underlines nothing.
    if (!this.#isParagraphOpen()) return 'nothing';
    this.#extend();
    this.#block.kind = 'heading';
    this.#block.depth = depth;
    this.#leaf = 'none';
    return 'leaf';
  }

  /** A method, because the compiler does not see that a call in between may have closed the paragraph. */
  #isParagraphOpen(): boolean {
    return this.#leaf === 'paragraph';
  }

  #beginBreak(): StartedBlock {
    if (this.#line.next < this.#noBreakUntil) return 'nothing';
    const until = mark.breakUntil(this.#text, this.#line.next, this.#line.end);
    if (until !== this.#line.end) {
      this.#noBreakUntil = until;
      return 'nothing';
    }
    this.#beginLeaf({ kind: 'rule', start: 0, end: 0 }, 'none');
    return 'leaf';
  }

  #beginBreakOrItem(): StartedBlock {
    return this.#beginBreak() === 'leaf' ? 'leaf' : this.#beginItem();
  }

  #beginItem(): StartedBlock {
    const { open } = this.#tree;
    const length = mark.listMarkerLength(this.#text, this.#line.next, this.#line.end);
    if (length === 0 || open.length + 2 > MAX_DEPTH || !this.#mayInterrupt(length)) return 'nothing';
    const kind = this.#text.charCodeAt(this.#line.next + length - 1);
    const around = this.#kept > 0 ? open[this.#kept - 1] : undefined;
    const sameList = around?.block.kind === 'list' && around.mark === kind;
    if (sameList) this.#closeTo(this.#kept);
    else this.#beginList(length, kind);
    const before = this.#line.indent;
    const end = this.#line.next + length;
    this.#line.consume(length);
    const blanks = this.#line.indent;
    const isEmpty = this.#line.next === this.#line.end;
    // Five blanks: one belongs to the mark, the others indent code.
    const width = length + (isEmpty || blanks > CODE_INDENT ? 1 : blanks);
    if (!isEmpty) this.#line.advance(width - length);
    this.#open('item', end, kind, before + width);
    return 'container';
  }

  /** Inside a paragraph a list begins only with content, and with 1 (section 5.2). */
  #mayInterrupt(length: number): boolean {
    if (this.#leaf !== 'paragraph' || this.#lazy) return true;
    if (mark.skipSpaces(this.#text, this.#line.next + length, this.#line.end) === this.#line.end)
      return false;
    return !mark.isDigit(this.#line.code) || (length === 2 && this.#line.code === 0x31);
  }

  #beginList(markLength: number, kind: number): void {
    this.#closeForNew();
    const list: GrowingBlock = { kind: 'list', start: 0, end: this.#line.next + markLength };
    list.depth = this.#tree.open.reduce((depth, { block }) => (block.kind === 'list' ? depth + 1 : depth), 1);
    if (kind === mark.DOT || kind === mark.PAREN_CLOSE) {
      const first = Number(this.#text.slice(this.#line.next, this.#line.next + markLength - 1));
      list.ordered = true;
      if (first !== 1) list.first = first;
    }
    this.#tree.openContainer(list, kind, 0, this.#line.start);
  }

  #beginFootnote(): StartedBlock {
    const end = mark.footnoteMarkEnd(this.#text, this.#line.next, this.#line.end);
    if (end === -1 || this.#tree.open.length >= MAX_DEPTH) return 'nothing';
    this.#closeForNew();
    this.#open('footnote', end, mark.BRACKET_OPEN, CODE_INDENT);
    this.#line.consume(end - this.#line.next);
    this.#line.advance(this.#line.indent);
    return 'container';
  }

  /** Begins math at `$$` alone or before the first line of math, unless no later line ends with `$$`. */
  #beginMath(): StartedBlock {
    const after = mark.skipRun(this.#text, this.#line.next, this.#line.end, mark.DOLLAR);
    if (after - this.#line.next !== 2 || this.#text.slice(after, this.#line.end).includes('$'))
      return 'nothing';
    if (this.#nextMath < this.#line.end) this.#nextMath = this.#text.indexOf('$$', this.#line.end);
    if (this.#nextMath === -1) {
      this.#nextMath = this.#text.length;
      return 'nothing';
    }
    const line = this.#text.slice(this.#nextMath + 2, this.#nextMath + 2 + CODE_INDENT);
    if (this.#nextMath === this.#text.length || !/^[ \t\r]*(?:\n|$)/.test(line)) return 'nothing';
    this.#beginLeaf({ kind: 'code', form: 'math', start: 0, end: 0 }, 'math');
    return 'leaf';
  }

  /** Handles a line that begins no block: it is a table row, continues a paragraph, or begins one. */
  #addText(): void {
    const end = skipBlankBack(this.#text, this.#line.next, this.#line.end);
    if (this.#leaf === 'table') {
      this.#addRow(this.#line.start, this.#line.next, end);
      return;
    }
    if (this.#leaf === 'paragraph') {
      if (!this.#lazy && this.#beginTable(end)) return;
      this.#endBefore = this.#block.end;
      this.#block.end = end;
    } else {
      this.#beginLeaf({ kind: 'paragraph', start: 0, end: 0 }, 'paragraph');
      this.#endBefore = -1;
      this.#lines = this.#line.code === mark.BRACKET_OPEN ? [] : undefined;
    }
    this.#lastStart = this.#line.start;
    this.#lastContent = this.#line.next;
    this.#lastIndent = this.#line.indent;
    this.#lines?.push({ start: this.#line.start, content: this.#line.next, end });
  }

  /** A line of dashes below a line with as many cells makes that one the header of a table. */
  #beginTable(end: number): boolean {
    const code = this.#line.code;
    if (code !== mark.PIPE && code !== mark.DASH && code !== mark.COLON) return false;
    if (this.#line.indent >= CODE_INDENT || this.#lastIndent >= CODE_INDENT) return false;
    const columns = delimiterColumns(this.#text, this.#line.next, end);
    if (columns === 0 || columns !== countCells(this.#text, this.#lastContent, this.#block.end)) return false;
    const { start: paragraphStart, end: headEnd } = this.#block;
    const isWhole = this.#endBefore === -1;
    const start = isWhole ? paragraphStart : this.#lastStart;
    const table: GrowingBlock = { kind: 'table', start, end, children: [] };
    if (isWhole) this.#tree.replaceLast([table]);
    else {
      this.#block.end = this.#endBefore;
      this.#lines?.pop();
      this.#closeLeaf();
      this.#tree.append(table);
    }
    this.#block = table;
    this.#leaf = 'table';
    this.#addRow(start, this.#lastContent, headEnd);
    const header = this.#block.children?.[0];
    const lastCell = header?.children?.at(-1);
    if (header === undefined || lastCell === undefined) return true;
    header.header = true;
    this.#block.end = header.end = lastCell.end = end;
    return true;
  }

  #addRow(start: number, content: number, end: number): void {
    this.#block.children?.push(tableRow(this.#text, start, content, end));
    this.#block.end = end;
  }

  /** Closes the containers that the line does not continue, and begins a leaf with the line. */
  #beginLeaf(block: GrowingBlock, leaf: Leaf): void {
    this.#closeForNew();
    this.#addLeaf(block, leaf);
  }

  #addLeaf(block: GrowingBlock, leaf: Leaf): void {
    block.end = skipBlankBack(this.#text, this.#line.next, this.#line.end);
    this.#tree.addLeaf(block, this.#line.start);
    this.#block = block;
    this.#leaf = leaf;
  }

  /** Closes the open leaf and all containers that cannot hold the new block: a list holds nothing but items. */
  #closeForNew(): void {
    if (this.#kept > 0 && this.#tree.open[this.#kept - 1]?.block.kind === 'list') this.#kept--;
    this.#closeTo(this.#kept);
    this.#kept = this.#tree.open.length;
  }

  #closeTo(count: number): void {
    this.#closeLeaf();
    this.#tree.closeTo(count);
  }

  #closeLeaf(): void {
    if (this.#leaf === 'paragraph') {
      this.#takeDefinitions();
      if (
        this.#isParagraphOpen() &&
        this.#endBefore === -1 &&
        isImage(this.#text, this.#lastContent, this.#block.end)
      ) {
        this.#block.kind = 'image';
      }
    } else if (this.#leaf === 'html-table') this.#endHtmlTable();
    this.#leaf = 'none';
  }

  /**
   * Makes blocks of the link reference definitions at the start of the open paragraph, and closes it when nothing else
   * remains.
   */
  #takeDefinitions(): void {
    const lines = this.#lines;
    if (lines === undefined) return;
    this.#lines = undefined;
    const definitions = definitionsOf(this.#text, this.#block.start, lines);
    if (definitions.length === 0) return;
    const rest = lines[definitions.reduce((sum, { lines }) => sum + lines, 0)];
    const blocks = definitions.map(({ block }) => block);
    if (rest === undefined) {
      this.#tree.replaceLast(blocks);
      this.#leaf = 'none';
      return;
    }
    if (rest === lines.at(-1)) this.#endBefore = -1;
    const paragraph: GrowingBlock = { kind: 'paragraph', start: rest.start, end: this.#block.end };
    this.#tree.replaceLast([...blocks, paragraph]);
    this.#block = paragraph;
  }
}

/** The end of the line that begins at `start`: a line end, or the end of the text. */
function lineEnd(text: string, start: number): number {
  // Empty lines are so common that the call does not pay.
  if (text.charCodeAt(start) === mark.FEED) return start;
  const feed = text.indexOf('\n', start);
  return feed === -1 ? text.length : feed;
}

/** True when [start, end) is one `![alt](address)` and nothing else. */
function isImage(text: string, start: number, end: number): boolean {
  if (!text.startsWith('![', start) || text.charCodeAt(end - 1) !== mark.PAREN_CLOSE) return false;
  const inside = text.slice(start + 2, end);
  const middle = inside.indexOf('](');
  return middle !== -1 && !inside.includes(']', middle + 1) && inside.indexOf(')') === inside.length - 1;
}
