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
  firstIndex,
  type ChunkSpan,
  spanOf,
} from '../document/cut-table.ts';
import { BlockWriter, type Box, type TextPiece, type Stop } from './block-writer.ts';
import { blockAt } from './blocks.ts';
import {
  type Colours,
  CURRENT_INKS,
  hasHighlights,
  highlightColours,
  HUES,
  type Ink,
  spanColours,
  type Stretch,
} from './colours.ts';
import { caretAt } from './caret.ts';
import { BEGINNINGS, type FollowedView, type ReadingPlace } from './following.ts';
import type { TextLayout } from './layout.ts';
import { type BoundaryMark, marksOf, marksWithin } from './marks.ts';

/** The input of the view. */
export interface Shown {
  readonly layout: TextLayout;
  /** Undefined before the first cut. */
  readonly first?: CutTable | undefined;
  /** The second tier of a comparison. */
  readonly second?: CutTable | undefined;
}

/** Receives the index of a chunk. */
export interface Pointing {
  /** The chunk under the pointer. */
  readonly onPoint: (chunk: number) => void;
  /** The chunk of a click or tap. */
  readonly onPick: (chunk: number) => void;
}

interface TextBlock extends Span {
  readonly index: number;
  readonly element: HTMLElement;
  /** Assumed number of lines before the first layout. */
  readonly lines: number;
  pieces: readonly TextPiece[];
  boxes: readonly Box[];
  /** Version of the cuts at the last drawing. */
  version: number;
}

/** Blocks in a group: up to 20 MB, the groups, and the blocks of one, stay at some hundred elements. */
const GROUP = 64;

/** Distance from the window at which blocks are drawn. */
const NEAR = '600px 0px';
/** Characters of a line in a window of usual width, for the assumed height of blocks. */
const CHARACTERS_A_LINE = 90;

/** Frames without a change of height after which blocks and groups around a jump's target have their true height. */
const SETTLING = 3;

/** Shows a text inside `host`, which scrolls. */
export class TextView implements FollowedView {
  readonly #host: HTMLElement;
  readonly #pointing: Pointing;
  readonly #near = new Set<TextBlock>();
  readonly #observer: IntersectionObserver;
  readonly #groups: IntersectionObserver;
  readonly #usesSpans: boolean;
  readonly #colours: Colours;
  readonly #blockOf = new WeakMap<Element, TextBlock>();
  #blocks: readonly TextBlock[] = [];
  #shown: Shown | undefined;
  #marks: readonly BoundaryMark[] = [];
  #version = 0;
  #current: number | undefined;
  #frame = 0;
  #settling = 0;

  constructor(host: HTMLElement, pointing: Pointing, usesSpans = !hasHighlights()) {
    this.#host = host;
    this.#pointing = pointing;
    this.#usesSpans = usesSpans;
    this.#colours = usesSpans ? spanColours() : highlightColours(CSS.highlights);
    const near = { root: host, rootMargin: NEAR };
    this.#observer = new IntersectionObserver((entries) => this.#see(entries), near);
    this.#groups = new IntersectionObserver((entries) => this.#seeGroups(entries), near);
    for (const name of BEGINNINGS) host.addEventListener(name, this.#stop, { passive: true });
    host.addEventListener('pointermove', this.#point);
    host.addEventListener('click', this.#pick);
  }

  /** Shows a text, or other chunks of the same text. */
  show(shown: Shown): void {
    const { layout, first, second } = shown;
    const isOtherText = layout !== this.#shown?.layout;
    this.#shown = shown;
    this.#current = undefined;
    this.#marks = first === undefined ? [] : marksOf(layout.text, first, second);
    this.#version++;
    this.#colours.clear();
    if (isOtherText) this.#layOut(layout);
    else for (const block of this.#near) this.#draw(block);
  }

  /** Marks a chunk as the current one; `reveal` scrolls to it. */
  select(chunk: number | undefined, reveal = false): void {
    this.#current = chunk;
    this.#colours.clear(CURRENT_INKS);
    const first = this.#shown?.first;
    if (first === undefined || chunk === undefined || chunk >= countOf(first)) return;
    if (reveal) this.#reveal(spanOf(first, chunk).start + spanOf(first, chunk).overlap);
    for (const block of this.#near) this.#inkCurrent(block);
  }

  offsetAt(share: number): number | undefined {
    const { top, left, width, height } = this.#host.getBoundingClientRect();
    const y = top + share * height;
    const block = this.#blockAtHeight(y);
    if (block === undefined) return undefined;
    const caret = caretAt(this.#host.ownerDocument, left + width / 2, y);
    const piece = block.pieces.find(({ node }) => node === caret?.node);
    if (piece !== undefined && caret !== undefined) return piece.start + caret.offset;
    // Between two lines, or beside the text.
    const box = block.element.getBoundingClientRect();
    const part = Math.min(1, Math.max(0, (y - box.top) / Math.max(1, box.height)));
    return Math.round(block.start + part * (block.end - block.start));
  }

  showPlace({ offset, share }: ReadingPlace): void {
    cancelAnimationFrame(this.#settling);
    if (share === 0) this.#host.scrollTop = 0;
    else this.#reveal(share === 1 ? (this.#blocks.at(-1)?.end ?? 0) : offset, share);
  }

  /** Releases everything that outlives the element. */
  close(): void {
    this.#observer.disconnect();
    this.#groups.disconnect();
    this.#colours.clear();
    cancelAnimationFrame(this.#frame);
    cancelAnimationFrame(this.#settling);
    for (const name of BEGINNINGS) this.#host.removeEventListener(name, this.#stop);
    this.#host.removeEventListener('pointermove', this.#point);
    this.#host.removeEventListener('click', this.#pick);
  }

  #layOut({ text, blocks }: TextLayout): void {
    this.#observer.disconnect();
    this.#groups.disconnect();
    cancelAnimationFrame(this.#settling);
    this.#near.clear();
    const page = this.#host.ownerDocument;
    this.#blocks = blocks.map((span, index) => blockFor(page, text, span, index));
    for (const block of this.#blocks) this.#blockOf.set(block.element, block);
    const groups = Array.from({ length: Math.ceil(this.#blocks.length / GROUP) }, (_, index) =>
      groupOf(page, this.#blocks.slice(index * GROUP, (index + 1) * GROUP)),
    );
    this.#host.replaceChildren(...groups);
    this.#host.scrollTop = 0;
    for (const group of groups) this.#groups.observe(group);
  }

  /** The first block that reaches below a height of the window. Only the blocks of its group are laid out for it. */
  #blockAtHeight(y: number): TextBlock | undefined {
    const reaching = ({ children }: Element): Element | null =>
      children.item(
        firstIndex(children.length, (at) => (children.item(at)?.getBoundingClientRect().bottom ?? y) > y),
      );
    const group = reaching(this.#host);
    const element = group === null ? null : reaching(group);
    return element === null ? undefined : this.#blockOf.get(element);
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
    const shown = this.#shown;
    if (shown === undefined) return;
    block.version = this.#version;
    const { first, layout } = shown;
    const writer = new BlockWriter({
      page: this.#host.ownerDocument,
      text: layout.text,
      cuts: first,
      usesSpans: this.#usesSpans,
      ...this.#partsOf(block, first),
    });
    block.element.replaceChildren();
    layout.fill(block.index, block.element, writer);
    block.pieces = writer.pieces;
    block.boxes = writer.boxes;
    if (first === undefined) return;
    for (const { index, start, end, overlap } of placesIn(first, block)) {
      this.#ink(block, `chunk-${index % HUES}`, start + overlap, end);
      this.#ink(block, 'overlap', start, start + overlap);
    }
    this.#inkCurrent(block);
  }

  /** The edges and repeated spans of a block. Classes need a part of its own for each coloured span. */
  #partsOf(
    block: TextBlock,
    first: CutTable | undefined,
  ): { readonly stops: readonly Stop[]; readonly repeated: readonly Span[] } {
    const marks = [...marksWithin(this.#marks, block.start, block.end)].map((mark) => ({
      at: mark.at,
      mark,
    }));
    const repeated: Span[] = [];
    const edges = new Set<number>();
    for (const { start, end, overlap } of first === undefined ? [] : placesIn(first, block)) {
      for (const edge of [start, start + overlap, end])
        if (edge > block.start && edge < block.end) edges.add(edge);
      const begin = Math.max(start, repeated.at(-1)?.end ?? 0);
      if (begin < start + overlap) repeated.push({ start: begin, end: start + overlap });
    }
    if (!this.#usesSpans && repeated.length === 0) edges.clear();
    for (const { at } of marks) edges.delete(at);
    const stops = [...marks, ...[...edges].map((edge) => ({ at: edge }))].sort((a, b) => a.at - b.at);
    return { stops, repeated };
  }

  #inkCurrent(block: TextBlock): void {
    const first = this.#shown?.first;
    if (first === undefined || this.#current === undefined) return;
    const { start, end } = spanOf(first, this.#current);
    this.#ink(block, `current-${this.#current % HUES}`, start, end);
  }

  #ink({ pieces, boxes }: TextBlock, ink: Ink, start: number, end: number): void {
    if (ink !== 'overlap')
      for (const box of boxes)
        if (start <= box.start && box.end <= end) this.#colours.addBox(ink, box.element);
    for (const piece of pieces) {
      const from = Math.max(start, piece.start);
      const to = Math.min(end, piece.end);
      if (from >= to) continue;
      const stretch: Stretch = { node: piece.node, from: from - piece.start, to: to - piece.start };
      this.#colours.add(ink, stretch);
    }
  }

  /** @param share Share of the window above the offset; it moves there although it is in sight. */
  #reveal(offset: number, share?: number): void {
    const block = this.#blocks[blockAt(this.#blocks, offset)];
    if (block === undefined) return;
    block.element.scrollIntoView({ block: 'nearest' });
    this.#near.add(block);
    if (block.version !== this.#version) this.#draw(block);
    cancelAnimationFrame(this.#settling);
    this.#settle(block, offset, share);
  }

  /**
   * Scrolls a position to the upper fifth of the window, and again when the blocks above get their true height.
   */
  #settle(block: TextBlock, offset: number, share?: number, frames = SETTLING, height = 0): void {
    if (share === 1) this.#host.scrollTop = this.#host.scrollHeight;
    else this.#scrollTo(block, offset, share);
    const { scrollHeight } = this.#host;
    const left = scrollHeight === height ? frames - 1 : SETTLING;
    if (left > 0)
      this.#settling = requestAnimationFrame(() => this.#settle(block, offset, share, left, scrollHeight));
  }

  #scrollTo(block: TextBlock, offset: number, share?: number): void {
    // A hidden mark has no piece; the text behind it stands in its place.
    const piece = block.pieces.find(({ end }) => offset < end) ?? block.pieces.at(-1);
    if (piece === undefined) return;
    const at = Math.min(piece.node.length, Math.max(0, offset - piece.start));
    const range = this.#host.ownerDocument.createRange();
    range.setStart(piece.node, at);
    range.setEnd(piece.node, Math.min(at + 1, piece.node.length));
    const { top, bottom } = range.getBoundingClientRect();
    const window = this.#host.getBoundingClientRect();
    const margin = (share ?? 1 / 5) * window.height;
    // A sheet may lie over the lower part.
    const covered = Number.parseFloat(getComputedStyle(this.#host).scrollPaddingBottom) || 0;
    if (
      share !== undefined ||
      top < window.top + margin ||
      bottom > window.bottom - Math.max(margin, covered)
    )
      this.#host.scrollTop += top - window.top - margin;
  }

  /** The visitor scrolls. */
  readonly #stop = (): void => cancelAnimationFrame(this.#settling);

  readonly #point = ({ clientX, clientY, pointerType }: PointerEvent): void => {
    // A finger scrolls, and its tap is a click.
    if (pointerType === 'touch') return;
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      const chunk = this.#chunkUnder(clientX, clientY);
      if (chunk !== undefined) this.#pointing.onPoint(chunk);
    });
  };

  readonly #pick = ({ clientX, clientY }: MouseEvent): void => {
    cancelAnimationFrame(this.#frame);
    const chunk = this.#chunkUnder(clientX, clientY);
    if (chunk !== undefined) this.#pointing.onPick(chunk);
  };

  #chunkUnder(x: number, y: number): number | undefined {
    const first = this.#shown?.first;
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

function blockFor(page: Document, text: string, { start, end }: Span, index: number): TextBlock {
  const slice = text.slice(start, end);
  const lines = linesOf(slice);
  const node = page.createTextNode(slice);
  const element = elementOf(page, 'block', lines);
  element.append(node);
  return { index, start, end, element, lines, pieces: [{ node, start, end }], boxes: [], version: 0 };
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
