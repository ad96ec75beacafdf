// Remote chunking: a service chunks the documents, and the results are written as local ones.
import type { ChunkAnswer } from '@grainline/client';
import type { FormatId } from '@grainline/core/formats';
import type { Io } from '../io.ts';
import { documentIdOf } from '../inputs/inputs.ts';
import type { ChunkFn, ChunkedInput } from '../output/layout.ts';
import { dividedTexts, linesOf, objectOf } from '../output/layouts.ts';
import { createPreflight } from './preflight.ts';
import type { ChunkFilesRequest, RemoteChunking, LayoutId } from '../args/request.ts';
import { openService } from './service.ts';
import type { RunLog } from '../output/terminal.ts';

/** A chunker with the closing lines of its run. */
export interface SummarizingChunker {
  readonly chunk: ChunkFn;
  /** The payments as lines for the user; empty without any. */
  readonly summary: () => string[];
}

/** Members of an answer that `--json` leaves out. */
const LEFT_OUT = ['success', 'warnings', 'result_id'];

/**
 * Opens a service for a run over files.
 *
 * Rejects as `openService` does. `chunk` rejects with a CliError, a PayingError, or the signal's reason.
 */
export async function connect(
  request: ChunkFilesRequest,
  chunking: RemoteChunking,
  { io, report }: { readonly io: Io; readonly report: Pick<RunLog, 'waiting'> },
  following?: Parameters<typeof openService>[3],
): Promise<SummarizingChunker> {
  const { tier, options, remote } = chunking;
  const preflight = createPreflight(remote);
  const { chunk, summary } = await openService(chunking, io, preflight, following);
  return {
    async chunk({ bytes, hash, contentType }, input) {
      const documentId = documentIdOf(input, hash, request.documentId);
      const source = {
        bytes,
        filename: input.filename ?? 'stdin',
        contentType: request.contentType ?? contentType,
      };
      const onProgress = (percent: number, message: string): void =>
        report.waiting(input.shown, percent / 100, message);
      onProgress(0, `asking ${new URL(remote).host}`);
      const run = { signal: io.signal, onProgress };
      const answer = await chunk(
        { source, options: { tier, ...options, password: request.password, documentId } },
        run,
      );
      return resultOf(answer, documentId, request);
    },
    summary,
  };
}

function resultOf(
  answer: ChunkAnswer,
  documentId: string,
  { layout, format }: ChunkFilesRequest,
): ChunkedInput {
  const { metadata, chunks, warnings = [] } = answer;
  const size = chunks.reduce((sum, chunk) => sum + textOf(chunk).length, 0);
  return {
    render: () => render(layout, answer, documentId, format),
    warnings,
    counts: { pages: metadata.estimated_pages, characters: size, chunks: chunks.length },
  };
}

/** The layout of a local document, plus the payment. */
function render(
  layout: LayoutId,
  answer: ChunkAnswer,
  documentId: string,
  format: FormatId,
): Iterable<string> {
  const { tier, total_chunks, metadata, chunks, ...others } = answer;
  switch (layout) {
    case 'jsonl':
      // Records for databases name their document themselves.
      return linesOf(chunks, format === 'raw' ? { document_id: documentId } : {});
    case 'json': {
      const head = { tier, total_chunks, metadata: { document_id: documentId, ...metadata } };
      const rest = Object.entries(others).filter(([name]) => !LEFT_OUT.includes(name));
      return objectOf(head, chunks, Object.fromEntries(rest));
    }
    case 'text':
      return dividedTexts(chunks.map(textOf));
    default:
      throw new TypeError(`--${layout} does not go with --remote.`);
  }
}

function textOf(record: object): string {
  return 'text' in record && typeof record.text === 'string' ? record.text : '';
}
