// The lengths of the chunks: a histogram and its figures.
import { countOf, type CutTable, spanOf } from './cut-table.ts';

/** One bar: chunks from `least` up to below `below` characters. */
export interface Bar {
  readonly least: number;
  readonly below: number;
  readonly count: number;
}

/** Lengths of some chunks, in UTF-16 units of their own text. */
export interface Sizes {
  readonly bars: readonly Bar[];
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

/** The histogram, from 0 to at least `size`, in bars of one width. */
export function sizesOf(cuts: CutTable, size: number, barCount = 20): Sizes {
  const lengths = Array.from({ length: countOf(cuts) }, (_, index) => {
    const { start, end } = spanOf(cuts, index);
    return end - start;
  }).sort((a, b) => a - b);
  const most = lengths.at(-1) ?? 0;
  const width = Math.max(1, Math.ceil((Math.max(size, most) + 1) / barCount));
  const counts = Array.from({ length: barCount }, () => 0);
  for (const length of lengths) {
    const bar = Math.floor(length / width);
    counts[bar] = (counts[bar] ?? 0) + 1;
  }
  return {
    bars: counts.map((count, bar) => ({ least: bar * width, below: (bar + 1) * width, count })),
    least: lengths[0] ?? 0,
    median: lengths[Math.floor((lengths.length - 1) / 2)] ?? 0,
    most,
  };
}

/** Round values of a scale from 0 to at most `most`, about `count` steps apart. */
export function scaleOf(most: number, count: number): number[] {
  const rough = Math.max(1, most) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const steps = [1, 2, 2.5, 5, 10].map((factor) => factor * power);
  const step = Math.max(1, steps.find((value) => Number.isInteger(value) && value >= rough) ?? 1);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
}
