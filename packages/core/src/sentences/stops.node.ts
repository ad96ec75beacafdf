// The units of a text at which the sentence scanner stops, in Node. Its buffers take UTF-16 as it is: copying a unit
// costs a fortieth of what reading it from the string does. The stops of a window are listed all at once by the
// WebAssembly of find-stops.wat, sixteen units at a time and without a branch on what they are; where there is none of
// that, a loop lists them.
import { FIND_STOPS } from './find-stops.ts';
import { STOPS, unitTraits } from './marks.ts';

/** Units that are copied at a time, a multiple of sixteen: 16 kB, which stay in the nearest cache. */
const WINDOW = 8192;
/** Copying fewer takes longer than reading them does. */
const SHORTEST_COPY = 200;

/** What is used here of WebAssembly, which the types of Node leave out. */
interface Engine {
  readonly Memory: new (pages: { initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Exports };
  readonly validate: (code: Uint8Array) => boolean;
}

interface Exports {
  readonly findStops: (count: number) => void;
}

/** Undefined where it is switched off, as by `--jitless`. */
const engine = (globalThis as { WebAssembly?: unknown }).WebAssembly as Engine | undefined;
/** What the WebAssembly works on, 64 kB; find-stops.wat tells what is where. */
const memory = engine && new engine.Memory({ initial: 1 });
const buffer = memory?.buffer ?? new ArrayBuffer(0x10000);
// Constants, so that their addresses and lengths stand in the compiled loop; they are filled at the first call.
/** The window, and behind it a unit that is a stop. */
const units = new Uint16Array(buffer, 0, WINDOW + 1);
const bytes = Buffer.from(buffer, 0, 2 * WINDOW);
/** Where in the window stops may be, ascending, and behind the last of them WINDOW. */
const found = new Uint16Array(buffer, 0x4010, WINDOW + 1);
/** Of every byte, the places of the bits that are set. */
const places = new Uint16Array(buffer, 0x9000, 8 * 256);
/** Of every set in {@link SETS}, a bit for each value that each digit has in it. */
const digits = new Uint8Array(buffer, 0xa000, 8 * 16);
/** Of every unit: 1 at a stop, else 0. */
const stops = new Uint8Array(0x10000);

/**
 * All stops, in sixteen sets. A unit each of whose four hexadecimal digits occurs at its place in one and the same set
 * is found as well, so the sets are such that this is true of few units that are no stops, and of none that is common.
 */
const SETS = [
  '\n\f\r',
  '!"().',
  '?[]{}',
  '«»',
  '‘“”„',
  '…\u2028\u2029‹›‼⁇⁈⁉',
  '։',
  '؟۔',
  '।॥',
  '။၊፧។៕',
  String.fromCharCode(...Array.from({ length: 0x4e }, (_, index) => 0xe01 + index)),
  '。〈〉《》「」『』',
  '【】〔〕〖〗',
  '！（）．？［］｛｝｡\ud83c\ud83d\ud83e',
  '다',
  '요',
];

let findStops: Exports['findStops'] | undefined;

/** Finds the stops of a text before `end` for one scan; two scans that take turns would disturb one another. */
export class StopReader {
  readonly #text: string;
  readonly #end: number;
  readonly #findStops: Exports['findStops'];
  /** What the window holds of the text. */
  #from = 0;
  #to = 0;
  /** The first of the places found that may still be asked for. */
  #index = 0;
  /** The unit at the stop found last. */
  unit = 0;

  constructor(text: string, end: number) {
    this.#text = text;
    this.#end = end;
    this.#findStops = findStops ??= createSearch();
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
      let stop = found[index] ?? WINDOW;
      let unit = units[stop] ?? 0;
      while (stop < least || stops[unit] === 0) {
        stop = found[++index] ?? WINDOW;
        unit = units[stop] ?? 0;
      }
      this.#index = index;
      if (this.#from + stop < this.#to) {
        this.unit = unit;
        return this.#from + stop;
      }
      at = this.#to;
    }
    return at;
  }

  /** Also lists some of what an earlier text left behind, past the last unit. */
  #copy(at: number): void {
    this.#from = at;
    this.#to = Math.min(this.#end, at + WINDOW);
    this.#index = 0;
    bytes.write(this.#text.slice(at, this.#to), 'utf16le');
    this.#findStops(this.#to - at);
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

/** Fills the tables and returns what lists the places among the first `count` units of the window. */
function createSearch(): Exports['findStops'] {
  for (const [unit, trait] of unitTraits().entries()) stops[unit] = (trait & STOPS) === 0 ? 0 : 1;
  units[WINDOW] = 0x0a;
  const code = Buffer.from(FIND_STOPS, 'base64');
  // Not valid where sixteen bytes cannot be compared at a time.
  if (engine?.validate(code) !== true) return listOneByOne;
  fillPlaces();
  fillDigits();
  return new engine.Instance(new engine.Module(code), { scan: { memory } }).exports.findStops;
}

function fillPlaces(): void {
  for (let byte = 0; byte < 256; byte++) {
    let next = 8 * byte;
    for (let bit = 0; bit < 8; bit++) if ((byte >> bit) & 1) places[next++] = bit;
  }
}

function fillDigits(): void {
  for (const [set, members] of SETS.entries()) {
    for (let member = 0; member < members.length; member++) {
      for (let digit = 0; digit < 4; digit++) {
        const value = (members.charCodeAt(member) >> (4 * digit)) & 15;
        const index = 64 * (set >> 3) + 16 * digit + value;
        digits[index] = (digits[index] ?? 0) | (1 << (set & 7));
      }
    }
  }
}

function listOneByOne(count: number): void {
  let next = 0;
  for (let at = 0; at < count; at++) {
    found[next] = at;
    next += stops[units[at] ?? 0] ?? 0;
  }
  found[next] = WINDOW;
}
