// The author's table of contents, as the file keeps it apart from its pages.
import { withBuffer, type Pdfium } from './engine.ts';
import { readUtf16 } from './strings.ts';

/** An entry of the file's outline. */
export interface Bookmark {
  readonly title: string;
  /** From 1. */
  readonly depth: number;
  /** Index of the page it points to; -1 when it points nowhere. */
  readonly page: number;
  /** The height on the page that it points to, in points from below, if it says one. */
  readonly top?: number;
}

/** Entries of an outline that are read; books have some hundred, and a hostile one runs in circles. */
const MAX_OUTLINE = 5000;
/** Deeper entries name no headings. */
const MAX_OUTLINE_DEPTH = 6;

/** Walks the outline in its order, without recursion. */
export function readBookmarks(pdfium: Pdfium, document: number): Bookmark[] {
  const { call } = pdfium;
  const entries: Bookmark[] = [];
  const waiting = [{ bookmark: call.FPDFBookmark_GetFirstChild(document, 0), depth: 1 }];
  for (let next = waiting.pop(); next !== undefined && entries.length < MAX_OUTLINE; next = waiting.pop()) {
    const { bookmark, depth } = next;
    if (bookmark === 0) continue;
    const title = readUtf16(pdfium, (buffer, size) => call.FPDFBookmark_GetTitle(bookmark, buffer, size));
    const destination = call.FPDFBookmark_GetDest(document, bookmark);
    const page = destination === 0 ? -1 : call.FPDFDest_GetDestPageIndex(document, destination);
    const top = page < 0 ? undefined : topOf(pdfium, destination);
    entries.push({ title, depth, page, ...(top !== undefined && { top }) });
    waiting.push({ bookmark: call.FPDFBookmark_GetNextSibling(document, bookmark), depth });
    if (depth < MAX_OUTLINE_DEPTH)
      waiting.push({ bookmark: call.FPDFBookmark_GetFirstChild(document, bookmark), depth: depth + 1 });
  }
  return entries;
}

/** The number among the parameters of a view that is its upper edge (ISO 32000-1, 12.3.2.2), by PDFium's types. */
const TOP: Readonly<Record<number, number>> = { 1: 1, 3: 0, 5: 3, 7: 0 };
/** PDFium writes the number of parameters, and four of them at most. */
const VIEW_BYTES = 5 * 4;

/** The upper edge of the view of a destination, which is 0 where it says none. */
function topOf(pdfium: Pdfium, destination: number): number | undefined {
  return withBuffer(pdfium, VIEW_BYTES, (at) => {
    const parameter = TOP[pdfium.call.FPDFDest_GetView(destination, at, at + 4)];
    if (parameter === undefined) return undefined;
    const { buffer, byteOffset } = pdfium.view(at, VIEW_BYTES);
    return new DataView(buffer, byteOffset).getFloat32(4 * (1 + parameter), true);
  });
}
