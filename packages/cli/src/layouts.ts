// How the chunks of one document are written down. Adding a layout is an entry in the table.
// Stands at the end of the line: Document + chunks + records → pieces of text.
import { hash } from 'node:crypto';
import { type Chunk, type CohesionGain, type Document, estimatePages, type Warning } from '@grainline/core';
import { coverageOf, type Formatted, type SourceCoverage } from '@grainline/core/formats';
import { renderView } from './view.ts';

/** A document after the line, and what was asked for it. */
export interface Finished {
  /** As the user knows the input. */
  readonly shown: string;
  readonly sizeBytes: number;
  readonly document: Document;
  readonly chunks: readonly Chunk[];
  /** Of the language model that was asked, if any was. */
  readonly modelWarnings: readonly Warning[];
  readonly tier: string;
  /** How far the tier `semantic` beats `structure` here, where that can be told. */
  readonly cohesion?: CohesionGain;
  readonly documentId: string;
  /** Whether the records say for themselves which document they belong to. */
  readonly recordsNameDocument: boolean;
  /** Empty for a layout that prints no records. */
  readonly formatted: Formatted<object, object>;
}

/** What the reader's screen can show. */
export interface Screen {
  readonly colour: boolean;
  /** Width in columns. */
  readonly columns: number;
}

/** Sums over all documents of a run. */
export interface Totals {
  readonly documents: number;
  readonly pages: number;
  readonly characters: number;
  readonly chunks: number;
}

/** A way of writing down. */
export interface Layout {
  /** Of the files that `--out` writes. */
  readonly ending: string;
  /** Whether it prints records; making ids for a million chunks that nobody sees takes 16 s. */
  readonly hasRecords: boolean;
  /** Stands once, before the first document. */
  readonly head?: string;
  /** Pieces of text that follow one another, none of them longer than a record. */
  readonly render: (finished: Finished, screen: Screen) => Iterable<string>;
  /** Stands once, after the last document. */
  readonly foot?: (totals: Totals) => string;
}

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
