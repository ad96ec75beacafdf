// A tagged page → the nodes of the document's tree. The author's tree gives order, headings, lists and tables; the text
// of an element is set as everywhere (structure/flow.ts).
import { joinGlyphs, type WithGlyphs } from '../../../tree/glyphs.ts';
import type { TreeNode } from '../../../tree/node.ts';
import { reachRule, type LineBreaks, type LineMode } from '../lines/breaks.ts';
import { joinLines, titleOf, type TextLine } from '../lines/text.ts';
import { paragraphRule } from '../structure/paragraphs.ts';
import type { Table } from '../tables/cells.ts';
import { WIDE_GAP } from '../pdfium/words.ts';
import { TEXTUAL, UNTAGGED, type TagChild, type TagElement } from '../pdfium/tags.ts';
import { codeText, flowNodes, type ParagraphRule } from '../structure/flow.ts';
import type { Heading } from '../structure/headings.ts';
import { originOf, type Builder, type Origin, type Origins, type Surroundings } from './builder.ts';
import { listNode } from './lists.ts';
import { joinRow, placesOf, type TaggedPage } from './page.ts';
import { depthOf, isSection, roleOf } from './roles.ts';
import { tableNode } from './tables.ts';
import { leavesOf } from './tree.ts';

/** Facts about the document of a page. */
export interface TagContext {
  /** True if its fixed-pitch lines are code. */
  readonly hasCode: boolean;
  /** True if its tree has lists, so that a paragraph is never an item. */
  readonly hasLists: boolean;
  /** Headings by their lines, when its tree has none. */
  readonly headings: ReadonlyMap<TextLine, Heading>;
  /** What becomes of the line breaks in its paragraphs. */
  readonly mode: LineMode;
  /** Running heads and page numbers of the page. */
  readonly margins: readonly TextLine[];
  /** Tables that only its layout shows, by their leaves. */
  readonly drawn: ReadonlyMap<number, Table>;
  /** The origin of nodes, items and rows that may go on on the next page. */
  readonly origins: Origins;
}

/** The nodes of a page; its running heads and page numbers stand apart. */
export interface TaggedNodes {
  readonly nodes: TreeNode[];
  readonly above: readonly TextLine[];
  readonly below: readonly TextLine[];
}

/** Builds the nodes of a page. Linear. */
export function nodesOfPage(page: TaggedPage, context: TagContext): TaggedNodes {
  return new PageBuilder(page, context).build();
}

/** A heading with more characters is a paragraph with a wrong tag. */
export const MAX_HEADING = 300;

/** Consecutive text, with the element that it stands in. */
interface OpenText {
  readonly lines: readonly TextLine[];
  readonly key: string;
  /** True if its element does not say that it is a paragraph: browsers write parts of lines so. */
  readonly isLoose?: boolean;
  readonly table?: Table | undefined;
  /** Set for a `Code` element: true if loose text stands beside it in its parent. */
  readonly isInlineCode?: boolean;
}

type Around = Pick<OpenText, 'key' | 'isLoose'>;

class PageBuilder implements Builder {
  readonly origins: Origins;
  readonly #page: TaggedPage;
  readonly #context: TagContext;
  readonly #used = new Set<number>();
  readonly #above: TextLine[] = [];
  readonly #below: TextLine[] = [];
  readonly #marginOf: (line: TextLine) => TextLine | undefined;
  readonly #drawn = new Set<Table>();
  #loose: TextLine[] = [];
  #rule: ParagraphRule | undefined;
  readonly #breaks: LineBreaks;

  constructor(page: TaggedPage, context: TagContext) {
    this.#page = page;
    this.#context = context;
    this.origins = context.origins;
    this.#marginOf = placesOf(context.margins);
    this.#breaks = { mode: context.mode, reachOf: reachRule([...page.leaves.values()].flat()) };
  }

  build(): TaggedNodes {
    const { elements, leaves, loose, artifacts } = this.#page;
    this.#loose.push(...(loose.get(UNTAGGED) ?? []));
    const nodes = this.flow(elements, '', { level: 0, sections: 0 });
    const rest = [...leaves.keys()].filter((leaf) => !this.#used.has(leaf));
    if (rest.length > 0) nodes.push(...this.flow(rest, 'rest', { level: 0, sections: 0 }));
    const highest = [...leaves.values()].reduce((most, [line]) => Math.max(most, line?.baseline ?? 0), 0);
    for (const line of artifacts) (line.baseline > highest ? this.#above : this.#below).push(line);
    return { nodes, above: this.#above, below: this.#below };
  }

  take(leaves: readonly number[]): readonly TextLine[] {
    return leaves.flatMap((leaf) => {
      if (this.#used.has(leaf)) return [];
      this.#used.add(leaf);
      for (const line of this.#page.loose.get(leaf) ?? []) this.#loose.push(line);
      return this.#page.leaves.get(leaf) ?? [];
    });
  }

  flow(children: readonly TagChild[], key: string, place: Surroundings): TreeNode[] {
    const nodes: TreeNode[] = [];
    let open: OpenText[] = [];
    let rows: TagElement[] = [];
    const flush = (): void => {
      for (const node of this.#text(open, place)) nodes.push(node);
      open = [];
      if (rows.length > 0) nodes.push(...tableNode({ key: `${key}.rows`, children: rows }, this, place));
      rows = [];
    };
    const drain = (): void => {
      if (place.level > 0 || this.#loose.length === 0) return;
      open.push({ lines: this.#loose, key: '' });
      this.#loose = [];
    };
    const walk = (some: readonly TagChild[], around: Around, sections: number): void => {
      for (const [index, child] of some.entries()) {
        if (child === undefined) continue;
        if (typeof child === 'number') {
          const lines = this.take([child]);
          if (lines.length > 0 && rows.length > 0) flush();
          open.push({ ...around, lines, table: this.#context.drawn.get(child) });
          drain();
          continue;
        }
        const role = roleOf(child.type);
        if (role === 'group' || role === 'item' || role === 'caption' || role === 'cell') {
          const isLoose = !TEXTUAL.test(child.type);
          walk(child.children, { key: child.key, isLoose }, sections + Number(isSection(child.type)));
          continue;
        }
        if (role === 'code') {
          const lines = this.take(leavesOf(child.children));
          if (lines.length > 0 && rows.length > 0) flush();
          const isInlineCode = isLooseText(some[index - 1]) || isLooseText(some[index + 1]);
          open.push({ key: child.key, isLoose: true, lines, isInlineCode });
          drain();
          continue;
        }
        if (role === 'row' || role === 'rows') {
          if (open.length > 0) flush();
          rows.push(child);
          continue;
        }
        flush();
        for (const node of this.#block(child, { ...place, sections })) nodes.push(node);
        drain();
      }
    };
    drain();
    walk(children, { key, isLoose: true }, place.sections);
    flush();
    return nodes;
  }

  #block(element: TagElement, place: Surroundings): TreeNode[] {
    const inside = { ...place, level: place.level + 1 };
    switch (roleOf(element.type)) {
      case 'heading':
        return this.#heading(element, place);
      case 'list':
        return listNode(element, this, inside);
      case 'table':
        return tableNode(element, this, inside);
      case 'figure':
        return this.#figure(element, inside);
      case 'note':
        return this.#note(element, inside);
      case 'quote': {
        const children = this.flow(element.children, element.key, inside);
        return children.length === 0
          ? []
          : [this.#remember({ kind: 'quote', children }, originOf(element.key))];
      }
      case 'contents':
        return this.#contents(element);
      case 'artifact':
        this.#below.push(...this.take(leavesOf(element.children)));
        return [];
      default:
        return this.flow(element.children, element.key, inside);
    }
  }

  #heading({ type, key, children }: TagElement, { sections }: Surroundings): TreeNode[] {
    const lines = this.take(leavesOf(children));
    const text = joinLines(lines, ' ');
    if (text.length > MAX_HEADING) return this.#text([{ lines, key }], { level: 1, sections });
    return text === ''
      ? []
      : [{ kind: 'heading', depth: depthOf(type, sections), text, ...joinGlyphs(lines) }];
  }

  /** The description of a figure, then the words in it as one block. */
  #figure({ alt, key, children }: TagElement, place: Surroundings): TreeNode[] {
    const description = alt.replace(/[\s\0[\]]+/g, ' ').trim();
    const image: TreeNode[] =
      description === '' || FILE_NAME.test(description)
        ? []
        : [{ kind: 'image', text: description.toWellFormed() }];
    const captions = children.filter(
      (child) => typeof child === 'object' && roleOf(child.type) === 'caption',
    );
    const words = this.take(leavesOf(children.filter((child) => !captions.includes(child))));
    return [...image, ...this.#text([{ lines: words, key }], place), ...this.flow(captions, key, place)];
  }

  #note({ key, children }: TagElement, place: Surroundings): TreeNode[] {
    const nodes = this.flow(children, key, { ...place, isCell: true });
    const [first, ...others] = nodes;
    const mark = first?.kind === 'paragraph' ? NOTE_MARK.exec(first.text) : null;
    if (first?.kind !== 'paragraph' || mark === null) return nodes;
    const text = first.text.slice(mark[0].length);
    return [{ kind: 'footnote', label: mark[1] ?? '', children: [...paragraphOf(text, first), ...others] }];
  }

  #contents(element: TagElement): TreeNode[] {
    const entries = this.#entries(element);
    return paragraphOf(entries.map((lines) => joinLines(lines, ' ')).join('\n'), joinGlyphs(entries.flat()));
  }

  /** The lines of each entry of a list of contents. */
  #entries({ children }: TagElement): (readonly TextLine[])[] {
    return children.flatMap((child): (readonly TextLine[])[] => {
      if (child === undefined) return [];
      if (typeof child === 'number') return [this.take([child])];
      if (roleOf(child.type) === 'contents') return this.#entries(child);
      const nested = child.children.filter(
        (one) => typeof one === 'object' && roleOf(one.type) === 'contents',
      );
      const own = this.take(leavesOf(child.children.filter((one) => !nested.includes(one))));
      return [own, ...nested.flatMap((one) => (typeof one === 'object' ? this.#entries(one) : []))];
    });
  }

  /** Paragraphs and code of consecutive text; running heads among it stand apart. */
  #text(texts: readonly OpenText[], { isCell = false, level }: Surroundings): TreeNode[] {
    if (isCell)
      return texts.flatMap((text, index) =>
        text.lines.length > 1 && isCodeBlock(text, texts[index - 1], texts[index + 1])
          ? codeNode(text.lines)
          : paragraphOf(joinLines(text.lines, ' ').replaceAll('`', '\\`'), joinGlyphs(text.lines)),
      );
    const nodes: TreeNode[] = [];
    let run: OpenText[] = [];
    const end = (): void => {
      for (const node of this.#paragraphs(run)) nodes.push(node);
      run = [];
    };
    const filled = texts.filter(({ lines }) => lines.length > 0);
    for (const [index, text] of filled.entries()) {
      const { lines } = text;
      const [first] = lines;
      if (first === undefined) continue;
      const heading = this.#context.headings.get(first);
      if (isCodeBlock(text, filled[index - 1], filled[index + 1])) {
        end();
        nodes.push(codeNode(lines));
      } else if (text.table !== undefined) {
        end();
        if (!this.#drawn.has(text.table)) nodes.push(text.table.node);
        this.#drawn.add(text.table);
      } else if (level === 0 && lines.every((line) => this.#marginOf(line) !== undefined))
        for (const line of lines) (nodes.length + run.length === 0 ? this.#above : this.#below).push(line);
      else if (heading !== undefined && lines.every((line) => this.#context.headings.get(line) === heading)) {
        end();
        if (heading.lines[0] === first)
          nodes.push({ kind: 'heading', depth: heading.depth, ...titleOf(heading.lines) });
      } else run.push(text);
    }
    end();
    return nodes;
  }

  #paragraphs(texts: readonly OpenText[]): TreeNode[] {
    const lines: TextLine[] = [];
    const ends = new Set<TextLine>();
    const isEnd = texts.some(({ isLoose }) => isLoose) ? this.#paragraphRule() : () => true;
    let before: OpenText | undefined;
    for (const text of texts) {
      const [last, first] = [lines.at(-1), text.lines[0]];
      const row = before?.isLoose === true && text.isLoose === true ? joinRow(last, first) : undefined;
      if (row !== undefined) lines.splice(-1, 1, row, ...text.lines.slice(1));
      else {
        const isOpen = before?.isLoose === true && text.isLoose === true;
        if (last !== undefined && first !== undefined && !(isOpen && !isEnd(last, first))) ends.add(last);
        lines.push(...text.lines);
      }
      before = text;
    }
    const nodes = flowNodes(lines, {
      isParagraphEnd: (line) => ends.has(line),
      hasCode: this.#context.hasCode,
      breaks: this.#breaks,
      isProse: this.#context.hasLists,
    });
    const [first, last] = [nodes[0], nodes.at(-1)];
    const [begin = '', end = ''] = [texts[0]?.key, texts.at(-1)?.key];
    if (last?.kind === 'paragraph')
      this.#remember(last, {
        begin: first === last ? begin : end,
        end,
        between: lines.at(-1)?.isDivided === true ? '' : this.#breaks.mode === 'keep' ? '\n' : ' ',
      });
    if (first?.kind === 'paragraph' && first !== last) this.#remember(first, originOf(begin));
    return nodes;
  }

  #paragraphRule(): ParagraphRule {
    this.#rule ??= paragraphRule([...this.#page.leaves.values()].flat(), this.#context.hasCode);
    return this.#rule;
  }

  #remember<Node extends TreeNode>(node: Node, origin: Origin): Node {
    if (origin.end !== '') this.origins.set(node, origin);
    return node;
  }
}

/** True for text whose element does not say that it is a paragraph: a part of a line, as browsers write it. */
function isLooseText(child: TagChild): boolean {
  return typeof child === 'number' || child?.type === 'NonStruct';
}

/** True for a `Code` element outside a line of text: the type is one for both (ISO 32000-1, 14.8.4.4). */
function isCodeBlock(
  { lines, isInlineCode }: OpenText,
  before: OpenText | undefined,
  after: OpenText | undefined,
): boolean {
  if (isInlineCode === undefined) return false;
  const isOneLine = lines.length === 1;
  if (isOneLine && isInlineCode) return false;
  // Several lines are inline only where a sentence runs into the first or out of the last one.
  const gap = isOneLine ? Infinity : WIDE_GAP;
  return (
    joinRow(before?.lines.at(-1), lines[0], gap) === undefined &&
    joinRow(lines.at(-1), after?.lines[0], gap) === undefined
  );
}

/** A description that a program has written. */
const FILE_NAME = /^\S+\.(?:png|jpe?g|gif|svg|bmp|tiff?|emf|wmf)$/i;
/** The mark of a note: a figure, a letter or signs. */
const NOTE_MARK = /^[[(]?(\d{1,3}|[a-z]|[*†‡§¶]{1,3})[\])]?[.:]?\s+(?=\S)/;

function codeNode(lines: readonly TextLine[]): TreeNode {
  return { kind: 'code', text: codeText(lines), language: '', ...joinGlyphs(lines) };
}

function paragraphOf(text: string, shown: WithGlyphs | undefined): TreeNode[] {
  return text === '' ? [] : [{ kind: 'paragraph', text, ...joinGlyphs([shown]) }];
}
