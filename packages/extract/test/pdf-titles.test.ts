// Headings that only their numbers show, and lines that look like headings and are none.
import { describe, expect, it } from 'vitest';
import { extract } from '../src/index.ts';
import { drawLines, setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';

type Edges = readonly [number, number, number, number];

async function headingsOf(texts: readonly SetText[], lines: readonly Edges[] = []): Promise<string[]> {
  const content = `${drawLines(lines)}\n${setText(texts)}`;
  const { text } = await extract(writePdf({ pages: [{ content }] }), { filename: 'test.pdf' });
  return text.split('\n').filter((line) => line.startsWith('#'));
}

const TEXT = [
  'The river rises in the hills and runs for sixty miles before it meets',
  'the sea. Its water was measured at nine places, twice a week, for three',
  'years, and every value was written down by hand and read again.',
];
/** A title with white space above it and text below. */
const section = (title: string, top: number, more: Partial<SetText> = {}): SetText[] => [
  { x: 60, y: top, text: title, ...more },
  ...TEXT.map((text, row) => ({ x: 60, y: top - 24 - 12 * row, text })),
];

describe('headings', () => {
  it('in bold have letters and numbers in brackets', async () => {
    const titles = ['(1) The Places', '(2) The Values', '(a) The Weir', '(b) The Mouth'];
    const texts = titles.flatMap((title, at) => section(title, 740 - 90 * at, { font: 'B' }));
    expect(await headingsOf(texts)).toEqual(titles.map((title) => `# ${title}`));
  });

  it('are larger than the text, however much smaller code there is', async () => {
    const code = Array.from({ length: 12 }, (_, at): SetText => ({
      x: 60,
      y: 600 - 10 * at,
      text: `values.push(read(place, ${at}), write(place, ${at}));`,
      size: 8,
      font: 'C',
    }));
    const texts = [
      ...section('The Places', 740, { font: 'B' }),
      { x: 60, y: 620, text: 'A line above the code' },
    ];
    expect(await headingsOf([...texts, ...code])).toEqual(['# The Places']);
  });

  it('in the type of the text have numbers that count, even where the chapter began elsewhere', async () => {
    const titles = ['5.4.8 The Places', '5.4.9 The Values', '5.4.10 The Weir'];
    const texts = titles.flatMap((title, at) => section(title, 740 - 90 * at));
    expect(await headingsOf(texts)).toEqual(titles.map((title) => `# ${title}`));
    const others = ['5.4.8 The Places', '5.6.1 The Values', '5.4.11 The Weir'];
    expect(await headingsOf(others.flatMap((title, at) => section(title, 740 - 90 * at)))).toEqual([]);
  });
});

/** Rows of a table with three columns. */
const rows = (top: number): SetText[] =>
  ['Weir Depth Days', 'Easton 12.5 40', 'Weston 13.1 41', 'Norton 11.9 38'].flatMap((row, at) =>
    row.split(' ').map((text, column) => ({ x: 60 + 150 * column, y: top - 14 * at, text })),
  );

describe('headings of sections', () => {
  it('stand right above tables, at the end of a page too', async () => {
    const texts = [
      ...section('The Values', 740, { font: 'B' }),
      { x: 60, y: 640, text: 'The Places', font: 'B' as const },
      ...rows(622),
    ];
    expect(await headingsOf(texts)).toEqual(['# The Values', '# The Places']);
  });

  it('are bold where the labels below them are shorter than they are', async () => {
    const parts = ['Section 1. The Places of the River', 'Section 2. The Values of the Water'];
    const texts = parts.flatMap((text, part): SetText[] => [
      { x: 60, y: 740 - 60 * part, text, size: 10, font: 'B' },
      ...['Name of the owner', 'Street and number', 'Town'].map((label, row) => ({
        x: 60,
        y: 725 - 60 * part - 15 * row,
        text: label,
        size: 9,
      })),
    ]);
    expect(await headingsOf(texts)).toEqual(parts.map((title) => `# ${title}`));
  });

  it('repeat in sections of their own, unlike labels of boxes', async () => {
    const places = ['Easton', 'Weston', 'Norton', 'Sutton', 'Marston'];
    const pageOf = (place: string, titles: readonly string[]): { content: string } => ({
      content: setText([
        { x: 60, y: 760, text: place, size: 18 },
        ...TEXT.map((text, row) => ({ x: 60, y: 740 - 12 * row, text })),
        ...titles.flatMap((title, at) => section(title, 690 - 70 * at, { font: 'B' })),
        { x: 60, y: 100, text: `The end of the part on ${place}.` },
      ]),
    });
    const headingsIn = async (titles: readonly string[]): Promise<string[]> => {
      const pages = places.map((place) => pageOf(place, titles));
      const { text } = await extract(writePdf({ pages }), { filename: 'test.pdf' });
      return text.split('\n').filter((line) => line.startsWith('#'));
    };
    const parts = ['Places', 'Values'];
    expect(await headingsIn(parts)).toEqual(
      places.flatMap((place) => [`# ${place}`, ...parts.map((part) => `## ${part}`)]),
    );
    expect(await headingsIn(['Values', 'Tip', 'Tip'])).toEqual(
      places.flatMap((place) => [`# ${place}`, '## Values']),
    );
  });

  it('are many on a page where each has text of its own', async () => {
    const titles = ['Easton', 'Weston', 'Norton', 'Sutton', 'Marston', 'Upton', 'Aston', 'Horton'];
    const texts: SetText[] = [
      { x: 60, y: 760, text: 'The Places', size: 18 },
      ...titles.flatMap((title, at) =>
        [{ text: title, font: 'B' as const }, ...TEXT.map((text) => ({ text })), { text: TEXT[0] ?? '' }].map(
          (line, row): SetText => ({ x: 60, y: 735 - 80 * at - 14 * row, ...line }),
        ),
      ),
    ];
    expect(await headingsOf(texts)).toEqual(['# The Places', ...titles.map((title) => `## ${title}`)]);
  });

  it('are parts that count, however close to the fields of a form in bold type', async () => {
    const parts = ['Part A - The Owner', 'Part B - The Places', 'Part C - Signature (owners only)'];
    const texts = parts.flatMap((text, part): SetText[] => [
      { x: 60, y: 740 - 44 * part, text, font: 'B' },
      ...['Name of the owner or of the place', 'Street and number of the house', 'Town and country'].map(
        (label, row): SetText => ({ x: 60, y: 729 - 44 * part - 11 * row, text: label, font: 'B' }),
      ),
    ]);
    expect(await headingsOf(texts)).toEqual(parts.map((title) => `# ${title}`));
    const others = texts.map((one) => ({ ...one, text: one.text.replace('Part C', 'Part H') }));
    expect(await headingsOf(others)).toEqual([]);
  });

  it('are larger than the lines of text, however many labels drawings have', async () => {
    const labels = ['code', 'name', 'start', 'length', 'owner', 'status', 'depth', 'place'].flatMap(
      (label, row) =>
        [60, 190, 320, 450].map((x): SetText => ({
          x,
          y: 560 - 12 * row,
          text: `${label} of the ${['weir', 'lock', 'mouth', 'source'][(x - 60) / 130] ?? ''}`,
          size: 6,
        })),
    );
    const texts = [
      ...section('The Values', 740, { font: 'B' }),
      { x: 60, y: 640, text: 'A line above the drawing' },
      ...labels,
    ];
    expect(await headingsOf(texts)).toEqual(['# The Values']);
  });

  it('with a number of three parts need no text close below', async () => {
    const titles = ['5.4.8 The Places', '5.4.9 The Values', '5.4.10 The Weir'];
    const texts = titles.flatMap((text, at): SetText[] => [
      { x: 60, y: 740 - 150 * at, text },
      ...TEXT.map((line, row) => ({ x: 60, y: 650 - 150 * at - 12 * row, text: line })),
    ]);
    expect(await headingsOf(texts)).toEqual(titles.map((title) => `# ${title}`));
  });

  it('in capitals without a number are as deep as numbered ones in their type', async () => {
    const titles = ['ABBREVIATIONS', 'REVISION HISTORY', '1 The Places', '2 The Values', '3 The Weir'];
    const texts = titles.flatMap((title, at) => section(title, 700 - 90 * at, { font: 'B' }));
    expect(await headingsOf([{ x: 60, y: 750, text: 'The River', size: 20 }, ...texts])).toEqual([
      '# The River',
      ...titles.map((title) => `## ${title}`),
    ]);
  });

  it('are no deeper below titles of drawings in larger type', async () => {
    const texts = [
      { x: 60, y: 760, text: 'The River', size: 20 },
      ...section('1 The Places', 730, { font: 'B', size: 12 }),
      ...section('1.1 The Weir', 650, { font: 'B' }),
      { x: 60, y: 560, text: 'Depth of the Weir', size: 14 },
      ...TEXT.map((text, row) => ({ x: 60, y: 540 - 12 * row, text })),
      ...section('1.2 The Mouth', 480, { font: 'B' }),
    ];
    expect(await headingsOf(texts)).toEqual([
      '# The River',
      '## 1 The Places',
      '### 1.1 The Weir',
      '## Depth of the Weir',
      '### 1.2 The Mouth',
    ]);
  });

  it('have a level of their own where only titles stand below them', async () => {
    const texts = ['The Weir', 'The Mouth'].flatMap((title, at): SetText[] => [
      { x: 60, y: 720 - 200 * at, text: title, size: 14 },
      ...section(`Depth of ${title}`, 695 - 200 * at, { font: 'B' }),
      ...section(`Width of ${title}`, 625 - 200 * at, { font: 'B' }),
    ]);
    const title: SetText = { x: 60, y: 760, text: 'The River', size: 20 };
    expect(await headingsOf([title, ...texts])).toEqual([
      '# The River',
      '## The Weir',
      '### Depth of The Weir',
      '### Width of The Weir',
      '## The Mouth',
      '### Depth of The Mouth',
      '### Width of The Mouth',
    ]);
  });
});

describe('no headings are', () => {
  it.each([
    ['tokens of a syntax', '[ WITH GRANT OPTION ]'],
    ['alternatives', 'CREATE | DROP'],
    ['the beginning of a sentence in bold', 'The places of the measurements and'],
    ['a title with its sentence in the line', 'The places. They'],
  ])('%s', async (_, text) => {
    const texts = [...section('The Values', 740, { font: 'B' }), ...section(text, 640, { font: 'B' })];
    expect(await headingsOf(texts)).toEqual(['# The Values']);
  });

  it('labels in the boxes of a drawing', async () => {
    const boxes = [0, 1, 2, 3].map((at) => ({ x: 60 + 110 * at, y: 620 - 50 * at }));
    const rectangles = boxes.map(({ x, y }) => `${x} ${y} 90 40 re S`).join('\n');
    const labels = boxes.map(({ x, y }, at): SetText => ({
      x: x + 8,
      y: y + 15,
      text: `Weir ${'ABCD'[at] ?? ''}`,
      size: 14,
    }));
    const texts = [
      ...section('The Values', 740, { font: 'B' }),
      ...labels,
      ...section('The Places', 400, { font: 'B' }),
    ];
    const content = `${rectangles}\n${setText(texts)}`;
    const { text } = await extract(writePdf({ pages: [{ content }] }), { filename: 'test.pdf' });
    expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual(['# The Values', '# The Places']);
  });

  it('but not titles on the ground of code, which is as wide as they are', async () => {
    const titles = ['River measures', 'River values', 'River places', 'River mouths'];
    const texts = titles.flatMap((title, at) => section(title, 740 - 90 * at, { font: 'B', size: 16 }));
    const grounds = titles.map((_, at) => `58 ${736 - 90 * at} 124 18 re f`);
    const content = `0.9 g ${grounds.join(' ')} 0 g\n${setText(texts)}`;
    const { text } = await extract(writePdf({ pages: [{ content }] }), { filename: 'test.pdf' });
    expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual(
      titles.map((title) => `# ${title}`),
    );
  });

  it('labels of a drawing on a large sheet, but for its title', async () => {
    const places = Array.from({ length: 120 }, (_, at) => ({
      x: 60 + ((at * 487) % 2000),
      y: 1500 - 11 * at,
    }));
    const walls = places.map(({ x, y }) => `${x} ${y} 60 5 re S`).join('\n');
    const headingsOn = async (texts: readonly SetText[]): Promise<string[]> => {
      const page = { content: `${walls}\n${setText(texts)}`, entries: '/MediaBox[0 0 2200 1600]' };
      const { text } = await extract(writePdf({ pages: [page] }), { filename: 'test.pdf' });
      return text.split('\n').filter((line) => line.startsWith('#'));
    };
    const titles = [
      { x: 60, y: 1580, text: 'Plan of the First Floor', size: 30 },
      { x: 60, y: 1540, text: 'Plan North', size: 16 },
    ];
    const labels = places.map((place, at): SetText => ({ ...place, text: `Beam ${at}` }));
    expect(await headingsOn([...titles, ...labels])).toEqual(['# Plan of the First Floor']);
    const columns = Array.from({ length: 28 }, (_, at) =>
      section('The Weir', 1500 - 50 * at).slice(1),
    ).flat();
    expect(await headingsOn([...titles, ...columns])).toEqual(['# Plan of the First Floor', '## Plan North']);
  });

  it('labels of columns, three and more at one height', async () => {
    const labels = ['Source', 'Weir', 'Mouth'].flatMap((text, at): SetText[] => [
      { x: 80 + 110 * at, y: 566, text, size: 14 },
      { x: 80 + 110 * at, y: 550, text: 'depth', size: 14 },
    ]);
    const texts = [
      ...section('The Values', 740, { font: 'B' }),
      ...labels,
      ...section('The Places', 500, { font: 'B' }),
    ];
    expect(await headingsOf(texts)).toEqual(['# The Values', '# The Places']);
  });

  it('the names of authors between a title and their address', async () => {
    const texts: SetText[] = [
      { x: 60, y: 740, text: 'The Depth of Rivers', size: 20 },
      { x: 60, y: 700, text: 'Ada Smith, Bert Jones and Carla Brown', size: 14 },
      { x: 60, y: 680, text: 'University of the River' },
      ...section('Methods', 620, { font: 'B' }),
    ];
    expect(await headingsOf(texts)).toEqual(['# The Depth of Rivers', '## Methods']);
    const subtitled = texts.filter(({ text }) => !text.startsWith('University'));
    expect(await headingsOf(subtitled)).toHaveLength(3);
  });
});
