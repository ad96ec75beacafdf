// The free tier against the real LangChain splitter, case by case. Equal is right; whatever differs must be what the
// oracle predicts, and must come from a promise of ours that LangChain's answer breaks.
import { tokenCounter } from '@grainline/models/tokens';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import type { Span } from '../src/document.ts';
import type { TokenCounter } from '../src/measure.ts';
import { FREE } from '../src/tiers/free.ts';
import { NASTY } from './counters.ts';
import { anyDocument, corpusTexts, limits, packageTexts } from '@grainline/testing/documents';
import {
  locateByLangChain,
  locateWhole,
  type OracleOptions,
  splitByLangChain,
  withoutContained,
} from './langchain.ts';

const RANDOM = cases(1000);
const CASES = RANDOM.numRuns;

const separatorLists = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<readonly string[]>(
      [''],
      [],
      ['\n'],
      ['\n\n', '\n', ' '],
      ['\n\n', '\n', '.', '?', '!', ' ', ''],
      ['。', '，', ''],
      ['..', '.', ''],
      ['aa', 'a'],
      ['b', 'ab', ''],
      ['\n## ', '\n\n', '\n', ' ', ''],
      ['\nfunction ', '\nconst ', '\n\n', '\n', ' ', ''],
      [' ', '', 'a'],
      ['e\u0301', '\u0301', ''],
      ['|', '(', '\\', ''],
      ['\r\n', '\r', '\n', ''],
    ),
  },
  {
    weight: 1,
    arbitrary: fc.array(fc.constantFrom('\n', ' ', 'a', 'ab', '..', '.', 'e', '漢', '😀', '\u200d', ''), {
      maxLength: 5,
    }),
  },
);

const tokenLimits = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 1000 })),
    fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
  )
  .map(([size, share]) => ({ size, overlap: Math.min(size - 1, Math.floor(share * size)) }));

const realText = fc
  .tuple(
    fc.constantFrom(...packageTexts(), ...corpusTexts()),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.integer({ min: 1, max: 12_000 }),
  )
  .map(([{ text }, at, length]) =>
    text
      .slice(Math.floor(at * text.length))
      .slice(0, length)
      .toWellFormed(),
  );

const dense = fc
  .array(fc.constantFrom('a', 'ab', ' ', '\n', '\n\n', '..', '.', 'e\u0301', '😀', '👨‍👩‍👧', '漢', '\r\n'), {
    maxLength: 60,
  })
  .map((parts) => parts.join(''));

const texts = fc.oneof(
  { weight: 4, arbitrary: anyDocument },
  { weight: 3, arbitrary: dense },
  { weight: 2, arbitrary: realText },
);

describe('the free tier beside LangChain', () => {
  it(
    `gives the same chunks in ${CASES} cases, or other ones for a reason`,
    { timeout: 3_600_000 },
    async () => {
      const reasons: Record<string, number> = {};
      const compare = fc.asyncProperty(texts, limits, separatorLists, async (text, given, separators) => {
        const reason = await explain(text, { ...given, separators });
        reasons[reason] = (reasons[reason] ?? 0) + 1;
      });
      await fc.assert(compare, RANDOM);
      console.info(`${CASES} cases:`, reasons);
      expect(reasons['equal']).toBeGreaterThan(CASES / 2);
    },
  );

  it(`does so in ${CASES} cases in tokens`, { timeout: 3_600_000 }, async () => {
    const counters = [await tokenCounter('o200k'), await tokenCounter('cl100k'), NASTY[0]!];
    const reasons: Record<string, number> = {};
    const compare = fc.asyncProperty(
      texts,
      tokenLimits,
      separatorLists,
      fc.constantFrom(...counters),
      async (text, given, separators, measure) => {
        const reason = await explainTokens(text, { ...given, separators }, measure);
        reasons[reason] = (reasons[reason] ?? 0) + 1;
      },
    );
    await fc.assert(compare, RANDOM);
    console.info(`${CASES} cases in tokens:`, reasons);
    expect(reasons['equal']).toBeGreaterThan(CASES / 2);
  });
});

/** Why our chunks are right: `equal`, or the promise that LangChain's break. Throws when they are not right. */
async function explain(text: string, options: OracleOptions): Promise<string> {
  const { size, overlap, separators } = options;
  const document = { text, blocks: [], pages: [], mediaType: 'text/plain', warnings: [] };
  const ours = FREE.cut(document, { size, overlap, ...(separators === undefined ? {} : { separators }) });
  expect(spansOf(ours)).toEqual(withoutContained(await locateWhole(text, options)));

  const theirs = await locateByLangChain(text, options);
  const asTheySay = await splitByLangChain(text, options);
  expect(textsOf(text, theirs), 'the oracle locates what LangChain returns').toEqual(asTheySay);
  if (JSON.stringify(textsOf(text, ours)) === JSON.stringify(asTheySay)) return 'equal';
  return brokenPromise(text, theirs, size);
}

/** The same in tokens, where the sums that LangChain goes by may be less than the true count. */
async function explainTokens(text: string, options: OracleOptions, measure: TokenCounter): Promise<string> {
  const { size, overlap, separators } = options;
  const document = { text, blocks: [], pages: [], mediaType: 'text/plain', warnings: [] };
  const ours = FREE.cut(document, {
    size,
    overlap,
    measure,
    ...(separators === undefined ? {} : { separators }),
  });
  const count = (part: string): number => measure.count(part);
  const theirs = await locateByLangChain(text, { ...options, count });
  if (JSON.stringify(spansOf(ours)) === JSON.stringify(theirs)) return 'equal';
  return brokenPromise(text, theirs, size, count);
}

function brokenPromise(
  text: string,
  chunks: readonly Span[],
  size: number,
  count: (text: string) => number = (chunk) => chunk.length,
): string {
  if (textsOf(text, chunks).some((chunk) => count(chunk) > size)) return 'over the size';
  if (chunks.some(({ start, end }) => !text.slice(start, end).isWellFormed())) return 'half a surrogate pair';
  if (withoutContained(chunks).length < chunks.length) return 'a chunk inside its neighbour';
  const boundaries = boundariesOf(text);
  if (chunks.some(({ start, end }) => !boundaries.has(start) || !boundaries.has(end)))
    return 'half a grapheme';
  throw new Error('our chunks differ from those of LangChain, which break no promise');
}

function boundariesOf(text: string): Set<number> {
  const segments = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text);
  return new Set([...segments].map(({ index }) => index)).add(text.length);
}

const spansOf = (spans: readonly Span[]): Span[] => spans.map(({ start, end }) => ({ start, end }));

const textsOf = (text: string, spans: readonly Span[]): string[] =>
  spans.map(({ start, end }) => text.slice(start, end));
