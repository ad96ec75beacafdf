// The order in which pages are drawn: one at a time, always the nearest to the window next. Pages that have left the
// window meanwhile are left out, so fast scrolling draws the pages that it ends at.

/** A page as it is drawn. */
export interface DrawnSheet {
  readonly image: ImageBitmap;
  /** True for light print on dark paper, which takes other colours. */
  readonly isDark: boolean;
}

/** Draws a page, from 1, with so many pixels a point. */
export type DrawPage = (page: number, scale: number) => Promise<DrawnSheet>;

/** A page that shall have a picture. */
export interface WantedPage {
  readonly page: number;
  /** Pixels a point. */
  readonly scale: number;
  readonly show: (picture: DrawnSheet, scale: number) => void;
  readonly fail: (error: unknown) => void;
}

/** Pulls pages from `next` until there are none; call `wake` when there may be some. */
export class DrawingQueue {
  readonly #draw: DrawPage;
  readonly #next: () => WantedPage | undefined;
  #isBusy = false;
  #isClosed = false;

  /** @param next The page to draw now; undefined when all pages that are needed have their pictures. */
  constructor(draw: DrawPage, next: () => WantedPage | undefined) {
    this.#draw = draw;
    this.#next = next;
  }

  wake(): void {
    if (!this.#isBusy) void this.#run();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    const isClosed = (): boolean => this.#isClosed;
    for (let wanted = this.#next(); wanted !== undefined && !isClosed(); wanted = this.#next()) {
      const { page, scale, show, fail } = wanted;
      try {
        const picture = await this.#draw(page, scale);
        if (isClosed()) picture.image.close();
        else show(picture, scale);
      } catch (error) {
        if (!isClosed()) fail(error);
      }
    }
    this.#isBusy = false;
  }
}
