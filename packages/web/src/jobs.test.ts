import { describe, expect, it } from 'vitest';
import { followJob, type Job, keepJob, keptJob } from './jobs.ts';
import { type JobStatus, Refusal } from './service.ts';

const job: Job = {
  id: 'ai-pro_0123456789ab',
  tier: 'ai-pro',
  filename: 'a.txt',
  options: { size: 500, overlap: 0, unit: 'tokens' },
  begunMs: 1_000,
};
const status = (
  progress: number,
  of: JobStatus['status'] = 'processing',
  message = 'Reading',
): JobStatus => ({
  status: of,
  progress,
  message,
});

function memory() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

/** Follows a job whose service gives these answers, one after another. */
async function follow(answers: readonly (JobStatus | Error)[]) {
  const waits: number[] = [];
  const seen: number[] = [];
  const left = [...answers];
  const result = followJob(job.id, {
    service: {
      jobStatus: () => {
        const next = left.shift() ?? new Error('asked too often');
        return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
      },
      jobResult: () => Promise.resolve('the result'),
    },
    wait: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
    signal: new AbortController().signal,
    onStatus: ({ progress }) => void seen.push(progress),
  });
  return { result: await result, waits, seen };
}

describe('a job', () => {
  it('is asked after until it is done', async () => {
    const { result, seen, waits } = await follow([status(10), status(60), status(100, 'completed')]);
    expect(result).toBe('the result');
    expect(seen).toEqual([10, 60, 100]);
    expect(waits).toEqual([1500, 1500]);
  });

  it('outlives a network that is away and a service that is busy, and waits as long as that says', async () => {
    const { result, waits } = await follow([
      new TypeError('Failed to fetch'),
      new Refusal('Too many requests', 429, 30),
      new Refusal('Busy', 503),
      status(100, 'completed'),
    ]);
    expect(result).toBe('the result');
    expect(waits).toEqual([5000, 30_000, 1500]);
  });

  it('ends with the words of the service when it failed or is gone', async () => {
    await expect(follow([status(40, 'failed', 'The model gave no answer.')])).rejects.toThrow(
      'gave no answer',
    );
    await expect(follow([new Refusal('There is no such job.', 404)])).rejects.toThrow('no such job');
  });

  it('is kept between visits for as long as it can have a result', () => {
    const storage = memory();
    keepJob(storage, job);
    expect(keptJob(storage, 2_000)).toEqual(job);
    expect(keptJob(storage, 1_000 + 3 * 3_600_000)).toBeUndefined();
    keepJob(storage, undefined);
    expect(keptJob(storage, 2_000)).toBeUndefined();
  });

  it('is none where what is kept is garbage, or nothing may be kept', () => {
    const storage = memory();
    const optionless = JSON.stringify({ ...job, options: undefined });
    for (const garbage of ['', 'null', '7', '{"id":7}', '[]', '{', optionless]) {
      storage.setItem('grainline.job', garbage);
      expect(keptJob(storage, 0)).toBeUndefined();
    }
    const forbidden = () => {
      throw new Error('denied');
    };
    const closed = { getItem: forbidden, setItem: forbidden, removeItem: forbidden };
    expect(keptJob(closed, 0)).toBeUndefined();
    expect(() => keepJob(closed, job)).not.toThrow();
  });
});
