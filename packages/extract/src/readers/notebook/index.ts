// Jupyter notebook → Document: Markdown cells as they are, code cells and their outputs as code blocks. Nothing is run,
// and no picture is read.
import { documentFromText, type Document } from '@grainline/core';
import { decodeText } from '../../encoding/decode.ts';
import { ExtractError } from '../../errors.ts';
import type { Reader } from '../../reader.ts';
import { titleOf } from '../../title.ts';
import { longestRun } from '../../tree/inline.ts';

/** Reads notebooks of Jupyter (nbformat 4, and 3 with its worksheets). */
export const NOTEBOOK: Reader = {
  kind: 'ipynb',
  version: 1,
  extensions: ['ipynb'],
  mediaTypes: ['application/x-ipynb+json'],
  read: async ({ bytes, charset, filename, signal }): Promise<Document> => {
    const { text: json, warnings } = await decodeText(bytes, charset);
    signal?.throwIfAborted();
    const notebook = parseNotebook(json);
    const shortened: unknown[] = [];
    const text = cellsOf(notebook)
      .map((cell) => markdownOf(cell, languageOf(notebook), shortened))
      .filter((piece) => piece !== '')
      .join('\n\n');
    if (text === '') throw new ExtractError('empty_document');
    const { blocks } = documentFromText(text, { kind: 'markdown' });
    return {
      text,
      blocks,
      pages: [],
      mediaType: NOTEBOOK.mediaTypes[0],
      ...(filename === undefined ? undefined : { filename }),
      ...titleOf(textOf(recordOf(notebook['metadata'])['title'])),
      warnings: [...warnings, ...(shortened.length > 0 ? [SHORTENED] : [])],
    };
  },
};

/** Longest output of a cell that is kept, in UTF-16 units: logs of training runs have hundreds of pages. */
const MAX_OUTPUT = 20_000;

const SHORTENED = {
  code: 'output_shortened',
  message: `Outputs of more than ${MAX_OUTPUT} characters were shortened in their middle.`,
} as const;

/** An object of JSON; its fields may be anything. */
type JsonRecord = Readonly<Record<string, unknown>>;

function parseNotebook(json: string): JsonRecord {
  try {
    return recordOf(JSON.parse(json));
  } catch (cause) {
    throw new ExtractError('corrupted', { detail: 'it is called a notebook, but is no JSON', cause });
  }
}

/** The cells, in order; those of all worksheets in version 3. */
function cellsOf(notebook: JsonRecord): JsonRecord[] {
  if (Array.isArray(notebook['cells'])) return notebook['cells'].map(recordOf);
  if (!Array.isArray(notebook['worksheets']))
    throw new ExtractError('corrupted', { detail: 'it is called a notebook, but holds no cells' });
  return notebook['worksheets'].flatMap((sheet) => listOf(recordOf(sheet)['cells'])).map(recordOf);
}

function languageOf(notebook: JsonRecord): string {
  const metadata = recordOf(notebook['metadata']);
  const name =
    textOf(recordOf(metadata['kernelspec'])['language']) ||
    textOf(recordOf(metadata['language_info'])['name']);
  return /^[\w+#.-]{1,40}$/.test(name) ? name.toLowerCase() : 'python';
}

/** A cell as Markdown; '' for one without text. Outputs that lose their middle are added to `shortened`. */
function markdownOf(cell: JsonRecord, language: string, shortened: unknown[]): string {
  const source = sourceOf(cell['source'] ?? cell['input']);
  switch (cell['cell_type']) {
    case 'markdown':
      return withoutPictures(source);
    case 'heading': {
      const level = Math.min(6, Math.max(1, Number(cell['level']) || 1));
      return source === '' ? '' : `${'#'.repeat(level)} ${source.replaceAll('\n', ' ')}`;
    }
    case 'code':
      return [
        fenced(source, language),
        ...listOf(cell['outputs']).map((output) => outputOf(recordOf(output), shortened)),
      ]
        .filter((piece) => piece !== '')
        .join('\n\n');
    // A raw cell is for a converter, in the format that its author names.
    default:
      return fenced(source, '');
  }
}

/** An output as text: what a terminal would show. Pictures and widgets have none. */
function outputOf(output: JsonRecord, shortened: unknown[]): string {
  switch (output['output_type']) {
    case 'stream':
      return fenced(shown(rawOf(output['text']), shortened), '');
    case 'error':
    case 'pyerr':
      return fenced(shown(rawOf(listOf(output['traceback']).map(textOf).join('\n')), shortened), '');
    default: {
      const data = recordOf(output['data'] ?? output);
      const markdown = sourceOf(data['text/markdown']);
      if (markdown !== '') return withoutPictures(markdown);
      return fenced(shown(rawOf(data['text/plain'] ?? data['text']), shortened), '');
    }
  }
}

/** Colours and cursor moves of terminals (ECMA-48, section 5.4). */
// eslint-disable-next-line no-control-regex
const ESCAPES = /\x1b\[[0-?]*[ -/]*[@-~]/g;

/** The last state of a progress bar, each of which begins with a carriage return. */
function afterReturn(line: string): string {
  return line.slice(line.lastIndexOf('\r') + 1);
}

/** An output as it stands on the screen at the end, its middle left out when it is long. */
function shown(text: string, shortened: unknown[]): string {
  const plain = text
    .replace(ESCAPES, '')
    .split('\n')
    .map((line) => afterReturn(line.endsWith('\r') ? line.slice(0, -1) : line))
    .join('\n');
  if (plain.length <= MAX_OUTPUT) return plain;
  shortened.push(text);
  const head = plain.slice(0, MAX_OUTPUT / 2);
  const tail = plain.slice(-MAX_OUTPUT / 2).replace(/^[^\n]*\n/, '');
  const lines = head.slice(0, head.lastIndexOf('\n') + 1);
  return `${lines === '' ? `${head}\n` : lines}…\n${tail}`.toWellFormed();
}

/** Code in a fence that no line of it ends (CommonMark 0.31.2, section 4.5). */
function fenced(text: string, language: string): string {
  const code = text.replace(/^(?:[\t ]*\n)+/, '').trimEnd();
  if (code === '') return '';
  const fence = '`'.repeat(Math.max(3, longestRun(code, '`') + 1));
  return `${fence}${language}\n${code}\n${fence}`;
}

/** Pictures inside the text itself: thousands of characters without a word. */
const PICTURE = /!\[([^[\]\n]*)\]\((?:data:|attachment:)[^)\s]*\)/g;

function withoutPictures(markdown: string): string {
  return markdown.replace(PICTURE, '$1').trim();
}

/** Text in one piece or as a list of lines, as every text of a document is. */
function sourceOf(value: unknown): string {
  return rawOf(value).replace(/\r\n?/g, '\n');
}

/** The same with its carriage returns, which move the cursor of a terminal. */
function rawOf(value: unknown): string {
  const text = Array.isArray(value) ? value.map(textOf).join('') : textOf(value);
  return text.replace(/[\0\uFEFF]/g, '').toWellFormed();
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function recordOf(value: unknown): JsonRecord {
  return typeof value === 'object' && value !== null ? (value as JsonRecord) : {};
}
