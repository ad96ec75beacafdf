// Documents that a service cuts, written down as if they had been cut here.
import type { Warning } from '@grainline/core';
import type { FormatId } from '@grainline/core/formats';
import { createLook } from './before-payment.ts';
import { countHere } from './count.ts';
import { documentIdOf } from './inputs.ts';
import type { Cut, Result } from './layout.ts';
import { dividedTexts, type LayoutId, linesOf, objectOf } from './layouts.ts';
import type { ChunkRequest, RemoteCutting } from './request.ts';
import { type Answer, openService } from './service.ts';
import type { Io, Report } from './terminal.ts';

/** A service, for one run. */
export interface Remote {
  readonly cut: Cut;
  /** What was paid, in lines for people; none when nothing was. */
  readonly summary: () => string[];
}

/** Members of an answer that the object of `--json` has not. */
const LEFT_OUT = ['success', 'warnings', 'download_url', 'expires_in'];

/**
 * Opens a service for a run over files.
 *
 * Rejects as `openService` does. `cut` rejects with a CliError, a PayingError, or the signal's reason.
 */
export async function connect(
  request: ChunkRequest,
  cutting: RemoteCutting,
  { io, report }: { readonly io: Io; readonly report: Pick<Report, 'warning' | 'waiting'> },
  following?: Parameters<typeof openService>[3],
): Promise<Remote> {
  const { tier, fields, remote } = cutting;
  const look = createLook(remote, countHere, io.signal);
  const { send, summary } = await openService(cutting, io, look, following);
  return {
    async cut(bytes, inputHash, input) {
      const documentId = documentIdOf(input, inputHash, request.documentId);
      const source = { bytes, filename: input.filename ?? 'stdin', contentType: request.contentType };
      const onWarning = (warning: Warning): void => report.warning(warning, input.shown);
      const onProgress = (percent: number, message: string): void =>
        report.waiting(input.shown, percent > 0 ? `${Math.round(percent)}% ${message}` : message);
      onProgress(0, `asking ${new URL(remote).host}`);
      const run = { signal: io.signal, onWarning, onProgress };
      const answer = await send({ tier, fields, documentId, source }, run);
      return resultOf(answer, documentId, request);
    },
    summary,
  };
}

function resultOf(answer: Answer, documentId: string, { layout, format }: ChunkRequest): Result {
  const { metadata, chunks, warnings = [] } = answer;
  const size = chunks.reduce((sum, chunk) => sum + textOf(chunk).length, 0);
  return {
    render: () => render(layout, answer, documentId, format),
    warnings,
    counts: { pages: Number(metadata['estimated_pages'] ?? 0), characters: size, chunks: chunks.length },
  };
}

/** As a document that was cut here is written down, and the payment beside it. */
function render(layout: LayoutId, answer: Answer, documentId: string, format: FormatId): Iterable<string> {
  const { tier, total_chunks, metadata, chunks, ...others } = answer;
  switch (layout) {
    case 'jsonl':
      // Formats for databases have the document's name in every record.
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

function textOf({ text }: Readonly<Record<string, unknown>>): string {
  return typeof text === 'string' ? text : '';
}
