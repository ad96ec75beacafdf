// Every call that takes options refuses those that it does not know, in the same words: an option without effect is a
// misunderstanding that costs somebody an afternoon.
import { describe, expect, it } from 'vitest';
import { batches, identify, toRecords } from '../src/formats/index.ts';
import { chunkFree } from '../src/free.ts';
import { loadGrammars } from '../src/grammars/index.ts';
import { chunkSync, chunk, documentFromText, planCompletions, recut, TIERS, verify } from '../src/index.ts';
import { SYNCHRONOUS_TIERS } from '@grainline/testing/tiers';

const TEXT = 'One.\n\nTwo.';
const chunks = chunkSync(TEXT);
const records = toRecords(chunks, 'raw', { documentId: 'a' });
const slip = (known: object = {}): never => ({ ...known, sise: 100 }) as never;

const CALLS: readonly [name: string, known: string, call: () => unknown][] = [
  ['chunkSync', 'size', () => chunkSync(TEXT, slip())],
  ['chunk', 'size', () => chunk(TEXT, slip())],
  ['chunkFree', 'size', () => chunkFree(TEXT, slip())],
  ['planCompletions', 'size', () => planCompletions(TEXT, slip())],
  ['recut', 'size', () => recut(TEXT, {} as never, slip())],
  ['documentFromText', 'filename', () => documentFromText(TEXT, slip())],
  ['identify', 'documentId', () => identify(chunks, slip({ documentId: 'a' }))],
  ['toRecords', 'documentId', () => toRecords(chunks, 'raw', slip({ documentId: 'a' }))],
  ['batches', 'maxRecords', () => batches(records, 'raw', slip())],
  ['loadGrammars', 'wasm', () => loadGrammars([], slip())],
];

describe('an option that nobody knows', () => {
  it.each(CALLS)('is refused by %s, with those that it takes, %s among them', async (_, known, call) => {
    const outcome: unknown = await Promise.resolve()
      .then(call)
      .catch((error: unknown) => error);
    expect(outcome).toMatchObject({ code: 'invalid_options', issues: [{ option: 'sise' }] });
    const { message } = outcome as Error;
    expect(message).toMatch(/^Wrong options: sise must be left out, because .+ takes only .+, but is 100\.$/);
    expect(message).toContain(known);
  });
});

it('an option that is undefined is left out, whether the call takes it or not', async () => {
  const names = Object.values(TIERS).flatMap(({ options }) => options);
  const all: object = Object.fromEntries(
    [...names, 'tier', 'kind', 'language', 'size', 'overlap', 'measure', 'signal', 'onProgress', 'sise'].map(
      (name) => [name, undefined],
    ),
  );
  expect(await chunk(TEXT, all)).toEqual(chunks);
  expect(chunkFree(TEXT, all)).toEqual(chunkSync(TEXT, { tier: 'free' }));
  for (const tier of SYNCHRONOUS_TIERS)
    expect(chunkSync(TEXT, { ...all, tier })).toEqual(chunkSync(TEXT, { tier }));
});

describe('a value that is mistaken for what it holds', () => {
  it.each([
    ['bytes', new TextEncoder().encode(TEXT), 'of the class Uint8Array'],
    ['a promise', Promise.resolve(TEXT), 'of the class Promise: await it'],
    ['a file', new Blob([TEXT]), 'of the class Blob'],
    ['another library’s document', { pageContent: TEXT }, 'an object'],
  ])('is named, when a text is expected and %s come', (_, input, received) => {
    expect(() => chunkSync(input as never)).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ option: 'input', received })] }) as Error,
    );
  });

  it('is a counter that was not awaited', () => {
    const measure = Promise.resolve({ name: 'one', count: () => 1, measure: () => 1 });
    expect(() => chunkSync(TEXT, { measure: measure as never })).toThrow(
      'but is of the class Promise: await it',
    );
  });
});

describe('an option of one run', () => {
  it('is refused with all others that are wrong, before anything is done', async () => {
    const options = { signal: 5000, onProgress: true, onDecisions: 'log', onEnriched: {}, onCohesion: null };
    const outcome: unknown = await chunk(TEXT, options as never).catch((error: unknown) => error);
    expect(outcome).toMatchObject({
      code: 'invalid_options',
      issues: Object.keys(options).map((option) => ({ option })),
    });
  });
});

it('a text and its chunks in the wrong order are refused by verify', () => {
  expect(() => verify(chunks as never, TEXT as never)).toThrow(
    'Wrong options: source must be a text, or the document that holds it, but is an array of 1; chunks must be an array',
  );
});
