import { describe, expect, it } from 'vitest';
import { chunkSync } from '../chunk.ts';
import { ChunkError } from '../errors.ts';
import { chunkFree, type ChunkFreeOptions } from '../free.ts';

const textsOf = (text: string, options: ChunkFreeOptions = {}): string[] =>
  chunkFree(text, options).map((piece) => piece.text);

const FAMILY = '👨‍👩‍👧‍👦';

describe('the free tier', () => {
  it('cuts at paragraphs first, then lines, then spaces, then between characters', () => {
    expect(textsOf('one\n\ntwo\n\nthree', { size: 9 })).toEqual(['one\n\ntwo', 'three']);
    expect(textsOf('one\ntwo\nthree', { size: 8 })).toEqual(['one\ntwo', 'three']);
    expect(textsOf('one two three', { size: 8 })).toEqual(['one two', 'three']);
    expect(textsOf('abcdefghij', { size: 4 })).toEqual(['abcd', 'efgh', 'ij']);
  });

  it('takes only the pieces that are too long to the next separator', () => {
    expect(textsOf('aa bb\n\ncc dd ee ff\n\ngg', { size: 8 })).toEqual(['aa bb', 'cc dd', 'ee ff', 'gg']);
  });

  it('takes a piece exactly as long as the size to the next separator, as LangChain does', () => {
    expect(textsOf('\n\nab cd', { size: 7 })).toEqual(['ab cd']);
    expect(textsOf('x\n\nab cd', { size: 7 })).toEqual(['x', 'ab cd']);
  });

  it('gives no chunk for empty and for blank text', () => {
    for (const text of ['', ' ', '\n\n\n', '\t \r\n\u00a0\ufeff\u3000'])
      expect(textsOf(text, { size: 3 })).toEqual([]);
  });

  it('keeps a text that fits as one trimmed chunk with its offsets', () => {
    expect(chunkFree('  hello world\n')).toEqual([
      { text: 'hello world', start: 2, end: 13, overlap: 0, metadata: {} },
    ]);
  });

  it('repeats whole pieces up to the overlap and says how much it repeats', () => {
    const chunks = chunkFree('aa bb cc dd ee', { size: 9, overlap: 3 });
    expect(chunks.map(({ text, overlap }) => [text, overlap])).toEqual([
      ['aa bb cc', 0],
      ['cc dd ee', 2],
    ]);
  });

  it('repeats less when the next piece needs the room', () => {
    expect(textsOf('aa bb cc longword', { size: 9, overlap: 8 })).toEqual(['aa bb cc', 'longword']);
  });

  it('repeats nothing across a piece that is too long', () => {
    expect(chunkFree('aa bb\n\nabcdefghij', { size: 6, overlap: 3 }).map(({ overlap }) => overlap)).toEqual([
      0, 0, 3, 3,
    ]);
  });

  it('repeats units of a text without separators', () => {
    expect(textsOf('abcdefgh', { size: 4, overlap: 2 })).toEqual(['abcd', 'cdef', 'efgh']);
  });

  it('drops a chunk that repeats nothing but overlap, which LangChain returns', () => {
    const chunks = chunkFree('ab cd     ', { size: 6, overlap: 4 });
    expect(chunks.map(({ text }) => text)).toEqual(['ab cd']);
  });

  it('lets a chunk replace one before it that it holds', () => {
    const text = `${' '.repeat(4)}ab cd`;
    expect(chunkFree(text, { size: 7, overlap: 6 }).map(({ text: piece, start }) => [piece, start])).toEqual([
      ['ab cd', 4],
    ]);
  });

  it('handles CR LF without leaving half of it at an edge', () => {
    expect(textsOf('one\r\n\r\ntwo\r\nthree', { size: 6 })).toEqual(['one', 'two', 'three']);
    expect(textsOf('ab\r\ncd', { size: 3, separators: [''] })).toEqual(['ab', 'cd']);
  });
});

describe('separators', () => {
  it('finds a separator that overlaps itself at each of its places', () => {
    expect(textsOf('a...b', { size: 2, separators: ['..', ''] })).toEqual(['a.', '..', 'b']);
  });

  it('finds no separator across the end of a piece', () => {
    expect(textsOf('xxxabyyy', { size: 4, separators: ['b', 'ab', ''] })).toEqual(['xxxa', 'byyy']);
  });

  it('keeps a separator with the piece that it begins', () => {
    expect(textsOf('one.two.three', { size: 6, separators: ['.', ''] })).toEqual(['one', '.two', '.three']);
  });

  it('takes special characters of patterns as they are', () => {
    expect(textsOf('a|b(c\\d', { size: 3, separators: ['|', '(', '\\', ''] })).toEqual([
      'a',
      '|b',
      '(c',
      '\\d',
    ]);
  });

  it('takes as many separators as it allows, nested as deep', () => {
    const separators = Array.from({ length: 1000 }, (_, index) => String.fromCharCode(0x4e00 + index));
    const text = separators.join('') + 'x'.repeat(5000);
    expect(textsOf(text, { size: 10, separators }).join('')).toBe(text);
  });

  it('ignores what stands behind the empty separator', () => {
    expect(textsOf('aaxbb', { size: 3, separators: ['', 'x'] })).toEqual(['aax', 'bb']);
  });

  it('goes on to characters without the empty separator, where LangChain exceeds the size', () => {
    expect(textsOf('abcdefg', { size: 3, separators: ['\n\n'] })).toEqual(['abc', 'def', 'g']);
    expect(textsOf('abcdefg', { size: 3, separators: [] })).toEqual(['abc', 'def', 'g']);
  });

  it('keeps the blanks of a piece without a separator that fits exactly, as LangChain does', () => {
    expect(textsOf(' abc', { size: 4, separators: [','] })).toEqual([' abc']);
  });

  it.each([
    ['a string', '\n'],
    ['a number in it', ['\n', 1]],
    ['half a surrogate pair', ['\ud800']],
    ['null', null],
    ['more than a thousand', Array.from({ length: 1001 }, (_, index) => String(index))],
  ])('refuses %s', (_name, separators) => {
    expect(() => chunkFree('text', { separators: separators as never })).toThrow(
      /separators must be an array of at most 1000 well-formed strings/,
    );
  });
});

describe('characters that are more than one unit', () => {
  it('never cuts a surrogate pair', () => {
    expect(textsOf('😀😀😀', { size: 3 })).toEqual(['😀', '😀', '😀']);
    expect(textsOf('a😀b😀', { size: 2 })).toEqual(['a', '😀', 'b', '😀']);
  });

  it('flags a code point that is longer than the size, the one way over it', () => {
    expect(chunkFree('a😀', { size: 1 })).toEqual([
      { text: 'a', start: 0, end: 1, overlap: 0, metadata: {} },
      { text: '😀', start: 1, end: 3, overlap: 0, metadata: { oversize: true } },
    ]);
  });

  it('keeps graphemes whole that fit', () => {
    expect(textsOf(`ab${FAMILY}cd`, { size: 12 })).toEqual(['ab', `${FAMILY}c`, 'd']);
    expect(textsOf('ae\u0301e\u0301', { size: 2 })).toEqual(['a', 'e\u0301', 'e\u0301']);
    expect(textsOf('🇩🇪🇫🇷🇯🇵', { size: 6 })).toEqual(['🇩🇪', '🇫🇷', '🇯🇵']);
    expect(textsOf('\u1100\u1161\u11a8'.repeat(3), { size: 4 })).toEqual(Array(3).fill('\u1100\u1161\u11a8'));
    expect(textsOf('क्षिक्षि', { size: 5 })).toEqual(['क्षि', 'क्षि']);
  });

  it('begins an overlap at a grapheme', () => {
    const chunks = chunkFree(`abcd${FAMILY}efgh`, { size: 15, overlap: 6 });
    expect(chunks.map(({ text, overlap }) => [text, overlap])).toEqual([
      [`abcd${FAMILY}`, 0],
      ['efgh', 0],
    ]);
  });

  it('cuts a grapheme longer than the size at code points', () => {
    const pieces = textsOf(`x${FAMILY}y`, { size: 4 });
    expect(pieces.join('')).toBe(`x${FAMILY}y`);
    expect(pieces.every((piece) => piece.length <= 4 && piece.isWellFormed())).toBe(true);
    expect(pieces[0]).toBe('x');
    expect(pieces.at(-1)).toBe('y');
  });

  it('leaves a blank to the mark that stands on it', () => {
    expect(textsOf('abcd \u0301ef', { size: 4 })).toEqual(['abcd', ' \u0301ef']);
  });
});

describe('large and hostile inputs', () => {
  it('gives half a million chunks', () => {
    expect(chunkFree('ab '.repeat(500_000), { size: 4 })).toHaveLength(500_000);
  });

  it('splits one million tiny paragraphs', () => {
    const chunks = chunkFree('x\n\n'.repeat(1_000_000));
    expect(chunks.length).toBeGreaterThan(2900);
    expect(chunks.every(({ text }) => text.length <= 1000)).toBe(true);
  });

  it('splits a text that is one grapheme of a million marks', () => {
    const chunks = chunkFree(`e${'\u0301'.repeat(1_000_000)}`);
    expect(chunks).toHaveLength(1001);
  });
});

describe('both entry points', () => {
  it('give the same chunks', () => {
    const text = `First.\n\nSecond ${FAMILY} line\nthird ${'x'.repeat(50)}`;
    for (const options of [{}, { size: 20 }, { size: 20, overlap: 7 }, { size: 5, separators: ['.', ''] }]) {
      expect(chunkFree(text, options)).toEqual(chunkSync(text, { tier: 'free', ...options }));
    }
  });

  it('refuse half a surrogate pair and say where it is', () => {
    for (const [text, offset] of [
      ['ab\ud83d', 2],
      ['\udc00', 0],
      [`${'漢'.repeat(100)}😀\ude00`, 102],
      [`${'😀'.repeat(500)}\ud83d\ud83d\ude00`, 1000],
    ] as const) {
      for (const run of [() => chunkFree(text), () => chunkSync(text)]) {
        expect(run).toThrow(expect.objectContaining({ code: 'ill_formed_text', offset }) as Error);
      }
    }
  });

  it('report every wrong option at once', () => {
    const run = (): unknown =>
      chunkFree(7 as never, { size: 0, overlap: -1, separators: 'x', tier: 'free' } as never);
    expect(run).toThrow(ChunkError);
    expect(run).toThrow(/text must be .*size must be .*overlap must be .*separators must be .*tier must be /);
  });
});
