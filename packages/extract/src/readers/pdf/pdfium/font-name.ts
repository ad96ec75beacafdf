// The name of a font in its file.
import { withBuffer, type Pdfium } from './engine.ts';

const MAX_NAME_BYTES = 256;
const LATIN_1 = new TextDecoder('latin1');

/** The name of a font, without the mark of a subset; empty when it has none. */
export function fontName(pdfium: Pdfium, font: number): string {
  return withBuffer(pdfium, MAX_NAME_BYTES, (buffer) => {
    const length = pdfium.call.FPDFFont_GetBaseFontName(font, buffer, MAX_NAME_BYTES);
    if (length > MAX_NAME_BYTES) return '';
    return LATIN_1.decode(pdfium.view(buffer, Math.max(0, length - 1)).slice());
  }).replace(/^[A-Z]{6}\+/, '');
}
