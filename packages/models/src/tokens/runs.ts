// Byte pair encoding of a run of one byte (rules of dashes, blanks, padding). Only tokens of a few lengths can occur in
// it, so this code keeps groups of equal parts instead of single parts and merges a whole group in one step. Such a run
// has few tokens for its length, and the search for the end of a chunk counts it repeatedly.
import { NO_RANK, type Vocabulary } from './vocabulary.ts';

/** Longest token of equal bytes that is looked for in a vocabulary. */
export const LONGEST_RUN_TOKEN = 1024;

/** Equal parts side by side. */
interface Group {
  /** Bytes of each part. */
  size: number;
  parts: number;
}

/** Ranks of the tokens that consist of one byte repeated, by their length; they are looked up once for each byte. */
export class RunRanks {
  readonly #vocabulary: Vocabulary;
  readonly #ranks: (Int32Array | undefined)[] = [];

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /**
   * Tokens of `byte` repeated `length` times, for `length >= 1`: merges the leftmost pair of the lowest rank until no
   * pair is left.
   */
  count(byte: number, length: number): number {
    const ranks = (this.#ranks[byte] ??= this.#find(byte));
    const rankOf = (size: number): number => ranks[size] ?? NO_RANK;
    let groups: Group[] = [{ size: 1, parts: length }];
    for (;;) {
      const lowest = lowestPair(groups, rankOf);
      if (lowest === undefined) return groups.reduce((sum, { parts }) => sum + parts, 0);
      groups = joined(merged(groups, lowest, rankOf));
    }
  }

  #find(byte: number): Int32Array {
    const bytes = new Uint8Array(LONGEST_RUN_TOKEN).fill(byte);
    const ranks = new Int32Array(LONGEST_RUN_TOKEN + 1).fill(NO_RANK);
    for (let size = 2; size <= LONGEST_RUN_TOKEN; size++)
      ranks[size] = this.#vocabulary.rankOf(bytes, 0, size);
    return ranks;
  }
}

/** Two neighbours: both in the group `at`, or the last part of that group and the first of the next. */
interface Pair {
  readonly at: number;
  readonly isInside: boolean;
  readonly rank: number;
}

/** The pair of the lowest rank, of equal ones the leftmost; `undefined` when no two neighbours make a token. */
function lowestPair(groups: readonly Group[], rankOf: (size: number) => number): Pair | undefined {
  let lowest: Pair | undefined;
  for (const [at, { size, parts }] of groups.entries()) {
    const inside = parts > 1 ? rankOf(2 * size) : NO_RANK;
    if (inside < (lowest?.rank ?? NO_RANK)) lowest = { at, isInside: true, rank: inside };
    const next = groups[at + 1];
    const across = next === undefined ? NO_RANK : rankOf(size + next.size);
    if (across < (lowest?.rank ?? NO_RANK)) lowest = { at, isInside: false, rank: across };
  }
  return lowest;
}

/**
 * The groups after a pair has been merged. The other pairs of its group are merged in the same step when no other pair
 * would have come in between.
 */
function merged(
  groups: readonly Group[],
  { at, isInside, rank }: Pair,
  rankOf: (size: number) => number,
): Group[] {
  const [before, behind] = [groups.slice(0, at), groups.slice(at + 1)];
  const { size = 0, parts = 0 } = groups[at] ?? {};
  if (!isInside) {
    const next = behind.shift() ?? { size: 0, parts: 0 };
    const between = { size: size + next.size, parts: 1 };
    return [...before, { size, parts: parts - 1 }, between, { ...next, parts: next.parts - 1 }, ...behind];
  }
  // The parts that a merged part would stand beside: a lower rank with one of them would be merged before the rest of
  // the group.
  const beside = [before.at(-1)?.size, size, 2 * size, behind[0]?.size];
  const isNext = beside.every((other) => other === undefined || rankOf(other + 2 * size) > rank);
  const pairs = isNext ? parts >> 1 : 1;
  return [...before, { size: 2 * size, parts: pairs }, { size, parts: parts - 2 * pairs }, ...behind];
}

/** The groups without empty ones, and with neighbours of equal parts joined. */
function joined(groups: readonly Group[]): Group[] {
  const kept: Group[] = [];
  for (const group of groups) {
    const last = kept.at(-1);
    if (group.parts === 0) continue;
    if (last?.size === group.size) last.parts += group.parts;
    else kept.push({ ...group });
  }
  return kept;
}
