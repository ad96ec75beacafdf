// User units: the points of a unit of a page's coordinates (ISO 32000-1, 14.11.2), which PDFium does not apply. They
// are rare and stand in the dictionary of the page itself, in the file or in an object stream, which is compressed
// (7.5.7).
import { standsAt } from '../../../bytes.ts';
import { MAX_UNPACKED, objectStreamAt, objectsIn, OBJECT_STREAM, unpackStream } from './object-streams.ts';

const KEY = '/UserUnit';
/** The dictionary of a page begins at most so many bytes before an entry of it. */
const MAX_DICTIONARY = 65_536;
/** Units of real pages; Acrobat takes no more. */
const MAX_UNIT = 75_000;
const OBJECT = /(\d{1,10})\s+\d{1,5}\s+obj(?!ect)/g;
const UNIT = /\/UserUnit\s*(\d*\.?\d+)/g;
const LATIN_1 = new TextDecoder('latin1');

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
      const text = stream && unpackStream(stream, left);
      left = text === undefined ? 0 : left - text.length;
      if (stream === undefined || text === undefined) continue;
      end = stream.end;
      addUnitsOf(text, stream.first, add);
    }
  }
  return units;
}

/** The units in an unpacked object stream. Linear. */
function addUnitsOf(
  text: string,
  first: number,
  add: (object: string | undefined, unit?: string) => void,
): void {
  if (!text.includes(KEY)) return;
  const objects = objectsIn(text, first);
  let object = 0;
  for (const { index, 1: unit } of text.matchAll(UNIT)) {
    while ((objects[object + 1]?.at ?? Infinity) <= index) object++;
    add(objects[object]?.number, unit);
  }
}
