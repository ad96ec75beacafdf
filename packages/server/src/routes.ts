// The routes, and the whole path of a request from top to bottom. Read it downwards:
// respond → answer → chunk (claim → wait → read → bind → work → charge or commit → deliver) | overview | result | …
// Everything that a request touches comes in by Service; nothing here knows of sockets.
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Admission } from './admission.ts';
import { type Deployment, findTier, isSold, pricesOf, type TierEntry } from './catalog.ts';
import type { Downloader } from './download/index.ts';
import { parseLink } from './download/link.ts';
import { Fault, faultFrom } from './errors.ts';
import { type ChunkFields, defaultFields } from './fields.ts';
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
} from './intake.ts';
import type { Misses } from './misses.ts';
import { overviewText, URL_KINDS } from './overview.ts';
import type { NextTurn } from './pacing.ts';
import type { Payments } from './payments/payments.ts';
import { type Deal, type Sale, VARY } from './payments/sale.ts';
import { readSignedTransaction, readTransferOrder } from './payments/transfers.ts';
import { joinLimits, type RateLimit } from './rate.ts';
import { createQuota, NO_QUOTA, type Quota } from './quota.ts';
import { answerText, faultReply, jsonReply, LINK_FROM_CHUNKS, linkText, type Payment } from './respond.ts';
import { resultReply, storedResult } from './results.ts';
import type { Settings } from './settings.ts';
import type { Store } from './store/store.ts';
import {
  type Finished,
  refuseIllFormed,
  refuseLongText,
  type Task,
  type Workplace,
} from './workplace/index.ts';

/** What requests need: settings, the parts that do the work, and the outside world as values. */
export interface Service {
  readonly settings: Settings;
  /** What the settings make of the catalog. */
  readonly deployment: Deployment;
  readonly version: string;
  readonly store: Store;
  readonly downloader: Downloader;
  readonly workplace: Workplace;
  /** Places for bodies in work. */
  readonly admission: Admission;
  /** Places for documents behind links, whose size nobody announces. */
  readonly links: Admission;
  readonly misses: Misses;
  readonly rate: RateLimit;
  readonly payments: Payments;
  /** Waited for before work that may block the event loop. */
  readonly nextTurn: NextTurn;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly createResultId: (tier: string) => string;
  readonly phase: () => Phase;
}

/** `leaving`: asked to stop, not ready, but still serving who has not noticed. `refusing`: no new work. */
export type Phase = 'serving' | 'leaving' | 'refusing';

type Answer = (intake: Intake, service: Service, parameter: string) => Promise<Reply> | Reply;

interface Route {
  /** `{…}` stands for one path segment, handed to the answer as it was sent. */
  readonly path: string;
  readonly methods: Readonly<Partial<Record<'GET' | 'POST' | 'DELETE', Answer>>>;
}

const ROUTES: readonly Route[] = [
  { path: '/', methods: { GET: overview } },
  { path: '/health', methods: { GET: health } },
  { path: '/ready', methods: { GET: ready } },
  { path: '/chunk', methods: { POST: (intake, service) => chunk(intake, service, undefined) } },
  { path: '/chunk/{tier}', methods: { POST: chunkUpload } },
  { path: '/payment/transaction', methods: { POST: paymentTransaction } },
  { path: '/payment/send', methods: { POST: paymentSend } },
  { path: '/results/{id}', methods: { GET: result, DELETE: deleteResult } },
  { path: '/job/{id}/status', methods: { GET: job } },
  { path: '/job/{id}/result', methods: { GET: job } },
];

const RESULT_ID = /^[a-z][a-z-]{0,31}_[0-9a-f]{12}$/;

/** Headers of every answer: any origin may read it, no browser may run or guess it. */
const COMMON_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, ETag, Content-Range',
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
  const reply = await limited(intake, service, place);
  return {
    ...reply,
    route: place?.route.path ?? 'none',
    headers: commonHeaders(intake.requestId, reply.headers),
  };
}

/** What probes and browsers ask by themselves must not use up what their owner may ask. */
const UNLIMITED = new Set(['/health', '/ready']);

/** Refuses who asks too often, before anything of the request is looked at: body, payment, or id. */
async function limited(intake: Intake, service: Service, place: Place | undefined): Promise<Reply> {
  if (intake.method === 'OPTIONS' || UNLIMITED.has(intake.path)) return answer(intake, service, place);
  let headers;
  try {
    headers = service.rate.take(intake.client, service.now());
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
  pattern: new RegExp(`^${route.path.replace(/\{\w+\}/, '([^/]+)')}$`),
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

function overview(intake: Intake, service: Service): Reply {
  const text = overviewText(service, intake.origin);
  return jsonReply(200, text, { Vary: 'Accept', 'Cache-Control': 'no-cache' });
}

// GET /health, GET /ready

/** Touches nothing, so that it answers while everything else is at its limit. */
function health(_: Intake, { settings }: Service): Reply {
  return jsonReply(200, JSON.stringify({ status: 'healthy', network: settings.network }), NO_STORE);
}

async function ready(_: Intake, { store, phase }: Service): Promise<Reply> {
  if (phase() !== 'serving') throw new Fault('shutting_down');
  try {
    await store.ping();
  } catch (cause) {
    throw new Fault('not_ready', { cause });
  }
  return jsonReply(200, JSON.stringify({ status: 'ready' }), NO_STORE);
}

// POST /chunk, POST /chunk/{tier}

function chunkUpload(intake: Intake, service: Service, tierName: string): Promise<Reply> {
  const tier = findTier(service.deployment, tierName);
  if (tier === undefined) throw new Fault('not_found');
  return chunk(intake, service, tier);
}

/**
 * A request for chunks: refuse what cannot succeed, take its payment, wait for a place, read, work, answer. Where the
 * path names the tier, a payment is asked for and looked at before anything of the body is read.
 */
async function chunk(intake: Intake, service: Service, pathTier: TierEntry | undefined): Promise<Reply> {
  if (service.phase() === 'refusing') throw new Fault('shutting_down');
  if (pathTier !== undefined) refuseUnavailable(pathTier, service);
  const kind = bodyKind(intake.headers, pathTier === undefined ? ['json', 'multipart'] : ['multipart']);
  const bytes = announcedBytes(intake.headers, maxBodyBytes(kind, service.settings));
  const sale = service.payments.createSale(intake);
  try {
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
  if (isSold(tier)) return sale.claim(tier, fields);
  sale.waive();
  return quotaOf(tier, intake, service).refuseWhenSpent();
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
    refuseUnavailable(order.tier, service);
    return order;
  }
  const limits = { maxUploadBytes: settings.maxUploadBytes, maxBodyBytes: maxBytes };
  const opened = await openUploadOrder(intake, deployment, limits, pathTier);
  try {
    const { tier, fields } = opened;
    refuseUnavailable(tier, service);
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
  const deal = await sale.bind(order);
  if (deal.kind === 'replay') return soldReply(keptText(deal.gzip), sale, deal);
  return service.payments.work.run(async (signal) => {
    await service.nextTurn();
    const finished = await work(order, { client: intake.client, signal }, service);
    signal.throwIfAborted();
    return soldReply(await commit(order.tier, finished, deal.receipt, sale, intake, service), sale, deal);
  });
}

/** Writes the answer, with the result behind its link when it is large, as what the payment has bought. */
async function commit(
  tier: TierEntry,
  finished: Finished,
  receipt: Deal['receipt'],
  sale: Sale,
  { origin }: Intake,
  { settings, createResultId, now }: Service,
): Promise<string> {
  const payment: Payment = { amount: tier.priceMicroUsd, network: settings.network, receipt };
  const text = answerText(tier.id, finished, payment);
  if (finished.totalChunks < LINK_FROM_CHUNKS) {
    await sale.commit(text);
    return text;
  }
  const id = createResultId(tier.id);
  const link = linkText(tier.id, finished, payment, `${origin}/results/${id}`);
  await sale.commit(link, await storedResult(id, text, now()));
  return link;
}

function soldReply(body: string | Readable, sale: Sale, { receipt }: Deal): Reply {
  return { ...jsonReply(200, '', { ...NO_STORE, ...VARY, ...sale.receiptHeaders(receipt) }), body };
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

/** From source to chunks. A link is fetched first, in a place of its own, because nobody knows how large it is. */
async function work(
  order: Order,
  { client, signal }: Pick<Intake, 'client' | 'signal'>,
  service: Service,
): Promise<Finished> {
  const { source } = order;
  const { downloader, links, settings } = service;
  if (source.kind === 'text') return runLine(taskOf(order, source), signal, service);
  if (source.kind === 'upload') {
    const input = { kind: 'bytes', ...source.upload, accept: settings.uploadKinds } as const;
    return runLine(taskOf(order, input), signal, service);
  }
  return links.hold({ client, bytes: 0 }, signal, async () => {
    const { bytes, filename, contentType } = await downloader.download(source.url, signal);
    const input = { kind: 'bytes', bytes, filename, contentType, accept: URL_KINDS } as const;
    return runLine(taskOf(order, input, source.url), signal, service);
  });
}

/**
 * The most that the line may take, the wait for a free process included: a document waits at most as long as
 * another one may be worked on.
 */
export function patienceMs({ workTimeoutMs }: Pick<Settings, 'workTimeoutMs'>): number {
  return 2 * workTimeoutMs;
}

/** Runs the line on a task; who waits too long for a process is told to come again. */
async function runLine(task: Task, signal: AbortSignal, { workplace, settings }: Service): Promise<Finished> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(new Fault('busy')), patienceMs(settings));
  try {
    return await workplace.run(task, AbortSignal.any([signal, patience.signal]));
  } finally {
    clearTimeout(timer);
  }
}

function taskOf({ tier, fields }: Order, input: Task['input'], sourceUrl?: string): Task {
  const { documentId, collection, textField, ...cutting } = fields;
  const records = {
    ...(documentId === undefined ? undefined : { documentId }),
    ...(sourceUrl === undefined ? undefined : { sourceUrl }),
    ...(collection === undefined ? undefined : { collection }),
    ...(textField === undefined ? undefined : { textField }),
    tierName: tier.id,
  };
  const most = tier.maxCharacters === null ? undefined : { maxCharacters: tier.maxCharacters };
  return { input, tier: coreTier(tier), ...cutting, ...most, records };
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
  const text = answerText(tier.id, finished, payment);
  if (finished.totalChunks < LINK_FROM_CHUNKS)
    return jsonReply(200, text, { ...NO_STORE, ...(await quota.charge(pages)) });
  await quota.refuseWhenShort(pages);
  const id = service.createResultId(tier.id);
  await service.store.putResult(await storedResult(id, text, service.now()));
  const quotaHeaders = await quota.charge(pages).catch(async (fault: unknown) => {
    // Nobody knows its id: left behind it would be swept with the others.
    await service.store.deleteResult(id).catch(() => false);
    throw fault;
  });
  const link = linkText(tier.id, finished, payment, `${intake.origin}/results/${id}`);
  return jsonReply(200, link, { ...NO_STORE, ...quotaHeaders });
}

/** Refuses, before anything else is looked at, what cannot be used: now, or in this version. */
function refuseUnavailable(tier: TierEntry, { payments }: Service): void {
  coreTier(tier);
  const reason = isSold(tier) ? payments.unavailable() : null;
  if (reason !== null) {
    throw new Fault('tier_unavailable', { detail: `${tier.id}: ${reason}`, retryAfterS: PAYMENTS_RETRY_S });
  }
}

/** Core's tier behind a catalog entry. */
function coreTier(tier: TierEntry): Task['tier'] {
  if ('tier' in tier.offer) return tier.offer.tier;
  throw new Fault('tier_unavailable', { detail: `${tier.id}: ${tier.offer.unavailable}` });
}

// POST /payment/transaction, POST /payment/send

async function paymentTransaction(intake: Intake, service: Service): Promise<Reply> {
  const { deployment, payments } = service;
  const transfers = payments.transfers();
  const { tier, ...order } = readTransferOrder(await readJson(intake, MAX_TRANSFER_BYTES), deployment);
  refuseUnavailable(tier, service);
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

// GET, DELETE /results/{id}

async function result(intake: Intake, service: Service, id: string): Promise<Reply> {
  refuseGuesser(intake, service);
  const stored = RESULT_ID.test(id) ? await service.store.getResult(id) : null;
  return stored === null ? miss('result_not_found', intake, service) : resultReply(stored, intake.headers);
}

async function deleteResult(intake: Intake, service: Service, id: string): Promise<Reply> {
  refuseGuesser(intake, service);
  const deleted = RESULT_ID.test(id) && (await service.store.deleteResult(id));
  return deleted ? { status: 204, headers: NO_STORE } : miss('result_not_found', intake, service);
}

// GET /job/{id}/status, GET /job/{id}/result: no tier of this version makes jobs, so no id leads to one.

function job(intake: Intake, service: Service): Reply {
  refuseGuesser(intake, service);
  return miss('job_not_found', intake, service);
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

/** Payments that cannot be taken now are tried again about so often. */
const PAYMENTS_RETRY_S = 15;

const NO_STORE = { 'Cache-Control': 'no-store' } as const;
