// `grainline cite`: a document and quotations in, their places out, and every way to use it wrongly.
import { type Region, regionsOf } from '@grainline/core';
import { extract } from '@grainline/extract';
import { writeDocx } from '@grainline/testing/docx-writer';
import { writePdf } from '@grainline/testing/pdf-writer';
import { describe, expect, it } from 'vitest';
import { folder, grainlineWith, put, useFolder } from './command.ts';
import { fakeIo } from './fake-io.ts';

useFolder();

const TEXT =
  '# Limits\n\nThe “limiter” counts requests, page by page.\fA second page says: it refuses the eleventh.\n';
const found = (quote: string) => `${TEXT.indexOf(quote)}–${TEXT.indexOf(quote) + quote.length}`;

/** Arguments with blanks in them. */
const cite = (...argv: string[]) => grainlineWith(['cite', ...argv], fakeIo(folder));

describe('grainline cite', () => {
  it('prints score, page and offsets of a quotation, with the words that stand there', async () => {
    put('a.txt', TEXT);
    const { code, stdout, stderr } = await cite(
      'a.txt',
      'the "limiter" counts ... page by page',
      'refuses the eleventh',
    );
    expect(stdout).toBe(
      [
        `1.00  page 1  ${found('The “limiter” counts')}`,
        '  The “limiter” counts',
        `1.00  page 1  ${found('page by page')}`,
        '  page by page',
        `1.00  page 2  ${found('refuses the eleventh')}`,
        '  refuses the eleventh',
        '',
      ].join('\n'),
    );
    expect([code, stderr]).toEqual([0, '']);
  });

  it('prints objects with --json, and fails when a quotation is not found', async () => {
    put('a.md', TEXT.replace('\f', ' '));
    const { code, stdout } = await cite(
      '--json',
      'a.md',
      'It refuses the eleventh',
      'it grants the twelfth at once',
    );
    const [one, other] = stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(one).toMatchObject({ found: true, score: 1, spans: [{ text: 'it refuses the eleventh' }] });
    expect(other).toEqual({ quote: 'it grants the twelfth at once', found: false });
    expect(code).toBe(1);
    expect((await cite('a.md', 'it grants the twelfth at once')).stdout).toBe(
      'not found  it grants the twelfth at once\n',
    );
  });

  it('prints the boxes of a quotation in a PDF with --json', async () => {
    const bytes = writePdf({
      pages: [{ lines: ['Quarterly report'] }, { lines: ['Sales rose in the north.'] }],
    });
    put('a.pdf', bytes);
    const { stdout } = await cite('--json', 'a.pdf', 'rose in the North');
    const { spans } = JSON.parse(stdout) as { spans: { start: number; end: number; regions: number[][] }[] };
    const boxes = regionsOf(await extract(bytes, { regions: true }), spans[0]!);
    const hundredths = ({ page, x0, y0, x1, y1 }: Region) => [
      page,
      ...[x0, y0, x1, y1].map((at) => 100 * at),
    ];
    expect(spans[0]!.regions).toEqual(boxes.map(hundredths).map((box) => box.map(Math.round)));
    expect(boxes).toMatchObject([{ page: 2 }]);
  });

  it('prints the anchor of a quotation in a web page and in a DOCX with --json', async () => {
    put('a.html', '<h1>Tides</h1><p>The pilot waits.</p>');
    const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
    put('a.docx', writeDocx({ body: paragraph('Tides') + paragraph('The pilot waits.') }));
    const spans = async (file: string) => {
      const { stdout } = await cite('--json', file, 'the pilot waits');
      return (JSON.parse(stdout) as { spans: object[] }).spans;
    };
    expect(await spans('a.html')).toMatchObject([{ fragment: ':~:text=The%20pilot%20waits.' }]);
    expect(await spans('a.docx')).toMatchObject([{ paragraph: 2 }]);
  });

  it('finds boxes in the records that --regions gives', async () => {
    put('a.pdf', writePdf({ pages: [{ lines: ['Sales rose in the north.'] }] }));
    const { stdout } = await grainlineWith(['a.pdf', '--regions', '--quiet'], fakeIo(folder));
    const { regions } = JSON.parse(stdout) as { regions: number[][] };
    expect(regions).toHaveLength(1);
    expect(regions[0]).toHaveLength(5);
  });

  it('takes a bound', async () => {
    put('a.md', TEXT);
    const quote = 'The limiter counts all requests, page by page';
    expect((await cite('a.md', quote)).code).toBe(0);
    expect((await cite('a.md', quote, '--bound', '1')).code).toBe(1);
  });

  it.each([
    [['a.md'], /Name a file and at least one quotation/],
    [['a.md', ' '], /A quotation has no words/],
    [['', 'x'], /The file has an empty name/],
    [['a.md', 'x', '--bound', '0'], /--bound must be a number above 0 and up to 1, but is "0"/],
    [['a.md', 'x', '--size', '3'], /--size/],
  ])('refuses %j', async (argv, message) => {
    put('a.md', TEXT);
    const { code, stderr } = await cite(...argv);
    expect(stderr).toMatch(message);
    expect(stderr).toContain('Run grainline cite --help');
    expect(code).toBe(2);
  });

  it('says that a file is missing, or that there are several, and prints its help', async () => {
    const { code, stderr } = await cite('none.pdf', 'its words');
    expect([code, stderr]).toEqual([1, expect.stringContaining('none.pdf')]);
    put('a.txt', TEXT);
    expect((await cite('.', 'the eleventh')).code).toBe(0);
    put('b.txt', TEXT);
    expect(await cite('.', 'the eleventh')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('this names 2 files; name one of them. (several_files)') as string,
    });
    expect((await cite('--help')).stdout).toMatch(/^Usage: grainline cite .*--bound N/su);
  });
});
