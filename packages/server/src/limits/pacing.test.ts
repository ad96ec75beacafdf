import { describe, expect, it } from 'vitest';
import { createPacing, MOST_APART_MS, TURNS_APART } from './pacing.ts';

const loopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Time stands still. */
const still = (): number => 0;

describe('pacing', () => {
  it('lets one caller go at once, and each later one after so many turns of the event loop, in order', async () => {
    const nextTurn = createPacing(still);
    const gone: number[] = [];
    const turns: number[] = [];
    let turn = 0;
    for (const caller of [0, 1, 2]) {
      void nextTurn().then(() => {
        gone.push(caller);
        turns.push(turn);
      });
    }
    while (gone.length < 3) {
      await loopTurn();
      turn += 1;
    }
    expect(gone).toEqual([0, 1, 2]);
    expect(turns).toEqual([0, TURNS_APART, 2 * TURNS_APART]);
  });

  it('leaves turns between two callers also when nobody waited in between', async () => {
    const nextTurn = createPacing(still);
    await nextTurn();
    let turns = 0;
    let isFree = false;
    void nextTurn().then(() => (isFree = true));
    while (!isFree) {
      await loopTurn();
      turns += 1;
    }
    expect(turns).toBeGreaterThanOrEqual(TURNS_APART - 1);
  });

  it('lets a caller go every so many milliseconds, when turns take long', async () => {
    let ms = 0;
    const nextTurn = createPacing(() => ms);
    let gone = 0;
    for (let caller = 0; caller < 5; caller++) void nextTurn().then(() => gone++);
    for (let turn = 0; turn < 5; turn++) {
      await loopTurn();
      ms += MOST_APART_MS;
    }
    await loopTurn();
    expect(gone).toBe(5);
  });

  it('goes on after a pause', async () => {
    const nextTurn = createPacing();
    await nextTurn();
    await nextTurn();
    await Promise.all([nextTurn(), nextTurn()]);
  });
});
