// The depths of a document's headings.
import { mostFrequent } from '../pdfium/text-lines.ts';
import { CHAPTER, numberDepth } from './sections.ts';
import { isSameSize } from '../lines/text.ts';

/** The properties that decide the depth of a heading. */
interface HeadingStyle {
  readonly text: string;
  readonly size: number;
  readonly isLarge: boolean;
  /** Depth by the outline; 0 when the heading is not in it. */
  readonly outlined: number;
}

/** Depths by size, the largest first, bold body type below all; where sections are numbered, by their numbers. */
export function depthsOf(candidates: readonly HeadingStyle[]): number[] {
  const sizes: number[] = [];
  for (const size of candidates.flatMap((one) => (one.isLarge ? [one.size] : [])).sort((a, b) => b - a)) {
    const last = sizes.at(-1);
    if (last === undefined || !isSameSize(last, size)) sizes.push(size);
  }
  const ranks = candidates.map(({ size, isLarge }) => {
    const rank = sizes.findIndex((known) => isSameSize(known, size));
    return 1 + (isLarge && rank !== -1 ? rank : sizes.length);
  });
  return refine(candidates, ranks);
}

/**
 * Headings of the first numbered kind keep their rank, deeper numbers go below; the outline takes precedence, also for
 * the numbers that it does not have. A first
 * heading in the type of the numbered ones, without a number, is the title above them. The number of a chapter is no
 * deeper than the title below it.
 */
function refine(candidates: readonly HeadingStyle[], ranks: readonly number[]): number[] {
  const top = new Map<number, number>();
  candidates.forEach(({ text }, index) => {
    const rank = ranks[index] ?? 1;
    if (numberDepth(text) === 1) top.set(rank, (top.get(rank) ?? 0) + 1);
  });
  const base = mostFrequent(top);
  const outlinedBase = mostFrequent(outlinedBases(candidates));
  const below = base > 0 && ranks[0] === base && numberDepth(candidates[0]?.text ?? '') === 0 ? 1 : 0;
  const depths = candidates.map(({ text, outlined }, index) => {
    const number = numberDepth(text);
    if (outlined > 0) return outlined;
    if (outlinedBase > 0 && number > 1) return outlinedBase + number - 1;
    const rank = base > 0 && number > 1 ? base + number - 1 : (ranks[index] ?? 1);
    return index === 0 ? rank : rank + below;
  });
  return depths.map((depth, index) => {
    const isLabel = CHAPTER.test(candidates[index]?.text ?? '');
    return isLabel ? Math.min(depth, depths[index + 1] ?? depth) : depth;
  });
}

/** How often the outline gives each depth to the headings of the first numbered kind, by all kinds. */
function outlinedBases(candidates: readonly HeadingStyle[]): Map<number, number> {
  const bases = new Map<number, number>();
  for (const { text, outlined } of candidates) {
    const number = numberDepth(text);
    const base = outlined - number + 1;
    if (outlined > 0 && number > 0) bases.set(base, (bases.get(base) ?? 0) + 1);
  }
  return bases;
}
