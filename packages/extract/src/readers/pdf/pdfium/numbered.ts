// The numbers of lines of code, which are set in a font of their own, often smaller.
import type { Word } from './words.ts';

/** The number of a line of code is smaller than the code, to this share or less. */
const SMALL = 0.9;
/** Larger ones, no larger than the code, prove each other where so many count. Fewer may be names of rows. */
const LEAST_COUNTED = 8;
/** Numbers are as large as the code up to this share, and their right edges are as close as this, in points. */
const SAME_SIZE = 1.05;
const SAME_EDGE = 1.5;

/** The words of a line of code, with its line number as a word of the code in spite of another font. */
export function withNumber(words: readonly Word[], counted: ReadonlySet<Word>): readonly Word[] {
  const [number, code] = words;
  if (number?.isNumber !== true || !code?.font.isFixedPitch) return words;
  if (number.size > SMALL * code.size && !counted.has(number)) return words;
  return [{ ...number, font: code.font }, ...words.slice(1)];
}

/** The numbers before lines of nothing but code, as large as the code, that count one by one down a page. Linear. */
export function countedNumbers(
  lines: readonly { readonly words: readonly Word[] }[],
  characters: string,
): Set<Word> {
  const counted = new Set<Word>();
  let run: readonly { readonly word: Word; readonly value: number }[] = [];
  for (const { words } of lines) {
    const [number, ...code] = words;
    if (number?.isNumber !== true || !isCode(number, code)) continue;
    const value = Number.parseInt(characters.slice(number.start, number.start + number.length), 10);
    const before = run.at(-1);
    const goesOn = before?.value === value - 1 && Math.abs(before.word.right - number.right) <= SAME_EDGE;
    run = [...(goesOn ? run.slice(1 - LEAST_COUNTED) : []), { word: number, value }];
    if (run.length === LEAST_COUNTED) for (const { word } of run) counted.add(word);
  }
  return counted;
}

/** True for words in a fixed pitch alone, in no smaller type than the number before them. An empty line has none. */
function isCode(number: Word, code: readonly Word[]): boolean {
  return code.every(({ font, size }) => font.isFixedPitch && number.size <= SAME_SIZE * size);
}
