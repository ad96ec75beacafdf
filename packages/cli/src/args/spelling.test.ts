import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { closest, suggestion } from './spelling.ts';

const WORDS = ['tier', 'size', 'overlap', 'format', 'qdrant'];

describe('the word that was meant', () => {
  it.each([
    ['overlpa', 'overlap'],
    ['OVERLAP', 'overlap'],
    ['formt', 'format'],
    ['sizes', 'size'],
    ['qdarnt', 'qdrant'],
  ])('of %s is %s', (word, meant) => {
    expect(closest(word, WORDS)).toBe(meant);
  });

  it('is none when nothing is near', () => {
    expect(closest('colour', WORDS)).toBeUndefined();
    expect(closest('xy', ['ab'])).toBeUndefined();
    expect(closest('', WORDS)).toBeUndefined();
    expect(suggestion('colour', WORDS)).toBe('');
  });

  it('is the word itself when it is there', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        (word) => closest(word, [word.toLowerCase()]) === word.toLowerCase(),
      ),
      cases(100),
    );
  });

  it('is found after any one slip in a longer word', () => {
    const slip = fc.record({ at: fc.nat(6), kind: fc.constantFrom('drop', 'double', 'swap', 'change') });
    fc.assert(
      fc.property(slip, ({ at, kind }) => {
        const [before, letter, rest] = [
          'overlap'.slice(0, at),
          'overlap'.charAt(at),
          'overlap'.slice(at + 1),
        ];
        const slipped = {
          drop: before + rest,
          double: before + letter + letter + rest,
          swap: before + rest.slice(0, 1) + letter + rest.slice(1),
          change: `${before}#${rest}`,
        }[kind];
        return closest(slipped, WORDS) === 'overlap';
      }),
      cases(100),
    );
  });
});
