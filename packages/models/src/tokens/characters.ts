// A text in the form that the scanner reads: its UTF-16 units, with the class of the character in the bits above. The
// class has one bit for each set that the patterns of the two encodings name, so that testing for a set is testing a
// bit. The classes come from a packed module and not from the engine: counts must not depend on the browser's version
// of Unicode, and reading them from the engine takes 30 ms at every start.
import { CLASSES, RUNS } from './data/characters.ts';

/**
 * UTF-16 units in the low 16 bits, with the class of their character above; both halves of a pair have the pair's
 * class.
 */
export type ClassifiedUnits = Int32Array;

/** The unit itself. */
export const UNIT = 0xffff;
/** \p{L}. */
export const LETTER = 0x1_0000;
/** \p{N}. */
export const NUMBER = 0x2_0000;
/** [^\s\p{L}\p{N}]: marks, punctuation, symbols, controls. */
export const OTHER = 0x4_0000;
/** \s as the encodings' own engine has it: White_Space, which has U+0085 and lacks U+FEFF, unlike JavaScript's. */
export const SPACE = 0x8_0000;
/** [\r\n]. */
export const NEWLINE = 0x10_0000;
/** The slash, which o200k lets follow punctuation as newlines do. */
export const SLASH = 0x20_0000;
/** [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]. */
export const UPPER = 0x40_0000;
/** [\p{Ll}\p{Lm}\p{Lo}\p{M}]. */
export const LOWER = 0x80_0000;

const DIGIT_0 = 0x30;
const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;
const SMALL_A = 0x61;

/** The class of every code point, shifted down by 16 bits. Only surrogates, which are no characters, have 0. */
const CHARACTER_CLASSES: Uint8Array = /* @__PURE__ */ unpackClasses();

/** The class of a lone surrogate, which becomes U+FFFD, a symbol. */
const LONE_SURROGATE_CLASS = OTHER;

/** Writes the units of a text, with their classes, to the beginning of `units`, which must be long enough. */
export function writeUnits(text: string, units: ClassifiedUnits): void {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const bits = CHARACTER_CLASSES[unit] ?? 0;
    if (bits !== 0) {
      units[at] = unit | (bits << 16);
      continue;
    }
    const low = text.charCodeAt(at + 1);
    if (isPair(unit, low)) {
      const pairClass = (CHARACTER_CLASSES[codePointOf(unit, low)] ?? 0) << 16;
      units[at] = unit | pairClass;
      units[++at] = low | pairClass;
    } else units[at] = unit | LONE_SURROGATE_CLASS;
  }
}

/** Offset behind the character that begins at `at`. */
export function characterEnd(units: ClassifiedUnits, at: number, end: number): number {
  return at + 1 < end && isPair(units[at] ?? 0, units[at + 1] ?? 0) ? at + 2 : at + 1;
}

/** First offset from `at` whose character is not in `set`. */
export function runEnd(units: ClassifiedUnits, at: number, end: number, set: number): number {
  let next = at;
  while (next < end && (units[next] ?? 0) & set) next++;
  return next;
}

/** True when two units, with classes or without, are the halves of one character. */
export function isPair(high: number, low: number): boolean {
  return (high & 0xfc00) === 0xd800 && (low & 0xfc00) === 0xdc00;
}

/** The character of a pair. */
export function codePointOf(high: number, low: number): number {
  return ((high & 0x3ff) << 10) + (low & 0x3ff) + 0x10000;
}

/** Unpacks runs of equal class from U+0000 on: a capital letter for the class, then the length in base 36. */
function unpackClasses(): Uint8Array {
  const classes = new Uint8Array(0x110000);
  let from = 0;
  let bits = 0;
  let length = 0;
  for (let at = 0; at <= RUNS.length; at++) {
    const code = RUNS.charCodeAt(at);
    if (code > CAPITAL_Z || code < CAPITAL_A) {
      length = 36 * length + (code > CAPITAL_Z ? code - SMALL_A + 10 : code - DIGIT_0);
      continue;
    }
    // The end of the runs, no code at all, closes the last of them as a capital letter closes the others.
    classes.fill(bits, from, from + length);
    from += length;
    bits = CLASSES[code - CAPITAL_A] ?? 0;
    length = 0;
  }
  return classes;
}
