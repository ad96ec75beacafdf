// Reads single entries of an untrusted ZIP archive. It counts sizes while inflating, and believes a declared one only
// where that refuses an entry. It unpacks only requested entries, and writes nothing to disk.
import type * as Zlib from 'node:zlib';
import { Inflate, inflateSync } from 'fflate/browser';
import { builtin } from '../builtin.ts';
import { concatenate } from '../bytes.ts';
import { crc32 } from '../crc32.ts';
import { ExtractError } from '../errors.ts';

/** Bounds on an archive. */
export interface ZipLimits {
  readonly maxEntries: number;
  /** Unpacked bytes of one entry. */
  readonly maxEntryBytes: number;
  /** Unpacked bytes of all entries read, together. */
  readonly maxTotalBytes: number;
}

/** A DOCX of thousands of pages stays far below these. */
const ZIP_LIMITS: ZipLimits = {
  maxEntries: 10_000,
  maxEntryBytes: 100 << 20,
  maxTotalBytes: 200 << 20,
};

/** Bytes of the directories and unpacked entries so far; nested archives share the count. */
export interface UnpackedCount {
  bytes: number;
}

/** An archive whose directory has been read. */
export interface Zip {
  readonly has: (name: string) => boolean;
  /** Names of the entries, in their order. */
  readonly names: () => Iterable<string>;
  /** Unpacks an entry. Throws `too_large`, `encrypted` or `corrupted`; a missing entry is `corrupted`. */
  readonly read: (name: string) => Uint8Array;
  /**
   * Unpacks an entry piece by piece, as far as the caller goes. Throws as `read` does; only the bound on all entries
   * together holds.
   */
  readonly pieces: (name: string) => Iterable<Uint8Array>;
}

interface Entry {
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly compressedSize: number;
  /** Unpacked bytes by the directory's word. */
  readonly declaredSize: number;
  readonly checksum: number;
  /** Offset of its local header. */
  readonly offset: number;
}

const END_SIGNATURE = 0x06054b50;
const DIRECTORY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END_BYTES = 22;
const DIRECTORY_ENTRY_BYTES = 46;
const LOCAL_HEADER_BYTES = 30;
/** A comment of at most this length may follow the end record. */
const MAX_COMMENT = 0xffff;

const STORED = 0;
const DEFLATED = 8;

/** DEFLATE's best ratio. */
const MAX_RATIO = 1032;
/** Compressed bytes inflated at a time: at most some 17 MB come out before the next count. */
const INFLATE_STRIDE = 16 << 10;
/** Compressed bytes that fflate inflates at once, into memory of the declared size: a lie costs the time of 67 MB. */
const MAX_SMALL = 64 << 10;
/** The declared size of an entry whose real one stands in a field of ZIP64 (APPNOTE.TXT, section 4.4.9). */
const UNDECLARED = 0xffffffff;
/** The least size of a chunk that zlib takes. */
const LEAST_CHUNK = 64;

/**
 * Opens an archive. Throws `corrupted` when it has no sound directory or names an entry twice (programs differ in which
 * of the two counts), `too_large` when it has too many entries.
 */
export function openZip(
  bytes: Uint8Array,
  limits: ZipLimits = ZIP_LIMITS,
  unpacked: UnpackedCount = { bytes: 0 },
): Zip {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  unpacked.bytes += bytes.length - end + Math.min(end, view.getUint32(end + 12, true));
  if (unpacked.bytes > limits.maxTotalBytes) throw tooLarge();
  const entries = readDirectory(bytes, view, end, limits.maxEntries);
  // Names that differ in the case of letters mean the same part (ECMA-376 part 2, section 6.2.2.3).
  const folded = new Map<string, Entry>();
  for (const [name, entry] of entries) {
    const lower = name.toLowerCase();
    if (!folded.has(lower)) folded.set(lower, entry);
  }
  const find = (name: string): Entry | undefined => entries.get(name) ?? folded.get(name.toLowerCase());
  const packedOf = (name: string): Packed => {
    const entry = find(name);
    if (entry === undefined) throw damaged('a part is missing');
    return locate(entry, bytes, view);
  };
  return {
    has: (name) => find(name) !== undefined,
    names: () => entries.keys(),
    read: (name) => {
      const maxBytes = Math.min(limits.maxEntryBytes, limits.maxTotalBytes - unpacked.bytes);
      const content = unpack(packedOf(name), maxBytes);
      unpacked.bytes += content.length;
      return content;
    },
    *pieces(name) {
      for (const piece of piecesOf(packedOf(name), limits.maxTotalBytes - unpacked.bytes)) {
        unpacked.bytes += piece.length;
        yield piece;
      }
    },
  };
}

/** Local entries … central directory … end record, comment. */
function readDirectory(
  bytes: Uint8Array,
  view: DataView,
  end: number,
  maxEntries: number,
): Map<string, Entry> {
  const size = view.getUint32(end + 12, true);
  // Bytes before the archive (a stub, a mail header) shift every offset.
  const shift = end - size - view.getUint32(end + 16, true);
  if (shift < 0) throw damaged('its ZIP directory lies outside the file');
  const entries = new Map<string, Entry>();
  let count = 0;
  for (let at = end - size; at + DIRECTORY_ENTRY_BYTES <= end;) {
    if (view.getUint32(at, true) !== DIRECTORY_SIGNATURE) throw damaged('its ZIP directory is broken');
    if (++count > maxEntries)
      throw new ExtractError('too_large', { detail: `more than ${maxEntries} files in the archive` });
    const nameEnd = at + DIRECTORY_ENTRY_BYTES + view.getUint16(at + 28, true);
    addEntry(entries, partName(bytes.subarray(at + DIRECTORY_ENTRY_BYTES, nameEnd)), {
      isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
      method: view.getUint16(at + 10, true),
      compressedSize: view.getUint32(at + 20, true),
      declaredSize: view.getUint32(at + 24, true),
      checksum: view.getUint32(at + 16, true),
      offset: view.getUint32(at + 42, true) + shift,
    });
    at = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  if (count === 0) throw damaged('its ZIP archive is empty');
  return entries;
}

function findEnd(view: DataView): number {
  const last = view.byteLength - END_BYTES;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT); at--) {
    if (view.getUint32(at, true) === END_SIGNATURE) return at;
  }
  throw damaged('its ZIP archive has no directory; it may be cut off');
}

function addEntry(entries: Map<string, Entry>, name: string | undefined, entry: Entry): void {
  if (name === undefined) return;
  if (entries.has(name)) throw damaged('its ZIP archive holds a file twice');
  entries.set(name, entry);
}

const UTF_8 = new TextDecoder();

/** The name of a part inside the package; `undefined` for folders and for names outside the package. */
function partName(bytes: Uint8Array): string | undefined {
  const name = UTF_8.decode(bytes).replaceAll('\\', '/').replace(/^\/+/, '');
  return name.endsWith('/') || name.split('/').includes('..') ? undefined : name;
}

/** The bytes of an entry in the archive. */
interface Packed {
  readonly packed: Uint8Array;
  readonly isStored: boolean;
  readonly declaredSize: number;
  /** CRC-32 of the unpacked bytes. */
  readonly checksum: number;
}

function locate(
  { isEncrypted, method, compressedSize, declaredSize, checksum, offset }: Entry,
  bytes: Uint8Array,
  view: DataView,
): Packed {
  if (isEncrypted) throw new ExtractError('encrypted');
  if (offset + LOCAL_HEADER_BYTES > bytes.length || view.getUint32(offset, true) !== LOCAL_SIGNATURE) {
    throw damaged('a file in its ZIP archive is not where the directory says');
  }
  const start =
    offset + LOCAL_HEADER_BYTES + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  if (start + compressedSize > bytes.length) throw damaged('a file in its ZIP archive is cut off');
  if (method !== STORED && method !== DEFLATED)
    throw damaged(`a file in its ZIP archive is packed in an unknown way (method ${method})`);
  return {
    packed: bytes.subarray(start, start + compressedSize),
    isStored: method === STORED,
    declaredSize,
    checksum,
  };
}

function unpack(entry: Packed, maxBytes: number): Uint8Array {
  if (!entry.isStored) {
    // Before the inflating, which takes seconds. A size that the packed bytes cannot reach is a writer's mistake.
    const { packed, declaredSize } = entry;
    const isReal = declaredSize !== UNDECLARED && declaredSize <= packed.length * MAX_RATIO;
    if (declaredSize > maxBytes && isReal) throw tooLarge();
    const content = inflateAtOnce(packed, declaredSize, maxBytes);
    if (content !== undefined) {
      compare(crc32(content), entry);
      return content;
    }
  }
  const pieces = [...piecesOf(entry, maxBytes)];
  return pieces.length === 1 ? (pieces[0] ?? new Uint8Array()) : concatenate(pieces);
}

/**
 * The content of a part with its declared size; `undefined` for others, damaged ones, and large ones outside Node.
 * Takes a quarter of the time of a stream, which takes 160 kB for each part, and with Node's zlib a tenth.
 */
function inflateAtOnce(packed: Uint8Array, declaredSize: number, maxBytes: number): Uint8Array | undefined {
  if (declaredSize > Math.min(maxBytes, packed.length * MAX_RATIO)) return undefined;
  const zlib = builtin('node:zlib') as typeof Zlib | undefined;
  try {
    const content =
      zlib === undefined ? inflateSmall(packed, declaredSize) : inflateIn(zlib, packed, declaredSize);
    return content?.length === declaredSize ? content : undefined;
  } catch {
    return undefined;
  }
}

/** By Node's zlib, which ends at the declared size: a lie costs the time of what is declared. */
function inflateIn(zlib: typeof Zlib, packed: Uint8Array, declaredSize: number): Uint8Array {
  const { buffer, byteOffset, length } = zlib.inflateRawSync(packed, {
    // One piece, and the byte more that a larger content would fill.
    chunkSize: Math.max(LEAST_CHUNK, declaredSize + 1),
    maxOutputLength: Math.max(1, declaredSize),
  });
  return new Uint8Array(buffer, byteOffset, length);
}

function inflateSmall(packed: Uint8Array, declaredSize: number): Uint8Array | undefined {
  // The byte more shows a larger content, whose end is dropped.
  return packed.length > MAX_SMALL
    ? undefined
    : inflateSync(packed, { out: new Uint8Array(declaredSize + 1) });
}

/** The content in pieces. Throws `corrupted` behind the last one when the content differs from its checksum. */
function* piecesOf(entry: Packed, maxBytes: number): Generator<Uint8Array> {
  let checksum = 0;
  for (const piece of unchecked(entry, maxBytes)) {
    checksum = crc32(piece, checksum);
    yield piece;
  }
  compare(checksum, entry);
}

function compare(checksum: number, entry: Packed): void {
  if (checksum !== entry.checksum) throw damaged('a file in its ZIP archive differs from its checksum');
}

function* unchecked({ packed, isStored }: Packed, maxBytes: number): Generator<Uint8Array> {
  if (isStored) {
    if (packed.length > maxBytes) throw tooLarge();
    yield packed;
    return;
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  const stream = new Inflate((piece) => {
    length += piece.length;
    if (length > maxBytes) throw tooLarge();
    pieces.push(piece);
  });
  for (let at = 0; at === 0 || at < packed.length; at += INFLATE_STRIDE) {
    try {
      stream.push(packed.subarray(at, at + INFLATE_STRIDE), at + INFLATE_STRIDE >= packed.length);
    } catch (error) {
      throw error instanceof ExtractError
        ? error
        : damaged('a file in its ZIP archive cannot be unpacked', error);
    }
    yield* pieces.splice(0);
  }
}

function damaged(detail: string, cause?: unknown): ExtractError {
  return new ExtractError('corrupted', { detail, ...(cause === undefined ? undefined : { cause }) });
}

function tooLarge(): ExtractError {
  const { maxEntryBytes, maxTotalBytes } = ZIP_LIMITS;
  const detail = `a part may have ${maxEntryBytes >> 20} MiB, all together ${maxTotalBytes >> 20} MiB`;
  return new ExtractError('too_large', { detail });
}
