// Results that wait behind a link: compressed once when they are stored, and sent as they are.
import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gzip, gzipSync } from 'node:zlib';
import { Fault } from './errors.ts';
import type { Intake, Reply } from './http/intake.ts';
import { matchesTag, takenCoding } from './http/negotiate.ts';
import type { StoredResult } from './store/answers.ts';

/** How long a linked result is kept. */
export const RESULT_LIFETIME_MS = 60 * 60 * 1000;
/** The same, as answers say it. */
export const RESULT_LIFETIME = `${RESULT_LIFETIME_MS / 60_000} minutes`;

const compressElsewhere = promisify(gzip);

/**
 * The fastest: of an answer of 126 kB it makes 44 kB in 0.96 ms, where the usual 6 makes 38 kB in 2.3 ms of processor
 * time.
 */
const LEVEL = 1;

/**
 * Up to so many UTF-16 units an answer is compressed at once, which holds the event loop for 2 ms at most. The way to a
 * thread and back costs 0.1 to 0.2 ms of processor time, and of many requests at once all answers would lie in memory.
 */
const AT_ONCE = 256 * 1024;

/**
 * Buffer in which these answers become UTF-8, at most three bytes for each unit; it is used for nothing else and kept.
 */
let room: Uint8Array | undefined;
const encoder = new TextEncoder();

async function compress(parts: readonly string[]): Promise<Uint8Array> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length > AT_ONCE) return compressElsewhere(parts.join(''), { level: LEVEL });
  room ??= new Uint8Array(3 * AT_ONCE);
  let end = 0;
  for (const part of parts) end += encoder.encodeInto(part, room.subarray(end)).written;
  return gzipSync(room.subarray(0, end), { level: LEVEL });
}

/** A result id: `free_0123456789ab`, its 48 bits from a cryptographic source. */
export function createResultId(tier: string): string {
  return `${tier}_${randomBytes(6).toString('hex')}`;
}

const RESULTS = '/results/';

/** Path of a result. */
export function resultPath(id: string): string {
  return `${RESULTS}${id}`;
}

/** The id in a path of {@link resultPath}. */
export function resultIdIn(path: string): string {
  return path.slice(RESULTS.length);
}

/**
 * Compresses an answer, given in parts, once; it is stored and sent in this form. No part ends inside a surrogate pair.
 */
export async function storedResult(id: string, parts: readonly string[], now: number): Promise<StoredResult> {
  const bytes = await compress(parts);
  const etag = `"${hash('sha256', bytes, 'hex').slice(0, 32)}"`;
  return { id, gzip: bytes, etag, createdMs: now, expiresMs: now + RESULT_LIFETIME_MS };
}

/**
 * A stored result. Clients that take gzip get the stored bytes, whole or a range of them; others get them
 * decompressed on the way, without ranges, under the weak form of the same entity tag.
 */
export function resultReply(
  stored: StoredResult,
  { method, headers: request }: Pick<Intake, 'method' | 'headers'>,
): Reply {
  const result = { ...stored, gzip: sharedBytes(stored) };
  // A client that says nothing (plain curl) is not taken to understand gzip.
  const takesGzip = takenCoding(request['accept-encoding'], ['gzip']) !== undefined;
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    ETag: takesGzip ? result.etag : `W/${result.etag}`,
    Vary: 'Accept-Encoding',
    // Asked again each time, so that a deleted or expired result is gone for its owner's browser too.
    'Cache-Control': 'private, no-cache',
    'Accept-Ranges': takesGzip ? 'bytes' : 'none',
  };
  if (matchesTag(request['if-none-match'], result.etag)) return { status: 304, headers };
  if (!takesGzip) return { status: 200, headers, ...decompressed(result.gzip) };
  const compressed = { ...headers, 'Content-Encoding': 'gzip' };
  // Ranges mean something to GET alone (RFC 9110 section 14.2): the head of the whole, not of a part.
  if (method !== 'GET') return { status: 200, headers: compressed, body: result.gzip };
  return gzipReply(result, request, compressed);
}

/**
 * Decompresses a stored result on its way to a client. A client that has paid once may ask for it as often as it likes
 * with a request of some bytes; held in memory as a whole for each, it would end the process.
 */
export function decompressed(bytes: Uint8Array): Pick<Reply, 'body' | 'source'> {
  return { body: Readable.from([bytes]).pipe(createGunzip()), source: bytes };
}

/** Smaller results lie in the buffers of sockets, whoever sends them. */
const LEAST_SHARED_BYTES = 64 * 1024;

/** Bytes that may still be on their way to somebody, by their entity tag, which is a hash of them. */
const onTheirWay = new Map<string, { readonly buffer: WeakRef<ArrayBufferLike>; readonly offset: number }>();
const forgotten = new FinalizationRegistry<string>((etag) => {
  // Others may have come in their place.
  if (onTheirWay.get(etag)?.buffer.deref() === undefined) onTheirWay.delete(etag);
});

/**
 * The bytes of a result; those that are being sent when somebody else reads it. Each reading of the store makes new
 * ones, and many who fetch one large result and take their time would have the memory full of copies of it.
 */
function sharedBytes({ etag, gzip: bytes }: StoredResult): Uint8Array {
  if (bytes.byteLength < LEAST_SHARED_BYTES) return bytes;
  const known = onTheirWay.get(etag);
  const buffer = known?.buffer.deref();
  if (known !== undefined && buffer !== undefined)
    return new Uint8Array(buffer, known.offset, bytes.byteLength);
  // The buffer, not the view: a range of it is a view of its own.
  onTheirWay.set(etag, { buffer: new WeakRef(bytes.buffer), offset: bytes.byteOffset });
  forgotten.register(bytes.buffer, etag);
  return bytes;
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
  const [whole, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '') ?? [];
  if (whole === undefined || (from === '' && to === '')) return undefined;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  const first = from === '' ? Math.max(0, length - Number(to)) : Number(from);
  const last = from === '' || to === '' ? length - 1 : Math.min(Number(to), length - 1);
  return first < length ? { first, last } : 'none';
}
