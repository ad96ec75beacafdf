import { describe, expect, it } from 'vitest';
import { createPacing } from './pacing.ts';

describe('pacing', () => {
  it('lets one caller a turn of the event loop go, in the order of the calls', async () => {
    const nextTurn = createPacing();
    const gone: number[] = [];
    for (const caller of [0, 1, 2]) void nextTurn().then(() => gone.push(caller));
    const seen: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(gone.length);
    }
    expect(seen).toEqual([1, 2, 3]);
    expect(gone).toEqual([0, 1, 2]);
  });

  it('goes on after a pause', async () => {
    const nextTurn = createPacing();
    await nextTurn();
    await nextTurn();
    await Promise.all([nextTurn(), nextTurn()]);
  });
});
