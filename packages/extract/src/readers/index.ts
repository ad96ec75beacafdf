// The registry of document kinds. Accepted endings, media types and error texts are computed from it.
// What it says of a kind stands here as well as in the kind's reader, so that nothing is loaded to be asked;
// a test holds the two equal.
import type { Reader } from '../reader.ts';

/** What can be known of a kind without loading its reader. */
export interface KindEntry extends Omit<Reader, 'read'> {
  /** How people call it. */
  readonly name: string;
  /** True when its bytes are not text, so that text which claims to be of this kind is refused. */
  readonly binary: boolean;
  /** Loads the reader and the libraries it stands on. */
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
    load: loadOnce(async () => (await import('./pdf/index.ts')).PDF),
  },
  {
    kind: 'docx',
    name: 'DOCX',
    binary: true,
    extensions: ['docx', 'docm', 'dotx', 'dotm'],
    mediaTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    load: loadOnce(async () => (await import('./docx/index.ts')).DOCX),
  },
  {
    kind: 'html',
    name: 'HTML',
    binary: false,
    extensions: ['html', 'htm', 'xhtml'],
    mediaTypes: ['text/html', 'application/xhtml+xml'],
    load: loadOnce(async () => (await import('./html/index.ts')).HTML),
  },
  {
    kind: 'markdown',
    name: 'Markdown',
    binary: false,
    extensions: ['md', 'markdown', 'mdx', 'mkd', 'mdown', 'qmd', 'rmd'],
    mediaTypes: ['text/markdown', 'text/x-markdown'],
    load: loadOnce(async () => (await import('./text.ts')).MARKDOWN),
  },
  {
    kind: 'txt',
    name: 'plain text',
    binary: false,
    extensions: ['txt', 'text'],
    mediaTypes: ['text/plain'],
    load: loadOnce(async () => (await import('./text.ts')).TXT),
  },
];

/** Asks the system's loader until it has loaded: for what is loaded already it needs some 15 µs each time. */
function loadOnce(load: KindEntry['load']): KindEntry['load'] {
  let reader: Reader | undefined;
  return async () => (reader ??= await load());
}

/** The endings that are accepted, the usual one of each kind, as an error message lists them. */
export function acceptedEndings(): string {
  return READERS.map((entry) => `.${entry.extensions[0] ?? entry.kind}`).join(', ');
}
