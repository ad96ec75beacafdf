// How far a child process says it is, as far as it can be believed.
import type { Progress } from '@grainline/core';

/** The progress that a message tells; undefined for other messages, and for what no tier would say. */
export function readProgress(message: unknown): Progress | undefined {
  const { progress } = Object(message) as Readonly<Record<string, unknown>>;
  const { stage, done, total } = Object(progress) as Readonly<Record<string, unknown>>;
  const isSound =
    typeof stage === 'string' &&
    /^[a-z]{1,20}$/.test(stage) &&
    Number.isSafeInteger(done) &&
    Number.isSafeInteger(total) &&
    (done as number) >= 0 &&
    (done as number) <= (total as number);
  // The stages are core's, which may have more of them than this file could name.
  return isSound
    ? { stage: stage as Progress['stage'], done: done as number, total: total as number }
    : undefined;
}
