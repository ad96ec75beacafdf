// POST /chunk, POST /chunk/{tier}: the whole path of a request for chunks, from top to bottom. Every step gets one
// ChunkContext.
//
//   serveChunks:  reject what is unavailable → authorize → admit → read the body → serveFree or servePaid
//   serveFree:    run the pipeline, within the free pages that are left → charge the pages → reply
//   servePaid:    bind the payment to the document → run the pipeline → commit answer and payment → reply;
//                 a payment that was used for the same request gets its answer again
//
// A tier that runs as a job submits the request to jobs/ in place of the run.
import { assertWellFormed } from '@grainline/core';
import { findTier, isPaid, tierNames, type TierEntry } from '../catalog.ts';
import { HttpError, toHttpError } from '../errors/http-error.ts';
import type { HttpReply, HttpRequest, LoggedFacts } from '../http/message.ts';
import { jsonReply, NO_STORE } from '../http/reply.ts';
import type { Quota } from '../limits/quota.ts';
import { hasProof, type PaymentSession, VARY } from '../payments/session.ts';
import type { PaymentOutcome, ChainPayment } from '../payments/paid-response.ts';
import {
  type BodyKind,
  type ChunkRequest,
  maxBodyBytes,
  openUpload,
  readBodyKind,
  readContentLength,
  readJsonRequest,
  type RequestSource,
} from '../requests/chunk-request.ts';
import { parseLink } from '../requests/download/link.ts';
import { defaultOptions, type RequestOptions } from '../requests/fields.ts';
import { assertOpens, isLocked, runRequest } from '../requests/run-request.ts';
import {
  answerPieces,
  type AnswerPayment,
  LINK_FROM_CHUNKS,
  writeAnswer,
  writeLinkAnswer,
} from '../responses/answer.ts';
import { writeTicket } from '../responses/job-answer.ts';
import { createStoredResult, decompress } from '../responses/stored-result.ts';
import { assertTextLength, type PipelineResult, WorkError } from '../sandbox/index.ts';
import { resultPath, writeUnderNewId } from '../store/result-id.ts';
import { assertWebhookUrl, createWebhook } from '../webhooks/address.ts';
import { assertAvailable, assertModelAvailable } from './availability.ts';
import type { ServiceDeps } from './deps.ts';
import { createWorkTime, lengthOf, quotaOf } from './free-work.ts';

/** One request for chunks with its dependencies and its payment. */
interface ChunkContext {
  readonly httpRequest: HttpRequest;
  readonly deps: ServiceDeps;
  /** The tier that the path names. Without it the body names the tier. */
  readonly pathTier: TierEntry | undefined;
  readonly payment: PaymentSession;
}

/** A context after its body was read. */
interface ReadContext extends ChunkContext {
  readonly request: ChunkRequest;
}

export function chunk(httpRequest: HttpRequest, deps: ServiceDeps): Promise<HttpReply> {
  return serveChunks(httpRequest, deps, undefined);
}

export function chunkUpload(
  httpRequest: HttpRequest,
  deps: ServiceDeps,
  tierName: string,
): Promise<HttpReply> {
  const tier = findTier(deps.deployment, tierName);
  if (tier === undefined) {
    const names = tierNames(deps.deployment).join(', ');
    throw new HttpError('not_found', { detail: `, as the tiers here are ${names}` });
  }
  return serveChunks(httpRequest, deps, tier);
}

/** Serves one request. A path that names its tier is authorized before the body is read. */
async function serveChunks(
  httpRequest: HttpRequest,
  deps: ServiceDeps,
  pathTier: TierEntry | undefined,
): Promise<HttpReply> {
  if (deps.phase() === 'refusing') throw new HttpError('shutting_down');
  const payment = deps.payments.openSession(httpRequest);
  const context = { httpRequest, deps, pathTier, payment };
  try {
    if (pathTier !== undefined) httpRequest.note({ tier: pathTier.id });
    rejectQuery(httpRequest);
    if (pathTier !== undefined) await assertAvailable(pathTier, deps, payment);
    const kind = readBodyKind(
      httpRequest.headers,
      pathTier === undefined ? ['json', 'multipart'] : ['multipart'],
    );
    const bytes = readContentLength(httpRequest.headers, maxBodyBytes(kind, deps.settings));
    if (pathTier !== undefined) await authorize(pathTier, defaultOptions(pathTier, deps.deployment), context);
    const isFree = pathTier !== undefined && !isPaid(pathTier);
    return await deps.admission.run(
      { client: httpRequest.client, bytes, isFree },
      httpRequest.signal,
      async () => {
        const request = await readRequest(kind, context);
        httpRequest.note({ tier: request.tier.id, ...sizeOf(request) });
        return isPaid(request.tier) ? servePaid({ ...context, request }) : serveFree({ ...context, request });
      },
    );
  } catch (error) {
    throw await deps.payments.work.run(() => payment.fail(error));
  }
}

/** Rejects options in the address: no route reads them, and a silently ignored option is hard to find. */
export function rejectQuery({ query }: Pick<HttpRequest, 'query'>): void {
  if (query !== '')
    throw new HttpError('invalid_fields', {
      detail:
        'the address has a query, and nothing is read from it; send options as fields of the form, before the document, or as members of the JSON body',
    });
}

/** Checks the tier's terms before the document is read: a payment, or free pages that are left. */
async function authorize(tier: TierEntry, options: RequestOptions, context: ChunkContext): Promise<void> {
  const { payment } = context;
  await assertJobRoom(tier, context);
  if (isPaid(tier)) return payment.reserve(tier, options);
  payment.skipPayment();
  await quotaOf(tier, context.httpRequest, context.deps).left();
}

/** Rejects a job without room before its payment. A request with a payment may have a ticket already. */
async function assertJobRoom(tier: TierEntry, { httpRequest, deps }: ChunkContext): Promise<void> {
  if (tier.mode === 'async' && !hasProof(httpRequest.headers)) await deps.jobs.assertNotFull();
}

/** Reads options and document. A JSON body has both at once; a form with a price has the document last. */
async function readRequest(kind: BodyKind, context: ChunkContext): Promise<ChunkRequest> {
  if (kind === 'multipart') return readForm(context);
  const { httpRequest, deps, payment } = context;
  const request = await readJsonRequest(httpRequest, deps.deployment, maxBodyBytes('json', deps.settings));
  await assertAvailable(request.tier, deps, payment);
  return request;
}

async function readForm(context: ChunkContext): Promise<ChunkRequest> {
  const { httpRequest, deps, pathTier, payment } = context;
  const isFree = pathTier === undefined ? !deps.deployment.tiers.some(isPaid) : !isPaid(pathTier);
  const upload = await openUpload(httpRequest, deps.deployment, deps.settings, pathTier, isFree);
  try {
    const { tier, options } = upload;
    await assertAvailable(tier, deps, payment);
    if (pathTier === undefined) await authorize(tier, options, context);
    const request = await upload.readDocument(isPaid(tier));
    if (request.tier !== tier) await assertAvailable(request.tier, deps, payment);
    return request;
  } finally {
    upload.leave();
  }
}

/** Rejects what is visibly impossible before it has a price. */
function rejectImpossible({ request, deps }: ReadContext): void {
  const { tier, source, webhookUrl } = request;
  if (webhookUrl !== undefined) assertWebhookUrl(webhookUrl, new Set(deps.settings.fetchAllow));
  assertSourcePossible(source, deps);
  if (source.kind === 'text') assertTextLength(source.text.length, tier.maxCharacters ?? Infinity);
}

/** Rejects a forbidden link and an ill-formed text. */
export function assertSourcePossible(
  source: RequestSource,
  { settings }: Pick<ServiceDeps, 'settings'>,
): void {
  if (source.kind === 'link') parseLink(source.url, new Set(settings.fetchAllow));
  if (source.kind === 'text') assertWellFormed(source.text);
}

/** Serves a request without a price. A client that leaves cancels its run. */
async function serveFree(context: ReadContext): Promise<HttpReply> {
  const { httpRequest, deps, payment, request } = context;
  const { client, signal } = httpRequest;
  payment.skipPayment();
  if (request.tier.mode === 'async') {
    rejectImpossible(context);
    const webhook = createWebhook(request.webhookUrl);
    const job = await deps.jobs.submit(jobPayload(context), { client, webhook });
    if (job === 'lost') throw new Error('A job without a payment has none to lose.');
    httpRequest.note({ outcome: 'submitted' });
    return jsonReply(200, writeTicket(job.id, httpRequest.origin, webhook?.secret), NO_STORE);
  }
  await deps.throttleFree({ client, bytes: lengthOf(request.source) }, signal);
  const quota = quotaOf(request.tier, httpRequest, deps);
  const maxPages = await quota.left();
  await deps.nextTurn();
  const { onStart, charge } = createWorkTime(httpRequest, deps);
  try {
    const options = { client, signal, isFree: true, maxPages, onStart };
    const result = await runRequest(request, options, deps);
    signal.throwIfAborted();
    return await chargeAndReply(result, quota, context);
  } catch (error) {
    if (signal.aborted || toHttpError(error).status < 500) charge();
    if (error instanceof WorkError && error.code === 'quota_exceeded')
      await quota.assertCovers(error.limit?.['pages_needed'] ?? 0);
    throw error;
  }
}

/** Charges the pages and replies. A large result is stored first, so an undelivered result costs nothing. */
async function chargeAndReply(
  result: PipelineResult,
  quota: Quota,
  context: ReadContext,
): Promise<HttpReply> {
  const { httpRequest, deps, request } = context;
  const tier = request.tier.id;
  const price = priceOf(context);
  const pages = result.metadata.estimated_pages;
  if (!isLarge(result)) {
    const headers = await quota.charge(pages);
    httpRequest.note(factsOf(result));
    return jsonReply(200, writeAnswer(tier, result, price), { ...NO_STORE, ...headers });
  }
  await quota.assertCovers(pages);
  const pieces = answerPieces(tier, result, price);
  const { id } = await writeUnderNewId(
    () => deps.createResultId(tier),
    async (newId) => deps.store.putResult(await createStoredResult(newId, pieces, deps.now())),
  );
  const quotaHeaders = await quota.charge(pages).catch(async (error: unknown) => {
    // The id is in no answer. A failed deletion leaves the result to the sweep.
    await deps.store.deleteResult(id).catch(() => false);
    throw error;
  });
  httpRequest.note(factsOf(result));
  const link = writeLinkAnswer(tier, result, price, `${httpRequest.origin}${resultPath(id)}`);
  return jsonReply(200, link, { ...NO_STORE, ...quotaHeaders });
}

/** Serves a request with a price. Once the payment is bound, the work is done once, also without its client. */
async function servePaid(context: ReadContext): Promise<HttpReply> {
  const { httpRequest, deps, payment, request } = context;
  rejectImpossible(context);
  await assertJobRoom(request.tier, context);
  const outcome = await payment.bind(request);
  switch (outcome.kind) {
    case 'replay':
      if (outcome.isProtected) await openAgain(context);
      httpRequest.note({ outcome: 'replayed' });
      return paidReply({ ...decompress(outcome.gzip), location: outcome.location }, outcome, payment);
    case 'job':
      httpRequest.note({ outcome: 'submitted' });
      return paidReply({ body: writeTicket(outcome.id, httpRequest.origin) }, outcome, payment);
    case 'run':
      // assertAvailable lets a payment pass whose answer exists. That answer has expired since.
      assertModelAvailable(request.tier, deps);
      return paidReply(await runPaid(outcome, context), outcome, payment);
  }
}

/** Opens a document whose answer is stored. No payment pays for that work. */
async function openAgain(context: ReadContext): Promise<void> {
  const { httpRequest, deps, request } = context;
  const { client, signal } = httpRequest;
  const { onStart, charge } = createWorkTime(httpRequest, deps);
  try {
    await assertOpens(request, { client, signal, onStart }, deps);
  } finally {
    charge();
  }
}

/** The answer to a paid request. */
interface PaidAnswer extends Pick<HttpReply, 'body' | 'source'> {
  /** Path of the stored result that is the body, if there is one. */
  readonly location?: string | undefined;
  /** The signed receipt of a new answer. */
  readonly receipt?: string | undefined;
}

/** A bound payment whose work is to be done. */
type PaidRun = Extract<PaymentOutcome, { readonly kind: 'run' }>;

/** Runs the pipeline and commits its answer, or hands request and payment over to a job. */
async function runPaid(purchase: PaidRun, context: ReadContext): Promise<PaidAnswer> {
  const { httpRequest, deps, payment, request } = context;
  if (request.tier.mode === 'async') {
    const { settlement, claims } = purchase;
    const payload = { ...jobPayload(context), settlement, claims };
    const { client, origin } = httpRequest;
    const webhook = createWebhook(request.webhookUrl);
    const { id } = await payment.submit((lease) => deps.jobs.submit(payload, { client, lease, webhook }));
    httpRequest.note({ outcome: 'submitted' });
    return { body: writeTicket(id, origin, webhook?.secret) };
  }
  return deps.payments.work.run(async (signal) => {
    await deps.nextTurn();
    const { onStart, charge } = createWorkTime(httpRequest, deps);
    const result = await runRequest(request, { client: httpRequest.client, signal, onStart }, deps).catch(
      (error: unknown) => {
        // A wrong password is no try of the payment, which could buy such work without end.
        if (isLocked(error)) charge();
        throw error;
      },
    );
    signal.throwIfAborted();
    return commitAnswer(result, purchase, context);
  });
}

/** Commits the full answer as a result, with the payment, and the link to it when it is large. */
async function commitAnswer(
  result: PipelineResult,
  { settlement, claims }: PaidRun,
  context: ReadContext,
): Promise<PaidAnswer> {
  const { httpRequest, deps, payment, request } = context;
  const tier = request.tier.id;
  const receipt = deps.receipts?.sign(claims, result, deps.now());
  const price = { ...priceOf(context), settlement: { ...settlement, receipt } };
  const pieces = answerPieces(tier, result, price);
  const linkTo = (id: string): string | undefined =>
    isLarge(result)
      ? writeLinkAnswer(tier, result, price, `${httpRequest.origin}${resultPath(id)}`)
      : undefined;
  const { id } = await writeUnderNewId(
    () => deps.createResultId(tier),
    async (newId) => {
      const stored = await createStoredResult(newId, pieces, deps.now(), receipt);
      const isProtected = request.options.password !== undefined;
      return payment.commit({ result: stored, link: linkTo(newId), isProtected });
    },
  );
  httpRequest.note({ ...factsOf(result), outcome: 'sold' });
  const link = linkTo(id);
  if (link !== undefined) return { body: link, receipt };
  return { body: writeAnswer(tier, result, price), location: resultPath(id), receipt };
}

/** The location lets the payer fetch the answer again without the payment, and delete it. */
function paidReply(
  { location, receipt, ...body }: PaidAnswer,
  outcome: PaymentOutcome,
  payment: PaymentSession,
): HttpReply {
  const locationHeader = location === undefined ? {} : { 'Content-Location': location };
  const settlement: ChainPayment =
    receipt === undefined ? outcome.settlement : { ...outcome.settlement, receipt };
  const headers = { ...NO_STORE, ...VARY, ...locationHeader, ...payment.receiptHeaders(settlement) };
  return { ...jsonReply(200, '', headers), ...body };
}

function jobPayload({ httpRequest, request }: ReadContext) {
  return { request, origin: httpRequest.origin, amount: request.tier.priceMicroUsd };
}

function priceOf({ deps, request }: ReadContext): AnswerPayment {
  return { amount: request.tier.priceMicroUsd, network: deps.settings.network };
}

/** The facts of an answer for the log. */
function factsOf({ metadata, totalChunks }: PipelineResult): LoggedFacts {
  return { pages: metadata.estimated_pages, bytes: metadata.size_bytes, chunks: totalChunks };
}

/** The size of a request's document for the log; unknown for a link. */
function sizeOf({ source }: ChunkRequest): LoggedFacts {
  if (source.kind === 'link') return {};
  return { bytes: source.kind === 'text' ? Buffer.byteLength(source.text) : source.upload.bytes.length };
}

/** True when the answer carries a link in place of the chunks. */
function isLarge({ totalChunks }: PipelineResult): boolean {
  return totalChunks >= LINK_FROM_CHUNKS;
}
