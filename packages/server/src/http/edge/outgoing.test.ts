import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../core/test/cases.ts';
import { createOutgoing, type Outgoing } from './outgoing.ts';

const MOST = 1600;

/** Answers by their names, `a0`, `b1`: of client a, the first. */
function createAnswers(outgoing: Outgoing) {
  const ended: string[] = [];
  const forget = new Map<string, () => void>();
  const add = (client: string, buffer: ArrayBuffer | number): void => {
    const name = `${client}${forget.size}`;
    const memory =
      typeof buffer === 'number' ? { buffer: undefined, besides: buffer } : { buffer, besides: 0 };
    forget.set(name, outgoing.add({ client, memory, end: () => ended.push(name) }));
  };
  return { ended, add, leave: (name: string) => forget.get(name)?.() };
}

describe('answers on their way', () => {
  it('are never ended while all have room, however slow they are', () => {
    let nowMs = 0;
    const outgoing = createOutgoing(MOST, () => nowMs);
    const { ended, add } = createAnswers(outgoing);
    for (let count = 0; count < 16; count++, nowMs += 60_000) add('a', 100);
    expect([ended, outgoing.heldBytes()]).toEqual([[], MOST]);
  });

  it('make room when they are slow: of whoever holds most, the oldest first', () => {
    let nowMs = 0;
    const outgoing = createOutgoing(MOST, () => nowMs);
    const { ended, add } = createAnswers(outgoing);
    add('a', 500);
    add('b', 400);
    add('b', 400);
    nowMs = 1_000;
    add('c', 400);
    expect(ended).toEqual(['b1']);
    expect(outgoing.heldBytes()).toBe(1300);
  });

  it('of who holds less are not ended while those of who holds more are too new for it', () => {
    let nowMs = 0;
    const outgoing = createOutgoing(MOST, () => nowMs);
    const { ended, add } = createAnswers(outgoing);
    add('patient', 300);
    nowMs = 900;
    for (let count = 0; count < 4; count++) add('greedy', 400);
    nowMs = 1_000;
    add('other', 10);
    expect(ended).toEqual([]);
    nowMs = 1_900;
    add('other', 10);
    expect(ended).toEqual(['greedy1', 'greedy2']);
  });

  it('are not ended in a burst that is taken at once', () => {
    let nowMs = 0;
    const outgoing = createOutgoing(MOST, () => nowMs);
    const { ended, add, leave } = createAnswers(outgoing);
    for (let count = 0; count < 9; count++) add('a', 400);
    expect(ended).toEqual([]);
    for (let count = 0; count < 9; count++) leave(`a${count}`);
    nowMs = 60_000;
    add('a', 400);
    expect([ended, outgoing.heldBytes()]).toEqual([[], 400]);
  });

  it('that share their bytes count once, and are of no use to end singly', () => {
    let nowMs = 0;
    const outgoing = createOutgoing(MOST, () => nowMs);
    const { ended, add, leave } = createAnswers(outgoing);
    const shared = new ArrayBuffer(1000);
    for (let count = 0; count < 50; count++) add('s', shared);
    expect(outgoing.heldBytes()).toBe(1000);
    add('b', 600);
    nowMs = 1_000;
    // Of 1700, one holds 600 alone.
    add('c', 100);
    expect(outgoing.heldBytes()).toBeLessThanOrEqual(1500);
    for (let count = 0; count < 50; count++) leave(`s${count}`);
    expect(outgoing.heldBytes()).toBe(ended.includes('b50') ? 100 : 700);
  });

  it('never hold more than the limit and what came within the patience, and nothing in the end', () => {
    const step = fc.record({
      client: fc.constantFrom('a', 'b', 'c'),
      bytes: fc.integer({ min: 1, max: 900 }),
      shares: fc.boolean(),
      leaves: fc.boolean(),
      afterMs: fc.integer({ min: 0, max: 700 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let nowMs = 0;
        const outgoing = createOutgoing(MOST, () => nowMs);
        const shared = new ArrayBuffer(300);
        const open: { readonly forget: () => void; readonly bytes: number; readonly sinceMs: number }[] = [];
        for (const { client, bytes, shares, leaves, afterMs } of steps) {
          nowMs += afterMs;
          const memory = shares ? { buffer: shared, besides: 0 } : { buffer: undefined, besides: bytes };
          const forget = outgoing.add({ client, memory, end: () => undefined });
          open.push({ forget, bytes: shares ? 300 : bytes, sinceMs: nowMs });
          if (leaves) open.shift()?.forget();
          // Those that began within the patience, and the last 50 ms in which nobody looked again.
          const fresh = open.filter(({ sinceMs }) => sinceMs > nowMs - 1_050);
          expect(outgoing.heldBytes()).toBeLessThanOrEqual(
            MOST + fresh.reduce((sum, answer) => sum + answer.bytes, 0),
          );
        }
        for (const { forget } of open) forget();
        expect(outgoing.heldBytes()).toBe(0);
      }),
      cases(200),
    );
  });
});
