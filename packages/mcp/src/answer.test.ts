import { describe, expect, it } from 'vitest';
import { pageAnswer, type PageRequest } from './answer.ts';

const kept = {
  result: 'r1',
  document: {
    tier: 'free',
    documentId: 'tides',
    records: ['High water.', 'Low water.', 'x'.repeat(2000)].map((text) => ({ text })),
    outline: [],
    warnings: [],
  },
};
const noticeOf = (request: Partial<PageRequest>): unknown =>
  pageAnswer(kept, { from: 0, limit: 50, maxCharacters: 1000, ...request }).structured['notice'];

describe('the notice of a page', () => {
  it('says where to go on', () => {
    expect(noticeOf({ limit: 1 })).toBe('2 more: call read_chunks with result "r1" and from 1.');
  });

  it('does not speak of a chunk that is too long where none was asked for', () => {
    expect(noticeOf({ limit: 0 })).toBe('3 more: call read_chunks with result "r1" and from 0.');
    expect(noticeOf({ limit: 0, from: 2 })).toBe('1 more: call read_chunks with result "r1" and from 2.');
  });

  it('says what a chunk takes that does not fit', () => {
    const length = JSON.stringify(kept.document.records[2]).length;
    expect(noticeOf({ from: 2 })).toContain(`max_characters ${length},`);
  });

  it('is absent when no chunk is left', () => {
    expect(noticeOf({ maxCharacters: 5000 })).toBeUndefined();
  });
});
