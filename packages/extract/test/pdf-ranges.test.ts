// A PDF that is read in ranges of pages: the document of any partition is that of reading the file at once.
// Real documents are skipped, with a message, where the development corpus is not there.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  integer,
  record,
  sample,
} from 'fast-check';
import type { Document } from '@grainline/core';
import { describe, expect, it } from 'vitest';
import { cases, sampleOf } from '@grainline/testing/cases';
import { setText, writePdf, type PdfSpec } from '@grainline/testing/pdf-writer';
import { taggedPdf } from '@grainline/testing/tagged-pdf';
import type { PageRange } from '../src/pages.ts';
import { extract, ExtractError, type ExtractOptions, type Ocr } from '../src/index.ts';
import { countPages, layOutRanges, readPages } from '../src/readers/pdf/ranges.ts';

const CORPUS = join(import.meta.dirname, '../../../../shared/corpus/pdf');

/** Bytes of the longest file that is read, and the share of the files. */
const MAX_BYTES = 400_000;
const SHARE = 5;

if (!existsSync(CORPUS))
  console.warn('The development corpus (../shared/corpus) is absent: its tests are skipped.');

/** Ranges of which some pages are the last. */
function rangesEnding(ends: readonly number[], count: number): PageRange[] {
  const sorted = [...new Set([...ends.filter((end) => end < count), count])].sort((a, b) => a - b);
  return sorted.map((last, index) => ({ first: (sorted[index - 1] ?? 0) + 1, last }));
}

/** Reads ranges as other processes would: in any order, and each copied. */
async function readInRanges(
  bytes: Uint8Array,
  ends: readonly number[],
  { filename, furniture, lines, ...reading }: ExtractOptions = {},
): Promise<Document | undefined> {
  const count = await countPages(bytes);
  if (count === undefined) return undefined;
  const ranges = [];
  for (const range of rangesEnding(ends, count).toReversed())
    ranges.push(structuredClone(await readPages(bytes, range, reading)));
  return layOutRanges(ranges, { filename, furniture, lines, regions: reading.regions });
}

/** The document, or the code and the message of its error. */
async function outcome(reading: Promise<Document | undefined>): Promise<unknown> {
  try {
    const document = await reading;
    return document && { ...document };
  } catch (error) {
    if (!(error instanceof ExtractError)) throw error;
    return [error.code, error.message];
  }
}

async function expectSame(
  bytes: Uint8Array,
  ends: readonly number[],
  options: ExtractOptions = {},
): Promise<void> {
  const parted = await outcome(readInRanges(bytes, ends, options));
  expect(parted).toEqual(await outcome(extract(bytes, { kind: 'pdf', ...options })));
}

const WORDS = 'the tide returns with the moon and leaves what it carried far behind the wall'.split(' ');

/** A page with a running head, at times a heading, and a paragraph that goes on over its end. */
function pageOf(number: number): PdfSpec['pages'][number] {
  const text = (line: number): string =>
    WORDS.map((_, at) => WORDS[(at * (line + 3) + number) % WORDS.length]).join(' ');
  const heading = { text: `Chapter ${number}`, x: 72, y: 720, size: 18 };
  return {
    content: setText([
      { text: `Handbook of Tides    ${number}`, x: 72, y: 770, size: 9 },
      ...(number % 3 === 1 ? [heading] : []),
      ...Array.from({ length: 30 }, (_, line) => ({ text: text(line), x: 72, y: 690 - 14 * line, size: 11 })),
      ...[0, 1, 2].flatMap((row) =>
        [72, 222, 372].map((x) => ({ text: `${row} ${x}`, x, y: 200 - 20 * row })),
      ),
    ]),
    fields: number % 4 === 0 ? { [`name-${number}`]: `value ${number}` } : {},
  };
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('a PDF in ranges', () => {
  it('makes the document of reading it at once, whatever the ranges are', async () => {
    const pages = integer({ min: 1, max: 8 }).chain((count) =>
      record({ count: constant(count), ends: array(integer({ min: 1, max: count })) }),
    );
    const options = record({
      regions: boolean(),
      furniture: constantFrom('drop', 'keep'),
      lines: constantFrom('join', 'keep'),
    });
    await assert(
      asyncProperty(pages, options, async ({ count, ends }, reading) => {
        const bytes = writePdf({ pages: upTo(count).map(pageOf), title: 'Tides' });
        await expectSame(bytes, ends, { ...reading, filename: 'tides.pdf' });
      }),
      cases(20),
    );
  });

  it('keeps an element of the structure tree that goes on from one range to the next', async () => {
    const tags = upTo(5).map((page) => ({
      type: 'P',
      children: [
        { text: `Paragraph ${page} begins here and`, x: 72, y: 100, page: page - 1 },
        { text: 'ends on the page behind.', x: 72, y: 700, page },
      ],
    }));
    const bytes = writePdf(
      taggedPdf({ tags: [{ type: 'H1', children: [{ text: 'Tides', x: 72, y: 750 }] }, ...tags] }),
    );
    for (const ends of [upTo(6), [3], []]) await expectSame(bytes, ends);
  });

  it('numbers lost pages as reading at once does, at the end of a range and of the file, and in a whole range', async () => {
    const kids = [10, 900, 30, 901, 902, 60, 903, 904].map((number) => `${number} 0 R`).join(' ');
    const bytes = writePdf({ pages: upTo(6).map(pageOf), kids, claimedPages: 8 });
    for (const ends of [upTo(8), [2, 5, 6], [4], []]) await expectSame(bytes, ends);
  });

  it('fails with the same error', async () => {
    const blank = { content: '' };
    await expectSame(writePdf({ pages: [blank, blank, blank] }), [1, 2]);
    await expectSame(writePdf({ pages: [{ picture: 1 }, { picture: 1 }] }), [1]);
    await expectSame(writePdf({ pages: [pageOf(1)], password: { user: 'a', owner: 'b' } }), []);
    await expectSame(writePdf({ pages: [pageOf(1), { picture: 1 }, pageOf(3)] }), [1, 2]);
  });

  it('compares the sizes of OCR over all ranges', async () => {
    const ocr: Ocr = (_, { page }) =>
      Promise.resolve(
        ['High', 'water', 'follows', `${page}`].map((text, at) => ({
          text,
          confidence: 0.9,
          left: 200 * at,
          right: 200 * at + 150,
          top: 100,
          bottom: 140 + page,
          baseline: 135 + page,
          line: at < 2 ? 0 : 1,
        })),
      );
    const bytes = writePdf({ pages: [{ picture: 1 }, pageOf(2), { picture: 1 }] });
    await expectSame(bytes, [1, 2], { ocr, regions: true });
  });

  it('is left to reading at once when the form has more fields than one file may have', async () => {
    const fields = (first: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`f${first + at}`, 'x']));
    const range = await readPages(writePdf({ pages: [{ ...pageOf(1), fields: fields(0) }] }), {
      first: 1,
      last: 1,
    });
    expect(range.fieldsMet).toBe(6);
    expect(await layOutRanges([range])).toBeDefined();
    expect(await layOutRanges([range, { ...range, first: 2, last: 2, fieldsMet: 4995 }])).toBeUndefined();
    expect(await layOutRanges([range, { ...range, first: 2, last: 2, treeWork: 1e9 }])).toBeUndefined();
  });

  it('names pages that no range has, or that two have', async () => {
    const bytes = writePdf({ pages: upTo(3).map(pageOf) });
    const [first, last] = [
      await readPages(bytes, { first: 1, last: 1 }),
      await readPages(bytes, { first: 3, last: 3 }),
    ];
    await expect(layOutRanges([first, last])).rejects.toThrow('The ranges have no page 2, or have it twice.');
    await expect(layOutRanges([first, first])).rejects.toThrow(RangeError);
    await expect(layOutRanges([])).rejects.toThrow('There are no ranges.');
    await expect(layOutRanges([first])).rejects.toThrow('The ranges have no page 2.');
    const all = await readPages(bytes, { first: 1, last: 50 });
    expect(all.last).toBe(3);
    expect(await layOutRanges([all])).toEqual(await extract(bytes));
    await expect(readPages(bytes, { first: 4, last: 5 })).rejects.toThrow(ExtractError);
  });

  it('leaves damaged files to reading at once', async () => {
    const lost = writePdf({ pages: upTo(2).map(pageOf), kids: '900 0 R 901 0 R' });
    expect(await countPages(lost)).toBeUndefined();
    expect(await countPages(new TextEncoder().encode('%PDF-1.4'))).toBeUndefined();
  });

  it.skipIf(!existsSync(CORPUS)).each(realFiles())('holds for %s', async (name) => {
    const bytes = readFileSync(join(CORPUS, name));
    const count = await countPages(bytes).catch(() => undefined);
    if (count === undefined) return;
    const ends = sample(array(integer({ min: 1, max: count }), { minLength: 1, maxLength: 5 }), {
      numRuns: 1,
      seed: count,
    })[0];
    await expectSame(bytes, ends ?? [], { regions: true });
  });
});

/** Real files of ordinary length, some of them. */
function realFiles(): readonly string[] {
  if (!existsSync(CORPUS)) return [''];
  const files = readdirSync(CORPUS).filter((name) => statSync(join(CORPUS, name)).size < MAX_BYTES);
  return sampleOf(files.filter((_, at) => at % SHARE === 0));
}
