import { expect, it } from 'vitest';
import { guttersOf } from './gutters.ts';

const COLUMNS = Array.from({ length: 24 }, (_, at) => ({
  left: at % 2 === 0 ? 50 : 350,
  right: at % 2 === 0 ? 290 : 590,
  size: 10,
}));

it('the gutter of two columns is found', () => {
  expect(guttersOf(COLUMNS)).toEqual([320]);
});

it.each([Infinity, NaN])('the search for gutters ends when an edge is %s, as in hostile files', (right) => {
  expect(guttersOf([...COLUMNS, { left: 50, right, size: 10 }]).length).toBeLessThanOrEqual(1);
});
