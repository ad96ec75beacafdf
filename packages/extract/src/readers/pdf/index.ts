// PDF: PDFium reads the pages (file.ts), layout.ts makes text of them; this file judges the result.
import type { Document, Warning } from '@grainline/core';
import { ExtractError } from '../../errors.ts';
import type { Reader, Source } from '../../reader.ts';
import { nextTurn } from '../../turn.ts';
import { withPdfium } from './pdfium/engine.ts';
import { FEW_WORDS, hasWords, readPdf, type PdfFile, type PdfPage } from './pdfium/file.ts';
import { MAX_FIELDS } from './pdfium/form.ts';
import { cleanName } from './pdfium/strings.ts';
import type { OcrPages } from './ocr/pages.ts';
import { uncertainPages, unreadablePages, unreadableScan, type Confidences } from './ocr/warnings.ts';
import { outlineOfBookmarks } from './structure/outline.ts';
import { Placement } from '../../tree/placement.ts';
import { lettersOf } from './lines/text.ts';
import { layOut, orderPage, streamOf, styleOf, type LaidOut } from './layout.ts';
import { tagReading } from './pdfium/tags.ts';
import { attemptsAt, isCutShort } from './pdfium/rebuild.ts';

/** Reads PDF. Scripts, launch actions, attachments and annotations are ignored; form field values are read. */
export const PDF: Reader = {
  kind: 'pdf',
  version: 3,
  extensions: ['pdf'],
  mediaTypes: ['application/pdf', 'application/x-pdf'],
  read: readDocument,
};

async function readDocument(source: Source): Promise<Document> {
  const file = await withOcr(await readRepaired(source), source);
  const cutShort = isCutShort(source.bytes);
  const streams = await inTurns(file.pages, streamOf, source.signal);
  const style = styleOf(streams, source);
  const parts = await inTurns(streams, (stream) => orderPage(stream, style), source.signal);
  const placement = source.regions === true ? new Placement(lettersOf) : undefined;
  const laidOut = layOut(parts, style, file.bookmarks, placement);
  const { text, blocks, pages, furniture } = laidOut;
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
    ...(placement && { regions: placement.finish(file.pages.flatMap((page) => page?.size ?? [0, 0])) }),
    warnings: [
      ...warningsOf(file, laidOut, cutShort),
      ...uncertainPages(file.ocr.read),
      ...unreadablePages(file.ocr.unreadable),
    ],
  };
}

/** A file with the pages that OCR has read in it, and what it has made of them. */
interface OcredFile extends PdfFile {
  readonly ocr: Pick<OcrPages, 'read' | 'unreadable'>;
}

/** Reads the pages by OCR whose text is missing, or all. */
async function withOcr(file: PdfFile, { ocr, ocrPages: which, ...source }: Source): Promise<OcredFile> {
  const numbers = file.pages.flatMap((page, index) => {
    const isChosen = ocr !== undefined && page !== undefined && (which === 'all' || isUnread(page));
    return isChosen ? [index + 1] : [];
  });
  if (ocr === undefined || numbers.length === 0) return { ...file, ocr: { read: NONE, unreadable: NONE } };
  const { ocrPages } = await import('./ocr/pages.ts');
  const { pages, ...outcome } = await ocrPages(file, numbers, { ...source, ocr });
  return { ...file, pages, ocr: outcome };
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

/** Reads the file unchanged; when no page loads, with a new trailer; then with a new page tree. */
async function readRepaired({ bytes, pdfium: binary, ...reading }: Source): Promise<PdfFile> {
  const tags = tagReading();
  const read = (candidate: Uint8Array): Promise<PdfFile> =>
    withPdfium((pdfium) => readPdf(pdfium, candidate, reading, tags), reading.signal, binary);
  let damage = new ExtractError('corrupted', { detail: 'none of its pages can be loaded' });
  for (const candidate of attemptsAt(bytes)) {
    try {
      const file = await read(candidate).catch((error: unknown) => {
        // A tree too deep for PDFium has killed it; the pages may be sound.
        if (!tags.isActive) throw error;
        Object.assign(tags, { work: 0, isActive: false });
        return read(candidate);
      });
      if (file.pages.length > 0) return file;
    } catch (error) {
      if (!(error instanceof ExtractError) || error.code !== 'corrupted') throw error;
      damage = error;
    }
  }
  throw damage;
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
  return fieldValues.length > 0 || hasWords(characters, FEW_WORDS);
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
  if (file.fieldsLeftOut > 0) {
    const message = `${file.fieldsLeftOut} form fields after the first ${MAX_FIELDS} were not read.`;
    warnings.push({ code: 'fields_left_out', message });
  }
  if (file.attachments.length > 0) {
    const count = file.attachments.length === 1 ? '1 file is' : `${file.attachments.length} files are`;
    const message = `${count} attached and not read: ${attachmentList(file.attachments)}.`;
    warnings.push({ code: 'attachments_left_out', message });
  }
  if (furniture.length > 0) {
    const message = `Running heads, page numbers and the like were left out of the text in ${furniture.length} places; the option furniture: 'keep' keeps them.`;
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
