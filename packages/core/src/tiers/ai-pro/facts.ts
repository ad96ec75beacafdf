// The numbers and names of a document, which check a model's words. The check compares strings: it finds numbers and
// names that the document does not contain, not wrong statements about those that it does.

/** Looks up a model's numbers and names. */
export interface Facts {
  /**
   * Returns the numbers and proper names in a text that the document does not contain, as the text spells them.
   *
   * @param common words that occur in small letters and are therefore no names, {@link folded}
   */
  readonly inventionsIn: (claims: string, common: ReadonlySet<string>) => string[];
  /** True when the document contains every word of a name. */
  readonly holds: (name: string) => boolean;
}

/** Matches a word of a script that has capitals. Letters behind an apostrophe are left out as its ending. */
const WORD = /[\p{Lu}\p{Ll}\p{Lt}][\p{Lu}\p{Ll}\p{Lt}\p{M}]*/gu;
const NUMBER = /\p{Nd}+(?:[.,]\p{Nd}+)*/gu;
/**
 * When at least this share of the words inside sentences begins with a capital, the language counts as one with capital
 * nouns, such as German.
 */
const NOUNS_SHARE = 0.18;
/** With fewer words than this, the share proves nothing. */
const LEAST_WORDS = 40;
/** Matches words before `'s` at the beginning of a sentence that are no names. */
const CONTRACTED = /^(?:it|that|what|here|there|who|how|where|let|he|she)$/i;

/**
 * Reads the numbers and words of a document. Linear; keeps each word once.
 *
 * @param more claims that the model sees beside the document's own
 */
export function factsOf(claims: string, more = ''): Facts {
  const raw = new Set<string>();
  const numbers = new Set<string>();
  let [inside, capital] = [0, 0];
  for (const part of [claims, more]) {
    for (const { 0: word, index } of part.matchAll(WORD)) {
      raw.add(word);
      if (beginsSentence(part, index)) continue;
      inside++;
      if (isCapital(word)) capital++;
    }
    // A document that contains `2024.05` contains 2024 and 05 too.
    for (const [number] of part.matchAll(NUMBER))
      for (const one of [number, ...number.split(/[.,]/)]) for (const form of formsOf(one)) numbers.add(form);
  }
  const words = new Set(Array.from(raw, folded));
  const nounsAreCapital = inside >= LEAST_WORDS && capital > NOUNS_SHARE * inside;
  const isThere = (word: string): boolean => {
    const form = folded(word);
    return words.has(form) || (form.endsWith('s') && words.has(form.slice(0, -1))) || words.has(`${form}s`);
  };
  const hasNumber = (number: string): boolean => formsOf(number).some((form) => numbers.has(form));
  return {
    holds: (name) =>
      Array.from(name.matchAll(WORD)).every(([word]) => !isCapital(word) || isThere(word)) &&
      Array.from(name.matchAll(NUMBER)).every(([number]) => hasNumber(number)),
    inventionsIn: (claims, common) => {
      const found = Array.from(claims.matchAll(NUMBER), ([number]) => number).filter(
        (number) => !hasNumber(number),
      );
      const strangers = Array.from(claims.matchAll(WORD)).filter(
        ({ 0: word }) => word.length > 1 && isCapital(word) && !isThere(word) && !common.has(folded(word)),
      );
      for (const { 0: word, index } of strangers) {
        const hasCapitalInside = /\p{Lu}/u.test(word.slice(1));
        const next = claims.slice(index + word.length);
        const owns = /^['’]s\b/u.test(next) && !CONTRACTED.test(word);
        // A capital alone proves nothing where nouns have one, nor at the beginning of a sentence.
        const isPart = strangers.some((other) => other.index === index + word.length + 1);
        const isName = beginsSentence(claims, index) ? owns : !nounsAreCapital || isPart;
        if (hasCapitalInside || isName) found.push(word);
      }
      return found;
    },
  };
}

/** Words that occur in these texts in small letters, {@link folded}. */
export function commonWords(texts: Iterable<string>): Set<string> {
  const words = new Set<string>();
  for (const text of texts) for (const [word] of text.matchAll(WORD)) words.add(word);
  return new Set(
    Array.from(words)
      .filter((word) => !isCapital(word))
      .map(folded),
  );
}

/** A word in small letters and without accents. */
function folded(word: string): string {
  if (/^[a-z]*$/.test(word)) return word;
  return word.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '');
}

const isCapital = (word: string): boolean => /^[\p{Lu}\p{Lt}]/u.test(word);

/** True for the first word of a sentence, line or quotation. */
function beginsSentence(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 8), index);
  return index === 0 || /(?:^\W*|[.!?:;…。|\n][^\p{L}\p{N}]*|["“„«»([*_#-]\s*)$/u.test(before);
}

/** The forms of a number that count as equal: with and without the marks inside it, and without leading zeros. */
function formsOf(number: string): string[] {
  const plain = number.normalize('NFKC');
  return [plain, plain.replaceAll(/[.,]/g, '')].map((form) => form.replace(/^0+(?=\p{Nd})/u, ''));
}
