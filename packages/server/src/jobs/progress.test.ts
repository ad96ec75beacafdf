import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { stepOf } from './progress.ts';

const STAGES = ['complete', 'outline', 'enrich', 'cut', 'embed', 'chunk'] as const;

describe('the step of a job', () => {
  it('is a whole number below 100 that follows the work, stage after stage', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { minLength: 6, maxLength: 6 }), (totals) => {
        let before = 0;
        for (const [index, stage] of STAGES.entries()) {
          const total = totals[index] ?? 0;
          for (let done = 0; done <= total; done++) {
            const { progress } = stepOf({ stage, done, total });
            expect(Number.isInteger(progress)).toBe(true);
            expect(progress).toBeGreaterThanOrEqual(before);
            expect(progress).toBeLessThan(100);
            before = progress;
          }
        }
      }),
      cases(100),
    );
  });

  it('names the stage and the part in work', () => {
    expect(stepOf({ stage: 'complete', done: 0, total: 4 }).message).toBe(
      'Choosing where to cut: part 1 of 4',
    );
    expect(stepOf({ stage: 'outline', done: 0, total: 1 }).message).toBe('Outlining the document');
    expect(stepOf({ stage: 'enrich', done: 2, total: 12 })).toEqual({
      progress: 41,
      message: 'Enriching section 3 of 12',
    });
    expect(stepOf({ stage: 'enrich', done: 12, total: 12 }).message).toBe('Enriching section 12 of 12');
  });
});
