import { describe, expect, it } from 'vitest';
import { createThrottle, LEAST_THROTTLED_BYTES, createPacing, MOST_APART_MS, TURNS_APART } from './pacing.ts';

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

  it('leaves turns between two callers also when none waited in between', async () => {
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

describe('a throttle', () => {
  const none = new AbortController().signal;
  const MB = 1_000_000;

  /** A throttle of 1 MB a second, on a clock that the test moves. */
  function createThrottled() {
    const clock = { now: 0 };
    let end: (() => void) | undefined;
    let endMs = Infinity;
    const throttle = createThrottle(1000, (ms) => {
      endMs = clock.now + ms;
      return new Promise((resolve) => (end = resolve));
    });
    const gone: string[] = [];
    return {
      gone,
      send: (client: string, bytes: number, signal: AbortSignal = none): Promise<void> =>
        throttle({ client, bytes }, signal).then(() => void gone.push(`${client} ${clock.now}`)),
      pass: async (ms: number): Promise<void> => {
        await settle();
        const untilMs = clock.now + ms;
        while (endMs <= untilMs) {
          clock.now = endMs;
          endMs = Infinity;
          end?.();
          await settle();
        }
        clock.now = untilMs;
      },
    };
  }
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('lets the first document go on at once, and each as long after the one before as that one lasts', async () => {
    const { gone, send, pass } = createThrottled();
    for (const [client, bytes] of [
      ['a', 4],
      ['b', 1],
      ['c', 2],
      ['d', 1],
    ] as const)
      void send(client, bytes * MB);
    await pass(20_000);
    expect(gone).toEqual(['a 0', 'b 4000', 'c 5000', 'd 7000']);
    await send('e', MB);
    expect(gone.at(-1)).toBe('e 20000');
  });

  it('gives clients their turns', async () => {
    const { gone, send, pass } = createThrottled();
    for (const client of 'aaab') void send(client, MB);
    await pass(10_000);
    expect(gone).toEqual(['a 0', 'b 1000', 'a 2000', 'a 3000']);
  });

  it('delays no small document, and none for a client that has left', async () => {
    const { gone, send, pass } = createThrottled();
    const leaving = new AbortController();
    void send('a', 4 * MB);
    const left = send('b', 60 * MB, leaving.signal);
    void send('c', MB);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await send('d', LEAST_THROTTLED_BYTES - 1);
    expect(gone).toEqual(['a 0', 'd 0']);
    await pass(10_000);
    expect(gone).toEqual(['a 0', 'd 0', 'c 4000']);
  });
});
