import { chunkSync } from '@grainline/core';
import { describe, expect, it } from 'vitest';
import { cutsOf } from '../document/chunks.ts';
import { marksOf, marksWithin } from './marks.ts';

const TEXT = Array.from(
  { length: 40 },
  (_, index) => `## Part ${index}\n\nThe pilot boards the ship outside the bar. Then he takes it in.`,
).join('\n\n');
const free = cutsOf(chunkSync(TEXT, { tier: 'free', size: 200 }));
const structure = cutsOf(chunkSync(TEXT, { tier: 'structure', size: 200 }));

describe('marks', () => {
  it('number the chunks of one tier from 1, in order', () => {
    const marks = marksOf(TEXT, free, undefined);
    expect(marks.map(({ first }) => first)).toEqual(marks.map((_, index) => index + 1));
    expect(marks).toHaveLength(free.starts.length);
    expect(marks.every(({ side }) => side === 'both')).toBe(true);
  });

  it('hold every chunk of both tiers once when two are compared', () => {
    const marks = marksOf(TEXT, free, structure).slice(1);
    expect(marks.flatMap(({ first }) => first ?? [])).toEqual(
      Array.from({ length: free.starts.length - 1 }, (_, index) => index + 2),
    );
    expect(marks.flatMap(({ second }) => second ?? [])).toEqual(
      Array.from({ length: structure.starts.length - 1 }, (_, index) => index + 2),
    );
    for (const { side, first, second } of marks)
      expect([first !== undefined, second !== undefined]).toEqual([side !== 'second', side !== 'first']);
  });

  it('are found by range', () => {
    const marks = marksOf(TEXT, free, structure);
    for (const [from, to] of [
      [0, 1],
      [0, TEXT.length],
      [100, 700],
      [TEXT.length, TEXT.length],
    ] as const)
      expect([...marksWithin(marks, from, to)]).toEqual(marks.filter(({ at }) => at >= from && at < to));
  });
});
