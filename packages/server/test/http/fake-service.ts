// A service whose parts live in memory, and requests as values: the routes are tested without a socket.
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { createAdmission } from '../../src/limits/limiter.ts';
import { deploymentOf } from '../../src/catalog.ts';
import { type DownloadError, type Downloader } from '../../src/requests/download/index.ts';
import type { HttpRequest, HttpReply, LoggedFacts } from '../../src/http/message.ts';
import { NO_JOBS } from '../../src/jobs/jobs.ts';
import { NO_LANGUAGE_MODEL } from '../../src/models/language-model.ts';
import { createNotFoundLimit } from '../../src/limits/not-found-limit.ts';
import { NO_PAYMENTS } from '../../src/payments/payments.ts';
import { createRateLimit } from '../../src/limits/rate.ts';
import { respond } from '../../src/routes/index.ts';
import type { ServiceDeps } from '../../src/routes/deps.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { storeIn } from '../../src/store/sqlite/index.ts';
import { migrate } from '../../src/store/sqlite/schema.ts';
import type { Store } from '../../src/store/store.ts';
import { MODEL_QUEUE } from '../../src/requests/run-request.ts';
import type { WorkerPool } from '../../src/sandbox/index.ts';
import { citeStored } from '../../src/sandbox/cite-stored.ts';
import { captureReply, unwrapReply } from '../../src/sandbox/reply.ts';
import { pageStored } from '../../src/sandbox/page-stored.ts';
import { measureDocument, runPipeline } from '../../src/sandbox/run-pipeline.ts';
import { undescribed } from './described.ts';

/** 21 November 2026, 18:00 UTC: six hours before the count of the day starts anew. */
export const NOW = Date.UTC(2026, 10, 21, 18);

/** The embedded engine, on a database in memory. */
export function memoryStore(now: () => number = () => NOW): Store {
  const database = new DatabaseSync(':memory:');
  migrate(database);
  return storeIn({ quick: database, durable: database }, { maxStoredBytes: 2 ** 30, now });
}

/** The real line, in this process. */
export const inlineWorkerPool: WorkerPool = {
  run: (task, work) => runPipeline(task, work),
  cite: (task) => Promise.resolve(citeStored(task)),
  measure: async (task) => unwrapReply(await captureReply(() => measureDocument(task))),
  page: (task) => Promise.resolve(pageStored(task)),
  close: () => Promise.resolve(),
};

/** Hands out the given documents by their links, and fails with the given errors. */
export function memoryDownloader(
  documents: Readonly<Record<string, string | DownloadError>> = {},
): Downloader {
  return {
    download(url) {
      const found = documents[url];
      if (typeof found !== 'string') return Promise.reject(found ?? new Error(`no document at ${url}`));
      const bytes = new TextEncoder().encode(found);
      return Promise.resolve({
        bytes,
        filename: new URL(url).pathname.slice(1),
        contentType: 'text/plain',
        url,
      });
    },
    close: () => Promise.resolve(),
  };
}

export function fakeService(
  environment: Readonly<Record<string, string>> = {},
  parts: Partial<ServiceDeps> = {},
): ServiceDeps {
  const settings = readSettings({ RATE_LIMIT: 'off', ...environment });
  let ids = 0;
  return {
    settings,
    deployment: deploymentOf(settings),
    version: '0.0.0-test',
    store: memoryStore(parts.now),
    downloader: memoryDownloader(),
    workerPool: inlineWorkerPool,
    admission: createAdmission({ places: settings.maxInWork, bytes: 2 ** 30, queue: 512, waitMs: 20_000 }),
    links: createAdmission({ places: 16, bytes: Infinity, queue: 512, waitMs: 20_000 }),
    modelPlaces: createAdmission({
      ...MODEL_QUEUE,
      places: settings.aiAtOnce,
      queue: settings.aiAtOnce,
      bytes: Infinity,
    }),
    languageModel: NO_LANGUAGE_MODEL,
    notFoundLimit: createNotFoundLimit(),
    rate: createRateLimit(settings.rateLimit),
    polls: createRateLimit('off'),
    jobs: NO_JOBS,
    payments: NO_PAYMENTS,
    nextTurn: () => Promise.resolve(),
    throttleFree: () => Promise.resolve(),
    now: () => NOW,
    createResultId: (tier) => `${tier}_${(ids++).toString(16).padStart(12, '0')}`,
    phase: () => 'serving',
    awaited: () => [],
    ...parts,
  };
}

/** A request as tests write it. */
export interface Ask {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | FormData;
  readonly client?: string;
  readonly signal?: AbortSignal;
}

/** An answer as tests read it. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: Record<string, unknown>;
  /** True once the handler asked for the body. */
  readonly bodyWasRead: boolean;
  readonly reply: HttpReply;
  /** Members of its line of the log besides status and time. */
  readonly facts: LoggedFacts;
}

/** Sends `METHOD /path` through the routes, and holds the answer against the description of the API. */
export async function ask(
  service: ServiceDeps,
  line: string,
  { headers = {}, body, client = '192.0.2.1', signal }: Ask = {},
): Promise<Answered> {
  const [method = '', target = ''] = line.split(' ');
  const [path = '', query = ''] = target.split('?');
  const sent = await bytesOf(body);
  let bodyWasRead = false;
  let facts: LoggedFacts = {};
  const httpRequest: HttpRequest = {
    method,
    path,
    query,
    headers: {
      ...(sent === undefined
        ? {}
        : { 'content-type': sent.type, 'content-length': String(sent.bytes.length) }),
      ...headers,
    },
    client,
    requestId: 'test-request',
    origin: 'http://grainline.test',
    signal: signal ?? new AbortController().signal,
    note: (added) => void (facts = { ...facts, ...added }),
    openBody: () => {
      bodyWasRead = true;
      return Readable.from(pieces(sent?.bytes ?? Buffer.alloc(0)));
    },
  };
  const reply = await respond(httpRequest, service);
  const text = await textOf(reply);
  const issues = undescribed(service.deployment, method, path, { ...reply, text });
  if (issues.length > 0) throw new Error(`${line} ${reply.status} is not as described: ${issues.join('; ')}`);
  const isJson = text.startsWith('{');
  const json = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: reply.status, headers: reply.headers, text, json, bodyWasRead, reply, facts };
}

/** A form with one file, and text fields before it. The file's part has a content type where one is given. */
export function form(
  content: string | Uint8Array,
  name = 'note.txt',
  fields: Readonly<Record<string, string>> = {},
  type = '',
): FormData {
  const made = new FormData();
  for (const [key, value] of Object.entries(fields)) made.append(key, value);
  const bytes = typeof content === 'string' ? content : new Uint8Array(content);
  made.append('file', new Blob([bytes], { type }), name);
  return made;
}

/** Text of the given number of paragraphs, each a chunk of its own at size 1000. */
export function paragraphs(count: number): string {
  return Array.from({ length: count }, (_, index) => `${index} ${'lorem ipsum '.repeat(70).trim()}`).join(
    '\n\n',
  );
}

async function bytesOf(body: Ask['body']): Promise<{ bytes: Buffer; type: string } | undefined> {
  if (body === undefined) return undefined;
  if (!(body instanceof FormData)) return { bytes: Buffer.from(body as string), type: 'application/json' };
  const encoded = new Response(body);
  return { bytes: Buffer.from(await encoded.arrayBuffer()), type: encoded.headers.get('content-type') ?? '' };
}

/** As a socket delivers it. */
function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

async function textOf({ body }: HttpReply): Promise<string> {
  if (body === undefined || typeof body === 'string') return body ?? '';
  if (body instanceof Uint8Array) return Buffer.from(body).toString('latin1');
  const read: Buffer[] = [];
  for await (const piece of body) read.push(piece as Buffer);
  return Buffer.concat(read).toString();
}
