// Headings that repeat: running heads, and the labels of boxes.
import { keyOf } from './outline.ts';
import { isSameSize } from '../lines/text.ts';
import { NUMBER, numberDepth, sectionNumber } from './sections.ts';

/** Most repetitions of one heading in a document, numbers aside; and as the first or last line of a page. */
const MAX_REPEATS = 3;
const MAX_REPEATS_AT_EDGE = 2;
/** Titles of parts of sections begin a page by chance: more than this share of running heads do. */
const MAX_SHARE_AT_EDGE = 0.5;

/** A possible heading. */
interface Repeatable {
  readonly text: string;
  readonly size: number;
  /** As of `styleOf`. */
  readonly style: string;
  /** Above 0 when it is in the outline. */
  readonly outlined: number;
  /** True if it is the first or the last of its page. */
  readonly isAtEdge: boolean;
}

/**
 * The key of repeated headings: their text without figures, except the number of a section, and their size. A running
 * head is smaller than the title that it repeats.
 */
function repetitionKey({ text, size }: Repeatable): string {
  const number = numberDepth(text) > 1 ? sectionNumber(text) : '';
  const title = number === '' ? text : text.replace(NUMBER, '');
  return `${number} ${keyOf(title).replace(/\d+/g, '#')} ${Math.round(size)}`;
}

/**
 * A text that repeats often is a running head or the label of a box ("TIP"), at any position. It is the title of parts
 * of sections ("Description") when each is in a section of its own, others share their type, and few begin a page.
 */
export function withoutRepeated<One extends Repeatable>(candidates: readonly One[]): One[] {
  const keys = candidates.map(repetitionKey);
  const places = Map.groupBy(candidates.keys(), (index) => keys[index] ?? '');
  const types = Map.groupBy(keys.keys(), (index) => candidates[index]?.style ?? '');
  const larger = largerBefore(
    candidates,
    (index) => candidates[index]?.isAtEdge !== true || (places.get(keys[index] ?? '') ?? []).length === 1,
  );
  const often = new Set<string>();
  for (const [key, indexes] of places) {
    const atEdge = indexes.filter((index) => candidates[index]?.isAtEdge === true).length;
    if (indexes.length <= MAX_REPEATS && atEdge <= MAX_REPEATS_AT_EDGE) continue;
    const others = types.get(candidates[indexes[0] ?? 0]?.style ?? '') ?? [];
    const arePaired = others.some((index) => keys[index] !== key);
    const areInSections = atEdge <= MAX_SHARE_AT_EDGE * indexes.length && arePaired;
    const areApart = indexes.every((index, at) => (larger[index] ?? -1) > (indexes[at - 1] ?? -1));
    if (!areInSections || !areApart) often.add(key);
  }
  return candidates.filter(({ outlined }, index) => outlined > 0 || !often.has(keys[index] ?? ''));
}

/** The index of the last title of a section in larger type before each title; -1 without one. Linear. */
export function largerBefore(
  candidates: readonly Pick<Repeatable, 'size'>[],
  isSection: (index: number) => boolean,
): number[] {
  const open: number[] = [];
  return candidates.map(({ size }, index) => {
    const isLarger = (at: number): boolean => {
      const other = candidates[at]?.size ?? 0;
      return other > size && !isSameSize(other, size);
    };
    while (open.length > 0 && !isLarger(open.at(-1) ?? 0)) open.pop();
    const larger = open.at(-1) ?? -1;
    if (isSection(index)) open.push(index);
    return larger;
  });
}
