// Accents that are drawn apart from their letters, as in the first fonts of TeX: the accent comes first, then the
// letter below it (Knuth, The TeXbook, chapter 9). PDFium returns the two as separate characters; this file joins them.
import { withBuffer, type Pdfium } from './engine.ts';

/** Spacing accents, and Unicode's combining marks for letters. */
const ABOVE: Readonly<Record<string, string>> = {
  '`': '\u0300',
  '´': '\u0301',
  ˆ: '\u0302',
  '˜': '\u0303',
  '¯': '\u0304',
  '˘': '\u0306',
  '˙': '\u0307',
  '¨': '\u0308',
  '˚': '\u030A',
  '˝': '\u030B',
  ˇ: '\u030C',
};
const BELOW: Readonly<Record<string, string>> = { '¸': '\u0327', '˛': '\u0328' };
const ACCENT = /[`´ˆ˜¯˘˙¨˚˝ˇ¸˛]/g;
const LETTER = /[A-Za-zıȷ]/;
/** Letters that lose their dots below an accent. */
const DOTLESS: Readonly<Record<string, string>> = { ı: 'i', ȷ: 'j' };

/** The placeholder for removed characters, which keeps offsets. */
export const LEFT_OUT = '\x7f';

/** Most accents of a page to join. A full page of Czech or Vietnamese has hundreds. */
const MAX_ACCENTS = 2000;
/**
 * The search for a letter covers so many characters around an accent: some programs show all the accents of a line
 * behind it.
 */
const REACH = 120;

/** A page while its accents are joined. */
interface Page {
  readonly pdfium: Pdfium;
  readonly text: number;
  readonly buffer: number;
  /** By UTF-16 code units. */
  readonly characters: string[];
  /** Edges of letters, read once each for any number of accents around them. */
  readonly letters: (Box | undefined)[];
}

/** The edges of a character. */
interface Box {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

/**
 * The characters of a page, as many as before, with accents and letters joined where they stand above each other.
 * Linear.
 */
export function joinAccents(pdfium: Pdfium, text: number, characters: string): string {
  const accents = Array.from(characters.matchAll(ACCENT)).slice(0, MAX_ACCENTS);
  // Most pages have none.
  if (accents.length === 0) return characters;
  return withBuffer(pdfium, 4 * Float64Array.BYTES_PER_ELEMENT, (buffer) => {
    const page: Page = { pdfium, text, buffer, characters: characters.split(''), letters: [] };
    for (const { index, 0: accent } of accents) joinAccent(page, index, accent);
    return page.characters.join('');
  });
}

function joinAccent(page: Page, at: number, accent: string): void {
  const box = boxAt(page, at);
  for (let distance = 1; distance <= REACH; distance++)
    if (joinTo(page, at, at + distance, box, accent) || joinTo(page, at, at - distance, box, accent)) return;
}

/** Joins an accent with the character at `letter`, if that is a letter and below or above the accent. */
function joinTo(page: Page, at: number, letter: number, box: Box, accent: string): boolean {
  if (letter < 0 || !isAt(box, letterAt(page, letter), accent)) return false;
  const { characters } = page;
  const one = compose(characters[letter] ?? '', accent);
  if (one === undefined) return false;
  characters[letter] = one;
  characters[at] = LEFT_OUT;
  page.letters[letter] = NOWHERE;
  leaveOutBlanks(page, at, letter);
  return true;
}

/** Removes PDFium's additions around an accent that stands where its stream has it: blanks, and the end of a line. */
function leaveOutBlanks(page: Page, at: number, letter: number): void {
  const { characters } = page;
  const isEmpty = (offset: number): boolean => characters[offset] === LEFT_OUT || isGenerated(page, offset);
  let [from, to] = [at, at + 1];
  while (isEmpty(from - 1)) from--;
  while (isEmpty(to)) to++;
  if (isBeside(boxAt(page, from - 1), boxAt(page, to))) characters.fill(LEFT_OUT, from, to);
  else if (letter === to) characters.fill(LEFT_OUT, at, to);
  else if (to > at + 1) characters.fill(LEFT_OUT, from, at);
}

function isGenerated({ pdfium: { call }, text, characters }: Page, offset: number): boolean {
  if (!/[ \r\n]/.test(characters[offset] ?? '')) return false;
  return call.FPDFText_IsGenerated(text, call.FPDFText_GetCharIndexFromTextIndex(text, offset)) === 1;
}

/** A letter with an accent as one character, if Unicode has it. */
function compose(letter: string, accent: string): string | undefined {
  const one = ((DOTLESS[letter] ?? letter) + (ABOVE[accent] ?? BELOW[accent] ?? '')).normalize('NFC');
  return one.length === 1 ? one : undefined;
}

/** An accent is no further from its letter than this share of the letter's height, and reaches no deeper into it. */
const APART = 0.6;

/** True if an accent stands right above a letter, or right below it. */
function isAt(accent: Box, letter: Box, sign: string): boolean {
  const middle = (accent.left + accent.right) / 2;
  if (!(middle > letter.left && middle < letter.right)) return false;
  const gap = sign in BELOW ? letter.bottom - accent.top : accent.bottom - letter.top;
  return Math.abs(gap) < APART * (letter.top - letter.bottom);
}

/** Letters of one word are no further apart than this share of their height. */
const WITHIN_WORD = 0.2;

function isBeside(before: Box, letter: Box): boolean {
  const height = letter.top - letter.bottom;
  const isLevel = before.bottom < letter.top && before.top > letter.bottom;
  return isLevel && Math.abs(letter.left - before.right) < WITHIN_WORD * height;
}

/** The edges of a letter; empty edges for any other character. */
function letterAt(page: Page, offset: number): Box {
  const known = page.letters[offset];
  if (known !== undefined) return known;
  const box = LETTER.test(page.characters[offset] ?? '') ? boxAt(page, offset) : NOWHERE;
  page.letters[offset] = box;
  return box;
}

const NOWHERE: Box = { left: 0, right: 0, bottom: 0, top: 0 };

function boxAt({ pdfium: { call, view }, text, buffer }: Page, offset: number): Box {
  const index = call.FPDFText_GetCharIndexFromTextIndex(text, offset);
  const found = call.FPDFText_GetCharBox(text, index, buffer, buffer + 8, buffer + 16, buffer + 24);
  if (!found) return NOWHERE;
  const [left = 0, right = 0, bottom = 0, top = 0] = new Float64Array(view(buffer, 32).slice().buffer);
  return { left, right, bottom, top };
}
