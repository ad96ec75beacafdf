// Questions against an index of chunks: the measures of each question.
import {
  type Answer,
  type IndexedChunk,
  mergeSpans,
  overlapWith,
  precisionOmega,
  recallWithin,
} from './metrics.ts';
import type { EvalDocument, EvalQuestion } from './questions/question.ts';
import type { MetricId } from './report.ts';
import type { Scorer } from './retrieval/bm25.ts';
import { bestOf } from './retrieval/ranking.ts';

/** A question as the measures need it. */
export interface Target extends Answer {
  readonly query: string;
}

/** Each measure for every question, in the order of the questions. */
export type QuestionScores = Readonly<Record<MetricId, Float64Array>>;

/** Chunks that a ranking keeps: more than 2000 tokens of any chunks that serve a reader. */
const RANKED = 200;

/** The questions with the positions of their documents. */
export function targetsOf(questions: readonly EvalQuestion[], documents: readonly EvalDocument[]): Target[] {
  const positions = new Map(documents.map(({ name }, position) => [name, position]));
  return questions.map(({ question, document, spans }) => ({
    query: question,
    document: positions.get(document) ?? -1,
    spans: mergeSpans(spans),
  }));
}

/** Searches for every question and measures the chunks that are found. */
export function scoreAll(
  targets: readonly Target[],
  chunks: readonly IndexedChunk[],
  scorer: Scorer,
  k: number,
): QuestionScores {
  const column = (): Float64Array => new Float64Array(targets.length);
  const scores = {
    r500: column(),
    r1000: column(),
    r2000: column(),
    hit1: column(),
    recall: column(),
    omega: column(),
    iou: column(),
  };
  const byDocument = Map.groupBy(chunks, ({ document }) => document);
  for (const [index, target] of targets.entries()) {
    const ranked = bestOf(scorer(target.query), RANKED).flatMap((position) => chunks[position] ?? []);
    const { recall, iou } = overlapWith(target, ranked.slice(0, k));
    scores.r500[index] = recallWithin(target, ranked, 500);
    scores.r1000[index] = recallWithin(target, ranked, 1000);
    scores.r2000[index] = recallWithin(target, ranked, 2000);
    scores.hit1[index] = overlapWith(target, ranked.slice(0, 1)).recall >= 0.5 ? 1 : 0;
    scores.recall[index] = recall;
    scores.omega[index] = precisionOmega(target, byDocument.get(target.document) ?? []);
    scores.iou[index] = iou;
  }
  return scores;
}
