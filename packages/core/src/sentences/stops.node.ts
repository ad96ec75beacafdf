// The units of a text at which the sentence scanner stops, in Node. Its buffers take UTF-16 as it is: copying a unit
// costs a fortieth of what reading it from the string does, and reading it from the copy a third. All stops of a window
// are listed at once: a loop that writes every offset, and keeps those of stops, never branches on what it reads.
import { STOPS, unitTraits } from './marks.ts';

/** Units that are copied at a time, a multiple of four: 16 kB, which stay in the nearest cache. */
const WINDOW = 8192;
/** Copying fewer takes longer than reading them does. */
const SHORTEST_COPY = 200;

// Constants, so that their addresses and lengths stand in the compiled loop; the table is filled at the first call.
const units = new Uint16Array(WINDOW);
/** The same, two units at a time. */
const pairs = new Int32Array(units.buffer);
const bytes = Buffer.from(units.buffer);
/** Of every unit: 1 at a stop, else 0. */
const stops = new Uint8Array(0x10000);
/** Where in the window the stops are, ascending, and behind the last of them WINDOW. */
const found = new Uint16Array(WINDOW + 1);
let areKnown = false;

/** Finds the stops of a text before `end` for one scan; two scans that take turns would disturb one another. */
export class StopReader {
  readonly #text: string;
  readonly #end: number;
  /** What the window holds of the text. */
  #from = 0;
  #to = 0;
  /** The first of the stops found that may still be asked for. */
  #index = 0;
  /** The unit at the stop found last. */
  unit = 0;

  constructor(text: string, end: number) {
    this.#text = text;
    this.#end = end;
    if (!areKnown) learnStops();
  }

  /** The first stop from `at` on, or the end; `at` is never less than it was the time before. */
  next(at: number): number {
    const end = this.#end;
    while (at < end) {
      if (at >= this.#to) {
        if (end - at < SHORTEST_COPY) return this.#nextInText(at);
        this.#copy(at);
      }
      const least = at - this.#from;
      let index = this.#index;
      while ((found[index] ?? WINDOW) < least) index++;
      this.#index = index;
      const stop = found[index] ?? WINDOW;
      if (this.#from + stop < this.#to) {
        this.unit = units[stop] ?? 0;
        return this.#from + stop;
      }
      at = this.#to;
    }
    return at;
  }

  #copy(at: number): void {
    this.#from = at;
    this.#to = Math.min(this.#end, at + WINDOW);
    this.#index = 0;
    bytes.write(this.#text.slice(at, this.#to), 'utf16le');
    findStops(this.#to - at);
  }

  #nextInText(at: number): number {
    const text = this.#text;
    const end = this.#end;
    for (; at < end; at++) {
      const unit = text.charCodeAt(at);
      if (stops[unit] === 0) continue;
      this.unit = unit;
      return at;
    }
    return at;
  }
}

/** Lists the stops among the first units of the window, and perhaps some of what an earlier text left behind those. */
function findStops(count: number): void {
  const last = (count + 1) >> 1;
  let next = 0;
  // Two pairs in a turn, since one a turn takes a fifth longer.
  for (let at = 0; at < last; at += 2) {
    const pair = pairs[at] ?? 0;
    const other = pairs[at + 1] ?? 0;
    const index = 2 * at;
    found[next] = index;
    next += stops[pair & 0xffff] ?? 0;
    found[next] = index + 1;
    next += stops[pair >>> 16] ?? 0;
    found[next] = index + 2;
    next += stops[other & 0xffff] ?? 0;
    found[next] = index + 3;
    next += stops[other >>> 16] ?? 0;
  }
  found[next] = WINDOW;
}

function learnStops(): void {
  for (const [unit, trait] of unitTraits().entries()) stops[unit] = (trait & STOPS) === 0 ? 0 : 1;
  areKnown = true;
}
