// Fetches the document behind a link from the public internet. Like an upload it gives bytes, a name and a content
// type. It uses no proxies and no credentials of the environment.
import { Agent, type Dispatcher, request } from 'undici';
import type { Settings } from '../../settings/settings.ts';
import { ACCEPT_ENCODING, readBody, showLimit } from './body.ts';
import { createConnect, type Lookup } from './connect.ts';
import { DownloadError } from './errors.ts';
import { filenameOf, parseLink } from './link.ts';

export { DownloadError, type DownloadErrorCode } from './errors.ts';

/** A decoded document. */
export interface DownloadedDocument {
  readonly bytes: Uint8Array;
  /** Last path segment of the requested link, decoded, or the host of a link without one. */
  readonly filename: string;
  /** Content-Type of the answer with its parameters, unchanged. */
  readonly contentType: string | undefined;
  /** Address of the document after redirects. */
  readonly url: string;
}

/** Fetches links. */
export interface Downloader {
  /** Rejects with a {@link DownloadError}, or with the signal's reason. */
  download(url: string, signal: AbortSignal): Promise<DownloadedDocument>;
  /** Aborts running downloads. */
  close(): Promise<void>;
}

/** Settings of a downloader. */
export type DownloadSettings = Pick<
  Settings,
  'fetchAllow' | 'fetchTimeoutMs' | 'fetchMaxBytes' | 'fetchMaxRedirects'
>;

/** The network, which tests replace. */
export interface DownloadPorts {
  /** Default: as {@link createConnect} says. */
  readonly lookup?: Lookup;
  /** Longest pause of a host while connecting, before its answer, and within it, in milliseconds. Default 5000. */
  readonly idleTimeoutMs?: number;
}

const IDLE_TIMEOUT_MS = 5000;
const MAX_HEADER_BYTES = 16 * 1024;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const REQUEST_HEADERS = { accept: '*/*', 'accept-encoding': ACCEPT_ENCODING, 'user-agent': 'Grainline' };

/**
 * A downloader with the limits of the settings. It checks every address while connecting, for the link and again for
 * each redirect, except those of `fetchAllow` (exact `host:port`). Downloads share no state.
 */
export function createDownloader(settings: DownloadSettings, ports: DownloadPorts = {}): Downloader {
  const { fetchTimeoutMs, fetchMaxBytes, fetchMaxRedirects } = settings;
  const { lookup, idleTimeoutMs = IDLE_TIMEOUT_MS } = ports;
  const allow = new Set(settings.fetchAllow);
  const agent = new Agent({
    connect: createConnect({ allow, lookup, timeoutMs: idleTimeoutMs }),
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    allowH2: false,
    pipelining: 0,
  });

  async function download(text: string, signal: AbortSignal): Promise<DownloadedDocument> {
    signal.throwIfAborted();
    const link = parseLink(text, allow);
    const clock = new AbortController();
    const timer = setTimeout(
      () => clock.abort(new DownloadError('url_timeout', `it took more than ${fetchTimeoutMs / 1000} s`)),
      fetchTimeoutMs,
    );
    const either = AbortSignal.any([signal, clock.signal]);
    try {
      return await follow(link, either);
    } catch (error) {
      either.throwIfAborted();
      throw asDownloadError(error, idleTimeoutMs);
    } finally {
      clearTimeout(timer);
    }
  }

  async function follow(link: URL, signal: AbortSignal): Promise<DownloadedDocument> {
    let url = link;
    for (let redirects = 0; ; redirects++) {
      const answer = await visit(url, signal);
      const target = redirectTarget(answer);
      if (target === undefined) return { ...(await read(answer)), filename: filenameOf(link), url: url.href };
      answer.body.destroy();
      if (redirects === fetchMaxRedirects)
        throw new DownloadError('url_redirects', `more than ${fetchMaxRedirects} times`);
      url = parseLink(target, allow, url);
    }
  }

  async function visit(url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const answer = await request(url, { dispatcher: agent, headers: REQUEST_HEADERS, signal });
    // A destroyed body emits an error, which without a listener would end the process.
    answer.body.on('error', () => undefined);
    return answer;
  }

  async function read({
    statusCode,
    headers,
    body,
  }: Dispatcher.ResponseData): Promise<Pick<DownloadedDocument, 'bytes' | 'contentType'>> {
    try {
      if (statusCode !== 200)
        throw new DownloadError('url_status', String(statusCode), { status: statusCode });
      if (Number(headers['content-length'] ?? 0) > fetchMaxBytes)
        throw new DownloadError('url_too_large', showLimit(fetchMaxBytes));
      const bytes = await readBody(body, firstOf(headers['content-encoding']) ?? '', fetchMaxBytes);
      return { bytes, contentType: firstOf(headers['content-type']) };
    } finally {
      body.destroy();
    }
  }

  return { download, close: () => agent.destroy() };
}

/**
 * The target of a redirect; undefined for other answers. Headers arrive as Latin-1, but browsers read this as UTF-8.
 */
function redirectTarget({ statusCode, headers }: Dispatcher.ResponseData): string | undefined {
  const location = REDIRECTS.has(statusCode) ? firstOf(headers['location']) : undefined;
  return location === undefined ? undefined : Buffer.from(location, 'latin1').toString();
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** Errors of the network, TLS, the HTTP parser and the decoders, by a pattern of their code. */
const CAUSES: readonly (readonly [RegExp, DownloadError['code'], string])[] = [
  [/^UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT$|^ETIMEDOUT$/, 'url_timeout', 'nothing came for {seconds} s'],
  [/^(?:ENOTFOUND|EAI_)/, 'url_unreachable', 'its name cannot be resolved'],
  [/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/, 'url_unreachable', 'no secure connection can be made'],
  [
    /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM|ENETDOWN|EHOSTDOWN)$/,
    'url_unreachable',
    'it takes no connection',
  ],
  [/^HPE_|^UND_ERR_HEADERS_OVERFLOW$/, 'url_interrupted', 'what it answered is not proper HTTP'],
  [/^Z_|^ERR__|BROTLI/, 'url_interrupted', 'the compressed document is damaged or cut off'],
  [/^UND_ERR_|^ECONNRESET$|^EPIPE$/, 'url_interrupted', 'the connection ended before the document did'],
];

/** The download error of a known cause. A defect of the code is returned unchanged. */
function asDownloadError(error: unknown, idleTimeoutMs: number): unknown {
  if (error instanceof DownloadError || !(error instanceof Error)) return error;
  const code = codeOf(error);
  const [, downloadCode, detail] = CAUSES.find(([pattern]) => pattern.test(code)) ?? [];
  if (downloadCode === undefined || detail === undefined) return error;
  return new DownloadError(downloadCode, detail.replace('{seconds}', String(idleTimeoutMs / 1000)), {
    cause: error,
  });
}

/** Some errors of the HTTP parser have no code. After attempts at several addresses each inner error has it. */
function codeOf(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error.name === 'HTTPParserError') return 'HPE_';
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return first instanceof Error ? codeOf(first) : '';
}
