import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { clusterAt, isBlank, isSettledBoundary, splitsPair, SurrogateReader } from './unicode.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const startsOf = (text: string): number[] => [...segmenter.segment(text)].map(({ index }) => index);

describe('isBlank', () => {
  it('agrees with trim on every code unit', () => {
    for (let code = 0; code <= 0xffff; code++) {
      if (isBlank(code) !== (String.fromCharCode(code).trim() === '')) throw new Error(`wrong about ${code}`);
    }
  });
});

describe('isSettledBoundary', () => {
  it('calls nothing settled that Intl.Segmenter joins, for every code point beside letters of many kinds', () => {
    const neighbours = ['a', '漢', '가', '👧', '𠮷', 'ب', 'ก', '\n'];
    const wrong: string[] = [];
    for (let first = 0; first <= 0x10ffff; first += 256) {
      const unassigned = first >= 0x40000 && first < 0xe0000;
      if (unassigned || (first >= 0xd800 && first <= 0xdfff)) continue;
      const characters = Array.from({ length: 256 }, (_, index) => String.fromCodePoint(first + index));
      for (const neighbour of first < 0x20000 ? neighbours : neighbours.slice(0, 2)) {
        const text = neighbour + characters.join(neighbour) + neighbour;
        const starts = new Set(startsOf(text));
        for (let at = 1; at < text.length; at++) {
          const crLf = text.startsWith('\r\n', at - 1);
          if (!crLf && isSettledBoundary(text, at) && !starts.has(at)) wrong.push(text.slice(at - 2, at + 2));
        }
      }
    }
    expect(wrong.slice(0, 20)).toEqual([]);
  });

  it('calls no place inside a surrogate pair settled', () => {
    for (const text of ['😀', '𠮷', '𝒳']) expect(isSettledBoundary(text, 1)).toBe(false);
  });

  it('settles plain scripts, so that the segmenter is not asked about them', () => {
    for (const text of ['ab', 'é!', '漢字', 'カな', '한국', 'яа', 'αβ', 'אב', 'سل', '😀😁', '𠮷𠮷']) {
      expect(isSettledBoundary(text, String.fromCodePoint(text.codePointAt(0) ?? 0).length), text).toBe(true);
    }
  });
});

describe('clusterAt', () => {
  const texts = fc
    .array(
      fc.constantFrom(
        'a',
        'e\u0301',
        '👨‍👩‍👧‍👦',
        '🇩🇪',
        '🇩',
        '\u1100\u1161\u11a8',
        'क्षि',
        '漢',
        ' ',
        '\u200d',
        `x${'\u0300'.repeat(90)}`,
      ),
      { minLength: 1, maxLength: 30 },
    )
    .map((parts) => parts.join(''));

  it('finds the grapheme that Intl.Segmenter finds in the whole text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const starts = [...startsOf(text), text.length];
        for (let at = 0; at < text.length; at++) {
          const start = starts.findLast((boundary) => boundary <= at);
          const end = starts.find((boundary) => boundary > at);
          expect(clusterAt(text, at, 0, text.length)).toEqual({ start, end });
        }
      }),
      cases(300),
    );
  });

  it('takes the text to begin and to end where it is told', () => {
    expect(clusterAt('🇩🇪🇫🇷', 4, 2, 8)).toEqual({ start: 2, end: 6 });
    expect(clusterAt('e\u0301\u0301', 1, 0, 2)).toEqual({ start: 0, end: 2 });
  });
});

describe('SurrogateReader', () => {
  it('agrees with isWellFormed and points at the first issue', () => {
    const units = fc.array(
      fc.constantFrom(
        'a',
        '漢',
        '😀',
        '\ud83d',
        '\ude00',
        '，',
        '\ue000',
        'x'.repeat(40),
        '字'.repeat(300),
        '，'.repeat(70),
        '字'.repeat(17_000),
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(units, fc.array(fc.nat(400)), (parts, steps) => {
        const text = parts.join('');
        const reader = new SurrogateReader(text);
        const first = text.search(/\p{Surrogate}/u);
        expect(first === -1).toBe(text.isWellFormed());
        let end = 0;
        for (const step of steps) {
          end += step;
          const found = reader.findBefore(end);
          if (found !== -1) expect(found).toBe(first);
          else expect(first === -1 || first >= Math.min(end, text.length)).toBe(true);
        }
        expect(reader.findBefore(text.length)).toBe(first);
      }),
      cases(2000),
    );
  });
});

describe('splitsPair', () => {
  it('is true only between the halves of a pair', () => {
    expect([0, 1, 2, 3].map((at) => splitsPair('a😀', at))).toEqual([false, false, true, false]);
  });
});
