// Turns a text into a Document: finds the blocks of Markdown, plain text, code and delimited values. Extraction calls
// it for TXT and Markdown files; PDF, HTML and DOCX bring a block tree of their own. It takes linear time, and the
// leaves of its trees cover all text that is not blank.
import type { Block, Document, Warning } from '../document.ts';
import { assertNoIssues, assertObject, unknownOptionIssues } from '../errors.ts';
import { csvBlocks } from './csv.ts';
import { guessKind, isCodeName, type TextKind } from './guess.ts';
import { markdownBlocks } from './markdown.ts';
import { plainBlocks } from './plain.ts';

export type { TextKind } from './guess.ts';

/** Facts about a text that its characters do not show. */
export interface TextOptions {
  /**
   * The syntax of a string. Default: code or `csv` by the ending of the filename (.py, .csv); else code or Markdown
   * when the text looks like it; else plain text.
   */
  readonly kind?: TextKind | undefined;
  /** Language of the code, by a common name. A text with a language is code. Default: the ending of the filename. */
  readonly language?: string | undefined;
  readonly filename?: string | undefined;
  /** Offset at which each page starts, the first being 0. Default: no pages. */
  readonly pages?: readonly number[] | undefined;
  readonly warnings?: readonly Warning[] | undefined;
}

const OPTIONS: readonly string[] = [
  'kind',
  'language',
  'filename',
  'pages',
  'warnings',
] satisfies (keyof TextOptions)[];

const MEDIA_TYPES: Readonly<Record<TextKind, string>> = {
  markdown: 'text/markdown',
  text: 'text/plain',
  code: 'text/plain',
  csv: 'text/csv',
};

/**
 * Makes a {@link Document} of a string. The text is taken as it is. Kind and blocks are found when they are first used,
 * because the free tier never uses them.
 *
 * @throws ChunkError `invalid_options` for unknown options
 */
export function documentFromText(text: string, options: TextOptions = {}): Document {
  assertObject(options);
  assertNoIssues(unknownOptionIssues(options, OPTIONS, 'documentFromText'));
  return new TextDocument(text, options);
}

/** A document made of a string. It finds its blocks once, at their first use. */
class TextDocument implements Document {
  readonly text: string;
  readonly pages: readonly number[];
  readonly warnings: readonly Warning[];
  /** Only declared, so that the key is absent in a document without a name. */
  declare readonly filename?: string;
  readonly #language: string | undefined;
  #kind: TextKind | undefined;
  #blocks: readonly Block[] | undefined;

  constructor(text: string, { kind, language, filename, pages = [], warnings = [] }: TextOptions) {
    this.text = text;
    this.pages = pages;
    this.warnings = warnings;
    if (filename !== undefined) this.filename = filename;
    this.#language = (language ?? /\.(?!te?xt$)(\w+)$/i.exec(filename ?? '')?.[1])?.toLowerCase();
    if (language !== undefined || isCodeName(filename ?? '')) kind ??= 'code';
    else if (this.#language === 'csv' || this.#language === 'tsv') kind ??= 'csv';
    this.#kind = kind;
    Object.defineProperties(this, OWN_GETTERS);
  }

  get blocks(): readonly Block[] {
    return (this.#blocks ??= blocksOf(this.text, this.#readAs(), this.#language));
  }

  get mediaType(): string {
    return MEDIA_TYPES[this.#readAs()];
  }

  #readAs(): TextKind {
    return (this.#kind ??= guessKind(this.text));
  }
}

/**
 * Each document gets the getters as members of its own, so that it can be spread. All documents share the same two
 * functions. V8 keeps the functions of an object literal until the next full collection. A getter for each document
 * would keep its text for that long, and so cause such collections.
 */
const { blocks, mediaType } = Object.getOwnPropertyDescriptors(TextDocument.prototype);
blocks.enumerable = mediaType.enumerable = true;
const OWN_GETTERS: PropertyDescriptorMap = { blocks, mediaType };

/**
 * The blocks of a text that is read as `kind`, with the properties that {@link Block} promises. Linear in the length.
 */
export function blocksOf(text: string, kind: TextKind, language?: string): readonly Block[] {
  if (kind === 'markdown') return markdownBlocks(text);
  if (kind === 'text') return plainBlocks(text);
  if (kind === 'csv') return csvBlocks(text);
  if (text.trim() === '') return [];
  return [{ kind: 'code', start: 0, end: text.length, ...(language && { language }) }];
}
