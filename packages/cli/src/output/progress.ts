// The line of progress of a run: documents done, a bar over all of them, an estimate, and the document at work.
import { printable } from '../io.ts';

/** A document of a run. */
export interface ProgressDocument {
  /** Name in messages, which no other document of the run has. */
  readonly shown: string;
  /** Its length, which weighs it against the others; undefined when unknown. */
  readonly bytes?: number | undefined;
}

/** The progress of a run. */
export interface RunProgress {
  readonly begin: (shown: string) => void;
  /** A stage of a document at work, from 0 to 1, and its name: `page 4 of 50`. */
  readonly step: (shown: string, share: number, stage: string) => void;
  readonly finish: (shown: string) => void;
  /** The line for a terminal of so many columns. */
  readonly line: (columns: number) => string;
}

/** An estimate needs some time and some work behind it. */
const LEAST_MS = 1500;
const LEAST_SHARE = 0.02;
const [SHORTEST_BAR, LONGEST_BAR] = [6, 20];

/**
 * The progress over documents. Without the length of every document, all count the same.
 *
 * @param now milliseconds of a clock that only goes forward
 */
export function createProgress(documents: readonly ProgressDocument[], now: () => number): RunProgress {
  const isWeighed = documents.every(({ bytes }) => bytes !== undefined);
  const weights = new Map(documents.map(({ shown, bytes = 1 }) => [shown, isWeighed ? bytes + 1 : 1]));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const weightOf = (shown: string): number => weights.get(shown) ?? 0;
  /** In the order of their begin. */
  const atWork = new Map<string, { share: number; stage: string }>();
  const began = now();
  let done = 0;
  let finished = 0;

  return {
    begin: (shown) => void atWork.set(shown, { share: 0, stage: '' }),
    step(shown, share, stage) {
      if (atWork.has(shown)) atWork.set(shown, { share, stage });
    },
    finish(shown) {
      atWork.delete(shown);
      done++;
      finished += weightOf(shown);
    },
    line(columns) {
      const started = [...atWork].reduce((sum, [shown, { share }]) => sum + share * weightOf(shown), 0);
      const share = total === 0 ? 0 : Math.min(1, (finished + started) / total);
      const width = Math.min(LONGEST_BAR, Math.max(SHORTEST_BAR, Math.floor(columns / 5)));
      const filled = Math.round(share * width);
      const bar = '█'.repeat(filled) + '░'.repeat(width - filled);
      const [first] = atWork;
      const name =
        first === undefined ? '' : `  ${first[0]}${first[1].stage === '' ? '' : `, ${first[1].stage}`}`;
      const left = estimate(share, now() - began);
      return `${done}/${documents.length} ${bar} ${Math.floor(100 * share)}%${left}${printable(name)}`;
    },
  };
}

/** ` about 40 s left`, or '' while nothing can be said. */
function estimate(share: number, elapsedMs: number): string {
  if (share < LEAST_SHARE || share >= 1 || elapsedMs < LEAST_MS) return '';
  const seconds = Math.ceil((elapsedMs * (1 - share)) / share / 1000);
  return seconds < 100 ? ` about ${seconds} s left` : ` about ${Math.ceil(seconds / 60)} min left`;
}
