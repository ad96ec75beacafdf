// How many random cases the property tests of every package run, and from which seed. `CASES=10` runs ten times as many
// as a test asks for, `CASES=0.2` a fifth; `SEED` repeats a run. A failing test prints its seed, whichever it had.

const FACTOR = numberOf('CASES') ?? 1;
const SEED = numberOf('SEED');
if (FACTOR <= 0) throw new Error('CASES must be above 0.');

/** What fast-check runs by. */
export interface Cases {
  readonly numRuns: number;
  readonly seed?: number;
}

/** So many random cases, times what `CASES` says; at least one. */
export function cases(count: number): Cases {
  const numRuns = Math.max(1, Math.round(FACTOR * count));
  return SEED === undefined ? { numRuns } : { numRuns, seed: SEED };
}

function numberOf(name: string): number | undefined {
  const value = process.env[name];
  if (value === undefined || value === '') return undefined;
  if (!Number.isFinite(Number(value))) throw new Error(`${name} must be a number; it is ${value}.`);
  return Number(value);
}
