// Quotations are found where they stand, as a language model writes them, and nowhere else.
import { cases } from '@grainline/testing/cases';
import { anyDocument } from '@grainline/testing/documents';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkSync } from '../chunk.ts';
import type { Document } from '../document.ts';
import { cite } from './cite.ts';
import { fold } from './fold.ts';

const TEXT = [
  'The “Rate-Limiter” counts requests, page by page, and refuses the eleventh.',
  'Its naïve form keeps one counter a client; the counter is reset at midnight.',
  'A better form keeps a window that slides. It was measured in 1998, and again in 2011.',
  'No other form was tried. The window of the service is ten minutes long.',
].join('\n\n');

const WORDS =
  'river bank water and measured flow the season of delta gravel bed slope rain storm gauge level winter upper course'.split(
    ' ',
  );

/** The text of each span of a quotation. */
function foundIn(text: string, quote: string): string[] | undefined {
  return cite(text, quote)?.spans.map(({ start, end }) => text.slice(start, end));
}

const foldedOf = (text: string): string => String.fromCharCode(...fold([{ text, start: 0 }]).units);

describe('cite', () => {
  it.each([
    [
      'as it stands',
      'It was measured in 1998, and again in 2011',
      'It was measured in 1998, and again in 2011',
    ],
    [
      'other quotes, dashes and case',
      "the 'rate–limiter' counts Requests",
      'The “Rate-Limiter” counts requests',
    ],
    ['a missing comma', 'requests page by page and refuses', 'requests, page by page, and refuses'],
    ['no accent', 'Its naive form keeps', 'Its naïve form keeps'],
    ['other blanks', 'refuses\n the   eleventh. Its', 'refuses the eleventh.\n\nIts'],
    ['a word of few letters', 'client', 'client'],
    ['quotes around it', '"No other form was tried."', 'No other form was tried'],
  ])('finds %s, with a score of 1', (_, quote, expected) => {
    const found = cite(TEXT, quote);
    expect(found?.score).toBe(1);
    expect(foundIn(TEXT, quote)?.map((text) => text.replaceAll(/\s+/gu, ' '))).toEqual([
      expected.replaceAll(/\s+/gu, ' '),
    ]);
  });

  it.each([
    ['a word left out', 'Its naïve form keeps a counter a client; the counter is reset', 0.9],
    ['a word changed', 'A better form has a window that slides', 0.8],
    ['a letter changed', 'The window of the servise is ten minutes long', 0.95],
  ])('finds %s, with a lower score', (_, quote, least) => {
    const found = cite(TEXT, quote);
    expect(found?.score).toBeLessThan(1);
    expect(found?.score).toBeGreaterThan(least);
    expect(found?.spans).toHaveLength(1);
  });

  it.each([
    'the window of the garden',
    'at noon',
    'lien',
    'measured in 1999, or thereabouts, by others',
    '…',
    '',
  ])('does not find %j', (quote) => expect(cite(TEXT, quote)).toBeUndefined());

  it.each([
    ['Its naïve form … reset at midnight', ['Its naïve form', 'reset at midnight']],
    ['counts requests [...] the eleventh', ['counts requests', 'the eleventh']],
    [
      'A better form ... It was measured ... again in 2011',
      ['A better form', 'It was measured', 'again in 2011'],
    ],
    ['Its naïve form … keeps one counter', ['Its naïve form keeps one counter']],
    ['No other form … nothing of this kind at all', undefined],
  ])('takes the ellipses of %j for what was left out', (quote, expected) =>
    expect(foundIn(TEXT, quote)).toEqual(expected),
  );

  it('takes the parts of a quotation that stand nearest to each other', () => {
    const text = `${TEXT} ${'Nothing of note. '.repeat(20)} ${TEXT}`;
    const spans = cite(text, 'A better form … ten minutes long')?.spans ?? [];
    expect(spans).toHaveLength(2);
    expect(spans[1]!.start - spans[0]!.start).toBeLessThan(TEXT.length);
    expect(spans[0]!.start).toBeLessThan(TEXT.length);
  });

  it('finds a quotation whose dots stand in the text', () =>
    expect(foundIn('He said: wait... what is it? Nothing.', 'wait... what is it')).toEqual([
      'wait... what is it',
    ]));

  it('finds one word between two others in a script without blanks', () =>
    expect(foundIn('細胞は二回分裂する。', '分裂')).toEqual(['分裂']));

  it('gives pages of a document', () => {
    const pages = [0, TEXT.indexOf('A better')];
    const document: Document = { text: TEXT, blocks: [], pages, mediaType: 'application/pdf', warnings: [] };
    expect(cite(document, 'the counter is reset at midnight. A better form')?.spans).toEqual([
      expect.objectContaining({ pageStart: 1, pageEnd: 2 }),
    ]);
  });

  it('finds in chunks what it finds in their text, and nothing across missing ones', () => {
    const chunks = chunkSync(TEXT, { tier: 'structure', size: 90, overlap: 20 });
    expect(chunks.length).toBeGreaterThan(3);
    const quote = 'reset at midnight. A better form keeps';
    expect(cite(chunks.toReversed(), quote)?.spans).toEqual(cite(TEXT, quote)?.spans);
    const ends = [chunks[0]!, chunks.at(-1)!];
    expect(cite(ends, `${chunks[0]!.text} ${chunks.at(-1)!.text}`)).toBeUndefined();
    expect(cite(ends, chunks[0]!.text)?.score).toBe(1);
  });

  it('finds every passage of any document, and the first of equal ones', () => {
    const holds = fc.property(
      anyDocument,
      fc.nat(),
      fc.integer({ min: 12, max: 300 }),
      (text, at, length) => {
        const start = at % (text.length + 1);
        // Half of a pair folds to nothing, and half of a ligature to other letters.
        const quote = text
          .slice(start, start + length)
          .toWellFormed()
          .replaceAll('\ufffd', '')
          .replaceAll(/…|\.{3,}/gu, ' ');
        const folded = foldedOf(quote);
        fc.pre(folded.length >= 12);
        const found = cite(text, quote.toLowerCase());
        fc.pre(foldedOf(quote.toLowerCase()) === folded);
        expect(found?.score).toBe(1);
        const [first] = found!.spans;
        expect(foldedOf(text.slice(first!.start, first!.end))).toContain(folded);
        expect(first!.start).toBeLessThanOrEqual(start + length);
      },
    );
    fc.assert(holds, cases(200));
  });

  it('comes near to the best score of all places, and never above', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.constantFrom('', 'lake', 'x')), { maxLength: 1 });
    const sentences = fc.array(fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 4, maxLength: 9 }), {
      minLength: 1,
      maxLength: 6,
    });
    const holds = fc.property(sentences, fc.nat(), changes, (written, at, changed) => {
      const text = written.map((words) => words.join(' ')).join('. ');
      const quoted = [...written[at % written.length]!];
      for (const [place, word] of changed) quoted[place % quoted.length] = word;
      const quote = foldedOf(quoted.join(' '));
      const best = bestScore(foldedOf(text), quote);
      fc.pre(quote.length >= 12);
      const found = cite(text, quoted.join(' '))?.score ?? 0;
      expect(found).toBeLessThanOrEqual(best + 1e-9);
      if (best >= 0.9) expect(found).toBeGreaterThanOrEqual(best - 0.1);
    });
    fc.assert(holds, cases(100));
  });

  it('misses the parts of a quotation behind its sixteenth ellipsis where they are not in the text', () => {
    const parts = Array.from({ length: 20 }, (_, index) => `alpha beta gamma delta ${index}`);
    const text = parts.slice(0, 17).join(' and more. ');
    expect(cite(text, parts.slice(0, 16).join(' … '))?.score).toBe(1);
    expect(cite(text, parts.join(' … '), { bound: 0.5 })?.score).toBeLessThan(0.9);
  });

  it('takes no cubic time for blanks that could stand before an ellipsis', () =>
    expect(cite(TEXT, `No other${' '.repeat(4900)}form was tried`)?.score).toBe(1));

  it('aligns no quotation of ligatures that fold to a multiple of their length', () => {
    const text = '\ufdfa'.repeat(4000);
    expect(cite(text, '\ufdfa'.repeat(4000))?.score).toBe(1);
    expect(cite(text, `${'\ufdfa'.repeat(4000)} and more`)).toBeUndefined();
  });

  it('names every wrong argument', () => {
    const wrong = { bound: 2, limit: 1 } as never;
    expect(() => cite([{}] as never, 'a'.repeat(5001), wrong)).toThrow(
      /source must be .*quote must be a text of at most 5000 characters.*bound must be .*limit/su,
    );
  });
});

/** The best score over all parts of a text: the definition, in cubic time. */
function bestScore(text: string, quote: string): number {
  let best = Infinity;
  for (let from = 0; from <= text.length; from += 1) {
    let row = Array.from({ length: quote.length + 1 }, (_, at) => at * 4);
    best = Math.min(best, row.at(-1)!);
    for (const unit of text.slice(from, from + 3 * quote.length)) {
      const next = [row[0]! + 1];
      for (const [at, wanted] of Array.from(quote).entries())
        next.push(Math.min(row[at]! + (wanted === unit ? 0 : 4), row[at + 1]! + 1, next[at]! + 4));
      row = next;
      best = Math.min(best, row.at(-1)!);
    }
  }
  return 1 - best / (4 * quote.length);
}
