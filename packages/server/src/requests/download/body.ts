// Body of an answer → bytes. The decompression is here, because the limit counts decompressed bytes. Reading stops at
// the first byte above the limit, so memory stays within the limit and one piece.
import { pipeline, Readable, type Transform } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  type ZlibOptions,
} from 'node:zlib';
import { DownloadError } from './errors.ts';

/** Supported codings, as a request offers them. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';
/** Several codings are rare; more than this number is an attack. */
const MAX_CODINGS = 2;

/**
 * Reads a body to its end.
 *
 * @param codings value of Content-Encoding
 * @param maxBytes most bytes, compressed and decompressed, which ends a stream of empty blocks too
 * @throws DownloadError `url_too_large` or `url_interrupted`
 */
export async function readBody(body: Readable, codings: string, maxBytes: number): Promise<Uint8Array> {
  let bytes: AsyncIterable<Uint8Array> = counted(body, maxBytes);
  for (const coding of parseCodings(codings)) bytes = counted(decompress(bytes, coding), maxBytes);
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** A number of bytes in a message. */
export function showLimit(maxBytes: number): string {
  return maxBytes % 1_048_576 === 0 ? `${maxBytes / 1_048_576} MiB` : `${maxBytes} bytes`;
}

/** The codings of an answer in the order of decompression: the last applied coding comes first. */
function parseCodings(header: string): string[] {
  const named = header
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim());
  const codings = named.filter((coding) => coding !== '' && coding !== 'identity');
  const unknown = codings.find((coding) => !DECODERS.has(coding));
  if (unknown !== undefined) {
    throw new DownloadError(
      'url_interrupted',
      `its compression ${unknown.slice(0, 20)} is not one of ${ACCEPT_ENCODING}`,
    );
  }
  if (codings.length > MAX_CODINGS)
    throw new DownloadError('url_interrupted', 'the document is compressed several times');
  return codings.reverse();
}

type CreateDecoder = (first: Uint8Array, options: ZlibOptions) => Transform;

const DECODERS: ReadonlyMap<string, CreateDecoder> = new Map<string, CreateDecoder>([
  ['gzip', (_, options) => createGunzip(options)],
  ['x-gzip', (_, options) => createGunzip(options)],
  ['br', (_, options) => createBrotliDecompress(options)],
  // Some hosts send raw deflate where RFC 9110 requires zlib. The low half of a zlib header's first byte is always 8.
  [
    'deflate',
    (first, options) => (((first[0] ?? 0) & 0x0f) === 8 ? createInflate(options) : createInflateRaw(options)),
  ],
]);
/** Decoded bytes in one step. A decompression bomb is detected after this many. */
const DECODED_PIECE = { chunkSize: 64 * 1024 };

async function* counted(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const piece of bytes) {
    count += piece.byteLength;
    if (count > maxBytes) throw new DownloadError('url_too_large', showLimit(maxBytes));
    yield piece;
  }
}

async function* decompress(bytes: AsyncIterable<Uint8Array>, coding: string): AsyncGenerator<Uint8Array> {
  const pieces = bytes[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done === true) return;
  const decoder = DECODERS.get(coding)?.(first.value, DECODED_PIECE);
  if (decoder === undefined) throw new Error(`There is no decoder for ${coding}.`);
  // An error of either side ends both. The reader of the decoder receives it, so the callback is empty.
  pipeline(Readable.from(rejoined(first.value, pieces)), decoder, () => undefined);
  yield* decoder as AsyncIterable<Uint8Array>;
}

async function* rejoined<Piece>(first: Piece, rest: AsyncIterator<Piece>): AsyncGenerator<Piece> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}
