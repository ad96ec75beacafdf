// POST /cite: a quotation in a stored result. It is free; the id grants access, as for GET /results/{id}.
import type { RecordCitation } from '@grainline/pipeline';
import { HttpError } from '../errors/http-error.ts';
import type { HttpReply, HttpRequest } from '../http/message.ts';
import { jsonReply, NO_STORE } from '../http/reply.ts';
import { type QuoteSearch, readQuoteSearch } from '../requests/cite-request.ts';
import { runCite } from '../requests/run-request.ts';
import { sharedBytes } from '../responses/stored-result.ts';
import type { ServiceDeps } from './deps.ts';
import { createWorkTime } from './free-work.ts';
import { findStored } from './results.ts';

/**
 * Memory that a request claims beside documents: its result, compressed. Larger results are rare, and requests for one
 * result share its bytes.
 */
export const CLAIMED_BYTES = 4 * 1024 * 1024;

export async function citeQuote(httpRequest: HttpRequest, deps: ServiceDeps): Promise<HttpReply> {
  if (deps.phase() === 'refusing') throw new HttpError('shutting_down');
  const request = await readQuoteSearch(httpRequest);
  const { client, signal } = httpRequest;
  const claim = { client, bytes: CLAIMED_BYTES, isFree: true };
  const citation = await deps.admission.run(claim, signal, () => findQuote(request, httpRequest, deps));
  return jsonReply(200, JSON.stringify(writeCitation(citation)), NO_STORE);
}

/** The search runs in a child process: neither the unpacking nor the search of a large result stops this one. */
async function findQuote(
  { resultId, quote, bound }: QuoteSearch,
  httpRequest: HttpRequest,
  deps: ServiceDeps,
): Promise<RecordCitation | undefined> {
  const { client, signal } = httpRequest;
  const gzip = sharedBytes(await findStored(httpRequest, deps, resultId));
  await deps.throttleFree({ client, bytes: gzip.byteLength }, signal);
  await deps.nextTurn();
  const { onStart, charge } = createWorkTime(httpRequest, deps);
  try {
    const options = { client, signal, isFree: true, onStart };
    return (await runCite({ gzip, quote, bound }, options, deps)).citation;
  } finally {
    // Nothing else pays for the work, so each second of it counts as a request.
    charge();
  }
}

function writeCitation(citation: RecordCitation | undefined): object {
  return citation === undefined ? { found: false, passages: [] } : { found: true, ...citation };
}
