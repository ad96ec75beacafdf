// The kinds of readable documents, available before their readers load. A test compares them with extraction's
// registry.

/** A kind by its name at the service, with its media types and extensions. */
interface Kind {
  readonly kind: string;
  readonly mediaTypes: readonly string[];
  readonly extensions: readonly string[];
}

/** All of them. */
export const KINDS: readonly Kind[] = [
  { kind: 'pdf', mediaTypes: ['application/pdf', 'application/x-pdf'], extensions: ['pdf'] },
  {
    kind: 'docx',
    mediaTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    extensions: ['docx', 'docm', 'dotx', 'dotm'],
  },
  {
    kind: 'html',
    mediaTypes: ['text/html', 'application/xhtml+xml'],
    extensions: ['html', 'htm', 'xhtml'],
  },
  {
    kind: 'markdown',
    mediaTypes: ['text/markdown', 'text/x-markdown'],
    extensions: ['md', 'markdown', 'mdx', 'mkd', 'mdown', 'qmd', 'rmd'],
  },
  { kind: 'txt', mediaTypes: ['text/plain'], extensions: ['txt', 'text'] },
];

/** Filter of the file picker: readable kinds, and source code, which is text. */
export const ACCEPTED = [
  ...KINDS.flatMap(({ extensions }) => extensions.map((end) => `.${end}`)),
  'text/*',
].join();

/** The service's name for the kind of a document; '' without one. */
export function kindOf(mediaType: string): string {
  return KINDS.find(({ mediaTypes }) => mediaTypes.includes(mediaType))?.kind ?? '';
}

/**
 * A filename under which the service reads an extracted text unchanged: extraction writes Markdown, except for plain
 * text.
 */
export function nameOfText(filename: string, mediaType: string): string {
  return kindOf(mediaType) === 'txt' || /\.(?:md|markdown)$/i.test(filename) ? filename : `${filename}.md`;
}
