import { describe, expect, it } from 'vitest';
import { type StoredJob, storeJob, storedJob } from './job.ts';

const job: StoredJob = {
  id: 'ai-pro_0123456789ab',
  tier: 'ai-pro',
  filename: 'a.txt',
  documentId: 'a1',
  options: { size: 500, overlap: 0, unit: 'tokens' },
  begunMs: 1_000,
};

function memory() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

describe('a job', () => {
  it('is kept between visits for as long as it can have a result', () => {
    const storage = memory();
    storeJob(storage, job);
    expect(storedJob(storage, 2_000)).toEqual(job);
    expect(storedJob(storage, 1_000 + 3 * 3_600_000)).toBeUndefined();
    storeJob(storage, undefined);
    expect(storedJob(storage, 2_000)).toBeUndefined();
  });

  it('is none where what is kept is garbage, or nothing may be kept', () => {
    const storage = memory();
    const optionless = JSON.stringify({ ...job, options: undefined });
    for (const garbage of ['', 'null', '7', '{"id":7}', '[]', '{', optionless]) {
      storage.setItem('grainline.job', garbage);
      expect(storedJob(storage, 0)).toBeUndefined();
    }
    const forbidden = () => {
      throw new Error('denied');
    };
    const closed = { getItem: forbidden, setItem: forbidden, removeItem: forbidden };
    expect(storedJob(closed, 0)).toBeUndefined();
    expect(() => storeJob(closed, job)).not.toThrow();
  });
});
