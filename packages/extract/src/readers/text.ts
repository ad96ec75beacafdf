// Plain text and Markdown: decoded, form feeds turned into pages, blocks found by core.
import { documentFromText, type Document, type TextKind } from '@grainline/core';
import { decodeText } from '../decode.ts';
import type { Reader, Source } from '../reader.ts';

/** Endings of source code, which is cut as such. */
const CODE =
  /\.(?:[cm]?[jt]sx?|pyi?|go|rs|java|[ch](?:pp|xx|c|h)?|c\+\+|cs|rb|php|ps1|(?:ba|z)?sh|sql|ya?ml|jsonc?|toml|s?css|less|kts?|swift|scala|lua|p[lm])$/i;

/** Endings of delimited values, which are a table. */
const DELIMITED = /\.[ct]sv$/i;

/** Reads plain text. Source code, CSV, JSON and logs are plain text too; code and CSV have blocks of their own. */
export const TXT: Reader = {
  kind: 'txt',
  extensions: ['txt', 'text'],
  mediaTypes: ['text/plain'],
  read: (source) => readText(source, kindNamed(source.filename ?? '')),
};

/** Reads Markdown as it is written; its marks stay in the text. */
export const MARKDOWN: Reader = {
  kind: 'markdown',
  extensions: ['md', 'markdown'],
  mediaTypes: ['text/markdown', 'text/x-markdown'],
  read: (source) => readText(source, 'markdown'),
};

function kindNamed(filename: string): TextKind {
  if (CODE.test(filename)) return 'code';
  return DELIMITED.test(filename) ? 'csv' : 'text';
}

async function readText({ bytes, charset, filename }: Source, kind: TextKind): Promise<Document> {
  const { text, warnings } = await decodeText(bytes, charset);
  const pages = pageStarts(text);
  // A form feed is worth nothing to a reader of chunks; a line feed of the same length keeps every offset.
  const plain = pages.length === 0 ? text : text.replaceAll('\f', '\n');
  return documentFromText(plain, { kind, filename, pages, warnings });
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
