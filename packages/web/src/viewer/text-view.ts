// The text with its chunks, one element a block. Blocks are laid out where they are visible; colours, numbers and
// contexts are drawn only near the window, so that a new cut costs the same for ten pages and a thousand. Blocks stand
// in groups, because a browser visits each skippable element at every frame: the 16,000 blocks of 20 MB take 0.2 s a
// frame, the 250 groups nothing. Content is only ever set as text.
import type { Span } from '@grainline/core';
import {
  chunkAt,
  countOf,
  type CutTable,
  firstEndingAfter,
  type ChunkSpan,
  spanOf,
} from '../document/cut-table.ts';
import { blockAt, displayBlocks } from './blocks.ts';
import { codeWithin, NO_CODE, type CodeSpans } from '../document/code.ts';
import {
  type Colours,
  hasHighlights,
  highlightColours,
  HUES,
  type Ink,
  spanColours,
  type Stretch,
} from './colours.ts';
import { type BoundaryMark, marksOf, marksWithin } from './marks.ts';

/** The input of the view. */
export interface Shown {
  readonly text: string;
  /** Spans in a fixed pitch. */
  readonly code: CodeSpans;
  /** Undefined before the first cut. */
  readonly first?: CutTable | undefined;
  /** The second tier of a comparison. */
  readonly second?: CutTable | undefined;
}

/** Part of a block's text in one text node. */
interface Piece extends Span {
  readonly node: Text;
}

/** An edge inside a block's text, with its mark. */
interface Stop {
  readonly at: number;
  readonly mark?: BoundaryMark;
}

interface TextBlock extends Span {
  readonly element: HTMLElement;
  /** Assumed number of lines before the first layout. */
  readonly lines: number;
  pieces: readonly Piece[];
  /** Version of the cuts at the last drawing. */
  version: number;
}

/** Blocks in a group: up to 20 MB, the groups, and the blocks of one, stay at some hundred elements. */
const GROUP = 64;

/** Distance from the window at which blocks are drawn. */
const NEAR = '600px 0px';
/** Characters of a line in a window of usual width, for the assumed height of blocks. */
const CHARACTERS_A_LINE = 90;

/** Frames until blocks and groups around a jump's target have their true height. */
const SETTLING = 3;

/** Shows a text inside `host`, which scrolls. */
export class TextView {
  readonly #host: HTMLElement;
  readonly #onPoint: (chunk: number | undefined) => void;
  readonly #near = new Set<TextBlock>();
  readonly #observer: IntersectionObserver;
  readonly #groups: IntersectionObserver;
  readonly #usesSpans: boolean;
  readonly #colours: Colours;
  readonly #blockOf = new WeakMap<Element, TextBlock>();
  #blocks: readonly TextBlock[] = [];
  #shown: Shown = { text: '', code: NO_CODE };
  #marks: readonly BoundaryMark[] = [];
  #version = 0;
  #current: number | undefined;
  #frame = 0;
  #settling = 0;

  /** @param onPoint receives the index of the chunk under the pointer */
  constructor(host: HTMLElement, onPoint: (chunk: number | undefined) => void, usesSpans = !hasHighlights()) {
    this.#host = host;
    this.#onPoint = onPoint;
    this.#usesSpans = usesSpans;
    this.#colours = usesSpans ? spanColours() : highlightColours(CSS.highlights);
    const near = { root: host, rootMargin: NEAR };
    this.#observer = new IntersectionObserver((entries) => this.#see(entries), near);
    this.#groups = new IntersectionObserver((entries) => this.#seeGroups(entries), near);
    host.addEventListener('pointermove', this.#point);
    // A tap sends no pointermove.
    host.addEventListener('click', this.#point);
    host.addEventListener('pointerleave', this.#leave);
  }

  /** Shows a text, or other chunks of the same text. */
  show(shown: Shown): void {
    const isOtherText = shown.text !== this.#shown.text;
    this.#shown = shown;
    this.#current = undefined;
    this.#marks = shown.first === undefined ? [] : marksOf(shown.text, shown.first, shown.second);
    this.#version++;
    this.#colours.clear();
    if (isOtherText) this.#layOut(shown.text);
    else for (const block of this.#near) this.#draw(block);
  }

  /** Marks a chunk as the current one; `reveal` scrolls to it. */
  select(chunk: number | undefined, reveal = false): void {
    this.#current = chunk;
    this.#colours.clear(['current']);
    const { first } = this.#shown;
    if (first === undefined || chunk === undefined || chunk >= countOf(first)) return;
    if (reveal) this.#reveal(spanOf(first, chunk).start + spanOf(first, chunk).overlap);
    for (const block of this.#near) this.#inkCurrent(block);
  }

  /** Releases everything that outlives the element. */
  close(): void {
    this.#observer.disconnect();
    this.#groups.disconnect();
    this.#colours.clear();
    cancelAnimationFrame(this.#frame);
    cancelAnimationFrame(this.#settling);
    this.#host.removeEventListener('pointermove', this.#point);
    this.#host.removeEventListener('click', this.#point);
    this.#host.removeEventListener('pointerleave', this.#leave);
  }

  #layOut(text: string): void {
    this.#observer.disconnect();
    this.#groups.disconnect();
    cancelAnimationFrame(this.#settling);
    this.#near.clear();
    const page = this.#host.ownerDocument;
    this.#blocks = displayBlocks(text).map((span) => blockFor(page, text, span));
    for (const block of this.#blocks) this.#blockOf.set(block.element, block);
    const groups = Array.from({ length: Math.ceil(this.#blocks.length / GROUP) }, (_, index) =>
      groupOf(page, this.#blocks.slice(index * GROUP, (index + 1) * GROUP)),
    );
    this.#host.replaceChildren(...groups);
    this.#host.scrollTop = 0;
    for (const group of groups) this.#groups.observe(group);
  }

  /** Blocks are observed only in groups near the window. */
  #seeGroups(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries)
      for (const element of target.children) {
        if (isIntersecting) this.#observer.observe(element);
        else this.#leaveBlock(element);
      }
  }

  #leaveBlock(element: Element): void {
    this.#observer.unobserve(element);
    const block = this.#blockOf.get(element);
    if (block !== undefined) this.#near.delete(block);
  }

  #see(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const block = this.#blockOf.get(target);
      if (block === undefined) continue;
      if (!isIntersecting) this.#near.delete(block);
      else {
        const isNew = !this.#near.has(block);
        this.#near.add(block);
        if (block.version !== this.#version) this.#draw(block);
        // The current chunk may have changed since the last drawing.
        else if (isNew) this.#inkCurrent(block);
      }
    }
  }

  /** Marks, contexts and colours of one block. */
  #draw(block: TextBlock): void {
    block.version = this.#version;
    this.#build(block);
    const { first } = this.#shown;
    if (first === undefined) return;
    for (const { index, start, end, overlap } of placesIn(first, block)) {
      this.#ink(block, `chunk-${index % HUES}`, start + overlap, end);
      this.#ink(block, 'overlap', start, start + overlap);
    }
    this.#inkCurrent(block);
  }

  /** The block's nodes: its text, split at the starts of chunks, with the marks in between. */
  #build(block: TextBlock): void {
    const { text, first } = this.#shown;
    const page = this.#host.ownerDocument;
    const nodes: Node[] = [];
    const pieces: Piece[] = [];
    const { stops, repeated, code } = this.#parts(block);
    const write = (start: number, end: number): void => {
      if (start >= end) return;
      const node = page.createTextNode(text.slice(start, end));
      pieces.push({ node, start, end });
      const isIn = (spans: readonly Span[]): boolean =>
        spans.some((span) => span.start <= start && end <= span.end);
      const inked = this.#usesSpans || isIn(repeated) ? within(page, 'span', node) : node;
      nodes.push(isIn(code) ? within(page, 'code', inked) : inked);
    };
    let at = block.start;
    for (const stop of stops) {
      write(at, stop.at);
      at = stop.at;
      const context = stop.mark?.first === undefined ? undefined : first?.contexts.get(stop.mark.first - 1);
      if (context !== undefined)
        nodes.push(contextElement(page, context.map((part) => part.text).join('\n')));
      if (stop.mark !== undefined) nodes.push(markElement(page, stop.mark));
    }
    write(at, block.end);
    block.pieces = pieces;
    block.element.replaceChildren(...nodes);
  }

  /**
   * The edges, repeated spans and code spans of a block. Classes need a part of its own for each coloured span.
   */
  #parts(
    block: TextBlock,
  ): Record<'repeated' | 'code', readonly Span[]> & { readonly stops: readonly Stop[] } {
    const marks = [...marksWithin(this.#marks, block.start, block.end)].map((mark) => ({
      at: mark.at,
      mark,
    }));
    const { first, code: all } = this.#shown;
    const code = [...codeWithin(all, block.start, block.end)];
    const edges = new Set(code.flatMap(({ start, end }) => [start, end]));
    const repeated: Span[] = [];
    const own = new Set<number>();
    for (const { start, end, overlap } of first === undefined ? [] : placesIn(first, block)) {
      for (const edge of [start, start + overlap, end])
        if (edge > block.start && edge < block.end) own.add(edge);
      const begin = Math.max(start, repeated.at(-1)?.end ?? 0);
      if (begin < start + overlap) repeated.push({ start: begin, end: start + overlap });
    }
    if (this.#usesSpans || repeated.length > 0) for (const edge of own) edges.add(edge);
    for (const { at } of marks) edges.delete(at);
    const stops = [...marks, ...[...edges].map((edge) => ({ at: edge }))].sort((a, b) => a.at - b.at);
    return { stops, repeated, code };
  }

  #inkCurrent(block: TextBlock): void {
    const { first } = this.#shown;
    if (first === undefined || this.#current === undefined) return;
    const { start, end } = spanOf(first, this.#current);
    this.#ink(block, 'current', start, end);
  }

  #ink({ pieces }: TextBlock, ink: Ink, start: number, end: number): void {
    for (const piece of pieces) {
      const from = Math.max(start, piece.start);
      const to = Math.min(end, piece.end);
      if (from >= to) continue;
      const stretch: Stretch = { node: piece.node, from: from - piece.start, to: to - piece.start };
      this.#colours.add(ink, stretch);
    }
  }

  #reveal(offset: number): void {
    const block = this.#blocks[blockAt(this.#blocks, offset)];
    if (block === undefined) return;
    block.element.scrollIntoView({ block: 'nearest' });
    this.#near.add(block);
    if (block.version !== this.#version) this.#draw(block);
    cancelAnimationFrame(this.#settling);
    this.#settle(block, offset, SETTLING);
  }

  /**
   * Scrolls a position to the upper fifth of the window, and again when the blocks above get their true height.
   */
  #settle(block: TextBlock, offset: number, frames: number): void {
    const piece = block.pieces.find(({ start, end }) => start <= offset && offset < end);
    if (piece === undefined) return;
    const range = this.#host.ownerDocument.createRange();
    range.setStart(piece.node, offset - piece.start);
    range.setEnd(piece.node, Math.min(offset - piece.start + 1, piece.node.length));
    const { top, bottom } = range.getBoundingClientRect();
    const window = this.#host.getBoundingClientRect();
    const margin = window.height / 5;
    if (top < window.top + margin || bottom > window.bottom - margin)
      this.#host.scrollTop += top - window.top - margin;
    if (frames > 0) this.#settling = requestAnimationFrame(() => this.#settle(block, offset, frames - 1));
  }

  readonly #point = ({ clientX, clientY }: MouseEvent): void => {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#onPoint(this.#chunkUnder(clientX, clientY)));
  };

  readonly #leave = (): void => {
    cancelAnimationFrame(this.#frame);
    this.#onPoint(undefined);
  };

  #chunkUnder(x: number, y: number): number | undefined {
    const { first } = this.#shown;
    const place = caretAt(this.#host.ownerDocument, x, y);
    const element = place?.node.parentElement?.closest('.block');
    const block = element == null ? undefined : this.#blockOf.get(element);
    const piece = block?.pieces.find(({ node }) => node === place?.node);
    if (first === undefined || piece === undefined || place === undefined) return undefined;
    const chunk = chunkAt(first, Math.min(piece.start + place.offset, piece.end - 1));
    return chunk < 0 ? undefined : chunk;
  }
}

/** Chunks with text in a span, in order. */
function* placesIn(cuts: CutTable, within: Span): Generator<ChunkSpan & { readonly index: number }> {
  for (let index = firstEndingAfter(cuts, within.start); index < countOf(cuts); index++) {
    const place = spanOf(cuts, index);
    if (place.start >= within.end) return;
    yield { index, ...place };
  }
}

function blockFor(page: Document, text: string, { start, end }: Span): TextBlock {
  const slice = text.slice(start, end);
  const lines = linesOf(slice);
  const node = page.createTextNode(slice);
  const element = elementOf(page, 'block', lines);
  element.append(node);
  return { start, end, element, lines, pieces: [{ node, start, end }], version: 0 };
}

function groupOf(page: Document, blocks: readonly TextBlock[]): HTMLElement {
  const lines = blocks.reduce((sum, block) => sum + block.lines, 0);
  const element = elementOf(page, 'group', lines);
  element.append(...blocks.map((block) => block.element));
  return element;
}

function elementOf(page: Document, className: string, lines: number): HTMLElement {
  const element = page.createElement('div');
  element.className = className;
  element.style.setProperty('--lines', String(lines));
  return element;
}

function linesOf(text: string): number {
  let lines = 0;
  for (let at = 0; at < text.length;) {
    const feed = text.indexOf('\n', at);
    const end = feed === -1 ? text.length : feed;
    lines += Math.max(1, Math.ceil((end - at) / CHARACTERS_A_LINE));
    at = end + 1;
  }
  return lines;
}

function within(page: Document, name: 'span' | 'code', node: Node): HTMLElement {
  const element = page.createElement(name);
  element.append(node);
  return element;
}

/** A line with the numbers in the margins; it is neither announced nor copied. */
function markElement(page: Document, { side, first, second }: BoundaryMark): HTMLElement {
  const element = page.createElement('i');
  element.className = `mark ${side}`;
  element.setAttribute('aria-hidden', 'true');
  if (first !== undefined) {
    element.dataset['first'] = String(first);
    element.classList.add(`hue-${(first - 1) % HUES}`);
  }
  if (second !== undefined) element.dataset['second'] = String(second);
  return element;
}

function contextElement(page: Document, text: string): HTMLElement {
  const element = page.createElement('span');
  element.className = 'context';
  element.textContent = text;
  return element;
}

/** The text position under a point, by the call that the browser has. */
function caretAt(
  page: Document,
  x: number,
  y: number,
): { readonly node: Node; readonly offset: number } | undefined {
  if (typeof page.caretPositionFromPoint === 'function') {
    const caret = page.caretPositionFromPoint(x, y);
    return caret === null ? undefined : { node: caret.offsetNode, offset: caret.offset };
  }
  // Safari's name for it before the standard's.
  const range = (
    page as { caretRangeFromPoint?: (x: number, y: number) => Range | null }
  ).caretRangeFromPoint?.(x, y);
  return range == null ? undefined : { node: range.startContainer, offset: range.startOffset };
}
