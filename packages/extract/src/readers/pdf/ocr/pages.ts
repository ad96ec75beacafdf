// The pages of a file that OCR has to read: drawn one by one, read, and put in the place of what PDFium has read.
import { confidenceOf, MAX_PIXELS, pictureErrorCode, type Ocr, type OcrWord } from '../../../ocr.ts';
import type { Source } from '../../../reader.ts';
import { openPages, type PdfPages } from '../pdfium/drawing.ts';
import type { PdfFile, PdfPage } from '../pdfium/file.ts';
import { greyOf, turned, type GreyPicture } from './grey.ts';
import { linesOfPages, type ReadPage } from './lines.ts';
import { writePng } from './png.ts';
import { LEAST_CONFIDENCE, LOW_CONFIDENCE, type Confidences } from './warnings.ts';

/** The result of OCR on pages of a document. */
export interface OcrPages {
  /** The pages that it has read, by their numbers. */
  readonly found: ReadonlyMap<number, ReadPage>;
  /** Its confidence in them, 0 to 1, by their numbers. */
  readonly read: Confidences;
  /** Numbers of the pages on which it has found no text that can be read, with its confidence; 0 without words. */
  readonly unreadable: Confidences;
}

/** The file, and how to read it. */
export interface OcrSource extends Pick<
  Source,
  'bytes' | 'password' | 'pdfium' | 'ocrLanguage' | 'regions' | 'signal' | 'onOcrPage'
> {
  readonly ocr: Ocr;
}

/** Pixels in an inch. Tesseract is made for letters of 20 to 40 pixels, which are 7 to 14 points here. */
const DPI = 200;
const POINTS = 72;
/** Square points of a page, such as 1 m by 1 m: larger ones would have less than 100 pixels in an inch. */
const MAX_AREA = (16e6 / 100 ** 2) * POINTS ** 2;

/**
 * Reads pages of a file by OCR, one after the other. The picture of a page is in memory only while it is read.
 * Rejects with the signal's reason, and with errors of `ocr` that are not the picture's own.
 *
 * @param numbers of the pages, from 1
 */
export async function ocrPages(numbers: readonly number[], source: OcrSource): Promise<OcrPages> {
  const [read, unreadable] = [new Map<number, number>(), new Map<number, number>()];
  const found = new Map<number, ReadPage>();
  const drawn = await openPages(source.bytes, source);
  try {
    for (const [done, number] of numbers.entries()) {
      source.signal?.throwIfAborted();
      const page = await readPage(drawn, number, source);
      const confidence = confidenceOf(page?.words ?? []);
      if (page === undefined || confidence < LEAST_CONFIDENCE) unreadable.set(number, confidence);
      else {
        read.set(number, confidence);
        found.set(number, page);
      }
      source.onOcrPage?.({ done: done + 1, total: numbers.length });
    }
  } finally {
    await drawn.close();
  }
  return { found, read, unreadable };
}

/** All pages of a file, those that OCR has read with its words. */
export function withOcrPages(pages: PdfFile['pages'], found: OcrPages['found']): PdfFile['pages'] {
  const lines = linesOfPages([...found.values()]);
  const all = [...pages];
  for (const [at, number] of [...found.keys()].entries()) {
    const page = all[number - 1];
    if (page !== undefined) all[number - 1] = { ...page, ...NOT_DRAWN, ...lines[at] };
  }
  return all;
}

/** A page has its words and nothing of what the file says of its drawings, which stand in other coordinates. */
const NOT_DRAWN = {
  unreadable: 0,
  glyphs: undefined,
  box: undefined,
  rules: [],
  dots: [],
  shapes: [],
  fieldValues: [],
  tags: undefined,
  isDrawn: true,
  pictureShare: 0,
} satisfies Partial<PdfPage>;

/** The words of a page in the direction in which they can be read best; undefined for a page that cannot be drawn. */
async function readPage(drawn: PdfPages, number: number, source: OcrSource): Promise<ReadPage | undefined> {
  const { signal, ocr, ocrLanguage: language } = source;
  const picture = await draw(drawn, number, signal);
  if (picture === undefined) return undefined;
  const { grey, dpi } = picture;
  let best: { words: readonly OcrWord[]; grey: GreyPicture; quarterTurns: number } | undefined;
  for (const quarterTurns of [0, 1, 3, 2]) {
    const upright = turned(grey, quarterTurns);
    const { width, height, pixels } = upright;
    const image = { bytes: writePng(width, height, pixels), mediaType: 'image/png' as const, width, height };
    const words = await ocr(image, { page: number, dpi, language, signal }).catch(rejectOthers);
    if (best === undefined || confidenceOf(words) > confidenceOf(best.words))
      best = { words, grey: upright, quarterTurns };
    // A picture without words has none in any direction.
    if (words.length === 0 || confidenceOf(words) >= LOW_CONFIDENCE) break;
  }
  if (best === undefined) return undefined;
  // Places are those of the page as it is shown, so a page that was turned here has none.
  const placed = source.regions === true && best.quarterTurns === 0 ? number : undefined;
  return { words: best.words, height: best.grey.height, scale: POINTS / dpi, placed };
}

/** A picture that the engine cannot read has no words. */
function rejectOthers(error: unknown): readonly OcrWord[] {
  if (pictureErrorCode(error) === undefined) throw error;
  return [];
}

async function draw(
  drawn: PdfPages,
  number: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly grey: GreyPicture; readonly dpi: number } | undefined> {
  const size = drawn.sizes[number - 1];
  if (size === undefined || size.width * size.height > MAX_AREA) return undefined;
  try {
    const picture = await drawn.drawPage(number, DPI / POINTS, { signal, maxPicturePixels: MAX_PIXELS });
    // A page of more than the most pixels has fewer in an inch.
    const dpi = Math.round((picture.width / size.width) * POINTS);
    return { grey: greyOf(picture), dpi };
  } catch (error) {
    if (pictureErrorCode(error) === undefined) throw error;
    return undefined;
  }
}
