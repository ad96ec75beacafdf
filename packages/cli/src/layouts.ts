// How the chunks of one document are written down. Adding a layout is an entry in the table.
// Stands at the end of the line: Document + chunks + records → pieces of text.
import { hash } from 'node:crypto';
import { estimatePages, type Warning } from '@grainline/core';
import { coverageOf, type SourceCoverage } from '@grainline/core/formats';
import type { Finished, Layout, Totals } from './layout.ts';
import { renderView } from './view.ts';

/** Every layout; `text` is chosen with `--format`, the others with an option of the same name. */
export const LAYOUTS = {
  jsonl: { ending: '.jsonl', hasRecords: true, render: renderLines },
  json: { ending: '.json', hasRecords: true, render: renderObject },
  text: { ending: '.txt', hasRecords: false, render: renderText },
  view: { ending: '.txt', hasRecords: false, render: renderView },
  'dry-run': {
    ending: '.txt',
    hasRecords: false,
    head: countsRow('pages', 'characters', 'chunks', 'file'),
    render: ({ shown, ...finished }) => {
      const { pages, characters, chunks } = countsOf(finished);
      return [countsRow(pages, characters, chunks, shown)];
    },
    foot: ({ documents, pages, characters, chunks }) =>
      documents > 1 ? countsRow(pages, characters, chunks, `total of ${documents} files`) : '',
  },
} as const satisfies Readonly<Record<string, Layout>>;

/** Name of a layout. */
export type LayoutId = keyof typeof LAYOUTS;

/** What a document adds to the totals. */
export function countsOf({
  document,
  chunks,
}: Pick<Finished, 'document' | 'chunks'>): Omit<Totals, 'documents'> {
  return { pages: estimatePages(document), characters: document.text.length, chunks: chunks.length };
}

/** What there is to say about a document besides its chunks. */
export function warningsOf({ document, formatted, modelWarnings }: Finished): readonly Warning[] {
  return [...document.warnings, ...formatted.warnings, ...modelWarnings];
}

function* renderLines({ documentId, recordsNameDocument, formatted }: Finished): Generator<string> {
  const document = recordsNameDocument ? {} : { document_id: documentId };
  for (const record of formatted.records) yield `${JSON.stringify({ ...document, ...record })}\n`;
}

/** The members of the service's answer, on one line; record by record, because the whole may not fit a string. */
function* renderObject(finished: Finished): Generator<string> {
  const { records, extras } = finished.formatted;
  yield `${JSON.stringify(aboutDocument(finished)).slice(0, -1)},"chunks":[`;
  for (const [index, record] of records.entries()) yield (index === 0 ? '' : ',') + JSON.stringify(record);
  yield ']';
  const beside = finished.recordsNameDocument ? extras : { ...extras, source: sourceOf(finished) };
  for (const [name, value] of Object.entries(beside)) yield `,"${name}":${JSON.stringify(value)}`;
  yield '}\n';
}

/** What a reader checks the chunks by; records that databases take stand alone. */
function sourceOf({ document, chunks }: Finished): SourceCoverage {
  return coverageOf(document, chunks, { sha256: (text) => hash('sha256', text, 'hex') });
}

function aboutDocument({ document, chunks, sizeBytes, tier, documentId, cohesion }: Finished): object {
  const metadata = {
    document_id: documentId,
    filename: document.filename,
    content_type: document.mediaType,
    size_bytes: sizeBytes,
    estimated_pages: estimatePages(document),
    ...(cohesion === undefined ? {} : { cohesion }),
  };
  return { tier, total_chunks: chunks.length, metadata };
}

/** For reading: a chunk's text may hold such a line itself, so programs take one of the others. */
const DIVIDER = '---\n';

function* renderText({ chunks }: Finished): Generator<string> {
  for (const { text } of chunks) yield `${text}${text.endsWith('\n') ? '' : '\n'}${DIVIDER}`;
}

/** Numbers first, so that the width of the names does not matter. */
function countsRow(
  pages: number | string,
  characters: number | string,
  chunks: number | string,
  name: string,
): string {
  return `${String(pages).padStart(7)} ${String(characters).padStart(11)} ${String(chunks).padStart(8)}  ${name}\n`;
}
