// The registry of document kinds. Accepted endings, media types and error texts are computed from it. It repeats the
// facts of each kind's reader, so that a lookup loads no reader; a test keeps the two equal.
import type { Reader } from '../reader.ts';

/** The facts of a kind that are known without loading its reader. */
export interface KindEntry extends Omit<Reader, 'read' | 'version'> {
  /** Its common name. */
  readonly name: string;
  /** True when its bytes are not text, so that text which claims this kind is rejected. */
  readonly binary: boolean;
  /** Loads the reader with its libraries. */
  readonly load: () => Promise<Reader>;
}

/** Every kind that can be read, the most particular first. */
export const READERS: readonly KindEntry[] = [
  {
    kind: 'pdf',
    name: 'PDF',
    binary: true,
    extensions: ['pdf'],
    mediaTypes: ['application/pdf', 'application/x-pdf'],
    load: async () => (await import('./pdf/index.ts')).PDF,
  },
  {
    kind: 'docx',
    name: 'DOCX',
    binary: true,
    extensions: ['docx', 'docm', 'dotx', 'dotm'],
    mediaTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    load: async () => (await import('./docx/index.ts')).DOCX,
  },
  {
    kind: 'html',
    name: 'HTML',
    binary: false,
    extensions: ['html', 'htm', 'xhtml'],
    mediaTypes: ['text/html', 'application/xhtml+xml'],
    load: async () => (await import('./html/index.ts')).HTML,
  },
  {
    kind: 'markdown',
    name: 'Markdown',
    binary: false,
    extensions: ['md', 'markdown', 'mdx', 'mkd', 'mdown', 'qmd', 'rmd'],
    mediaTypes: ['text/markdown', 'text/x-markdown'],
    load: async () => (await import('./text.ts')).MARKDOWN,
  },
  {
    kind: 'txt',
    name: 'plain text',
    binary: false,
    extensions: ['txt', 'text'],
    mediaTypes: ['text/plain'],
    load: async () => (await import('./text.ts')).TXT,
  },
];

/** The accepted endings, the usual one of each kind, as an error message lists them. */
export function acceptedEndings(): string {
  return READERS.map((entry) => `.${entry.extensions[0] ?? entry.kind}`).join(', ');
}
