// Names for chunks: the same document and the same text give the same id, in every format and on every machine, so
// that writing a document again replaces what is unchanged and adds only what is new.
// Stands between the chunks and the records: Chunk[] ─identify→ chunks with ids ─toRecords→ records.
import { type Chunk, indexedText } from '../chunk.ts';
import { type OptionFault, refuse, refuseNoObject, show, strangerFaults } from '../errors.ts';
import { type Hashable, hex, sha1, sha256 } from './digest.ts';

/** What ids are made from, besides the chunks. */
export interface IdentifyOptions {
  /** The document's own name, not empty: a key, an address, a hash of its bytes. Its chunks' ids depend on it. */
  readonly documentId: string;
  /**
   * SHA-256 of a text's UTF-8 bytes in lower-case hexadecimal, where the runtime has a faster one than ours, for
   * example `(text) => hash('sha256', text, 'hex')` of node:crypto. Ids are the same with either.
   */
  readonly sha256?: Sha256;
}

/** A text's SHA-256, over its UTF-8 bytes, in lower-case hexadecimal. */
export type Sha256 = (text: string) => string;

/** {@link Sha256} by our own digest. */
export const ownSha256: Sha256 = (text) => hex(sha256(text));

/** The namespace of all our ids: `uuid5(DNS, 'chunk.grainline')`. It never changes. */
export const CHUNK_NAMESPACE = 'ab305071-1aab-5148-a703-23d4084acad9';

/** Longest name (document id, file name, address) that goes into a record, in UTF-16 units. */
export const MAX_NAME_LENGTH = 2048;

/**
 * Gives each chunk its id: `uuid5(CHUNK_NAMESPACE, hash + '/' + occurrence + '/' + documentId)`, where `hash` is
 * the SHA-256 of {@link indexedText} in hexadecimal and `occurrence` counts, from 0, the chunks before it with the
 * same hash. The hash has a fixed length and the number no slash, so no two triples share a name. Position plays no
 * part: an edit on page 1 leaves the ids of the other pages alone. Both texts count as {@link storable} writes them.
 *
 * @throws ChunkError `invalid_options` when `documentId` is not a string of 1 to 2048 UTF-16 units, or a chunk is none.
 * @example
 * identify(chunkSync(text), { documentId: 'handbook.pdf' })[0].id; // '0a3b…', a UUID of version 5
 */
export function identify<Piece extends Chunk>(
  chunks: readonly Piece[],
  options: IdentifyOptions,
): (Piece & { readonly id: string })[] {
  refuseNoObject(options);
  const { documentId, sha256: digest = ownSha256 } = options;
  refuse([
    ...chunkFaults(chunks),
    ...documentIdFaults(documentId),
    ...strangerFaults(options, ['documentId', 'sha256'], 'identify'),
  ]);
  const document = storable(documentId);
  const space = bytesOf(CHUNK_NAMESPACE);
  const seen = new Map<string, number>();
  return chunks.map((piece) => {
    const hash = digest(storable(indexedText(piece)));
    const occurrence = seen.get(hash) ?? 0;
    seen.set(hash, occurrence + 1);
    return { ...piece, id: uuidIn(space, `${hash}/${occurrence}/${document}`) };
  });
}

/**
 * A text as every database takes it: U+0000 and surrogates without a partner become U+FFFD, one for one, so that
 * lengths and offsets stay what they were. Chunks of an extracted document hold neither; names from outside may.
 */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** The UUID of version 5 (RFC 9562, section 5.5) of a name, in lower case. */
export function uuid5(namespace: string, name: Hashable): string {
  return uuidIn(bytesOf(namespace), name);
}

/** {@link uuid5} in a namespace given as its 16 bytes, which costs more to read than to hash. */
function uuidIn(space: Uint8Array, name: Hashable): string {
  const rest = typeof name === 'string' ? encoder.encode(name) : name;
  const input = new Uint8Array(space.length + rest.length);
  input.set(space);
  input.set(rest, space.length);
  const bytes = sha1(input).subarray(0, 16);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x50); // the version
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80); // the variant: the bits 10, then two of the digest
  const digits = hex(bytes);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}

/** Whether these are chunks; names the first that is none. */
export function chunkFaults(chunks: unknown): OptionFault[] {
  if (!Array.isArray(chunks))
    return [{ option: 'chunks', expected: 'an array of chunks', received: show(chunks) }];
  const wrong = (chunks as unknown[]).findIndex((piece) => !isChunk(piece));
  if (wrong === -1) return [];
  const expected = 'a chunk, with text, start, end, overlap and metadata';
  return [{ option: `chunks[${wrong}]`, expected, received: show(chunks[wrong]) }];
}

function isChunk(piece: unknown): boolean {
  if (typeof piece !== 'object' || piece === null) return false;
  const { text, start, end, overlap, metadata } = piece as Readonly<Record<keyof Chunk, unknown>>;
  const counts = [start, end, overlap].every((count) => Number.isSafeInteger(count));
  return typeof text === 'string' && counts && typeof metadata === 'object' && metadata !== null;
}

/** What is wrong with a document id; used wherever one comes in. */
export function documentIdFaults(documentId: unknown): OptionFault[] {
  if (typeof documentId === 'string' && documentId.length > 0 && documentId.length <= MAX_NAME_LENGTH)
    return [];
  const received =
    typeof documentId === 'string' && documentId.length > 0 ? `${documentId.length} long` : show(documentId);
  return [{ option: 'documentId', expected: `a string of 1 to ${MAX_NAME_LENGTH} UTF-16 units`, received }];
}

const encoder = new TextEncoder();
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function bytesOf(uuid: string): Uint8Array {
  const expected = 'a UUID as 36 characters';
  if (!UUID.test(uuid)) refuse([{ option: 'namespace', expected, received: show(uuid) }]);
  return Uint8Array.from(uuid.replaceAll('-', '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
