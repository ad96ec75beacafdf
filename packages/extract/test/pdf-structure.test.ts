// Headings of PDFs, told by how their lines are set, by their numbers and by the outline.
import { describe, expect, it } from 'vitest';
import type { Block } from '@grainline/core';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';
import { setText, writePdf, type PdfSpec, type SetText } from './pdf-writer.ts';

const PROSE = [
  'The river rises in the hills and runs for sixty miles before it meets the',
  'sea. Its water was measured at nine places, twice a week, for three years,',
  'and every value was written down by hand and read again by somebody else.',
];

/** Sets texts one below the other; a number moves down by so many points, a text is a line of prose at 10 points. */
function column(
  parts: readonly (number | string | Omit<SetText, 'x' | 'y'>)[],
  x = 60,
  top = 740,
): SetText[] {
  let y = top;
  return parts.flatMap((part): SetText[] => {
    if (typeof part === 'number') y -= part;
    else {
      const text = typeof part === 'string' ? { text: part } : part;
      y -= 1.2 * (text.size ?? 10);
      return [{ x, y, ...text }];
    }
    return [];
  });
}

async function read(spec: PdfSpec): Promise<{ text: string; blocks: readonly Block[] }> {
  const document = await extract(writePdf(spec), { filename: 'test.pdf' });
  expectLawful(document);
  return document;
}

const page = (...parts: Parameters<typeof column>[0]): { content: string } => ({
  content: setText(column(parts)),
});
const headingsOf = ({ text }: { text: string }): string[] =>
  text.split('\n').filter((line) => /^#+ /.test(line));
const large = (text: string, size = 18): { text: string; size: number } => ({ text, size });
const bold = (text: string, size = 10): Omit<SetText, 'x' | 'y'> => ({ text, size, font: 'B' });

describe('headings', () => {
  it('are ranked by their size, bold lines of body size below all', async () => {
    const document = await read({
      pages: [
        page(large('The River and its Water', 24), 10, large('Where it was measured', 16), 6, ...PROSE, 12),
        page(large('What was found', 16), 6, ...PROSE, 12, bold('Chloride in winter'), 4, ...PROSE),
      ],
    });
    expect(headingsOf(document)).toEqual([
      '# The River and its Water',
      '## Where it was measured',
      '## What was found',
      '### Chloride in winter',
    ]);
    expect(document.blocks.map(({ kind, depth, page: number }) => [kind, depth, number])).toEqual([
      ['heading', 1, 1],
      ['heading', 2, 1],
      ['paragraph', undefined, 1],
      ['heading', 2, 2],
      ['paragraph', undefined, 2],
      ['heading', 3, 2],
      ['paragraph', undefined, 2],
    ]);
  });

  it('of several lines are one', async () => {
    const document = await read({
      pages: [page(large('A long title that does not fit'), large('on a single line'), 10, ...PROSE)],
    });
    expect(headingsOf(document)).toEqual(['# A long title that does not fit on a single line']);
  });

  it('go as deep as their numbers', async () => {
    const section = (title: string): Parameters<typeof column>[0] => [14, bold(title, 12), 4, ...PROSE];
    const document = await read({
      pages: [
        page(large('Title of the Report', 20), ...section('1 Introduction'), ...section('1.1 Aims')),
        page(...section('1.1.1 Older aims'), ...section('2 Methods')),
      ],
    });
    expect(headingsOf(document)).toEqual([
      '# Title of the Report',
      '## 1 Introduction',
      '### 1.1 Aims',
      '#### 1.1.1 Older aims',
      '## 2 Methods',
    ]);
  });

  it('are those of the outline, as deep as it says, on the page it points to', async () => {
    const bookmark = (title: string, target: number, more: string): string =>
      `<</Title(${title})/Parent 900 0 R/Dest[${target} 0 R/Fit]${more}>>`;
    const document = await read({
      pages: [
        page('Contents', 'Plain title', ...PROSE),
        page('Plain title', ...PROSE, 'Sub title', ...PROSE),
      ],
      catalog: '/Outlines 900 0 R',
      objects: {
        900: '<</Type/Outlines/First 901 0 R/Last 901 0 R/Count 1>>',
        901: bookmark('Plain title', 20, '/First 902 0 R/Last 902 0 R/Count 1'),
        902: bookmark('Sub  Title', 20, ''),
      },
    });
    expect(headingsOf(document)).toEqual(['# Plain title', '## Sub title']);
    expect(document.text.match(/Plain title/g)).toHaveLength(2);
  });

  it('are found in an outline that runs in circles, in bounded time', async () => {
    const document = await read({
      pages: [page('Plain title', ...PROSE)],
      catalog: '/Outlines 900 0 R',
      objects: {
        900: '<</Type/Outlines/First 901 0 R/Last 901 0 R/Count 1>>',
        901: '<</Title(Plain title)/Parent 900 0 R/Dest[10 0 R/Fit]/First 901 0 R/Next 901 0 R>>',
      },
    });
    expect(headingsOf(document)).toEqual(['# Plain title']);
  });
});

describe('no headings are', () => {
  it.each([
    ['captions', [14, bold('Figure 3: The river at Easton'), 4, ...PROSE]],
    ['page numbers', [large('12', 16), 8, ...PROSE]],
    ['labels of pages', [14, bold('Page 3 of 12'), 4, ...PROSE]],
    ['drop caps', [large('T', 40), ...PROSE]],
    ['bold lead-ins with a full stop', [14, bold('Sampling.'), ...PROSE]],
    ['bold lines with no gap before them', [...PROSE, bold('Values in winter'), ...PROSE]],
    ['bold lines that nothing follows', [...PROSE, 14, bold('Values in winter')]],
    ['formulas', [large('x = a + 2 b', 16), 8, ...PROSE]],
    ['paragraphs in large type', [...PROSE.map((line) => large(line, 14)), ...PROSE, ...PROSE]],
    ['plain signs of markup', ['# no heading', '- no item', ...PROSE]],
  ])('%s', async (_, parts) => {
    const document = await read({ pages: [page(...PROSE, 20, ...parts), page(...PROSE, ...PROSE)] });
    expect(document.blocks.filter(({ kind }) => kind === 'heading')).toEqual([]);
  });

  it('pages that are set large throughout', async () => {
    const slide = page(...PROSE.map((line) => large(line, 20)), ...PROSE.map((line) => large(line, 20)));
    const document = await read({
      pages: [slide, slide, page(...PROSE, ...PROSE, ...PROSE, ...PROSE, ...PROSE, ...PROSE)],
    });
    expect(headingsOf(document)).toEqual([]);
  });

  it('pages that are bold throughout', async () => {
    const document = await read({
      pages: [page(...PROSE.flatMap((line) => [bold(line), 14, bold('And so on')]), 20, bold('End'))],
    });
    expect(headingsOf(document)).toEqual([]);
  });

  it('lines that come on page after page', async () => {
    const pages = [1, 2, 3, 4, 5].map((number) =>
      page(large(`Report on Rivers, part ${number}`), 10, ...PROSE),
    );
    expect(headingsOf(await read({ pages }))).toEqual([]);
  });
});

describe('hostile pages', () => {
  it('with each character in another size, in none and in an endless one are read', async () => {
    const content = Array.from(
      { length: 3000 },
      (_, index) =>
        `BT /F ${(index * 7) % 300} Tf 1 0 0 1 ${(index % 60) * 9} ${800 - 12 * Math.floor(index / 60)} Tm (a) Tj ET`,
    ).join('\n');
    const endless =
      'BT /F 1 Tf 1e38 1e38 -1e38 1e38 1e38 1e38 Tm (endless) Tj ET BT /F 0 Tf 50 50 Td (nothing) Tj ET';
    const spec = { pages: [{ content }, { content: `${endless}\n${setText(column(PROSE))}` }] };
    expect((await read(spec)).text).toContain('The river rises');
  });

  it('of equal bytes give equal documents', async () => {
    const spec = { pages: [page(large('Title of it'), ...PROSE, 14, bold('Head'), ...PROSE)] };
    expect(await read(spec)).toEqual(await read(spec));
  });
});
