// Running heads, page numbers, line numbers and stamps: what leaves the text, what stays, and the option to keep all.
import { assert, asyncProperty, constantFrom, integer } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Document } from '@grainline/core';
import { cases } from '@grainline/testing/cases';
import { setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';
import { taggedPdf } from '@grainline/testing/tagged-pdf';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';

const PROSE = [
  'The river rises in the hills and runs for sixty miles before it meets the',
  'sea. Its water was measured at nine places, twice a week, for three years,',
  'and every value was written down by hand and read again by somebody else.',
];
/** Prose that is no other page's. */
const prose = (page: number, top = 700): SetText[] =>
  [`${'On this page '.repeat(page)}we see that all of`, ...PROSE].map((text, index) => ({
    x: 60,
    y: top - 12 * index - page,
    text,
  }));

async function read(pages: readonly (readonly SetText[])[], furniture?: 'keep'): Promise<Document> {
  const bytes = writePdf({ pages: pages.map((texts) => ({ content: setText(texts) })) });
  const document = await extract(bytes, { filename: 'test.pdf', furniture });
  expectLawful(document);
  expect(document.pages).toHaveLength(pages.length);
  return document;
}

const head = (text: string, more: Partial<SetText> = {}): SetText => ({
  x: 60,
  y: 770,
  text,
  size: 9,
  ...more,
});
const foot = (text: string, more: Partial<SetText> = {}): SetText => ({ x: 300, y: 30, text, ...more });
const all = ({ furniture = [] }: Document): string[] =>
  furniture.map(({ page, text, kind }) => `${page} ${kind}: ${text}`);

describe('furniture', () => {
  const book = [1, 2, 3].map((page) => [head('The Report on Rivers'), ...prose(page), foot(`${page}`)]);

  it('leaves the text, is listed page by page, and is reported once', async () => {
    const document = await read(book);
    expect(document.text).toBe(
      [1, 2, 3]
        .map((page) =>
          prose(page)
            .map(({ text }) => text)
            .join('\n'),
        )
        .join('\n\n'),
    );
    expect(all(document)).toEqual(
      [1, 2, 3].flatMap((page) => [`${page} header: The Report on Rivers`, `${page} page-number: ${page}`]),
    );
    expect(document.warnings.map(({ code }) => code)).toEqual(['furniture_left_out']);
    expect(document.warnings[0]?.message).toContain("furniture: 'keep'");
  });

  it('stays where the caller keeps it', async () => {
    const document = await read(book, 'keep');
    expect(document.text).toContain('The Report on Rivers\n\nOn this page');
    expect(document.furniture).toBeUndefined();
    expect(document.warnings).toEqual([]);
  });

  it('parts no paragraph', async () => {
    const [first = [], second = [], third = []] = book;
    const open = [
      ...first.slice(0, -2),
      { ...prose(1)[3]!, text: 'and every value was written down by' },
      foot('1'),
    ];
    const rest = [head('The Report on Rivers'), { x: 60, y: 700, text: 'hand.' }, foot('2')];
    const { text, pages } = await read([open, rest, third, second]);
    expect(text).toContain('was written down by hand.');
    expect(text.slice(pages[1])).toMatch(/^hand/);
  });

  it('parts no sentence that ends within brackets, where a head counts its page without others', async () => {
    const [first = [], second = []] = book;
    const open = [...first.slice(1, -2), { ...prose(1)[3]!, text: 'as others have measured it before [11,' }];
    const own = [head('2'), head('M. Keller and others', { x: 300 })];
    const rest = { x: 60, y: 712, text: '37], with the same result.' };
    const { text } = await read([open, [...own, rest, ...second.slice(1, -1)]]);
    expect(text).toContain('measured it before [11, 37], with the same result.');
  });

  it('has heads of chapters where other pages have theirs', async () => {
    const heads = ['Rivers', 'Rivers', 'Rivers', 'Lakes', 'Ponds'];
    const document = await read(
      heads.map((text, index) => [head(text), ...prose(index + 1), foot(`${index + 1}`)]),
    );
    expect(document.text).not.toMatch(/Lakes|Ponds/);
    expect(all(document).filter((line) => line.includes('header'))).toHaveLength(5);
  });

  it('of two rows may stand closer to each other than to the text, and counts its pages in larger type', async () => {
    const proofs = [1, 2, 3].map((page) => [
      head(`Page ${page} of 3`, { y: 780, size: 14 }),
      head('The rule above must be removed before printing.', { y: 752 }),
      ...prose(page, 640),
    ]);
    const document = await read(proofs);
    expect(document.text).not.toMatch(/Page|printing/);
    expect(all(document)).toEqual(
      [1, 2, 3].flatMap((page) => [
        `${page} page-number: Page ${page} of 3`,
        `${page} header: The rule above must be removed before printing.`,
      ]),
    );
    // Titles of slides are larger as well, and count nothing.
    const slides = [1, 2, 3].map((page) => [head('The Rivers', { y: 780, size: 14 }), ...prose(page, 640)]);
    expect((await read(slides)).furniture).toBeUndefined();
  });

  it('has the page number on the outer side of each page', async () => {
    const sides = ['4 Bureau of Rivers', 'Bureau of Rivers 5', '6 Bureau of Rivers'];
    const document = await read(sides.map((side, at) => [...prose(at + 1), foot(side)]));
    expect(all(document)).toEqual(sides.map((side, at) => `${at + 1} footer: ${side}`));
  });

  it('has line numbers and the stamps of archives', async () => {
    const numbered = Array.from({ length: 9 }, (_, index): SetText[] => [
      { x: 60, y: 700 - 20 * index, text: `${index + 1}` },
      { x: 90, y: 700 - 20 * index, text: PROSE[index % 3] ?? '' },
    ]).flat();
    const stamp = foot('Downloaded from journals.example on 3 May 2021', { x: 60, y: 20, size: 7 });
    const document = await read([[...numbered, stamp]]);
    expect(all(document)).toEqual([
      '1 stamp: Downloaded from journals.example on 3 May 2021',
      '1 line-numbers: 1 2 3 4 5 6 7 8 9',
    ]);
    expect(document.text).not.toMatch(/\d/);
  });

  it('has the numbers of each fifth line, in smaller type', async () => {
    const lines = Array.from({ length: 16 }, (_, at): SetText => ({
      x: 60,
      y: 700 - 12 * at,
      text: PROSE[at % 3] ?? '',
    }));
    const numbers = (size: number): SetText[][] =>
      lines.map((line, at) => [
        line,
        ...((at + 1) % 5 === 0 ? [{ x: 415, y: line.y, text: `${at + 1}`, size }] : []),
      ]);
    expect(all(await read([numbers(7).flat()]))).toEqual(['1 line-numbers: 5 10 15']);
    expect((await read([numbers(10).flat()])).furniture).toBeUndefined();
  });

  it('has the artifacts of tagged pages, once', async () => {
    const spec = taggedPdf({
      tags: [
        { type: 'H1', children: [{ x: 60, y: 740, text: 'The River' }] },
        { type: 'P', children: prose(0) },
        { type: 'P', children: [{ x: 60, y: 20, text: '7' }] },
      ],
      artifacts: [{ x: 60, y: 790, text: 'A running head' }],
    });
    const document = await extract(writePdf(spec), {});
    expectLawful(document);
    expect(document.text).toBe(`# The River\n\nwe see that all of\n${PROSE.join('\n')}\n\n7`);
    expect(all(document)).toEqual(['1 artifact: A running head']);
  });
});

describe('text stays', () => {
  it.each<[string, (page: number) => SetText[]]>([
    [
      'the title of a slide in larger type',
      (page) => [{ x: 60, y: 770, text: 'Results', size: 18 }, ...prose(page)],
    ],
    [
      'a bold title in the type of the text',
      (page) => [{ x: 60, y: 770, text: 'Results', font: 'B' }, ...prose(page)],
    ],
    ['a line right above the text', (page) => [{ x: 60, y: 712 - page, text: 'Results' }, ...prose(page)]],
    ['a different line on each page', (page) => [head('abc'.repeat(page)), ...prose(page)]],
    [
      'a line in the middle of pages',
      (page) => [...prose(page), { x: 60, y: 400, text: 'Results' }, ...prose(page, 300)],
    ],
    [
      'a plain title with more space above it than below the text',
      (page) => [{ x: 60, y: 700, text: 'Results' }, ...prose(page, 660), ...prose(page, 90)],
    ],
  ])('%s', async (_, draw) => {
    const document = await read([1, 2, 3].map(draw));
    expect(document.furniture).toBeUndefined();
  });

  it('as a plain title where other pages have their text', async () => {
    const title = { x: 60, y: 750, text: 'Results' };
    const pages = [1, 2, 3, 4, 5, 6].map((page) => [
      head('The Report on Rivers', { y: 780 }),
      ...(page % 2 === 0 ? [title, ...prose(page, 700)] : prose(page, 762)),
    ]);
    const { text, furniture } = await read(pages);
    expect(furniture?.map((one) => one.text)).toEqual(Array(6).fill('The Report on Rivers'));
    expect(text.match(/Results/g)).toHaveLength(3);
    const bare = await read(pages.map(([, ...texts]) => texts));
    expect(bare.text.match(/Results/g)).toHaveLength(3);
    expect(bare.furniture).toBeUndefined();
  });

  it('as the header of a table on each page, however far above its rows', async () => {
    const row = (y: number, cells: readonly string[]): SetText[] =>
      cells.map((text, column) => ({ x: 60 + 120 * column, y, text }));
    const { text, furniture } = await read(
      [1, 2, 3].map((page) => [
        ...row(760, ['Place', 'Chloride', 'Nitrate']),
        ...['a', 'b', 'c', 'd'].flatMap((name, at) =>
          row(730 - 14 * at, [`Town ${name}${page}`, `${page}.${at}`, `${at}.${page}5`]),
        ),
      ]),
    );
    expect(furniture).toBeUndefined();
    expect(text).toMatch(/^\| Place \| Chloride \| Nitrate \|\n\| --- /);
  });

  it('on a single page, without repetition', async () => {
    const { text, furniture } = await read([[head('The Report on Rivers'), ...prose(1), foot('3')]]);
    expect(text).toMatch(/^The Report on Rivers[^]*\n\n3$/);
    expect(furniture).toBeUndefined();
  });

  it('on pages that repeat their content', async () => {
    const ticket = [
      head('Admit one'),
      { x: 60, y: 600, text: 'The River Museum' },
      foot('Keep this ticket.'),
    ];
    const { text, furniture } = await read([ticket, ticket, ticket]);
    expect(text.match(/Admit one/g)).toHaveLength(3);
    expect(furniture).toBeUndefined();
  });

  it('when it is all that there is', async () => {
    const { text, furniture } = await read([1, 2, 3].map((number) => [foot(`${number}`)]));
    expect(text).toBe('1\n\n2\n\n3');
    expect(furniture).toBeUndefined();
  });
});

it('every word of a file is in its text or its furniture', async () => {
  const word = constantFrom('Report', 'river', 'sea', '7', 'x1');
  await assert(
    asyncProperty(
      integer({ min: 1, max: 6 }),
      word,
      word,
      integer({ min: 640, max: 780 }),
      async (count, a, b, y) => {
        const document = await read(
          Array.from({ length: count }, (_, page) => [
            { x: 60, y, text: `${a} ${page}` },
            { x: 300, y: 790 - y, text: b },
            ...prose(page, 600),
          ]),
        );
        const words = (text: string): string[] => text.match(/[\w-]+/g) ?? [];
        const found = [document.text, ...(document.furniture ?? []).map(({ text }) => text)].flatMap(words);
        const written = Array.from({ length: count }, (_, page) => [
          a,
          `${page}`,
          b,
          ...prose(page).flatMap(({ text }) => words(text)),
        ]);
        expect(found.sort()).toEqual(written.flat().sort());
      },
    ),
    cases(100),
  );
});

it('an unknown value of the option is refused', async () => {
  await expect(extract(new Uint8Array(1), { furniture: 'no' as never })).rejects.toThrow("'drop' or 'keep'");
});
