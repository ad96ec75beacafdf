// Letters further apart than their font has them, and letters in a pitch that is not their font's: PDFium parts words
// there where a letter is narrow ("g i t cl o n e"). The other letters of the line, and the blanks that the file has,
// show which gaps part nothing.
import { isAdded, originOf } from './blanks.ts';
import type { TextPage, Word } from './words.ts';

/** Words parted so have pieces of so many letters beside each other. */
const PIECE = /^\p{L}{1,2}[.,;:]?$/u;
/** So many pairs of characters of a line are measured. */
const MEASURED = 24;
/** Fewest pairs that show a distance or a pitch, and the share of those measured. */
const LEAST_APART = 2;
const LEAST_PITCH = 5;
const SHARE = 0.7;
/** Smaller distances between letters are kerning; equal ones differ by less. Both are shares of the size. */
const KERNING = 0.03;
const SAME = 0.05;
/** Pitches are those of typewriters, equal to a share of their width, and of letters as different as this. */
const WIDEST_PITCH = 0.75;
const SAME_PITCH = 0.03;
const DIFFERENT = 0.15;

/** A character and the next one of its line, in points. */
interface Pair {
  /** The distance from the end of the one, with its white space, to the begin of the other. */
  readonly apart: number;
  /** The distance from begin to begin. */
  readonly advance: number;
}

/** The offsets of the blanks that part no words, in the words of a level line. Linear; most lines take no call. */
export function blanksInWords(page: TextPage, words: readonly Word[]): number[] {
  const tried = addedBetweenPieces(page, words);
  if (tried === undefined) return [];
  const gap = pairAt(page, tried.start - 2, tried.start);
  if (!mayPartNothing(page, words, gap, tried.size)) return [];
  const parts = partsNothingBy(page, words, tried.size);
  if (parts?.(gap) !== true) return [];
  return words.flatMap(({ start }, at) =>
    isAddedBefore(page, words, at) && parts(pairAt(page, start - 2, start)) ? [start - 1] : [],
  );
}

/** The first word that is a piece, or stands behind one, with a blank of PDFium between them. */
function addedBetweenPieces(page: TextPage, words: readonly Word[]): Word | undefined {
  let isPiece = false;
  for (const [at, word] of words.entries()) {
    const wasPiece = isPiece;
    isPiece = word.quarterTurns === 0 && isPieceOf(page, word);
    // Where the file has blanks, an added one says more.
    const isLikely = page.blanks.written > 0 ? isPiece || wasPiece : isPiece && wasPiece;
    if (isLikely && isAddedBefore(page, words, at)) return word;
  }
  return undefined;
}

function isPieceOf({ characters }: TextPage, { start, length }: Word): boolean {
  return length <= 3 && PIECE.test(characters.slice(start, start + length));
}

/** True if one blank stands before a word, and PDFium has added it. */
function isAddedBefore(page: TextPage, words: readonly Word[], at: number): boolean {
  const [before, word] = [words[at - 1], words[at]];
  if (before === undefined || word?.start !== before.start + before.length + 1) return false;
  return isAdded(page, indexAt(page, word.start - 1));
}

function indexAt({ pdfium, text }: TextPage, offset: number): number {
  return pdfium.call.FPDFText_GetCharIndexFromTextIndex(text, offset);
}

function pairAt(page: TextPage, before: number, next: number): Pair {
  const [one, other] = [indexAt(page, before), indexAt(page, next)];
  const [from] = originOf(page, one);
  const [to] = originOf(page, other);
  return { apart: to - endOf(page, one), advance: to - from };
}

/** The end of a character with the white space that its font gives it. */
function endOf({ pdfium, text, scratch }: TextPage, index: number): number {
  const found = pdfium.call.FPDFText_GetLooseCharBox(text, index, scratch.pointer);
  return found ? (scratch.floats[2] ?? NaN) : NaN;
}

/** True if a gap may be one between letters, by the first two of a word: most lines end here. */
function mayPartNothing(page: TextPage, words: readonly Word[], gap: Pair, size: number): boolean {
  const word = words.find(({ length }) => length > 1);
  if (word === undefined) return true;
  const { apart, advance } = pairAt(page, word.start, word.start + 1);
  return gap.apart < apart + 2 * SAME * size || Math.abs(gap.advance - advance) < SAME_PITCH * size;
}

/** Decides by the letters of a line if a gap is one between letters; `undefined` if they show nothing. */
function partsNothingBy(
  page: TextPage,
  words: readonly Word[],
  size: number,
): ((gap: Pair) => boolean) | undefined {
  const within: Pair[] = [];
  const added: Pair[] = [];
  for (const [at, { start, length }] of words.entries()) {
    if (within.length + added.length >= MEASURED) break;
    const before = words[at - 1];
    if (before !== undefined && before.start + before.length + 1 === start) {
      if (isAddedBefore(page, words, at)) added.push(pairAt(page, start - 2, start));
      // The blank of the file is as far from the letter before it as any letter.
      else within.push(pairAt(page, start - 2, start - 1));
    }
    for (let offset = start + 1; offset < start + Math.min(length, MEASURED); offset++)
      within.push(pairAt(page, offset - 1, offset));
  }
  const all = [...within, ...added];
  const apart = commonOf(
    all.map((pair) => pair.apart),
    LEAST_APART,
    SAME * size,
  );
  // Lines without any other letters or blanks are set as the one before.
  const same = within.filter((pair) => isSame(pair.apart, apart, size)).length;
  const isProven = within.length === 0 ? isSame(page.tracking, apart, size) : same >= within.length / 2;
  if (apart !== undefined && apart > KERNING * size && isProven) {
    page.tracking = apart;
    // Kerning may bring two letters closer together.
    return (gap) => gap.apart < apart + SAME * size;
  }
  const pitch = commonOf(
    all.map(({ advance }) => advance),
    LEAST_PITCH,
    SAME_PITCH * size,
  );
  if (pitch === undefined || pitch > WIDEST_PITCH * size) return undefined;
  const rests = all
    .filter(({ advance }) => Math.abs(advance - pitch) < SAME_PITCH * size)
    .map((pair) => pair.apart);
  if (Math.max(...rests) - Math.min(...rests) < DIFFERENT * size) return undefined;
  return (gap) => Math.abs(gap.advance - pitch) < SAME_PITCH * size;
}

function isSame(value: number | undefined, other: number | undefined, size: number): boolean {
  return value !== undefined && other !== undefined && Math.abs(value - other) < SAME * size;
}

/** The median of some values, if enough of them, and most, are as large. */
function commonOf(values: readonly number[], least: number, same: number): number | undefined {
  const middle = values.toSorted((a, b) => a - b)[values.length >> 1];
  if (middle === undefined) return undefined;
  const equal = values.filter((value) => Math.abs(value - middle) < same).length;
  return equal >= least && equal >= SHARE * values.length ? middle : undefined;
}
