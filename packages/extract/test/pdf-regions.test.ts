// The places of a PDF's text: boxes of words on upright, turned, cropped and scaled pages, of tables, notes, furniture
// and tagged pages; the same text with and without; and boxes of spans that share no character and together hold all.
import { assert, asyncProperty, constantFrom, integer, record, array as arrayOf } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkSync, type Document, NO_PLACE, pageSizeOf, type Region, regionsOf } from '@grainline/core';
import { cases } from '@grainline/testing/cases';
import {
  drawLines,
  type PageSpec,
  setText,
  writePdf,
  type PdfSpec,
  type SetText,
} from '@grainline/testing/pdf-writer';
import { taggedPdf } from '@grainline/testing/tagged-pdf';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';

async function readSpec(spec: PdfSpec): Promise<Document> {
  const bytes = writePdf(spec);
  const document = await extract(bytes, { regions: true });
  const { regions, furniture, ...without } = document;
  const plain = await extract(bytes);
  expect({ ...without, furniture: furniture?.map(({ page, text, kind }) => ({ page, text, kind })) }).toEqual(
    {
      ...plain,
      furniture: plain.furniture,
    },
  );
  expect(plain.regions).toBeUndefined();
  expect(regions).toBeDefined();
  expectLawful(document);
  expectSound(document);
  return document;
}

const read = (content: string, more: Partial<PageSpec> = {}): Promise<Document> =>
  readSpec({ pages: [{ content, ...more }] });

/** Runs are in order, apart from each other and within the text; edges are in order; 30 bytes a character suffice. */
function expectSound({ text, regions }: Document): void {
  if (regions === undefined) throw new Error('There are no regions.');
  const { starts, offsets, edges, extents, pages, turns, pageSizes } = regions;
  let end = 0;
  for (const [run, start] of starts.entries()) {
    const [first = 0, last = 0] = offsets.subarray(run, run + 2);
    expect(start).toBeGreaterThanOrEqual(end);
    expect(last).toBeGreaterThan(first);
    end = start + last - first;
    expect(extents[2 * run]).toBeLessThanOrEqual(extents[2 * run + 1] ?? 0);
    for (let at = first; at < last; at++) {
      const [near = 0, far = 0] = edges.subarray(2 * at, 2 * at + 2);
      expect(near).toBeLessThanOrEqual(far);
      if (near !== NO_PLACE) expect(text[start + at - first]).toMatch(/\S/);
    }
  }
  expect(end).toBeLessThanOrEqual(text.length);
  const arrays = [starts, offsets, edges, extents, pages, turns];
  const bytes = arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(bytes).toBeLessThanOrEqual(30 * text.length + 4);
  expect(pageSizes.length % 2).toBe(0);
}

/** The one box of a word's first occurrence. */
function boxOf(document: Document, word: string): Region {
  const start = document.text.indexOf(word);
  expect(start).toBeGreaterThan(-1);
  const boxes = regionsOf(document, { start, end: start + word.length });
  expect(boxes).toHaveLength(1);
  return boxes[0]!;
}

/** Expects the box of a word around its base line: of 10 points, from a place on the page from the left and the top. */
function expectAt(document: Document, word: string, x: number, baseline: number, page = 1): void {
  const box = boxOf(document, word);
  expect(box.page).toBe(page);
  expect(box.x0).toBeCloseTo(x, 0);
  expect(box.y0).toBeCloseTo(baseline - 7.5, 0);
  expect(box.y1).toBeCloseTo(baseline + 2.2, 0);
}

const PROSE = [
  'The river rises in the hills and runs for sixty miles before it meets the',
  'sea. Its water was measured at nine places, twice a week, for three years,',
  'and every value was written down by hand and read again by somebody else.',
];
const NOTES = [
  '1 See the tables of this year.',
  '1 Two tables of other rivers.',
  '1 A letter says so, unsigned.',
];
const prose = (top = 700): SetText[] => PROSE.map((text, at) => ({ x: 60, y: top - 12 * at, text }));

describe('regions of a PDF', () => {
  it('are the boxes of its lines, cut at the character', async () => {
    const document = await read(setText(prose()));
    const boxes = regionsOf(document, { start: 0, end: document.text.length });
    expect(boxes.map(({ page, x0, y0, y1 }) => [page, x0, y0, y1].map(Math.round))).toEqual([
      [1, 60, 93, 102],
      [1, 60, 105, 114],
      [1, 60, 117, 126],
    ]);
    // Widths of Helvetica: T 611, h 556, e 556, blank 278, r 333, i 222, v 500.
    expectAt(document, 'The', 60, 100);
    expect(boxOf(document, 'The').x1).toBeCloseTo(60 + 17.23, 0);
    expect(boxOf(document, 'iver').x0).toBeCloseTo(60 + 17.23 + 2.78 + 3.33, 1);
    expect(boxOf(document, 'riv').x1).toBeCloseTo(60 + 17.23 + 2.78 + 3.33 + 2.22 + 5, 1);
  });

  it('give each page its size, and pages that are not read none', async () => {
    const pages = [1, 2, 3].map((page) => ({
      content: setText([{ x: 60, y: 700, text: `Page number ${page}` }]),
    }));
    const document = await extract(writePdf({ pages }), { regions: true, pages: '2-3' });
    expect([1, 2, 3, 4].map((page) => pageSizeOf(document, page))).toEqual([
      undefined,
      { width: 600, height: 800 },
      { width: 600, height: 800 },
      undefined,
    ]);
    expectAt(document, 'number 3', 86, 100, 3);
  });

  // A place (x, y) from the lower left corner of the box, by the rotation of the page.
  it.each([
    [0, 60, 700 - 600],
    [90, 0, 60],
    [180, 540, 0],
    [270, 0, 540],
  ])('stand where a page turned by %i degrees shows them', async (turn, x, y) => {
    const document = await read(setText(prose()), { entries: `/Rotate ${turn}` });
    const box = boxOf(document, 'The');
    const isLevel = turn % 180 === 0;
    expect(pageSizeOf(document, 1)).toEqual(
      isLevel ? { width: 600, height: 800 } : { width: 800, height: 600 },
    );
    if (turn === 0) expectAt(document, 'The', x, y);
    // The word runs down at 90 degrees, to the left at 180, up at 270.
    const length = 17.23;
    if (turn === 90) expect([box.y0, box.y1]).toEqual([expect.closeTo(y, 1), expect.closeTo(y + length, 0)]);
    if (turn === 180) expect([box.x0, box.x1]).toEqual([expect.closeTo(x - length, 0), expect.closeTo(x, 1)]);
    if (turn === 270) expect([box.y0, box.y1]).toEqual([expect.closeTo(y - length, 0), expect.closeTo(y, 1)]);
    // The base line is 700 points above the lower edge, which is the left one at 90 degrees.
    if (turn === 90) expect(box.x0).toBeCloseTo(700 - 2.2, 0);
    if (turn === 180) expect(box.y0).toBeCloseTo(700 - 2.2, 0);
    if (turn === 270) expect(box.x0).toBeCloseTo(800 - 700 - 7.5, 0);
  });

  it('begin at the corner of the crop box', async () => {
    const document = await read(setText(prose()), { entries: '/CropBox[20 40 500 760]' });
    expect(pageSizeOf(document, 1)).toEqual({ width: 480, height: 720 });
    expectAt(document, 'The', 40, 60);
    const turned = await read(setText(prose()), { entries: '/CropBox[20 40 500 760]/Rotate 90' });
    expect(boxOf(turned, 'The').y0).toBeCloseTo(40, 1);
    expect(boxOf(turned, 'The').x0).toBeCloseTo(660 - 2.2, 0);
  });

  it('are in points where a page has units of its own', async () => {
    const document = await readSpec({
      pages: [
        { content: setText(prose()), entries: '/UserUnit 2.5' },
        { content: setText(prose()) },
        { content: setText(prose()), entries: '/UserUnit 99999999' },
      ],
    });
    expect([1, 2, 3].map((page) => pageSizeOf(document, page)?.width)).toEqual([1500, 600, 600]);
    const box = boxOf(document, 'The');
    expect([box.x0, box.y1]).toEqual([expect.closeTo(150, 1), expect.closeTo(2.5 * 102.2, 0)]);
  });

  it('follow text that is written upwards and downwards beside other text', async () => {
    const up = 'BT /F 10 Tf 0 1 -1 0 500 300 Tm (Written upwards here) Tj ET';
    const down = 'BT /F 10 Tf 0 -1 1 0 550 300 Tm (Written downwards here) Tj ET';
    const document = await read(`${setText(prose())}\n${up}\n${down}`);
    const [rising, falling] = [boxOf(document, 'upwards'), boxOf(document, 'downwards')];
    // "Written " is 36.1 points long.
    expect(rising.y1).toBeCloseTo(500 - 34.5, 0);
    expect([rising.x0, rising.x1]).toEqual([expect.closeTo(492.5, 0), expect.closeTo(502.2, 0)]);
    expect(falling.y0).toBeCloseTo(500 + 34.5, 0);
    expect([falling.x0, falling.x1]).toEqual([expect.closeTo(547.8, 0), expect.closeTo(557.5, 0)]);
  });

  it('stay exact under mended hyphens, ligatures, bullets, numbers and escapes', async () => {
    const document = await readSpec({
      pages: [
        {
          content: setText([
            { x: 60, y: 700, text: 'Every reading of the gauge was compared with an inter-' },
            { x: 60, y: 688, text: 'national table by of~cers who had no other work.' },
            { x: 60, y: 640, text: '\x95 the first point of the list' },
            { x: 60, y: 628, text: '\x95 the second point of the list' },
            { x: 60, y: 590, text: '1. one of the numbered points' },
            { x: 60, y: 578, text: '2. two of the numbered points' },
          ]),
        },
      ],
      toUnicode: { ...plainCodes('Every adingofthugwscmprlbyhk-.12\x95nt'), '~': 'FB01' },
    });
    expect(document.text).toContain('international');
    expect(document.text).toContain('- the first');
    const start = document.text.indexOf('international');
    const halves = regionsOf(document, { start, end: start + 'international'.length });
    expect(halves.map(({ y1 }) => Math.round(y1))).toEqual([102, 114]);
    expect(halves[1]?.x0).toBeCloseTo(60, 1);
    expectAt(document, 'of the numbered points', boxOf(document, 'of the numbered points').x0, 210);
    expect(boxOf(document, '1. one').x0).toBeCloseTo(60, 1);
    expect(boxOf(document, '- the first').x0).toBeLessThan(62);
    expect(boxOf(document, 'second').y1).toBeCloseTo(174.2, 0);
  });

  it('run from right to left where the text does', async () => {
    const letters = { A: '05D0', B: '05D1', C: '05D2', D: '05D3' };
    const document = await readSpec({
      pages: [{ content: setText([{ x: 60, y: 700, text: 'DCBA' }]) }],
      toUnicode: letters,
    });
    expect(document.text).toBe('אבגד');
    // Helvetica: A 667, B 667, C 722, D 722.
    expect(boxOf(document, 'א').x0).toBeCloseTo(60 + 7.22 + 7.22 + 6.67, 1);
    expect(boxOf(document, 'ד')).toMatchObject({
      x0: expect.closeTo(60, 1) as number,
      x1: expect.closeTo(67.22, 1) as number,
    });
    expect(boxOf(document, 'אב').x0).toBeCloseTo(60 + 14.44, 1);
  });

  it('part the cells of a table', async () => {
    const rows = [
      ['Place', 'Depth', 'Colour'],
      ['Harbour', '12.4', 'green | grey'],
      ['Bridge', '7.5', 'brown'],
      ['Weir', '3.1', 'clear'],
    ];
    const texts = rows.flatMap((row, y) =>
      row.map((text, x) => ({ x: 64 + 120 * x, y: 700 - 20 * y, text })),
    );
    const levels = [0, 1, 2, 3, 4].map((y) => [60, 715 - 20 * y, 420, 715 - 20 * y] as const);
    const uprights = [0, 1, 2, 3].map((x) => [60 + 120 * x, 715, 60 + 120 * x, 635] as const);
    const document = await read(`${drawLines([...levels, ...uprights])}\n${setText(texts)}`);
    expect(document.blocks.map(({ kind }) => kind)).toEqual(['table']);
    expectAt(document, '12.4', 184, 120);
    expectAt(document, 'brown', 304, 140);
    expectAt(document, 'grey', boxOf(document, 'grey').x0, 120);
    const start = document.text.indexOf('Bridge');
    const row = regionsOf(document, { start, end: document.text.indexOf('brown') + 5 });
    expect(row.map(({ x0 }) => Math.round(x0))).toEqual([64, 184, 304]);
  });

  it('follow footnotes and running heads to their places', async () => {
    const page = (number: number): SetText[] => [
      { x: 60, y: 770, text: 'The Report on Rivers', size: 9 },
      {
        x: 60,
        y: 700,
        text: `In the year ${number} the river was measured again.1 Its depth had changed, and the`,
      },
      ...PROSE.map((text, at) => ({ x: 60, y: 688 - 12 * at, text })),
      { x: 60, y: 80, text: NOTES[number - 1] ?? '', size: 7 },
      { x: 300, y: 30, text: String(number) },
    ];
    const document = await readSpec({
      pages: [1, 2, 3].map((number) => ({ content: setText(page(number)) })),
    });
    const head = document.furniture?.find(({ page: at, kind }) => at === 2 && kind === 'header');
    expect(head?.regions).toMatchObject([{ page: 2, x0: expect.closeTo(60, 0) as number }]);
    expect(head?.regions?.[0]?.y1).toBeCloseTo(32, 0);
    expect(document.furniture?.every(({ regions }) => regions?.length === 1)).toBe(true);
    const note = boxOf(document, 'Two tables of other rivers');
    expect([note.page, Math.round(note.y1)]).toEqual([2, 722]);
  });

  it('are those of a tagged page', async () => {
    const document = await readSpec(
      taggedPdf({
        tags: [
          { type: 'H1', children: [{ x: 60, y: 740, text: 'The River' }] },
          { type: 'P', children: PROSE.map((text, at) => ({ x: 60, y: 700 - 12 * at, text })) },
          {
            type: 'L',
            children: ['(a)', '(b)'].map((label, at) => ({
              type: 'LI',
              children: [
                { type: 'Lbl', children: [{ x: 60, y: 600 - 12 * at, text: label }] },
                { type: 'LBody', children: [{ x: 90, y: 600 - 12 * at, text: `point of ${label}` }] },
              ],
            })),
          },
        ],
      }),
    );
    expectAt(document, 'The River', 60, 60);
    expectAt(document, 'river rises', boxOf(document, 'river rises').x0, 100);
    expectAt(document, '(b)', 60, 212);
    expectAt(document, 'point of (b)', 90, 212);
  });

  it('are the same after structuredClone', async () => {
    const document = await read(setText(prose()));
    expect(regionsOf(structuredClone(document), { start: 4, end: 40 })).toEqual(
      regionsOf(document, { start: 4, end: 40 }),
    );
  });

  it('of chunks share no character, and together hold all that the page shows', async () => {
    const lines = arrayOf(
      record({
        text: constantFrom(
          ...PROSE,
          '1. a point',
          '\x95 a bullet',
          'A Title',
          'figures 12 | 13',
          '`code` and *more*',
        ),
        size: constantFrom(10, 10, 10, 8, 14),
        gap: constantFrom(12, 12, 12, 30),
        x: constantFrom(60, 60, 60, 90, 330),
      }),
      { minLength: 1, maxLength: 25 },
    );
    const property = asyncProperty(lines, integer({ min: 20, max: 200 }), async (some, size) => {
      let y = 760;
      const content = setText(
        some.map(({ text, size: height, gap, x }) => ({ x, y: (y -= gap), text, size: height })),
      );
      const document = await read(content);
      const chunks = chunkSync(document, { size, overlap: 0 });
      const boxes = chunks.map((one) => regionsOf(document, one));
      const middles = middlesOf(document);
      const placed = new Set(middles.map(({ at }) => at));
      const letters = Array.from(document.text).flatMap((letter, at) =>
        /[\p{L}\p{N}]/u.test(letter) ? [at] : [],
      );
      expect(letters.filter((at) => !placed.has(at))).toEqual([]);
      for (const { at, page, x, y: height } of middles) {
        const own = chunks.flatMap(({ start, end }, index) => (at >= start && at < end ? [index] : []));
        const holding = boxes.flatMap((some, index) =>
          some.some(
            (box) => box.page === page && x >= box.x0 && x <= box.x1 && height >= box.y0 && height <= box.y1,
          )
            ? [index]
            : [],
        );
        expect(holding).toEqual(own);
      }
    });
    await assert(property, cases(25));
  });
});

/** The middle of each unit that has a place. */
function middlesOf({ regions }: Document): { at: number; page: number; x: number; y: number }[] {
  if (regions === undefined) return [];
  const { starts, offsets, edges, extents, pages } = regions;
  return Array.from(starts).flatMap((start, run) => {
    const [first = 0, last = 0] = offsets.subarray(run, run + 2);
    const y = ((extents[2 * run] ?? 0) + (extents[2 * run + 1] ?? 0)) / 200;
    return Array.from({ length: last - first }, (_, at) => at).flatMap((at) => {
      const [near = 0, far = 0] = edges.subarray(2 * (first + at), 2 * (first + at) + 2);
      return near === NO_PLACE ? [] : [{ at: start + at, page: pages[run] ?? 0, x: (near + far) / 200, y }];
    });
  });
}

/** A map that leaves characters as they are. */
function plainCodes(characters: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(new Set(characters), (character) => {
      const unicode = character === '\x95' ? 0x2022 : character.charCodeAt(0);
      return [character, unicode.toString(16).padStart(4, '0')];
    }),
  );
}
