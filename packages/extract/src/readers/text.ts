// Plain text and Markdown: decoded, form feeds turned into pages, blocks found by core.
import { documentFromText, type Document, type TextKind, type TextOptions } from '@grainline/core';
import { decodeText } from '../encoding/decode.ts';
import { choosePages, pagesIn } from '../pages.ts';
import type { Reader, Source } from '../reader.ts';

/** Endings of delimited values, which are a table. */
const DELIMITED = /\.[ct]sv$/i;

/** An ending that fixes the kind of a text; `.txt` does not, and Markdown has that ending as often as prose. */
const KIND_ENDING = /\.(?!te?xt$)[^.]+$/i;

/**
 * Reads plain text. Source code, CSV, JSON and logs are plain text too; code and CSV have blocks of their own. The
 * content decides when the name does not.
 */
export const TXT: Reader = {
  kind: 'txt',
  version: 1,
  extensions: ['txt', 'text'],
  mediaTypes: ['text/plain'],
  read: (source) => readText(source, kindNamed(source.filename ?? '')),
};

/** Reads Markdown unchanged; its marks stay in the text. */
export const MARKDOWN: Reader = {
  kind: 'markdown',
  version: 1,
  extensions: ['md', 'markdown', 'mdx', 'mkd', 'mdown', 'qmd', 'rmd'],
  mediaTypes: ['text/markdown', 'text/x-markdown'],
  read: (source) => readText(source, 'markdown'),
};

/** The kind of a text by its name; `undefined` when the name does not show it. */
function kindNamed(filename: string): TextKind | undefined {
  // Core has the endings of source code.
  if (documentFromText('.', { filename }).blocks[0]?.kind === 'code') return 'code';
  if (DELIMITED.test(filename)) return 'csv';
  return KIND_ENDING.test(filename) ? 'text' : undefined;
}

async function readText(source: Source, kind: TextKind | undefined): Promise<Document> {
  const { bytes, charset, filename } = source;
  const { text: decoded, warnings } = await decodeText(bytes, charset);
  const text = kind === 'code' ? decoded : asShown(decoded);
  const starts = pageStarts(text);
  // A form feed has no use for a reader of chunks; a line feed of the same length keeps every offset.
  const plain = starts.length === 0 ? text : text.replaceAll('\f', '\n');
  if (source.pages === undefined) return documentFromText(plain, { kind, filename, pages: starts, warnings });
  return chosenPages(plain, starts, source.pages, { kind, filename, warnings });
}

/** A document of the chosen pages of a text. */
function chosenPages(
  text: string,
  starts: readonly number[],
  wanted: string,
  options: TextOptions,
): Document {
  const [pieces, pages]: [string[], number[]] = [[], []];
  let [length, pagesRead] = [0, 0];
  for (const page of pagesIn(choosePages(wanted, starts.length))) {
    while (pages.length < page) pages.push(length);
    const piece = text.slice(starts[page - 1], starts[page]);
    pieces.push(piece);
    length += piece.length;
    pagesRead++;
  }
  return Object.assign(documentFromText(pieces.join(''), { ...options, pages }), { pagesRead });
}

/**
 * Colours and titles of terminals: control sequences and operating system commands (ECMA-48, sections 5.4 and 8.3.89),
 * other escapes.
 */
// eslint-disable-next-line no-control-regex
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)|[ -/]*[0-~])/g;
/**
 * A letter struck over by the next one, as printers and manual pages made bold and underlined ones; the remaining
 * letters strike over nothing.
 */
// eslint-disable-next-line no-control-regex
const STRUCK_OVER = /[^\n\x08]?\x08/gu;

/** A text as a terminal or a printer shows it: without escapes, letters struck over, and the end mark of DOS. */
function asShown(text: string): string {
  let shown = text;
  if (shown.includes('\x1b')) shown = shown.replace(ESCAPES, '');
  if (shown.includes('\b')) shown = shown.replace(STRUCK_OVER, '');
  return shown.endsWith('\x1a') ? shown.slice(0, -1) : shown;
}

/** Page starts as form feeds set them; none without form feeds. A form feed that ends the text opens no page. */
function pageStarts(text: string): number[] {
  let feed = text.indexOf('\f');
  if (feed === -1) return [];
  const end = text.trimEnd().length;
  const starts = [0];
  for (; feed !== -1 && feed < end; feed = text.indexOf('\f', feed + 1)) starts.push(feed + 1);
  return starts;
}
