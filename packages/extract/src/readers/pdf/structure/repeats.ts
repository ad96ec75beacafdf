// Headings that repeat: running heads, and the labels of boxes.
import { keyOf } from './outline.ts';
import { NUMBER, numberDepth, sectionNumber } from './sections.ts';

/** Most repetitions of one heading in a document, numbers aside; and as the first or last line of a page. */
const MAX_REPEATS = 3;
const MAX_REPEATS_AT_EDGE = 2;

/** A possible heading. */
interface Repeatable {
  readonly text: string;
  readonly size: number;
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

/** A text that repeats often is a running head or the label of a box ("TIP"), at any position. */
export function withoutRepeated<One extends Repeatable>(candidates: readonly One[]): One[] {
  const counts = new Map<string, number>();
  const keys = candidates.map(repetitionKey);
  const count = (key: string): void => {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  candidates.forEach(({ isAtEdge }, index) => {
    count(keys[index] ?? '');
    if (isAtEdge) count(`${keys[index] ?? ''} at edge`);
  });
  return candidates.filter(({ outlined }, index) => {
    const key = keys[index] ?? '';
    const isRare =
      (counts.get(key) ?? 0) <= MAX_REPEATS && (counts.get(`${key} at edge`) ?? 0) <= MAX_REPEATS_AT_EDGE;
    return outlined > 0 || isRare;
  });
}
