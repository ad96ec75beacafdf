// Object streams: compressed dictionaries of a file (ISO 32000-1, 7.5.7), for facts that PDFium does not give.
import { unzlibSync } from 'fflate/browser';
import { indexOf } from '../../../bytes.ts';

export const OBJECT_STREAM = '/ObjStm';
/** The dictionary of an object stream is short. */
const MAX_STREAM_DICTIONARY = 512;
/** Bytes of an object stream: programs put 50 to 200 objects into one, some 3 kB, which unpack to five times that. */
const MAX_PACKED = 65_536;
const MAX_RATIO = 64;
/** Unpacked bytes of all object streams together: those of 100,000 pages. */
export const MAX_UNPACKED = 64 << 20;
const LATIN_1 = new TextDecoder('latin1');

/** The compressed objects of a file, and where they stand in it. */
export interface ObjectStream {
  readonly packed: Uint8Array;
  /** The offset of its first object in the unpacked bytes. */
  readonly first: number;
  readonly end: number;
}

/** `7 0 obj<</Type/ObjStm/N 100/First 808/Filter/FlateDecode/Length 2012>>stream … endstream` */
export function objectStreamAt(bytes: Uint8Array, at: number): ObjectStream | undefined {
  const from = Math.max(0, at - MAX_STREAM_DICTIONARY);
  const head = LATIN_1.decode(bytes.subarray(from, at + MAX_STREAM_DICTIONARY));
  const data = /stream\r?\n/g;
  data.lastIndex = at - from;
  if (!data.test(head)) return undefined;
  const dictionary = head.slice(head.lastIndexOf(' obj', at - from), data.lastIndex);
  const start = from + data.lastIndex;
  const length = indexOf(bytes.subarray(start, start + MAX_PACKED), 'endstream');
  const [, first] = /\/First\s+(\d{1,9})/.exec(dictionary) ?? [];
  if (length === -1 || first === undefined) return undefined;
  return { packed: bytes.subarray(start, start + length), first: Number(first), end: start + length };
}

/** The text of an object stream; `undefined` when it is encrypted, damaged, or larger than any. */
export function unpackStream({ packed }: ObjectStream, left: number): string | undefined {
  const most = Math.min(left, MAX_RATIO * packed.length);
  try {
    const content = unzlibSync(packed, { out: new Uint8Array(most) });
    return content.length < most ? LATIN_1.decode(content) : undefined;
  } catch {
    return undefined;
  }
}

/** An object of an unpacked stream, and its offset there. */
export interface PackedObject {
  readonly number: string;
  readonly at: number;
}

/** `12 0 13 87 <</Type/Page … >> <<…>>`: numbers and ascending offsets of objects, then the objects. Linear. */
export function objectsIn(text: string, first: number): PackedObject[] {
  return Array.from(text.slice(0, first).matchAll(/(\d{1,10})\s+(\d{1,10})/g), ([, number = '', offset]) => ({
    number,
    at: first + Number(offset),
  }));
}
