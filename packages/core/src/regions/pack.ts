// Regions as a string for JSON, and back: about four characters for each character of the document. Whole numbers of
// seven bits a byte, the lowest first, the eighth bit set where another byte follows; differences may be negative and
// are folded (0, -1, 1, -2, … are 0, 1, 2, 3, …). All bytes together are base64.
//
//   1, pages, { width, height } for each page, runs, units of all runs, then for each run
//   start - end of the run before, units, page - page before (folded), turn, extent - extent before (folded),
//   other extent - extent, and for each unit 0 without a place, else
//   1 + (near edge - far edge before, folded), far edge - near edge.
import { type DocumentRegions, NO_PLACE } from '../document.ts';

const VERSION = 1;
/** Bytes of a string that are made at once: more arguments than this overflow the stack of some engines. */
const SLICE = 0x8000;

/** The regions of a document as a string, for JSON; `unpackRegions` gives equal ones back. */
export function packRegions(regions: DocumentRegions): string {
  const { pageSizes, starts, offsets, pages, turns, extents, edges } = regions;
  const bytes = new ByteWriter();
  bytes.write(VERSION);
  bytes.write(pageSizes.length / 2);
  for (const size of pageSizes) bytes.write(size);
  bytes.write(starts.length);
  bytes.write(edges.length / 2);
  let [end, page, extent, far] = [0, 0, 0, 0];
  for (const [run, start] of starts.entries()) {
    const [first = 0, last = 0] = offsets.subarray(run, run + 2);
    const [top = 0, bottom = 0] = extents.subarray(2 * run, 2 * run + 2);
    bytes.write(start - end);
    bytes.write(last - first);
    bytes.writeSigned((pages[run] ?? 0) - page);
    bytes.write(turns[run] ?? 0);
    bytes.writeSigned(top - extent);
    bytes.write(bottom - top);
    [end, page, extent] = [start + last - first, pages[run] ?? 0, top];
    for (let at = 2 * first; at < 2 * last; at += 2) {
      const near = edges[at] ?? NO_PLACE;
      if (near === NO_PLACE) bytes.write(0);
      else {
        bytes.write(1 + fold(near - far));
        far = edges[at + 1] ?? near;
        bytes.write(far - near);
      }
    }
  }
  return bytes.toBase64();
}

/**
 * The regions of a string that {@link packRegions} has made. Linear in the string, whatever it holds.
 *
 * @throws RangeError for any other string
 */
export function unpackRegions(packed: string): DocumentRegions {
  const bytes = new ByteReader(packed);
  if (bytes.read() !== VERSION) throw noRegions();
  const pageSizes = Int32Array.from({ length: 2 * bytes.readCount() }, () => bytes.read());
  const [runs, units] = [bytes.readCount(), bytes.readCount()];
  const regions = emptyRegions(pageSizes, runs, units);
  const { starts, offsets, pages, turns, extents, edges } = regions;
  let [end, page, extent, far, at] = [0, 0, 0, 0, 0];
  for (let run = 0; run < runs; run++) {
    const start = end + bytes.read();
    end = start + bytes.read();
    page += bytes.readSigned();
    starts[run] = start;
    pages[run] = page;
    turns[run] = bytes.read();
    extent += bytes.readSigned();
    extents[2 * run] = extent;
    extents[2 * run + 1] = extent + bytes.read();
    if (end - start > units - at) throw noRegions();
    for (const last = at + end - start; at < last; at++) {
      const near = bytes.read();
      if (near !== 0) {
        edges[2 * at] = far + unfold(near - 1);
        far = (edges[2 * at] ?? 0) + bytes.read();
      }
      [edges[2 * at], edges[2 * at + 1]] = near === 0 ? [NO_PLACE, NO_PLACE] : [edges[2 * at] ?? 0, far];
    }
    offsets[run + 1] = at;
  }
  if (at !== units || !bytes.isAtEnd) throw noRegions();
  return regions;
}

function emptyRegions(pageSizes: Int32Array, runs: number, units: number): DocumentRegions {
  return {
    pageSizes,
    starts: new Uint32Array(runs),
    offsets: new Uint32Array(runs + 1),
    pages: new Uint16Array(runs),
    turns: new Uint8Array(runs),
    extents: new Int32Array(2 * runs),
    edges: new Int32Array(2 * units),
  };
}

function noRegions(): RangeError {
  return new RangeError('The string holds no regions.');
}

/** Negative and positive numbers in turns; by arithmetic, because differences may exceed 31 bits. */
function fold(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function unfold(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

class ByteWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  write(value: number): void {
    if (this.#length + 8 > this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#bytes.length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    for (; value > 0x7f; value = Math.floor(value / 0x80))
      this.#bytes[this.#length++] = (value % 0x80) | 0x80;
    this.#bytes[this.#length++] = value;
  }

  writeSigned(value: number): void {
    this.write(fold(value));
  }

  toBase64(): string {
    const parts: string[] = [];
    for (let at = 0; at < this.#length; at += SLICE)
      parts.push(String.fromCharCode(...this.#bytes.subarray(at, Math.min(this.#length, at + SLICE))));
    return btoa(parts.join(''));
  }
}

class ByteReader {
  readonly #bytes: string;
  #at = 0;

  constructor(packed: string) {
    try {
      this.#bytes = atob(packed);
    } catch {
      throw noRegions();
    }
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  read(): number {
    let value = 0;
    for (let unit = 1; unit < 2 ** 53; unit *= 0x80) {
      if (this.isAtEnd) throw noRegions();
      const byte = this.#bytes.charCodeAt(this.#at++);
      value += (byte & 0x7f) * unit;
      if (byte <= 0x7f) return value;
    }
    throw noRegions();
  }

  readSigned(): number {
    return unfold(this.read());
  }

  /** A number of things that take a byte and more each. */
  readCount(): number {
    const count = this.read();
    if (count > this.#bytes.length - this.#at) throw noRegions();
    return count;
  }
}
