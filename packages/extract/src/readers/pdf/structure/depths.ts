// The depths of a document's headings.
import { mostFrequent } from '../pdfium/text-lines.ts';
import { CHAPTER, numberDepth } from './sections.ts';
import { isSameSize, type TextLine } from '../lines/text.ts';

/** The properties that decide the depth of a heading. */
interface HeadingStyle {
  readonly text: string;
  readonly size: number;
  readonly isLarge: boolean;
  readonly lines: readonly TextLine[];
  /** True if text of the body stands below it. */
  readonly hasText: boolean;
  /** True if any text stands below it, which is no part of a cover. */
  readonly hasSection: boolean;
  /** True if a title in another style stands below it, and above text. */
  readonly hasTitle: boolean;
  /** Depth by the outline; 0 when the heading is not in it. */
  readonly outlined: number;
}

/** Depths by style, the largest first; where sections are numbered, by their numbers. */
export function depthsOf(candidates: readonly HeadingStyle[]): number[] {
  return refine(candidates, ranksOf(candidates));
}

/**
 * The ranks of the headings' styles: by size, and of one size bold, capitals and upright type come first. A style
 * without text below its headings, as of a cover, has the rank of the one above it.
 */
function ranksOf(candidates: readonly HeadingStyle[]): number[] {
  const styles = amongNumbers(candidates, stylesOf(candidates));
  const texts = new Set(styles.filter((_, index) => candidates[index]?.hasText));
  const titled = twice(styles.filter((_, index) => candidates[index]?.hasTitle));
  const begun = twice(styles.filter((_, index) => candidates[index]?.hasSection));
  const ranks = new Map<number, number>();
  let [rank, above] = [0, 0];
  for (const style of [...new Set(styles)].sort((a, b) => a - b)) {
    const isSmaller = Math.floor(style / SIZE) > Math.floor(above / SIZE);
    if (rank === 0 || texts.has(style) || titled.has(style) || (isSmaller && begun.has(style))) rank++;
    ranks.set(style, rank);
    above = style;
  }
  return styles.map((style) => ranks.get(style) ?? 1);
}

/** The styles that occur twice and more. */
function twice(styles: readonly number[]): ReadonlySet<number> {
  return new Set(styles.filter((one, index) => styles.indexOf(one) !== index));
}

/**
 * The styles, where titles without numbers that are stronger than the first numbered ones and stand above none of
 * them are as strong as they: the titles of tables inside the sections.
 */
function amongNumbers(candidates: readonly HeadingStyle[], styles: readonly number[]): number[] {
  const numbered = new Map<number, number>();
  const above = new Set<number>();
  let next = 0;
  for (const [index, { text }] of [...candidates.entries()].reverse()) {
    const [number, style = 0] = [numberDepth(text), styles[index]];
    if (number === 1) numbered.set(style, (numbered.get(style) ?? 0) + 1);
    if (number === 0 && next === 1) above.add(style);
    next = number === 0 ? next : number;
  }
  const first = mostFrequent(numbered);
  return styles.map((style) => (style < first && !above.has(style) ? first : style));
}

/** Parts of a style's number: the size is worth most. */
const SIZE = 8;
const NOT_BOLD = 4;
const SMALL_LETTERS = 2;
const SLANTED = 1;

/** The style of each heading as a number, the strongest first. */
function stylesOf(candidates: readonly HeadingStyle[]): number[] {
  const sizes: number[] = [];
  for (const size of candidates.map((one) => one.size).sort((a, b) => b - a)) {
    const last = sizes.at(-1);
    if (last === undefined || !isSameSize(last, size)) sizes.push(size);
  }
  const types = candidates.map(({ size, lines: [line] }) => {
    const rank = sizes.findIndex((known) => isSameSize(known, size));
    return (
      SIZE * rank + (line?.isBold === true ? 0 : NOT_BOLD) + (ITALIC.test(line?.font ?? '') ? SLANTED : 0)
    );
  });
  const titles = candidates.map(({ text }, index) => ({ text, type: types[index] ?? 0 }));
  /** Types of numbered headings with small letters: "2 LRS" among them is an abbreviation, "CONTENTS" another title. */
  const mixed = new Set(
    titles.filter((one) => isNumbered(one) && !CAPITALS.test(one.text)).map(({ type }) => type),
  );
  const areCapitals = titles.map((one) => CAPITALS.test(one.text) && !mixed.has(one.type));
  const capitals = Map.groupBy(
    titles.filter((_, index) => areCapitals[index]),
    ({ type }) => type,
  );
  return titles.map(({ type }, index) => {
    const own = capitals.get(type) ?? [];
    const length = own.reduce((sum, one) => sum + one.text.length, 0);
    const areStyle = own.length > 1 && length >= LONG_CAPITALS * own.length;
    return type + (areStyle && areCapitals[index] !== true ? SMALL_LETTERS : 0);
  });
}

function isNumbered({ text }: Pick<HeadingStyle, 'text'>): boolean {
  return numberDepth(text) > 0;
}

const ITALIC = /ital|obli|slant|-it$|\b(?:cm|sf)(?:ti|sl|bxti|bxsl|bi|bl)\d/i;
export const CAPITALS = /^\P{Ll}*\p{Lu}{3}\P{Ll}*$/u;
/** Capitals are a style where they are no abbreviations: titles of so many characters on average. */
const LONG_CAPITALS = 7;

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
    if (outlinedBase > 0 && number > 0) return outlinedBase + number - 1;
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
