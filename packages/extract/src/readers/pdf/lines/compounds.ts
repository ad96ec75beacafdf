// Hyphens at line ends that belong to their word: those of a document whose program divides no words, and those of
// compounds that the document writes elsewhere within a line.
import type { PageCharacters } from './text.ts';

/** A line that ends in a hyphen, above one that begins with a small letter; and one that ends in another way. */
const HYPHEN_END = /((?:\p{L}+[-\u2010])*\p{L}+)(?:\uFFFE(?:\r?\n)?|[-\u2010]\r?\n)(\p{Ll}+)/gu;
const PLAIN_END = /\p{L},?[ ]?\r?\n(?=\p{Ll})/gu;
const WORD = /\p{L}+(?:[-\u2010]\p{L}+)*/gu;

/** So many lines that go on with a small letter show if a document divides words. */
const LEAST_LINES = 20;
/** A program that divides words ends a larger share of such lines with a hyphen. */
const FEW = 0.05;
/** And so large a share of the divided words stands elsewhere in the document without a hyphen. */
const PROVED = 0.25;

interface Division {
  readonly page: number;
  /** Offset of the hyphen. */
  readonly at: number;
  readonly joined: string;
  readonly compound: string;
}

/** The pages with the offsets of the hyphens at line ends that belong to their word. Linear. */
export function withCompounds<Page extends PageCharacters>(
  pages: readonly (Page | undefined)[],
): readonly (Page | undefined)[] {
  const divisions = pages.flatMap((page, index) => divisionsOf(page?.characters ?? '', index));
  if (divisions.length === 0) return pages;
  const known = knownWords(pages, divisions);
  const proved = divisions.filter(({ joined }) => known.has(joined)).length;
  const plain = pages.reduce((sum, page) => sum + (page?.characters.match(PLAIN_END)?.length ?? 0), 0);
  const ends = plain + divisions.length;
  const dividesNone =
    ends >= LEAST_LINES && divisions.length <= FEW * ends && proved < PROVED * divisions.length;
  const compounds = new Map<number, Set<number>>();
  for (const { page, at, joined, compound } of divisions) {
    if (known.has(joined) || !(dividesNone || known.has(compound))) continue;
    compounds.set(page, (compounds.get(page) ?? new Set()).add(at));
  }
  return pages.map((page, index) => {
    const own = compounds.get(index);
    return page === undefined || own === undefined ? page : { ...page, compounds: own };
  });
}

function divisionsOf(characters: string, page: number): Division[] {
  return Array.from(characters.matchAll(HYPHEN_END), ({ 1: before = '', 2: after = '', index }) => ({
    page,
    at: index + before.length,
    joined: (before + after).toLowerCase(),
    compound: `${before}-${after}`.toLowerCase().replaceAll('\u2010', '-'),
  }));
}

/** The words in question that stand within a line. */
function knownWords(
  pages: readonly (PageCharacters | undefined)[],
  divisions: readonly Division[],
): ReadonlySet<string> {
  const wanted = new Set(divisions.flatMap(({ joined, compound }) => [joined, compound]));
  const known = new Set<string>();
  for (const page of pages)
    for (const [word] of page?.characters.matchAll(WORD) ?? []) {
      const plain = word.toLowerCase().replaceAll('\u2010', '-');
      if (wanted.has(plain)) known.add(plain);
    }
  return known;
}
