// The entry point: input → bytes → kind → reader → Document. The first stage of the pipeline; later stages never see
// bytes.
import type { Document } from '@grainline/core';
import type { OptionEntry, SurfaceValues } from '@grainline/core/options';
import { asBytes } from './bytes.ts';
import { ExtractError, assertOptions, type OptionRule } from './errors.ts';
import { finishDocument } from './finish.ts';
import { assertInput, bytesOf, type ExtractInput } from './input.ts';
import { detectKind, HINT_RULES, parseContentType } from './kind.ts';
import { choosePages } from './pages.ts';
import type { Ocr } from './ocr.ts';
import type { Kind, PageProgress, PdfiumSource, Reader, Source } from './reader.ts';
import { IMAGES, READERS } from './readers/index.ts';

/** Options that change the text, for every kind of document; a kind to which one does not apply ignores it. */
export interface ReadingOptions extends SurfaceValues<'extract'> {
  /**
   * Pages to read: numbers and ranges from 1, as `'3-7'`, `'1,4-6'` or `'9-'`. Default: all. Pages keep their numbers;
   * the others are empty ones, and no page behind the last chosen one is there. Kinds are PDF, and text with form
   * feeds; other kinds reject with `no_such_pages`, as does a range that begins after the last page.
   */
  readonly pages?: string | undefined;
  /**
   * Opens an encrypted PDF: the password of its users or of its owner. Documents that need none ignore it. A wrong one
   * rejects with `wrong_password`. No error holds it.
   */
  readonly password?: string | undefined;
  /**
   * What happens to running heads, page numbers, line numbers and stamps of a PDF, and to the navigation, consent
   * banners, skip links and edit links of a web page: `'drop'` (the default) takes them out of the text into
   * `furniture`, by evidence only (in a PDF repetition at one height, the file's tags, known stamps; in a page
   * elements, roles and known names, unless they hold sentences); `'keep'` leaves them in the text. Other kinds have
   * none.
   */
  readonly furniture?: 'drop' | 'keep' | undefined;
  /**
   * What happens to the line breaks inside the paragraphs and items of a PDF: `'join'` (the default) makes each one
   * line of text and mends words divided by a hyphen; verse, addresses, labels, code and lists of contents keep their
   * breaks, which the room left in their lines shows. `'keep'` leaves every break of the page; divided words are mended
   * all the same. Other kinds ignore it: DOCX and HTML have no wrapped lines, Markdown and plain text stay as typed.
   */
  readonly lines?: 'join' | 'keep' | undefined;
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
   * When true, `Document.regions` has the place of every character on the pages of a PDF, for `regionsOf` of
   * `@grainline/core`: at most 30 bytes a character, and `Document.paragraphs` the numbers of the paragraphs
   * of a DOCX, for `anchorOf`. Text and blocks are the same. Other kinds ignore it. Default false.
   */
  readonly regions?: boolean | undefined;
  /**
   * Pages of a PDF that the option `ocr` reads: `'missing'` (the default) are those without text and those whose fonts
   * do not say which characters they show; `'all'` are all of them, for files with a text layer that is wrong. A page
   * that OCR cannot read keeps its text. Ignored without `ocr`.
   */
  readonly ocrPages?: 'missing' | 'all' | undefined;
}

/** The caller's facts about the bytes, and how to read them. */
export interface ExtractOptions extends ReadingOptions {
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
   * Address of the document: relative targets of its links are resolved against it. A page's own `<base>` comes first.
   * Default: relative targets stay as they are written.
   */
  readonly url?: string | undefined;
  /**
   * The file `pdfium.wasm` of the package `@embedpdf/pdfium`, for bundles whose bundler does not copy it: its address,
   * in Node also its path, or its bytes. It loads once, with the first PDF. Default: the file that the bundler has
   * copied; in Node, that of the installed package.
   */
  readonly pdfium?: PdfiumSource | undefined;
  /**
   * Reads pictures of pages: a function of `@grainline/ocr`, or of your own. Pages of a PDF are drawn for it; files of
   * pictures (PNG, JPEG, TIFF, WebP) are a kind of document with it. Default: pages without text reject with `no_text`
   * or are named in a warning.
   */
  readonly ocr?: Ocr | undefined;
  /** Languages of the text in pictures, as the engine names them: `'eng'`, `'deu+fra'`. Default: the engine's own. */
  readonly ocrLanguage?: string | undefined;
  /**
   * Most pages that OCR reads, from 1. A document with more rejects with `too_many_scanned_pages` before the first is
   * read; a picture is one page. Files inside a message share the bound. Default: any number.
   */
  readonly maxOcrPages?: number | undefined;
  /** Called after each page that OCR has read; `total` counts those pages alone. */
  readonly onOcrPage?: ((progress: PageProgress) => void) | undefined;
  /** Checked before the work and between the pages of a PDF; a page once begun is finished. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called after each page of a PDF, which is some three quarters of the work; the layout follows the last page. Not
   * called for other kinds, which have no pages. Reading of a damaged file may begin once more.
   */
  readonly onPage?: ((progress: PageProgress) => void) | undefined;
}

/**
 * Reads a document of any kind in {@link READERS}.
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
  assertOptions('extract', options, (rules ??= await loadRules()));
  const { kind, signal, ...reading } = options;
  signal?.throwIfAborted();
  const { bytes, ...own } = await bytesOf(input, signal);
  const { filename = own.filename, contentType = own.contentType } = options;
  const images = options.ocr !== undefined;
  const reader = await loadReader(kind ?? (await detectKind(bytes, { filename, contentType, images })));
  const { charset } = parseContentType(contentType);
  const document = await reader.read({
    ...reading,
    ...enclosing({ ...reading, signal }),
    bytes,
    filename: baseName(filename),
    charset,
    signal,
  });
  signal?.throwIfAborted();
  choosePages(options.pages, document.pages.length);
  return finishDocument(document, reader);
}

/** Files inside a document: nested at most so deep, and so many in all. */
const MAX_DEPTH = 3;
const MAX_PARTS = 100;

/** The bounds and the reading of files inside a document, which share one account. */
function enclosing({
  password,
  furniture,
  lines,
  content,
  links,
  pdfium,
  ocr,
  ocrPages,
  ocrLanguage,
  maxOcrPages,
  signal,
}: Omit<Source, 'bytes'>): Pick<Source, 'spent' | 'readInside'> {
  const reading = {
    ...{ password, furniture, lines, content, links, pdfium, signal },
    ...{ ocr, ocrPages, ocrLanguage, maxOcrPages },
  };
  const spent = { tags: 0, bytes: 0, ocrPages: 0 };
  let parts = 0;
  const readAt =
    (depth: number): Source['readInside'] =>
    async (bytes, hints) => {
      signal?.throwIfAborted();
      if (depth > MAX_DEPTH)
        throw new ExtractError('too_complex', { detail: 'files inside files inside files' });
      if (++parts > MAX_PARTS)
        throw new ExtractError('too_complex', { detail: `more than ${MAX_PARTS} files inside` });
      const reader = await loadReader(await detectKind(bytes, hints));
      const { charset } = parseContentType(hints.contentType);
      const filename = baseName(hints.filename);
      return reader.read({ ...reading, bytes, filename, charset, spent, readInside: readAt(depth + 1) });
    };
  return { spent, readInside: readAt(1) };
}

/**
 * Parts that the first call loads. An import takes 0.1 ms even when its module is there, which is a tenth of the time
 * of a short document.
 */
let rules: Readonly<Record<string, OptionRule>> | undefined;
const loaded = new Map<Kind, Reader>();

async function loadRules(): Promise<Readonly<Record<string, OptionRule>>> {
  const { optionsOf, takesText } = await import('@grainline/core/options');
  const reading = optionsOf('extract').map(({ name, entry }) => [name, ruleOf(entry, takesText)] as const);
  return { ...RULES, ...Object.fromEntries<OptionRule>(reading) };
}

const FUNCTION: OptionRule = { holds: (value) => typeof value === 'function', expected: 'a function' };

const RULES = {
  ...HINT_RULES,
  kind: {
    holds: (value: unknown) => [...READERS, IMAGES].some(({ kind }) => kind === value),
    expected: `one of ${READERS.map(({ kind }) => kind).join(', ')}`,
  },
  url: {
    holds: (value: unknown) => typeof value === 'string' && URL.canParse(value),
    expected: 'an absolute address',
  },
  pdfium: {
    holds: (value: unknown) =>
      typeof value === 'string' || value instanceof URL || asBytes(value) !== undefined,
    expected: 'the address or the bytes of pdfium.wasm',
  },
  signal: {
    holds: (value: unknown) => typeof (Object(value) as Partial<AbortSignal>).throwIfAborted === 'function',
    expected: 'an AbortSignal',
  },
  ocr: { ...FUNCTION, expected: 'a function, such as createOcr of @grainline/ocr makes' },
  ocrLanguage: { holds: (value: unknown) => typeof value === 'string' && value !== '', expected: 'a name' },
  maxOcrPages: {
    holds: (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1,
    expected: 'an integer from 1',
  },
  onOcrPage: FUNCTION,
  onPage: FUNCTION,
} as const;

/** The rule of an option in the table. */
function ruleOf(entry: OptionEntry, takesText: (entry: OptionEntry, text: string) => boolean): OptionRule {
  const { type, choices, pattern: [, expected] = ['', 'a string'] } = entry;
  if (choices !== undefined)
    return {
      holds: (value) => choices.includes(value as string),
      expected: choices.map((word) => `'${word}'`).join(' or '),
    };
  if (type === 'flag') return { holds: (value) => typeof value === 'boolean', expected: 'true or false' };
  return { holds: (value) => typeof value === 'string' && takesText(entry, value), expected };
}

async function loadReader(kind: Kind): Promise<Reader> {
  const known = loaded.get(kind);
  if (known !== undefined) return known;
  const entry = [...READERS, IMAGES].find((candidate) => candidate.kind === kind);
  if (entry === undefined) throw new Error(`No reader is registered for ${kind}.`);
  const reader = await entry.load();
  loaded.set(kind, reader);
  return reader;
}

/** Either separator, because the name may come from any system; empty names are no names. */
function baseName(filename: string | undefined): string | undefined {
  return filename?.split(/[/\\]/).findLast((part) => part !== '');
}
