// The places of the pages below each other, in CSS pixels from the upper left corner of all. No elements, so that pages
// far from the window cost two numbers each.

/** How large pages are: as wide as the window allows, or in CSS pixels a point. */
export type Zoom = 'fit' | number;

/** CSS pixels of a point at 100 %. */
export const FULL_SIZE = 96 / 72;
/** The steps of the zoom, in parts of {@link FULL_SIZE}. */
const STEPS = [0.25, 0.33, 0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4];
/** The widest a page becomes by itself, in CSS pixels a point: a line of text is easier to follow. */
const WIDEST_FIT = 1.5 * FULL_SIZE;
/** Height of all pages that every browser can scroll (Firefox ends at 17.8 million pixels). */
const MAX_HEIGHT = 15_000_000;

/** Pixels between two pages, around all of them, and below the last one. */
export interface Margins {
  readonly between: number;
  readonly around: number;
  readonly below: number;
}

/** The place of one page. */
export interface PageBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** All places. */
export interface PagesLayout {
  readonly width: number;
  readonly height: number;
  /** CSS pixels a point of most pages. */
  readonly scale: number;
  readonly count: number;
  /** The place of a page, from 1. */
  readonly boxOf: (page: number) => PageBox;
}

/**
 * Lays out pages of some sizes (width and height of each, in points) for a window of some width. At `fit` a page that
 * is wider than most is smaller, so that nothing has to be moved sideways.
 */
export function layOutPages(sizes: Float32Array, zoom: Zoom, window: number, margins: Margins): PagesLayout {
  const { between, around, below } = margins;
  const count = sizes.length / 2;
  const room = Math.max(1, window - 2 * around);
  const widths = sizes.filter((_, at) => at % 2 === 0).sort();
  const wanted = zoom === 'fit' ? Math.min(WIDEST_FIT, room / (widths[count >> 1] ?? room)) : zoom;
  const points = sizes.reduce((sum, size, at) => (at % 2 === 1 ? sum + size : sum), 0);
  const scale = Math.min(wanted, MAX_HEIGHT / points);
  const scaleOf = (page: number): number =>
    zoom === 'fit' ? Math.min(scale, room / (sizes[2 * page - 2] ?? 1)) : scale;
  const tops = new Float64Array(count + 1);
  let widest = 0;
  tops[0] = around;
  for (let page = 1; page <= count; page++) {
    widest = Math.max(widest, (sizes[2 * page - 2] ?? 0) * scaleOf(page));
    tops[page] = (tops[page - 1] ?? 0) + (sizes[2 * page - 1] ?? 0) * scaleOf(page) + between;
  }
  const width = Math.max(window, widest + 2 * around);
  return {
    width,
    height: (tops[count] ?? 0) - between + below,
    scale,
    count,
    boxOf(page) {
      const own = (sizes[2 * page - 2] ?? 0) * scaleOf(page);
      const top = tops[page - 1] ?? 0;
      return { left: (width - own) / 2, top, width: own, height: (tops[page] ?? 0) - between - top };
    },
  };
}

/** The page, from 1, at a height; the one before when the height is between two pages. */
export function pageAtHeight({ count, boxOf }: PagesLayout, y: number): number {
  let low = 1;
  let high = count;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (boxOf(middle).top <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The next larger or smaller step of the zoom, in CSS pixels a point. */
export function zoomStep(scale: number, by: 1 | -1): number {
  const now = scale / FULL_SIZE;
  // A step from 99.7 % to 100 % would not be seen.
  const next = by > 0 ? STEPS.find((step) => step > now * 1.02) : STEPS.findLast((step) => step < now * 0.98);
  return FULL_SIZE * (next ?? now);
}

/** A scale within the steps of the zoom. */
export function boundedZoom(scale: number): number {
  return Math.min(FULL_SIZE * (STEPS.at(-1) ?? 1), Math.max(FULL_SIZE * (STEPS[0] ?? 1), scale));
}
