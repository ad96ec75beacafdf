// User units: the points of a unit of a page's coordinates (ISO 32000-1, 14.11.2), which PDFium does not apply. They
// are rare and stand in the dictionary of the page itself; pages in object streams, which are compressed, count as 1.
const KEY = '/UserUnit';
/** The dictionary of a page begins at most so many bytes before an entry of it. */
const MAX_DICTIONARY = 65_536;
/** Units of real pages; Acrobat takes no more. */
const MAX_UNIT = 75_000;
const OBJECT = /(\d{1,10})\s+\d{1,5}\s+obj(?!ect)/g;
const LATIN_1 = new TextDecoder('latin1');

/** Points of a unit by the object numbers of the pages that say so. Linear in the bytes. */
export function userUnitsOf(bytes: Uint8Array): ReadonlyMap<number, number> {
  const units = new Map<number, number>();
  let end = 0;
  for (let at = bytes.indexOf(0x2f); at !== -1; at = bytes.indexOf(0x2f, at + 1)) {
    if (bytes[at + 1] !== 0x55 || bytes[at + 2] !== 0x73 || bytes[at + 5] !== 0x55) continue;
    const entry = LATIN_1.decode(bytes.subarray(at, at + 40));
    const unit = Number(/^\/UserUnit\s*(\d*\.?\d+)/.exec(entry)?.[1]);
    if (!entry.startsWith(KEY) || !(unit > 0 && unit <= MAX_UNIT)) continue;
    const before = LATIN_1.decode(bytes.subarray(Math.max(end, at - MAX_DICTIONARY), at));
    const [, number] = Array.from(before.matchAll(OBJECT)).at(-1) ?? [];
    if (number !== undefined) units.set(Number(number), unit);
    end = at;
  }
  return units;
}
