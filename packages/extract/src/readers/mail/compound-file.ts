// The structure of an OLE compound file ([MS-CFB]), checked before msgreader follows it: msgreader walks chains of
// sectors and trees of entries without a bound, and a circle in one of them never ends.

/** Ends a chain; greater values mean free sectors and those of the tables. */
const MAX_SECTOR = 0xfffffffa;
const NO_ENTRY = 0xffffffff;
/** Exponent of 4096, the size of the sectors of version 4; those of version 3 have 512 bytes. */
const LARGE_SECTORS = 0x0c;
const ENTRY_BYTES = 128;
/** Numbers of table sectors in the header. */
const HEADER_TABLES = 109;
/** Streams below this size are in the small sectors. */
const SMALL_STREAM = 4096;
const [STREAM, ROOT] = [2, 5];

/** True when each sector belongs to one chain and each entry to one folder, and no stream is longer than the file. */
export function isSoundCompoundFile(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 512) return false;
  const numberAt = (at: number): number =>
    at >= 0 && at + 4 <= bytes.length ? view.getUint32(at, true) : NO_ENTRY;
  const size = view.getUint8(30) === LARGE_SECTORS ? 4096 : 512;
  const offsetOf = (sector: number): number => (sector + 1) * size;
  const perSector = size / 4;
  const sectors = Math.ceil(bytes.length / size);
  const visit = visitor(sectors);
  const tables = tableSectors(numberAt, offsetOf, perSector);
  const nextIn =
    (sectors: readonly number[]) =>
    (sector: number): number => {
      const table = sectors[Math.floor(sector / perSector)];
      return table === undefined ? NO_ENTRY : numberAt(offsetOf(table) + 4 * (sector % perSector));
    };
  const next = nextIn(tables);
  const directory = chainOf(numberAt(0x30), next, visit);
  const small = chainOf(numberAt(0x3c), next, visit);
  if (directory === undefined || small === undefined) return false;
  const nextSmall = nextIn(small);
  const visitSmall = visitor(small.length * perSector);
  const entryAt = (index: number): number | undefined => {
    const sector = directory[Math.floor((index * ENTRY_BYTES) / size)];
    return sector === undefined ? undefined : offsetOf(sector) + ((index * ENTRY_BYTES) % size);
  };
  const visitEntry = visitor(directory.length * (size / ENTRY_BYTES));
  const waiting = [0];
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    const at = entryAt(index);
    if (at === undefined || at + ENTRY_BYTES > bytes.length || !visitEntry(index)) return false;
    const [type, length] = [view.getUint8(at + 66), numberAt(at + 120)];
    const start = numberAt(at + 116);
    if (length > bytes.length && type === STREAM) return false;
    if (type === ROOT || (type === STREAM && length > 0)) {
      const isSmall = type === STREAM && length < SMALL_STREAM;
      // An empty root may name any sector.
      const visitOwn = length === 0 ? visitor(sectors) : isSmall ? visitSmall : visit;
      if (chainOf(start, isSmall ? nextSmall : next, visitOwn) === undefined) return false;
    }
    waiting.push(...[68, 72, 76].map((field) => numberAt(at + field)).filter((entry) => entry !== NO_ENTRY));
  }
  return true;
}

/** Sectors of the table of sectors: the first ones are in the header, the others in a chain of their own. */
function tableSectors(
  numberAt: (at: number) => number,
  offsetOf: (sector: number) => number,
  perSector: number,
): number[] {
  const count = numberAt(0x2c);
  const tables: number[] = [];
  for (let at = 0; at < Math.min(HEADER_TABLES, count); at++) tables.push(numberAt(0x4c + 4 * at));
  let sector = numberAt(0x44);
  const chains = Math.min(numberAt(0x48), Math.ceil(count / perSector));
  for (let done = 0; done < chains && sector < MAX_SECTOR; done++) {
    for (let at = 0; at < perSector - 1; at++) tables.push(numberAt(offsetOf(sector) + 4 * at));
    sector = numberAt(offsetOf(sector) + 4 * (perSector - 1));
  }
  return tables;
}

/** Marks a number below a count. Returns false for one that is marked already, or beyond. */
function visitor(count: number): (index: number) => boolean {
  const visited = new Uint8Array(count);
  return (index) => {
    if (index >= count || visited[index] === 1) return false;
    visited[index] = 1;
    return true;
  };
}

/** The sectors of a chain; undefined when it meets a sector of its own or of another chain. */
function chainOf(
  start: number,
  next: (sector: number) => number,
  visit: (sector: number) => boolean,
): number[] | undefined {
  const chain: number[] = [];
  for (let sector = start; sector < MAX_SECTOR; sector = next(sector)) {
    if (!visit(sector)) return undefined;
    chain.push(sector);
  }
  return chain;
}
