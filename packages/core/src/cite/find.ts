// Finds the place in a long sequence that a short one resembles most: places that share runs of units are candidates,
// and an alignment judges each.

/** Units [from, to) of the text that resemble the pattern, and the share of its units that they keep, from 0 to 1. */
export interface Match {
  readonly from: number;
  readonly to: number;
  readonly score: number;
}

/** A range of the text, and the end of it that wins among equal places. */
export interface SearchRange {
  readonly from: number;
  readonly to: number;
  readonly nearest?: 'start' | 'end';
  /** True for units [from, to) that are whole words; a short pattern has to be. */
  readonly isWhole: (from: number, to: number) => boolean;
}

/** Units of a run that text and pattern share. Shorter runs occur everywhere; short patterns have few longer ones. */
const runLengthOf = ({ length }: Uint16Array): number => (length < 48 ? 4 : 6);
/** Candidates that are aligned. */
const MAX_CANDIDATES = 8;
/**
 * Runs of a candidate for each unit of the pattern and a bound of 1. Disturbed sentences with a score of 0.8 share 0.32
 * at their place, those of 0.6 share 0.22; places that merely use the same words share 0.03, and 0.12 at most in 95 of
 * 100. Without it a quotation that is not there has eight places aligned.
 */
const LEAST_RUNS = 1 / 8;
/** Patterns below this length have to occur as they stand: an edit of theirs makes another word. */
const MIN_INEXACT = 12;
/** Patterns above this length have to occur as they stand too: alignment is quadratic, and a ligature folds to 18. */
const MAX_INEXACT = 6000;

/**
 * Finds the best matches of a pattern in a range of a text whose score is at least the bound. Linear in the range, and
 * quadratic in the pattern.
 *
 * Candidates are diagonals with many shared runs: the filter of Ukkonen, "Approximate string-matching with q-grams and
 * maximal matches", 1992.
 *
 * @returns at most {@link MAX_CANDIDATES}, the best first, among equals the one nearest to the range's end named
 */
export function findMatches(
  text: Uint16Array,
  pattern: Uint16Array,
  bound: number,
  range: SearchRange,
): Match[] {
  if (pattern.length === 0) return [];
  const exact = findExact(text, pattern, range);
  if (exact.length > 0 || pattern.length < MIN_INEXACT || pattern.length > MAX_INEXACT) return exact;
  const matches = candidatesOf(text, pattern, bound, range).map(({ from, to }): Match => {
    const match = align(text.subarray(from, to), pattern);
    return { from: from + match.from, to: from + match.to, score: match.score };
  });
  return matches.filter(({ score }) => score >= bound).sort((one, other) => other.score - one.score);
}

function findExact(text: Uint16Array, pattern: Uint16Array, range: SearchRange): Match[] {
  const { length } = pattern;
  const isAccepted = (from: number): boolean =>
    (length >= MIN_INEXACT || range.isWhole(from, from + length)) &&
    pattern.every((unit, index) => text[from + index] === unit);
  const hits = equalHashes(text, pattern, range);
  const matches: Match[] = [];
  for (const from of range.nearest === 'end' ? [...hits].reverse() : hits) {
    if (!isAccepted(from)) continue;
    matches.push({ from, to: from + length, score: 1 });
    if (matches.length === MAX_CANDIDATES) break;
  }
  return matches;
}

/** The places of a range with the pattern's hash, in order. */
function* equalHashes(
  text: Uint16Array,
  pattern: Uint16Array,
  { from, to }: SearchRange,
): Generator<number, void> {
  const { length } = pattern;
  const wanted = lastHash(pattern);
  const leaving = powerOf(length);
  let hash = 0;
  for (let index = from; index < to; index += 1) {
    const left = index - length >= from ? (text[index - length] ?? 0) : 0;
    hash = rolled(hash, text[index] ?? 0, left, leaving);
    const start = index + 1 - length;
    if (hash === wanted && start >= from) yield start;
  }
}

/** Windows of the text around the diagonals that share most runs with the pattern, the best first. */
function candidatesOf(
  text: Uint16Array,
  pattern: Uint16Array,
  bound: number,
  { from, to, nearest }: SearchRange,
): { from: number; to: number }[] {
  const widthBits = Math.max(4, Math.ceil(Math.log2(pattern.length)) - 2);
  const width = 2 ** widthBits;
  const counts = countRuns(text.subarray(from, to), pattern, widthBits);
  // A diagonal near the border of two buckets has its runs in both.
  const countAt = (bucket: number): number => (counts[bucket] ?? 0) + (counts[bucket + 1] ?? 0);
  const best: { bucket: number; count: number }[] = [];
  for (let index = 0; index + 1 < counts.length; index += 1) {
    const bucket = nearest === 'end' ? counts.length - 2 - index : index;
    const count = countAt(bucket);
    if (count === 0 || (best.length === MAX_CANDIDATES && count <= (best.at(-1)?.count ?? 0))) continue;
    // One place is one candidate.
    if ((bucket > 0 && countAt(bucket - 1) >= count) || countAt(bucket + 1) > count) continue;
    const place = best.findIndex((other) => other.count < count);
    best.splice(place === -1 ? best.length : place, 0, { bucket, count });
    best.length = Math.min(best.length, MAX_CANDIDATES);
  }
  const least = Math.max((best[0]?.count ?? 0) / 2, LEAST_RUNS * bound * pattern.length);
  const likely = best.filter(({ count }) => count >= least);
  return likely.map(({ bucket }) => {
    const begin = from + bucket * width - pattern.length;
    return {
      from: Math.max(from, begin - width),
      to: Math.min(to, begin + 3 * width + pattern.length),
    };
  });
}

/** The number of runs that text and pattern share on each diagonal, in buckets of `2 ** widthBits` diagonals. */
function countRuns(text: Uint16Array, pattern: Uint16Array, widthBits: number): Uint32Array {
  const run = runLengthOf(pattern);
  const leaving = powerOf(run);
  const { hashes, places, mask } = tableOf(pattern, run);
  const counts = new Uint32Array(((text.length + pattern.length) >> widthBits) + 2);
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) {
    hash = rolled(hash, text[index] ?? 0, index < run ? 0 : (text[index - run] ?? 0), leaving);
    let slot = hash & mask;
    while (places[slot] !== 0 && hashes[slot] !== hash) slot = (slot + 1) & mask;
    const place = places[slot] ?? 0;
    if (place === 0 || index < run - 1) continue;
    const bucket = (index + 1 - place + pattern.length) >> widthBits;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return counts;
}

/** The first place of every run of a pattern by its hash, open addressing. A place is the run's end; 0 is none. */
function tableOf(
  pattern: Uint16Array,
  run: number,
): { hashes: Int32Array; places: Uint32Array; mask: number } {
  const leaving = powerOf(run);
  const size = 2 ** Math.ceil(Math.log2(4 * pattern.length));
  const mask = size - 1;
  const hashes = new Int32Array(size);
  const places = new Uint32Array(size);
  let hash = 0;
  for (const [index, unit] of pattern.entries()) {
    hash = rolled(hash, unit, index < run ? 0 : (pattern[index - run] ?? 0), leaving);
    if (index < run - 1) continue;
    let slot = hash & mask;
    while (places[slot] !== 0 && hashes[slot] !== hash) slot = (slot + 1) & mask;
    if (places[slot] !== 0) continue;
    hashes[slot] = hash;
    places[slot] = index + 1;
  }
  return { hashes, places, mask };
}

const BASE = 0x01000193;

/** The hash of a window of units after one entered and one left (Karp and Rabin 1987). */
function rolled(hash: number, entering: number, left: number, leaving: number): number {
  return (Math.imul(hash, BASE) + entering - Math.imul(left, leaving)) | 0;
}

/** The weight of a unit that leaves a window of this length. */
function powerOf(length: number): number {
  let power = 1;
  for (let index = 0; index < length; index += 1) power = Math.imul(power, BASE);
  return power;
}

function lastHash(pattern: Uint16Array): number {
  return pattern.reduce((hash, unit) => rolled(hash, unit, 0, 0), 0);
}

/** Costs of the alignment. The quotation may leave a word out more easily than add one that is not in the text. */
const EDIT = 4;
const OMISSION = 1;

/** The part of a window that costs least to align with the pattern, the first among equals. */
function align(window: Uint16Array, pattern: Uint16Array): Match {
  // One row of the matrix at a time: its costs, and where the alignment of each cell begins (Sellers 1980).
  let costs = new Int32Array(window.length + 1);
  let begins = Int32Array.from({ length: window.length + 1 }, (_, at) => at);
  let [nextCosts, nextBegins] = [new Int32Array(window.length + 1), new Int32Array(window.length + 1)];
  for (const unit of pattern) {
    let cost = (costs[0] ?? 0) + EDIT;
    let begin = 0;
    nextCosts[0] = cost;
    nextBegins[0] = begin;
    for (let at = 1; at <= window.length; at += 1) {
      cost += OMISSION;
      const together = (costs[at - 1] ?? 0) + (window[at - 1] === unit ? 0 : EDIT);
      if (together <= cost) [cost, begin] = [together, begins[at - 1] ?? 0];
      const extra = (costs[at] ?? 0) + EDIT;
      if (extra < cost) [cost, begin] = [extra, begins[at] ?? 0];
      nextCosts[at] = cost;
      nextBegins[at] = begin;
    }
    [costs, nextCosts] = [nextCosts, costs];
    [begins, nextBegins] = [nextBegins, begins];
  }
  let to = 0;
  for (let at = 1; at <= window.length; at += 1) if ((costs[at] ?? 0) < (costs[to] ?? 0)) to = at;
  const score = Math.max(0, 1 - (costs[to] ?? 0) / (EDIT * pattern.length));
  return { from: begins[to] ?? 0, to, score };
}
