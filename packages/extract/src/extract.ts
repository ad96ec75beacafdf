// The entry point: input → bytes → kind → reader → Document. The first stage of the pipeline; later stages never see
// bytes.
import type { Document } from '@grainline/core';
import { ExtractError, assertOptions } from './errors.ts';
import { assertInput, bytesOf, type ExtractInput } from './input.ts';
import { detectKind, HINT_RULES, parseContentType } from './kind.ts';
import type { Kind, PageProgress, Reader } from './reader.ts';
import { READERS } from './readers/index.ts';

/** The caller's facts about the bytes. */
export interface ExtractOptions {
  /** Name or path; only its base name is kept. Default: the name of a File. */
  readonly filename?: string | undefined;
  /**
   * As in an HTTP Content-Type, parameters allowed. The content decides when the two disagree. Default: the type of a
   * File or Blob.
   */
  readonly contentType?: string | undefined;
  /** The result of an earlier {@link detectKind} for these bytes. Default: detected here. */
  readonly kind?: Kind | undefined;
  /**
   * What happens to running heads, page numbers, line numbers and stamps of a PDF: `'drop'` (the default) takes them
   * out of the text into `furniture`, by evidence only (repetition at one height, the file's tags, known stamps);
   * `'keep'` leaves them in the text. Other kinds have none.
   */
  readonly furniture?: 'drop' | 'keep' | undefined;
  /**
   * The part of a web page that is read: `'all'` (the default), or `'main'`, its main content alone: without headers,
   * footers and side bars, lists of links and what else stands around the article. A page without a main content that
   * can be told is read as a whole. Other kinds ignore it.
   */
  readonly content?: 'all' | 'main' | undefined;
  /**
   * The place of link targets: `'data'` (the default) is `Document.links`, with the words alone in the text;
   * `'markdown'` is the text itself, as `[words](target)` and `![description](target)`. Plain text and Markdown ignore
   * it: their text stays as it is.
   */
  readonly links?: 'data' | 'markdown' | undefined;
  /**
   * Address of the document: relative targets of its links are resolved against it. A page's own `<base>` comes first.
   * Default: relative targets stay as they are written.
   */
  readonly url?: string | undefined;
  /** Checked before the work and between the pages of a PDF; a page once begun is finished. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called after each page of a PDF, which is some three quarters of the work; the layout follows the last page. Not
   * called for other kinds, which have no pages. Reading of a damaged file may begin once more.
   */
  readonly onPage?: ((progress: PageProgress) => void) | undefined;
}

/**
 * Reads a PDF, DOCX, HTML, Markdown or text document.
 *
 * Rejects with an {@link ExtractError} when the document is unreadable, with the signal's reason when aborted, with a
 * TypeError for unknown options and other inputs. Neither changes nor keeps the bytes.
 *
 * @example
 * const document = await extract(await readFile('report.pdf'), { filename: 'report.pdf' });
 * console.log(document.pages.length, document.text.slice(0, 80));
 */
export async function extract(input: ExtractInput, options: ExtractOptions = {}): Promise<Document> {
  assertInput(input);
  assertOptions('extract', options, RULES);
  const { kind, furniture, content, links, url, signal, onPage } = options;
  signal?.throwIfAborted();
  const { bytes, ...own } = await bytesOf(input, signal);
  const { filename = own.filename, contentType = own.contentType } = options;
  const reader = await loadReader(kind ?? (await detectKind(bytes, { filename, contentType })));
  const { charset } = parseContentType(contentType);
  const document = await reader.read({
    bytes,
    filename: baseName(filename),
    charset,
    furniture,
    content,
    links,
    url,
    signal,
    onPage,
  });
  signal?.throwIfAborted();
  if (document.text.trim() === '') throw new ExtractError('empty_document');
  return Object.assign(document, { reader: `${reader.kind}-${reader.version}` });
}

const RULES = {
  ...HINT_RULES,
  kind: {
    holds: (value: unknown) => READERS.some(({ kind }) => kind === value),
    expected: `one of ${READERS.map(({ kind }) => kind).join(', ')}`,
  },
  furniture: {
    holds: (value: unknown) => value === 'drop' || value === 'keep',
    expected: "'drop' or 'keep'",
  },
  content: {
    holds: (value: unknown) => value === 'all' || value === 'main',
    expected: "'all' or 'main'",
  },
  links: {
    holds: (value: unknown) => value === 'data' || value === 'markdown',
    expected: "'data' or 'markdown'",
  },
  url: {
    holds: (value: unknown) => typeof value === 'string' && URL.canParse(value),
    expected: 'an absolute address',
  },
  signal: {
    holds: (value: unknown) => typeof (Object(value) as Partial<AbortSignal>).throwIfAborted === 'function',
    expected: 'an AbortSignal',
  },
  onPage: { holds: (value: unknown) => typeof value === 'function', expected: 'a function' },
} as const;

async function loadReader(kind: Kind): Promise<Reader> {
  const entry = READERS.find((candidate) => candidate.kind === kind);
  if (entry === undefined) throw new Error(`No reader is registered for ${kind}.`);
  return entry.load();
}

/** Either separator, because the name may come from any system; empty names are no names. */
function baseName(filename: string | undefined): string | undefined {
  return filename?.split(/[/\\]/).findLast((part) => part !== '');
}
