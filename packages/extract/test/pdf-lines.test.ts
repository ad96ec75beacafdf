// The lines of paragraphs: those that the page has wrapped become one line of text, those of the author stay.
import { describe, expect, it } from 'vitest';
import type { Document } from '@grainline/core';
import { setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';

const LINES = [
  'The river rises in the hills and runs for sixty miles before it meets the',
  'sea. Its water was measured at nine places, twice a week, for three years,',
  'and every value was written down by hand and read again.',
];
const VERSE = [
  'The fog comes in on little feet',
  'and sits there',
  'looking over harbour and town,',
  'and then',
  'moves on without a word.',
];
const ADDRESS = ['Office of the River Board', '12 Mill Lane', 'Nether Wallop', 'Hampshire'];

const column = (lines: readonly string[], y: number, more: Partial<SetText> = {}): SetText[] =>
  lines.map((text, row) => ({ x: 60, y: y - 12 * row, text, ...more }));

async function read(pages: readonly (readonly SetText[])[], lines?: 'join' | 'keep'): Promise<Document> {
  const bytes = writePdf({ pages: pages.map((texts) => ({ content: setText(texts) })) });
  const document = await extract(bytes, { filename: 'test.pdf', lines });
  expectLawful(document);
  return document;
}

async function textOf(texts: readonly SetText[], lines?: 'join' | 'keep'): Promise<string> {
  return (await read([texts], lines)).text;
}

describe('the lines of a paragraph', () => {
  it('are one line, with its divided words mended', async () => {
    const divided = [`${LINES[0]} mea-`, ...column(LINES, 0).map(({ text }) => `sured ${text}`)];
    expect(await textOf(column(divided, 740))).toBe(
      `${LINES[0]} measured ${LINES[0]} sured ${LINES[1]} sured ${LINES[2]}`,
    );
  });

  it('stay where the caller keeps them', async () => {
    expect(await textOf(column(LINES, 740), 'keep')).toBe(LINES.join('\n'));
    expect(await textOf(column(LINES, 740), 'join')).toBe(LINES.join(' '));
    expect(await textOf(column(['a docu-', 'ment of two lines'], 740), 'keep')).toBe(
      'a document of two lines',
    );
  });

  it('are one line where one of them juts out', async () => {
    const [first = '', second = ''] = LINES;
    const lines = [`${first} north`, second, ...LINES];
    expect(await textOf(column(lines, 740))).toBe(lines.join(' '));
  });

  it('are one line in two columns, and over the end of a page, which begins in it', async () => {
    const left = column([...LINES, ...LINES, 'and that was'], 740);
    const document = await read([left, column(['all that they did in those three years.'], 740)]);
    expect(document.text).toContain('and that was all that they did');
    expect(document.text.slice(document.pages[1])).toMatch(/^all that/);
  });

  it('are one line in justified text with a wide gap', async () => {
    const [first = '', ...rest] = LINES;
    const [begin, end] = first.split(' for');
    const torn = `BT /F 10 Tf 60 740 Td [(${begin}) -1800 (for${end})] TJ ET`;
    const content = [torn, setText(column(rest, 728))].join('\n');
    const { text } = await extract(writePdf({ pages: [{ content }] }), {});
    expect(text).toBe(LINES.join(' '));
  });

  it('are one line in an item of a list', async () => {
    const items = [`1. ${LINES[0]}`, ...LINES.slice(1), `2. ${LINES[0]}`, ...LINES.slice(1)];
    expect(await textOf(column(items, 740))).toBe(`1. ${LINES.join(' ')}\n2. ${LINES.join(' ')}`);
  });
});

describe("the author's lines", () => {
  it('of verse stay', async () => {
    expect(await textOf([...column(LINES, 740), ...column(VERSE, 680)])).toBe(
      `${LINES.join(' ')}\n\n${VERSE.join('\n')}`,
    );
  });

  it('of an address stay, also where they are of one length', async () => {
    expect(await textOf([...column(ADDRESS, 740), ...column(LINES, 650)])).toBe(
      `${ADDRESS.join('\n')}\n\n${LINES.join(' ')}`,
    );
    const even = ['The Board of Rivers and Lakes', 'Old Mill Lane, Nether Wallop'];
    expect(await textOf([...column(even, 740), ...column(LINES, 650)])).toContain(even.join('\n'));
  });

  it('stay where they are centred', async () => {
    const centred = ['Proceedings', 'of the Meeting on Rivers', 'held at Nether Wallop'].map((text, row) => ({
      x: 300 - 2.4 * text.length,
      y: 740 - 12 * row,
      text,
    }));
    expect(await textOf([...centred, ...column(LINES, 650)])).toContain(
      'Proceedings\nof the Meeting on Rivers\nheld at Nether Wallop',
    );
  });

  it('above the text of a paragraph stay, and the text is one line', async () => {
    const text = [...LINES.slice(0, 2), ...LINES];
    const letter = ['Dear Board of Rivers,', ...text];
    expect(await textOf(column(letter, 740))).toBe(`Dear Board of Rivers,\n${text.join(' ')}`);
  });

  it('with gaps stay, as rows of a table', async () => {
    const rows = ['North', 'South'].flatMap((text, row) => [
      { x: 60, y: 640 - 12 * row, text },
      { x: 300, y: 640 - 12 * row, text: `${row} of the places` },
    ]);
    expect(await textOf([...column(LINES, 740), ...rows])).toContain(
      'North 0 of the places\nSouth 1 of the places',
    );
  });

  it('of a list of contents stay', async () => {
    const entries = ['The river and its sources', 'The places of the measurement'].map(
      (title, row) => `${title} ${'.'.repeat(60 - title.length)} ${row + 2}`,
    );
    expect(await textOf([...column(entries, 740), ...column(LINES, 650)])).toMatch(
      /sources … 2\nThe places of the measurement … 3\n/,
    );
  });
});

it('lines of a script without blanks are joined without one', async () => {
  const toUnicode = { A: '5DDD', B: '306F', C: '6D41', D: '308C', E: '3001' };
  const pages = [{ lines: ['ABCDEABCDEABCDE', 'CDEABCDEABCDEAB', 'ABC'] }];
  const { text } = await extract(writePdf({ pages, toUnicode }), {});
  expect(text).toBe('川は流れ、川は流れ、川は流れ、流れ、川は流れ、川は流れ、川は川は流');
});

it('lines from right to left leave their room on the left', async () => {
  const toUnicode = { a: '05D0', b: '05D1', c: '05D2', ' ': '0020' };
  const verse = ['abc ab abc abc ab', 'abc ab', 'abc ab abc', 'ab'];
  const content = verse
    .map((line, row) => {
      const text = line.split(' ').reverse().join(' ');
      return setText([{ x: 400 - 5.5 * text.length, y: 740 - 12 * row, text }]);
    })
    .join('\n');
  const { text } = await extract(writePdf({ pages: [{ content }], toUnicode }), {});
  expect(text.split('\n')).toHaveLength(4);
});

it('an unknown mode is refused, and other kinds ignore it', async () => {
  const bytes = new TextEncoder().encode('one\ntwo');
  await expect(extract(bytes, { lines: 'all' as 'keep' })).rejects.toThrow("lines must be 'join' or 'keep'");
  expect((await extract(bytes, { filename: 'a.txt', lines: 'join' })).text).toBe('one\ntwo');
});
