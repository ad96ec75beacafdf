// The number of random cases in the property tests of every package, and their seed. `CASES` multiplies the number
// that a test names; `SEED` repeats a run. A failing test prints its seed.

/** Without `CASES` a run takes a quarter of the cases, so that `npm test` stays short. CI runs with `CASES=1`. */
const DEFAULT_FACTOR = 0.25;
const FACTOR = numberOf('CASES') ?? DEFAULT_FACTOR;
const SEED = numberOf('SEED');
if (FACTOR <= 0) throw new Error('CASES must be above 0.');

/** Parameters of fast-check. */
export interface Cases {
  readonly numRuns: number;
  readonly seed?: number;
}

/** This number of random cases times `CASES`; at least one. */
export function cases(count: number): Cases {
  const numRuns = Math.max(1, Math.round(FACTOR * count));
  return SEED === undefined ? { numRuns } : { numRuns, seed: SEED };
}

/** The whole list from `CASES=1` on; below, a share of it, spread evenly over the list. */
export function sampleOf<T>(items: readonly T[]): readonly T[] {
  const count = Math.ceil(Math.min(1, FACTOR) * items.length);
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]!);
}

/** The whole length from `CASES=1` on; below, a quarter, for long texts whose length is the work of a test. */
export const scaled = (length: number): number => (FACTOR < 1 ? Math.ceil(length / 4) : length);

function numberOf(name: string): number | undefined {
  const value = process.env[name];
  if (value === undefined || value === '') return undefined;
  if (!Number.isFinite(Number(value))) throw new Error(`${name} must be a number; it is ${value}.`);
  return Number(value);
}
