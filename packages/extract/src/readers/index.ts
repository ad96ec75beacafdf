// The registry of document kinds, and the entry `@grainline/extract/kinds`. Accepted endings, media types and error
// texts are computed from it. It repeats the facts of each kind's reader, so that a lookup loads no reader; a test
// keeps the two equal.
import type { Reader } from '../reader.ts';

/** The facts of a kind that are known without loading its reader. */
export interface KindEntry extends Omit<Reader, 'read' | 'version'> {
  /** Its common name. */
  readonly name: string;
  /** True when its bytes are not text, so that text which claims this kind is rejected. */
  readonly binary: boolean;
  /** The marks of its files; kinds without are plain text, known by their names. */
  readonly signature?: KindSignature;
  /** Loads the reader with its libraries. */
  readonly load: () => Promise<Reader>;
}

/** The marks by which the files of a kind are recognised. A `mimetype` part of an archive names its kind as well. */
export interface KindSignature {
  /** A part of its ZIP archive, and what such an archive holds: `Word document`. */
  readonly zip?: { readonly part: RegExp; readonly holds: string };
  /** A part of its ZIP archive that other kinds have, too: it shows the kind that a name or type claims. */
  readonly claimedPart?: RegExp;
  /** The bytes that its files begin with; others may follow that are no text. */
  readonly start?: string;
  /** A stream of its OLE compound file. */
  readonly ole?: string;
  /** True for the start of a text of this kind, some 64 kB without NULs; `isClaimed` if a name or type says so. */
  readonly text?: (start: string, isClaimed: boolean) => boolean;
  /** True when its parts may be in encodings of their own, so that the file as a whole is in none. */
  readonly isMixed?: true;
}

/** `<!doctype html>`, `<html>`, `<head>`, `<body>` first, after an XML declaration, comments or another doctype. */
const HTML_START =
  /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:[^-]|-(?!->))*-->\s*)*<(?:!doctype\s+html|html|head|body)\b/i;
const TAG = /<\/?[a-z][^<>]*>/i;

const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.';

/** The media type of a kind of OpenDocument and those of its forms: `text`, `text-template`. */
function openDocumentTypes(kind: string, forms: readonly string[]): [string, ...string[]] {
  return [OPEN_DOCUMENT + kind, ...forms.map((form) => `${OPEN_DOCUMENT}${kind}-${form}`)];
}

/** One flat XML document that names its kind of OpenDocument: `<office:document … office:mimetype="…">`. */
function isFlat(start: string, kind: string): boolean {
  return start.includes('<office:document ') && start.includes(`mimetype="${OPEN_DOCUMENT}${kind}"`);
}

/** A line of a message's head (RFC 5322, section 2.2), and the ones that begin a message as programs save it. */
const HEAD_LINE = /^[!-9;-~]+:/;
const MAIL_START =
  /^(?:From [^\n]*\n)?(?:Return-Path|Received|Delivered-To|X-[\w-]+|DKIM-Signature|MIME-Version|Message-ID|From|To|Date|Subject):/i;

/** A text that begins with lines of a message's head, `From:` among them unless its name says that it is mail. */
function isMail(start: string, isClaimed: boolean): boolean {
  const head = start.split(/\r?\n\r?\n/, 1)[0] ?? '';
  if (isClaimed) return HEAD_LINE.test(head.replace(/^From [^\n]*\n/, ''));
  if (!MAIL_START.test(start)) return false;
  const holds = (name: string): boolean => new RegExp(`^${name}:`, 'im').test(head);
  return holds('From') && holds('Date') && (holds('Message-ID') || holds('Received'));
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
    // The document part may have another name.
    signature: { zip: { part: /^word\/document\d*\.xml$/i, holds: 'Word document' } },
    load: async () => (await import('./docx/index.ts')).DOCX,
  },
  {
    kind: 'xlsx',
    name: 'XLSX',
    binary: true,
    extensions: ['xlsx', 'xlsm', 'xltx', 'xltm'],
    mediaTypes: [
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'application/vnd.ms-excel.sheet.macroenabled.12',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.template',
    ],
    signature: {
      zip: { part: /^(?:xl\/)?workbook\d*\.xml$|^xl\/worksheets\/sheet\d+\.xml$/i, holds: 'Excel workbook' },
    },
    load: async () => (await import('./xlsx/index.ts')).XLSX,
  },
  {
    kind: 'pptx',
    name: 'PPTX',
    binary: true,
    extensions: ['pptx', 'pptm', 'ppsx', 'ppsm', 'potx', 'potm'],
    mediaTypes: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    signature: { zip: { part: /^ppt\/presentation\d*\.xml$/i, holds: 'presentation' } },
    load: async () => (await import('./pptx/index.ts')).PPTX,
  },
  {
    kind: 'odt',
    name: 'ODT',
    binary: true,
    extensions: ['odt', 'ott', 'odm', 'fodt'],
    mediaTypes: openDocumentTypes('text', ['template', 'master', 'flat-xml']),
    signature: { claimedPart: /^content\.xml$/, text: (start) => isFlat(start, 'text') },
    load: async () => (await import('./odt/index.ts')).ODT,
  },
  {
    kind: 'odp',
    name: 'ODP',
    binary: true,
    extensions: ['odp', 'otp', 'fodp'],
    mediaTypes: openDocumentTypes('presentation', ['template', 'flat-xml']),
    signature: { claimedPart: /^content\.xml$/, text: (start) => isFlat(start, 'presentation') },
    load: async () => (await import('./odp/index.ts')).ODP,
  },
  {
    kind: 'ods',
    name: 'ODS',
    binary: true,
    extensions: ['ods', 'ots', 'fods'],
    mediaTypes: openDocumentTypes('spreadsheet', ['template', 'flat-xml']),
    signature: { claimedPart: /^content\.xml$/, text: (start) => isFlat(start, 'spreadsheet') },
    load: async () => (await import('./ods/index.ts')).ODS,
  },
  {
    kind: 'rtf',
    name: 'RTF',
    binary: false,
    extensions: ['rtf'],
    mediaTypes: ['application/rtf', 'text/rtf'],
    // Parts of other documents lack the first group of a file.
    signature: { start: '{\\rtf', text: (start, isClaimed) => isClaimed && /^\s*\{\s*\\[a-z]/.test(start) },
    load: async () => (await import('./rtf/index.ts')).RTF,
  },
  {
    kind: 'html',
    name: 'HTML',
    binary: false,
    extensions: ['html', 'htm', 'xhtml'],
    mediaTypes: ['text/html', 'application/xhtml+xml'],
    signature: { text: (start, isClaimed) => HTML_START.test(start) || (isClaimed && TAG.test(start)) },
    load: async () => (await import('./html/index.ts')).HTML,
  },
  {
    kind: 'csv',
    name: 'CSV',
    binary: false,
    extensions: ['csv', 'tsv'],
    mediaTypes: ['text/csv', 'text/tab-separated-values'],
    signature: { text: (start, isClaimed) => isClaimed && /[,;\t|]/.test(start) },
    load: async () => (await import('./csv/index.ts')).CSV,
  },
  {
    kind: 'msg',
    name: 'Outlook message',
    binary: true,
    extensions: ['msg'],
    mediaTypes: ['application/vnd.ms-outlook'],
    signature: { ole: '__properties_version1.0' },
    load: async () => (await import('./mail/index.ts')).MSG,
  },
  {
    kind: 'eml',
    name: 'mail',
    binary: false,
    extensions: ['eml'],
    mediaTypes: ['message/rfc822'],
    signature: { text: isMail, isMixed: true },
    load: async () => (await import('./mail/index.ts')).EML,
  },
  {
    kind: 'epub',
    name: 'EPUB',
    binary: true,
    extensions: ['epub'],
    mediaTypes: ['application/epub+zip'],
    // Some books are packed with the folder around them.
    signature: { zip: { part: /^(?:[^/]+\/)?META-INF\/container\.xml$/, holds: 'book' } },
    load: async () => (await import('./epub/index.ts')).EPUB,
  },
  {
    kind: 'ipynb',
    name: 'Jupyter notebook',
    binary: false,
    extensions: ['ipynb'],
    mediaTypes: ['application/x-ipynb+json'],
    signature: { text: (start, isClaimed) => isClaimed && /^\s*\{/.test(start) },
    load: async () => (await import('./notebook/index.ts')).NOTEBOOK,
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

/** Pictures of pages: a kind for those who have OCR, who pass the option `ocr`. */
export const IMAGES: KindEntry = {
  kind: 'image',
  name: 'pictures of pages',
  binary: true,
  extensions: ['png', 'jpg', 'jpeg', 'tif', 'tiff', 'webp'],
  mediaTypes: ['image/png', 'image/jpeg', 'image/tiff', 'image/webp'],
  load: async () => (await import('./image/index.ts')).IMAGE,
};

/** The accepted endings, the usual one of each kind, as an error message lists them. */
export function acceptedEndings(): string {
  return READERS.map((entry) => `.${entry.extensions[0] ?? entry.kind}`).join(', ');
}

/** The common names of the kinds in a sentence: `PDF, DOCX and plain text`. */
export function kindNames(): string {
  const names = READERS.map(({ name }) => name);
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].join(' and ');
}
