// The words that two pieces share. An embedder knows related words; a name or a term that returns says more about the
// topic of a document than any of them, and many embedders do not know it. Words count by their rarity in the document.

/**
 * Added to a cosine for a likeness of words of 1. On one half of the documents with known topics 1 to 3 did equally
 * well, and 0.5 and 8 worse.
 */
export const WORDS_WEIGHT = 2;
/** A run of letters and digits is a word from this length on; shorter ones are mostly articles. */
const SHORTEST_WORD = 3;
/** Units of a word that count: inflected forms mostly share them. Four to six did equally well. */
const STEM = 5;
/** A word in a larger share of the pieces is a stop word. From 0.15 on the share hardly matters. */
const MOST_PIECES = 0.25;
/** In a short text a word in this many pieces is none. */
const FEW_PIECES = 2;

/** The words of each piece and their weights; those of piece `i` are in `[starts[i], starts[i + 1])`. */
export interface PieceWords {
  readonly starts: Int32Array;
  readonly words: readonly number[];
  /** The weights of a piece have length 1; that of a stop word is 0. */
  readonly weights: Float32Array;
  /** Number of different words. */
  readonly count: number;
}

/**
 * Adds the likeness of words to the cosines of pairs. Time is `band` times the number of words.
 *
 * @param cosines for each atom those with the next `band` atoms, NaN where there is none
 * @param rowOf for each atom the index of its piece, or -1
 */
export function addSharedWords(
  cosines: Float32Array,
  band: number,
  rowOf: Int32Array,
  { starts, words, weights, count }: PieceWords,
): void {
  /** Weights of the words of one piece; all 0 between pieces. */
  const own = new Float32Array(count);
  for (let at = 0; at < rowOf.length; at++) {
    const row = rowOf[at] ?? -1;
    if (row === -1) continue;
    const [start = 0, end = 0] = [starts[row], starts[row + 1]];
    for (let word = start; word < end; word++) own[words[word] ?? 0] = weights[word] ?? 0;
    for (let step = 1; step <= band && at + step < rowOf.length; step++) {
      const other = rowOf[at + step] ?? -1;
      if (other === -1) continue;
      let shared = 0;
      for (let word = starts[other] ?? 0, last = starts[other + 1] ?? 0; word < last; word++)
        shared += (own[words[word] ?? 0] ?? 0) * (weights[word] ?? 0);
      const pair = at * band + step - 1;
      cosines[pair] = (cosines[pair] ?? 0) + WORDS_WEIGHT * shared;
    }
    for (let word = start; word < end; word++) own[words[word] ?? 0] = 0;
  }
}

/** The words of the pieces, weighed by their number in a piece and their rarity in the document. */
export function vocabularyOf(pieces: readonly string[]): PieceWords {
  const known = new Map<number, number>();
  const starts = new Int32Array(pieces.length + 1);
  const words: number[] = [];
  const numbers: number[] = [];
  /** Of each word the number of pieces with it, and its latest place in `words`. */
  const spread: number[] = [];
  const latest: number[] = [];
  for (const [row, piece] of pieces.entries()) {
    const start = words.length;
    eachWord(piece.toLowerCase(), (key) => {
      let id = known.get(key);
      if (id === undefined) {
        id = known.size;
        known.set(key, id);
        spread.push(0);
        latest.push(-1);
      }
      const place = latest[id] ?? -1;
      if (place >= start) numbers[place] = (numbers[place] ?? 0) + 1;
      else {
        latest[id] = words.length;
        spread[id] = (spread[id] ?? 0) + 1;
        words.push(id);
        numbers.push(1);
      }
    });
    starts[row + 1] = words.length;
  }
  return { starts, words, weights: weightsOf(starts, words, numbers, spread), count: known.size };
}

function weightsOf(
  starts: Int32Array,
  words: readonly number[],
  numbers: readonly number[],
  spread: readonly number[],
): Float32Array {
  const pieces = starts.length - 1;
  const most = Math.max(FEW_PIECES, MOST_PIECES * pieces);
  const rarities = spread.map((found) => (found > most ? 0 : Math.log((pieces + 1) / found)));
  const weights = new Float32Array(words.length);
  for (let row = 0; row < pieces; row++) {
    const [start = 0, end = 0] = [starts[row], starts[row + 1]];
    let squares = 0;
    for (let at = start; at < end; at++) {
      const number = numbers[at] ?? 1;
      const weight = (number === 1 ? 1 : 1 + Math.log(number)) * (rarities[words[at] ?? 0] ?? 0);
      weights[at] = weight;
      squares += weight * weight;
    }
    if (squares === 0) continue;
    const length = Math.sqrt(squares);
    for (let at = start; at < end; at++) weights[at] = (weights[at] ?? 0) / length;
  }
  return weights;
}

/**
 * Visits the words of a text in small letters, each as a hash of its beginning; words with one hash count as one, which
 * happens about once in a book. By units and without expressions, which took a sixth of the tier's time.
 */
function eachWord(text: string, visit: (key: number) => void): void {
  let [key, length] = [0, 0];
  for (let at = 0; at <= text.length; at++) {
    const unit = at < text.length ? text.charCodeAt(at) : 0;
    const isWord = isUnspaced(unit);
    if (!isWord && isLetterOrDigit(unit)) {
      if (length++ < STEM) key = (Math.imul(key, FNV_PRIME) ^ unit) & LARGEST_KEY;
      continue;
    }
    if (length >= SHORTEST_WORD) visit(key);
    if (isWord) visit(unit);
    [key, length] = [0, 0];
  }
}

/** The prime of the hash FNV-1, and the largest integer that V8 stores without a box. */
const FNV_PRIME = 0x01000193;
const LARGEST_KEY = 0x3fffffff;

/** True for signs of scripts without blanks: Thai, Lao, Burmese, Khmer, kana and ideographs. Each counts as a word. */
function isUnspaced(unit: number): boolean {
  if (unit < 0x0e00) return false;
  if (unit < 0x0f00) return true;
  return (
    (unit >= 0x1000 && unit < 0x10a0) ||
    (unit >= 0x1780 && unit < 0x1800) ||
    (unit >= 0x3041 && unit < 0xa000)
  );
}

/** True for small letters and digits of ASCII, and for all units beyond it but signs and punctuation. */
function isLetterOrDigit(unit: number): boolean {
  if (unit < 0x80) return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f;
  return unit >= 0xc0 && !(unit >= 0x2000 && unit < 0x2c00) && !(unit >= 0x3000 && unit < 0x3041);
}
