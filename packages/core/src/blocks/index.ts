// Text → Document: finds the blocks of Markdown and plain text. Extraction calls it for TXT and Markdown files;
// PDF, HTML and DOCX bring a tree of their own. Promises linear time and leaves that cover all non-blank text.
import type { Block, Document, Warning } from '../document.ts';
import { markdownBlocks } from './markdown.ts';
import { plainBlocks } from './plain.ts';

/** How to read a string: as Markdown, as prose without marks, or as source code. */
export type TextKind = 'markdown' | 'text' | 'code';

/** What is known of a text besides its characters. */
export interface TextOptions {
  /** Default: Markdown when the text looks like it, else plain text. */
  readonly kind?: TextKind | undefined;
  readonly filename?: string | undefined;
  /** Offset at which each page starts, the first being 0. Default: no pages. */
  readonly pages?: readonly number[] | undefined;
  readonly warnings?: readonly Warning[] | undefined;
}

const MEDIA_TYPES: Readonly<Record<TextKind, string>> = {
  markdown: 'text/markdown',
  text: 'text/plain',
  code: 'text/plain',
};

/**
 * Wraps a string as a {@link Document}. The text is taken as it is; kind and blocks are found on first use,
 * because the free tier never asks for them.
 */
export function documentFromText(text: string, options: TextOptions = {}): Document {
  let blocks: readonly Block[] | undefined;
  let kind = options.kind;
  return {
    text,
    get blocks() {
      return (blocks ??= findBlocks(text, (kind ??= guessKind(text))));
    },
    pages: options.pages ?? [],
    get mediaType() {
      return MEDIA_TYPES[(kind ??= guessKind(text))];
    },
    ...(options.filename === undefined ? undefined : { filename: options.filename }),
    warnings: options.warnings ?? [],
  };
}

function findBlocks(text: string, kind: TextKind): readonly Block[] {
  if (kind === 'markdown') return markdownBlocks(text);
  if (kind === 'text') return plainBlocks(text);
  return text.trim() === '' ? [] : [{ kind: 'code', start: 0, end: text.length }];
}

/** How much of a text is looked at to tell Markdown from plain text, in UTF-16 units. */
const LOOK = 20_000;

/** Marks that plain prose does not begin lines with by chance: ATX headings, fences, table rules. */
const MARKDOWN_SIGNS = /^(?:#{1,6} \S|```|~~~|\|? *:?-{3,}:? *\|)/m;

function guessKind(text: string): TextKind {
  return MARKDOWN_SIGNS.test(text.slice(0, LOOK)) ? 'markdown' : 'text';
}
