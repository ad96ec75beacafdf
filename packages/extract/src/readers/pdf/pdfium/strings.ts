// Strings as PDFium gives them: UTF-16 with a terminator, into a buffer of the caller.
import { withBuffer, type Pdfium } from './engine.ts';

// Made once: ICU takes longer to make a decoder than the decoder takes for a title.
const UTF_16 = new TextDecoder('utf-16le', { ignoreBOM: true });

/** `length` counts bytes and the terminator. Lone surrogates become U+FFFD; a mark inside is kept for layout. */
export function decodeUtf16(pdfium: Pdfium, buffer: number, length: number): string {
  const bytes = pdfium.view(buffer, Math.max(0, length - 2));
  return UTF_16.decode(bytes);
}

/** Longer values are neither titles nor field values. */
const MAX_STRING_BYTES = 1 << 20;

/** Reads a string by PDFium's convention: called without a buffer, a function returns the length in bytes. */
export function readUtf16(pdfium: Pdfium, read: (buffer: number, size: number) => number): string {
  const size = read(0, 0);
  if (size <= 2 || size > MAX_STRING_BYTES) return '';
  return withBuffer(pdfium, size, (buffer) =>
    decodeUtf16(pdfium, buffer, Math.min(size, read(buffer, size))),
  );
}

/** Longer titles are no titles, in UTF-16 units. */
const MAX_TITLE = 300;
/** Blanks, line breaks and control characters; `\s` has the byte order mark. */
// eslint-disable-next-line no-control-regex
const BETWEEN_WORDS = /[\s\0-\x1f\x7f-\x9f]+/;

/** A title or a name on one line, cut to the most UTF-16 units. */
export function cleanName(name: string, most = MAX_TITLE): string {
  const words = name.split(BETWEEN_WORDS).filter(Boolean).join(' ');
  return words.slice(0, most).toWellFormed();
}
