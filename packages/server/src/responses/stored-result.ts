// Stored results: compressed once, and sent in this form.
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gzip, gzipSync } from 'node:zlib';
import { HttpError } from '../errors/http-error.ts';
import type { HttpRequest, HttpReply } from '../http/message.ts';
import { matchesEntityTag, negotiateCoding } from '../http/negotiate.ts';
import type { StoredResult } from '../store/responses.ts';
import { RESULT_LIFETIME_MS } from '../store/result-id.ts';

const compressInThread = promisify(gzip);

/**
 * The fastest level: an answer of 126 kB becomes 44 kB in 0.96 ms. The usual level 6 makes 38 kB in 2.3 ms of processor
 * time.
 */
const LEVEL = 1;

/**
 * Answers up to this length in UTF-16 units are compressed in this thread, which blocks the event loop for 2 ms at
 * most. A thread costs 0.1 to 0.2 ms of processor time, and many waiting answers would fill the memory.
 */
const SYNC_LENGTH = 256 * 1024;

/** A reused buffer for the UTF-8 of these answers: at most three bytes for each unit. */
let buffer: Uint8Array | undefined;
const encoder = new TextEncoder();

async function compress(parts: readonly string[]): Promise<Uint8Array> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length > SYNC_LENGTH) return compressInThread(parts.join(''), { level: LEVEL });
  buffer ??= new Uint8Array(3 * SYNC_LENGTH);
  let end = 0;
  for (const part of parts) end += encoder.encodeInto(part, buffer.subarray(end)).written;
  return gzipSync(buffer.subarray(0, end), { level: LEVEL });
}

/**
 * Compresses an answer once; it is stored and sent in this form. No piece ends inside a surrogate pair.
 *
 * @param receipt the signed receipt of a paid answer
 */
export async function createStoredResult(
  id: string,
  parts: readonly string[],
  now: number,
  receipt?: string,
): Promise<StoredResult> {
  const bytes = await compress(parts);
  const etag = `"${hash('sha256', bytes, 'hex').slice(0, 32)}"`;
  return { id, gzip: bytes, etag, receipt, createdMs: now, expiresMs: now + RESULT_LIFETIME_MS };
}

/**
 * Replies with a stored result. Clients that accept gzip get the stored bytes or a range of them. Others get a
 * decompressed stream without ranges, under the weak form of the entity tag.
 */
export function resultReply(
  stored: StoredResult,
  { method, headers: request }: Pick<HttpRequest, 'method' | 'headers'>,
): HttpReply {
  const result = { ...stored, gzip: sharedBytes(stored) };
  // A client without Accept-Encoding (plain curl) may not understand gzip.
  const takesGzip = negotiateCoding(request['accept-encoding'], ['gzip']) !== undefined;
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    ETag: takesGzip ? result.etag : `W/${result.etag}`,
    Vary: 'Accept-Encoding',
    // The browser revalidates each time, so a deleted or expired result is gone for it too.
    'Cache-Control': 'private, no-cache',
    'Accept-Ranges': takesGzip ? 'bytes' : 'none',
  };
  if (matchesEntityTag(request['if-none-match'], result.etag)) return { status: 304, headers };
  if (!takesGzip) return { status: 200, headers, ...decompress(result.gzip) };
  const compressed = { ...headers, 'Content-Encoding': 'gzip' };
  // Ranges apply to GET only (RFC 9110 section 14.2): HEAD describes the whole.
  if (method !== 'GET') return { status: 200, headers: compressed, body: result.gzip };
  return gzipReply(result, request, compressed);
}

/**
 * Decompresses a stored result as a stream. A paid result may be requested often with few bytes; whole texts in memory
 * would end the process.
 */
export function decompress(bytes: Uint8Array): Pick<HttpReply, 'body' | 'source'> {
  return { body: Readable.from([bytes]).pipe(createGunzip()), source: bytes };
}

/** Smaller results fit into the buffers of sockets. */
const LEAST_SHARED_BYTES = 64 * 1024;

/** Results that may still be in transfer, by entity tag, which is a hash of their bytes. */
const inTransfer = new Map<string, { readonly buffer: WeakRef<ArrayBufferLike>; readonly offset: number }>();
const collected = new FinalizationRegistry<string>((etag) => {
  // Another buffer may have replaced it.
  if (inTransfer.get(etag)?.buffer.deref() === undefined) inTransfer.delete(etag);
});

/**
 * The bytes of a result, shared with replies in transfer. Each read of the store makes a copy, and many slow readers of
 * one large result would fill the memory with copies.
 */
export function sharedBytes({ etag, gzip: bytes }: StoredResult): Uint8Array {
  if (bytes.byteLength < LEAST_SHARED_BYTES) return bytes;
  const known = inTransfer.get(etag);
  const buffer = known?.buffer.deref();
  if (known !== undefined && buffer !== undefined)
    return new Uint8Array(buffer, known.offset, bytes.byteLength);
  // The buffer, because a range is a view of its own.
  inTransfer.set(etag, { buffer: new WeakRef(bytes.buffer), offset: bytes.byteOffset });
  collected.register(bytes.buffer, etag);
  return bytes;
}

/** The stored bytes, or the requested range (RFC 9110 section 14). */
function gzipReply(
  { gzip: bytes, etag }: StoredResult,
  request: IncomingHttpHeaders,
  headers: Readonly<Record<string, string>>,
): HttpReply {
  const ifRange = request['if-range'];
  const range =
    ifRange === undefined || ifRange === etag ? readRange(request.range, bytes.length) : undefined;
  if (range === undefined) return { status: 200, headers, body: bytes };
  if (range === 'none') {
    throw new HttpError('range_not_satisfiable', {
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

/** One range of bytes; `none` outside of the result; undefined for anything else, which is ignored. */
function readRange(
  header: string | undefined,
  length: number,
): { first: number; last: number } | 'none' | undefined {
  const [whole, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '') ?? [];
  if (whole === undefined || (from === '' && to === '')) return undefined;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  const first = from === '' ? Math.max(0, length - Number(to)) : Number(from);
  const last = from === '' || to === '' ? length - 1 : Math.min(Number(to), length - 1);
  return first < length ? { first, last } : 'none';
}
