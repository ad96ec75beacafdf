// Where the sentence scanner stops: the reader that bundles have and those that Node has, with WebAssembly and without,
// find the same stops, also around the ends of what the latter copy at a time, and no scan leaves anything behind for
// the next one.
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import wabt from 'wabt';
import { cases } from '../cases.ts';
import { FIND_STOPS } from '../../src/sentences/find-stops.ts';
import { StopReader as NodeReader } from '../../src/sentences/stops.node.ts';
import { StopReader } from '../../src/sentences/stops.ts';
import { sentences } from '../../src/sentences/index.ts';

/** Units that are copied at a time. */
const WINDOW = 8192;
const MARKS = ['.', '!', '\n', '(', '”', '。', '\u0e01', '\ud83d\ude00', '요'];
/** One byte a unit, two, and such as are no stops though their bytes are those of some. */
const LETTERS = ['a', 'é', 'я', '‐', '℮', '漢', '⸮', '\uffff', '\0'];

type Reader = new (text: string, end: number) => { unit: number; next: (at: number) => number };

/** All stops in [start, end), each with its unit, of a reader that is asked behind every one. */
function stopsOf(Kind: Reader, text: string, start: number, end: number): (readonly [number, number])[] {
  const reader = new Kind(text, end);
  const stops: (readonly [number, number])[] = [];
  for (let at = reader.next(start); at < end; at = reader.next(at + 1)) stops.push([at, reader.unit]);
  return stops;
}

/** The reader that Node has where WebAssembly is switched off. */
async function readerWithoutWebAssembly(): Promise<Reader> {
  vi.resetModules();
  vi.stubGlobal('WebAssembly', undefined);
  try {
    return (await import('../../src/sentences/stops.node.ts')).StopReader;
  } finally {
    vi.unstubAllGlobals();
  }
}

const readers: readonly (readonly [string, Reader])[] = [
  ['WebAssembly', NodeReader],
  ['a loop', await readerWithoutWebAssembly()],
];

describe.each(readers)('the stops of a text, found by %s,', (_, Kind) => {
  it('are those of a bundle in any range of any text', () => {
    const part = fc.oneof(fc.constantFrom(...MARKS, ...LETTERS), fc.string({ unit: 'binary', maxLength: 4 }));
    const run = fc.tuple(part, fc.integer({ min: 1, max: 300 })).map(([unit, count]) => unit.repeat(count));
    const text = fc.array(fc.oneof(part, run), { maxLength: 40 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), (whole, a, b) => {
        const [start = 0, end = 0] = [a % (whole.length + 1), b % (whole.length + 1)].sort((x, y) => x - y);
        expect(stopsOf(Kind, whole, start, end)).toEqual(stopsOf(StopReader, whole, start, end));
      }),
      cases(1000),
    );
  });

  it('are those of a bundle around the end of what is copied at a time', () => {
    for (const letter of LETTERS)
      for (const mark of MARKS)
        for (const start of [0, 1])
          for (let at = start + WINDOW - 3; at < start + WINDOW + 3; at++) {
            const text = `${letter.repeat(at)}${mark}${letter.repeat(400)}${mark}`;
            expect(stopsOf(Kind, text, start, text.length)).toEqual(
              stopsOf(StopReader, text, start, text.length),
            );
            expect(stopsOf(Kind, text, start, at)).toEqual([]);
          }
  });
});

describe('the search of find-stops.wat', () => {
  it('is what its text says', async () => {
    const source = new URL('../../src/sentences/find-stops.wat', import.meta.url);
    const module = (await wabt()).parseWat('find-stops.wat', await readFile(source, 'utf8'));
    const { buffer } = module.toBinary({});
    expect(FIND_STOPS).toBe(Buffer.from(buffer).toString('base64'));
  });

  it('finds every unit that is a stop', () => {
    const units = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).join('');
    expect(stopsOf(NodeReader, units, 0, units.length)).toEqual(stopsOf(StopReader, units, 0, units.length));
  });
});

describe('sentences', () => {
  it('are all there in a text of more than there is always room for', () => {
    const text = 'It rained. '.repeat(20_000);
    expect([...sentences(text).offsets]).toEqual(
      Array.from({ length: 20_000 }, (_, index) => 11 * (index + 1)),
    );
  });

  it('do not change when others are looked for later', () => {
    const first = sentences('It rained. “It did.” (It did not.) Dr. Ruiz left.');
    const copy = structuredClone(first);
    sentences('(((Other. Text. '.repeat(3000));
    expect(first).toEqual(copy);
  });
});
