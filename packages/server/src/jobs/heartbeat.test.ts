import type { LeaseStatus } from '@grainline/x402';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobStep } from '../store/jobs.ts';
import { createHeartbeat } from './heartbeat.ts';

const EVERY_MS = 2000;
const STEP_MS = 250;
const step = (progress: number): JobStep => ({ progress, message: 'on the way' });

/** A heartbeat whose renewals are written down; each ends as `answer` says. */
function beating(answer: () => Promise<LeaseStatus> = () => Promise.resolve('held')) {
  const renewals: (number | undefined)[] = [];
  let lost = 0;
  const heartbeat = createHeartbeat(
    EVERY_MS,
    (reported) => {
      renewals.push(reported?.progress);
      return answer();
    },
    () => {
      lost++;
    },
  );
  return { heartbeat, renewals, lost: () => lost };
}

describe('the lease of a job that is worked on', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is renewed again and again, until the work has ended', async () => {
    const { heartbeat, renewals } = beating();
    await vi.advanceTimersByTimeAsync(3 * EVERY_MS);
    expect(renewals).toHaveLength(3);
    await heartbeat.stop();
    await vi.advanceTimersByTimeAsync(3 * EVERY_MS);
    expect(renewals).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is renewed no more when the work has ended during a renewal, which is waited for', async () => {
    const answer = Promise.withResolvers<LeaseStatus>();
    const { heartbeat, renewals } = beating(() => answer.promise);
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    let isStopped = false;
    const stopped = heartbeat.stop().then(() => (isStopped = true));
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    expect(isStopped).toBe(false);
    answer.resolve('held');
    await stopped;
    heartbeat.report(step(1));
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    expect(renewals).toHaveLength(1);
  });

  it('is renewed with the latest of the steps, four times a second at most', async () => {
    const { heartbeat, renewals } = beating();
    heartbeat.report(step(1));
    await vi.advanceTimersByTimeAsync(0);
    for (const progress of [2, 3, 4]) heartbeat.report(step(progress));
    await vi.advanceTimersByTimeAsync(STEP_MS - 1);
    expect(renewals).toEqual([1]);
    await vi.advanceTimersByTimeAsync(1);
    expect(renewals).toEqual([1, 4]);
    await heartbeat.stop();
  });

  it('is tried again soon where the store did not answer, with the step that it has not heard of', async () => {
    let answer: () => Promise<LeaseStatus> = () => Promise.reject(new Error('no answer'));
    const { heartbeat, renewals, lost } = beating(() => answer());
    heartbeat.report(step(1));
    await vi.advanceTimersByTimeAsync(0);
    answer = () => Promise.resolve('held');
    await vi.advanceTimersByTimeAsync(STEP_MS);
    expect(renewals).toEqual([1, 1]);
    expect(lost()).toBe(0);
    await heartbeat.stop();
  });

  it('that is lost is said so', async () => {
    const { heartbeat, lost } = beating(() => Promise.resolve('lost'));
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    expect(lost()).toBe(1);
    await heartbeat.stop();
  });

  it('is renewed at once when that is late, and no sooner', async () => {
    const { heartbeat, renewals } = beating();
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    await heartbeat.catchUp();
    expect(renewals).toHaveLength(1);
    // As in a process that was held up: the time has passed, and no timer has run.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2 * EVERY_MS);
    await heartbeat.catchUp();
    expect(renewals).toHaveLength(2);
    vi.restoreAllMocks();
    await heartbeat.stop();
  });
});
