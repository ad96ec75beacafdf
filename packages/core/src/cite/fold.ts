// The letters and digits of a text, folded: without case, accents, blanks, punctuation and compatibility forms, so that
// a quotation as a person or a language model writes it equals its source. Every folded unit knows its place.
import type { Span } from '../document.ts';

/** A piece of a document's text, and the offset at which it begins there. */
export interface PlacedText {
  readonly text: string;
  readonly start: number;
}

/** The folded form of a text. */
export interface FoldedText {
  /** UTF-16 units of letters and digits alone; {@link GAP} where text is missing between two pieces. */
  readonly units: Uint16Array;
  /** Start and end in the document of the character that each unit comes from. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** A unit that equals no folded character: U+FFFF is no character. */
export const GAP = 0xffff;
const GAP_UNIT = String.fromCharCode(GAP);
/** The longest blank between neighbouring chunks that counts as none. */
const MAX_BLANK = 16;
/** Units that stand for missing text: more than the edits of any quotation allow. */
const MAX_GAP = 4096;

/** In {@link UNIT_OF}: not looked up yet; nothing remains; more than one unit remains. */
const UNKNOWN = 0;
const DROPPED = 1;
const LONGER = 2;
/** The folded unit of each UTF-16 unit, looked up when it is first met. */
const UNIT_OF = new Uint16Array(0x10000);

/**
 * Folds pieces of one document, in order. Linear in their length.
 *
 * Folding is NFKD without marks (general category M), then upper and lower case, then NFC, which composes Hangul again;
 * what is neither letter nor number is dropped. See Unicode Standard Annex 15 and section 5.18.
 */
export function fold(pieces: readonly PlacedText[]): FoldedText {
  let units = new Uint16Array(pieces.reduce((sum, { text }) => sum + text.length, 0));
  let starts = new Uint32Array(units.length);
  let ends = new Uint32Array(units.length);
  let length = 0;
  /** Makes room for units beyond one for each unit of the source. */
  const grow = (more: number): void => {
    const capacity = units.length + Math.max(more, units.length >> 1);
    units = grown(units, new Uint16Array(capacity));
    starts = grown(starts, new Uint32Array(capacity));
    ends = grown(ends, new Uint32Array(capacity));
  };
  const addAll = (added: string, start: number, end: number, room: number): void => {
    if (length + added.length + room > units.length) grow(added.length + room);
    for (let at = 0; at < added.length; at += 1) {
      units[length] = added.charCodeAt(at);
      starts[length] = start;
      ends[length] = end;
      length += 1;
    }
  };

  let left = units.length;
  let before: number | undefined;
  for (const { text, start } of pieces) {
    const missing = before === undefined || start - before <= MAX_BLANK ? 0 : start - before;
    addAll(GAP_UNIT.repeat(Math.min(missing, MAX_GAP)), start, start, left);
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      let folded = UNIT_OF[unit] ?? UNKNOWN;
      if (folded === UNKNOWN) folded = UNIT_OF[unit] = unitOf(unit);
      if (folded === DROPPED) continue;
      if (folded === LONGER) {
        const from = start + index;
        const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
        index += character.length - 1;
        addAll(foldCharacter(character), from, from + character.length, left - index);
        continue;
      }
      units[length] = folded;
      starts[length] = start + index;
      ends[length] = start + index + 1;
      length += 1;
    }
    left -= text.length;
    before = start + text.length;
  }
  return {
    units: units.subarray(0, length),
    starts: starts.subarray(0, length),
    ends: ends.subarray(0, length),
  };
}

function grown<Numbers extends Uint16Array | Uint32Array>(old: Numbers, fresh: Numbers): Numbers {
  fresh.set(old);
  return fresh;
}

function unitOf(unit: number): number {
  // A high surrogate is read together with its partner.
  if (unit >= 0xd800 && unit <= 0xdbff) return LONGER;
  const units = foldCharacter(String.fromCharCode(unit));
  return units.length === 0 ? DROPPED : units.length === 1 ? units.charCodeAt(0) : LONGER;
}

function foldCharacter(character: string): string {
  const bare = character.normalize('NFKD').replaceAll(/[^\p{L}\p{N}]/gu, '');
  // Upper case first: it folds ß and ſ, and both small sigmas.
  return bare.toUpperCase().toLowerCase().replaceAll(/\p{M}/gu, '').normalize('NFC');
}

/** The span in the document of the folded units [from, to). */
export function spanOf({ starts, ends }: FoldedText, from: number, to: number): Span {
  return { start: starts[from] ?? 0, end: ends[to - 1] ?? 0 };
}
