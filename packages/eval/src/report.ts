// The result of an evaluation, as plain data.
import type { Difference } from './statistics.ts';
import type { EvalSetting } from './settings.ts';
import type { QuestionOrigin } from './questions/question.ts';

/** The measures. Each is a share from 0 to 1, and higher is better. */
export const METRICS = {
  r500: { title: 'r500', meaning: 'share of the answer in the first 500 tokens' },
  r1000: { title: 'r1000', meaning: 'share of the answer in the first 1000 tokens' },
  r2000: { title: 'r2000', meaning: 'share of the answer in the first 2000 tokens' },
  hit1: {
    title: 'hit@1',
    meaning: 'share of questions whose first chunk has half of the answer',
  },
  recall: { title: 'recall@k', meaning: 'share of the answer in the first k chunks' },
  omega: { title: 'PΩ', meaning: 'share of the answer in all chunks that touch it' },
  iou: { title: 'IoU', meaning: 'answer in the first k chunks over the union of both' },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly meaning: string }>>;

/** Name of a measure. */
export type MetricId = keyof typeof METRICS;

/** The measure that decides about settings. */
export const DECIDING: MetricId = 'r1000';

/** A search over the chunks. */
export type RetrieverId = 'bm25' | 'vectors';

/** A setting and its chunks. */
export interface SettingReport extends EvalSetting {
  /** As `structure 1000`. */
  readonly name: string;
  /** Name of the setting whose mean tokens the chunks have in each document; its own for such a reference. */
  readonly reference: string;
  readonly chunks: number;
  /** Mean tokens of a chunk, context included. */
  readonly tokens: number;
  /** The sizes that give these tokens: over groups of documents the smallest, that of the middle chunk, the largest. */
  readonly sizes: { readonly low: number; readonly middle: number; readonly high: number };
}

/** The measures of one setting by one retriever over some questions. */
export interface ScoreReport {
  /** Name of the setting, with the blend of its vectors: `structure 1000 blend 0.4`. */
  readonly name: string;
  /** Name of the setting. */
  readonly setting: string;
  readonly retriever: RetrieverId;
  /** Weight of the neighbours in each vector; absent for keywords. */
  readonly blend?: number;
  /** Questions from headings are apart: they favour headings in the index. */
  readonly questions: 'answers' | 'headings';
  readonly means: Readonly<Record<MetricId, number>>;
  /** Differences to the reference of the same tokens, without blend; absent for the reference itself. */
  readonly differences?: Readonly<Record<MetricId, Difference>>;
}

/** A setting that is best by one retriever, or the reason that none is named. */
export interface Recommendation {
  readonly retriever: RetrieverId;
  /** Questions that chose, and other questions that judged. */
  readonly questions: { readonly choosing: number; readonly judging: number };
  /** The setting that is best in most resamples; absent with too few questions. */
  readonly leader?: { readonly name: string; readonly best: number };
  /** True when the leader is recommended. */
  readonly isRecommended: boolean;
  /** The size to give for the leader. */
  readonly size?: number;
  /** On the judging questions: the gain of the leader over `baseline`, in the deciding measure. */
  readonly judged?: Difference;
  /** The setting that a user has by default, or the first reference. */
  readonly baseline: string;
}

/** The result of an evaluation. */
export interface EvalReport {
  readonly documents: readonly {
    readonly name: string;
    readonly characters: number;
    readonly tokens: number;
  }[];
  /** Name of the encoding of all tokens. */
  readonly tokenizer: string;
  /** Name of the embedding model; absent without vectors. */
  readonly embedder?: string;
  readonly questions: Readonly<Record<QuestionOrigin, number>>;
  /** The units that resamples of the deciding questions draw, and the number of documents with such questions. */
  readonly resampling: { readonly unit: 'documents' | 'questions'; readonly documents: number };
  /** Chunks of `recall` and `iou`. */
  readonly k: number;
  /** Unit of the sizes. */
  readonly unit: 'characters' | 'tokens';
  readonly settings: readonly SettingReport[];
  readonly scores: readonly ScoreReport[];
  readonly recommendations: readonly Recommendation[];
  /** Questions whose answer no setting has in its first 2000 tokens. */
  readonly unanswered: readonly { readonly question: string; readonly document: string }[];
}
