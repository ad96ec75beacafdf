import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { createOutgoingReplies } from './outgoing.ts';

const MAX_BYTES = 1600;

describe('answers on their way', () => {
  it('are never ended below the limit, however slow they are', () => {
    let nowMs = 0;
    const outgoing = createOutgoingReplies(MAX_BYTES, () => nowMs);
    const ended: number[] = [];
    for (let count = 0; count < 16; count++, nowMs += 60_000) outgoing.add(100, () => ended.push(count));
    expect([ended, outgoing.heldBytes()]).toEqual([[], MAX_BYTES]);
  });

  it('are ended beyond the limit, the oldest first and no more than needed', () => {
    let nowMs = 0;
    const outgoing = createOutgoingReplies(MAX_BYTES, () => nowMs);
    const ended: number[] = [];
    for (let count = 0; count < 4; count++, nowMs += 500) outgoing.add(400, () => ended.push(count));
    outgoing.add(500, () => ended.push(4));
    expect([ended, outgoing.heldBytes()]).toEqual([[0, 1], 1300]);
  });

  it('are not ended in a burst that is taken at once', () => {
    let nowMs = 0;
    const outgoing = createOutgoingReplies(MAX_BYTES, () => nowMs);
    const ended: number[] = [];
    const burst = Array.from({ length: 9 }, (_, count) => outgoing.add(400, () => ended.push(count)));
    nowMs = 999;
    burst.push(outgoing.add(400, () => ended.push(9)));
    for (const forget of burst) forget();
    expect([ended, outgoing.heldBytes()]).toEqual([[], 0]);
  });

  it('never hold more than the limit and the answers of the last second, and nothing in the end', () => {
    const step = fc.record({
      bytes: fc.integer({ min: 1, max: 900 }),
      leaves: fc.boolean(),
      afterMs: fc.integer({ min: 0, max: 700 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let nowMs = 0;
        const outgoing = createOutgoingReplies(MAX_BYTES, () => nowMs);
        const open: { readonly forget: () => void; readonly bytes: number; readonly sinceMs: number }[] = [];
        for (const { bytes, leaves, afterMs } of steps) {
          nowMs += afterMs;
          open.push({ forget: outgoing.add(bytes, () => undefined), bytes, sinceMs: nowMs });
          const fresh = open.filter(({ sinceMs }) => sinceMs > nowMs - 1_000);
          expect(outgoing.heldBytes()).toBeLessThanOrEqual(
            MAX_BYTES + fresh.reduce((sum, answer) => sum + answer.bytes, 0),
          );
          if (leaves) open.shift()?.forget();
        }
        for (const { forget } of open) forget();
        expect(outgoing.heldBytes()).toBe(0);
      }),
      cases(200),
    );
  });
});
