// The chunks of one request: sections of neighbouring chunks, about equally long, that end where parts of the document
// end.
import type { Cut } from '../../cut.ts';

/** A stretch of chunks [first, end). */
export interface ChunkSection {
  readonly first: number;
  readonly end: number;
}

/** Number of chunks of target length in one section; most requests are then about 8 to 16 chunks. */
const CHUNKS = 10;
const MOST_CHUNKS = 16;
/** Most UTF-16 units of a section, unless it is a single chunk: answers about more text get worse. */
const LONGEST = 20_000;
/** A section may be shorter or longer by these shares to end at a better place. */
const [SHORTEST_SHARE, LONGEST_SHARE] = [0.75, 1.25] as const;

/** The usual length of a section in UTF-16 units, for chunks with this target length. */
export function sectionLength(target: number): number {
  return Math.min(LONGEST, CHUNKS * target);
}

/**
 * Groups chunks into sections. Their number follows from the length of the text, not from the number of chunks, so that
 * it can be estimated before the text is cut.
 */
export function sectionsOf(cuts: readonly Cut[], length: number): ChunkSection[] {
  const sections: ChunkSection[] = [];
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

/** The quality of a section's end between two chunks: the fewer headings stand above both, the better. */
function gapScore(one: Cut | undefined, other: Cut | undefined): number {
  const [before = [], after = []] = [one?.headingPath, other?.headingPath];
  let common = 0;
  while (common < before.length && before[common] === after[common]) common++;
  const isSame = common === before.length && common === after.length;
  return isSame ? 0 : 1 / (1 + common);
}
