// One page near the window: its picture, the outlines of its chunks, and the marks where chunks begin. All colours lie
// over the picture as ink does, so the print stays readable.
import type { CutTable } from '../../document/cut-table.ts';
import { spanOf } from '../../document/cut-table.ts';
import { HUES } from '../colours.ts';
import { type BoundaryMark, marksWithin } from '../marks.ts';
import type { DrawnSheet } from './drawing-queue.ts';
import { type LineBox, pathOf, shapesOf } from './outlines.ts';
import type { PageBox } from './page-layout.ts';
import type { Direction, LineStart, PageIndex, SheetSize } from './page-index.ts';
import { PAGES } from '../../texts.ts';

const SVG = 'http://www.w3.org/2000/svg';

/** Id of the hatching of repeated text, which the view has once. */
export const HATCH = 'repeated-text';

/** Points around the text of an outline. */
const AROUND = 1.5;

/** The chunks over a page. */
export interface SheetInk {
  readonly index: PageIndex;
  readonly first: CutTable | undefined;
  readonly marks: readonly BoundaryMark[];
  readonly current: number | undefined;
  /** The lines that answer a question. */
  readonly answer: { readonly start: number; readonly end: number } | undefined;
}

/** The elements of a page. */
export class PageSheet {
  readonly page: number;
  readonly element: HTMLElement;
  /** Pixels a point of the picture; 0 before it is drawn. */
  scale = 0;
  hasFailed = false;
  readonly #canvas: HTMLCanvasElement;
  readonly #ink: SVGSVGElement;
  readonly #tags: HTMLElement;
  readonly #document: Document;

  constructor(document: Document, page: number, count: number) {
    this.page = page;
    this.#document = document;
    this.element = document.createElement('div');
    this.element.className = 'leaf';
    this.element.setAttribute('role', 'img');
    this.element.setAttribute('aria-label', PAGES.page(page, count));
    this.element.dataset['page'] = String(page);
    this.#canvas = document.createElement('canvas');
    this.#ink = document.createElementNS(SVG, 'svg');
    this.#ink.setAttribute('preserveAspectRatio', 'none');
    this.#ink.classList.add('ink');
    this.#tags = document.createElement('div');
    this.#tags.className = 'tags';
    this.element.append(this.#canvas, this.#ink, this.#tags);
  }

  place({ left, top, width, height }: PageBox): void {
    const { style } = this.element;
    style.transform = `translate(${left}px, ${top}px)`;
    style.width = `${width}px`;
    style.height = `${height}px`;
  }

  /** Shows a picture of the page; the former one stays until then, and is stretched. */
  show({ image, isDark }: DrawnSheet, scale: number): void {
    this.scale = scale;
    this.element.classList.add('drawn');
    this.element.classList.toggle('dark-paper', isDark);
    this.#canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(image);
  }

  fail(): void {
    this.hasFailed = true;
    const note = this.#document.createElement('p');
    note.className = 'not-drawn';
    note.textContent = PAGES.notDrawn;
    this.element.append(note);
  }

  /** Removes the page, and frees its pixels at once. */
  remove(): void {
    this.#canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(null);
    this.element.remove();
  }

  /** Draws the chunks anew. */
  ink({ index, first, marks, current, answer }: SheetInk): void {
    const size = index.sizeOf(this.page);
    this.#ink.replaceChildren();
    this.#tags.replaceChildren();
    if (first === undefined || size === undefined) return;
    this.#ink.setAttribute('viewBox', `0 0 ${size.width} ${size.height}`);
    const boxesOf = (start: number, end: number): LineBox[] => index.boxesOf({ start, end }, this.page);
    for (const chunk of index.chunksOn(this.page, first)) {
      const { start, end, overlap } = spanOf(first, chunk);
      const isCurrent = chunk === current;
      this.#outline(boxesOf(isCurrent ? start : start + overlap, end), chunk, isCurrent ? 'current' : 'own');
      if (overlap > 0) this.#outline(boxesOf(start, start + overlap), chunk, 'repeated');
      if (!isCurrent) continue;
      for (const part of first.contexts.get(chunk) ?? [])
        this.#outline(boxesOf(part.start, part.end), chunk, 'source');
    }
    if (answer !== undefined) this.#outline(boxesOf(answer.start, answer.end), current ?? 0, 'answer');
    const span = index.spanOn(this.page);
    if (span === undefined) return;
    for (const mark of marksWithin(marks, span.start, span.end)) this.#mark(mark, index, size);
  }

  #outline(boxes: readonly LineBox[], chunk: number, kind: string): void {
    if (boxes.length === 0) return;
    const path = this.#document.createElementNS(SVG, 'path');
    path.setAttribute('class', `${kind} hue-${chunk % HUES}`);
    if (kind === 'repeated') path.setAttribute('fill', `url(#${HATCH})`);
    path.setAttribute('d', pathOf(shapesOf(boxes.map(widened))));
    if (kind !== 'source' && kind !== 'answer') path.dataset['chunk'] = String(chunk);
    this.#ink.append(path);
  }

  /** A stroke where a chunk begins, and its number before the line; that of a second tier behind it. */
  #mark({ at, side, first, second }: BoundaryMark, index: PageIndex, size: SheetSize): void {
    const start = index.startAt(at);
    if (start?.line.page !== this.page) return;
    const hue = side === 'second' ? 'second' : `hue-${((first ?? 1) - 1) % HUES}`;
    const stroke = this.#document.createElement('i');
    stroke.className = `begin ${side} ${hue}`;
    placeAt(stroke, edgeOf(start.letter, start.towards), size);
    this.#tags.append(stroke);
    const room = index.roomBefore(start);
    if (first !== undefined) this.#number(first, `before ${hue}`, start, size, room);
    if (second !== undefined) this.#number(second, 'behind second', start, size);
  }

  /** `room` is that between the line and the text beside it, in points. */
  #number(
    value: number,
    classes: string,
    { line, towards }: LineStart,
    size: SheetSize,
    room?: number,
  ): void {
    const number = this.#document.createElement('b');
    const isTight = room !== undefined && (towards === 'right' || towards === 'left');
    number.className = `${towards} ${classes}${isTight ? ' tight' : ''}`;
    number.textContent = String(value);
    placeAt(number, isTight ? gapBefore(widened(line), towards, room - 2 * AROUND) : widened(line), size);
    this.#tags.append(number);
  }
}

/** The gap before a line that begins at the left or at the right. */
function gapBefore({ x0, y0, x1, y1 }: LineBox, towards: 'right' | 'left', room: number): LineBox {
  const width = Math.max(0, room);
  return towards === 'right' ? { x0: x0 - width, y0, x1: x0, y1 } : { x0: x1, y0, x1: x1 + width, y1 };
}

/** The edge of a box at which text begins that runs in some direction, as a box without width. */
function edgeOf(box: LineBox, towards: Direction): LineBox {
  const { x0, y0, x1, y1 } = widened(box);
  return {
    right: { x0, y0, x1: x0, y1 },
    left: { x0: x1, y0, x1, y1 },
    down: { x0, y0, x1, y1: y0 },
    up: { x0, y0: y1, x1, y1 },
  }[towards];
}

function widened({ x0, y0, x1, y1 }: LineBox): LineBox {
  return { x0: x0 - AROUND, y0, x1: x1 + AROUND, y1 };
}

function placeAt({ style }: HTMLElement, { x0, y0, x1, y1 }: LineBox, { width, height }: SheetSize): void {
  style.left = `${(100 * x0) / width}%`;
  style.top = `${(100 * y0) / height}%`;
  style.width = `${(100 * (x1 - x0)) / width}%`;
  style.height = `${(100 * (y1 - y0)) / height}%`;
}
