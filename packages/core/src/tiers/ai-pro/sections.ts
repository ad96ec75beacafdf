// Which chunks one question is about: sections of neighbours, about equally long, which end where the document's own
// parts do.
import type { Cut } from '../../cut.ts';

/** A stretch of chunks [first, end). */
export interface Section {
  readonly first: number;
  readonly end: number;
}

/** Chunks of the length that they are drawn to in one question: with these, most questions are about 8 to 16. */
const CHUNKS = 10;
const MOST_CHUNKS = 16;
/** A section is no longer than this in UTF-16 units, unless it is one chunk: answers about more get worse. */
const LONGEST = 20_000;
/** A section may be so much shorter or longer for the sake of a better end. */
const [SHORTEST_SHARE, LONGEST_SHARE] = [0.75, 1.25] as const;

/** How long a section is about, in UTF-16 units, when chunks are drawn to `target` of them. */
export function sectionLength(target: number): number {
  return Math.min(LONGEST, CHUNKS * target);
}

/**
 * Sections of chunks. How many there are follows from the length of the text rather than from how many chunks it has,
 * so that it can be foreseen before anybody has cut it.
 */
export function sectionsOf(cuts: readonly Cut[], length: number): Section[] {
  const sections: Section[] = [];
  const lengthOf = (from: number, to: number): number => (cuts[to]?.end ?? 0) - (cuts[from]?.start ?? 0);
  for (let first = 0; first < cuts.length;) {
    let [end, best] = [first + 1, -Infinity];
    for (let last = first; last < Math.min(cuts.length, first + MOST_CHUNKS); last++) {
      const reach = lengthOf(first, last);
      if (last > first && reach > LONGEST_SHARE * length) break;
      const isLast = last === cuts.length - 1;
      if (reach < SHORTEST_SHARE * length && !isLast) {
        end = last + 1;
        continue;
      }
      const score = isLast ? Infinity : gapScore(cuts[last], cuts[last + 1]) - Math.abs(reach / length - 1);
      if (score > best) [end, best] = [last + 1, score];
    }
    sections.push({ first, end });
    first = end;
  }
  return sections;
}

/** How well a section ends between two chunks: better the fewer headings both stand under. */
function gapScore(one: Cut | undefined, other: Cut | undefined): number {
  const [before = [], after = []] = [one?.headingPath, other?.headingPath];
  let common = 0;
  while (common < before.length && before[common] === after[common]) common++;
  const isSame = common === before.length && common === after.length;
  return isSame ? 0 : 1 / (1 + common);
}
