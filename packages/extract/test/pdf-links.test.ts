// Links of PDFs: the words under an annotation and its address, through joined lines, tables, headings and page ends;
// as data and as Markdown.
import { describe, expect, it } from 'vitest';
import { type Document, regionsOf } from '@grainline/core';
import { drawLines, type PageSpec, setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';
import { extract, type ExtractOptions } from '../src/index.ts';
import { layOutRanges, readPages } from '../src/readers/pdf/ranges.ts';
import { expectLawful } from './laws.ts';

type Rectangle = readonly [left: number, bottom: number, right: number, top: number];

const link = (rectangle: Rectangle, action: string, more = ''): string =>
  `<</Type/Annot/Subtype/Link/Rect[${rectangle.join(' ')}]/A<<${action}>>${more}>>`;
const toAddress = (rectangle: Rectangle, address: string, more = ''): string =>
  link(rectangle, `/S/URI/URI(${address})`, more);

/** Pages in Courier of 10 points: a character is 6 points wide. */
async function read(
  pages: readonly {
    texts: readonly Omit<SetText, 'font'>[];
    annotations: readonly string[];
    drawn?: string;
  }[],
  options: ExtractOptions = {},
): Promise<Document> {
  const specs = pages.map(({ texts, annotations, drawn = '' }): PageSpec => {
    const content = `${drawn}\n${setText(texts.map((text) => ({ ...text, font: 'C' as const })))}`;
    return { content, entries: `/Annots[${annotations.join(' ')}]` };
  });
  const document = await extract(writePdf({ pages: specs }), options);
  expectLawful(document);
  return document;
}

const linksOf = ({ text, links = [] }: Document): (readonly [words: string, href: string])[] =>
  links.map(({ start, end, href }) => [text.slice(start, end), href] as const);

const HREF = 'https://example.org/a';
const lines = (texts: readonly string[], top = 700): SetText[] =>
  texts.map((text, line) => ({ x: 60, y: top - 12 * line, text }));

describe('a link of a PDF', () => {
  it('is the words under its annotation, or a part of a word', async () => {
    const texts = lines(['See the guide (online: guide.pdf), please.']);
    const annotations = [toAddress([84, 697, 138, 709], HREF), toAddress([198, 697, 252, 709], '/b c')];
    const document = await read([{ texts, annotations }], { url: 'https://example.org/x/' });
    expect(linksOf(document)).toEqual([
      ['the guide', HREF],
      ['guide.pdf', 'https://example.org/b%20c'],
    ]);
  });

  it('goes on in the next line, by one annotation for both lines or one a line', async () => {
    const texts = lines([
      'The committee has decided that the whole of its docu-',
      'mentation is to be published on the pages of the city before',
      'the end of the year, and in three languages.',
    ]);
    const parts = [
      [342, 697, 380, 709],
      [60, 685, 114, 697],
    ] as const;
    const quads = parts.map(([a, b, c, d]) => [a, d, c, d, a, b, c, b].join(' ')).join(' ');
    for (const annotations of [
      parts.map((part) => toAddress(part, HREF)),
      [toAddress([60, 685, 380, 709], HREF, `/QuadPoints[${quads}]`)],
    ]) {
      const document = await read([{ texts, annotations }]);
      expect(linksOf(document)).toEqual([['documentation', HREF]]);
      const { text } = await read([{ texts, annotations }], { links: 'markdown' });
      expect(text).toBe(document.text.replace('documentation', `[documentation](${HREF})`));
    }
  });

  it('keeps the places of the words behind it when it is Markdown', async () => {
    const href = `https://example.org/${'long/'.repeat(80)}`;
    const texts = lines(['Read [the guide] before you begin, and then begin.']);
    const pages = [{ texts, annotations: [toAddress([90, 697, 156, 709], href)] }];
    const document = await read(pages, { links: 'markdown', regions: true });
    expect(document.text).toContain(`[\\[the guide\\]](${href}) before`);
    const start = document.text.indexOf('before');
    const [box] = regionsOf(document, { start, end: start + 'before'.length });
    expect(box).toMatchObject({ page: 1, x0: 162 });
  });

  it('is data alone in a heading and has its words in a cell and an item', async () => {
    const rows = [0, 1, 2].map((row) => 500 - 20 * row);
    const texts = [
      { x: 60, y: 740, text: 'The title', size: 20 },
      ...lines([
        'Some words of an introduction that stand below.',
        '',
        '- the first item',
        '- the second item',
      ]),
      ...rows.flatMap((y, row) => [
        { x: 60, y, text: `label ${row}` },
        { x: 200, y, text: `value ${row}` },
      ]),
    ];
    const drawn = drawLines([
      ...[512, 492, 472, 452].map((y) => [50, y, 300, y] as const),
      ...[50, 190, 300].map((x) => [x, 452, x, 512] as const),
    ]);
    const annotations = [
      toAddress([60, 735, 200, 760], HREF),
      toAddress([72, 661, 160, 673], `${HREF}#item`),
      toAddress([200, 477, 242, 490], `${HREF}#cell`),
    ];
    const pages = [{ texts, annotations, drawn }];
    expect(linksOf(await read(pages))).toEqual([
      ['The title', HREF],
      ['the second item', `${HREF}#item`],
      ['value 1', `${HREF}#cell`],
    ]);
    const { text } = await read(pages, { links: 'markdown' });
    expect(text).toContain('# The title\n');
    expect(text).toContain(`- [the second item](${HREF}#item)`);
    expect(text).toContain(`| label 1 | [value 1](${HREF}#cell) |`);
  });

  it('ends with its page, where the sentence goes on', async () => {
    const first = lines(
      ['The decision of the committee is to be found in the', 'annual report and on the pages of the'],
      112,
    );
    const second = lines(['city council, which are kept for ten years.', 'Then they are removed.'], 740);
    const pages = [
      { texts: first, annotations: [toAddress([60, 97, 300, 109], HREF)] },
      { texts: second, annotations: [toAddress([60, 737, 132, 749], HREF)] },
    ];
    const data = await read(pages);
    expect(linksOf(data).map(([words]) => words)).toEqual([
      'annual report and on the pages of the',
      'city council',
    ]);
    const { text, pages: starts } = await read(pages, { links: 'markdown' });
    expect(text.slice(starts[1])).toMatch(/^\[?city council\]\(/);
  });

  it('is the same in a file that is read in ranges of pages', async () => {
    const texts = lines(['Some words to click upon.']);
    const page = { content: setText(texts), entries: `/Annots[${toAddress([60, 697, 200, 709], '/a')}]` };
    const bytes = writePdf({ pages: [page, page] });
    const options = { links: 'markdown', url: 'https://example.org/' } as const;
    const ranges = await Promise.all(
      [1, 2].map((number) => readPages(bytes, { first: number, last: number })),
    );
    const document = await extract(bytes, options);
    expect(await layOutRanges(ranges, options)).toEqual(document);
    expect(document.text).toContain('](https://example.org/a)');
  });

  it('is left out when it leads to a script, a file or a page, or has no words', async () => {
    const texts = lines(['Some words to click upon.']);
    const place: Rectangle = [60, 697, 200, 709];
    const annotations = [
      toAddress(place, 'java\\nscript:alert\\(1\\)'),
      toAddress(place, '#top'),
      link(place, '/S/JavaScript/JS(app.alert\\(1\\))'),
      link(place, '/S/Launch/F(a.exe)'),
      link(place, '/S/GoTo/D[10 0 R/Fit]'),
      toAddress([300, 100, 400, 200], HREF),
      toAddress(place, `https://example.org/${'x'.repeat(3000)}`),
    ];
    const document = await read([{ texts, annotations }]);
    expect(document.links).toBeUndefined();
    expect(document.text).toBe('Some words to click upon.');
  });
});
