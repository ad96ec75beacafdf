// Results that wait behind a link: compressed once when they are stored, and sent as they are.
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { Fault } from './errors.ts';
import type { Reply } from './intake.ts';
import type { StoredResult } from './store/store.ts';

/** How long a linked result is kept. */
export const RESULT_LIFETIME_MS = 60 * 60 * 1000;
/** The same, as answers say it. */
export const RESULT_LIFETIME = `${RESULT_LIFETIME_MS / 60_000} minutes`;

const compress = promisify(gzip);

/** A result id: `free_0123456789ab`, its 48 bits from a cryptographic source. */
export function createResultId(tier: string): string {
  return `${tier}_${randomBytes(6).toString('hex')}`;
}

/** Compresses an answer once; it is stored and sent in this form. */
export async function storedResult(id: string, text: string, now: number): Promise<StoredResult> {
  const bytes = await compress(text);
  const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`;
  return { id, gzip: bytes, etag, createdMs: now, expiresMs: now + RESULT_LIFETIME_MS };
}

/**
 * A stored result. Clients that take gzip get the stored bytes, whole or a range of them; others get them
 * decompressed on the way, without ranges, under the weak form of the same entity tag.
 */
export function resultReply(result: StoredResult, request: IncomingHttpHeaders): Reply {
  const takesGzip = acceptsGzip(request['accept-encoding']);
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    ETag: takesGzip ? result.etag : `W/${result.etag}`,
    Vary: 'Accept-Encoding',
    // Asked again each time, so that a deleted or expired result is gone for its owner's browser too.
    'Cache-Control': 'private, no-cache',
    'Accept-Ranges': takesGzip ? 'bytes' : 'none',
  };
  if (matchesTag(request['if-none-match'], result.etag)) return { status: 304, headers };
  if (!takesGzip) return { status: 200, headers, body: Readable.from([result.gzip]).pipe(createGunzip()) };
  return gzipReply(result, request, { ...headers, 'Content-Encoding': 'gzip' });
}

/** The stored bytes: all of them, or the one range that is asked for (RFC 9110 section 14). */
function gzipReply(
  { gzip: bytes, etag }: StoredResult,
  request: IncomingHttpHeaders,
  headers: Readonly<Record<string, string>>,
): Reply {
  const ifRange = request['if-range'];
  const range =
    ifRange === undefined || ifRange === etag ? readRange(request.range, bytes.length) : undefined;
  if (range === undefined) return { status: 200, headers, body: bytes };
  if (range === 'none') {
    throw new Fault('range_not_satisfiable', {
      detail: String(bytes.length),
      headers: { 'Content-Range': `bytes */${bytes.length}` },
    });
  }
  const contentRange = `bytes ${range.first}-${range.last}/${bytes.length}`;
  return {
    status: 206,
    headers: { ...headers, 'Content-Range': contentRange },
    body: bytes.subarray(range.first, range.last + 1),
  };
}

/** One range of bytes; `none` when it lies outside; undefined for what is not one range, which is then ignored. */
function readRange(
  header: string | undefined,
  length: number,
): { first: number; last: number } | 'none' | undefined {
  const [whole, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (whole === undefined || (from === '' && to === '')) return undefined;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  const first = from === '' ? Math.max(0, length - Number(to)) : Number(from);
  const last = from === '' || to === '' ? length - 1 : Math.min(Number(to), length - 1);
  return first < length ? { first, last } : 'none';
}

/** RFC 9110 section 12.5.3; a client that says nothing (plain curl) is not taken to understand gzip. */
function acceptsGzip(header: string | string[] | undefined): boolean {
  const qualities = new Map<string, number>();
  for (const item of String(header ?? '')
    .toLowerCase()
    .split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    qualities.set(coding, quality === undefined ? 1 : Number(quality));
  }
  return (qualities.get('gzip') ?? qualities.get('x-gzip') ?? qualities.get('*') ?? 0) > 0;
}

/** Weak comparison, as If-None-Match has it. */
function matchesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
