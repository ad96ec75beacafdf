// Text → Document: finds the blocks of Markdown and plain text. Extraction calls it for TXT and Markdown files;
// PDF, HTML and DOCX bring a tree of their own. Promises linear time and leaves that cover all non-blank text.
import type { Block, Document, Warning } from '../document.ts';
import { refuse, refuseNoObject, strangerFaults } from '../errors.ts';
import { csvBlocks } from './csv.ts';
import { guessKind, type TextKind } from './guess.ts';
import { markdownBlocks } from './markdown.ts';
import { plainBlocks } from './plain.ts';

export type { TextKind } from './guess.ts';

/** What is known of a text besides its characters. */
export interface TextOptions {
  /** Default: `csv` by the ending of the filename (.csv, .tsv); Markdown or code when the text looks like it, else plain text. */
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
  refuseNoObject(options);
  refuse(strangerFaults(options, OPTIONS, 'documentFromText'));
  let blocks: readonly Block[] | undefined;
  let { kind } = options;
  if (options.language !== undefined) kind ??= 'code';
  const language = (options.language ?? /\.(\w+)$/.exec(options.filename ?? '')?.[1])?.toLowerCase();
  if (language === 'csv' || language === 'tsv') kind ??= 'csv';
  return {
    text,
    get blocks() {
      return (blocks ??= blocksOf(text, (kind ??= guessKind(text)), language));
    },
    pages: options.pages ?? [],
    get mediaType() {
      return MEDIA_TYPES[(kind ??= guessKind(text))];
    },
    ...(options.filename === undefined ? undefined : { filename: options.filename }),
    warnings: options.warnings ?? [],
  };
}

/** Blocks of a text that is read as `kind`; see {@link Block} for what holds of them. Linear in the length. */
export function blocksOf(text: string, kind: TextKind, language?: string): readonly Block[] {
  if (kind === 'markdown') return markdownBlocks(text);
  if (kind === 'text') return plainBlocks(text);
  if (kind === 'csv') return csvBlocks(text);
  if (text.trim() === '') return [];
  return [{ kind: 'code', start: 0, end: text.length, ...(language && { language }) }];
}
