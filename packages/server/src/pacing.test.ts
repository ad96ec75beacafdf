import { describe, expect, it } from 'vitest';
import { createPacing, TURNS_APART } from './pacing.ts';

const loopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('pacing', () => {
  it('lets one caller go at once, and each later one after so many turns of the event loop, in order', async () => {
    const nextTurn = createPacing();
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
    const nextTurn = createPacing();
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

  it('goes on after a pause', async () => {
    const nextTurn = createPacing();
    await nextTurn();
    await nextTurn();
    await Promise.all([nextTurn(), nextTurn()]);
  });
});
