// The type of a reader: one document kind, from bytes to a Document. To add a kind, add a folder in readers/ and a line
// to its registry.
import type { Document } from '@grainline/core';
import type { Ocr, OcrConsumption } from './ocr.ts';
import type { Consumption } from './package/parts.ts';

/** The sender's description of a file; either part may be missing, and either may be wrong. */
export interface KindHints {
  readonly filename?: string | undefined;
  /** Media type, parameters allowed, as in an HTTP Content-Type. */
  readonly contentType?: string | undefined;
  /** True where OCR reads pictures of pages, so that PNG, JPEG, TIFF and WebP are a kind. Default false. */
  readonly images?: boolean | undefined;
}

/** The input of a reader. */
export interface Source {
  readonly bytes: Uint8Array;
  /** Base name, as given. */
  readonly filename?: string | undefined;
  /** Charset from the transport (HTTP Content-Type), in lower case. */
  readonly charset?: string | undefined;
  /** If running heads, page numbers and the like stay in the text or leave it; a kind without them ignores it. */
  readonly furniture?: 'drop' | 'keep' | undefined;
  /** If wrapped lines become one line of text or stay as they are; a kind without a page layout ignores it. */
  readonly lines?: 'join' | 'keep' | undefined;
  /** If everything is read or the main content alone, by kinds that know the difference. */
  readonly content?: 'all' | 'main' | undefined;
  /** If link targets are data or Markdown; plain text and Markdown ignore it. */
  readonly links?: 'data' | 'markdown' | undefined;
  /** If the document carries the places of its text; kinds but PDF and DOCX ignore it. */
  readonly regions?: boolean | undefined;
  /** Address of the document, to which its relative links refer. */
  readonly url?: string | undefined;
  /** Opens an encrypted document. */
  readonly password?: string | undefined;
  /** Pages to read, for `choosePages`; a kind without pages ignores it. */
  readonly pages?: string | undefined;
  /** Where the binary of PDFium is; other readers ignore it. */
  readonly pdfium?: PdfiumSource | undefined;
  /**
   * Reads a file inside the document by the reader of its kind, a level deeper. Rejects with an ExtractError when it is
   * unreadable, of no known kind, or beyond the bounds on depth and number; readers of kinds with such files leave it
   * out then.
   */
  readonly readInside?: ((bytes: Uint8Array, hints: KindHints) => Promise<Document>) | undefined;
  /** Consumed so far by the documents around this one, whose bounds hold for all together. */
  readonly spent?: (Consumption & OcrConsumption) | undefined;
  /** Reads pictures of pages; a kind without pictures of pages ignores it. */
  readonly ocr?: Ocr | undefined;
  /** Pages that OCR reads: those without text that can be read, or all. */
  readonly ocrPages?: 'missing' | 'all' | undefined;
  /** Languages of the text in pictures, as the port takes them. */
  readonly ocrLanguage?: string | undefined;
  /** Most pages that OCR reads, in this document and those around it. */
  readonly maxOcrPages?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each page that OCR has read. */
  readonly onOcrPage?: ((progress: PageProgress) => void) | undefined;
  /** Called after each page, by readers of kinds with pages. */
  readonly onPage?: ((progress: PageProgress) => void) | undefined;
}

/** The file `pdfium.wasm` of the package `@embedpdf/pdfium`: an address, in Node also a path, or its bytes. */
export type PdfiumSource = string | URL | Uint8Array | ArrayBuffer;

/** Progress of reading a document with pages. */
export interface PageProgress {
  /** Number of pages read, including unreadable ones. */
  readonly done: number;
  /**
   * Number of pages to read. By the file itself, so a damaged file may have fewer, and then reading ends earlier.
   */
  readonly total: number;
}

/** The kinds of document that can be read. */
export type Kind =
  | 'pdf'
  | 'docx'
  | 'xlsx'
  | 'pptx'
  | 'odt'
  | 'odp'
  | 'ods'
  | 'rtf'
  | 'html'
  | 'msg'
  | 'eml'
  | 'epub'
  | 'ipynb'
  | 'csv'
  | 'markdown'
  | 'txt'
  | 'image';

/** Reads one kind of document. */
export interface Reader {
  readonly kind: Kind;
  /** Raised by each change that alters the text or the blocks of a document. */
  readonly version: number;
  /** File name endings without the dot, the first being the usual one. */
  readonly extensions: readonly string[];
  /** Media types without parameters, the first being that of a Document of this kind. */
  readonly mediaTypes: readonly [string, ...string[]];
  /** Rejects with an ExtractError when the document is unreadable, with the signal's reason when aborted. */
  readonly read: (source: Source) => Promise<Document>;
}
