// The styles of a document's titles: a line that is doubted by itself is a heading where others in its style are.
import { isSameSize, type TextLine } from '../lines/text.ts';

/** Number of groups of lines in each style. */
export type StyleUses = Map<string, number>;

export function count(uses: StyleUses, style: string): void {
  uses.set(style, (uses.get(style) ?? 0) + 1);
}

/** The style of a title: its type, and if it has a number or a colon. */
export function styleOf(lines: readonly TextLine[]): string {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined) return '';
  return `${typeOf(first)}${NUMBERED.test(first.text) ? '1' : ''}${last.text.endsWith(':') ? ':' : ''}`;
}

const NUMBERED = /^\(?(?:\d{1,2}|[A-Z]|[IVX]{1,4})(?:\.\d{1,2})*[.)]?\s/;

/** The type of a line: size to the nearest half point, weight and font. */
export function typeOf({ size, isBold, font = '' }: TextLine): string {
  return `${Math.round(size * 2) / 2} ${String(isBold)} ${font} `;
}

/** True for a line in the size and weight of the running text. */
export function isText(
  { size, isBold }: TextLine,
  body: { readonly size: number; readonly isBold: boolean },
): boolean {
  return isSameSize(size, body.size) && (!isBold || body.isBold);
}

/** A possible title. */
interface Styled {
  readonly style: string;
  readonly hasText: boolean;
  readonly isDoubted: boolean;
  readonly isLarge: boolean;
  readonly lines: readonly TextLine[];
}

/** A style has so many titles; a style that is neither large nor bold has more. */
const LEAST = 2;
const LEAST_PLAIN = 3;
/** So many of the groups of lines in a style of titles are titles. */
const SHARE = 0.6;

/** Possible titles without the doubted ones in other styles. Those with text below them prove a style. */
export function inTitleStyles<One extends Styled>(candidates: readonly One[], uses: StyleUses): One[] {
  const titles: StyleUses = new Map();
  for (const { style, hasText, isDoubted } of candidates) if (!isDoubted || hasText) count(titles, style);
  return candidates.filter(({ style, hasText, isDoubted, isLarge, lines }) => {
    if (!isDoubted) return true;
    const isPlain = !isLarge && lines[0]?.isBold !== true;
    if (isPlain && !hasText) return false;
    const proofs = titles.get(style) ?? 0;
    return proofs >= (isPlain ? LEAST_PLAIN : LEAST) && proofs >= SHARE * (uses.get(style) ?? 0);
  });
}
