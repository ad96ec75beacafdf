// POST /mcp: the service as tools of the Model Context Protocol (streamable HTTP, stateless). Each call becomes the
// HTTP request of an operation and runs on its path, with the same limits, payments and errors. A price is answered as
// x402's MCP transport says: PaymentRequired in a result with isError, the payment and its receipt in `_meta`.
import { text as textOf } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { citeBody, jsonBody } from '../api/request-schemas.ts';
import { type Deployment, paidTiers } from '../catalog.ts';
import { HttpError, toHttpError } from '../errors/http-error.ts';
import { objectOf, type Schema } from '../fields/schema.ts';
import type { HttpReply, HttpRequest } from '../http/message.ts';
import { errorReply, jsonReply, NO_STORE } from '../http/reply.ts';
import { maxBodyBytes, readBodyKind, readBytes, readContentLength } from '../requests/chunk-request.ts';
import {
  assertOwnOrigin,
  JOB_STATUS_FIELDS,
  MAX_MESSAGE_BYTES,
  PAGE_FIELDS,
  paymentHeaders,
  readJobId,
  readPageRequest,
} from '../requests/mcp-request.ts';
import { parseJsonObject } from '../requests/json.ts';
import { runPage } from '../requests/run-request.ts';
import { sharedBytes } from '../responses/stored-result.ts';
import { chunk } from './chunk.ts';
import { CLAIMED_BYTES, citeQuote } from './cite.ts';
import { estimate } from './estimate.ts';
import type { ServiceDeps } from './deps.ts';
import { createWorkTime } from './free-work.ts';
import { findStored, jobStatus } from './results.ts';

/** A tool: its description, and the operation behind it. */
interface ServiceTool {
  readonly description: string;
  readonly input: (deployment: Deployment) => Schema;
  readonly isFree: boolean;
  readonly run: (given: object, httpRequest: HttpRequest, deps: ServiceDeps) => Promise<HttpReply>;
}

const INSTRUCTIONS =
  'Grainline splits documents into chunks for retrieval. Call estimate for size, price and refusals of a text or a link; it is free. ' +
  'chunk_text and chunk_url make the chunks; a tier with a price answers with PaymentRequired of x402, and the same call with the payment ' +
  'in _meta["x402/payment"] gets the chunks, also when it is repeated. From 100 chunks on the answer has a download_url: read_chunks reads ' +
  'the result by the id at its end. Files are sent over HTTP: GET /llms.txt.';

/** The tools by name. */
const TOOLS: Readonly<Record<string, ServiceTool>> = {
  chunk_text: {
    description: 'Cuts a text into chunks.',
    input: (deployment) => sourceSchema(deployment, 'text'),
    isFree: false,
    run: (given, request, deps) => chunk(callOf('/mcp', only(given, 'url'), request), deps),
  },
  chunk_url: {
    description: 'Fetches the document behind a public link and cuts it into chunks.',
    input: (deployment) => sourceSchema(deployment, 'url'),
    isFree: false,
    run: (given, request, deps) => chunk(callOf('/mcp', only(given, 'text'), request), deps),
  },
  estimate: {
    description:
      'Kind, pages, characters, tokens, and for each tier the price, the expected chunks and seconds, and the refusals of a text or a link. Free.',
    input: (deployment) => jsonBody(deployment).schema,
    isFree: true,
    run: (given, request, deps) => estimate(callOf('/estimate', given, request), deps),
  },
  cite: {
    description: 'Finds a quotation in a stored result: its words there, pages, offsets and chunks. Free.',
    input: () => citeBody().schema,
    isFree: true,
    run: (given, request, deps) => citeQuote(callOf('/cite', given, request), deps),
  },
  job_status: {
    description: 'State and progress of a job. Needs its id.',
    input: () => objectOf({ job_id: JOB_STATUS_FIELDS.job_id.schema }),
    isFree: true,
    run: async (given, request, deps) => jobStatus(request, deps, readJobId(given)),
  },
  read_chunks: {
    description: 'Some chunks of a stored result. Needs its id.',
    input: () =>
      objectOf(Object.fromEntries(Object.entries(PAGE_FIELDS).map(([name, { schema }]) => [name, schema])), {
        optional: ['from', 'limit', 'max_characters'],
      }),
    isFree: true,
    run: readChunks,
  },
};

/** The names of the tools, for the descriptions of the service. */
const TOOL_NAMES = Object.keys(TOOLS);

export async function mcp(httpRequest: HttpRequest, deps: ServiceDeps): Promise<HttpReply> {
  if (deps.phase() === 'refusing') throw new HttpError('shutting_down');
  const { client, headers, signal } = httpRequest;
  assertOwnOrigin(headers, deps.settings.publicUrl);
  readBodyKind(headers, ['json']);
  const most = Math.min(MAX_MESSAGE_BYTES, maxBodyBytes('json', deps.settings));
  const bytes = readContentLength(headers, most);
  // The call takes a place of its own, so that no message waits for another while it holds one.
  const body = await deps.admission.run({ client, bytes, isFree: true }, signal, () =>
    readBytes(httpRequest.openBody(), most, signal),
  );
  const request = new Request(`${httpRequest.origin}/mcp`, {
    method: 'POST',
    headers: protocolHeaders(httpRequest),
    signal,
  });
  const message = Object.fromEntries(parseJsonObject(body));
  const response = await answerMessage(request, message, () => createServer(httpRequest, deps));
  const answer = await response.text();
  const type = response.headers.get('content-type') ?? 'application/json';
  return { status: response.status, headers: { ...NO_STORE, 'Content-Type': type }, body: answer };
}

/**
 * Answers one message of either generation of the protocol, in JSON: no stream stays open, as no tool reports progress.
 * The newer one's mode for JSON alone would write a warning past the log with each message.
 */
async function answerMessage(request: Request, parsedBody: object, open: () => McpServer): Promise<Response> {
  if (await isLegacyRequest(request, parsedBody)) {
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const server = open();
    await server.connect(transport);
    try {
      return await transport.handleRequest(request, { parsedBody });
    } finally {
      await server.close();
    }
  }
  const handler = createMcpHandler(open, {
    legacy: 'reject',
    maxSubscriptions: 0,
    keepAliveMs: 0,
  });
  return handler.fetch(request, { parsedBody });
}

/** The headers that the protocol reads. */
function protocolHeaders({ headers }: HttpRequest): Record<string, string> {
  const names = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];
  return Object.fromEntries(
    names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  );
}

function createServer(httpRequest: HttpRequest, deps: ServiceDeps): McpServer {
  const server = new McpServer(
    { name: 'grainline', title: 'Grainline', version: deps.version },
    { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
  );
  server.server.setRequestHandler('tools/list', () => ({ tools: listTools(deps.deployment) }));
  server.server.setRequestHandler(
    'tools/call',
    async ({ params: { name, arguments: given = {}, _meta } }) => {
      const found = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
      const paid = {
        ...httpRequest,
        headers: { ...httpRequest.headers, ...NO_PAYMENT, ...paymentHeaders(_meta) },
      };
      try {
        if (found === undefined)
          throw new HttpError('not_found', { detail: `, as the tools here are ${TOOL_NAMES.join(', ')}` });
        return await resultOf(await found.run(given, paid, deps));
      } catch (error) {
        if (httpRequest.signal.aborted) throw error;
        return resultOf(errorReply(toHttpError(error), httpRequest.requestId));
      }
    },
  );
  return server;
}

/** Payments of calls stand in their metadata alone. */
const NO_PAYMENT = {
  'x-payment': undefined,
  'payment-signature': undefined,
  'x-payment-binding': undefined,
} as const;

function listTools(deployment: Deployment): Tool[] {
  const sells = paidTiers(deployment).length > 0;
  return Object.entries(TOOLS).map(([name, { description, input, isFree }]): Tool => ({
    name,
    description,
    inputSchema: input(deployment) as Tool['inputSchema'],
    annotations: {
      readOnlyHint: isFree,
      destructiveHint: sells && !isFree,
      idempotentHint: true,
      openWorldHint: name === 'chunk_url' || name === 'estimate',
    },
  }));
}

/** The members of a request for chunks with one kind of source. */
function sourceSchema(deployment: Deployment, source: 'url' | 'text'): Schema {
  const { properties } = jsonBody(deployment).schema as {
    readonly properties: Readonly<Record<string, Schema>>;
  };
  const others = source === 'url' ? ['text', 'filename'] : ['url'];
  const members = Object.entries(properties).filter(([name]) => !others.includes(name));
  return objectOf(Object.fromEntries(members), {
    optional: members.map(([name]) => name).filter((name) => name !== source),
  });
}

/** Rejects the source of the other tool. @throws HttpError `invalid_fields` */
function only(given: object, other: string): object {
  if (other in given)
    throw new HttpError('invalid_fields', { detail: `${other} is not a member of this tool` });
  return given;
}

/** The call as the request of an operation. */
function callOf(path: string, given: object, httpRequest: HttpRequest): HttpRequest {
  const body = Buffer.from(JSON.stringify(given));
  const headers = {
    ...httpRequest.headers,
    'content-type': 'application/json',
    'content-length': String(body.length),
    'content-encoding': undefined,
  };
  return { ...httpRequest, method: 'POST', path, query: '', headers, openBody: () => Readable.from([body]) };
}

async function readChunks(given: object, httpRequest: HttpRequest, deps: ServiceDeps): Promise<HttpReply> {
  const { resultId, ...page } = readPageRequest(given);
  const { client, signal } = httpRequest;
  const claim = { client, bytes: CLAIMED_BYTES, isFree: true };
  return deps.admission.run(claim, signal, async () => {
    const gzip = sharedBytes(await findStored(httpRequest, deps, resultId));
    await deps.throttleFree({ client, bytes: gzip.byteLength }, signal);
    const { onStart, charge } = createWorkTime(httpRequest, deps);
    try {
      const options = { client, signal, isFree: true, onStart };
      const { chunks, total, next } = await runPage({ gzip, ...page }, options, deps);
      const head = JSON.stringify({ result_id: resultId, total_chunks: total, from: page.from, next });
      return jsonReply(200, `${head.slice(0, -1)},"chunks":${chunks}}`, NO_STORE);
    } finally {
      charge();
    }
  });
}

/** The result of a call, from the answer of its operation. */
async function resultOf({ status, headers, body = '' }: HttpReply): Promise<CallToolResult> {
  const answer = body instanceof Readable ? await textOf(body) : Buffer.from(body).toString();
  const receipt = headers['PAYMENT-RESPONSE'];
  const meta = receipt === undefined ? {} : { _meta: { 'x402/payment-response': decodeHeader(receipt) } };
  if (status === 200)
    return { content: [{ type: 'text', text: answer }], structuredContent: parse(answer), ...meta };
  const error = parse(answer);
  const required = headers['PAYMENT-REQUIRED'];
  if (required === undefined) {
    const said = `${String(error['message'])} (${String(error['code'])})`;
    return {
      content: [
        { type: 'text', text: said },
        { type: 'text', text: answer },
      ],
      structuredContent: error,
      isError: true,
      ...meta,
    };
  }
  // Clients of x402 read either; the second text is for payers without a client.
  const payment = { ...decodeHeader(required), error: error['message'] };
  const texts = [JSON.stringify(payment), answer];
  return {
    content: texts.map((text) => ({ type: 'text', text })),
    structuredContent: payment,
    isError: true,
    ...meta,
  };
}

function decodeHeader(header: string): Record<string, unknown> {
  return parse(Buffer.from(header, 'base64').toString());
}

/** JSON that this service has written. */
function parse(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}
