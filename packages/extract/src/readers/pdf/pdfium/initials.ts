// Initials: the first letter of a chapter or an article, several lines high, which PDFium has as a line of its own. It
// begins the word on its right.
import type { RawLine, TextPage, Word } from './words.ts';

/** A line of a page with its words. */
export interface ReadLine {
  readonly place: RawLine;
  readonly words: readonly Word[];
}

const CAPITAL = /^\p{Lu}$/u;
/** Capitals that are words themselves. */
const IS_WORD = /^[AEIOUYÀÉÓÖ]$/;
const WORDS = /\p{L}+/gu;
const TITLE_CASE = /^\p{Lu}\p{Ll}/u;
const FIRST_WORD = /^\p{L}+/u;

/** An initial is at least so many times as large as its text. */
const LARGER = 1.7;
/** Its text begins no further away than this many times the text's size. */
const APART = 1;
/** The height of capitals by the font size; how far its top is from that of its first line, in sizes of the text. */
const CAPITALS = 0.7;
const OFF_TOP = 0.5;
/** It stands on the baseline of one of so many lines, up to this many times the size of the text. */
const MOST_LINES = 6;
const OFF_LINE = 0.3;

/** Joins each initial of a page with the line that it begins; what stood between becomes void. Linear. */
export function withInitials(page: TextPage, lines: readonly ReadLine[]): readonly ReadLine[] {
  const initials = lines.map((_, at) => isInitial(page, lines, at));
  // Most pages have none.
  if (!initials.includes(true)) return lines;
  const known = new Map<string, number>();
  for (const [word] of page.characters.toLowerCase().matchAll(WORDS))
    known.set(word, (known.get(word) ?? 0) + 1);
  return lines.flatMap((line, at): ReadLine[] => {
    if (initials[at] === true) return [];
    const before = initials[at - 1] === true ? lines[at - 1] : undefined;
    const [[initial], [first]] = [before?.words ?? [], line.words];
    if (before === undefined || initial === undefined || first === undefined) return [line];
    const end = initial.start + initial.length;
    const letter = page.characters.slice(initial.start, end);
    const next = page.characters.slice(first.start, first.start + first.length);
    const isApart = isWord(letter, FIRST_WORD.exec(next)?.[0] ?? '', known);
    if (isApart) page.blankBreaks.push(end);
    for (let offset = end + Number(isApart); offset < first.start; offset++) page.voids.push(offset);
    const place = { ...line.place, start: before.place.start, index: before.place.index };
    return [{ place, words: [{ ...initial, baseline: first.baseline }, ...line.words] }];
  });
}

/** True if a line is a large capital beside the next ones, its top at that of the first, on the baseline of another. */
function isInitial({ characters }: TextPage, lines: readonly ReadLine[], at: number): boolean {
  const { words = [] } = lines[at] ?? {};
  const [[initial], first] = [words, lines[at + 1]?.words[0]];
  if (initial === undefined || words.length > 1 || first === undefined) return false;
  const { start, length, size, right, baseline } = initial;
  if (size < LARGER * first.size || first.quarterTurns !== initial.quarterTurns) return false;
  if (!CAPITAL.test(characters.slice(start, start + length))) return false;
  const isBeside = (word: Word): boolean =>
    word.left > right - OFF_TOP * first.size && word.left < right + APART * first.size;
  const top = baseline + CAPITALS * size - (first.baseline + CAPITALS * first.size);
  if (!isBeside(first) || Math.abs(top) > OFF_TOP * first.size) return false;
  return lines
    .slice(at + 2, at + MOST_LINES)
    .some(
      ({ words: [word] }) =>
        word !== undefined && isBeside(word) && Math.abs(word.baseline - baseline) < OFF_LINE * first.size,
    );
}

/**
 * True if a capital stands by itself: it is a word, and the page has the next one elsewhere; or it is the letter of an
 * index beside a word that begins with it, or has a capital as well. The page does not have the two as one.
 */
function isWord(capital: string, next: string, known: ReadonlyMap<string, number>): boolean {
  const count = (word: string): number => known.get(word.toLowerCase()) ?? 0;
  if (count(capital + next) > 0) return false;
  const isRepeated = next.length > 1 && next.startsWith(capital.toLowerCase());
  return (IS_WORD.test(capital) && count(next) > 1) || TITLE_CASE.test(next) || isRepeated;
}
