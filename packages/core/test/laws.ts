// The laws that hold for every tier, whatever the text and the limits: one suite, given a tier's way to chunk.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, sampleOf } from '@grainline/testing/cases';
import type { Chunk } from '../src/slice.ts';
import { corpusTexts, DOCUMENTS, limits, packageTexts, type RealText } from '@grainline/testing/documents';
import { countWork } from './work.ts';

/** The tier under test: text and limits in, chunks out. */
export type Chunker = (
  text: string,
  limits: { readonly size: number; readonly overlap: number },
) => Chunk[] | Promise<Chunk[]>;

export interface LawSettings {
  /** Random cases for each kind of document. */
  readonly perKind?: number;
  /** Longest text that it is given, in UTF-16 units; longer ones end there. Default 60,000. */
  readonly longest?: number;
  /** Units of text that the tier may look at, on average, for each unit of a long text, also at an overlap of 98 %. */
  readonly workPerUnit?: number;
  /**
   * False where the work follows from answers, which may be asked for again, rather than from the text. Default true.
   */
  readonly countsWork?: boolean;
}

/** Declares the laws as tests of one tier. */
export function describeLaws(
  tier: string,
  chunk: Chunker,
  { perKind = 50, longest = 60_000, workPerUnit = 64, countsWork = true }: LawSettings = {},
): void {
  describe(`laws of the tier ${tier}`, () => {
    for (const [kind, documents] of Object.entries(DOCUMENTS)) {
      it(`keeps the laws on ${kind}`, async () => {
        const keeps = fc.asyncProperty(documents, limits, (text, given) =>
          expectLaws(chunk, text.slice(0, longest).toWellFormed(), given),
        );
        await fc.assert(keeps, cases(perKind));
      });
    }

    it('keeps the laws on the documents of installed packages', () =>
      expectLawsOnAll(chunk, sampleOf(packageTexts()), longest));

    const corpus = corpusTexts();
    const where = corpus.length === 0 ? ' (skipped: there is no ../shared/corpus)' : '';
    it.skipIf(corpus.length === 0)(`keeps the laws on the development corpus${where}`, () =>
      expectLawsOnAll(chunk, sampleOf(corpus), longest),
    );

    const long = Object.entries(countsWork ? LONG : {});
    for (const [index, [shape, make]] of long.entries()) {
      it(`does work in proportion to the length of ${shape}`, async () => {
        for (const given of rotatedSample(LONG_LIMITS, index)) {
          const once = await countWork(() => chunk(make(50_000), given));
          const twice = await countWork(() => chunk(make(100_000), given));
          expect(twice).toBeLessThanOrEqual(2.2 * once + 2000);
          expect(twice).toBeLessThanOrEqual(workPerUnit * 100_000);
        }
      });
    }
  });
}

const LONG_LIMITS = [
  { size: 1000, overlap: 0 },
  { size: 1000, overlap: 200 },
  { size: 50, overlap: 49 },
] as const;

/** A sample that begins with another element for each index, so that a short run covers the list too. */
const rotatedSample = <T>(items: readonly T[], index: number): readonly T[] =>
  sampleOf([...items.slice(index % items.length), ...items.slice(0, index % items.length)]);

const fill = (part: string, length: number): string =>
  part.repeat(Math.ceil(length / part.length)).slice(0, length);

/** Long texts by their length. Each has a place where a careless scan starts over and over. */
const LONG: Readonly<Record<string, (length: number) => string>> = {
  prose: (length) =>
    fill('The quick brown fox jumps over the lazy dog.\nAnd on it goes, line by line.\n\n', length),
  'one line': (length) => fill('word after word ', length),
  'one letter': (length) => 'a'.repeat(length),
  newlines: (length) => '\n'.repeat(length),
  'tiny paragraphs': (length) => fill('x\n\n', length),
  'a separator only at the end': (length) => `${'a'.repeat(length - 12)}\n\nlast line`,
  'a separator only at the beginning': (length) => `one two\n\n${'a'.repeat(length - 9)}`,
  'paragraphs just under and just over the size': (length) =>
    fill(`${'a'.repeat(996)}\n\n${'b'.repeat(1004)}\n\n`, length),
  'words after long blanks': (length) => fill(`x${' '.repeat(700)}`, length),
  ideographs: (length) => fill('漢字仮名交じり文', length),
  emoji: (length) => fill('😀😁', length),
  'joined emoji': (length) => fill('👨‍👩‍👧‍👦', length).toWellFormed(),
  flags: (length) => fill('🇩🇪🇫🇷', length).toWellFormed(),
  'code that is never closed': (length) => fill('```js\nf(x);\n', length),
  'fences of many widths': (length) =>
    fill(Array.from({ length: 20 }, (_, width) => `${'`'.repeat(20 - width)} x\n`).join(''), length),
  'fences in one line': (length) => `\`\`\`\n${fill('   ```x', length - 4)}`,
  'rows of a table': (length) => fill('| a | b |\n', length),
  'rows longer than the size': (length) => fill(`| ${'cell '.repeat(300)}|\n`, length),
  'one endless grapheme': (length) => `e${'\u0301'.repeat(length - 1)}`,
  'graphemes a little longer than the size': (length) => fill(`e${'\u0301'.repeat(1040)}`, length),
};

async function expectLawsOnAll(chunk: Chunker, texts: readonly RealText[], longest: number): Promise<void> {
  expect(texts.length).toBeGreaterThan(0);
  for (const { text } of texts) {
    for (const given of REAL_LIMITS) await expectLaws(chunk, text.slice(0, longest).toWellFormed(), given);
  }
}

const REAL_LIMITS = [
  { size: 1000, overlap: 0 },
  { size: 1000, overlap: 200 },
  { size: 97, overlap: 31 },
  { size: 5000, overlap: 4999 },
] as const;

async function expectLaws(
  chunk: Chunker,
  text: string,
  given: { size: number; overlap: number },
): Promise<void> {
  const chunks = await chunk(text, given);
  const violations = [
    ...violationsOfTiling(text, chunks),
    ...violationsOfSize(chunks, given.size),
    ...violationsOfOverlap(chunks, given.overlap),
    ...violationsOfGraphemes(text, chunks, given.size),
  ];
  expect(violations.slice(0, 5)).toEqual([]);
  const again = await chunk(text, given);
  // Asked in full only where they differ: comparing thousands of chunks key by key takes longer than cutting.
  if (!areSame(again, chunks)) expect(again, 'equal input, equal output').toEqual(chunks);
}

/** True when chunks are equal, including the order of their keys. */
function areSame(some: readonly Chunk[], others: readonly Chunk[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ text }, index) => text === others[index]?.text) &&
    JSON.stringify(some.map(withoutText)) === JSON.stringify(others.map(withoutText))
  );
}

/** All but the text, which repeats the document as often as chunks overlap. */
const withoutText = (piece: Chunk): Chunk => ({ ...piece, text: '' });

/** Of the laws that tie chunks to their text, whatever their limits. */
export function* violationsOfTiling(text: string, chunks: readonly Chunk[]): Generator<string> {
  yield* violationsOfOrder(chunks);
  yield* violationsOfCoverage(text, chunks);
  yield* violationsOfSlices(text, chunks);
}

export function* violationsOfOrder(chunks: readonly Chunk[]): Generator<string> {
  for (const [index, { start, end }] of chunks.entries()) {
    if (end <= start) yield `chunk ${index} is empty`;
    const previous = chunks[index - 1];
    if (previous !== undefined && start <= previous.start)
      yield `chunk ${index} does not start after the one before`;
    if (previous !== undefined && end <= previous.end)
      yield `chunk ${index} does not end after the one before`;
  }
}

export function* violationsOfCoverage(text: string, chunks: readonly Chunk[]): Generator<string> {
  let at = 0;
  for (const { start, end, overlap } of [...chunks, { start: text.length, end: text.length, overlap: 0 }]) {
    if (text.slice(at, start + overlap).trim() !== '')
      yield `text is lost between ${at} and ${start + overlap}`;
    at = end;
  }
}

export function* violationsOfSlices(text: string, chunks: readonly Chunk[]): Generator<string> {
  for (const [index, piece] of chunks.entries()) {
    if (text.slice(piece.start, piece.end) !== piece.text) yield `chunk ${index} is not what its offsets say`;
    if (!piece.text.isWellFormed()) yield `chunk ${index} holds half a surrogate pair`;
  }
}

function* violationsOfSize(chunks: readonly Chunk[], size: number): Generator<string> {
  for (const [index, { text, metadata }] of chunks.entries()) {
    const oversize = text.length > size;
    if (oversize !== (metadata.oversize ?? false))
      yield `chunk ${index} has ${text.length} units and a wrong oversize flag`;
    if (oversize && Array.from(text).length > 1)
      yield `chunk ${index} has ${text.length} units and could be cut`;
  }
}

function* violationsOfOverlap(chunks: readonly Chunk[], most: number): Generator<string> {
  for (const [index, { start, overlap }] of chunks.entries()) {
    const repeated = Math.max(0, (chunks[index - 1]?.end ?? 0) - start);
    if (overlap !== repeated) yield `chunk ${index} repeats ${repeated} units and says ${overlap}`;
    if (overlap > most) yield `chunk ${index} repeats more than ${most} units`;
  }
}

/** Both ends lie between graphemes, or in one that does not fit, or blank is all that the cut takes off it. */
export function* violationsOfGraphemes(
  text: string,
  chunks: readonly Chunk[],
  size: number,
  count: (text: string) => number = (grapheme) => grapheme.length,
): Generator<string> {
  if (chunks.length === 0) return;
  const ends = graphemeEnds(text);
  for (const at of chunks.flatMap(({ start, end }) => [start, end])) {
    const [from, to] = [ends.before(at), ends.after(at)];
    if (from === at || count(text.slice(from, to)) > size || text.slice(at, to).trim() === '') continue;
    yield `the grapheme from ${from} to ${to} is cut at ${at}`;
  }
}

/** The grapheme boundaries of a text: the last at or before an offset, the first after it. */
interface GraphemeEnds {
  readonly before: (at: number) => number;
  readonly after: (at: number) => number;
}

/** Those of the text that was asked for last, which comes with several limits. */
let known: { readonly text: string; readonly ends: GraphemeEnds } | undefined;

function graphemeEnds(text: string): GraphemeEnds {
  if (known?.text !== text) known = { text, ends: findGraphemes(text) };
  return known.ends;
}

function findGraphemes(text: string): GraphemeEnds {
  const last = new Uint32Array(text.length + 1);
  const next = new Uint32Array(text.length + 1).fill(text.length);
  for (const { index, segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    last.fill(index, index, index + segment.length);
    next.fill(index + segment.length, index, index + segment.length);
  }
  last[text.length] = text.length;
  return { before: (at) => last[at] ?? 0, after: (at) => next[at] ?? text.length };
}
