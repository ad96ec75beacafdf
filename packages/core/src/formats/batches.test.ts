import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { adviseUpsert } from './batches.ts';
import type { BatchLimits, Format } from './format.ts';
import { raw } from './raw.ts';

const formatWith = (limits: BatchLimits): Format => ({ ...raw, limits: () => limits });

/** The longest run that every request may hold, found by trying them all. */
function longestRun(records: readonly unknown[], { maxRecords, maxBytes }: BatchLimits): number {
  const fits = (length: number): boolean =>
    records.every((_, at) => Buffer.byteLength(JSON.stringify(records.slice(at, at + length))) <= maxBytes);
  let longest = Math.min(records.length, maxRecords);
  while (longest > 0 && !fits(longest)) longest--;
  return longest;
}

describe('advice for an upsert', () => {
  it('names the most records that a request may hold wherever it begins, to the byte', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 12 }), { minLength: 1, maxLength: 25 }),
        fc.record({
          maxRecords: fc.integer({ min: 1, max: 30 }),
          maxBytes: fc.integer({ min: 4, max: 150 }),
        }),
        (records, limits) => {
          const longest = longestRun(records, limits);
          const isNeeded = longest > 0 && longest < records.length;
          expect(adviseUpsert(records, formatWith(limits))).toEqual(
            isNeeded ? { calls: Math.ceil(records.length / longest), max_records: longest } : undefined,
          );
        },
      ),
      cases(300),
    );
  });
});
