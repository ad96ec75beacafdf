import { beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_JOBS } from '../jobs/jobs.ts';
import { NO_PAYMENTS } from '../payments/payments.ts';
import { createPaidWork } from '../payments/work.ts';
import { createDrain, type Drain } from './drain.ts';

const SETTINGS = { drainMs: 5_000, shutdownMs: 25_000 };

let nowMs: number;
beforeEach(() => {
  nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});

/** Ends the service, and returns the calls with their times and phases. Each wait lasts as long as it may. */
async function endedBy(drain: Drain, isNoticed = true): Promise<unknown[][]> {
  const calls: unknown[][] = [];
  const record = (call: string, bounds: unknown): Promise<void> =>
    Promise.resolve(void calls.push([call, drain.phase(), bounds]));
  const edge = {
    waitForQuiet: (time: { readonly mostMs: number }) => {
      nowMs += time.mostMs;
      return record('quiet', time);
    },
    close: (graceMs: number) => record('close', graceMs),
  };
  const jobs = { ...NO_JOBS, close: (graceMs?: number) => record('jobs', graceMs) };
  await drain.end(edge, { jobs, payments: { ...NO_PAYMENTS, work: createPaidWork() } }, isNoticed);
  return calls;
}

describe('the drain of a service', () => {
  it('waits for a pause of the requests where no client polls /ready', async () => {
    expect(await endedBy(createDrain(SETTINGS))).toEqual([
      ['jobs', 'leaving', 12_500],
      ['quiet', 'leaving', { leastMs: 0, mostMs: 2_000 }],
      ['close', 'refusing', 23_000],
    ]);
  });

  it.each([
    ['DRAIN_MS', SETTINGS, 5_000],
    ['half of SHUTDOWN_MS', { drainMs: 20_000, shutdownMs: 600 }, 300],
  ])('waits for %s where a client polled within a minute', async (_, settings, ms) => {
    const drain = createDrain(settings);
    drain.recordPoll();
    nowMs += 59_999;
    const [, quiet, close] = await endedBy(drain);
    expect(quiet).toEqual(['quiet', 'leaving', { leastMs: ms, mostMs: ms }]);
    expect(close).toEqual(['close', 'refusing', settings.shutdownMs - ms]);
  });

  it('forgets a poll after a minute', async () => {
    const drain = createDrain(SETTINGS);
    drain.recordPoll();
    nowMs += 60_000;
    const [, quiet] = await endedBy(drain);
    expect(quiet).toEqual(['quiet', 'leaving', { leastMs: 0, mostMs: 2_000 }]);
  });

  it('never waits longer than SHUTDOWN_MS', async () => {
    const [, quiet, close] = await endedBy(createDrain({ drainMs: 0, shutdownMs: 500 }));
    expect(quiet).toEqual(['quiet', 'leaving', { leastMs: 0, mostMs: 500 }]);
    expect(close).toEqual(['close', 'refusing', 0]);
  });

  it('waits for no client of a service that was never ready', async () => {
    expect(await endedBy(createDrain(SETTINGS), false)).toEqual([
      ['jobs', 'leaving', 12_500],
      ['close', 'refusing', 25_000],
    ]);
  });
});
