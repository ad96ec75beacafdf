// The port of OCR: a picture of a page in, its words with their boxes out. `@grainline/ocr` implements it by Tesseract;
// any other engine takes a function of this type.
import { ExtractError } from './errors.ts';

/** A picture of one page, as a whole file. */
export interface OcrImage {
  readonly bytes: Uint8Array;
  /** Pages of a PDF are PNG in shades of grey. */
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/tiff' | 'image/webp';
  /** Pixels, as the file stores them, before its orientation turns it. */
  readonly width: number;
  readonly height: number;
}

/** Facts for the recognition of one page. */
export interface OcrRequest {
  /** Number of the page, from 1. */
  readonly page: number;
  /** Pixels in an inch; absent for files of pictures. */
  readonly dpi?: number | undefined;
  /** Languages of the text, from the option `ocrLanguage`. */
  readonly language?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A word, or a piece of one line between two blanks. */
export interface OcrWord {
  readonly text: string;
  /** Edges of its ink in pixels from the upper left corner of the picture as it is shown. */
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** How certain the engine is of it, 0 to 1. */
  readonly confidence: number;
  /** Number of its line, the same for all words of the line. */
  readonly line: number;
}

/**
 * Reads the words of a page in reading order, each line from its first word to its last.
 *
 * Rejects with the signal's reason when aborted. An error with the `code` `corrupted` or `too_complex` is the picture's
 * own: a page of a PDF then counts as unreadable, and a file of a picture rejects with that code. Other errors are
 * those of the program.
 */
export type Ocr = (image: OcrImage, request: OcrRequest) => Promise<readonly OcrWord[]>;

/** Codes of errors that are the picture's own. */
const OWN_CODES = ['corrupted', 'too_complex'] as const;

/** The code of an error of `Ocr` that is the picture's own. */
export function pictureErrorCode(error: unknown): (typeof OWN_CODES)[number] | undefined {
  const { code } = Object(error) as { code?: unknown };
  return OWN_CODES.find((own) => own === code);
}

/** Pages that OCR has read, or is about to read, of a document and the files inside it. */
export interface OcrConsumption {
  ocrPages: number;
}

/**
 * Counts pages before OCR reads them.
 *
 * @throws ExtractError `too_many_scanned_pages` above the bound
 */
export function countOcrPages(
  pages: number,
  {
    maxOcrPages = Infinity,
    spent,
  }: { readonly maxOcrPages?: number | undefined; spent?: OcrConsumption | undefined },
): void {
  const before = spent?.ocrPages ?? 0;
  if (before + pages > maxOcrPages)
    throw new ExtractError('too_many_scanned_pages', {
      pages: before + pages,
      detail: `at most ${maxOcrPages} are read`,
    });
  if (spent !== undefined) spent.ocrPages += pages;
}

/** Most pixels of a picture. A sheet of A4 at 600 dpi has 35 million. */
export const MAX_PIXELS = 40_000_000;

/** The share of letters that the engine is sure of, 0 to 1; 0 without words. */
export function confidenceOf(words: readonly OcrWord[]): number {
  let [sum, letters] = [0, 0];
  for (const { text, confidence } of words) {
    sum += confidence * text.length;
    letters += text.length;
  }
  return letters === 0 ? 0 : sum / letters;
}
