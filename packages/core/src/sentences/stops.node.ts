// The units of a text at which the sentence scanner stops, in Node. Its buffers take UTF-16 as it is: copying a unit costs a
// fortieth of what reading it from the string does, and reading it from the copy a third.
import { STOPS, unitTraits } from './marks.ts';

/** Units that are copied at a time: 16 kB, which stay in the nearest cache. */
const WINDOW = 8192;
/** Copying fewer takes longer than reading them does. */
const SHORTEST_COPY = 200;

// Constants, so that their addresses and lengths stand in the compiled loop; the table is filled at the first call.
/** The window, and behind it what a turn of the loop reads too far. */
const units = new Uint16Array(WINDOW + 4);
/** The same, two units at a time. */
const pairs = new Int32Array(units.buffer);
const bytes = Buffer.from(units.buffer);
/** Of every unit: other than 0 at a stop. */
const stops = new Uint8Array(0x10000);
let areKnown = false;

/** Finds the stops of a text before `end` for one scan; two scans that take turns would disturb one another. */
export class StopReader {
  readonly #text: string;
  readonly #end: number;
  /** What the window holds of the text. */
  #from = 0;
  #to = 0;
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
      const index = stopFrom(at - this.#from, this.#to - this.#from);
      if (index !== -1) {
        this.unit = units[index] ?? 0;
        return this.#from + index;
      }
      at = this.#to;
    }
    return at;
  }

  #copy(at: number): void {
    this.#from = at;
    this.#to = Math.min(this.#end, at + WINDOW);
    bytes.write(this.#text.slice(at, this.#to), 'utf16le');
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

/** The index of the first stop in [index, end) of the window, or -1. */
function stopFrom(index: number, end: number): number {
  const last = (end + 1) >> 1;
  let at = index >> 1;
  // Of the first pair without the unit before the index.
  let pair = (pairs[at] ?? 0) & ~(0xffff & -(index & 1));
  while (at < last && !holdsStop(pair)) {
    pair = pairs[++at] ?? 0;
    // A second one in a turn, which spares the engine's own look whether somebody wants to interrupt it.
    if (holdsStop(pair)) break;
    pair = pairs[++at] ?? 0;
  }
  const found = 2 * at + (stops[pair & 0xffff] === 0 ? 1 : 0);
  return found < end ? found : -1;
}

function holdsStop(pair: number): boolean {
  return ((stops[pair & 0xffff] ?? 0) | (stops[pair >>> 16] ?? 0)) !== 0;
}

function learnStops(): void {
  for (const [unit, trait] of unitTraits().entries()) stops[unit] = trait & STOPS;
  areKnown = true;
}
