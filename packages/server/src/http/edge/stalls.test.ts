import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../core/test/cases.ts';
import { createStallWatch } from './stalls.ts';

const LIMITS = { stallMs: 20_000, bytesPerS: 1000 };

/** A client that sends so many bytes in each second, as long as it is waited for. */
function second(rates: readonly { readonly bytes: number; readonly isWaiting: boolean }[]): number {
  const stalls = createStallWatch(LIMITS, 0);
  let sent = 0;
  let isWaiting = true;
  let endedAt = -1;
  let now = 0;
  stalls.watch({ isWaiting: () => isWaiting, bytes: () => sent, end: () => (endedAt = now) });
  for (const rate of rates) {
    now += 1;
    sent += rate.bytes;
    isWaiting = rate.isWaiting;
    stalls.tick(1000);
  }
  return endedAt;
}
const steady = (bytes: number, seconds: number, isWaiting = true) =>
  Array.from({ length: seconds }, () => ({ bytes, isWaiting }));

describe('a transfer', () => {
  it('that stands still is ended once, after its time and no sooner', () => {
    expect(second(steady(0, 20))).toBe(-1);
    expect(second(steady(0, 100))).toBe(21);
  });

  it('of one byte a second is ended as well, and one at the rate never is', () => {
    expect(second(steady(1, 100))).toBe(21);
    expect(second(steady(999, 100_000))).toBeGreaterThan(10_000);
    expect(second(steady(1000, 100_000))).toBe(-1);
  });

  it('saves up no more than one time of standing still, however fast it was', () => {
    expect(second([...steady(50_000_000, 10), ...steady(0, 100)])).toBe(31);
  });

  it('is not ended while it is us who do not go on', () => {
    expect(second(steady(0, 10_000, false))).toBe(-1);
    expect(second([...steady(0, 10_000, false), ...steady(0, 100)])).toBe(10_021);
  });

  it('ends at latest when its time and what its bytes buy are over, and never before its time', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ bytes: fc.nat(3000), isWaiting: fc.boolean() }), { maxLength: 200 }),
        (rates) => {
          const ended = second(rates);
          const until = ended === -1 ? rates : rates.slice(0, ended);
          const waited = until.filter(({ isWaiting }) => isWaiting).length;
          const bought = until.reduce((sum, { bytes }) => sum + bytes / 1000, 0);
          if (ended === -1) return;
          expect(waited).toBeGreaterThan(20);
          expect(waited).toBeLessThan(20 + bought + 2 + until.length);
        },
      ),
      cases(100),
    );
  });

  it('is watched by a timer only while there is one, and no longer once it is over', () => {
    const stalls = createStallWatch(LIMITS, 1000);
    const ended: string[] = [];
    const stop = stalls.watch({ isWaiting: () => true, bytes: () => 0, end: () => ended.push('stopped') });
    stop();
    stalls.watch({ isWaiting: () => true, bytes: () => 0, end: () => ended.push('stalled') });
    for (let tick = 0; tick < 50; tick++) stalls.tick(1000);
    expect(ended).toEqual(['stalled']);
  });
});
