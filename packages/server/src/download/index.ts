// Fetches the document behind a link, and only from the public internet. Stands beside the upload at the head of the
// line: both end in bytes, a name and a content type. Nothing of the environment (proxies, credentials) is used.
import { Agent, type Dispatcher, request } from 'undici';
import type { Settings } from '../settings/settings.ts';
import { ACCEPT_ENCODING, readBody, showLimit } from './body.ts';
import { createConnect, type Lookup, lookupBySystem } from './connect.ts';
import { DownloadError } from './errors.ts';
import { nameOf, parseLink } from './link.ts';

export { DownloadError, type DownloadErrorCode } from './errors.ts';

/** A document as it came, decoded. */
export interface Downloaded {
  readonly bytes: Uint8Array;
  /** Last path segment of the link that was asked for, decoded; its host when there is none. */
  readonly filename: string;
  /** Content-Type of the answer with its parameters, as the host wrote it. */
  readonly contentType: string | undefined;
  /** Address from which the document came in the end, after redirects. */
  readonly url: string;
}

/** Fetches links. */
export interface Downloader {
  /** Rejects with a {@link DownloadError}, or with the signal's reason. */
  download(url: string, signal: AbortSignal): Promise<Downloaded>;
  /** Breaks off what is running. */
  close(): Promise<void>;
}

/** Settings of a downloader. */
export type DownloadSettings = Pick<
  Settings,
  'fetchAllow' | 'fetchTimeoutMs' | 'fetchMaxBytes' | 'fetchMaxRedirects'
>;

/** What tests put in the place of the outside world. */
export interface DownloadPorts {
  /** Default: the system's. */
  readonly lookup?: Lookup;
  /** The longest that a host may say nothing: while connecting, before its answer, and within. Default 5 s. */
  readonly silenceMs?: number;
}

const SILENCE_MS = 5000;
const MAX_HEADER_BYTES = 16 * 1024;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const REQUEST_HEADERS = { accept: '*/*', 'accept-encoding': ACCEPT_ENCODING, 'user-agent': 'Grainline' };

/**
 * A downloader within the limits of the settings. Every address is checked when connecting, for the link and anew for
 * each redirect; `fetchAllow` (exact `host:port`) is excepted. Nothing is kept between downloads.
 */
export function createDownloader(settings: DownloadSettings, ports: DownloadPorts = {}): Downloader {
  const { fetchTimeoutMs, fetchMaxBytes, fetchMaxRedirects } = settings;
  const { lookup = lookupBySystem, silenceMs = SILENCE_MS } = ports;
  const allow = new Set(settings.fetchAllow);
  const agent = new Agent({
    connect: createConnect({ allow, lookup, timeoutMs: silenceMs }),
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    allowH2: false,
    pipelining: 0,
  });

  async function download(text: string, signal: AbortSignal): Promise<Downloaded> {
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
      throw asDownloadError(error, silenceMs);
    } finally {
      clearTimeout(timer);
    }
  }

  async function follow(link: URL, signal: AbortSignal): Promise<Downloaded> {
    let url = link;
    for (let redirects = 0; ; redirects++) {
      const answer = await visit(url, signal);
      const target = redirectTarget(answer);
      if (target === undefined) return { ...(await read(answer)), filename: nameOf(link), url: url.href };
      answer.body.destroy();
      if (redirects === fetchMaxRedirects)
        throw new DownloadError('url_redirects', `more than ${fetchMaxRedirects} times`);
      url = parseLink(target, allow, url);
    }
  }

  async function visit(url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const answer = await request(url, { dispatcher: agent, headers: REQUEST_HEADERS, signal });
    // A body that is destroyed emits an error, and one that nobody listens to ends the process.
    answer.body.on('error', () => undefined);
    return answer;
  }

  async function read({
    statusCode,
    headers,
    body,
  }: Dispatcher.ResponseData): Promise<Pick<Downloaded, 'bytes' | 'contentType'>> {
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
 * The address to which an answer redirects; undefined when it does not. Headers arrive as Latin-1, but browsers read
 * this one as UTF-8.
 */
function redirectTarget({ statusCode, headers }: Dispatcher.ResponseData): string | undefined {
  const location = REDIRECTS.has(statusCode) ? firstOf(headers['location']) : undefined;
  return location === undefined ? undefined : Buffer.from(location, 'latin1').toString();
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** What the network, TLS, the HTTP parser and the decoders throw, by the start of the code that they put on it. */
const FAULTS: readonly (readonly [RegExp, DownloadError['code'], string])[] = [
  [/^UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT$|^ETIMEDOUT$/, 'url_timeout', 'nothing came for {silence} s'],
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

/** The coded error that a fault stands for; a defect of our own stays what it is. */
function asDownloadError(error: unknown, silenceMs: number): unknown {
  if (error instanceof DownloadError || !(error instanceof Error)) return error;
  const code = codeOf(error);
  const [, ours, detail] = FAULTS.find(([pattern]) => pattern.test(code)) ?? [];
  if (ours === undefined || detail === undefined) return error;
  return new DownloadError(ours, detail.replace('{silence}', String(silenceMs / 1000)), { cause: error });
}

/**
 * Some faults of the HTTP parser have no code, and where all addresses of a host were tried it stands on each error.
 */
function codeOf(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error.name === 'HTTPParserError') return 'HPE_';
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return first instanceof Error ? codeOf(first) : '';
}
