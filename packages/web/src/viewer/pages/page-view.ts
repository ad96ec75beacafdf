// The pages of a file below each other, with their chunks. Elements and pictures exist only for the pages near the
// window, so a file of a thousand pages takes the memory of five.
import { countOf, type CutTable, spanOf } from '../../document/cut-table.ts';
import type { FollowedView, ReadingPlace } from '../following.ts';
import { type BoundaryMark, marksOf } from '../marks.ts';
import type { Pointing } from '../text-view.ts';
import { type DrawPage, DrawingQueue, type WantedPage } from './drawing-queue.ts';
import {
  boundedZoom,
  layOutPages,
  type Margins,
  pageAtHeight,
  type PagesLayout,
  type Zoom,
} from './page-layout.ts';
import { PageIndex, type SheetText } from './page-index.ts';
import { PageSheet } from './sheet.ts';

/** The file of a view. */
export interface ViewedFile extends SheetText {
  /** Width and height of each page, in points. */
  readonly sizes: Float32Array;
}

/** The page at the upper edge, and the zoom, for the toolbar. */
export interface PagesState {
  readonly page: number;
  /** CSS pixels a point. */
  readonly scale: number;
  readonly isFit: boolean;
}

/** Ports and listeners of a view. */
export interface PageViewDeps extends Pointing {
  readonly draw: DrawPage;
  readonly onState: (state: PagesState) => void;
}

/** The most pixels of a page's picture: 32 MB. Above some 300 % on a dense screen, pictures are stretched. */
const MAX_PIXELS = 8_000_000;
/** The most pages with elements; at the smallest zoom a large screen shows more. */
const MAX_SHEETS = 24;
/** Pictures within this share of the wanted scale are sharp enough. */
const SHARP = 0.02;
/** Height of the toolbar, which lies over the end of the window. */
const TOOLS = 64;
/** A narrow window leaves its width to the page. */
const NARROW = 640;

/** Shows pages inside `host`, which scrolls. */
export class PagesView implements FollowedView {
  readonly #host: HTMLElement;
  readonly #stack: HTMLElement;
  readonly #deps: PageViewDeps;
  readonly #queue: DrawingQueue;
  readonly #resizing: ResizeObserver;
  readonly #sheets = new Map<number, PageSheet>();
  #file: ViewedFile;
  #index: PageIndex;
  #layout: PagesLayout;
  #zoom: Zoom = 'fit';
  #first: CutTable | undefined;
  #marks: readonly BoundaryMark[] = [];
  #current: number | undefined;
  #answer: { readonly start: number; readonly end: number } | undefined;
  #frame = 0;
  #pointFrame = 0;
  #width = 0;

  constructor(host: HTMLElement, file: ViewedFile, deps: PageViewDeps) {
    this.#host = host;
    this.#file = file;
    this.#deps = deps;
    this.#stack = host.ownerDocument.createElement('div');
    this.#stack.className = 'stack';
    host.replaceChildren(this.#stack);
    this.#index = new PageIndex(file, file.sizes.length / 2);
    this.#layout = layOutPages(file.sizes, 'fit', 1, marginsOf(1));
    this.#queue = new DrawingQueue(deps.draw, () => this.#wanted());
    this.#resizing = new ResizeObserver(() => this.#resize());
    this.#resizing.observe(host);
    host.addEventListener('scroll', this.#scroll, { passive: true });
    host.addEventListener('pointermove', this.#point);
    host.addEventListener('click', this.#pick);
    host.addEventListener('wheel', this.#wheel, { passive: false });
    this.#resize();
  }

  /** Shows other chunks. */
  show(first: CutTable | undefined, second: CutTable | undefined): void {
    this.#first = first;
    this.#current = undefined;
    this.#marks = first === undefined ? [] : marksOf(this.#file.text, first, second);
    this.#ink();
  }

  /** Marks a chunk as the current one; `reveal` scrolls to it. */
  select(
    chunk: number | undefined,
    reveal: boolean,
    answer?: { readonly start: number; readonly end: number },
  ): void {
    this.#current = chunk;
    this.#answer = answer;
    if (reveal && this.#first !== undefined && chunk !== undefined && chunk < countOf(this.#first))
      this.#reveal(answer?.start ?? spanOf(this.#first, chunk).start + spanOf(this.#first, chunk).overlap);
    this.#ink();
  }

  /** Sets the zoom; the middle of the window, or a given height of it, stays in its place. */
  zoom(zoom: Zoom, at = this.#host.clientHeight / 2): void {
    this.#zoom = zoom === 'fit' ? zoom : boundedZoom(zoom);
    this.#relayOut(at);
  }

  /** Scrolls to the top of a page. */
  showPage(page: number): void {
    this.#scrollTo(
      { page: Math.min(this.#layout.count, Math.max(1, page)), y: 0 },
      marginsOf(this.#width).around,
    );
  }

  /** A page with its chunks, for print; its picture is added there. */
  sheetForPrint(page: number): HTMLElement {
    const sheet = new PageSheet(this.#host.ownerDocument, page, this.#layout.count);
    const [width = 1, height = 1] = this.#file.sizes.subarray(2 * page - 2, 2 * page);
    sheet.element.style.setProperty('--ratio', String(width / height));
    this.#inkSheet(sheet);
    return sheet.element;
  }

  offsetAt(share: number): number | undefined {
    const { scrollTop, clientHeight } = this.#host;
    return this.#index.offsetAt(this.#placeAt(scrollTop + share * clientHeight));
  }

  showPlace({ offset, share }: ReadingPlace): void {
    if (share > 0 && share < 1) {
      this.#scrollTo(this.#index.placeOf(offset), share * this.#host.clientHeight);
      return;
    }
    this.#host.scrollTop = share * this.#layout.height;
    this.#update();
  }

  close(): void {
    this.#queue.close();
    this.#resizing.disconnect();
    cancelAnimationFrame(this.#frame);
    cancelAnimationFrame(this.#pointFrame);
    this.#host.removeEventListener('scroll', this.#scroll);
    this.#host.removeEventListener('pointermove', this.#point);
    this.#host.removeEventListener('click', this.#pick);
    this.#host.removeEventListener('wheel', this.#wheel);
    for (const sheet of this.#sheets.values()) sheet.remove();
    this.#sheets.clear();
  }

  /** A hidden view has no width, and keeps its layout. */
  #resize(): void {
    if (this.#host.clientWidth === 0) return;
    if (this.#host.clientWidth === this.#width) this.#update();
    else this.#relayOut(0);
  }

  /** Lays out anew; what is at a height of the window stays there. */
  #relayOut(at: number): void {
    const before = this.#layout;
    const { scrollLeft, scrollTop, clientWidth } = this.#host;
    const place = this.#placeAt(scrollTop + at);
    const middle = (scrollLeft + clientWidth / 2) / before.width;
    const isFirst = this.#width === 0;
    this.#width = clientWidth;
    this.#layout = layOutPages(this.#file.sizes, this.#zoom, clientWidth, marginsOf(clientWidth));
    this.#stack.style.width = `${this.#layout.width}px`;
    this.#stack.style.height = `${this.#layout.height}px`;
    for (const sheet of this.#sheets.values()) sheet.place(this.#layout.boxOf(sheet.page));
    if (!isFirst) {
      this.#scrollTo(place, at);
      this.#host.scrollLeft = middle * this.#layout.width - clientWidth / 2;
    }
    this.#update();
  }

  /** The place at a height of the stack; before the first page, its top. */
  #placeAt(height: number): { readonly page: number; readonly y: number } {
    const page = pageAtHeight(this.#layout, height);
    const box = this.#layout.boxOf(page);
    return { page, y: (height - box.top) / Math.max(1, box.height) };
  }

  #scrollTo({ page, y }: { readonly page: number; readonly y: number }, below: number): void {
    const { top, height } = this.#layout.boxOf(page);
    this.#host.scrollTop = top + y * height - below;
    this.#update();
  }

  /** Scrolls to the upper fifth, unless the line is in sight already. */
  #reveal(offset: number): void {
    const { page, y } = this.#index.placeOf(offset);
    const { top, height } = this.#layout.boxOf(page);
    const line = top + y * height;
    const { scrollTop, clientHeight } = this.#host;
    const margin = clientHeight / 5;
    const covered = Number.parseFloat(getComputedStyle(this.#host).scrollPaddingBottom) || 0;
    const isInSight =
      line >= scrollTop + margin / 2 && line <= scrollTop + clientHeight - Math.max(margin, covered);
    if (!isInSight) this.#host.scrollTop = line - margin;
    this.#revealSideways(offset);
    this.#update();
  }

  /** Enlarged pages are wider than the window. */
  #revealSideways(offset: number): void {
    const line = this.#index.startAt(offset)?.line;
    const size = line === undefined ? undefined : this.#index.sizeOf(line.page);
    if (line === undefined || size === undefined) return;
    const { left, width } = this.#layout.boxOf(line.page);
    const x = left + (line.x0 / size.width) * width;
    const { scrollLeft, clientWidth } = this.#host;
    if (x < scrollLeft || x > scrollLeft + 0.8 * clientWidth) this.#host.scrollLeft = x - clientWidth / 10;
  }

  /** Adds the pages near the window, and removes the others. */
  #update(): void {
    const { scrollTop, clientHeight } = this.#host;
    if (this.#width === 0 || clientHeight === 0) return;
    const [from, to] = [
      pageAtHeight(this.#layout, scrollTop - clientHeight / 2),
      pageAtHeight(this.#layout, scrollTop + 1.5 * clientHeight),
    ];
    const last = Math.min(to, from + MAX_SHEETS - 1);
    for (const [page, sheet] of this.#sheets)
      if (page < from || page > last) {
        sheet.remove();
        this.#sheets.delete(page);
      }
    for (let page = from; page <= last; page++) if (!this.#sheets.has(page)) this.#add(page);
    const { page } = this.#placeAt(scrollTop + clientHeight / 3);
    this.#deps.onState({ page, scale: this.#layout.scale, isFit: this.#zoom === 'fit' });
    this.#queue.wake();
  }

  #add(page: number): void {
    const sheet = new PageSheet(this.#host.ownerDocument, page, this.#layout.count);
    sheet.place(this.#layout.boxOf(page));
    this.#inkSheet(sheet);
    this.#sheets.set(page, sheet);
    // In the order of the pages, for screen readers.
    const next = [...this.#sheets.values()].find((other) => other.page > page);
    this.#stack.insertBefore(sheet.element, next?.element ?? null);
  }

  #ink(): void {
    for (const sheet of this.#sheets.values()) this.#inkSheet(sheet);
  }

  #inkSheet(sheet: PageSheet): void {
    sheet.ink({
      index: this.#index,
      first: this.#first,
      marks: this.#marks,
      current: this.#current,
      answer: this.#answer,
    });
  }

  /** The page without a sharp picture that is nearest to the middle of the window. */
  #wanted(): WantedPage | undefined {
    const { scrollTop, clientHeight } = this.#host;
    if (clientHeight === 0) return undefined;
    const middle = scrollTop + clientHeight / 2;
    let nearest: { readonly sheet: PageSheet; readonly scale: number; readonly distance: number } | undefined;
    for (const sheet of this.#sheets.values()) {
      const { top, height } = this.#layout.boxOf(sheet.page);
      const scale = this.#scaleOf(sheet.page);
      if (sheet.hasFailed || Math.abs(sheet.scale / scale - 1) <= SHARP) continue;
      const distance = Math.max(0, top - middle, middle - top - height);
      if (nearest === undefined || distance < nearest.distance) nearest = { sheet, scale, distance };
    }
    if (nearest === undefined) return undefined;
    const { sheet, scale } = nearest;
    return {
      page: sheet.page,
      scale,
      show: (picture) => {
        if (this.#sheets.get(sheet.page) === sheet) sheet.show(picture, scale);
        else picture.image.close();
      },
      fail: () => sheet.fail(),
    };
  }

  /** Device pixels a point of a page, within the bound. */
  #scaleOf(page: number): number {
    const width = this.#file.sizes[2 * page - 2] ?? 1;
    const points = width * (this.#file.sizes[2 * page - 1] ?? 1);
    const sharp = (this.#layout.boxOf(page).width / width) * devicePixelRatio;
    return Math.min(sharp, Math.sqrt(MAX_PIXELS / points));
  }

  readonly #scroll = (): void => {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#update());
  };

  readonly #point = ({ target, pointerType }: PointerEvent): void => {
    if (pointerType === 'touch') return;
    const chunk = chunkOf(target);
    cancelAnimationFrame(this.#pointFrame);
    if (chunk !== undefined) this.#pointFrame = requestAnimationFrame(() => this.#deps.onPoint(chunk));
  };

  readonly #pick = ({ target }: MouseEvent): void => {
    cancelAnimationFrame(this.#pointFrame);
    const chunk = chunkOf(target);
    if (chunk !== undefined) this.#deps.onPick(chunk);
  };

  /** Wheel and touchpad with Ctrl, which is also the pinch of a touchpad. */
  readonly #wheel = (event: WheelEvent): void => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const at = event.clientY - this.#host.getBoundingClientRect().top;
    const by = Math.exp(-Math.max(-50, Math.min(50, event.deltaY)) / 200);
    this.zoom(this.#layout.scale * by, at);
  };
}

function marginsOf(width: number): Margins {
  return width < NARROW
    ? { between: 10, around: 8, below: TOOLS }
    : { between: 18, around: 20, below: TOOLS };
}

function chunkOf(target: EventTarget | null): number | undefined {
  const chunk = target instanceof SVGElement ? target.dataset['chunk'] : undefined;
  return chunk === undefined ? undefined : Number(chunk);
}
