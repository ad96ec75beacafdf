// A language model's decisions about a document, as data: with them a caller can cut the document at any other size
// without calling the model again. This file also reconciles two windows that show the same gap.
import type { TokenUsage } from '../../complete.ts';
import { ChunkError } from '../../errors.ts';
import type { TextUnits, Window } from './windows.ts';

/** The model's answer about one window [first, end) of the document's units, which are numbered from 0. */
export interface WindowDecision extends Window {
  /** Numbers of the units that begin a passage, ascending, each after `first`; none when the window fell back. */
  readonly cuts: readonly number[];
  /** Number of requests about the window. */
  readonly tries: number;
  /** Number of entries dropped from the accepted answer because there is no such unit. */
  readonly dropped: number;
  /**
   * The reason why the window is cut as the tier `structure` would cut it: the code of the last error, or
   * `wrong_answer`. Absent when the model's answer was used.
   */
  readonly fallback?: string;
}

/** All decisions of a model about one document. The object can be stored as JSON. */
export interface Decisions {
  /** Version of the model's instructions. */
  readonly promptVersion: string;
  /**
   * The model's name, as its service gives it; several names, separated by commas in order of appearance, when a
   * fallback answered. Empty without any answer.
   */
  readonly model: string;
  /** A hash of the document's text. */
  readonly document: string;
  /** Number of units of the document. */
  readonly units: number;
  readonly windows: readonly WindowDecision[];
  /** Indexes of the windows that fell back. */
  readonly windowsFallback: readonly number[];
  /** Tokens of all answers, also of unusable ones, and the number of calls. */
  readonly usage: TokenUsage & { readonly calls: number };
}

/** The decision about the gap before a unit. */
export const ADVICE = { cut: 1, keep: -1, none: 0 } as const;

/**
 * Cuts that only one of two windows names are taken for the same change of topic when they are at most so many units
 * apart.
 */
const ONE_CHANGE = 2;

/**
 * The advice for the gap before each unit. Where only one window shows a gap, its answer counts. Where two
 * windows overlap:
 *
 * - a cut that both name is taken, and lone cuts close to it are dropped as the same change of topic;
 * - two lone cuts close together are one change of topic: the cut stands where its own window has it nearer to its
 *   middle;
 * - any other lone cut is taken when its own window has it nearer to its middle than the other window has.
 */
export function adviceOf({ units, windows }: Pick<Decisions, 'units' | 'windows'>): Int8Array {
  const advice = new Int8Array(units);
  const answered = windows.filter(({ fallback }) => fallback === undefined);
  for (const { first, end } of answered) advice.fill(ADVICE.keep, first + 1, end);
  for (const { cuts } of answered) for (const cut of cuts) advice[cut] = ADVICE.cut;
  for (const [index, one] of answered.entries()) {
    const other = answered[index + 1];
    if (other !== undefined && other.first < one.end) reconcile(one, other, advice);
  }
  return advice;
}

/** Decides about the gaps that both windows show. A lone cut is a cut in only one of them. */
function reconcile(one: WindowDecision, other: WindowDecision, advice: Int8Array): void {
  const shared = ({ cuts }: WindowDecision): number[] =>
    cuts.filter((cut) => cut > other.first && cut < one.end);
  const both = new Set(shared(one).filter((cut) => other.cuts.includes(cut)));
  const lone = (of: WindowDecision): number[] => shared(of).filter((cut) => !both.has(cut));
  const [ours, theirs] = [lone(one), lone(other)];
  for (const cut of [...ours, ...theirs]) advice[cut] = ADVICE.keep;
  for (const [own, from, opposite] of [
    [ours, one, other],
    [theirs, other, one],
  ] as const) {
    const rivals = own === ours ? theirs : ours;
    for (const cut of own) {
      if ([...both].some((agreed) => Math.abs(agreed - cut) <= ONE_CHANGE)) continue;
      const rival = rivals.find((at) => Math.abs(at - cut) <= ONE_CHANGE);
      const against = rival === undefined ? offCentre(opposite, cut) : offCentre(opposite, rival);
      const mine = offCentre(from, cut);
      // When both are equally near, the earlier window counts, which has seen what comes before.
      if (mine < against || (mine === against && from === one)) advice[cut] = ADVICE.cut;
    }
  }
}

/** Distance of a gap from the middle of a window: 0 in the middle, 1 at the edges. */
function offCentre({ first, end }: Window, gap: number): number {
  return Math.abs((2 * (gap - first)) / (end - first) - 1);
}

/** Checks decisions from outside for a document of these units. */
export function checkDecisions(given: unknown, text: string, units: TextUnits): Decisions {
  const wrong = (what: string): ChunkError => new ChunkError('wrong_decisions', `The decisions ${what}.`);
  const decisions = Object(given) as Partial<Decisions>;
  if (!Array.isArray(decisions.windows)) throw wrong('are no result of the tier ai');
  if (decisions.document !== hashOf(text) || decisions.units !== units.starts.length)
    throw wrong('are of another document, or of one read as another kind');
  for (const window of decisions.windows as readonly unknown[]) {
    const { first = -1, end = -1, cuts } = Object(window) as Partial<WindowDecision>;
    const within =
      Number.isInteger(first) && Number.isInteger(end) && first >= 0 && end <= units.starts.length;
    const sound =
      Array.isArray(cuts) && cuts.every((cut) => Number.isInteger(cut) && cut > first && cut < end);
    if (!within || !sound) throw wrong('name units that the document does not have');
  }
  return given as Decisions;
}

/**
 * 64 bits of a text in hexadecimal digits: FNV-1a twice, from two bases. No protection against deliberate collisions.
 */
export function hashOf(text: string, salt = 0): string {
  let [one, other] = [0x811c9dc5 ^ salt, 0x9747b28c ^ Math.imul(salt, 0x9e3779b1)];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x5bd1e995);
    other ^= other >>> 15;
  }
  return [one, other].map((part) => stirred(part).toString(16).padStart(8, '0')).join('');
}

function stirred(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}
