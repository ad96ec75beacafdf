// Paired bootstrap over questions: intervals of differences, and the settings that are best in most resamples.

/** A mean difference with its interval. */
export interface Difference {
  readonly mean: number;
  /** The intervals of all settings that are compared at once hold together: more settings find no more by chance. */
  readonly low: number;
  readonly high: number;
  /** The sign of the difference where its interval excludes 0; 0 says that no difference is shown. */
  readonly verdict: -1 | 0 | 1;
}

/** The number of resamples of each bootstrap. */
const RESAMPLES = 2000;
/**
 * Confidence of intervals, over all settings at once. Above 0.95, since a bootstrap over some dozens of questions is a
 * little too sure of itself: at 0.97, comparisons of equals call a difference in fewer than 5 % of the runs.
 */
const CONFIDENCE = 0.97;
/** Fewer questions show no difference and choose no setting: their resamples vary too little. */
export const LEAST_QUESTIONS = 20;
/** A smaller difference would be shown as 0.0 points. */
const LEAST_DIFFERENCE = 0.0005;
const SEED = 20261126;

/**
 * Compares settings with their baselines, question by question. The intervals are those of the largest standardised
 * difference over all settings (single-step max-t; Romano and Wolf, 2005).
 *
 * @param rows scores of each setting, one number for each question, in the order of the questions
 * @param baselines scores of the baseline of each setting
 */
export function compareWith(
  rows: readonly ArrayLike<number>[],
  baselines: readonly ArrayLike<number>[],
): Difference[] {
  const gains = rows.map((row, setting) =>
    Float64Array.from(row, (score, index) => score - (baselines[setting]?.[index] ?? 0)),
  );
  const questions = gains[0]?.length ?? 0;
  const compared = resampledMeans(gains).map((resampled, row) => {
    const mean = meanOf(gains[row] ?? []);
    return { mean, resampled, error: Math.sqrt(meanOf(resampled.map((value) => (value - mean) ** 2))) };
  });
  const varying = compared.filter(({ error }) => error > EQUAL);
  const largest = Float64Array.from({ length: RESAMPLES }, (_, sample) =>
    Math.max(
      0,
      ...varying.map(({ mean, resampled, error }) => Math.abs((resampled[sample] ?? 0) - mean) / error),
    ),
  ).sort();
  const critical = largest[Math.floor(CONFIDENCE * RESAMPLES)] ?? 0;
  return compared.map(({ mean, error }) => {
    const [low, high] = [mean - critical * error, mean + critical * error];
    const isShown = questions >= LEAST_QUESTIONS && Math.abs(mean) >= LEAST_DIFFERENCE && low * high > 0;
    return { mean, low, high, verdict: isShown ? (Math.sign(mean) as -1 | 1) : 0 };
  });
}

/** A difference of rounding. */
const EQUAL = 1e-12;

/** How often a setting is the best, and how often it is nearly so. */
export interface Winner {
  /** Position of the setting that is most often the best. */
  readonly row: number;
  /** Share of the resamples in which it is the best; equals share a resample. */
  readonly best: number;
  /** Share of the resamples in which it is at most `margin` below the best. */
  readonly near: number;
}

/**
 * The setting with the highest mean in most resamples of the questions.
 *
 * @param rows scores of each setting, one number for each question; at least one setting
 */
export function winnerOf(rows: readonly ArrayLike<number>[], margin: number): Winner {
  const resampled = resampledMeans(rows);
  const wins = rows.map(() => 0);
  const highest = Float64Array.from({ length: RESAMPLES }, (_, sample) => {
    const most = Math.max(...resampled.map((means) => means[sample] ?? 0));
    const best = rows.flatMap((_row, row) => ((resampled[row]?.[sample] ?? 0) >= most - EQUAL ? [row] : []));
    for (const row of best) wins[row] = (wins[row] ?? 0) + 1 / best.length;
    return most;
  });
  const row = wins.indexOf(Math.max(...wins));
  const near = highest.filter((most, sample) => (resampled[row]?.[sample] ?? 0) >= most - margin).length;
  return { row, best: (wins[row] ?? 0) / RESAMPLES, near: near / RESAMPLES };
}

/** The mean of some numbers; 0 for none. */
export function meanOf(values: readonly number[] | Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return values.length === 0 ? 0 : sum / values.length;
}

/** The mean of each row in every resample. All rows share the resamples, which is what makes them paired. */
function resampledMeans(rows: readonly ArrayLike<number>[]): Float64Array[] {
  const questions = rows[0]?.length ?? 0;
  const next = createRandom(SEED);
  const means = rows.map(() => new Float64Array(RESAMPLES));
  for (let sample = 0; sample < RESAMPLES; sample++) {
    const times = new Uint32Array(questions);
    for (let draw = 0; draw < questions; draw++) {
      const question = next(questions);
      times[question] = (times[question] ?? 0) + 1;
    }
    for (const [row, values] of rows.entries()) {
      let sum = 0;
      for (let index = 0; index < questions; index++) sum += (times[index] ?? 0) * (values[index] ?? 0);
      means[row]?.fill(sum / questions, sample, sample + 1);
    }
  }
  return means;
}

/**
 * A generator of integers below a bound: xorshift32 (Marsaglia, 2003), the same numbers for the same seed.
 *
 * @param seed an integer other than 0
 */
export function createRandom(seed: number): (bound: number) => number {
  let state = seed | 0;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return Math.floor(((state >>> 0) / 2 ** 32) * bound);
  };
}
