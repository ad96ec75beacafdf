import { chunkSync, verify } from '@grainline/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { createTokenCounter, tokenCounter } from './counter.ts';

const words = (text: string): number => text.split(/\s+/).filter(Boolean).length;

describe('a counter made of a function', () => {
  it('counts as the function does, but for nothing and for blanks', () => {
    const counter = createTokenCounter('words', words);
    expect(counter.name).toBe('words');
    expect(counter.count('High water, low water.')).toBe(4);
    expect(counter.measure('High water, low water.').count(5, 15)).toBe(2);
    expect(counter.count('')).toBe(0);
    // A word piece tokenizer sees nothing in a line end; a chunk of it is one all the same.
    expect(counter.count('\n')).toBe(1);
    // One that puts marks around a text puts them around nothing too.
    expect(createTokenCounter('with marks', (text) => 2 + text.length).count('')).toBe(0);
  });

  it.each([
    ['words', words],
    ['bytes', (text: string) => new TextEncoder().encode(text).length],
    // A longer range is often cheaper than one that it begins with.
    [
      'by the last unit',
      (text: string) => Math.ceil(text.length / (1 + (text.charCodeAt(text.length - 1) % 4))),
    ],
  ])('finds a prefix that fits and cannot take one character more, by %s', (name, count) => {
    const counter = createTokenCounter(name, count);
    const texts = fc.string({ unit: fc.constantFrom('a', 'bc ', ' ', '\n', '🌊', 'é'), maxLength: 60 });
    fc.assert(
      fc.property(texts, fc.nat({ max: 40 }), fc.nat({ max: 12 }), (text, at, maxTokens) => {
        const start = Math.min(text.length, isInsidePair(text, at) ? at + 1 : at);
        const fit = counter.measure(text).longestPrefix(start, text.length, maxTokens);
        expect(fit).toBeGreaterThanOrEqual(start);
        expect(isInsidePair(text, fit)).toBe(false);
        expect(counter.count(text.slice(start, fit))).toBeLessThanOrEqual(maxTokens);
        if (fit === text.length) return;
        const next = fit + String.fromCodePoint(text.codePointAt(fit)!).length;
        expect(counter.count(text.slice(start, next))).toBeGreaterThan(maxTokens);
      }),
      cases(1000),
    );
  });

  it('gives the chunks of the exact counter when it asks that', async () => {
    const exact = await tokenCounter('cl100k');
    const own = createTokenCounter('mine', (text) => exact.count(text));
    const text =
      '# Tides\n\nHigh water follows the moon. It comes twice a day.\n\n- Ostend\n- Dover\n\n'.repeat(30);
    for (const tier of ['free', 'standard', 'structure', 'professional'] as const) {
      const chunks = chunkSync(text, { tier, measure: own, size: 48, overlap: 8 });
      expect(chunks).toEqual(chunkSync(text, { tier, measure: exact, size: 48, overlap: 8 }));
      expect(verify(text, chunks)).toMatchObject({ covered: true });
    }
  });

  it('counts a long line in pieces of some chunks, never the rest of it', () => {
    let longest = 0;
    const counter = createTokenCounter('letters', ({ length }) => {
      longest = Math.max(longest, length);
      return length;
    });
    const text = 'x'.repeat(50_000);
    expect(counter.measure(text).longestPrefix(7, text.length, 100)).toBe(107);
    expect(longest).toBeLessThanOrEqual(400);
  });

  it.each([
    ['a fraction', 1.5, /integer from 0, but answered 1.5/],
    ['nothing', undefined, /but answered undefined/],
    ['a promise', Promise.resolve(3), /but answered a promise: counts are needed at once/],
  ])('refuses %s as an answer', (_what, answer, message) => {
    const counter = createTokenCounter('wrong', () => answer as number);
    expect(() => counter.count('text')).toThrow(message);
    expect(() => chunkSync('text', { measure: counter })).toThrow(
      expect.objectContaining({ code: 'bad_count' }) as Error,
    );
  });

  it('is not made without a function', () => {
    expect(() => createTokenCounter('words', undefined as unknown as typeof words)).toThrow(
      /words needs a function that counts tokens, but got undefined/,
    );
  });

  it('refuses what is no range of its text, as other counters do', () => {
    const measured = createTokenCounter('words', words).measure('four');
    expect(() => measured.count(2, 9)).toThrow(/is no range of a text of 4 units/);
    expect(() => measured.longestPrefix(3, 1, 1)).toThrow(/is no range/);
    expect(() => measured.longestPrefix(0, 4, -1)).toThrow(/maxTokens must be from 0/);
  });
});

function isInsidePair(text: string, at: number): boolean {
  return at > 0 && at < text.length && text.codePointAt(at - 1)! > 0xffff;
}
