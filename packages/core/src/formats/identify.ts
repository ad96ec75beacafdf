// Ids for chunks. The same document and the same text give the same id, in every format and on every machine, so that
// writing a document again replaces unchanged records and adds only new ones. Ids stand between the chunks and the
// records: Chunk[] ─identify→ chunks with ids ─toRecords→ records.
import { type Chunk, indexedText } from '../chunk.ts';
import type { ParentSection } from '../cut.ts';
import { type OptionIssue, assertNoIssues, assertObject, show, unknownOptionIssues } from '../errors.ts';
import { type Hashable, hex, sha1, sha256 } from './digest.ts';

/** The source of ids besides the chunks. */
export interface IdentifyOptions {
  /**
   * The document's own name, not empty: a key, an address, or a hash of its bytes. The ids of its chunks depend on the
   * name.
   */
  readonly documentId: string;
}

/** The namespace of all our ids: the UUID of version 5 of `chunk.grainline` in that of DNS. It never changes. */
export const CHUNK_NAMESPACE = 'ab305071-1aab-5148-a703-23d4084acad9';

/** Longest name (document id, file name, address) that goes into a record, in UTF-16 units. */
export const MAX_NAME_LENGTH = 2048;

/**
 * Gives each chunk its id: the UUID of version 5, in the namespace ab305071-1aab-5148-a703-23d4084acad9, of
 * `hash + '/' + occurrence + '/' + documentId`. `hash` is the SHA-256 of {@link indexedText} in hexadecimal;
 * `occurrence` is the number of chunks before this one with the same hash. The hash has a fixed length and the number
 * contains no slash, so no two triples share a name. Position plays no part: an edit on page 1 leaves the ids of the
 * other pages alone. Both texts count with U+FFFD in place of U+0000 and of surrogates without a partner.
 *
 * @throws ChunkError `invalid_options` when `documentId` is not a string of 1 to 2048 UTF-16 units, or when an element
 * of `chunks` is no chunk.
 * @example
 * identify(chunkSync(text), { documentId: 'handbook.pdf' })[0].id; // '0a3b…', a UUID of version 5
 */
export function identify<Piece extends Chunk>(
  chunks: readonly Piece[],
  options: IdentifyOptions,
): (Piece & { readonly id: string })[] {
  assertObject(options);
  assertNoIssues([
    ...chunkIssues(chunks),
    ...documentIdIssues(options.documentId),
    ...unknownOptionIssues(options, ['documentId'], 'identify'),
  ]);
  const ids = idsOf(
    chunks.map((piece) => storable(indexedText(piece))),
    options,
  );
  return chunks.map((piece, index) => ({ ...piece, id: ids[index] ?? '' }));
}

/** The ids that {@link identify} gives to the chunks of one document, in order, computed from their stored texts. */
export function idsOf(texts: readonly string[], { documentId }: IdentifyOptions): string[] {
  const document = storable(documentId);
  const nameUuid = uuidsIn(CHUNK_NAMESPACE);
  const seen = new Map<string, number>();
  return texts.map((text) => {
    const hash = hex(sha256(text));
    const occurrence = seen.get(hash) ?? 0;
    seen.set(hash, occurrence + 1);
    return nameUuid(`${hash}/${occurrence}/${document}`);
  });
}

/**
 * Gives a section (`metadata.section`, `metadata.parent` of a chunk) its id: the UUID of version 5, in the namespace of
 * {@link identify}, of `'section/' + hash + '/' + occurrence + '/' + documentId`. `hash` is the SHA-256 in hexadecimal
 * of the titles of its path, joined by line feeds. No chunk has such a name. An edit of the section's text leaves its
 * id alone.
 *
 * @throws ChunkError `invalid_options` for a wrong `documentId`
 */
export function sectionId(
  { headingPath, occurrence }: Pick<ParentSection, 'headingPath' | 'occurrence'>,
  { documentId }: IdentifyOptions,
): string {
  assertNoIssues(documentIdIssues(documentId));
  const hash = hex(sha256(storable(headingPath.join('\n'))));
  return uuidsIn(CHUNK_NAMESPACE)(`section/${hash}/${occurrence}/${storable(documentId)}`);
}

/**
 * A text in the form that every database takes: U+0000 and surrogates without a partner become U+FFFD, one for one, so
 * that lengths and offsets stay the same. Chunks of an extracted document hold neither; names from outside may.
 */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Makes UUIDs of version 5 (RFC 9562, section 5.5) of names in a namespace, in lower case. */
export function uuidsIn(namespace: string): (name: Hashable) => string {
  const space = bytesOf(namespace);
  return (name) => {
    const bytes = typeof name === 'string' ? encoder.encode(name) : name;
    const input = new Uint8Array(space.length + bytes.length);
    input.set(space);
    input.set(bytes, space.length);
    return uuidOf(hex(sha1(input)));
  };
}

/** The UUID made from a digest: the version is 5, the variant is the bits 10 followed by two bits of the digest. */
function uuidOf(digits: string): string {
  const variant = '89ab'.charAt(Number.parseInt(digits.charAt(16), 16) & 3);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-5${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

/** Issues unless every element is a chunk; names the first wrong element. */
export function chunkIssues(chunks: unknown): OptionIssue[] {
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
  const isPlaced = Number.isSafeInteger(start) && Number.isSafeInteger(end) && Number.isSafeInteger(overlap);
  return typeof text === 'string' && isPlaced && typeof metadata === 'object' && metadata !== null;
}

/** Issues of a document id; used at every entry that takes one. */
export function documentIdIssues(documentId: unknown): OptionIssue[] {
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
  if (!UUID.test(uuid)) assertNoIssues([{ option: 'namespace', expected, received: show(uuid) }]);
  return Uint8Array.from(uuid.replaceAll('-', '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
