// The words and numbers of every report.
import { isPeer } from '../settings.ts';
import { PEERS } from '../cutting/peers.ts';
import {
  DECIDING,
  type EvalReport,
  type MetricId,
  METRICS,
  type Recommendation,
  type RetrieverId,
  type ScoreReport,
} from '../report.ts';
import { QUESTIONS_TO_RECOMMEND } from '../recommend.ts';
import type { Difference } from '../statistics.ts';

/** Titles of the searches. */
export const RETRIEVERS: Readonly<Record<RetrieverId, string>> = {
  bm25: 'keywords (BM25)',
  vectors: 'vectors',
};

/** The measures in the order of tables. */
export const COLUMNS = Object.keys(METRICS) as MetricId[];

/** Title of a measure, with the number of chunks in place of k. */
export function titleOf(metric: MetricId, { k }: Pick<EvalReport, 'k'>): string {
  return METRICS[metric].title.replace('@k', `@${k}`);
}

/** Meaning of a measure, with the number of chunks in place of k. */
export function meaningOf(metric: MetricId, { k }: Pick<EvalReport, 'k'>): string {
  return METRICS[metric].meaning.replace('first k chunks', `first ${k} chunks`);
}

/** `82.9`: a share as a percentage. */
export function percent(share: number): string {
  return (100 * share).toFixed(1);
}

/** `+2.3`, `−1.0`: a difference in points. */
export function points(difference: number): string {
  const shown = (100 * Math.abs(difference)).toFixed(1);
  if (shown === '0.0') return '0.0';
  return `${difference > 0 ? '+' : '−'}${shown}`;
}

/** `+2.3 [0.4, 4.1]` */
export function interval({ mean, low, high }: Difference): string {
  const bound = (value: number): string => points(value).replace('+', '');
  return `${points(mean)} [${bound(low)}, ${bound(high)}]`;
}

/** The verdict in words. */
export function verdict({ verdict: sign }: Difference): 'better' | 'worse' | 'no difference' {
  return sign === 0 ? 'no difference' : sign > 0 ? 'better' : 'worse';
}

/** The name of a row for people: splitters of other libraries by their titles. */
export function shownName(name: string): string {
  const [tier = '', ...rest] = name.split(' ');
  return [isPeer(tier as keyof typeof PEERS) ? PEERS[tier as keyof typeof PEERS].title : tier, ...rest].join(
    ' ',
  );
}

/** `24 documents with 1,002,113 characters, 241,300 tokens (o200k)` */
export function corpusLine({ documents, tokenizer }: EvalReport): string {
  const sum = (of: 'characters' | 'tokens'): string =>
    whole(documents.reduce((total, document) => total + document[of], 0));
  return `${counted(documents.length, 'document')} with ${sum('characters')} characters, ${sum('tokens')} tokens (${tokenizer})`;
}

/** Where the questions come from. */
export function questionsLine({ questions: { given, cell, definition, heading } }: EvalReport): string {
  const made = [
    [cell, 'from table cells'],
    [definition, 'from definitions'],
    [heading, 'from headings, which decide nothing'],
  ] as const;
  const parts = made.filter(([count]) => count > 0).map(([count, source]) => `${whole(count)} ${source}`);
  const byRules = parts.length === 0 ? [] : [`made by rules: ${parts.join(', ')}`];
  return `Questions ${[...(given > 0 ? [`of yours: ${whole(given)}`] : []), ...byRules].join('; ')}.`;
}

/** The recommendation for one search, in sentences. */
export function recommendationOf(report: EvalReport, recommendation: Recommendation): string {
  const { retriever, questions, leader, isRecommended, judged, baseline } = recommendation;
  const by = RETRIEVERS[retriever];
  if (leader === undefined || judged === undefined)
    return `No recommendation for ${by}: ${counted(questions.judging, 'question')} to judge by are too few; give ${QUESTIONS_TO_RECOMMEND} questions or more.`;
  const share = `best in ${Math.floor(100 * leader.best)} % of the resamples of ${counted(questions.choosing, 'question')}`;
  if (!isRecommended)
    return `No recommendation for ${by}: ${shownName(leader.name)} is ${share}, and a recommendation takes 90 %.`;
  if (leader.name === baseline) return `For ${by}, keep ${shownName(leader.name)}: ${share}.`;
  const gain = `On the other ${counted(questions.judging, 'question')}, r1000 ${interval(judged)} against ${shownName(baseline)}: ${verdict(judged)}.`;
  return `For ${by}, take ${shownName(leader.name)}${sizeHint(report, recommendation)}: ${share}. ${gain}`;
}

/** The size to give, where the setting was cut at another one for equal tokens. */
function sizeHint({ settings, scores }: EvalReport, { leader, size, retriever }: Recommendation): string {
  const score = scores.find((row) => row.name === leader?.name && row.retriever === retriever);
  const setting = settings.find(({ name }) => name === score?.setting);
  return size === undefined || size === setting?.size ? '' : ` (with size ${size}, for equal tokens)`;
}

/** The rows of one search over one part of the questions. */
export function rowsOf(
  { scores }: EvalReport,
  retriever: RetrieverId,
  questions: ScoreReport['questions'],
): ScoreReport[] {
  return scores.filter((row) => row.retriever === retriever && row.questions === questions);
}

/** The searches of a report, in order. */
export function retrieversOf({ recommendations }: EvalReport): RetrieverId[] {
  return recommendations.map(({ retriever }) => retriever);
}

/** The cells of a row: name, tokens, each measure in percent, the difference in the deciding one with its verdict. */
export function cellsOf(report: EvalReport, row: ScoreReport): string[] {
  const setting = report.settings.find(({ name }) => name === row.setting);
  const difference = row.differences?.[DECIDING];
  return [
    shownName(row.name),
    (setting?.tokens ?? 0).toFixed(0),
    ...COLUMNS.map((metric) => percent(row.means[metric])),
    difference === undefined ? 'reference' : `${interval(difference)} ${verdict(difference)}`,
  ];
}

/** The heads of {@link cellsOf}. */
export function headsOf(report: EvalReport): string[] {
  return ['setting', 'tokens', ...COLUMNS.map((metric) => titleOf(metric, report)), 'r1000 at equal tokens'];
}

/** The number of questions of a part. */
export function countOf({ questions }: EvalReport, part: ScoreReport['questions']): number {
  return part === 'headings' ? questions.heading : questions.given + questions.cell + questions.definition;
}

/** `1 question`, `1,200 questions` */
export function counted(count: number, noun: string): string {
  return `${whole(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1,002,113` */
export function whole(count: number): string {
  return count.toLocaleString('en-US');
}

/** The units that the intervals resample, as a sentence. */
export function resamplingLine({ questions, resampling }: EvalReport): string {
  const { unit, documents } = resampling;
  if (unit === 'documents')
    return `Intervals come from a paired bootstrap over the ${counted(documents, 'document')} with questions, each with all of its questions.`;
  const over = 'Intervals come from a paired bootstrap over the questions';
  const { given, cell, definition } = questions;
  if (documents === given + cell + definition) return `${over}.`;
  return `${over}, because their documents (${whole(documents)}) are too few, or a few of them have most questions: other documents may differ by more.`;
}

/** How to read the numbers. */
export function explanationOf(report: EvalReport): string {
  return (
    'In each document, the chunks of all settings of one size have the same mean tokens, those of the reference, ' +
    `context included. ${resamplingLine(report)} They hold for all settings of one size at once; "no difference" says ` +
    'that the questions show none. One half of the questions chooses, the other half judges.'
  );
}
