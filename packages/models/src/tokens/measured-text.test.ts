import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { createRandom, DISPUTED, randomString, realTexts } from '../../test/strings.ts';
import { tokenCounter } from './counter.ts';

describe.each(['o200k', 'cl100k'] as const)('a text measured in %s', async (encoding) => {
  const counter = await tokenCounter(encoding);

  /** Texts of all kinds, and two offsets in each, in order and inside no surrogate pair. */
  const ranges = fc
    .tuple(fc.integer(), fc.integer({ min: 1, max: 4 }), fc.nat(), fc.nat())
    .map(([seed, parts, a, b]) => {
      const random = createRandom(seed);
      const text = Array.from({ length: parts }, () => randomString(random, DISPUTED)).join('');
      const [start, end] = [a % (text.length + 1), b % (text.length + 1)].sort((x, y) => x - y) as [
        number,
        number,
      ];
      return { text, start, end };
    });

  it('counts every range exactly as the range is counted alone', () => {
    fc.assert(
      fc.property(ranges, ({ text, start, end }) => {
        expect(counter.measure(text).count(start, end)).toBe(counter.count(text.slice(start, end)));
      }),
      cases(4000),
    );
  });

  it('counts all ranges of short texts full of blanks exactly', () => {
    const random = createRandom(5);
    const parts = [' ', '\n', '\t', 'x', '!', "'s", '1', '\u00a0', '😀', 'A', '日'];
    for (let index = 0; index < 150; index++) {
      const text = Array.from({ length: 12 }, () => parts[random(parts.length)]!).join('');
      const measured = counter.measure(text);
      for (let start = 0; start <= text.length; start++) {
        for (let end = start; end <= text.length; end++) {
          expect(measured.count(start, end)).toBe(counter.count(text.slice(start, end)));
        }
      }
    }
  });

  it('counts ranges of real documents exactly', (context) => {
    const texts = realTexts(10);
    if (texts.length === 0) context.skip('the development corpus is not beside the repository');
    const random = createRandom(11);
    for (const text of texts) {
      const measured = counter.measure(text);
      for (let index = 0; index < 50; index++) {
        const start = random(text.length);
        const end = start + random(text.length - start + 1);
        expect(measured.count(start, end)).toBe(counter.count(text.slice(start, end)));
      }
    }
  });

  it('finds a prefix that fits and cannot take one character more', () => {
    fc.assert(
      fc.property(ranges, fc.nat({ max: 60 }), ({ text, start: from, end: to }, maxTokens) => {
        const start = text.length > from && isInsidePair(text, from) ? from - 1 : from;
        const end = isInsidePair(text, to) ? to + 1 : to;
        const fit = counter.measure(text).longestPrefix(start, end, maxTokens);
        expect(fit).toBeGreaterThanOrEqual(start);
        expect(fit).toBeLessThanOrEqual(end);
        expect(isInsidePair(text, fit)).toBe(false);
        expect(counter.count(text.slice(start, fit))).toBeLessThanOrEqual(maxTokens);
        if (fit < end) {
          const next = fit + String.fromCodePoint(text.codePointAt(fit)!).length;
          expect(counter.count(text.slice(start, next))).toBeGreaterThan(maxTokens);
        }
      }),
      cases(3000),
    );
  });

  it('finds a prefix in one letter a hundred thousand times', () => {
    const text = 'a'.repeat(100_000);
    const fit = counter.measure(text).longestPrefix(17, text.length, 512);
    expect(counter.count(text.slice(17, fit))).toBe(512);
    expect(counter.count(text.slice(17, fit + 1))).toBe(513);
  });

  it('knows the whole, the empty text, and its own text', () => {
    const text = 'Tables stay whole.';
    const measured = counter.measure(text);
    expect(measured.text).toBe(text);
    expect(measured.count(0, text.length)).toBe(counter.count(text));
    expect(measured.count(5, 5)).toBe(0);
    expect(counter.measure('').count(0, 0)).toBe(0);
    expect(counter.measure('').longestPrefix(0, 0, 5)).toBe(0);
  });

  it.each([
    [-1, 2],
    [2, 1],
    [0, 9],
    [0.5, 2],
    [0, NaN],
  ])('refuses the range %d to %d of a text of four units', (start, end) => {
    const measured = counter.measure('four');
    expect(() => measured.count(start, end)).toThrow(expect.objectContaining({ code: 'bad_range' }) as Error);
    expect(() => measured.longestPrefix(start, end, 1)).toThrow(/is no range of a text of 4 units/);
  });

  it('refuses a negative number of tokens', () => {
    expect(() => counter.measure('four').longestPrefix(0, 4, -1)).toThrow(/maxTokens must be from 0/);
  });
});

function isInsidePair(text: string, at: number): boolean {
  return at > 0 && at < text.length && text.codePointAt(at - 1)! > 0xffff;
}
