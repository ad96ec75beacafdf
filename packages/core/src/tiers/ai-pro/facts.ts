// Which numbers and names a document holds, so that a model's words about it can be held against it. A check of
// strings: it finds what stands nowhere in the document, not what is wrong about what does.

/** Looks up what a model names. */
export interface Facts {
  /**
   * Numbers and proper names in a text that the document does not hold, as the text has them.
   *
   * @param common words that stand somewhere in small letters, and so are no names; folded
   */
  readonly inventionsIn: (text: string, common: ReadonlySet<string>) => string[];
  /** Whether the document holds every word of a name. */
  readonly holds: (name: string) => boolean;
}

/** A word of a script that has capitals. What stands behind an apostrophe is its ending. */
const WORD = /[\p{Lu}\p{Ll}\p{Lt}][\p{Lu}\p{Ll}\p{Lt}\p{M}]*/gu;
const NUMBER = /\p{Nd}+(?:[.,]\p{Nd}+)*/gu;
/** Of the words inside sentences so many begin with capitals where the language writes all nouns so, as German does. */
const NOUNS_SHARE = 0.18;
/** With fewer words nothing is known of the language. */
const LEAST_WORDS = 40;
/** What ends with `'s` in front of a sentence and is no name. */
const CONTRACTED = /^(?:it|that|what|here|there|who|how|where|let|he|she)$/i;

/**
 * Reads the numbers and words of a document. Linear; holds each word once. @param more what is shown beside the text
 */
export function factsOf(text: string, more = ''): Facts {
  const raw = new Set<string>();
  const numbers = new Set<string>();
  let [inside, capital] = [0, 0];
  for (const part of [text, more]) {
    for (const { 0: word, index } of part.matchAll(WORD)) {
      raw.add(word);
      if (beginsSentence(part, index)) continue;
      inside++;
      if (isCapital(word)) capital++;
    }
    // `2024.05` also holds 2024 and 05.
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
    inventionsIn: (said, common) => {
      const found = Array.from(said.matchAll(NUMBER), ([number]) => number).filter(
        (number) => !hasNumber(number),
      );
      const strangers = Array.from(said.matchAll(WORD)).filter(
        ({ 0: word }) => word.length > 1 && isCapital(word) && !isThere(word) && !common.has(folded(word)),
      );
      for (const { 0: word, index } of strangers) {
        const isLoud = /\p{Lu}/u.test(word.slice(1));
        const next = said.slice(index + word.length);
        const owns = /^['’]s\b/u.test(next) && !CONTRACTED.test(word);
        // A noun may be written so, and so may the first word of a sentence, whatever it means.
        const isPart = strangers.some((other) => other.index === index + word.length + 1);
        const says = beginsSentence(said, index) ? owns : !nounsAreCapital || isPart;
        if (isLoud || says) found.push(word);
      }
      return found;
    },
  };
}

/** Words that stand in small letters somewhere in these texts, folded. */
export function commonWords(texts: Iterable<string>): Set<string> {
  const words = new Set<string>();
  for (const text of texts) for (const [word] of text.matchAll(WORD)) words.add(word);
  return new Set(
    Array.from(words)
      .filter((word) => !isCapital(word))
      .map(folded),
  );
}

/** A word without its capitals and accents. */
function folded(word: string): string {
  if (/^[a-z]*$/.test(word)) return word;
  return word.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '');
}

const isCapital = (word: string): boolean => /^[\p{Lu}\p{Lt}]/u.test(word);

/** Whether a word is the first of a sentence, line or quotation. */
function beginsSentence(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 8), index);
  return index === 0 || /(?:^\W*|[.!?:;…。|\n][^\p{L}\p{N}]*|["“„«»([*_#-]\s*)$/u.test(before);
}

/** A number as it may stand elsewhere: with and without the marks inside it; leading zeros do not count. */
function formsOf(number: string): string[] {
  const plain = number.normalize('NFKC');
  return [plain, plain.replaceAll(/[.,]/g, '')].map((form) => form.replace(/^0+(?=\p{Nd})/u, ''));
}
