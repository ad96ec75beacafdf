// The routes, and the whole path of a request from top to bottom. Read it downwards:
// respond → answer → chunk (claim → wait → read → bind → work → charge or commit → deliver) | overview | result | …
// Of a tier that runs as a job, what follows bind is to submit it; jobs/ works on it.
// Everything that a request touches comes in by Service; nothing here knows of sockets.
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { refuseIllFormed } from '@grainline/core';
import type { Admission } from './limits/admission.ts';
import { guideText, paidResourcesText } from './api/guide.ts';
import { referenceText } from './api/reference.ts';
import { descriptionText } from './api/openapi.ts';
import { type Operation, OPERATION_LIST, type OperationName, OPERATIONS } from './api/operations.ts';
import {
  asksLanguageModel,
  coreTier,
  type Deployment,
  findTier,
  isSold,
  pricesOf,
  tierNames,
  type TierEntry,
} from './catalog.ts';
import { parseLink } from './download/link.ts';
import { Fault, faultFrom } from './errors.ts';
import { type ChunkFields, defaultFields } from './api/fields.ts';
import {
  announcedBytes,
  bodyKind,
  type Intake,
  maxBodyBytes,
  openUploadOrder,
  type Order,
  readJson,
  readJsonOrder,
  type Reply,
} from './http/intake.ts';
import type { Jobs } from './jobs/jobs.ts';
import { statusText, ticketText } from './jobs/ticket.ts';
import type { LanguageModel } from './models/language-model.ts';
import type { Misses } from './limits/misses.ts';
import { overviewText } from './overview.ts';
import { prefersPage } from './http/negotiate.ts';
import type { NextTurn } from './limits/pacing.ts';
import type { Page } from './http/page.ts';
import type { Payments } from './payments/payments.ts';
import { plainAnswer } from './http/plain-answer.ts';
import { type Deal, hasProof, type Receipt, resultPath, type Sale, VARY } from './payments/sale.ts';
import { readSignedTransaction, readTransferOrder, readWantedTransfer } from './payments/transfers.ts';
import { joinLimits, type RateLimit } from './limits/rate.ts';
import { createQuota, NO_QUOTA, type Quota } from './limits/quota.ts';
import {
  answerParts,
  answerText,
  faultReply,
  jsonReply,
  LINK_FROM_CHUNKS,
  linkText,
  type Payment,
} from './http/respond.ts';
import { resultReply, storedResult } from './results.ts';
import type { Settings } from './settings/settings.ts';
import type { JobStatus } from './store/jobs.ts';
import type { Store } from './store/store.ts';
import { waitsElsewhere, work, type WorkParts } from './work.ts';
import { type Finished, refuseLongText } from './workplace/index.ts';

/** What requests need: settings, the parts that do the work, and the outside world as values. */
export interface Service extends WorkParts {
  /** What the settings make of the catalog. */
  readonly deployment: Deployment;
  readonly version: string;
  /** What browsers get; undefined when it was not built, or is off. */
  readonly page?: Page | undefined;
  readonly store: Store;
  /** Places for bodies in work. */
  readonly admission: Admission;
  readonly languageModel: LanguageModel;
  readonly misses: Misses;
  readonly rate: RateLimit;
  /** Of questions how far a job is: clients ask every second or two. */
  readonly polls: RateLimit;
  readonly jobs: Jobs;
  readonly payments: Payments;
  /** Waited for before work that may block the event loop. */
  readonly nextTurn: NextTurn;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly createResultId: (tier: string) => string;
  readonly phase: () => Phase;
  /** What the start still waits to hear of, as `the payment network`; empty once the service is ready. */
  readonly awaited: () => readonly string[];
}

/** `leaving`: asked to stop, not ready, but still serving who has not noticed. `refusing`: no new work. */
export type Phase = 'serving' | 'leaving' | 'refusing';

type Answer = (intake: Intake, service: Service, parameter: string) => Promise<Reply> | Reply;

/** What answers each operation of the table. */
const ANSWERS: Readonly<Record<OperationName, Answer>> = {
  overview,
  health,
  ready,
  description,
  guide,
  reference,
  chunk: (intake, service) => chunk(intake, service, undefined),
  chunkUpload,
  result,
  deleteResult,
  jobStatus,
  jobResult,
  deleteJobResult,
  paidResources,
  paymentTransaction,
  paymentSend,
  paymentFind,
};

/** A path and what answers its methods. */
interface Route {
  readonly path: string;
  readonly methods: Readonly<Partial<Record<Operation['method'], Answer>>>;
}

const JOB_STATUS_PATH = OPERATIONS.jobStatus.path;
/** Where the page's files are; one that is looked at loads a dozen of them. They are no part of the API. */
const PAGE_FILES = '/assets/{name}';

const ROUTES: readonly Route[] = [
  ...[...new Set(OPERATION_LIST.map(({ path }) => path))].map((path) => {
    const operations = OPERATION_LIST.filter((operation) => operation.path === path);
    const methods = Object.fromEntries(operations.map(({ method, name }) => [method, ANSWERS[name]]));
    return { path, methods };
  }),
  { path: PAGE_FILES, methods: { GET: pageFile } },
];

/** Of results, and of the jobs that they come of. */
const RESULT_ID = /^[a-z][a-z-]{0,31}_[0-9a-f]{12}$/;

/** Headers of every answer: any origin may read it, no browser may run or guess it. */
const COMMON_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, ETag, Content-Range, Content-Location',
} as const;

/** Answers a preflight, whatever it asks for. */
const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, DELETE, OPTIONS',
  'Access-Control-Allow-Headers':
    'Content-Type, X-PAYMENT, PAYMENT-SIGNATURE, Idempotency-Key, X-Request-Id, Range, If-Range, If-None-Match',
  'Access-Control-Max-Age': '86400',
} as const;

/** Answers a request. Rejects only when nobody is left to answer: with the reason of `intake.signal`. */
export async function respond(intake: Intake, service: Service): Promise<Reply> {
  const place = findRoute(intake.path);
  const answered = await limited(intake, service, place);
  const reply = isPlainForm(intake, service, place) ? plainAnswer(answered, intake.headers) : answered;
  return {
    ...reply,
    route: place?.route.path ?? 'none',
    headers: commonHeaders(intake.requestId, reply.headers),
  };
}

/** Whether the page's form without JavaScript leads here, which only the free tier is offered by. */
function isPlainForm({ method }: Intake, { page, deployment }: Service, place: Place | undefined): boolean {
  if (method !== 'POST' || page === undefined || place?.route.path !== OPERATIONS.chunkUpload.path)
    return false;
  const tier = findTier(deployment, place.parameter);
  return tier !== undefined && !isSold(tier);
}

/** What probes and browsers ask by themselves must not use up what their owner may ask. */
const UNLIMITED = new Set(['/health', '/ready', PAGE_FILES]);

/** Refuses who asks too often, before anything of the request is looked at: body, payment, or id. */
async function limited(intake: Intake, service: Service, place: Place | undefined): Promise<Reply> {
  if (intake.method === 'OPTIONS' || UNLIMITED.has(place?.route.path ?? ''))
    return answer(intake, service, place);
  let headers;
  try {
    const limit = place?.route.path === JOB_STATUS_PATH ? service.polls : service.rate;
    headers = limit.take(intake.client, service.now());
  } catch (error) {
    return faultReply(faultFrom(error), intake.requestId);
  }
  const reply = await answer(intake, service, place);
  return { ...reply, headers: joinLimits(headers, reply.headers) };
}

/** The headers of an answer, with those that every answer has. */
export function commonHeaders(
  requestId: string,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  return { ...COMMON_HEADERS, 'X-Request-Id': requestId, ...headers };
}

async function answer(intake: Intake, service: Service, place: Place | undefined): Promise<Reply> {
  try {
    if (intake.method === 'OPTIONS')
      return { status: 204, headers: { ...PREFLIGHT_HEADERS, Allow: allowed(place?.route) } };
    if (place === undefined) throw new Fault('not_found');
    const method = intake.method === 'HEAD' ? 'GET' : intake.method;
    const { methods } = place.route;
    const run = Object.hasOwn(methods, method) ? methods[method as keyof Route['methods']] : undefined;
    if (run === undefined) throw methodNotAllowed(place.route);
    return await run(intake, service, place.parameter);
  } catch (error) {
    if (intake.signal.aborted && !(intake.signal.reason instanceof Fault)) throw intake.signal.reason;
    return faultReply(faultFrom(intake.signal.aborted ? intake.signal.reason : error), intake.requestId);
  }
}

interface Place {
  readonly route: Route;
  readonly parameter: string;
}

const PATTERNS = ROUTES.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replace(/\{\w+\}/, '([^/]+)')}$`),
}));

function findRoute(path: string): Place | undefined {
  for (const { route, pattern } of PATTERNS) {
    const match = pattern.exec(path);
    if (match !== null) return { route, parameter: match[1] ?? '' };
  }
  return undefined;
}

function allowed(route: Route | undefined): string {
  const methods = Object.keys(route?.methods ?? {});
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

function methodNotAllowed(route: Route): Fault {
  const detail = allowed(route);
  return new Fault('method_not_allowed', { detail, headers: { Allow: detail } });
}

// GET /

/** The page for browsers, JSON for programs. */
function overview(intake: Intake, service: Service): Reply {
  if (service.page !== undefined && prefersPage(intake.headers.accept))
    return service.page.document(intake.headers);
  const text = overviewText(service, intake.origin);
  return jsonReply(200, text, { Vary: 'Accept', 'Cache-Control': 'no-cache' });
}

// GET /openapi.json

function description({ origin }: Intake, { deployment, version }: Service): Reply {
  return jsonReply(200, descriptionText(deployment, version, origin), { 'Cache-Control': 'no-cache' });
}

// GET /llms.txt

function guide({ origin }: Intake, { deployment }: Service): Reply {
  return { status: 200, headers: PLAIN_TEXT, body: guideText(deployment, origin) };
}

// GET /llms-full.txt

function reference({ origin }: Intake, { deployment }: Service): Reply {
  return { status: 200, headers: PLAIN_TEXT, body: referenceText(deployment, origin) };
}

const PLAIN_TEXT = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' } as const;

// GET /assets/{name}

function pageFile(intake: Intake, { page }: Service, name: string): Reply {
  const reply = page?.file(name, intake.headers);
  if (reply === undefined) throw new Fault('not_found');
  return reply;
}

// GET /health, GET /ready

/** Touches nothing, so that it answers while everything else is at its limit. */
function health(_: Intake, { settings }: Service): Reply {
  return jsonReply(200, JSON.stringify({ status: 'healthy', network: settings.network }), NO_STORE);
}

async function ready(_: Intake, { store, phase, awaited }: Service): Promise<Reply> {
  if (phase() !== 'serving') throw new Fault('shutting_down');
  const names = awaited();
  if (names.length > 0)
    throw new Fault('not_ready', {
      detail: `the service has just started and waits for the first answer of ${names.join(' and ')}`,
      retryAfterS: 1,
    });
  try {
    await store.ping();
  } catch (cause) {
    throw new Fault('not_ready', { detail: 'the store does not answer, or its disk is full', cause });
  }
  return jsonReply(200, JSON.stringify({ status: 'ready' }), NO_STORE);
}

// POST /chunk, POST /chunk/{tier}

function chunkUpload(intake: Intake, service: Service, tierName: string): Promise<Reply> {
  const tier = findTier(service.deployment, tierName);
  if (tier === undefined) {
    const names = tierNames(service.deployment).join(', ');
    throw new Fault('not_found', { detail: `, as the tiers here are ${names}` });
  }
  return chunk(intake, service, tier);
}

/**
 * A request for chunks: refuse what cannot succeed, take its payment, wait for a place, read, work, answer. Where the
 * path names the tier, a payment is asked for and looked at before anything of the body is read.
 */
async function chunk(intake: Intake, service: Service, pathTier: TierEntry | undefined): Promise<Reply> {
  if (service.phase() === 'refusing') throw new Fault('shutting_down');
  const sale = service.payments.createSale(intake);
  try {
    if (pathTier !== undefined) await refuseUnavailable(pathTier, service, sale);
    const kind = bodyKind(intake.headers, pathTier === undefined ? ['json', 'multipart'] : ['multipart']);
    const bytes = announcedBytes(intake.headers, maxBodyBytes(kind, service.settings));
    if (pathTier !== undefined)
      await meet(pathTier, defaultFields(pathTier, service.deployment), sale, intake, service);
    return await service.admission.hold({ client: intake.client, bytes }, intake.signal, async () => {
      const order = await readOrder(intake, service, kind, pathTier, sale);
      if (isSold(order.tier)) return sell(order, sale, intake, service);
      sale.waive();
      return giveAway(order, pathTier, intake, service);
    });
  } catch (error) {
    throw await service.payments.work.run(() => sale.refuse(error));
  }
}

/** What a tier wants of a request before its document is read: free pages that are left, or a payment. */
async function meet(
  tier: TierEntry,
  fields: ChunkFields,
  sale: Sale,
  intake: Intake,
  service: Service,
): Promise<void> {
  await refuseWithoutPlace(tier, intake, service);
  if (isSold(tier)) return sale.claim(tier, fields);
  sale.waive();
  return quotaOf(tier, intake, service).refuseWhenSpent();
}

/** A job for which there is no room is not paid for; who has paid may have a ticket already. */
async function refuseWithoutPlace(tier: TierEntry, { headers }: Intake, { jobs }: Service): Promise<void> {
  if (tier.mode === 'async' && !hasProof(headers)) await jobs.refuseWhenFull();
}

async function readOrder(
  intake: Intake,
  service: Service,
  kind: 'json' | 'multipart',
  pathTier: TierEntry | undefined,
  sale: Sale,
): Promise<Order> {
  const { deployment, settings } = service;
  const maxBytes = maxBodyBytes(kind, settings);
  if (kind === 'json') {
    const order = await readJsonOrder(intake, deployment, maxBytes);
    await refuseUnavailable(order.tier, service, sale);
    return order;
  }
  const { maxUploadBytes, maxJsonBytes: maxTextBytes } = settings;
  const limits = { maxUploadBytes, maxTextBytes, maxBodyBytes: maxBytes };
  const opened = await openUploadOrder(intake, deployment, limits, pathTier);
  try {
    const { tier, fields } = opened;
    await refuseUnavailable(tier, service, sale);
    if (pathTier === undefined) await meet(tier, fields, sale, intake, service);
    return await opened.readDocument(isSold(tier));
  } finally {
    opened.leave();
  }
}

/** The free way: what is charged are pages, and a client that goes away takes its work along. */
async function giveAway(
  order: Order,
  pathTier: TierEntry | undefined,
  intake: Intake,
  service: Service,
): Promise<Reply> {
  const { tier } = order;
  if (tier.mode === 'async') {
    refuseImpossible(order, service.settings);
    return jsonReply(200, await submit(order, undefined, undefined, intake, service), NO_STORE);
  }
  const quota = quotaOf(tier, intake, service);
  if (pathTier === undefined) await quota.refuseWhenSpent();
  await service.nextTurn();
  const finished = await work(order, intake, service);
  intake.signal.throwIfAborted();
  return deliver(tier, finished, quota, intake, service);
}

function quotaOf({ hasQuota }: TierEntry, { client }: Intake, { store, settings, now }: Service): Quota {
  return hasQuota ? createQuota(store, client, settings.freePagesPerDay, now()) : NO_QUOTA;
}

/** The paid way: bound to its payment, the work is done whether its client waits or not, once. */
async function sell(order: Order, sale: Sale, intake: Intake, service: Service): Promise<Reply> {
  refuseImpossible(order, service.settings);
  await refuseWithoutPlace(order.tier, intake, service);
  const deal = await sale.bind(order);
  if (deal.kind === 'replay') return soldReply(keptText(deal.gzip), deal.location, sale, deal);
  if (deal.kind === 'job') return soldReply(ticketText(deal.id, intake.origin), undefined, sale, deal);
  // What it has bought before has failed meanwhile.
  refuseSilent(order.tier, service);
  if (order.tier.mode === 'async') {
    const ticket = await submit(order, deal.receipt, sale, intake, service);
    return soldReply(ticket, undefined, sale, deal);
  }
  return service.payments.work.run(async (signal) => {
    await service.nextTurn();
    const finished = await work(order, { client: intake.client, signal }, service);
    signal.throwIfAborted();
    const { body, location } = await commit(order.tier, finished, deal.receipt, sale, intake, service);
    return soldReply(body, location, sale, deal);
  });
}

/** Hands the order to the jobs, with its payment if there is one; returns the ticket. */
async function submit(
  order: Order,
  receipt: Receipt | undefined,
  sale: Sale | undefined,
  { origin }: Intake,
  { jobs }: Service,
): Promise<string> {
  const amount = order.tier.priceMicroUsd;
  const job = { order, origin, amount, ...(receipt === undefined ? {} : { receipt }) };
  const taken = await (sale === undefined
    ? jobs.submit(job)
    : sale.submit((lease) => jobs.submit(job, lease)));
  if (taken === 'lost') throw new Error('A job without a payment has none to lose.');
  return ticketText(taken.id, origin);
}

/** Writes what the payment has bought: the full answer as a result, and the link to it when it is large. */
async function commit(
  tier: TierEntry,
  finished: Finished,
  receipt: Deal['receipt'],
  sale: Sale,
  { origin }: Intake,
  { settings, createResultId, now }: Service,
): Promise<{ readonly body: string; readonly location?: string }> {
  const payment: Payment = { amount: tier.priceMicroUsd, network: settings.network, receipt };
  const id = createResultId(tier.id);
  const location = resultPath(id);
  const result = await storedResult(id, answerParts(tier.id, finished, payment), now());
  if (finished.totalChunks < LINK_FROM_CHUNKS) {
    await sale.commit({ result });
    return { body: answerText(tier.id, finished, payment), location };
  }
  const link = linkText(tier.id, finished, payment, `${origin}${location}`);
  await sale.commit({ result, link });
  return { body: link };
}

function soldReply(
  body: string | Readable,
  location: string | undefined,
  sale: Sale,
  { receipt }: Deal,
): Reply {
  // Whoever paid can fetch his answer there again without the payment, and delete it.
  const place = location === undefined ? {} : { 'Content-Location': location };
  return { ...jsonReply(200, '', { ...NO_STORE, ...VARY, ...place, ...sale.receiptHeaders(receipt) }), body };
}

/**
 * An answer that is kept, decompressed as fast as its client reads. Whoever has paid once may ask for it as often as he
 * likes with a request of some bytes: whole in memory for each, it would end the process.
 */
function keptText(gzip: Uint8Array): Readable {
  return Readable.from([gzip]).pipe(createGunzip());
}

/** What can be seen to be impossible before the work is refused before it has a price. */
function refuseImpossible({ tier, source }: Order, { fetchAllow }: Settings): void {
  if (source.kind === 'link') parseLink(source.url, new Set(fetchAllow));
  if (source.kind !== 'text') return;
  refuseIllFormed(source.text);
  refuseLongText(source.text.length, tier.maxCharacters ?? Infinity);
}

/** Charges and answers. What is not delivered costs nothing: a large result is stored before it is charged. */
async function deliver(
  tier: TierEntry,
  finished: Finished,
  quota: Quota,
  intake: Intake,
  service: Service,
): Promise<Reply> {
  const payment = { amount: tier.priceMicroUsd, network: service.settings.network };
  const pages = finished.metadata.estimated_pages;
  if (finished.totalChunks < LINK_FROM_CHUNKS)
    return jsonReply(200, answerText(tier.id, finished, payment), {
      ...NO_STORE,
      ...(await quota.charge(pages)),
    });
  await quota.refuseWhenShort(pages);
  const id = service.createResultId(tier.id);
  const parts = answerParts(tier.id, finished, payment);
  await service.store.putResult(await storedResult(id, parts, service.now()));
  const quotaHeaders = await quota.charge(pages).catch(async (fault: unknown) => {
    // Nobody knows its id: left behind it would be swept with the others.
    await service.store.deleteResult(id).catch(() => false);
    throw fault;
  });
  const link = linkText(tier.id, finished, payment, `${intake.origin}${resultPath(id)}`);
  return jsonReply(200, link, { ...NO_STORE, ...quotaHeaders });
}

/**
 * Refuses, before anything else is looked at, what cannot be used: now, or in this version. Who shows a payment that has bought
 * something gets that, whatever has become of the model meanwhile.
 */
async function refuseUnavailable(
  tier: TierEntry,
  service: Service,
  sale?: Pick<Sale, 'isKnown'>,
): Promise<void> {
  const { payments } = service;
  // Also of tiers that this version has not, or not with these settings.
  coreTier(tier);
  const reason = isSold(tier) ? payments.unavailable() : null;
  if (reason !== null) throw unavailable(tier, reason);
  const fault = silenceOf(tier, service) ?? crowdOf(tier, service);
  if (fault === null || (isSold(tier) && (await sale?.isKnown()) === true)) return;
  throw fault;
}

/** Refuses a tier whose language model does not answer. */
function refuseSilent(tier: TierEntry, service: Service): void {
  const fault = silenceOf(tier, service);
  if (fault !== null) throw fault;
}

function silenceOf(tier: TierEntry, { languageModel }: Service): Fault | null {
  const silent = asksLanguageModel(coreTier(tier)) ? languageModel.unavailable() : null;
  return silent === null ? null : unavailable(tier, silent);
}

/** That too many wait for the language model already: said before anybody pays for it. */
function crowdOf(tier: TierEntry, { modelPlaces, settings }: Service): Fault | null {
  if (tier.mode !== 'sync' || !waitsElsewhere(tier, settings)) return null;
  return modelPlaces.load().waiting >= settings.aiAtOnce ? new Fault('busy') : null;
}

function unavailable({ id }: TierEntry, reason: string): Fault {
  return new Fault('tier_unavailable', { detail: `${id}: ${reason}`, retryAfterS: SOON_S });
}

// GET /.well-known/x402

function paidResources({ origin }: Intake, { deployment }: Service): Reply {
  const text = paidResourcesText(deployment, origin);
  if (text === undefined) throw new Fault('not_found', { detail: ', as nothing is sold here' });
  return jsonReply(200, text, { 'Cache-Control': 'no-cache' });
}

// POST /payment/transaction, POST /payment/send

async function paymentTransaction(intake: Intake, service: Service): Promise<Reply> {
  const { deployment, payments } = service;
  const transfers = payments.transfers();
  const { tier, ...order } = readTransferOrder(await readJson(intake, MAX_TRANSFER_BYTES), deployment);
  await refuseUnavailable(tier, service);
  await payments.requireRoom();
  payments.countQuestion(intake.client);
  const amount = tier.priceMicroUsd;
  const { transaction, lastValidBlockHeight } = await transfers.prepare({ ...order, amount }, intake.signal);
  const prepared = { transaction, last_valid_block_height: Number(lastValidBlockHeight) };
  return jsonReply(200, JSON.stringify(prepared), NO_STORE);
}

async function paymentSend(intake: Intake, { deployment, payments }: Service): Promise<Reply> {
  const transfers = payments.transfers();
  const transaction = readSignedTransaction(await readJson(intake, MAX_TRANSFER_BYTES));
  payments.countQuestion(intake.client);
  const signature = await transfers.send(transaction, pricesOf(deployment), intake.signal);
  return jsonReply(200, JSON.stringify({ signature }), NO_STORE);
}

async function paymentFind(intake: Intake, { deployment, payments }: Service): Promise<Reply> {
  const transfers = payments.transfers();
  const { tier, ...wanted } = readWantedTransfer(await readJson(intake, MAX_TRANSFER_BYTES), deployment);
  payments.countQuestion(intake.client);
  const found = await transfers.find({ ...wanted, amount: tier.priceMicroUsd }, intake.signal);
  const answer = found.kind === 'paid' ? { state: 'paid', signature: found.key } : { state: found.kind };
  return jsonReply(200, JSON.stringify(answer), NO_STORE);
}

// GET, DELETE /results/{id}

async function result(intake: Intake, service: Service, id: string): Promise<Reply> {
  refuseGuesser(intake, service);
  const stored = RESULT_ID.test(id) ? await service.store.getResult(id) : null;
  return stored === null ? miss('result_not_found', intake, service) : resultReply(stored, intake);
}

async function deleteResult(intake: Intake, service: Service, id: string): Promise<Reply> {
  refuseGuesser(intake, service);
  const deleted = RESULT_ID.test(id) && (await service.store.deleteResult(id));
  return deleted ? { status: 204, headers: NO_STORE } : miss('result_not_found', intake, service);
}

// GET /job/{id}/status; GET, DELETE /job/{id}/result

async function jobStatus(intake: Intake, service: Service, id: string): Promise<Reply> {
  const job = await findJob(intake, service, id);
  return jsonReply(200, statusText(job, intake.origin), NO_STORE);
}

async function jobResult(intake: Intake, service: Service, id: string): Promise<Reply> {
  refuseWithoutResult(await findJob(intake, service, id));
  return result(intake, service, id);
}

async function deleteJobResult(intake: Intake, service: Service, id: string): Promise<Reply> {
  refuseWithoutResult(await findJob(intake, service, id));
  return deleteResult(intake, service, id);
}

async function findJob(intake: Intake, service: Service, id: string): Promise<JobStatus> {
  refuseGuesser(intake, service);
  const job = RESULT_ID.test(id) ? await service.store.jobStatus(id) : null;
  return job ?? miss('job_not_found', intake, service);
}

/** @throws Fault `job_not_completed`, `job_failed` */
function refuseWithoutResult({ state, code, message, progress }: JobStatus): void {
  if (state === 'processing') throw new Fault('job_not_completed', { limit: { progress } });
  if (state === 'failed') throw new Fault('job_failed', { detail: message, limit: { code: code ?? '' } });
}

function refuseGuesser({ client }: Intake, { misses, now }: Service): void {
  misses.refuseGuesser(client, now());
}

function miss(
  code: 'result_not_found' | 'job_not_found',
  { client }: Intake,
  { misses, now }: Service,
): never {
  misses.record(client, now());
  throw new Fault(code);
}

/** A transaction has 1232 bytes at most, in base64 1644. */
const MAX_TRANSFER_BYTES = 8 * 1024;

/** Chains and language models that do not answer are tried again about so often. */
const SOON_S = 15;

const NO_STORE = { 'Cache-Control': 'no-store' } as const;
