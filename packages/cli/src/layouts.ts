// How the chunks of one document are written down. Adding a layout is an entry in the table.
// Stands at the end of the line: Document + chunks + records → pieces of text.
import { hash } from 'node:crypto';
import { estimatePages, type Warning } from '@grainline/core';
import { coverageOf, type SourceCoverage } from '@grainline/core/formats';
import { htmlFoot, htmlHead, renderHtml } from './html.ts';
import type { Finished, Layout, Totals } from './layout.ts';
import { renderView } from './view.ts';

/** Every layout; `text` is chosen with `--format`, the others with an option of the same name. */
export const LAYOUTS = {
  jsonl: { ending: '.jsonl', hasRecords: true, render: renderLines },
  json: { ending: '.json', hasRecords: true, render: renderObject },
  text: { ending: '.txt', hasRecords: false, render: renderText },
  view: { ending: '.txt', hasRecords: false, render: renderView },
  html: {
    ending: '.html',
    hasRecords: false,
    hasReasons: true,
    head: htmlHead,
    render: renderHtml,
    foot: htmlFoot,
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
} as const satisfies Readonly<Record<string, Layout>>;

/** Name of a layout. */
export type LayoutId = keyof typeof LAYOUTS;

/** The counts that a document adds to the totals. */
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
  yield* linesOf(formatted.records, document);
}

/** A line of JSON for each record, with members that all of them have. */
export function* linesOf(records: Iterable<object>, shared: object): Generator<string> {
  for (const record of records) yield `${JSON.stringify({ ...shared, ...record })}\n`;
}

/** The members of the service's answer. */
function renderObject(finished: Finished): Iterable<string> {
  const { records, extras } = finished.formatted;
  const beside = finished.recordsNameDocument ? extras : { ...extras, source: sourceOf(finished) };
  return objectOf(aboutDocument(finished), records, beside);
}

/**
 * One object on one line, its chunks between what stands before and behind them; piece by piece, because the whole may
 * not fit a string.
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

/**
 * Separates chunks for reading. A chunk's text may contain such a line itself, so programs should take another layout.
 */
const DIVIDER = '---\n';

function renderText({ chunks }: Finished): Iterable<string> {
  return dividedTexts(chunks.map(({ text }) => text));
}

/** Texts with a line between them. */
export function* dividedTexts(texts: Iterable<string>): Generator<string> {
  for (const text of texts) yield `${text}${text.endsWith('\n') ? '' : '\n'}${DIVIDER}`;
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
