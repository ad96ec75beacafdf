// The progress of a job, as a number and a sentence. The number counts answered model requests by their usual duration;
// the descriptions of chunks take by far the longest.
import type { TaskProgress } from '../sandbox/index.ts';
import type { JobStep } from '../store/jobs.ts';

/** The step before the text is known. */
export const READING: JobStep = { progress: 1, message: 'Reading the document' };
/** The step while a link is fetched. */
export const FETCHING: JobStep = { progress: 0, message: 'Fetching the document' };

interface Stage {
  /** Begin and end of the stage, in percent. */
  readonly from: number;
  readonly to: number;
  /** @param part the current part, from 1 */
  readonly message: (part: number, total: number) => string;
}

const STAGES: Readonly<Record<TaskProgress['stage'], Stage>> = {
  ocr: { from: 1, to: 2, message: (part, total) => `Reading scanned page ${part} of ${total}` },
  complete: { from: 2, to: 25, message: (part, total) => `Choosing where to cut: part ${part} of ${total}` },
  outline: { from: 25, to: 30, message: () => 'Outlining the document' },
  enrich: { from: 30, to: 98, message: (part, total) => `Enriching section ${part} of ${total}` },
  cut: { from: 98, to: 98, message: () => 'Cutting' },
  // Tiers that run as jobs embed chunks, not sentences.
  embed: { from: 98, to: 99, message: () => 'Embedding the chunks' },
  chunk: { from: 99, to: 99, message: () => 'Writing the chunks' },
};

/** Turns the pipeline's progress into a job's step. */
export function stepOf({ stage, done, total }: TaskProgress): JobStep {
  const { from, to, message } = STAGES[stage];
  const share = total === 0 ? 1 : Math.min(1, done / total);
  return {
    progress: Math.floor(from + (to - from) * share),
    message: message(Math.min(done + 1, Math.max(1, total)), Math.max(1, total)),
  };
}
