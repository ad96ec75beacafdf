// The author's table of contents, as the file keeps it apart from its pages.
import type { Pdfium } from './engine.ts';
import { readUtf16 } from './strings.ts';

/** An entry of the file's outline. */
export interface Bookmark {
  readonly title: string;
  /** From 1. */
  readonly depth: number;
  /** Index of the page it points to; -1 when it points nowhere. */
  readonly page: number;
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
    entries.push({ title, depth, page });
    waiting.push({ bookmark: call.FPDFBookmark_GetNextSibling(document, bookmark), depth });
    if (depth < MAX_OUTLINE_DEPTH)
      waiting.push({ bookmark: call.FPDFBookmark_GetFirstChild(document, bookmark), depth: depth + 1 });
  }
  return entries;
}
