// The kinds of documents that are read here, as far as the page must know them before their readers are loaded. A test
// holds them equal to extraction's own registry.

/** One kind: what the service calls it, and what it is known by. */
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

/** What a picker of files offers: the kinds that are read, and source code, which is text. */
export const ACCEPTED = [
  ...KINDS.flatMap(({ extensions }) => extensions.map((end) => `.${end}`)),
  'text/*',
].join();

/** What the service calls the kind of a document; '' when it has no name for it. */
export function kindOf(mediaType: string): string {
  return KINDS.find(({ mediaTypes }) => mediaTypes.includes(mediaType))?.kind ?? '';
}

/**
 * A name under which the text that was read from a document is read again as it is: what extraction writes is Markdown,
 * unless the document was plain text.
 */
export function nameOfText(filename: string, mediaType: string): string {
  return kindOf(mediaType) === 'txt' || /\.(?:md|markdown)$/i.test(filename) ? filename : `${filename}.md`;
}
