// Keyword search: BM25 with Lucene's inverse document frequency, over words in small letters. No stemming and no list
// of stop words, so it treats every language alike.

/** The usual constants (Robertson and Zaragoza, 2009). */
const K1 = 1.2;
const B = 0.75;

/** Scores of a query for each text of an index, in the order of the texts; higher is better. */
export type Scorer = (query: string) => Float64Array;

interface Postings {
  readonly texts: number[];
  readonly counts: number[];
}

/** Indexes texts. Linear in their length. */
export function indexWords(texts: readonly string[]): Scorer {
  const lengths = new Float64Array(texts.length);
  const postings = new Map<string, Postings>();
  for (const [text, content] of texts.entries()) {
    for (const word of wordsOf(content)) {
      lengths[text] = (lengths[text] ?? 0) + 1;
      const known = postings.get(word);
      if (known === undefined) postings.set(word, { texts: [text], counts: [1] });
      else if (known.texts.at(-1) === text) known.counts.push((known.counts.pop() ?? 0) + 1);
      else {
        known.texts.push(text);
        known.counts.push(1);
      }
    }
  }
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, texts.length);
  return (query) => {
    const scores = new Float64Array(texts.length);
    for (const word of new Set(wordsOf(query))) {
      const { texts: holders, counts } = postings.get(word) ?? { texts: [], counts: [] };
      const idf = Math.log(1 + (texts.length - holders.length + 0.5) / (holders.length + 0.5));
      for (const [index, holder] of holders.entries()) {
        const count = counts[index] ?? 0;
        const norm = K1 * (1 - B + (B * (lengths[holder] ?? 0)) / average);
        scores[holder] = (scores[holder] ?? 0) + (idf * count * (K1 + 1)) / (count + norm);
      }
    }
    return scores;
  };
}

/** Scripts without blanks between words. Their runs are indexed as pairs of characters, as by Lucene's CJKAnalyzer. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** The words of a text: runs of letters and digits in small letters, pairs of characters where there are no blanks. */
export function wordsOf(text: string): string[] {
  const runs =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return UNSPACED.test(text) ? runs.flatMap((run) => (UNSPACED.test(run) ? pairsOf(run) : [run])) : runs;
}

function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  return characters.length < 2
    ? [run]
    : characters.slice(1).map((second, index) => `${characters[index] ?? ''}${second}`);
}
