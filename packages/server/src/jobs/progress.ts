// How far a job is, as a number and a sentence. The number follows the work that is done: questions answered, weighed
// by what they take, of which describing chunks is by far the most.
import type { Progress } from '@grainline/core';
import type { JobStep } from '../store/jobs.ts';

/** What is said before the text is known. */
export const READING: JobStep = { progress: 1, message: 'Reading the document' };
/** The step while a link is fetched. */
export const FETCHING: JobStep = { progress: 0, message: 'Fetching the document' };

interface Stage {
  /** Where the stage begins and ends, in percent. */
  readonly from: number;
  readonly to: number;
  /** @param part the one in work, from 1 */
  readonly message: (part: number, total: number) => string;
}

const STAGES: Readonly<Record<Progress['stage'], Stage>> = {
  complete: { from: 2, to: 25, message: (part, total) => `Choosing where to cut: part ${part} of ${total}` },
  outline: { from: 25, to: 30, message: () => 'Outlining the document' },
  enrich: { from: 30, to: 98, message: (part, total) => `Enriching section ${part} of ${total}` },
  cut: { from: 98, to: 98, message: () => 'Cutting' },
  // Of tiers that run as jobs it is the chunks that get vectors.
  embed: { from: 98, to: 99, message: () => 'Embedding the chunks' },
  chunk: { from: 99, to: 99, message: () => 'Writing the chunks' },
};

/** Turns the line's progress into a job's step. */
export function stepOf({ stage, done, total }: Progress): JobStep {
  const { from, to, message } = STAGES[stage];
  const share = total === 0 ? 1 : Math.min(1, done / total);
  return {
    progress: Math.floor(from + (to - from) * share),
    message: message(Math.min(done + 1, Math.max(1, total)), Math.max(1, total)),
  };
}
