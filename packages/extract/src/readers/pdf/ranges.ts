// A PDF in ranges of pages, which are read apart, on several machines if need be, and laid out together. The entry
// `@grainline/extract/ranges`. The document is that of reading the file at once: everything that compares pages with
// each other (styles, headings, margins, furniture, joins, sizes of OCR) runs over the pages of all ranges.
import type { Document } from '@grainline/core';
import { ExtractError } from '../../errors.ts';
import { finishDocument } from '../../finish.ts';
import type { PageRange } from '../../pages.ts';
import type { Source } from '../../reader.ts';
import {
  layOutFile,
  type LayoutSource,
  readByOcr,
  readPages as readPagesOf,
  type ReadFile,
  VERSION,
} from './document.ts';
import type { ReadPage } from './ocr/lines.ts';
import { MAX_MISSING_IN_ROW, openDocument } from './pdfium/document.ts';
import { closingLater, withPdfium } from './pdfium/engine.ts';
import { checkSize, type PdfFile, type PdfPage } from './pdfium/file.ts';
import { MAX_FIELDS } from './pdfium/form.ts';
import { isCutShort } from './pdfium/rebuild.ts';
import { MAX_WORK, tagReading } from './pdfium/tags.ts';

/** Options of reading that concern the pages one by one, as `extract` has them. */
export type RangeReading = Pick<
  Source,
  'password' | 'regions' | 'pdfium' | 'ocr' | 'ocrPages' | 'ocrLanguage' | 'signal'
>;

/** Options of reading that concern all pages together, as `extract` has them. */
export type RangeLayout = LayoutSource;

/**
 * The pages of a range, as data that passes between processes: `structuredClone` copies it. Only the version of the
 * package that has read it can lay it out.
 */
export interface PdfRange extends PageRange, Pick<ReadFile, 'cutShort'> {
  /** Those of {@link PageRange}; `undefined` stands for a page that does not load. */
  readonly pages: readonly (PdfPage | undefined)[];
  /** Number of pages of the file, by its own count. */
  readonly count: number;
  /** Facts about the whole file, in the range with its first page. */
  readonly facts?: Pick<PdfFile, 'title' | 'bookmarks' | 'attachments'> | undefined;
  /** Form fields met, and work done on structure trees; both have a bound for the whole file. */
  readonly fieldsMet: number;
  readonly treeWork: number;
  /** Pages that OCR has read, and its confidence in pages, by their numbers. */
  readonly ocr: {
    readonly found: readonly (readonly [number, ReadPage])[];
    readonly read: readonly (readonly [number, number])[];
    readonly unreadable: readonly (readonly [number, number])[];
  };
}

/**
 * The number of pages of a PDF that can be read in ranges; `undefined` for a damaged file, which `extract` reads at
 * once.
 * Opens the file and reads none of its pages. Rejects with `encrypted`, `wrong_password`, `too_large`, or the signal's
 * reason.
 */
export async function countPages(
  bytes: Uint8Array,
  { password, pdfium: binary, signal }: Pick<RangeReading, 'password' | 'pdfium' | 'signal'> = {},
): Promise<number | undefined> {
  const count = withPdfium(
    (pdfium) => {
      const { document, close } = openDocument(pdfium, bytes, password);
      return closingLater(close, () => {
        const page = pdfium.call.FPDF_LoadPage(document, 0);
        if (page !== 0) pdfium.call.FPDF_ClosePage(page);
        // A file whose first page does not load may have lost its page tree, which is found only with all of it.
        return Promise.resolve(page === 0 ? undefined : pdfium.call.FPDF_GetPageCount(document));
      });
    },
    signal,
    binary,
  );
  return count.catch((error: unknown) => {
    if (error instanceof ExtractError && error.code === 'corrupted') return undefined;
    throw error;
  });
}

/**
 * Reads the pages of a range; one that ends behind the last page ends with it. Rejects as `extract` does, with
 * `no_such_pages` for a range that begins there, and not for pages without text.
 *
 * @example
 * const ranges = await Promise.all([1, 51].map((first) => readPages(bytes, { first, last: first + 49 })));
 * const document = await layOutRanges(ranges, { filename: 'report.pdf' });
 */
export async function readPages(
  bytes: Uint8Array,
  { first, last: wanted }: PageRange,
  reading: RangeReading = {},
): Promise<PdfRange> {
  const tags = tagReading();
  const source: Source = { ...reading, bytes, pages: `${first}-${wanted}` };
  const hasFacts = first === 1;
  const file = await readPagesOf({ ...source, facts: hasFacts }, tags);
  const { found, read, unreadable } = await readByOcr(file.pages, source);
  const { title, bookmarks, attachments, fieldsMet, claimed } = file;
  const last = Math.min(wanted, claimed);
  return {
    first,
    last,
    pages: Array.from({ length: last - first + 1 }, (_, at) => file.pages[first - 1 + at]),
    cutShort: isCutShort(bytes),
    count: claimed,
    facts: hasFacts ? { title, bookmarks, attachments } : undefined,
    fieldsMet,
    // A file that is read without trees spends none of the work.
    treeWork: tags.work === -Infinity ? 0 : MAX_WORK - tags.work,
    ocr: { found: [...found], read: [...read], unreadable: [...unreadable] },
  };
}

/**
 * Makes the document of a file that was read in ranges: equal to that of `extract` with the same options, whatever the
 * ranges are. Resolves with `undefined` for a file that reaches a bound on the whole file (5,000 form fields, a very
 * large structure tree, a tree that ends PDFium), which only `extract` applies as it should. Rejects as `extract` does.
 *
 * @param ranges all pages of the file, each in one range, in any order
 * @throws RangeError when the ranges do not follow each other from the first page to the last
 */
export async function layOutRanges(
  ranges: readonly PdfRange[],
  options: RangeLayout = {},
): Promise<Document | undefined> {
  const sorted = ranges.toSorted((one, other) => one.first - other.first);
  const [begin] = sorted;
  assertAdjacent(sorted);
  if (sum(sorted, ({ fieldsMet }) => fieldsMet) > MAX_FIELDS) return undefined;
  if (sum(sorted, ({ treeWork }) => treeWork) >= MAX_WORK) return undefined;
  const file = joinRanges(sorted);
  if (file.pages.length === 0) return undefined;
  const ocr = {
    found: new Map(sorted.flatMap((range) => range.ocr.found)),
    read: new Map(sorted.flatMap((range) => range.ocr.read)),
    unreadable: new Map(sorted.flatMap((range) => range.ocr.unreadable)),
  };
  const document = await layOutFile({ file, ocr, cutShort: begin?.cutShort === true }, options);
  options.signal?.throwIfAborted();
  return finishDocument(document, { kind: 'pdf', version: VERSION });
}

function assertAdjacent(ranges: readonly PdfRange[]): void {
  let next = 1;
  for (const { first, last } of ranges) {
    if (first !== next) throw new RangeError(`The ranges have no page ${next}, or have it twice.`);
    next = last + 1;
  }
  const [begin] = ranges;
  if (begin === undefined) throw new RangeError('There are no ranges.');
  if (next <= begin.count) throw new RangeError(`The ranges have no page ${next}.`);
}

function sum(ranges: readonly PdfRange[], countOf: (range: PdfRange) => number): number {
  return ranges.reduce((total, range) => total + countOf(range), 0);
}

/** The file, by the rules of reading it at once: it ends behind its last page, or before many that do not load. */
function joinRanges(ranges: readonly PdfRange[]): PdfFile {
  const all = ranges.flatMap((range) => range.pages);
  let [characters, read, missing] = [0, 0, 0];
  for (const [index, page] of all.entries()) {
    if (missing >= MAX_MISSING_IN_ROW) break;
    missing = page === undefined ? missing + 1 : 0;
    if (page !== undefined) read = index + 1;
    characters += page?.characters.length ?? 0;
    checkSize(read, characters);
  }
  const pages = all.slice(0, read);
  const { title = '', bookmarks = [], attachments = [] } = ranges[0]?.facts ?? {};
  return {
    pages,
    lost: pages.flatMap((page, index) => (page === undefined ? [index + 1] : [])),
    pagesRead: undefined,
    claimed: all.length,
    claimedAfter: all.length - read,
    title,
    bookmarks,
    attachments,
    fieldsMet: sum(ranges, ({ fieldsMet }) => fieldsMet),
  };
}
