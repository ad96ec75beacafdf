// Cuts a text into the pieces (words, numbers, runs of punctuation, blanks) that byte pair encoding never merges
// across: the regular expression of each encoding, written by hand over UTF-16 units. No step reads text before the
// piece, so that scanning can begin at the border of any two pieces. Both expressions try their alternatives in order
// at the end of the last piece: cl100k '(?i:[sdmt]|ll|ve|re) contraction [^\r\n\p{L}\p{N}]?\p{L}+ word, with one
// leading mark or blank \p{N}{1,3} up to three digits ?[^\s\p{L}\p{N}]+[\r\n]* punctuation \s+$ | \s*[\r\n] | \s+(?!\S)
// | \s o200k [^\r\n\p{L}\p{N}]?U*L+C? word in which upper case stands before lower case [^\r\n\p{L}\p{N}]?U+L*C? word
// in upper case; C is a contraction, U and L are UPPER and LOWER \p{N}{1,3} ?[^\s\p{L}\p{N}]+[\r\n/]* \s*[\r\n]+ |
// \s+(?!\S) | \s+
import {
  characterEnd,
  LETTER,
  LOWER,
  NEWLINE,
  NUMBER,
  OTHER,
  runEnd,
  SLASH,
  SPACE,
  UNIT,
  type ClassifiedUnits,
  UPPER,
} from './characters.ts';

/** Offset behind the piece that begins at `at`, for `at < end`; `units` hold the text in [0, end). */
export type PieceEnd = (units: ClassifiedUnits, at: number, end: number) => number;

const APOSTROPHE = 0x27 | OTHER;
const BLANK = 0x20 | SPACE;

/** The scanner of cl100k_base. */
export const cl100kPieceEnd: PieceEnd = (units, at, end) => {
  const first = units[at] ?? 0;
  if (first & LETTER) return runEnd(units, at, end, LETTER);
  if (first & NUMBER) return numberEnd(units, at, end);
  if (first === APOSTROPHE) {
    const contraction = contractionEnd(units, at, end);
    if (contraction > at) return contraction;
  }
  const second = characterEnd(units, at, end);
  const following = second < end ? (units[second] ?? 0) : 0;
  if (following & LETTER && !(first & NEWLINE)) return runEnd(units, second, end, LETTER);
  if (first & OTHER || (following & OTHER && first === BLANK)) {
    return runEnd(units, runEnd(units, second, end, OTHER), end, NEWLINE);
  }
  const blanks = runEnd(units, at, end, SPACE);
  return blanks === end ? end : blankPieceEnd(units, at, blanks, end);
};

/** The scanner of o200k_base. */
export const o200kPieceEnd: PieceEnd = (units, at, end) => {
  const first = units[at] ?? 0;
  if (first & LETTER) return casedWordEnd(units, at, end);
  if (first & NUMBER) return numberEnd(units, at, end);
  const second = characterEnd(units, at, end);
  const following = second < end ? (units[second] ?? 0) : 0;
  if (first & UPPER) return markedWordEnd(units, second, end, following);
  if (following & (UPPER | LOWER) && !(first & NEWLINE)) return casedWordEnd(units, second, end);
  if (first & OTHER || (following & OTHER && first === BLANK)) {
    return runEnd(units, runEnd(units, second, end, OTHER), end, NEWLINE | SLASH);
  }
  return blankPieceEnd(units, at, runEnd(units, at, end, SPACE), end);
};

/** The end of U*L+C?, or else of U+L*C?, at a character of one of these sets. */
function casedWordEnd(units: ClassifiedUnits, at: number, end: number): number {
  const lower = lowerWordEnd(units, at, end);
  return withContraction(units, lower > at ? lower : runEnd(units, at, end, UPPER), end);
}

/**
 * The end of the word that begins with a combining mark before `second`. A mark may lead a word, as any punctuation
 * may, but it is also a letter of a word: the first alternative finds it as such before the second finds one all in
 * upper case behind it.
 */
function markedWordEnd(units: ClassifiedUnits, second: number, end: number, following: number): number {
  const word = following & (UPPER | LOWER) ? lowerWordEnd(units, second, end) : second;
  return withContraction(units, word, end);
}

/** The end of U*L+ from `at`; `at` itself when that does not match. */
function lowerWordEnd(units: ClassifiedUnits, at: number, end: number): number {
  let lastOfBoth = at;
  for (let next = at; next < end; next++) {
    const bits = units[next] ?? 0;
    if (!(bits & UPPER)) {
      if (bits & LOWER) return runEnd(units, next, end, LOWER);
      break;
    }
    if (bits & LOWER) lastOfBoth = next + 1;
  }
  // No lower case follows, so U* gives back characters until one that is in both sets can stand for L+.
  return lastOfBoth;
}

function withContraction(units: ClassifiedUnits, at: number, end: number): number {
  return units[at] === APOSTROPHE ? contractionEnd(units, at, end) : at;
}

/** Offset behind 's, 't, 'm, 'd, 'll, 've, 're in any case at the apostrophe `at`; `at` when there is none. */
function contractionEnd(units: ClassifiedUnits, at: number, end: number): number {
  if (at + 1 >= end) return at;
  const first = lowerCased(units[at + 1] ?? 0);
  if (first === 0x73 || first === 0x74 || first === 0x6d || first === 0x64) return at + 2;
  // ſ, the long s, is an s in another case.
  if (((units[at + 1] ?? 0) & UNIT) === LONG_S) return at + 2;
  if (at + 2 >= end) return at;
  const second = lowerCased(units[at + 2] ?? 0);
  const isLonger = first === 0x6c ? second === 0x6c : (first === 0x76 || first === 0x72) && second === 0x65;
  return isLonger ? at + 3 : at;
}

const LONG_S = 0x17f;

function lowerCased(unit: number): number {
  return (unit & UNIT) | 0x20;
}

function numberEnd(units: ClassifiedUnits, at: number, end: number): number {
  let next = at;
  for (let digits = 0; digits < 3 && next < end && (units[next] ?? 0) & NUMBER; digits++) {
    next = characterEnd(units, next, end);
  }
  return next;
}

/** The end of the first piece of the blanks [at, blanksEnd): behind the last newline, else before the last blank. */
function blankPieceEnd(units: ClassifiedUnits, at: number, blanksEnd: number, end: number): number {
  for (let next = blanksEnd; next > at; next--) {
    if ((units[next - 1] ?? 0) & NEWLINE) return next;
  }
  return blanksEnd === end || blanksEnd - at === 1 ? blanksEnd : blanksEnd - 1;
}
