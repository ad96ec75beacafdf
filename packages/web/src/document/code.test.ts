import { documentFromText } from '@grainline/core';
import { describe, expect, it } from 'vitest';
import { blockTable } from '../worker/block-table.ts';
import { codeIn, codeWithin, NO_CODE } from './code.ts';

const CODE = { starts: Uint32Array.of(10, 30, 60), ends: Uint32Array.of(20, 50, 61) };

describe('code in a text', () => {
  it.each([
    [0, 10, []],
    [0, 11, [[10, 11]]],
    [
      15,
      40,
      [
        [15, 20],
        [30, 40],
      ],
    ],
    [35, 36, [[35, 36]]],
    [20, 30, []],
    [50, 100, [[60, 61]]],
    [61, 100, []],
  ])('from %i to %i is what lies in both', (from, to, expected) => {
    expect([...codeWithin(CODE, from, to)].map(({ start, end }) => [start, end])).toEqual(expected);
  });

  it('is none where there is none', () => {
    expect([...codeWithin(NO_CODE, 0, 100)]).toEqual([]);
  });
});

it('code in lists and quotes is code too', () => {
  const text = '- First:\n\n  ```\n  one\n  ```\n\n> ```\n> two\n> ```\n\n```\nthree\n```\n';
  const { starts, ends } = codeIn(blockTable(text, documentFromText(text, { kind: 'markdown' }).blocks));
  const found = Array.from(starts, (start, index) => text.slice(start, ends[index]));
  expect(found.map((code) => /one|two|three/.exec(code)?.[0])).toEqual(['one', 'two', 'three']);
});
