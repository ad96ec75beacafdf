// All words of the page view.
import { whole } from '../../wording.ts';

/** Names of the buttons, with their keys. */
export const BUTTONS = {
  larger: 'Larger',
  smaller: 'Smaller',
  fit: 'Fit width',
  print: 'Print',
  cancel: 'Cancel',
} as const;

export const TOOLBAR = 'Pages and zoom';
export const PAGES_LABEL =
  'The pages, coloured by chunk. Arrow keys step from chunk to chunk, plus and minus zoom. The view Text has the same as text.';
export const PAGE_FIELD = 'Page';

/** The name of a drawn page. */
export function pageName(page: number, count: number): string {
  return `Page ${whole(page)} of ${whole(count)}`;
}

/** `of 300`, behind the field of the page. */
export function ofPages(count: number): string {
  return `of ${whole(count)}`;
}

/** `108 %` */
export function percent(factor: number): string {
  return `${whole(Math.round(100 * factor))} %`;
}

export const NOT_DRAWN = 'This page cannot be drawn. The view Text has what could be read of it.';

/** The name of the print button. */
export function printName(first: number, last: number, count: number): string {
  return last - first + 1 === count ? 'Print' : `Print pages ${whole(first)} to ${whole(last)}`;
}

/** The progress of printing. */
export function printing(done: number, total: number): string {
  return `Drawing page ${whole(done)} of ${whole(total)} for the printer …`;
}

export const NO_PRINT =
  'The pages could not be drawn for the printer. Print again, or print the file itself.';
