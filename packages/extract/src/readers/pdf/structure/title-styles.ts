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

/** True for a line of code below other text. */
export function isCode({ isFixedPitch, size }: TextLine, body: { readonly size: number }): boolean {
  return isFixedPitch && size < body.size;
}

/** A possible title. */
interface Styled {
  readonly style: string;
  /** True if text of the body or a table stands below it. */
  readonly hasText: boolean;
  /** True if a title in another style stands below it, and above text. */
  readonly hasTitle: boolean;
  /** The line below it. */
  readonly after: TextLine | undefined;
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
  const titled = withTitles(candidates);
  for (const { style, hasText, hasTitle, isDoubted } of titled)
    if (!isDoubted || hasText || hasTitle) count(titles, style);
  const found = titled.filter(({ style, hasText, hasTitle, isDoubted, isLarge, lines }) => {
    if (!isDoubted) return true;
    const isPlain = !isLarge && lines[0]?.isBold !== true;
    if (isPlain && !hasText && !hasTitle) return false;
    const proofs = titles.get(style) ?? 0;
    return proofs >= (isPlain ? LEAST_PLAIN : LEAST) && proofs >= SHARE * (uses.get(style) ?? 0);
  });
  return withTitles(found.map((one) => ({ ...one, isDoubted: false })));
}

/** The candidates with the titles below them that are not doubted. */
function withTitles<One extends Styled>(candidates: readonly One[]): One[] {
  /** Styles of the titles above text by their first lines. */
  const below = new Map<TextLine | undefined, string>();
  return candidates
    .toReversed()
    .map((one) => {
      const style = one.after && below.get(one.after);
      const hasTitle = style !== undefined && style !== one.style;
      if ((one.hasText || hasTitle) && !one.isDoubted) below.set(one.lines[0], one.style);
      return { ...one, hasTitle };
    })
    .toReversed();
}
