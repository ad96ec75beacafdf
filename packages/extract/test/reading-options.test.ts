// The options of reading over all kinds of documents: chosen pages, passwords; the outline and the warnings of a PDF.
import { array, assert, asyncProperty, boolean, constantFrom, integer, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimatePages, pageAt, type Document } from '@grainline/core';
import { OPTIONS } from '@grainline/core/options';
import { cases } from '@grainline/testing/cases';
import { writeDocx } from '@grainline/testing/docx-writer';
import { setText, writePdf, type PdfSpec } from '@grainline/testing/pdf-writer';
import { extract, type ExtractOptions } from '../src/index.ts';
import { expectLawful } from './laws.ts';

const WORDS = ['alder', 'birch', 'cedar', 'elder', 'fir', 'gorse', 'hazel', 'ivy', 'juniper', 'larch'];
const sentence = (page: number): string => `This page tells of the ${WORDS[page - 1]!} and of nothing else.`;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const pdfOf = (count: number, more: Partial<PdfSpec> = {}): Uint8Array =>
  writePdf({ pages: numbers(count).map((page) => ({ lines: [sentence(page)] })), ...more });
const textOf = (count: number): Uint8Array =>
  new TextEncoder().encode(numbers(count).map(sentence).join('\f'));

async function read(bytes: Uint8Array, options: ExtractOptions = {}): Promise<Document> {
  const document = await extract(bytes, options);
  expectLawful(document);
  return document;
}

/** The page of each sentence in a text, by the document's own map. */
function pagesOf({ text, pages }: Document): (number | undefined)[] {
  return WORDS.flatMap((word) => {
    const at = text.indexOf(word);
    return at === -1 ? [] : [pageAt(pages, at)];
  });
}

describe('chosen pages', () => {
  const kinds = { pdf: pdfOf, txt: textOf };
  it.each(['pdf', 'txt'] as const)('of %s keep their numbers, and they alone count', async (kind) => {
    const range = record({
      first: integer({ min: 1, max: 10 }),
      more: integer({ min: 0, max: 12 }),
      isOpen: boolean(),
    });
    await assert(
      asyncProperty(
        integer({ min: 2, max: 10 }),
        array(range, { minLength: 1, maxLength: 4 }),
        constantFrom(',', ', '),
        async (count, ranges, between) => {
          const inside = ranges.map((one) => ({ ...one, first: Math.min(one.first, count) }));
          const pages = inside
            .map(({ first, more, isOpen }) =>
              isOpen ? `${first}-` : more === 0 ? `${first}` : `${first}-${first + more}`,
            )
            .join(between);
          const wanted = numbers(count).filter((page) =>
            inside.some(({ first, more, isOpen }) => page >= first && (isOpen || page <= first + more)),
          );
          const document = await read(kinds[kind](count), { filename: `a.${kind}`, pages });
          expect(pagesOf(document)).toEqual(wanted);
          expect(estimatePages(document)).toBe(wanted.length);
          expect(document.pagesRead).toBe(wanted.length);
          expect(document.pages).toHaveLength(wanted.at(-1)!);
          expect(document.warnings).toEqual([]);
        },
      ),
      cases(30),
    );
  });

  it('are the whole document when all are chosen', async () => {
    const { pagesRead, ...all } = await read(pdfOf(4), { pages: '1-' });
    expect(pagesRead).toBe(4);
    expect(all).toEqual(await read(pdfOf(4)));
  });

  it('alone are read, and the progress counts them', async () => {
    const seen: string[] = [];
    await read(pdfOf(9), { pages: '2,8-20', onPage: ({ done, total }) => seen.push(`${done}/${total}`) });
    expect(seen).toEqual(['1/3', '2/3', '3/3']);
  });

  it('do not join a sentence across a gap', async () => {
    const pages = ['It began and then', 'was nowhere to be seen until', 'at last it ended.'].map((line) => ({
      lines: [line],
    }));
    const { blocks } = await read(writePdf({ pages }), { pages: '1,3' });
    expect(blocks.map(({ page }) => page)).toEqual([1, 3]);
  });

  it('that do not load are named, whatever stands behind them', async () => {
    const bytes = writePdf({
      pages: [{ lines: [sentence(1)] }],
      kids: '10 0 R 99 0 R 99 0 R',
      claimedPages: 3,
    });
    const document = await read(bytes, { pages: '1-2' });
    expect(document.warnings.map(({ message }) => message)).toEqual([
      'The file is damaged and could not be read on page 2.',
    ]);
    expect(document.pagesRead).toBe(1);
  });

  const refused = (bytes: Uint8Array, pages: string, filename: string) =>
    expect(extract(bytes, { pages, filename })).rejects;

  it('that are not in the document are an error that says how many there are', async () => {
    for (const kind of ['pdf', 'txt'] as const) {
      const [bytes, name] = [kinds[kind](3), `a.${kind}`];
      await refused(bytes, '4-7', name).toMatchObject({
        code: 'no_such_pages',
        message:
          'The document does not have the pages of the option pages: 4-7 begins after its last page, 3. Use other ones, or leave the option out.',
      });
    }
  });

  it('are a wrong option in a range that ends before it begins', async () => {
    const expected = /pages must be page numbers and ascending ranges from 1/;
    for (const pages of ['3-2', '1,3-2', '10-9', '2-4, 7-6'])
      await refused(kinds.pdf(12), pages, 'a.pdf').toThrow(expected);
    await expect(extract(kinds.pdf(12), { pages: '9-10,3-3' })).resolves.toMatchObject({ pagesRead: 3 });
  });

  it('are an error for documents without pages', async () => {
    const html = new TextEncoder().encode('<!doctype html><p>One.</p>');
    const docx = writeDocx({ body: '<w:p><w:r><w:t>One.</w:t></w:r></w:p>' });
    for (const [bytes, name] of [
      [html, 'a.html'],
      [docx, 'a.docx'],
      [new TextEncoder().encode('One.'), 'a.txt'],
      [new TextEncoder().encode('# One'), 'a.md'],
    ] as const)
      await refused(bytes, '1', name).toMatchObject({
        code: 'no_such_pages',
        message:
          'The document does not have the pages of the option pages: it has no pages to choose from. Use other ones, or leave the option out.',
      });
  });

  it.each(['', '0', '1-2-3', 'all', '-3', '1,,2', '1;2', ' 1', '1234567', '1,'.repeat(200) + '1'])(
    'are refused in another syntax: %j',
    async (pages) => {
      await refused(pdfOf(3), pages, 'a.pdf').toThrow(
        new TypeError(`Wrong options: pages must be ${OPTIONS.pages.pattern[1]}.`),
      );
    },
  );

  it('of a huge claimed number end with the file', async () => {
    const bytes = writePdf({ pages: [{ lines: [sentence(1)] }], claimedPages: 2_000_000_000 });
    expect(await read(bytes, { pages: '1-999999' })).toMatchObject({ pages: [0], pagesRead: 1 });
  });
});

describe('a password', () => {
  const password = { user: 'öpen sesame', owner: 'master' };
  const locked = pdfOf(2, { password });

  it('of the user or the owner opens the document', async () => {
    const open = await read(pdfOf(2));
    for (const word of Object.values(password)) expect(await read(locked, { password: word })).toEqual(open);
  });

  it('that is missing or wrong is an error of its own, which does not hold it', async () => {
    await expect(extract(locked)).rejects.toMatchObject({ code: 'encrypted' });
    const wrong = extract(locked, { password: 'hunter2-wrong' });
    await expect(wrong).rejects.toMatchObject({ code: 'wrong_password' });
    await expect(wrong).rejects.not.toThrow(/hunter2/);
  });

  it('is ignored by documents that need none', async () => {
    const restricted = pdfOf(2, { password: { user: '', owner: 'master' } });
    const open = await read(pdfOf(2));
    for (const bytes of [restricted, pdfOf(2)]) expect(await read(bytes, { password: 'any' })).toEqual(open);
    const texts = ['One.', '# One', '<!doctype html><p>One.'].map((text) => new TextEncoder().encode(text));
    for (const bytes of texts) expect(await read(bytes, { password: 'any' })).toEqual(await read(bytes));
  });

  it('does not open a Word file in a container', async () => {
    const container = Buffer.concat([
      Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1'),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ]);
    await expect(extract(container, { password: 'any' })).rejects.toMatchObject({
      code: 'encrypted',
      message:
        'The document is protected by a password. Give the password of a PDF; save any other document without one.',
    });
  });

  it('is refused when it is no text', async () => {
    const given = { password: 5 } as unknown as ExtractOptions;
    await expect(extract(locked, given)).rejects.toThrow(
      new TypeError('Wrong options: password must be a string.'),
    );
  });
});

describe('an outline', () => {
  const heading = (text: string, y: number) => ({ x: 50, y, text, size: 20, font: 'B' as const });
  const prose = (y: number) =>
    [0, 1, 2].map((line) => ({
      x: 50,
      y: y - 12 * line,
      text: 'The plain text of a page goes on for a while here.',
    }));
  const pages = [
    { content: setText([heading('1 Trees', 750), ...prose(720)]) },
    { content: setText([heading('2 Shrubs', 750), ...prose(720)]) },
  ];
  const objects = {
    900: '<</Type/Outlines/First 901 0 R/Last 903 0 R/Count 3>>',
    901: '<</Title(Trees)/Parent 900 0 R/Next 903 0 R/First 902 0 R/Last 902 0 R/Dest[10 0 R/Fit]>>',
    902: '<</Title( No\\nsuch  title )/Parent 901 0 R/Dest[20 0 R/Fit]>>',
    903: '<</Title(Elsewhere)/Parent 900 0 R/Prev 901 0 R>>',
  };

  it('of a PDF is that of its bookmarks', async () => {
    const { text, outline } = await read(writePdf({ pages, objects, catalog: '/Outlines 900 0 R' }));
    expect(outline).toEqual([
      { title: 'Trees', level: 1, page: 1, start: 0 },
      { title: 'No such title', level: 2, page: 2 },
      { title: 'Elsewhere', level: 1 },
    ]);
    expect(text).toMatch(/^#+ 1 Trees/);
  });

  it('keeps the whole table of contents when pages are chosen', async () => {
    const options = { pages: '2' };
    const { outline } = await read(writePdf({ pages, objects, catalog: '/Outlines 900 0 R' }), options);
    expect(outline?.map(({ title }) => title)).toEqual(['Trees', 'No such title', 'Elsewhere']);
    expect(outline?.[0]).toEqual({ title: 'Trees', level: 1, page: 1 });
  });

  it('is made of the headings of every kind of document', async () => {
    const encoded = (text: string) => new TextEncoder().encode(text);
    const outlineOf = async (bytes: Uint8Array, filename: string) =>
      (await read(bytes, { filename })).outline;
    expect((await outlineOf(writePdf({ pages }), 'a.pdf'))?.map(({ title, page }) => [title, page])).toEqual([
      ['1 Trees', 1],
      ['2 Shrubs', 2],
    ]);
    const simple = [
      { title: 'One', level: 1, start: 0 },
      { title: 'Two', level: 2, start: 13 },
    ];
    expect(await outlineOf(encoded('# One\n\nText\n\n## Two\n\nText'), 'a.md')).toEqual(simple);
    expect(await outlineOf(encoded('<h1>One</h1><p>Text</p><h2>Two</h2>Text'), 'a.html')).toEqual(simple);
    expect(await outlineOf(encoded('Text'), 'a.txt')).toBeUndefined();
  });
});

describe('attached files', () => {
  const names = (count: number): string =>
    numbers(count)
      .map((at) => `(${at})<</Type/Filespec/F(file${at}.csv)/UF(file${at}.csv)/EF<</F 950 0 R>>>>`)
      .join('');
  const attached = (count: number): Uint8Array =>
    pdfOf(1, {
      catalog: `/Names<</EmbeddedFiles<</Names[${names(count)}]>>>>`,
      objects: { 950: '<</Type/EmbeddedFile/Length 1>>\nstream\nx\nendstream' },
    });
  const warned = async (count: number): Promise<string[]> =>
    (await read(attached(count))).warnings.map(({ code, message }) => `${code}: ${message}`);

  it('are named and not read', async () => {
    expect(await warned(1)).toEqual(['attachments_left_out: 1 file is attached and not read: file1.csv.']);
    expect(await warned(2)).toEqual([
      'attachments_left_out: 2 files are attached and not read: file1.csv, file2.csv.',
    ]);
    expect((await warned(300))[0]).toMatch(/^attachments_left_out: 100 files .*file10\.csv, …\.$/);
  });
});
