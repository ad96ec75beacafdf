// A PDF → pictures of its pages, for the layout that shows chunks on them.
import { type Document, pageSizeOf, type Warning } from '@grainline/core';
import { openPages } from '@grainline/extract/pages';
import type { DrawnPage, DrawnPages } from '../output/layout.ts';
import { pngOf } from '../output/png.ts';

/** Pixels a point: text of 6 points stays legible, and a page of text takes some 100 kB. */
const SCALE = 1.75;
/** Most bytes of all pictures of a file, in base64. Browsers open a file of this size; mail takes less. */
const MAX_PICTURES = 48 * 1024 * 1024;

/** How a PDF is drawn. */
export interface PictureOptions {
  readonly password: string | undefined;
  readonly signal: AbortSignal;
  readonly onPage: (progress: { readonly done: number; readonly total: number }) => void;
  /** Most bytes of all pictures, in base64. */
  readonly maxBytes?: number;
}

/**
 * Draws the pages of a PDF that were read with `regions`; undefined for a document without such pages. A page that
 * cannot be drawn, and pages above the limit, are blank and have a warning.
 */
export async function drawPages(
  bytes: Uint8Array,
  document: Pick<Document, 'regions'>,
  { password, signal, onPage, maxBytes = MAX_PICTURES }: PictureOptions,
): Promise<DrawnPages | undefined> {
  const count = (document.regions?.pageSizes.length ?? 0) / 2;
  const numbers = Array.from({ length: count }, (_, index) => index + 1).filter(
    (number) => pageSizeOf(document, number) !== undefined,
  );
  if (numbers.length === 0) return undefined;
  const file = await openPages(bytes, { password });
  try {
    const pages: DrawnPage[] = [];
    const broken: number[] = [];
    let length = 0;
    let isFull = false;
    for (const [index, number] of numbers.entries()) {
      const { width, height } = pageSizeOf(document, number) ?? { width: 0, height: 0 };
      let picture: string | undefined;
      if (!isFull) {
        try {
          picture = pngOf(await file.drawPage(number, SCALE, { signal })).toString('base64');
        } catch {
          signal.throwIfAborted();
          broken.push(number);
        }
      }
      isFull ||= length + (picture?.length ?? 0) > maxBytes;
      if (isFull) picture = undefined;
      length += picture?.length ?? 0;
      pages.push({ number, width, height, ...(picture !== undefined && { picture }) });
      onPage({ done: index + 1, total: numbers.length });
    }
    return { pages, warnings: warningsOf(pages, broken, maxBytes) };
  } finally {
    await file.close();
  }
}

function warningsOf(pages: readonly DrawnPage[], broken: readonly number[], maxBytes: number): Warning[] {
  const full = pages.find(({ number, picture }) => picture === undefined && !broken.includes(number));
  const warnings: Warning[] = [];
  if (full !== undefined)
    warnings.push({
      code: 'pages_not_drawn',
      message: `From page ${full.number} on, pages are blank: pictures have at most ${Math.round(maxBytes / 2 ** 20)} MB together. Choose pages with --pages.`,
    });
  if (broken.length > 0)
    warnings.push({
      code: 'pages_not_drawn',
      message: `Pages that cannot be drawn are blank: ${broken.join(', ')}.`,
    });
  return warnings;
}
