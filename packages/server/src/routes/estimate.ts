// POST /estimate: size, price and refusals of a document, before anything is paid. The document is read as a request
// for chunks reads it, in a child process, and is not cut. The request is free and takes no pages: it waits with free
// documents, and each second of its work counts as a request.
import { isPaid, type TierEntry } from '../catalog.ts';
import { DOCUMENT_CODES, LINK_CODES } from '../api/error-codes.ts';
import type { ErrorCode } from '../errors/codes.ts';
import { HttpError, toHttpError } from '../errors/http-error.ts';
import type { HttpReply, HttpRequest } from '../http/message.ts';
import { jsonReply, NO_STORE } from '../http/reply.ts';
import {
  type ChunkRequest,
  maxBodyBytes,
  readBodyKind,
  readContentLength,
} from '../requests/chunk-request.ts';
import { readEstimateRequest, type EstimatedRequest } from '../requests/estimate-request.ts';
import { runMeasure } from '../requests/run-request.ts';
import { assertAnswerFits, expect, type EstimatedTier, writeEstimate } from '../responses/estimate-answer.ts';
import { assertTextLength, type DocumentMeasure } from '../sandbox/index.ts';
import { assertAvailable } from './availability.ts';
import { assertSourcePossible, rejectQuery } from './chunk.ts';
import type { ServiceDeps } from './deps.ts';
import { createWorkTime, lengthOf, quotaOf } from './free-work.ts';

/** A read document and the time of its reading, or the error that a request for chunks would get. */
type Reading = { readonly measure: DocumentMeasure; readonly readMs: number } | HttpError;

/** Errors of a document. Other errors say nothing about it and are those of the estimate itself. */
const DOCUMENT_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([...DOCUMENT_CODES, ...LINK_CODES]);

export async function estimate(httpRequest: HttpRequest, deps: ServiceDeps): Promise<HttpReply> {
  if (deps.phase() === 'refusing') throw new HttpError('shutting_down');
  rejectQuery(httpRequest);
  const { client, headers, signal } = httpRequest;
  const kind = readBodyKind(headers, ['json', 'multipart']);
  const bytes = readContentLength(headers, maxBodyBytes(kind, deps.settings));
  return deps.admission.run({ client, bytes, isFree: true }, signal, async () => {
    const requests = await readEstimateRequest(httpRequest, kind, deps.deployment, deps.settings);
    const reading = await readOnce(requests, httpRequest, deps);
    const tiers = await Promise.all(requests.map((it) => estimateTier(it, reading, httpRequest, deps)));
    const measure = reading instanceof HttpError ? undefined : reading.measure;
    if (measure !== undefined) httpRequest.note({ pages: measure.pages, bytes: measure.sizeBytes });
    return jsonReply(200, writeEstimate(measure, tiers), NO_STORE);
  });
}

/** Reads the document once for all tiers: their options of reading are the same. */
async function readOnce(
  requests: readonly EstimatedRequest[],
  httpRequest: HttpRequest,
  deps: ServiceDeps,
): Promise<Reading> {
  const accepted = requests.map(({ request }) => request).find((request) => !(request instanceof HttpError));
  if (accepted === undefined || accepted instanceof HttpError) throw new Error('No tier has a request.');
  try {
    // The free tier is always there, and its reading is that of every tier.
    const [tier = accepted.tier] = deps.deployment.tiers;
    return await read({ ...accepted, tier }, httpRequest, deps);
  } catch (error) {
    const documentError = toHttpError(error);
    if (httpRequest.signal.aborted || !DOCUMENT_ERRORS.has(documentError.code)) throw error;
    return documentError;
  }
}

async function read(
  request: ChunkRequest,
  httpRequest: HttpRequest,
  deps: ServiceDeps,
): Promise<Exclude<Reading, HttpError>> {
  const { client, signal } = httpRequest;
  const { source } = request;
  assertSourcePossible(source, deps);
  await deps.throttleFree({ client, bytes: lengthOf(source) }, signal);
  await deps.nextTurn();
  const { onStart, elapsedMs, charge } = createWorkTime(httpRequest, deps);
  try {
    const measure = await runMeasure(request, { client, signal, isFree: true, onStart }, deps);
    return { measure, readMs: elapsedMs() };
  } finally {
    // Neither pages nor a payment pay for the work.
    charge();
  }
}

/** The errors that the request for chunks would get at this moment, in its order. */
async function estimateTier(
  { tier, request }: EstimatedRequest,
  reading: Reading,
  httpRequest: HttpRequest,
  deps: ServiceDeps,
): Promise<EstimatedTier> {
  const { jobs, payments, settings } = deps;
  const checks: (() => Promise<void> | void)[] = [() => assertAvailable(tier, deps)];
  if (tier.mode === 'async') checks.push(() => jobs.assertNotFull());
  if (isPaid(tier)) checks.push(() => payments.assertRoom());
  if (request instanceof HttpError)
    return { tier, expected: undefined, refusals: [request, ...(await failures(checks))] };
  if (reading instanceof HttpError) {
    checks.push(() => assertScannable(tier, reading));
    return { tier, expected: undefined, refusals: await failures(checks) };
  }
  const { measure, readMs } = reading;
  const expected = expect(tier, request.options, measure, readMs);
  checks.push(
    () => assertTextLength(measure.characters, tier.maxCharacters ?? Infinity),
    () => quotaOf(tier, httpRequest, deps).assertCovers(measure.pages),
    () => assertAnswerFits(measure, expected, request.options, settings.maxAnswerBytes),
  );
  return { tier, expected, refusals: await failures(checks) };
}

/**
 * Rejects a document that cannot be read. A scan is no error for a tier with OCR, whose time the estimate does not
 * spend.
 *
 * @throws HttpError
 */
function assertScannable({ maxScannedPages }: TierEntry, error: HttpError): void {
  if (error.code !== 'no_text' || maxScannedPages === null) throw error;
  const pages = Number(error.limit?.['pages'] ?? 1);
  if (pages <= maxScannedPages) return;
  throw new HttpError('too_many_scanned_pages', {
    message: `The document has ${pages} scanned pages, and this tier reads at most ${maxScannedPages} by OCR. Send it in parts, or choose pages by the field pages.`,
    limit: { max_scanned_pages: maxScannedPages, scanned_pages: pages },
  });
}

/** The errors of checks, one after the other. A defect is thrown. */
async function failures(checks: readonly (() => Promise<void> | void)[]): Promise<HttpError[]> {
  const found: HttpError[] = [];
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      const failure = toHttpError(error);
      if (failure.code === 'internal_error') throw error;
      found.push(failure);
    }
  }
  return found;
}
