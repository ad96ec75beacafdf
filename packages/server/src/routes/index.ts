// The routes, and the path of every request: respond → limited → answer → one function of this folder. What a request
// for chunks goes through, free or paid, stands in chunk.ts from top to bottom.
import { type Operation, OPERATION_LIST, type OperationName, OPERATIONS } from '../api/operations.ts';
import { findTier, isSold } from '../catalog.ts';
import { Fault, faultFrom } from '../errors.ts';
import type { Intake, Reply } from '../http/intake.ts';
import { plainAnswer } from '../http/plain-answer.ts';
import { commonHeaders, faultReply } from '../http/respond.ts';
import { joinLimits } from '../limits/rate.ts';
import { description, guide, health, overview, pageFile, paidResources, ready, reference } from './about.ts';
import { chunk, chunkUpload } from './chunk.ts';
import { deleteJobResult, deleteResult, jobResult, jobStatus, result } from './kept.ts';
import { paymentFind, paymentSend, paymentTransaction } from './payment.ts';
import type { Service } from './service.ts';

type Answer = (intake: Intake, service: Service, parameter: string) => Promise<Reply> | Reply;

/** What answers each operation of the table. */
const ANSWERS: Readonly<Record<OperationName, Answer>> = {
  overview,
  health,
  ready,
  description,
  guide,
  reference,
  chunk,
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
  return { ...reply, headers: commonHeaders(intake.requestId, reply.headers) };
}

/** The template of the route that a path leads to; `none` when it leads nowhere. */
export function routeOf(path: string): string {
  return findRoute(path)?.route.path ?? 'none';
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

/** Refuses a client that asks too often, before its body, payment or id is looked at. */
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
