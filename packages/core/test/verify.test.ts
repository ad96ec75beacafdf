// The proof of coverage: it passes what the tiers give, whatever the text, and catches every single change of it.
import { type Chunk, chunkSync, type SlicedText, verify } from '@grainline/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { anyDocument, limits } from '@grainline/testing/documents';
import { chunksBy, TIER_IDS } from '@grainline/testing/tiers';

const tiers = fc.constantFrom(...TIER_IDS);
const requests = fc.record({ text: anyDocument, tier: tiers, given: limits });
const some = fc.nat().map((number) => (length: number) => number % length);

/** The source made again in the plainest way: each chunk's own part behind the gap before it. */
function rebuilt(text: string, chunks: readonly Chunk[]): string {
  const verdict = verify(text, chunks);
  if (!verdict.covered) throw new Error(`chunk ${verdict.chunk}: ${verdict.law}`);
  const parts = [
    ...verdict.gaps.map(({ start, end }) => ({ start, text: text.slice(start, end) })),
    ...chunks.map(({ start, overlap, text: own }) => ({ start: start + overlap, text: own.slice(overlap) })),
  ];
  return parts
    .sort((one, other) => one.start - other.start)
    .map((part) => part.text)
    .join('');
}

describe('verify', () => {
  it('passes what every tier gives, with gaps that make the source again', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async ({ text, tier, given }) => {
        const chunks = await chunksBy(tier, text, given);
        expect(rebuilt(text, chunks)).toBe(text);
      }),
      cases(150),
    );
  });

  it('takes a document as well as its text', () => {
    const text = ' One. \n\n Two. ';
    const document = { text, blocks: [], pages: [], mediaType: 'text/plain', warnings: [] };
    const gaps = [
      { start: 0, end: 1 },
      { start: 5, end: 9 },
      { start: 13, end: 14 },
    ];
    const chunks = chunkSync(document, { size: 5 });
    expect(verify(document, chunks)).toEqual({ covered: true, gaps });
    expect(verify(text, chunks)).toEqual({ covered: true, gaps });
    expect(verify(' \n', [])).toEqual({ covered: true, gaps: [{ start: 0, end: 2 }] });
    expect(verify('', [])).toEqual({ covered: true, gaps: [] });
  });

  it.each([
    ['order', 2, [{}, { start: 4, end: 7, text: 'two' }, {}]],
    ['order', 0, [{ start: 0, end: 0, text: '' }]],
    ['order', 0, [{ start: 0.5, end: 3.5 }]],
    ['order', 0, [{ start: NaN }]],
    ['order', 0, [{ start: -11, end: -8 }]],
    ['order', 1, [{}, { start: 1, end: 3, text: 'ne', overlap: 2 }]],
    ['slice', 0, [{ text: 'One' }]],
    ['slice', 1, [{}, { start: 4, end: 14, text: 'two six' }]],
    ['overlap', 0, [{ overlap: 1 }]],
    ['overlap', 1, [{}, { start: 2, end: 7, text: 'e two' }]],
    ['gap', 1, [{}, { start: 8, end: 11, text: 'six' }]],
    ['tail', 1, [{}]],
    ['tail', 0, []],
  ] as const)('names the law of %s and chunk %i', (law, chunk, given) => {
    const chunks: SlicedText[] = given.map((piece) => ({
      start: 0,
      end: 3,
      text: 'one',
      overlap: 0,
      ...piece,
    }));
    expect(verify('one two six', chunks)).toEqual({ covered: false, law, chunk });
  });

  /** Ways to change one thing; `undefined` when there is nothing to change. */
  const mutations: Readonly<
    Record<string, (chunks: readonly Chunk[], at: number, amount: number) => SlicedText[]>
  > = {
    'a start that is shifted': (chunks, at, by) =>
      chunks.with(at, { ...chunks[at]!, start: chunks[at]!.start + by }),
    'an end that is shifted': (chunks, at, by) =>
      chunks.with(at, { ...chunks[at]!, end: chunks[at]!.end + by }),
    'a chunk that is shifted': (chunks, at, by) =>
      chunks.with(at, { ...chunks[at]!, start: chunks[at]!.start + by, end: chunks[at]!.end + by }),
    'another overlap': (chunks, at, by) =>
      chunks.with(at, { ...chunks[at]!, overlap: chunks[at]!.overlap + by }),
    'a dropped chunk': (chunks, at) => chunks.toSpliced(at, 1),
    'a chunk twice': (chunks, at) => chunks.toSpliced(at, 0, chunks[at]!),
    'two chunks that are swapped': (chunks, at, by) => {
      const other = (at + Math.abs(by)) % chunks.length;
      return other === at
        ? chunks.toSpliced(at, 1)
        : chunks.with(at, chunks[other]!).with(other, chunks[at]!);
    },
    'an altered character': (chunks, at, by) => {
      const { text } = chunks[at]!;
      const place = Math.abs(by) % text.length;
      const altered = text[place] === 'x' ? 'y' : 'x';
      return chunks.with(at, {
        ...chunks[at]!,
        text: text.slice(0, place) + altered + text.slice(place + 1),
      });
    },
    'a character too many': (chunks, at) => chunks.with(at, { ...chunks[at]!, text: `${chunks[at]!.text} ` }),
    'a character too few': (chunks, at) =>
      chunks.with(at, { ...chunks[at]!, text: chunks[at]!.text.slice(1) }),
  };
  const amounts = fc.integer({ min: -40, max: 40 }).filter((amount) => amount !== 0);

  it.each(Object.entries(mutations))('catches %s', async (_, mutate) => {
    await fc.assert(
      fc.asyncProperty(requests, some, amounts, async ({ text, tier, given }, pick, amount) => {
        const chunks = await chunksBy(tier, text, given);
        fc.pre(chunks.length > 0);
        const at = pick(chunks.length);
        // At a size of one the free tier gives blanks as chunks of their own: without one of those nothing is lost.
        fc.pre(chunks[at]!.text.slice(chunks[at]!.overlap).trim() !== '');
        expect(verify(text, mutate(chunks, at, amount)).covered).toBe(false);
      }),
      cases(100),
    );
  });

  it('catches a source in which one character is another', async () => {
    await fc.assert(
      fc.asyncProperty(requests, some, async ({ text, tier, given }, pick) => {
        fc.pre(text !== '');
        const chunks = await chunksBy(tier, text, given);
        const at = pick(text.length);
        const other = `${text.slice(0, at)}${text[at] === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`;
        expect(verify(other, chunks).covered).toBe(false);
      }),
      cases(100),
    );
  });
});
