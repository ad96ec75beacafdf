// Paired bootstrap over documents or questions: intervals of differences, and the settings best in most resamples.

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
/** Fewer documents are not resampled: half of them choose a setting, and five are the fewest that choose with care. */
const LEAST_DOCUMENTS = 10;
/** A smaller difference would be shown as 0.0 points. */
const LEAST_DIFFERENCE = 0.0005;
const SEED = 20261126;

/**
 * The units of a bootstrap: the document of each question, as questions about one document are correlated. With too few
 * documents each question is a unit. Documents count by their questions, (Σn)² / Σn² (Kish, 1965), so that a document
 * with half of the questions leaves fewer than four.
 *
 * @param documents the document of each question
 */
export function unitsOf(documents: readonly string[]): number[] {
  const first = new Map<string, number>();
  const units = documents.map((name, index) => {
    if (!first.has(name)) first.set(name, index);
    return first.get(name) ?? index;
  });
  return effectiveCount(sizesOf(units)) < LEAST_DOCUMENTS ? [...units.keys()] : units;
}

/**
 * Compares settings with their baselines, question by question. The intervals are those of the largest standardised
 * difference over all settings (single-step max-t; Romano and Wolf, 2005).
 *
 * @param rows scores of each setting, one number for each question, in the order of the questions
 * @param baselines scores of the baseline of each setting
 * @param units the unit of each question; questions with one unit are drawn together
 */
export function compareWith(
  rows: readonly ArrayLike<number>[],
  baselines: readonly ArrayLike<number>[],
  units: ArrayLike<number>,
): Difference[] {
  const gains = rows.map((row, setting) =>
    Float64Array.from(row, (score, index) => score - (baselines[setting]?.[index] ?? 0)),
  );
  const questions = gains[0]?.length ?? 0;
  const compared = resampledMeans(gains, units).map((resampled, row) => {
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
  const critical = widened(largest[Math.floor(CONFIDENCE * RESAMPLES)] ?? 0, sizesOf(units));
  return compared.map(({ mean, error }) => {
    const [low, high] = [mean - critical * error, mean + critical * error];
    const isShown = questions >= LEAST_QUESTIONS && Math.abs(mean) >= LEAST_DIFFERENCE && low * high > 0;
    return { mean, low, high, verdict: isShown ? (Math.sign(mean) as -1 | 1) : 0 };
  });
}

/**
 * The critical value for units of several questions: Student's quantile in place of the normal one (Cornish and Fisher,
 * 1937), times the correction of the standard error. Both matter for some dozens of documents. Single questions keep
 * theirs: `CONFIDENCE` allows for them.
 */
function widened(critical: number, sizes: readonly number[]): number {
  if (sizes.every((size) => size === 1)) return critical;
  const units = effectiveCount(sizes);
  const freedom = Math.max(1, units - 1);
  const quantile =
    critical +
    (critical ** 3 + critical) / (4 * freedom) +
    (5 * critical ** 5 + 16 * critical ** 3 + 3 * critical) / (96 * freedom ** 2);
  return quantile * Math.sqrt(1 + 1 / freedom);
}

/** The number of equal units with the same weight of the largest ones: (Σn)² / Σn². */
function effectiveCount(sizes: readonly number[]): number {
  const sum = sizes.reduce((total, size) => total + size, 0);
  return sum === 0 ? 0 : sum ** 2 / sizes.reduce((total, size) => total + size ** 2, 0);
}

/** The number of questions of each unit. */
function sizesOf(units: ArrayLike<number>): number[] {
  const sizes = new Map<number, number>();
  for (const unit of Array.from(units)) sizes.set(unit, (sizes.get(unit) ?? 0) + 1);
  return [...sizes.values()];
}

/** A difference of rounding. */
const EQUAL = 1e-12;

/** The normal quantile of 95 %, in which a recommended setting is nearly the best. */
const NEAR_QUANTILE = 1.645;

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
 * The setting with the highest mean in most resamples. By documents, the resamples spread as widely as the intervals of
 * {@link compareWith}, because resamples of some dozens of documents are too alike.
 *
 * @param rows scores of each setting, one number for each question; at least one setting
 * @param units the unit of each question, as for {@link compareWith}
 */
export function winnerOf(
  rows: readonly ArrayLike<number>[],
  units: ArrayLike<number>,
  margin: number,
): Winner {
  const widening = widened(NEAR_QUANTILE, sizesOf(units)) / NEAR_QUANTILE;
  const resampled = resampledMeans(rows, units).map((means, row) => {
    const mean = meanOf(Float64Array.from(rows[row] ?? []));
    return means.map((value) => mean + widening * (value - mean));
  });
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

/**
 * The mean of each row in every resample of the units: the sum of the drawn scores over the number of drawn questions.
 * All rows share the resamples, which is what makes them paired.
 */
function resampledMeans(rows: readonly ArrayLike<number>[], units: ArrayLike<number>): Float64Array[] {
  const positions = [...Map.groupBy(Array.from(units).keys(), (index) => units[index]).values()];
  const count = positions.length;
  const sums = rows.map((values) =>
    Float64Array.from(positions, (indices) => indices.reduce((sum, index) => sum + (values[index] ?? 0), 0)),
  );
  const next = createRandom(SEED);
  const means = rows.map(() => new Float64Array(RESAMPLES));
  for (let sample = 0; sample < RESAMPLES; sample++) {
    const times = new Uint32Array(count);
    let questions = 0;
    for (let draw = 0; draw < count; draw++) {
      const unit = next(count);
      times[unit] = (times[unit] ?? 0) + 1;
      questions += positions[unit]?.length ?? 0;
    }
    for (const [row, values] of sums.entries()) {
      let sum = 0;
      for (let unit = 0; unit < count; unit++) sum += (times[unit] ?? 0) * (values[unit] ?? 0);
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
