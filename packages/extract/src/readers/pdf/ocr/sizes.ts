// The type of words that OCR has read: size and baseline by the edges of their ink and the letters that they have.
import type { OcrWord } from '../../../ocr.ts';

/**
 * Heights of letters above their baseline and depths below it, as shares of the font size: means of common text fonts,
 * which differ by less than a tenth from each.
 */
const CAPITAL = 0.7;
const SMALL = 0.48;
const DEPTH = 0.21;

/** Letters that rise to the height of capitals or above it; all figures and brackets do. */
const TALL =
  /[\p{Lu}\p{N}bdfhklßþðtij()[\]{}|/\\!?&%$#@"'“”‘’\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** Letters of which a part stands below the baseline. */
const DEEP =
  /[gjpqyçµþ()[\]{}|/\\,;Q@$\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** Letters whose height is known at all; signs alone are not. */
const LETTER = /[\p{L}\p{N}]/u;

/** Size and baseline of a line, in pixels. */
export interface LineType {
  readonly size: number;
  /** Distance from the top of the picture. */
  readonly baseline: number;
}

/** The type of a line by its words. A word of small letters alone shows less than one with a tall letter. */
export function typeOfLine(words: readonly OcrWord[]): LineType {
  const measured = words.filter(({ text }) => LETTER.test(text));
  const tall = measured.filter(({ text }) => TALL.test(text));
  const shown = tall.length > 0 ? tall : measured.length > 0 ? measured : words;
  const size = weightedMedian(
    shown.map(({ text, top, bottom }) => ({
      value: (bottom - top) / ((TALL.test(text) ? CAPITAL : SMALL) + (DEEP.test(text) ? DEPTH : 0)),
      weight: text.length,
    })),
  );
  const baseline = weightedMedian(
    (measured.length > 0 ? measured : words).map(({ text, bottom }) => ({
      value: bottom - (DEEP.test(text) ? DEPTH * size : 0),
      weight: text.length,
    })),
  );
  return { size, baseline };
}

/** Sizes that differ by less than this share are one size, which ink has measured with an error. */
const SAME = 0.09;

/**
 * The sizes of a document: a function that gives each measured size its common one. The size of most letters takes all
 * within {@link SAME} of it, then the next one. Linear apart from sorting.
 *
 * @param lines sizes in points with the number of their letters
 */
export function commonSizes(lines: readonly Weighted[]): (size: number) => number {
  const counts = new Map<number, number>();
  for (const { value, weight } of lines) {
    const size = Math.round(value * 10) / 10;
    counts.set(size, (counts.get(size) ?? 0) + weight);
  }
  const common = new Map<number, number>();
  for (const [centre] of [...counts].sort(([, a], [, b]) => b - a)) {
    if (common.has(centre)) continue;
    const near = [...counts].filter(
      ([size]) => !common.has(size) && Math.abs(size - centre) <= SAME * centre,
    );
    const size = weightedMedian(near.map(([value, weight]) => ({ value, weight })));
    for (const [member] of near) common.set(member, size);
  }
  return (size) => common.get(Math.round(size * 10) / 10) ?? size;
}

interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/** The value in the middle of the weight; 0 for none. */
function weightedMedian(entries: readonly Weighted[]): number {
  const sorted = [...entries].sort((a, b) => a.value - b.value);
  let rest = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  for (const { value, weight } of sorted) {
    rest -= weight;
    if (rest <= 0) return value;
  }
  return sorted.at(-1)?.value ?? 0;
}
