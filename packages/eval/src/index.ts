/**
 * How well chunks serve retrieval on documents of your own: recall at equal tokens by tier, size and option, with
 * intervals, a recommendation, and reports as text, Markdown and HTML.
 */
export { evaluate } from './evaluate.ts';
export type { EvalProgress, EvaluateOptions } from './evaluate.ts';
export { noteOnFewQuestions } from './recommend.ts';
export { EvalError } from './errors.ts';
export type { EvalErrorCode } from './errors.ts';
export { readQuestions, writeQuestions } from './questions/read.ts';
export { makeQuestions } from './questions/make.ts';
export type { MakeOptions } from './questions/make.ts';
export type { EvalDocument, EvalQuestion, QuestionOrigin } from './questions/question.ts';
export { DEFAULT_TIERS, EVAL_TIERS, settingsOf } from './settings.ts';
export type { CutOptions, EvalSetting, SettingGrid } from './settings.ts';
export { PEERS } from './cutting/peers.ts';
export type { PeerId } from './cutting/peers.ts';
export { METRICS } from './report.ts';
export type {
  EvalReport,
  MetricId,
  Recommendation,
  RetrieverId,
  ScoreReport,
  SettingReport,
} from './report.ts';
export type { Difference } from './statistics.ts';
export { htmlReport } from './report/html.ts';
export { markdownReport, textReport } from './report/text.ts';
