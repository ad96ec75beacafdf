// The pages of a PDF → its document: OCR where text is missing, the layout of all pages together, and a judgement of
// the result.
import type { Document, Warning } from '@grainline/core';
import { ExtractError } from '../../errors.ts';
import { countOcrPages } from '../../ocr.ts';
import type { Source } from '../../reader.ts';
import { nextTurn } from '../../turn.ts';
import { withPdfium } from './pdfium/engine.ts';
import { FEW_WORDS, hasWords, readPdf, type PdfFile, type PdfPage, type PdfReading } from './pdfium/file.ts';
import { MAX_FIELDS } from './pdfium/form.ts';
import { cleanName } from './pdfium/strings.ts';
import type { OcrPages } from './ocr/pages.ts';
import { uncertainPages, unreadablePages, unreadableScan, type Confidences } from './ocr/warnings.ts';
import { outlineOfBookmarks } from './structure/outline.ts';
import { Placement } from '../../tree/placement.ts';
import { withCompounds } from './lines/compounds.ts';
import { lettersOf } from './lines/text.ts';
import { layOut, orderPage, streamOf, styleOf, type LaidOut } from './layout.ts';
import type { TagReading } from './pdfium/tags.ts';

/** Version of the reader, which rises with each change that alters texts. */
export const VERSION = 13;

/** The contents of a file before its pages are compared with each other. */
export interface ReadFile {
  readonly file: PdfFile;
  /** The pages that OCR has read, which are not among those of the file yet. */
  readonly ocr: OcrPages;
  /** True if the file ends early. */
  readonly cutShort: boolean;
}

/** Options of reading that concern all pages together. */
export type LayoutSource = Pick<
  Source,
  'filename' | 'furniture' | 'lines' | 'links' | 'url' | 'regions' | 'signal'
>;

/** Makes a document of the pages of a file, by facts from all of them. */
export async function layOutFile(
  { file: drawn, ocr, cutShort }: ReadFile,
  source: LayoutSource,
): Promise<Document> {
  const file = { ...drawn, pages: await pagesWithOcr(drawn.pages, ocr), ocr };
  const streams = await inTurns(withCompounds(file.pages), streamOf, source.signal);
  const style = styleOf(streams, source);
  const parts = await inTurns(streams, (stream) => orderPage(stream, style), source.signal);
  const placement = source.regions === true ? new Placement(lettersOf, unitsOf(file.pages)) : undefined;
  const hasLinks = file.pages.some((page) => (page?.glyphs?.links ?? []).length > 0);
  const laidOut = layOut(parts, style, file.bookmarks, { ...source, placement, hasLinks });
  const { text, blocks, pages, furniture, links } = laidOut;
  if (text === '') throw noTextError(file, cutShort);
  rejectScan(file);
  const title = cleanName(file.title);
  return {
    text,
    blocks,
    pages,
    mediaType: 'application/pdf',
    ...(source.filename === undefined ? undefined : { filename: source.filename }),
    ...(title === '' ? undefined : { title }),
    ...(file.pagesRead !== undefined && { pagesRead: file.pagesRead }),
    ...(file.bookmarks.length > 0 && { outline: outlineOfBookmarks(file.bookmarks, laidOut) }),
    ...(furniture.length > 0 && { furniture }),
    ...(links.length > 0 && { links }),
    ...(placement && { regions: placement.finish(file.pages.flatMap((page) => page?.size ?? [0, 0])) }),
    warnings: [
      ...warningsOf(file, laidOut, cutShort),
      ...uncertainPages(file.ocr.read),
      ...unreadablePages(file.ocr.unreadable),
    ],
  };
}

/** The length of the text of some pages, about. */
function unitsOf(pages: PdfFile['pages']): number {
  return pages.reduce((sum, page) => sum + (page?.characters.length ?? 0), 0);
}

/** A file with the pages that OCR has read in it, and what it has made of them. */
interface OcredFile extends PdfFile {
  readonly ocr: Pick<OcrPages, 'read' | 'unreadable'>;
}

/** Reads the pages by OCR whose text is missing, or all. */
export async function readByOcr(
  pages: PdfFile['pages'],
  { ocr, ocrPages: which, ...source }: Source,
): Promise<OcrPages> {
  const numbers = pages.flatMap((page, index) => {
    const isChosen = ocr !== undefined && page !== undefined && (which === 'all' || isUnread(page));
    return isChosen ? [index + 1] : [];
  });
  if (ocr === undefined || numbers.length === 0) return { found: new Map(), read: NONE, unreadable: NONE };
  countOcrPages(numbers.length, source);
  const { ocrPages } = await import('./ocr/pages.ts');
  return ocrPages(numbers, { ...source, ocr });
}

async function pagesWithOcr(pages: PdfFile['pages'], { found }: OcrPages): Promise<PdfFile['pages']> {
  if (found.size === 0) return pages;
  const { withOcrPages } = await import('./ocr/pages.ts');
  return withOcrPages(pages, found);
}

const NONE: Confidences = new Map();

/** True for a page that shows something and has no text that can be read. */
function isUnread(page: PdfPage): boolean {
  if (isScanned(page)) return true;
  const { characters, unreadable, isDrawn } = page;
  return isDrawn && (characters.trim() === '' || unmappableShare(characters, unreadable) > MAX_UNMAPPABLE);
}

/** The result for each page, with a turn of the event loop between pages. */
async function inTurns<Page, Made>(
  pages: readonly Page[],
  make: (page: Page) => Made,
  signal: AbortSignal | undefined,
): Promise<Made[]> {
  const made: Made[] = [];
  for (const page of pages) {
    signal?.throwIfAborted();
    made.push(make(page));
    await nextTurn();
  }
  return made;
}

/** Reads the pages of a file by their trees, or without when these cannot be read. */
export async function readPages(
  { bytes, pdfium: binary, ...reading }: Source & PdfReading,
  tags: TagReading,
): Promise<PdfFile> {
  const read = (): Promise<PdfFile> =>
    withPdfium((pdfium) => readPdf(pdfium, bytes, reading, tags), reading.signal, binary);
  try {
    return await read();
  } catch (error) {
    // A tree too deep for PDFium has killed it; the pages may be sound.
    if (!tags.isActive) throw error;
    Object.assign(tags, { work: 0, isActive: false });
    return read();
  }
}

/** Pages with drawings and without text are a scan; pages without either are empty, or have lost their content. */
function noTextError(file: OcredFile, cutShort: boolean): ExtractError {
  if (file.pages.some((page) => page?.isDrawn)) return scanError(file);
  if (cutShort)
    return new ExtractError('corrupted', { detail: 'it ends early, and what is left shows nothing' });
  return new ExtractError('empty_document');
}

/** The error of a file without text, after OCR if there was any. */
function scanError({ pages, pagesRead = pages.length, ocr: { unreadable } }: OcredFile): ExtractError {
  if (unreadable.size === 0) return new ExtractError('no_text', { pages: pagesRead });
  return unreadableScan(pagesRead, Math.max(...unreadable.values()));
}

/** A picture over half the page with next to no words is a scanned page; a scanner's stamp is no text. */
function isScanned(page: PdfPage | undefined): boolean {
  return page !== undefined && page.pictureShare >= 0.5;
}

/** Rejects a file when at least half of its pages are scanned and the others hold no text worth reading. */
function rejectScan(file: OcredFile): void {
  const { pages, pagesRead = pages.length } = file;
  const scanned = pages.filter(isScanned).length;
  if (scanned * 2 < pagesRead) return;
  if (pages.some((page) => page !== undefined && hasText(page))) return;
  throw scanError(file);
}

function hasText({ characters, fieldValues }: PdfPage): boolean {
  return fieldValues.some(({ isMark }) => isMark !== true) || hasWords(characters, FEW_WORDS);
}

function warningsOf(file: OcredFile, { text, furniture }: LaidOut, cutShort: boolean): Warning[] {
  const warnings: Warning[] = [];
  if (file.lost.length > 0 || file.claimedAfter > 0 || cutShort) {
    warnings.push({ code: 'pages_unreadable', message: lossMessage(file) });
  }
  const scanned = file.pages.flatMap((page, index) =>
    isScanned(page) && !file.ocr.unreadable.has(index + 1) ? [index + 1] : [],
  );
  if (scanned.length > 0) {
    const message = `Without a text layer: ${pageList(scanned)}. Run OCR to read ${scanned.length === 1 ? 'it' : 'them'}.`;
    warnings.push({ code: 'scanned_pages', message });
  }
  if (file.fieldsMet > MAX_FIELDS) {
    const message = `${file.fieldsMet - MAX_FIELDS} form fields after the first ${MAX_FIELDS} were not read.`;
    warnings.push({ code: 'fields_left_out', message });
  }
  if (file.attachments.length > 0) {
    const count = file.attachments.length === 1 ? '1 file is' : `${file.attachments.length} files are`;
    const message = `${count} attached and not read: ${attachmentList(file.attachments)}.`;
    warnings.push({ code: 'attachments_left_out', message });
  }
  if (furniture.length > 0) {
    const places = furniture.length === 1 ? '1 place' : `${furniture.length} places`;
    const message = `Running heads, page numbers and the like were left out of the text in ${places}; the option furniture: 'keep' keeps them.`;
    warnings.push({ code: 'furniture_left_out', message });
  }
  const unreadable = file.pages.reduce((sum, page) => sum + (page?.unreadable ?? 0), 0);
  if (unmappableShare(text, unreadable) > MAX_UNMAPPABLE) {
    const message =
      'The fonts of this file do not say which characters they show; much of its text is unreadable.';
    warnings.push({ code: 'unmappable_text', message });
  }
  return warnings;
}

function lossMessage({ pages, lost, claimedAfter }: PdfFile): string {
  if (lost.length > 0) return `The file is damaged and could not be read on ${pageList(lost)}.`;
  if (claimedAfter > 0)
    return `The file claims ${pages.length + claimedAfter} pages; ${pages.length} can be read.`;
  return 'The file ends early; pages after the last one read may be missing.';
}

function pageList(numbers: readonly number[]): string {
  const shown = numbers.slice(0, 10).join(', ');
  return `${numbers.length === 1 ? 'page' : 'pages'} ${shown}${numbers.length > 10 ? ', …' : ''}`;
}

/** Longest name of an attachment in a warning, in UTF-16 units. */
const MAX_NAME = 100;

function attachmentList(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => cleanName(name, MAX_NAME) || 'without a name');
  return `${shown.join(', ')}${names.length > 10 ? ', …' : ''}`;
}

/** Above this share of a text, characters without a Unicode map are more than a few symbols. */
const MAX_UNMAPPABLE = 0.3;

/**
 * The share of U+FFFD and private use characters, and of those whose fonts do not say which letters they show, among
 * the characters that are not blank.
 */
function unmappableShare(text: string, unreadable: number): number {
  let unmappable = unreadable;
  let seen = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit <= 0x20) continue;
    seen++;
    if (unit === 0xfffd || (unit >= 0xe000 && unit <= 0xf8ff) || (unit >= 0xdb80 && unit <= 0xdbff))
      unmappable++;
  }
  return unmappable / Math.max(1, seen);
}
