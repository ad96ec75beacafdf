// Words that a page does not show: those outside its box, and invisible ones beside visible text. The invisible text of
// a scan stays: it is all the text of its page, or stands on a picture.
import { withBuffer, type Pdfium } from './engine.ts';
import type { Shape } from './rules.ts';
import type { Scratch } from './scratch.ts';

/** A word as far as it concerns its being seen. */
interface Placed {
  readonly left: number;
  readonly baseline: number;
  readonly size: number;
  readonly length: number;
  readonly isOutside: boolean;
  readonly isInvisible: boolean;
}

/** The box of a page that is shown, before the page is turned; `undefined` when it has none. */
export function boxOfPage(pdfium: Pdfium, page: number): Shape | undefined {
  return withBuffer(pdfium, 4 * Float32Array.BYTES_PER_ELEMENT, (buffer) => {
    if (!pdfium.call.FPDF_GetPageBoundingBox(page, buffer)) return undefined;
    const bytes = pdfium.view(buffer, 4 * Float32Array.BYTES_PER_ELEMENT).slice();
    const [left = 0, top = 0, right = 0, bottom = 0] = new Float32Array(bytes.buffer);
    return right > left && top > bottom ? { left, bottom, right, top } : undefined;
  });
}

/** True if the character whose box was read last lies wholly outside the page. */
export function isOutside({ doubles }: Scratch, box: Shape | undefined): boolean {
  if (box === undefined) return false;
  // By index, because destructuring would iterate: this runs twice a word.
  const isBeside = (doubles[1] ?? 0) < box.left || (doubles[0] ?? 0) > box.right;
  return isBeside || (doubles[3] ?? 0) < box.bottom || (doubles[2] ?? 0) > box.top;
}

/** The words that the page does not show. Linear in the words, for some hundred pictures. */
export function unseenWords<Word extends Placed>(
  words: readonly Word[],
  pictures: readonly Shape[],
): ReadonlySet<Word> {
  const outside = words.filter((word) => word.isOutside);
  const invisible = words.filter((word) => word.isInvisible && !word.isOutside);
  const seen = lengthOf(words) - lengthOf(outside) - lengthOf(invisible);
  const unseen = new Set<Word>(outside.length < words.length ? outside : []);
  if (lengthOf(invisible) < seen)
    for (const word of invisible) if (!pictures.some((picture) => isOn(word, picture))) unseen.add(word);
  return unseen;
}

function lengthOf(words: readonly Placed[]): number {
  return words.reduce((sum, { length }) => sum + length, 0);
}

/** True if a word begins on a picture. */
function isOn({ left, baseline, size }: Placed, picture: Shape): boolean {
  const [x, y] = [left + size / 4, baseline + size / 4];
  return x > picture.left && x < picture.right && y > picture.bottom && y < picture.top;
}
