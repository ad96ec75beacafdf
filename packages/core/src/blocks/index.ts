// Text → Document: finds the blocks of Markdown and plain text. Extraction calls it for TXT and Markdown files;
// PDF, HTML and DOCX bring a tree of their own. Promises linear time and leaves that cover all non-blank text.
import type { Block, Document, Warning } from '../document.ts';
import { refuse, refuseNonObject, unknownOptionFaults } from '../errors.ts';
import { csvBlocks } from './csv.ts';
import { guessKind, type TextKind } from './guess.ts';
import { markdownBlocks } from './markdown.ts';
import { plainBlocks } from './plain.ts';

export type { TextKind } from './guess.ts';

/** What is known of a text besides its characters. */
export interface TextOptions {
  /**
   * Default: `csv` by the ending of the filename (.csv, .tsv); Markdown or code when the text looks like it, else plain
   * text.
   */
  readonly kind?: TextKind | undefined;
  /** Language of the code, as an author writes it. A text that has one is code. Default: the ending of the filename. */
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
 * Wraps a string as a {@link Document}. The text is taken as it is; kind and blocks are found on first use,
 * because the free tier never asks for them.
 *
 * @throws ChunkError `invalid_options` for options that it does not take
 */
export function documentFromText(text: string, options: TextOptions = {}): Document {
  refuseNonObject(options);
  refuse(unknownOptionFaults(options, OPTIONS, 'documentFromText'));
  return new TextDocument(text, options);
}

/** A string as a document: what stands in it is found when somebody asks, and once. */
class TextDocument implements Document {
  readonly text: string;
  readonly pages: readonly number[];
  readonly warnings: readonly Warning[];
  /** Not there at all when nobody has named it. */
  declare readonly filename?: string;
  readonly #language: string | undefined;
  #kind: TextKind | undefined;
  #blocks: readonly Block[] | undefined;

  constructor(text: string, { kind, language, filename, pages = [], warnings = [] }: TextOptions) {
    this.text = text;
    this.pages = pages;
    this.warnings = warnings;
    if (filename !== undefined) this.filename = filename;
    this.#language = (language ?? /\.(\w+)$/.exec(filename ?? '')?.[1])?.toLowerCase();
    if (language !== undefined) kind ??= 'code';
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
 * The getters once more, as members of each document's own, so that it can be spread. The functions are the same for
 * all: V8 keeps those that an object is made with in its map, and the map until the next full collection. A getter of
 * each document's own would keep its text that long, and so bring these collections about.
 */
const { blocks, mediaType } = Object.getOwnPropertyDescriptors(TextDocument.prototype);
blocks.enumerable = mediaType.enumerable = true;
const OWN_GETTERS: PropertyDescriptorMap = { blocks, mediaType };

/** Blocks of a text that is read as `kind`; see {@link Block} for what holds of them. Linear in the length. */
export function blocksOf(text: string, kind: TextKind, language?: string): readonly Block[] {
  if (kind === 'markdown') return markdownBlocks(text);
  if (kind === 'text') return plainBlocks(text);
  if (kind === 'csv') return csvBlocks(text);
  if (text.trim() === '') return [];
  return [{ kind: 'code', start: 0, end: text.length, ...(language && { language }) }];
}
