// The contract of every embedder: one suite, which takes a constructor.
import type { Embed } from '@grainline/core';
import { expect, it } from 'vitest';

const SHIPS = 'The sailors dropped their anchor in the harbour before the storm.';
const BOATS = 'A ship lay in the port, waiting for the wind to calm down.';
const COURT = 'The judge dismissed the appeal because the evidence was weak.';
/** Texts that break careless code. */
const ODD = [
  '…',
  '123 456',
  '漢字仮名交じり文',
  'مرحبا بالعالم',
  '👩‍🚀👩‍🚀',
  '\u0000\u0007',
  '\ud800',
  'x'.repeat(3000),
  'word '.repeat(800).trim(),
  "<|endoftext|> [CLS] ##ing '; --",
];

/** Declares the contract as tests. `wordy` embedders know that two sentences about ships are alike. */
export function describeContract(make: () => Promise<Embed>, { wordy = true } = {}): void {
  const embed: Embed = async (texts, run) => (await make())(texts, run);
  const cosine = (a: ArrayLike<number> = [], b: ArrayLike<number> = []): number => {
    const dot = (x: ArrayLike<number>, y: ArrayLike<number>): number =>
      Array.from(x).reduce((sum, value, at) => sum + value * (y[at] ?? NaN), 0);
    return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
  };

  it('answers one sound vector a text', async () => {
    const texts = [SHIPS, BOATS, COURT, ...ODD];
    const { model, dimensions, vectors } = await embed(texts, {});
    expect(model).not.toBe('');
    expect(vectors).toHaveLength(texts.length);
    for (const vector of vectors) {
      expect(vector).toHaveLength(dimensions);
      expect(Array.from(vector).every(Number.isFinite)).toBe(true);
      expect(Array.from(vector).some((value) => value !== 0)).toBe(true);
    }
  });

  it('keeps the order of the texts, and equal texts equal', async () => {
    const forth = await embed([SHIPS, COURT, SHIPS, BOATS], {});
    const back = await embed([BOATS, SHIPS, COURT, SHIPS], {});
    for (const [at, to] of [1, 2, 3, 0].entries())
      expect(cosine(forth.vectors[at], back.vectors[to])).toBeGreaterThan(0.98);
    expect(cosine(forth.vectors[0], forth.vectors[2])).toBeGreaterThan(0.9999);
  });

  it('answers the same to the same', async () => {
    expect(await embed([SHIPS, BOATS], {})).toEqual(await embed([SHIPS, BOATS], {}));
  });

  it('answers nothing to nothing', async () => {
    expect((await embed([], {})).vectors).toEqual([]);
  });

  it.skipIf(!wordy)('finds what is alike alike', async () => {
    const { vectors } = await embed([SHIPS, BOATS, COURT], {});
    expect(cosine(vectors[0], vectors[1])).toBeGreaterThan(cosine(vectors[0], vectors[2]) + 0.1);
    expect(cosine(vectors[0], vectors[1])).toBeGreaterThan(cosine(vectors[1], vectors[2]) + 0.1);
  });

  it('does not begin once the signal is aborted', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(embed([SHIPS], { signal })).rejects.toThrow('enough');
  });
}
