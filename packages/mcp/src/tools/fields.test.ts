import { expect, it } from 'vitest';
import { chunkFields, FILE_FIELDS, inputOf } from './fields.ts';

const input = inputOf({
  ...chunkFields({ tiers: ['structure'], chunk: () => Promise.reject(new Error()) }),
  ...FILE_FIELDS,
});
const messagesOf = (given: object): string[] =>
  input.safeParse(given).error?.issues.map(({ message }) => message) ?? [];

it('names the argument that other interfaces call otherwise', () => {
  expect(messagesOf({ chunk_size: 500, chunkOverlap: 50, colour: 'red' })).toEqual([
    '"chunk_size" is no argument of this tool (it is called size here); "chunkOverlap" is no argument of this tool (it is called overlap here); "colour" is no argument of this tool',
  ]);
});

it('refuses a range of pages that ends before it begins', () => {
  expect(messagesOf({ pages: '1,3-2' })).toEqual([
    'must be page numbers and ascending ranges from 1, as 3-7 or 1,4-6 or 9-',
  ]);
  expect(messagesOf({ pages: '2-3,9-' })).toEqual([]);
});
