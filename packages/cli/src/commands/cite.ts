// `grainline cite`: reads a document and finds quotations in it.
import {
  anchorOf,
  type Citation,
  cite,
  type Document,
  type Region,
  type RegionBox,
  regionsOf,
} from '@grainline/core';
import type { CiteRequest } from '../args/request.ts';
import { CliError } from '../errors.ts';
import { followInputs, openOcr, readDocument, readPassword } from './documents.ts';
import { closeAll, type Io, printable } from '../io.ts';
import { createDocumentReader } from '../local/threaded-reader.ts';
import { createRunLog, type Sink } from '../output/terminal.ts';

/**
 * Finds the quotations of a request in its document, and writes where each stands. Resolves with true when all are
 * found; a missing file is reported. Rejects as reading does.
 */
export async function citeInput(request: CiteRequest, io: Io, sink: Sink): Promise<boolean> {
  const password = await readPassword(request, [request.file], io);
  const log = createRunLog(io.stderr, { quiet: request.quiet, showProgress: true, isPiped: io.isPiped });
  const reader = createDocumentReader(io, request.timeoutMs);
  const engine = await openOcr(request.ocr);
  try {
    const { inputs } = await followInputs([request.file], io, log, engine !== undefined);
    const [input] = inputs;
    if (input === undefined) return false;
    if (inputs.length > 1) throw new CliError('several_files', { detail: `${inputs.length} files` });
    const document = await readDocument(input, request, io, log, {
      reader,
      regions: request.layout === 'json',
      ocr: engine?.ocr,
      password,
    });
    const options = { bound: request.bound };
    const found = request.quotes.map((quote) => ({ quote, citation: cite(document, quote, options) }));
    const line = request.layout === 'json' ? jsonLine : textLines;
    const lines = found.map(({ quote, citation }) => line(quote, citation, document));
    await log.aside(() => sink.write(lines, io.signal));
    return found.every(({ citation }) => citation !== undefined);
  } finally {
    await closeAll([reader.close, () => engine?.close(), () => log.close()]);
  }
}

function jsonLine(quote: string, citation: Citation | undefined, document: Document): string {
  const spans = citation?.spans.map(({ start, end, pageStart, pageEnd }) => ({
    start,
    end,
    ...(pageStart !== undefined && { page_start: pageStart, page_end: pageEnd }),
    text: document.text.slice(start, end),
    ...(document.regions !== undefined && { regions: regionsOf(document, { start, end }).map(boxOf) }),
    ...anchorOf(document, { start, end }),
  }));
  return `${JSON.stringify({ quote, found: citation !== undefined, score: citation?.score, spans })}\n`;
}

/** A box as records have it, in hundredths of a point. */
function boxOf({ page, x0, y0, x1, y1 }: Region): RegionBox {
  const [left = 0, top = 0, right = 0, bottom = 0] = [x0, y0, x1, y1].map((edge) => Math.round(100 * edge));
  return [page, left, top, right, bottom];
}

/**
 * ```text
 * 0.97  page 12  10234–10290
 *   the text found
 * ```
 */
function textLines(quote: string, citation: Citation | undefined, { text }: Document): string {
  if (citation === undefined) return `not found  ${printable(quote)}\n`;
  return citation.spans
    .map(({ start, end, pageStart, pageEnd }) => {
      const pages = pageStart === pageEnd ? `page ${pageStart}` : `pages ${pageStart}–${pageEnd}`;
      const place = `${pageStart === undefined ? '' : `${pages}  `}${start}–${end}`;
      return `${citation.score.toFixed(2)}  ${place}\n  ${printable(text.slice(start, end).replaceAll(/\s+/gu, ' '))}\n`;
    })
    .join('');
}
