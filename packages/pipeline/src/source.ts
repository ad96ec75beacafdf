// The first step of the pipeline: a source, which is the bytes of a file or a text, becomes a Document. Text takes the
// same readers as files do, so that a pasted text and a file of that text have the same chunks.
import { type Document, documentFromText, assertWellFormed, type TextKind } from '@grainline/core';
import {
  type ExtractInput,
  extract,
  ExtractError,
  type Kind,
  type Ocr,
  type PageProgress,
  type PdfiumSource,
  READERS,
  type ReadingOptions,
} from '@grainline/extract';

/** A file of any kind that extraction reads: its bytes, a File, a Blob or a stream. */
export interface BytesSource {
  readonly bytes: ExtractInput;
  /** Name or path; only its base name is kept. Default: the name of a File. */
  readonly filename?: string | undefined;
  /** As in an HTTP Content-Type, parameters allowed: `text/plain; charset=windows-1252` declares an encoding. */
  readonly contentType?: string | undefined;
  /** The kind that `detectKind` found for these bytes. Default: it is detected. */
  readonly kind?: Kind | undefined;
  /** Address of the document, to which its relative links refer. */
  readonly url?: string | undefined;
}

/** A text that needs no extraction. */
export interface TextSource {
  readonly text: string;
  /**
   * With a name the text is read as the file of that name would be: the ending tells Markdown, code and CSV, form feeds
   * start pages, and line ends become LF. Default: the text is taken as it is, and offsets count its own UTF-16 units.
   */
  readonly filename?: string | undefined;
}

/** Input of the pipeline. */
export type DocumentSource = BytesSource | TextSource;

/** Options of {@link readSource}: those of `extract` that change the text, and how to read text. */
export interface ReadOptions extends ReadingOptions {
  /** How to read text, from a file or not. Default: by its name, then by its content. Other kinds have own blocks. */
  readonly kind?: TextKind | undefined;
  /** Language of source code whose name does not tell it: `ts`, `python`. Default: the name's ending. */
  readonly language?: string | undefined;
  /** Where the binary of PDFium is, as `extract` takes it, for bundles whose bundler does not copy it. */
  readonly pdfium?: PdfiumSource | undefined;
  /** Reads scanned pages and pictures, as `extract` takes it: a function of `@grainline/ocr`, or of your own. */
  readonly ocr?: Ocr | undefined;
  /** Most pages that OCR reads; a document with more rejects with `too_many_scanned_pages`. Default: any number. */
  readonly maxOcrPages?: number | undefined;
  /** Called after each page that OCR has read; `total` counts those pages alone. */
  readonly onOcrPage?: ((progress: PageProgress) => void) | undefined;
  /** Ends the reading when it is aborted, for a PDF between two pages. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each page of a PDF. */
  readonly onPage?: ((progress: PageProgress) => void) | undefined;
}

/**
 * Reads a source into a Document.
 *
 * Rejects with an ExtractError when the document is at fault, with a ChunkError `ill_formed_text` when a named text has
 * a lone surrogate, with the signal's reason when aborted, and with a TypeError for a source of another shape.
 *
 * @example
 * const document = await readSource({ text: '# Tides', filename: 'tides.md' });
 */
export async function readSource(source: DocumentSource, options: ReadOptions = {}): Promise<Document> {
  return 'text' in source ? readText(source, options) : readBytes(source, options);
}

async function readText({ text, filename }: TextSource, options: ReadOptions): Promise<Document> {
  if (typeof text !== 'string')
    throw new TypeError('The text of a source must be a string; the bytes of a file are its member bytes.');
  const { kind, language, signal } = options;
  signal?.throwIfAborted();
  if (filename === undefined) {
    if (options.pages !== undefined)
      throw new ExtractError('no_such_pages', { detail: 'a text without a filename has none' });
    return documentFromText(text, { kind, language });
  }
  assertWellFormed(text);
  return readBytes(encodeText(text, filename), options);
}

async function readBytes(
  { bytes, ...hints }: BytesSource,
  { kind, language, ...reading }: ReadOptions,
): Promise<Document> {
  const document = await extract(bytes, { ...hints, ...reading });
  const isGiven = kind !== undefined || typeof language === 'string';
  if (!isGiven || !isText(document)) return document;
  const { text, filename, pages, pagesRead, warnings } = document;
  const read = documentFromText(text, { kind, language, filename, pages, warnings });
  return pagesRead === undefined ? read : Object.assign(read, { pagesRead });
}

/** True for a file that was text before it was read; the text of other kinds is Markdown with blocks of its own. */
function isText({ mediaType }: Document): boolean {
  return READERS.some(({ kind, mediaTypes }) => TEXT_KINDS.includes(kind) && mediaTypes[0] === mediaType);
}

/** Kinds whose files are their own text. */
const TEXT_KINDS: readonly Kind[] = ['csv', 'markdown', 'txt'];

/**
 * Makes the file that a text would be under a name. The name alone chooses among the kinds whose files are their
 * own text; no content makes a PDF, a page of HTML or a message of it. A lone surrogate becomes U+FFFD.
 */
export function encodeText(
  text: string,
  filename: string,
): BytesSource & { readonly bytes: Uint8Array; readonly kind: Kind } {
  const ending = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
  const reader = READERS.find(
    ({ kind, extensions }) => TEXT_KINDS.includes(kind) && extensions.includes(ending),
  );
  return {
    bytes: new TextEncoder().encode(text),
    filename,
    contentType: 'text/plain; charset=utf-8',
    kind: reader?.kind ?? 'txt',
  };
}
