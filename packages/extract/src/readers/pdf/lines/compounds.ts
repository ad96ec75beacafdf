// Hyphens at line ends that belong to their word: those of a document whose program divides no words, and those of
// compounds that the document writes elsewhere within a line.
import { SMALL_LETTER, type PageCharacters } from './text.ts';

const HYPHEN_END = /[-\u2010]\r?\n|\uFFFE/g;
const LETTERS_BEFORE = /(?:\p{L}+[-\u2010])*\p{L}+$/u;
const LETTERS_AFTER = /\s*(\p{Ll}\p{L}*)/uy;
const WORD_END = /[\p{L},] ?\r?$/u;

/** So many lines that go on with a small letter show if a document divides words. */
const LEAST_LINES = 20;
/** A program that divides words ends a larger share of such lines with a hyphen. */
const FEW = 0.05;
/** And so large a share of the divided words stands elsewhere in the document without a hyphen. */
const PROVED = 0.25;
/** Most divided words that are searched for. */
const SAMPLE = 16;
/** Longest word that is read before a hyphen. */
const MAX_WORD = 40;

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
  const texts = pages.map((page) => page?.characters ?? '');
  const divisions = texts.flatMap(divisionsOf);
  if (divisions.length === 0) return pages;
  const ends = texts.reduce((sum, text) => sum + plainEnds(text), divisions.length);
  const isFew = ends >= LEAST_LINES && divisions.length <= FEW * ends;
  const step = Math.ceil(divisions.length / SAMPLE);
  const sample = isFew ? divisions.filter((_, at) => at % step === 0) : [];
  const isWhole = ({ joined }: Division): boolean => texts.some((text) => hasWord(text, joined));
  const whole = new Set(sample.filter(isWhole));
  const dividesNone = isFew && whole.size < PROVED * sample.length;
  const compounds = knownCompounds(texts, new Set(divisions.map(({ compound }) => compound)));
  const kept = new Map<number, Set<number>>();
  for (const division of divisions) {
    const { page, at, compound } = division;
    if (!whole.has(division) && (dividesNone || compounds.has(compound)))
      kept.set(page, (kept.get(page) ?? new Set()).add(at));
  }
  return pages.map((page, index) => {
    const own = kept.get(index);
    return page === undefined || own === undefined ? page : { ...page, compounds: own };
  });
}

/** The words of a page with a hyphen at a line end, above a line that begins with a small letter. */
function divisionsOf(text: string, page: number): Division[] {
  return Array.from(text.matchAll(HYPHEN_END)).flatMap(({ 0: end, index }): Division[] => {
    const before = LETTERS_BEFORE.exec(text.slice(Math.max(0, index - MAX_WORD), index))?.[0];
    LETTERS_AFTER.lastIndex = index + end.length;
    const after = LETTERS_AFTER.exec(text)?.[1];
    if (before === undefined || after === undefined) return [];
    return [{ page, at: index, joined: keyOf(before + after), compound: keyOf(`${before}-${after}`) }];
  });
}

function keyOf(word: string): string {
  return word.toLowerCase().replaceAll('\u2010', '-');
}

/** Number of lines that end in a word above one that begins with a small letter. */
function plainEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1))
    if (SMALL_LETTER.test(text.slice(at + 1, at + 3)) && WORD_END.test(text.slice(Math.max(0, at - 4), at)))
      count++;
  return count;
}

/** The compounds in question that stand within a line. */
function knownCompounds(texts: readonly string[], wanted: ReadonlySet<string>): ReadonlySet<string> {
  const known = new Set<string>();
  for (const text of texts)
    for (let at = text.indexOf('-'); at !== -1; at = text.indexOf('-', at + 1)) {
      let [from, to] = [at, at + 1];
      while (from > at - MAX_WORD && isWithinWord(text.charCodeAt(from - 1))) from--;
      while (to < at + MAX_WORD && isLetter(text.charCodeAt(to))) to++;
      while (text.charCodeAt(from) === HYPHEN) from++;
      if (from >= at || to === at + 1) continue;
      const word = text.slice(from, to).toLowerCase();
      if (wanted.has(word)) known.add(word);
    }
  return known;
}

const HYPHEN = 0x2d;

function isWithinWord(unit: number): boolean {
  return unit === HYPHEN || isLetter(unit);
}

/** True for the letters of most scripts; as a pattern this would take several times as long. */
function isLetter(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0xc0 && unit < 0xfffe);
}

const LETTER = /\p{L}/u;

/** True if a text has a word as a whole. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (!LETTER.test(text.charAt(at - 1)) && !LETTER.test(text.charAt(at + word.length))) return true;
  return false;
}
