// Writes slices of the text into elements: split at the starts of chunks, with the marks, contexts and enrichments in
// between. Both layouts write with it. Content is only ever set as text.
import type { Span } from '@grainline/core';
import type { ChunkEnrichment, CutTable } from '../document/cut-table.ts';
import { HUES } from './colours.ts';
import type { BoundaryMark } from './marks.ts';

/** Part of a block's text in one text node. */
export interface TextPiece extends Span {
  readonly node: Text;
}

/** An element that shows a span of the text. */
export interface Box extends Span {
  readonly element: HTMLElement;
}

/** An edge inside a block's text, with its mark. */
export interface Stop {
  readonly at: number;
  readonly mark?: BoundaryMark;
}

/** The input of one block. */
export interface WriterInput {
  readonly page: Document;
  readonly text: string;
  readonly cuts: CutTable | undefined;
  /** In order. */
  readonly stops: readonly Stop[];
  /** Text that chunks repeat, which is coloured by elements. */
  readonly repeated: readonly Span[];
  /** True when elements colour all text. */
  readonly usesSpans: boolean;
}

/** The writer of one block. Slices are written in order; parts in between stay unwritten. */
export class BlockWriter {
  readonly page: Document;
  readonly pieces: TextPiece[] = [];
  /** Elements that are coloured as a whole where one chunk has them all. */
  readonly boxes: Box[] = [];
  readonly #input: WriterInput;
  #next = 0;
  /** Stops before this one have their context and enrichment already. */
  #noted = 0;

  constructor(input: WriterInput) {
    this.page = input.page;
    this.#input = input;
  }

  /** Writes a slice of the text, with the marks up to its end. */
  write(parent: Node, start: number, end: number): void {
    let at = start;
    for (let stop = this.#stop(); stop !== undefined && stop.at < end; stop = this.#stop()) {
      this.#piece(parent, at, stop.at);
      at = Math.max(at, stop.at);
      this.#writeStop(parent, stop);
    }
    this.#piece(parent, at, end);
  }

  /** Writes the marks that no slice has reached. */
  finish(parent: Node): void {
    for (let stop = this.#stop(); stop !== undefined; stop = this.#stop()) this.#writeStop(parent, stop);
  }

  /**
   * The contexts and enrichments of the chunks that begin before an offset, for a place of their own. The others
   * stand before the chunk's text.
   */
  takeNotes(before: number): HTMLElement[] {
    const notes: HTMLElement[] = [];
    const { stops } = this.#input;
    this.#noted = Math.max(this.#noted, this.#next);
    for (let stop = stops[this.#noted]; stop !== undefined && stop.at < before; stop = stops[this.#noted]) {
      this.#noted++;
      notes.push(...this.#notesOf(stop));
    }
    return notes;
  }

  element(name: keyof HTMLElementTagNameMap, className = ''): HTMLElement {
    const element = this.page.createElement(name);
    if (className !== '') element.className = className;
    return element;
  }

  #stop(): Stop | undefined {
    return this.#input.stops[this.#next];
  }

  #writeStop(parent: Node, stop: Stop): void {
    if (this.#next++ >= this.#noted) for (const note of this.#notesOf(stop)) parent.appendChild(note);
    if (stop.mark !== undefined) parent.appendChild(this.#markElement(stop.mark));
  }

  #piece(parent: Node, start: number, end: number): void {
    if (start >= end) return;
    const { page, text, repeated, usesSpans } = this.#input;
    const node = page.createTextNode(text.slice(start, end));
    this.pieces.push({ node, start, end });
    if (!usesSpans && !repeated.some((span) => span.start <= start && end <= span.end)) {
      parent.appendChild(node);
      return;
    }
    const span = this.element('span');
    span.append(node);
    parent.appendChild(span);
  }

  #notesOf({ mark }: Stop): HTMLElement[] {
    const { cuts } = this.#input;
    if (mark?.first === undefined || cuts === undefined) return [];
    const index = mark.first - 1;
    const context = cuts.contexts
      .get(index)
      ?.map((part) => part.text)
      .join('\n');
    return [
      ...this.#enrichmentElements(cuts.enrichments?.get(index)),
      ...(context === undefined ? [] : [this.#textElement('context', context)]),
    ];
  }

  /** The title and the summary that a language model has written. */
  #enrichmentElements(enrichment: ChunkEnrichment = {}): HTMLElement[] {
    const { title, summary } = enrichment;
    const texts = [title, summary].filter((text) => typeof text === 'string' && text !== '');
    if (texts.length === 0) return [];
    const element = this.#textElement('enriched', '');
    if (typeof title === 'string') element.append(this.#textElement('enriched-title', title));
    if (typeof summary === 'string') element.append(summary);
    return [element];
  }

  #textElement(className: string, text: string): HTMLElement {
    const element = this.element('span', className);
    element.textContent = text;
    return element;
  }

  /** A line with the numbers in the margins; it is neither announced nor copied. */
  #markElement({ side, first, second }: BoundaryMark): HTMLElement {
    const element = this.element('i', `mark ${side}`);
    element.setAttribute('aria-hidden', 'true');
    if (first !== undefined) {
      element.dataset['first'] = String(first);
      element.classList.add(`hue-${(first - 1) % HUES}`);
    }
    if (second !== undefined) element.dataset['second'] = String(second);
    return element;
  }
}
