// The times of the stages of a run, for traces.
import type { Embed } from '@grainline/core';
import type { StageTime } from './reply.ts';

/** Receives the time of a stage after it. */
export type StageReport = (time: StageTime) => void;

/** Measures stages that follow each other, and the embedding within them. */
export interface StageClock {
  /** Ends a stage, which began with the end of the one before. */
  end(stage: 'read' | 'cut'): void;
  /** An embedder whose first and last call are the stage `embed`. */
  watch(embed: Embed): Embed;
}

const UNWATCHED: StageClock = { end: () => undefined, watch: (embed) => embed };

/** @param report without it nothing is measured */
export function createStageClock(report: StageReport | undefined): StageClock {
  if (report === undefined) return UNWATCHED;
  const nowMs = (): number => performance.timeOrigin + performance.now();
  let startMs = nowMs();
  let embedded: { readonly startMs: number; endMs: number } | undefined;
  return {
    end(stage) {
      const endMs = nowMs();
      report({ stage, startMs, endMs });
      startMs = endMs;
      if (embedded !== undefined) report({ stage: 'embed', ...embedded });
      embedded = undefined;
    },
    watch: (embed) => async (texts, run) => {
      embedded ??= { startMs: nowMs(), endMs: 0 };
      try {
        return await embed(texts, run);
      } finally {
        embedded.endMs = nowMs();
      }
    },
  };
}
