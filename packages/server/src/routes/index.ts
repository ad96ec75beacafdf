// The routes, and the path of every request: respond → limited → answer → one function of this folder. chunk.ts has the
// path of a request for chunks from top to bottom.
import { type Operation, OPERATION_LIST, type OperationName, OPERATIONS } from '../api/operations.ts';
import { findTier, isPaid } from '../catalog.ts';
import { HttpError, toHttpError } from '../errors/http-error.ts';
import type { HttpRequest, HttpReply } from '../http/message.ts';
import { renderPlainAnswer } from '../responses/plain-answer.ts';
import { commonHeaders, errorReply } from '../http/reply.ts';
import { isRateLimited } from '../limits/client.ts';
import { joinLimits } from '../limits/rate.ts';
import {
  description,
  guide,
  health,
  overview,
  pageFile,
  paidResources,
  paymentManifest,
  ready,
  receiptIdentity,
  receiptKeys,
  reference,
} from './about.ts';
import { chunk, chunkUpload } from './chunk.ts';
import { citeQuote } from './cite.ts';
import { estimate } from './estimate.ts';
import { mcp } from './mcp.ts';
import { deleteJobResult, deleteResult, jobResult, jobStatus, result, resultReceipt } from './results.ts';
import { paymentFind, paymentSend, paymentTransaction } from './payment.ts';
import type { ServiceDeps } from './deps.ts';

type RouteFunction = (
  httpRequest: HttpRequest,
  deps: ServiceDeps,
  parameter: string,
) => Promise<HttpReply> | HttpReply;

/** The function of each operation. */
const FUNCTIONS: Readonly<Record<OperationName, RouteFunction>> = {
  overview,
  health,
  ready,
  description,
  guide,
  reference,
  chunk,
  chunkUpload,
  estimate,
  result,
  resultReceipt,
  deleteResult,
  citeQuote,
  mcp,
  jobStatus,
  jobResult,
  deleteJobResult,
  paidResources,
  paymentManifest,
  receiptKeys,
  receiptIdentity,
  paymentTransaction,
  paymentSend,
  paymentFind,
};

/** A path with the functions of its methods. */
interface Route {
  readonly path: string;
  readonly methods: Readonly<Partial<Record<Operation['method'], RouteFunction>>>;
}

const JOB_STATUS_PATH = OPERATIONS.jobStatus.path;
/** The path of the web app's files. The document loads a dozen of them. They are no part of the API. */
const PAGE_FILES = '/assets/{name}';

const ROUTES: readonly Route[] = [
  ...[...new Set(OPERATION_LIST.map(({ path }) => path))].map((path) => {
    const operations = OPERATION_LIST.filter((operation) => operation.path === path);
    const methods = Object.fromEntries(operations.map(({ method, name }) => [method, FUNCTIONS[name]]));
    return { path, methods };
  }),
  { path: PAGE_FILES, methods: { GET: pageFile } },
];

/** Headers of every preflight. */
const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, DELETE, OPTIONS',
  'Access-Control-Allow-Headers':
    'Content-Type, X-PAYMENT, X-PAYMENT-BINDING, PAYMENT-SIGNATURE, Idempotency-Key, X-Request-Id, Range, If-Range, If-None-Match, ' +
    // The standard headers of MCP's HTTP transport, up to revision 2026-07-28.
    'Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name',
  'Access-Control-Max-Age': '86400',
} as const;

/** Answers a request. Rejects only for a client that has left, with the reason of the request's signal. */
export async function respond(httpRequest: HttpRequest, deps: ServiceDeps): Promise<HttpReply> {
  const match = matchRoute(httpRequest.path);
  const answered = await limited(httpRequest, deps, match);
  const reply = isPlainForm(httpRequest, deps, match)
    ? renderPlainAnswer(answered, httpRequest.headers)
    : answered;
  return { ...reply, headers: commonHeaders(httpRequest.requestId, reply.headers) };
}

/** The template of a path's route; `none` without one. */
export function routeOf(path: string): string {
  return matchRoute(path)?.route.path ?? 'none';
}

/** The level of a route's lines in the log. Each visit of the page loads a dozen files. */
export function levelOf(route: string): 'info' | 'debug' {
  return route === PAGE_FILES ? 'debug' : 'info';
}

/** True for the target of the web app's form without JavaScript, which only the free tier has. */
function isPlainForm(
  { method }: HttpRequest,
  { webApp, deployment }: ServiceDeps,
  match: RouteMatch | undefined,
): boolean {
  if (method !== 'POST' || webApp === undefined || match?.route.path !== OPERATIONS.chunkUpload.path)
    return false;
  const tier = findTier(deployment, match.parameter);
  return tier !== undefined && !isPaid(tier);
}

/** Requests that probes and browsers send by themselves do not count against a client's limit. */
const UNLIMITED = new Set(['/health', '/ready', PAGE_FILES]);

/** Rejects a client over its rate before its body, payment or id is read. */
async function limited(
  httpRequest: HttpRequest,
  deps: ServiceDeps,
  match: RouteMatch | undefined,
): Promise<HttpReply> {
  const isUncounted = httpRequest.method === 'OPTIONS' || UNLIMITED.has(match?.route.path ?? '');
  if (isUncounted || !isRateLimited(httpRequest, deps.settings)) return answer(httpRequest, deps, match);
  let headers;
  try {
    const limit = match?.route.path === JOB_STATUS_PATH ? deps.polls : deps.rate;
    headers = limit.take(httpRequest.client, deps.now());
  } catch (error) {
    return errorReply(toHttpError(error), httpRequest.requestId);
  }
  const reply = await answer(httpRequest, deps, match);
  return { ...reply, headers: joinLimits(headers, reply.headers) };
}

async function answer(
  httpRequest: HttpRequest,
  deps: ServiceDeps,
  match: RouteMatch | undefined,
): Promise<HttpReply> {
  try {
    if (httpRequest.method === 'OPTIONS')
      return { status: 204, headers: { ...PREFLIGHT_HEADERS, Allow: allowed(match?.route) } };
    if (match === undefined) throw new HttpError('not_found');
    const method = httpRequest.method === 'HEAD' ? 'GET' : httpRequest.method;
    const { methods } = match.route;
    const run = Object.hasOwn(methods, method) ? methods[method as keyof Route['methods']] : undefined;
    if (run === undefined) throw methodNotAllowed(match.route);
    return await run(httpRequest, deps, match.parameter);
  } catch (error) {
    if (httpRequest.signal.aborted && !(httpRequest.signal.reason instanceof HttpError))
      throw httpRequest.signal.reason;
    return errorReply(
      toHttpError(httpRequest.signal.aborted ? httpRequest.signal.reason : error),
      httpRequest.requestId,
    );
  }
}

interface RouteMatch {
  readonly route: Route;
  readonly parameter: string;
}

const PATTERNS = ROUTES.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replace(/\{\w+\}/, '([^/]+)')}$`),
}));

function matchRoute(path: string): RouteMatch | undefined {
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

function methodNotAllowed(route: Route): HttpError {
  const detail = allowed(route);
  return new HttpError('method_not_allowed', { detail, headers: { Allow: detail } });
}
