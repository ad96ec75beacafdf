// The routes, and the whole path of a request from top to bottom. Read it downwards:
// respond → answer → chunk (wait → read → work → charge → deliver) | overview | result | …
// Everything that a request touches comes in by Service; nothing here knows of sockets.
import type { Admission } from './admission.ts';
import { type Deployment, findTier, type TierEntry } from './catalog.ts';
import type { Downloader } from './download/index.ts';
import { Fault, faultFrom } from './errors.ts';
import {
  announcedBytes,
  bodyKind,
  type Intake,
  maxBodyBytes,
  type Order,
  readJsonOrder,
  readUploadOrder,
  type Reply,
} from './intake.ts';
import type { Misses } from './misses.ts';
import { overviewText, URL_KINDS } from './overview.ts';
import type { NextTurn } from './pacing.ts';
import { createQuota, NO_QUOTA, type Quota } from './quota.ts';
import { answerText, faultReply, jsonReply, LINK_FROM_CHUNKS, linkText } from './respond.ts';
import { resultReply, storedResult } from './results.ts';
import type { Settings } from './settings.ts';
import type { Store } from './store/store.ts';
import type { Finished, Task, Workplace } from './workplace/index.ts';

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
  const reply = await answer(intake, service, place);
  return {
    ...reply,
    route: place?.route.path ?? 'none',
    headers: commonHeaders(intake.requestId, reply.headers),
  };
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
  const text = overviewText(service.deployment, service.settings, service.version, intake.origin);
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

/** A request for chunks: refuse what cannot succeed, wait for a place, read, work, charge, answer. */
async function chunk(intake: Intake, service: Service, pathTier: TierEntry | undefined): Promise<Reply> {
  if (service.phase() === 'refusing') throw new Fault('shutting_down');
  if (pathTier !== undefined) coreTier(pathTier);
  const kind = bodyKind(intake.headers, pathTier === undefined ? ['json', 'multipart'] : ['multipart']);
  const bytes = announcedBytes(intake.headers, maxBodyBytes(kind, service.settings));
  if (pathTier !== undefined) await quotaOf(pathTier, intake, service).refuseWhenSpent();
  return service.admission.hold({ client: intake.client, bytes }, intake.signal, async () => {
    const order = await readOrder(intake, service, kind, pathTier);
    const quota = quotaOf(order.tier, intake, service);
    if (pathTier === undefined) await quota.refuseWhenSpent();
    await service.nextTurn();
    const finished = await work(order, intake, service);
    intake.signal.throwIfAborted();
    return deliver(order.tier, finished, quota, intake, service);
  });
}

function quotaOf({ hasQuota }: TierEntry, { client }: Intake, { store, settings, now }: Service): Quota {
  return hasQuota ? createQuota(store, client, settings.freePagesPerDay, now()) : NO_QUOTA;
}

async function readOrder(
  intake: Intake,
  service: Service,
  kind: 'json' | 'multipart',
  pathTier: TierEntry | undefined,
): Promise<Order> {
  const { deployment } = service;
  const { maxUploadBytes } = service.settings;
  const maxBytes = maxBodyBytes(kind, service.settings);
  if (kind === 'multipart') {
    return readUploadOrder(
      intake,
      deployment,
      { maxUploadBytes, maxBodyBytes: maxBytes },
      pathTier,
      coreTier,
    );
  }
  const order = await readJsonOrder(intake, deployment, maxBytes);
  coreTier(order.tier);
  return order;
}

/** From source to chunks. A link is fetched first, in a place of its own, because nobody knows how large it is. */
async function work(order: Order, { client, signal }: Intake, service: Service): Promise<Finished> {
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

/** Core's tier behind a catalog entry. Refuses, before anything else is looked at, when there is none. */
function coreTier(tier: TierEntry): Task['tier'] {
  if ('tier' in tier.offer) return tier.offer.tier;
  throw new Fault('tier_unavailable', { detail: `${tier.id}: ${tier.offer.unavailable}` });
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

const NO_STORE = { 'Cache-Control': 'no-store' } as const;
