// The form in which a language model sees the units of a document: in windows that overlap, long units shortened.
import { estimateTokens } from './estimate.ts';

/** The units of a document, in order. */
export interface TextUnits {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** True for a unit that continues the paragraph of the unit before it. */
  readonly continues: readonly boolean[];
}

/** A stretch of units [first, end) that one request shows to the model. */
export interface Window {
  readonly first: number;
  readonly end: number;
}

/** Estimated tokens of one window: enough to show several topics, few enough that models do not mix the numbers up. */
const WINDOW_TOKENS = 2500;
/** Estimated tokens at the end of a window that the next one shows again. */
const SHARED_TOKENS = 375;
/** Tokens that a unit costs besides its text: its number, brackets and line end. */
const NUMBER_TOKENS = 5;
/**
 * A unit longer than the first number of UTF-16 units is shortened to so many units of its beginning and of its end.
 */
const [LONGEST_SHOWN, SHOWN_HEAD, SHOWN_TAIL] = [900, 600, 200] as const;

/** The text of a unit as the model sees it. */
export function shown(text: string, start: number, end: number): string {
  if (end - start <= LONGEST_SHOWN) return text.slice(start, end);
  const [head, tail] = [text.slice(start, start + SHOWN_HEAD), text.slice(end - SHOWN_TAIL, end)];
  return `${head} … ${tail}`.toWellFormed();
}

/**
 * Lays windows over all units. Neighbouring windows share units, and no unit is in more than two. The number of windows
 * depends on the text alone.
 */
export function windowsOf(text: string, { starts, ends }: TextUnits): Window[] {
  if (starts.length < 2) return [];
  const costs = starts.map(
    (start, at) => NUMBER_TOKENS + estimateTokens(shown(text, start, ends[at] ?? start)),
  );
  const windows: Window[] = [];
  for (let first = 0; ;) {
    let end = first;
    for (
      let sum = 0;
      end < costs.length && (end - first < 2 || sum + (costs[end] ?? 0) <= WINDOW_TOKENS);
      end++
    )
      sum += costs[end] ?? 0;
    windows.push({ first, end });
    if (end === costs.length) return windows;
    first = end - 1;
    const before = windows.at(-1)?.first ?? 0;
    for (let sum = costs[first] ?? 0; first - 1 > (before + end) / 2; first--) {
      sum += costs[first - 1] ?? 0;
      if (sum > SHARED_TOKENS) break;
    }
  }
}
