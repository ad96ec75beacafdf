import { describe, expect, it } from 'vitest';
import { writeZip, type ZipEntry } from '@grainline/testing/docx-writer';
import { BOOK_CONTAINER, bookContents, bookEntries, writeBook } from '@grainline/testing/epub-writer';
import { expectLawful } from '../../../test/laws.ts';
import { extract } from '../../extract.ts';

async function read(bytes: Uint8Array): Promise<Awaited<ReturnType<typeof extract>>> {
  const document = await extract(bytes);
  expectLawful(document);
  return document;
}

describe('a book', () => {
  it('is read in the order of its spine, whole behind elements that end themselves', async () => {
    const document = await read(
      writeBook({
        chapters: { 'b.xhtml': '<p>Second<a id="x"/> part.</p>', 'a.xhtml': '<p>First.</p>' },
        order: ['a.xhtml', 'b.xhtml'],
      }),
    );
    expect(document.text).toBe('First.\n\nSecond part.');
    expect(document).toMatchObject({ mediaType: 'application/epub+zip', title: 'The Tides', warnings: [] });
  });

  it('may be packed with the folder around it', async () => {
    const entries = bookEntries({ chapters: { 'a.xhtml': '<p>First.</p>' } }).map((entry) => ({
      ...entry,
      name: `book/${entry.name}`,
    }));
    expect((await read(writeZip(entries))).text).toBe('First.');
  });

  it('has the table of contents as headings, with its levels', async () => {
    const nav = bookContents(
      '<ol><li><a href="a.xhtml">Part One</a><ol><li><a href="a.xhtml#one">1. The <b>Pier</b></a></li></ol></li><li><a href="b.xhtml">Part Two</a></li></ol>',
    );
    const chapters = {
      'a.xhtml':
        '<p class="t">PART ONE</p><p>Text.</p><h1 id="one">1 The Pier</h1><p>More.</p><h2>Below</h2><p>End.</p>',
      'b.xhtml': '<p>Only text.</p>',
    };
    const { text } = await read(writeBook({ chapters, nav }));
    expect(text).toBe(
      '# PART ONE\n\nText.\n\n## 1 The Pier\n\nMore.\n\n### Below\n\nEnd.\n\n# Part Two\n\nOnly text.',
    );
  });

  it('of EPUB 2 has it in its NCX', async () => {
    const ncx =
      '<!DOCTYPE ncx PUBLIC "x" "y"><ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><docTitle><text>T</text></docTitle><navMap><navPoint><navLabel><text>I. Tide</text></navLabel><content src="a%20b.xhtml"/></navPoint></navMap></ncx>';
    const chapters = { 'a b.xhtml': '<h2>I</h2><h2>Tide</h2><p>Text.</p>' };
    const { text } = await read(writeBook({ chapters, ncx: ncx.replace(/<!DOCTYPE[^>]*>/, '') }));
    expect(text).toBe('# I\n\n# Tide\n\nText.');
  });

  it('keeps links that lead out of it, and drops those from chapter to chapter', async () => {
    const body =
      '<p>See <a href="b.xhtml#n1">note 1</a> and <a href="https://sea.example/">the page</a>.</p>';
    const { links, text } = await read(writeBook({ chapters: { 'a.xhtml': body } }));
    expect(links?.map(({ start, end, href }) => [text.slice(start, end), href])).toEqual([
      ['the page', 'https://sea.example/'],
    ]);
  });

  it('names chapters that are missing', async () => {
    const { warnings } = await read(
      writeBook({ chapters: { 'a.xhtml': '<p>Text.</p>' }, order: ['a.xhtml'] }),
    );
    expect(warnings).toEqual([]);
    const broken = writeBook({ chapters: { 'a.xhtml': '<p>Text.</p>' }, extra: [] });
    const opf = `<package><manifest><item id="a" href="a.xhtml"/><item id="z" href="z.xhtml"/></manifest><spine><itemref idref="z"/><itemref idref="a"/></spine></package>`;
    expect(broken.length).toBeGreaterThan(0);
    const document = await read(
      writeZip([
        { name: 'META-INF/container.xml', content: BOOK_CONTAINER },
        { name: 'OEBPS/book.opf', content: opf },
        { name: 'OEBPS/a.xhtml', content: '<p>Text.</p>' },
      ]),
    );
    expect(document.warnings).toMatchObject([{ code: 'parts_left_out', message: /OEBPS\/z\.xhtml/ }]);
  });

  const encryption = (uri: string): ZipEntry => ({
    name: 'META-INF/encryption.xml',
    content: `<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData><e:CipherData><e:CipherReference URI="${uri}"/></e:CipherData></e:EncryptedData></encryption>`,
  });

  it('may scramble its fonts, not its chapters', async () => {
    const chapters = { 'a.xhtml': '<p>Text.</p>' };
    const { text } = await read(writeBook({ chapters, extra: [encryption('OEBPS/fonts/a.otf')] }));
    expect(text).toBe('Text.');
    const sealed = extract(writeBook({ chapters, extra: [encryption('OEBPS/a.xhtml')] }));
    await expect(sealed).rejects.toMatchObject({ code: 'encrypted' });
  });

  it.each<[string, readonly ZipEntry[], string]>([
    ['no plan', [{ name: 'META-INF/container.xml', content: BOOK_CONTAINER }], 'corrupted'],
    [
      'a plan outside',
      [{ name: 'META-INF/container.xml', content: BOOK_CONTAINER.replace('OEBPS/', '../../') }],
      'corrupted',
    ],
    [
      'no chapters',
      [
        { name: 'META-INF/container.xml', content: BOOK_CONTAINER },
        { name: 'OEBPS/book.opf', content: '<package/>' },
      ],
      'corrupted',
    ],
    [
      'only missing chapters',
      [
        { name: 'META-INF/container.xml', content: BOOK_CONTAINER },
        { name: 'OEBPS/book.opf', content: '<package><item id="a" href="a"/><itemref idref="a"/></package>' },
      ],
      'corrupted',
    ],
    [
      'half a plan',
      [
        { name: 'META-INF/container.xml', content: BOOK_CONTAINER },
        { name: 'OEBPS/book.opf', content: '<package><item' },
      ],
      'corrupted',
    ],
  ])('with %s is damaged', async (_, entries, code) => {
    await expect(extract(writeZip(entries))).rejects.toMatchObject({ code });
  });

  it('reads twenty thousand entries on one chapter in a single pass', async () => {
    const list = Array.from({ length: 20_000 }, (_, at) => `<li><a href="a.xhtml#${at}">Same</a></li>`).join(
      '',
    );
    const body = '<p>Same</p>'.repeat(20_000);
    const { blocks } = await read(
      writeBook({ chapters: { 'a.xhtml': body }, nav: bookContents(`<ol>${list}</ol>`) }),
    );
    expect(blocks).toHaveLength(20_000);
    expect(blocks.every(({ kind }) => kind === 'heading')).toBe(true);
  });
});
