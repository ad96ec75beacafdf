// Scores by question → means, differences to the reference, and a recommendation.
import type { EvalQuestion } from './questions/question.ts';
import { spread } from './questions/question.ts';
import {
  DECIDING,
  type EvalReport,
  type MetricId,
  METRICS,
  type Recommendation,
  type RetrieverId,
  type ScoreReport,
  type SettingReport,
} from './report.ts';
import type { QuestionScores } from './scoring.ts';
import { compareWith, type Difference, LEAST_QUESTIONS, meanOf, unitsOf, winnerOf } from './statistics.ts';

/** The scores of one setting by one retriever. */
export interface ScoredRow {
  /** Name of the setting. */
  readonly setting: string;
  /** Name of the setting's reference. */
  readonly reference: string;
  readonly retriever: RetrieverId;
  readonly blend?: number;
  readonly scores: QuestionScores;
}

/** A setting is recommended when it is the best in this share of the resamples. */
const BEST_SHARE = 0.9;
/** It must also be at most this much below the best one in `NEAR_SHARE` of the resamples. */
const NEAR_MARGIN = 0.01;
const NEAR_SHARE = 0.95;

/** Each half has the least number of questions. */
export const QUESTIONS_TO_RECOMMEND: number = 2 * LEAST_QUESTIONS;

const METRIC_IDS = Object.keys(METRICS) as MetricId[];

/**
 * A note for before the work: the questions are too few for a recommendation. `undefined` where they are enough.
 * Questions from headings do not count.
 *
 * @example
 * const note = noteOnFewQuestions(questions);
 * if (note !== undefined) console.error(note);
 */
export function noteOnFewQuestions(questions: readonly EvalQuestion[]): string | undefined {
  const count = positionsOf(questions, (origin) => origin !== 'heading').length;
  if (count >= QUESTIONS_TO_RECOMMEND) return undefined;
  const are =
    count === 0
      ? 'Questions from headings alone are'
      : count === 1
        ? '1 question is'
        : `${count} questions are`;
  return `${are} too few for a recommendation; give ${QUESTIONS_TO_RECOMMEND} or more.`;
}

/** The reports of all rows: over the questions that decide, and apart over those from headings. */
export function scoreReports(rows: readonly ScoredRow[], questions: readonly EvalQuestion[]): ScoreReport[] {
  const parts = [
    ['answers', positionsOf(questions, (origin) => origin !== 'heading')],
    ['headings', positionsOf(questions, (origin) => origin === 'heading')],
  ] as const;
  return parts.flatMap(([part, positions]) => {
    if (positions.length === 0) return [];
    const units = unitsOf(positions.map((position) => questions[position]?.document ?? ''));
    return [...Map.groupBy(rows, groupOf).values()].flatMap((group) =>
      reportsOf(group, part, positions, units),
    );
  });
}

/** Rows with one reference and one retriever are compared at once. */
function groupOf({ retriever, reference }: ScoredRow): string {
  return `${retriever} ${reference}`;
}

/** The reports of the rows of one group. Vectors are compared with the reference without a blend, or its first one. */
function reportsOf(
  rows: readonly ScoredRow[],
  questions: ScoreReport['questions'],
  positions: readonly number[],
  units: readonly number[],
): ScoreReport[] {
  const base = rows.find(({ setting, reference }) => setting === reference);
  const byMetric = METRIC_IDS.map((metric) => {
    const columns = rows.map((row) => pick(row.scores[metric], positions));
    const baseline = base === undefined ? [] : pick(base.scores[metric], positions);
    return [
      metric,
      columns.map(meanOf),
      compareWith(
        columns,
        columns.map(() => baseline),
        units,
      ),
    ] as const;
  });
  return rows.map(({ setting, retriever, blend, ...row }, index) => {
    const means = Object.fromEntries(byMetric.map(([metric, values]) => [metric, values[index]]));
    const differences = Object.fromEntries(byMetric.map(([metric, , values]) => [metric, values[index]]));
    const isReference = base?.scores === row.scores;
    return {
      name: nameOfRow({ setting, blend }),
      setting,
      retriever,
      ...(blend === undefined ? {} : { blend }),
      questions,
      means: means as Record<MetricId, number>,
      ...(isReference ? {} : { differences: differences as Record<MetricId, Difference> }),
    };
  });
}

/**
 * The recommendation for one retriever. One half of the questions chooses, the other half judges.
 *
 * @param rows those of the retriever
 * @param baseline name of the setting to judge against
 */
export function recommend(
  retriever: RetrieverId,
  rows: readonly ScoredRow[],
  { choosing, judging, units }: Halves,
  settings: readonly SettingReport[],
  baseline: string,
): Recommendation {
  const found = { retriever, questions: { choosing: choosing.length, judging: judging.length }, baseline };
  const { row, best, near } = winnerOf(
    rows.map(({ scores }) => pick(scores[DECIDING], choosing)),
    pick(units, choosing),
    NEAR_MARGIN,
  );
  const leader = rows[row];
  const base = rows.find(({ setting }) => setting === baseline);
  if (judging.length < LEAST_QUESTIONS || leader === undefined || base === undefined)
    return { ...found, isRecommended: false };
  const [judged] = compareWith(
    [pick(leader.scores[DECIDING], judging)],
    [pick(base.scores[DECIDING], judging)],
    pick(units, judging),
  );
  const size = settings.find(({ name }) => name === leader.setting)?.sizes.middle;
  return {
    ...found,
    leader: { name: nameOfRow(leader), best },
    isRecommended: best >= BEST_SHARE && near >= NEAR_SHARE,
    ...(size === undefined ? {} : { size }),
    ...(judged === undefined ? {} : { judged }),
  };
}

/** Positions of questions in two halves. */
export interface Halves {
  readonly choosing: readonly number[];
  readonly judging: readonly number[];
  /** The unit of the question at each position: a resample draws questions of equal numbers together. */
  readonly units: ArrayLike<number>;
}

/**
 * The deciding questions in two halves, by a hash: equal files have equal halves. Where documents are resampled, all
 * questions about one document are in one half, so that other documents judge.
 */
export function halvesOf(questions: readonly EvalQuestion[]): Halves {
  const positions = positionsOf(questions, (origin) => origin !== 'heading');
  const deciding = unitsOf(positions.map((position) => questions[position]?.document ?? ''));
  const units = new Float64Array(questions.length);
  for (const [index, position] of positions.entries()) units[position] = deciding[index] ?? 0;
  const order = [...Map.groupBy(positions, (position) => units[position]).values()]
    .map((unit) => ({ unit, hash: spread(questions[unit[0] ?? 0]?.question ?? '') }))
    .sort((a, b) => a.hash - b.hash || (a.unit[0] ?? 0) - (b.unit[0] ?? 0));
  const [choosing, judging]: [number[], number[]] = [[], []];
  for (const { unit } of order) {
    const half = choosing.length <= judging.length ? choosing : judging;
    for (const position of unit) half.push(position);
  }
  return { choosing, judging, units };
}

/** The units that resamples of the deciding questions draw. */
export function resamplingOf(questions: readonly EvalQuestion[]): EvalReport['resampling'] {
  const deciding = questions.filter(({ origin }) => origin !== 'heading').map(({ document }) => document);
  const documents = new Set(deciding).size;
  const isByDocument = documents < deciding.length && new Set(unitsOf(deciding)).size === documents;
  return { unit: isByDocument ? 'documents' : 'questions', documents };
}

function positionsOf(
  questions: readonly EvalQuestion[],
  accepts: (origin: EvalQuestion['origin']) => boolean,
): number[] {
  return questions.flatMap(({ origin }, position) => (accepts(origin) ? [position] : []));
}

function nameOfRow({
  setting,
  blend = 0,
}: {
  readonly setting: string;
  readonly blend?: number | undefined;
}): string {
  return blend === 0 ? setting : `${setting} blend ${blend}`;
}

function pick(values: ArrayLike<number>, positions: readonly number[]): Float64Array {
  return Float64Array.from(positions, (position) => values[position] ?? 0);
}
