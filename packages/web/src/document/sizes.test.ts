import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { scaleOf } from './sizes.ts';

it('a scale has few round values from 0 on, none above its end', () => {
  expect(scaleOf(5, 2)).toEqual([0, 5]);
  expect(scaleOf(1, 2)).toEqual([0, 1]);
  expect(scaleOf(1020, 4)).toEqual([0, 500, 1000]);
  expect(scaleOf(0, 2)).toEqual([0]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e8 }), fc.constantFrom(2, 4), (most, count) => {
      const values = scaleOf(most, count);
      expect(values[0]).toBe(0);
      expect(values.at(-1)).toBeLessThanOrEqual(most);
      expect(values.length).toBeGreaterThan(1);
      expect(values.length).toBeLessThanOrEqual(count + 1);
      for (const value of values) expect(Number.isInteger(value)).toBe(true);
    }),
    cases(200),
  );
});
