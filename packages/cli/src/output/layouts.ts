// The layouts: document + chunks + records → pieces of text. A new layout is an entry in the table.
import type { LayoutId } from '../args/request.ts';
import { estimatePages, type Warning } from '@grainline/core';
import { coverageOf, type SourceCoverage } from '@grainline/core/formats';
import { chunksFoot, chunksHead, renderHtml } from './html.ts';
import { pagesHead, renderPages } from './html-pages.ts';
import type { LayoutInput, Layout, Totals } from './layout.ts';
import { renderView } from './view.ts';

/** Every layout. `--format` selects `text`; an option of the same name selects each other one. */
export const LAYOUTS = {
  jsonl: { ending: '.jsonl', hasRecords: true, render: renderLines },
  json: { ending: '.json', hasRecords: true, render: renderObject },
  text: { ending: '.txt', hasRecords: false, render: renderText },
  view: { ending: '.txt', hasRecords: false, render: renderView },
  html: {
    ending: '.html',
    hasRecords: false,
    hasReasons: true,
    head: (shown) => chunksHead(shown),
    render: renderHtml,
    foot: chunksFoot,
  },
  'html-pages': {
    ending: '.html',
    hasRecords: false,
    hasReasons: true,
    showsPages: true,
    head: pagesHead,
    render: renderPages,
    foot: chunksFoot,
  },
  'dry-run': {
    ending: '.txt',
    hasRecords: false,
    head: () => countsRow('pages', 'characters', 'chunks', 'file'),
    render: ({ shown, ...finished }) => {
      const { pages, characters, chunks } = countsOf(finished);
      return [countsRow(pages, characters, chunks, shown)];
    },
    foot: ({ documents, pages, characters, chunks }) =>
      documents > 1 ? countsRow(pages, characters, chunks, `total of ${documents} files`) : '',
  },
} as const satisfies Readonly<Record<LayoutId, Layout>>;

/**
 * Name of the file that `--out` writes for an input: `a.pdf.jsonl`. An input with the ending of the outputs keeps it
 * once: `wiki.html` becomes `wiki.chunks.html`.
 */
export function outputNameOf(input: string, layout: LayoutId): string {
  const { ending } = LAYOUTS[layout];
  if (!input.toLowerCase().endsWith(ending)) return `${input}${ending}`;
  return `${input.slice(0, -ending.length)}.chunks${ending}`;
}

/** The counts that a document adds to the totals. */
export function countsOf({
  document,
  chunks,
}: Pick<LayoutInput, 'document' | 'chunks'>): Omit<Totals, 'documents'> {
  return { pages: estimatePages(document), characters: document.text.length, chunks: chunks.length };
}

/** All warnings about a document. */
export function warningsOf({ document, formatted, modelWarnings, drawn }: LayoutInput): readonly Warning[] {
  return [...document.warnings, ...formatted.warnings, ...modelWarnings, ...(drawn?.warnings ?? [])];
}

function* renderLines({ documentId, recordsNameDocument, formatted }: LayoutInput): Generator<string> {
  const document = recordsNameDocument ? {} : { document_id: documentId };
  yield* linesOf(formatted.records, document);
}

/** A line of JSON for each record, with shared members. */
export function* linesOf(records: Iterable<object>, shared: object): Generator<string> {
  for (const record of records) yield `${JSON.stringify({ ...shared, ...record })}\n`;
}

/** The members of the service's answer. */
function renderObject(finished: LayoutInput): Iterable<string> {
  const { records, extras } = finished.formatted;
  const beside = finished.recordsNameDocument ? extras : { ...extras, source: sourceOf(finished) };
  return objectOf(aboutDocument(finished), records, beside);
}

/**
 * One object on one line, with its chunks between other members. It comes in pieces, because the whole may exceed the
 * longest string.
 */
export function* objectOf(head: object, chunks: Iterable<object>, rest: object): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"chunks":[`;
  let separator = '';
  for (const chunk of chunks) {
    yield separator + JSON.stringify(chunk);
    separator = ',';
  }
  yield ']';
  for (const [name, value] of Object.entries(rest)) yield `,${JSON.stringify(name)}:${JSON.stringify(value)}`;
  yield '}\n';
}

/** The data that proves the chunks complete; records for databases go without it. */
function sourceOf({ document, chunks }: LayoutInput): SourceCoverage {
  return coverageOf(document, chunks);
}

function aboutDocument({ document, chunks, sizeBytes, tier, documentId, cohesion }: LayoutInput): object {
  const metadata = {
    document_id: documentId,
    filename: document.filename,
    content_type: document.mediaType,
    reader: document.reader,
    size_bytes: sizeBytes,
    estimated_pages: estimatePages(document),
    cohesion,
  };
  return { tier, total_chunks: chunks.length, metadata };
}

/** Separates chunks for reading. A chunk's text may contain such a line, so programs need another layout. */
const DIVIDER = '---\n';

function renderText({ chunks }: LayoutInput): Iterable<string> {
  return dividedTexts(chunks.map(({ text }) => text));
}

/** Texts, each followed by the divider. */
export function* dividedTexts(texts: Iterable<string>): Generator<string> {
  for (const text of texts) yield `${text}${text.endsWith('\n') ? '' : '\n'}${DIVIDER}`;
}

/** Numbers come first, so that names of any width keep the columns. */
export function countsRow(
  pages: number | string,
  characters: number | string,
  chunks: number | string,
  name: string,
): string {
  return `${String(pages).padStart(7)} ${String(characters).padStart(11)} ${String(chunks).padStart(8)}  ${name}\n`;
}
