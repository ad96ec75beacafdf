// Bold lines that are labels, speakers and terms, and the titles of slides.
import { setText, type SetText, writePdf } from '@grainline/testing/pdf-writer';
import { describe, expect, it } from 'vitest';
import { extract } from '../src/index.ts';

async function headingsOf(
  pages: readonly (readonly SetText[])[],
  entries?: string,
): Promise<readonly string[]> {
  const file = writePdf({
    pages: pages.map((texts) => ({ content: setText(texts), ...(entries !== undefined && { entries }) })),
  });
  const { text } = await extract(file, { filename: 'test.pdf' });
  return text.split('\n').filter((line) => line.startsWith('#'));
}

const SENTENCES = [
  'The river rises in the hills and runs for sixty miles before it meets the sea.',
  'Its water was measured at nine places, twice a week, for three years or more.',
];

/** A bold line with lines below it, and white space around them. */
const entryOf = (title: string, below: readonly string[], top: number): SetText[] => [
  { x: 60, y: top, text: title, font: 'B' },
  ...below.map((text, row): SetText => ({ x: 60, y: top - 13 * (row + 1), text })),
];

/** A large title and entries below it. */
const pageOf = (entries: readonly (readonly [string, readonly string[]])[]): SetText[] => [
  { x: 60, y: 760, text: 'The River', size: 18 },
  ...SENTENCES.map((text, row): SetText => ({ x: 60, y: 735 - 13 * row, text })),
  ...entries.flatMap(([title, below], at) => entryOf(title, below, 690 - 50 * at)),
];

describe('bold lines', () => {
  it('are no headings above values, and are headings above text', async () => {
    const names = ['Surname', 'Place of birth', 'Employer', 'Telephone'];
    const values = ['Marin', 'Easton', 'The water works', '555 0188'];
    const labels = names.map((name, at) => [name, [values[at] ?? '']] as const);
    expect(await headingsOf([pageOf(labels)])).toEqual(['# The River']);
    const titles = names.map((name) => [name, SENTENCES] as const);
    expect(await headingsOf([pageOf(titles)])).toEqual(['# The River', ...names.map((name) => `## ${name}`)]);
  });

  it('are headings above values where most in their style have text', async () => {
    const entries = [
      ['The Weir', SENTENCES],
      ['Telephone', ['555 0188']],
      ['The Mouth', SENTENCES],
    ] as const;
    const all = entries.map(([title]) => `## ${title}`);
    expect(await headingsOf([pageOf(entries)])).toEqual(['# The River', ...all]);
  });

  it('are no headings where they take turns, even those that come once', async () => {
    const names = ['Anna', 'Boris', 'Anna', 'Boris', 'The Judge', 'Anna'];
    const talk = names.map((name) => [name, SENTENCES] as const);
    expect(await headingsOf([pageOf(talk)])).toEqual(['# The River']);
  });

  it('are headings beside one word that comes again alone', async () => {
    const words = ['Abstract', 'begin', 'begin', 'begin'].map((word) => [word, SENTENCES] as const);
    expect(await headingsOf([pageOf(words)])).toEqual(['# The River', '## Abstract']);
  });

  it('are no headings in the order of the alphabet, unless they count', async () => {
    const below = SENTENCES.slice(0, 1);
    const terms = ['Basin', 'Delta', 'Eddy', 'Ford', 'Gauge', 'Mouth', 'Rapids', 'Weir'];
    const headingsBelow = (titles: readonly string[]): Promise<readonly string[]> =>
      headingsOf([pageOf(titles.map((title) => [title, below] as const))]);
    expect(await headingsBelow(terms)).toEqual(['# The River']);
    const mixed = terms.toReversed();
    expect(await headingsBelow(mixed)).toEqual(['# The River', ...mixed.map((title) => `## ${title}`)]);
    const counted = terms.map((_, at) => `Reach ${String.fromCharCode(65 + at)}`);
    expect(await headingsBelow(counted)).toEqual(['# The River', ...counted.map((title) => `## ${title}`)]);
  });
});

it('words of code in bold are no headings within code, and are some above text', async () => {
  const bold = { 8: '<</Type/Font/Subtype/Type1/BaseFont/Courier-Bold/Encoding/WinAnsiEncoding>>' };
  const headingsIn = async (rows: readonly (readonly [string, SetText['font']])[]): Promise<string[]> => {
    const texts = rows.map(([text, font = 'F'], row): SetText => ({ x: 60, y: 680 - 12 * row, text, font }));
    const pages = [{ content: setText([...pageOf([]), ...texts]) }];
    const { text } = await extract(writePdf({ pages, objects: bold }), { filename: 'test.pdf' });
    return text.split('\n').filter((line) => line.startsWith('#'));
  };
  const code = ['if (open)', 'return', 'read(places);', 'if (shut)', 'wait', 'write(values);'];
  const mixed = code.map((text) => [text, /^\w+$/.test(text) ? 'B' : 'C'] as const);
  expect(await headingsIn(mixed)).toEqual(['# The River']);
  const prose = SENTENCES.map((text) => [text, 'F'] as const);
  expect(await headingsIn([['Places()', 'B'], ...prose])).toEqual(['# The River', '## Places()']);
});

it('titles above labels are deeper than the title of the form', async () => {
  const titles = ['Your details', 'Your work'];
  const parts = titles.flatMap((text, part): SetText[] => [
    { x: 60, y: 690 - 120 * part, text, size: 14 },
    ...entryOf('Name', ['Marin'], 665 - 120 * part),
    ...entryOf('Town', ['Easton'], 620 - 120 * part),
  ]);
  expect(await headingsOf([[...pageOf([]), ...parts]])).toEqual([
    '# The River',
    ...titles.map((title) => `## ${title}`),
  ]);
});

describe('slides', () => {
  const WIDE = '/MediaBox[0 0 800 450]';
  const titles = ['Why now', 'The problem', 'Three findings', 'Who does what'];
  const slideOf = (title: string): SetText[] => [
    { x: 60, y: 400, text: title, size: 20 },
    ...['Open from May', 'One desk for all', 'Cheaper by a third'].map((text, row): SetText => ({
      x: 60,
      y: 340 - 30 * row,
      text,
      size: 20,
    })),
  ];

  it('have titles in the type of the text at one height', async () => {
    const slides = titles.map(slideOf);
    expect(await headingsOf(slides, WIDE)).toEqual(titles.map((title) => `# ${title}`));
    expect(await headingsOf(slides, '/MediaBox[0 0 800 1000]')).toEqual([]);
  });

  it('have no titles where one text begins all of them', async () => {
    expect(
      await headingsOf(
        titles.map(() => slideOf('The River Trust')),
        WIDE,
      ),
    ).toEqual([]);
  });

  it('have no names as headings on their cover', async () => {
    const cover: SetText[] = [
      { x: 60, y: 300, text: 'The River', size: 40 },
      { x: 60, y: 250, text: 'Elena Marsh', size: 28 },
    ];
    const headings = await headingsOf([cover, ...titles.map(slideOf)], WIDE);
    expect(headings.map((heading) => heading.replace(/^#+ /, ''))).toEqual(['The River', ...titles]);
  });
});
