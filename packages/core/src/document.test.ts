import { describe, expect, it } from 'vitest';
import { CHARACTERS_PER_PAGE, type Document, estimatePages, pageAt } from './document.ts';

const document = (fields: Partial<Document>): Document => ({
  text: '',
  blocks: [],
  pages: [],
  mediaType: 'text/plain',
  warnings: [],
  ...fields,
});

describe('estimatePages', () => {
  it('counts the real pages of a PDF, however much text they hold', () => {
    const text = 'a'.repeat(50 * CHARACTERS_PER_PAGE);
    expect(estimatePages(document({ text, mediaType: 'application/pdf', pages: [0, 10, 10] }))).toBe(3);
  });

  it('rounds the length of other kinds up to whole pages', () => {
    expect(estimatePages(document({ text: 'a'.repeat(CHARACTERS_PER_PAGE) }))).toBe(1);
    expect(estimatePages(document({ text: 'a'.repeat(CHARACTERS_PER_PAGE + 1) }))).toBe(2);
  });

  it('takes the larger of what a file declares and what its length says', () => {
    expect(estimatePages(document({ text: 'short', declaredPages: 7 }))).toBe(7);
    expect(estimatePages(document({ text: 'short', pages: [0, 2, 3, 4] }))).toBe(4);
    expect(estimatePages(document({ text: 'a'.repeat(9 * CHARACTERS_PER_PAGE), declaredPages: 7 }))).toBe(9);
  });

  it('counts an empty document as one page', () => {
    expect(estimatePages(document({}))).toBe(1);
    expect(estimatePages(document({ mediaType: 'application/pdf' }))).toBe(1);
  });
});

describe('pageAt', () => {
  it('names the page of every offset', () => {
    const pages = [0, 3, 3, 8];
    const found = Array.from({ length: 10 }, (_, offset) => pageAt(pages, offset));
    expect(found).toEqual([1, 1, 1, 3, 3, 3, 3, 3, 4, 4]);
  });

  it('knows no page where the document has none', () => {
    expect(pageAt([], 5)).toBeUndefined();
  });
});
