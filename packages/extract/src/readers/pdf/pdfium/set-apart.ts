// Letters of a word that are set apart ("R E P O R T"): the blanks between them part nothing.
import { isAdded } from './blanks.ts';
import { gapBetween, WIDE_GAP, type TextPage, type Word } from './words.ts';

/** Fewest letters: three are initials or variables. Small ones are variables of formulas in lists of four, too. */
const LEAST = 4;
const LEAST_SMALL = 5;
/** Gaps within a word differ from their median by less than this many times the font size. */
const UNEVEN = 0.22;
/** A gap this many times as wide as the median, and wider by the above, parts two words. */
const BETWEEN_WORDS = 1.5;
/** Gaps of one text in a line differ by less than this many times the font size. */
const SAME_GAP = 0.08;

const LETTERS = /^\p{L}+$/u;
const CAPITALS = /^\p{Lu}+$/u;
const SMALL = /^\p{Lu}?\p{Ll}+$/u;
const CASELESS = /^\p{Lo}+$/u;
const LATIN = /^\p{Script=Latin}+$/u;
const VOWEL = /[aeiou]/gi;
/** Latin words have one vowel in so many letters. */
const PER_VOWEL = 5;
/** So many letters of a word have a different one among them; labels repeat. */
const DIFFERENT = 2;
/** Capitals that PDFium has not parted are pieces of up to so many letters, among at least so many times as many. */
const PIECE = 3;
const SINGLE = 0.6;

/** The offsets of the blanks between letters of one word, in the words of a line. Linear. */
export function blanksSetApart(page: TextPage, words: readonly Word[]): number[] {
  const { characters } = page;
  const blanks: number[] = [];
  for (let at = 0; at < words.length; at++) {
    const run = [words[at]].filter((word) => word !== undefined);
    if (!isPiece(run[0], characters)) continue;
    for (let next = words[at + 1]; goesOn(run.at(-1), next, characters); next = words[at + run.length])
      run.push(next);
    const [before, after] = [words[at - 1], words[at + run.length]];
    at += run.length - 1;
    const single = run.filter(({ length }) => length === 1).length;
    if (single < LEAST || single < SINGLE * run.length) continue;
    const middle = middleGap(run);
    const isInText = isAsFar(before, run[0], middle) || isAsFar(run.at(-1), after, middle);
    // The file has the blanks of a list in a text, and not those of letters that it sets apart there.
    if (isInText && isWritten(page, run[1])) continue;
    for (const word of wordsIn(run, middle))
      if (isWord(word.map(({ start, length }) => characters.slice(start, start + length))))
        for (const { start } of word.slice(1)) blanks.push(start - 1);
  }
  return blanks;
}

/** True for a letter, and for capitals without a blank between them. */
function isPiece(word: Word | undefined, characters: string): word is Word {
  if (word === undefined || word.length > PIECE) return false;
  const letters = characters.slice(word.start, word.start + word.length);
  return (word.length === 1 ? LETTERS : CAPITALS).test(letters);
}

/** True if a piece stands a blank behind another, in the same line. */
function goesOn(before: Word | undefined, word: Word | undefined, characters: string): word is Word {
  if (before === undefined || !isPiece(word, characters)) return false;
  const gap = gapBetween(before, word);
  const isNext = word.start === before.start + before.length + 1;
  return isNext && gap > 0 && gap < WIDE_GAP * Math.max(before.size, word.size);
}

/** The median of the gaps between some letters. */
function middleGap(run: readonly Word[]): number {
  const gaps = run.slice(1).map((word, at) => gapBetween(run[at] ?? word, word));
  return gaps.sort((a, b) => a - b)[gaps.length >> 1] ?? 0;
}

/** True if two words of a line are as far from each other as some letters. */
function isAsFar(before: Word | undefined, word: Word | undefined, middle: number): boolean {
  if (before === undefined || word === undefined) return false;
  const gap = gapBetween(before, word);
  return gap > 0 && Math.abs(gap - middle) < SAME_GAP * word.size;
}

/** True if the file has the blank before a word. */
function isWritten(page: TextPage, word: Word | undefined): boolean {
  if (word === undefined) return false;
  return !isAdded(page, page.pdfium.call.FPDFText_GetCharIndexFromTextIndex(page.text, word.start - 1));
}

/** The words in a run of letters, which wider gaps than the median part. */
function wordsIn(run: readonly Word[], middle: number): Word[][] {
  const words: Word[][] = [];
  run.forEach((word, at) => {
    const before = run[at - 1];
    const gap = before === undefined ? Infinity : gapBetween(before, word);
    const isWide = gap > BETWEEN_WORDS * middle && gap - middle > UNEVEN * word.size;
    if (isWide) words.push([]);
    words.at(-1)?.push(word);
  });
  return words;
}

/** True if letters make a word, and are no list of letters, marks or variables. */
function isWord(pieces: readonly string[]): boolean {
  const word = pieces.join('');
  const letters = Array.from(word);
  if (letters.length < (SMALL.test(word) ? LEAST_SMALL : LEAST)) return false;
  if (![CAPITALS, SMALL, CASELESS].some((kind) => kind.test(word))) return false;
  if (LATIN.test(word)) {
    const vowels = word.normalize('NFD').match(VOWEL)?.length ?? 0;
    if (vowels * PER_VOWEL < letters.length) return false;
  }
  const isCounting = letters.slice(1).every((letter, at) => letter > (letters[at] ?? ''));
  return !isCounting && new Set(letters).size * DIFFERENT >= letters.length;
}
