// The kinds of readable documents, from extraction's registry, which is there before any reader loads.
import { IMAGES, READERS } from '@grainline/extract/kinds';

/** Filter of the file picker: readable kinds, and source code, which is text. */
export const ACCEPTED = [
  ...[...READERS, IMAGES].flatMap(({ extensions }) => extensions.map((end) => `.${end}`)),
  'text/*',
].join();

/** True for the name of a picture, which OCR may read. */
export function isPicture(name: string): boolean {
  return IMAGES.extensions.some((end) => name.toLowerCase().endsWith(`.${end}`));
}

/** The service's name for the kind of a document; '' without one. */
export function kindOf(mediaType: string): string {
  return READERS.find(({ mediaTypes }) => mediaTypes.includes(mediaType))?.kind ?? '';
}

/**
 * A filename under which the service reads an extracted text unchanged: extraction writes Markdown, except for plain
 * text.
 */
export function nameOfText(filename: string, mediaType: string): string {
  return kindOf(mediaType) === 'txt' || /\.(?:md|markdown)$/i.test(filename) ? filename : `${filename}.md`;
}
