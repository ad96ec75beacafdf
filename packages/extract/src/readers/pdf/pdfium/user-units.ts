// User units: the points of a unit of a page's coordinates (ISO 32000-1, 14.11.2), which PDFium does not apply. They
// are rare and stand in the dictionary of the page itself, in the file or in an object stream, which is compressed
// (7.5.7).
import { unzlibSync } from 'fflate/browser';
import { indexOf, standsAt } from '../../../bytes.ts';

const KEY = '/UserUnit';
const OBJECT_STREAM = '/ObjStm';
/** The dictionary of a page begins at most so many bytes before an entry of it; that of an object stream is short. */
const MAX_DICTIONARY = 65_536;
const MAX_STREAM_DICTIONARY = 512;
/** Units of real pages; Acrobat takes no more. */
const MAX_UNIT = 75_000;
const OBJECT = /(\d{1,10})\s+\d{1,5}\s+obj(?!ect)/g;
const UNIT = /\/UserUnit\s*(\d*\.?\d+)/g;
const LATIN_1 = new TextDecoder('latin1');

/** Bytes of an object stream: programs put 50 to 200 objects into one, some 3 kB, which unpack to five times that. */
const MAX_PACKED = 65_536;
const MAX_RATIO = 64;
/** Unpacked bytes of all object streams together: those of 100,000 pages. */
const MAX_UNPACKED = 64 << 20;

/** Points of a unit by the object numbers of the pages that say so. Linear in the bytes. */
export function userUnitsOf(bytes: Uint8Array): ReadonlyMap<number, number> {
  const units = new Map<number, number>();
  const add = (object: string | undefined, value: string | undefined): void => {
    const unit = Number(value);
    if (object !== undefined && unit > 0 && unit <= MAX_UNIT) units.set(Number(object), unit);
  };
  let [end, left] = [0, MAX_UNPACKED];
  for (let at = bytes.indexOf(0x2f); at !== -1; at = bytes.indexOf(0x2f, Math.max(end, at + 1))) {
    if (standsAt(bytes, at, KEY)) {
      const [entry] = LATIN_1.decode(bytes.subarray(at, at + 40)).matchAll(UNIT);
      const before = LATIN_1.decode(bytes.subarray(Math.max(end, at - MAX_DICTIONARY), at));
      add(Array.from(before.matchAll(OBJECT)).at(-1)?.[1], entry?.[1]);
      end = at + 1;
    } else if (left > 0 && standsAt(bytes, at, OBJECT_STREAM)) {
      const stream = objectStreamAt(bytes, at);
      const text = stream && unpacked(stream.packed, left);
      left = text === undefined ? 0 : left - text.length;
      if (stream === undefined || text === undefined) continue;
      end = stream.end;
      addUnitsOf(text, stream.first, add);
    }
  }
  return units;
}

interface ObjectStream {
  readonly packed: Uint8Array;
  /** The offset of its first object in the unpacked bytes. */
  readonly first: number;
  readonly end: number;
}

/** `7 0 obj<</Type/ObjStm/N 100/First 808/Filter/FlateDecode/Length 2012>>stream … endstream` */
function objectStreamAt(bytes: Uint8Array, at: number): ObjectStream | undefined {
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
function unpacked(packed: Uint8Array, left: number): string | undefined {
  const most = Math.min(left, MAX_RATIO * packed.length);
  try {
    const content = unzlibSync(packed, { out: new Uint8Array(most) });
    return content.length < most ? LATIN_1.decode(content) : undefined;
  } catch {
    return undefined;
  }
}

/** `12 0 13 87 <</Type/Page … >> <<…>>`: numbers and ascending offsets of objects, then the objects. Linear. */
function addUnitsOf(
  text: string,
  first: number,
  add: (object: string | undefined, unit?: string) => void,
): void {
  if (!text.includes(KEY)) return;
  const objects = Array.from(text.slice(0, first).matchAll(/(\d{1,10})\s+(\d{1,10})/g));
  let object = 0;
  for (const { index, 1: unit } of text.matchAll(UNIT)) {
    while (first + Number(objects[object + 1]?.[2]) <= index) object++;
    add(objects[object]?.[1], unit);
  }
}
