// DOCX made to break readers: archives that lie, XML that explodes, names that climb. Each ends in a coded error or in
// the text, and nothing outside the file is touched.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DOCX } from '../src/readers/docx/index.ts';
import { openZip } from '../src/package/zip.ts';
import { ExtractError } from '../src/errors.ts';
import {
  cell,
  docxEntries,
  para,
  row,
  run,
  writeDocx,
  writeZip,
  type DocxSpec,
  type ZipEntry,
} from '@grainline/testing/docx-writer';
import { expectLawful } from './laws.ts';

const HELLO: DocxSpec = { body: para('hello') };
const DOCUMENT = 'word/document.xml';

async function textOf(bytes: Uint8Array): Promise<string> {
  const document = await DOCX.read({ bytes });
  expectLawful(document);
  return document.text;
}

async function codeOf(bytes: Uint8Array): Promise<string> {
  const outcome: unknown = await DOCX.read({ bytes }).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(ExtractError);
  return (outcome as ExtractError).code;
}

const replaced = (name: string, change: (entry: ZipEntry) => ZipEntry): Uint8Array =>
  writeZip(docxEntries(HELLO).map((entry) => (entry.name === name ? change(entry) : entry)));

describe('a damaged archive', () => {
  it('is corrupted: cut anywhere, empty, without directory, or of random bytes', async () => {
    const whole = writeDocx(HELLO);
    for (let length = 0; length < whole.length; length += 97)
      expect(await codeOf(whole.subarray(0, length))).toBe('corrupted');
    expect(await codeOf(writeZip([]))).toBe('corrupted');
    expect(await codeOf(Uint8Array.from({ length: 5000 }, (_, index) => (index * 7919) % 251))).toBe(
      'corrupted',
    );
  });

  it('is corrupted, and never crashes, with any one byte changed in its directory', async () => {
    const whole = writeDocx(HELLO);
    const directory = whole.length - 600;
    for (let at = directory; at < whole.length; at += 3) {
      const changed = Uint8Array.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      const outcome: unknown = await DOCX.read({ bytes: changed }).catch((error: unknown) => error);
      if (!(outcome instanceof ExtractError)) expect(outcome).toMatchObject({ text: 'hello' });
    }
  });

  it('is corrupted without a document part, with two of one name, and with an unknown way of packing', async () => {
    expect(await codeOf(writeZip(docxEntries(HELLO).filter(({ name }) => name !== DOCUMENT)))).toBe(
      'corrupted',
    );
    expect(await codeOf(writeZip([...docxEntries(HELLO), { name: DOCUMENT, content: '<a/>' }]))).toBe(
      'corrupted',
    );
    expect(await codeOf(replaced(DOCUMENT, (entry) => ({ ...entry, method: 12 })))).toBe('corrupted');
  });

  it('is corrupted when its XML is', async () => {
    for (const content of ['', 'text', '<w:document', '<a></b>', '<document/>', '\0\0\0\0']) {
      expect(await codeOf(replaced(DOCUMENT, (entry) => ({ ...entry, content })))).toBe('corrupted');
    }
  });

  it.each([
    ['its root is never closed', (xml: string): string => xml.replace('</w:document>', '')],
    ['its root is closed at once', (xml: string): string => xml.replace('<w:body>', '</w:document><w:body>')],
    ['a tag holds a stray quote', (xml: string): string => xml.replace('<w:body>', '<w:body ">')],
    ['an end tag has another name', (xml: string): string => xml.replace('</w:body>', '</w:bodi>')],
  ])('is corrupted at once, without a look at the rest, when %s', async (_, damage) => {
    const body = para('x').repeat(40_000);
    const bytes = writeZip(
      docxEntries({ body }).map((entry) =>
        entry.name === DOCUMENT ? { ...entry, content: damage(String(entry.content)) } : entry,
      ),
    );
    const started = process.cpuUsage().user;
    expect(await codeOf(bytes)).toBe('corrupted');
    expect(process.cpuUsage().user - started).toBeLessThan(3_000_000);
  });

  it('is read with markup in the values of attributes, in comments and in CDATA sections', async () => {
    const body = `<w:p w:rsidR="a>b" w:x='"/>'><!-- <w:p> > --><![CDATA[<w:p>]]><w:r><w:t>text</w:t></w:r></w:p >`;
    expect(await textOf(writeDocx({ body }))).toBe('text');
  });

  it('is encrypted when an entry that is needed says so', async () => {
    expect(await codeOf(replaced(DOCUMENT, (entry) => ({ ...entry, flags: 1 })))).toBe('encrypted');
  });
});

describe('a bomb', () => {
  it('is too large by what it unpacks to, whatever it declares', async () => {
    const zeros = Buffer.alloc(110 << 20, 0x20);
    const bomb = replaced(DOCUMENT, (entry) => ({ ...entry, content: zeros, declaredSize: 100 }));
    expect(bomb.length).toBeLessThan(1 << 20);
    expect(await codeOf(bomb)).toBe('too_large');
  });

  it('is too large by the sum of its parts', () => {
    const limits = { maxEntries: 10, maxEntryBytes: 1000, maxTotalBytes: 1500 };
    const content = 'x'.repeat(800);
    const zip = openZip(writeZip(['a', 'b'].map((name) => ({ name, content }))), limits);
    expect(zip.read('a').length).toBe(800);
    expect(() => zip.read('b')).toThrow(expect.objectContaining({ code: 'too_large' }));
  });

  it('is not unpacked where no reader needs it', async () => {
    const media = { name: 'word/media/image1.png', content: Buffer.alloc(120 << 20), declaredSize: 1 };
    expect(await textOf(writeZip([...docxEntries(HELLO), media]))).toBe('hello');
  });

  it('is too large with fifty thousand entries', async () => {
    const entries = Array.from({ length: 50_000 }, (_, index) => ({
      name: `word/${index}.xml`,
      content: '',
      method: 0,
    }));
    expect(await codeOf(writeZip([...docxEntries(HELLO), ...entries]))).toBe('too_large');
  });

  it('of entities is refused before any is expanded, and so are external ones', async () => {
    const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join(
      '',
    );
    for (const subset of [`<!ENTITY l0 "lol">${laughs}`, '<!ENTITY l9 SYSTEM "file:///etc/hostname">']) {
      const content = `<?xml version="1.0"?><!DOCTYPE w:document [${subset}]><w:document xmlns:w="x"><w:body>&l9;</w:body></w:document>`;
      expect(await codeOf(replaced(DOCUMENT, (entry) => ({ ...entry, content })))).toBe('corrupted');
    }
  });

  it.each([31, 60, 2000])('of %i nested tables keeps its text in order', async (depth) => {
    const levels = Array.from({ length: depth }, (_, level) => level);
    const outwards = levels.toReversed();
    const opening = levels.map((level) => `<w:tbl><w:tblPr/><w:tr><w:tc>${para(`in${level}`)}`);
    const closing = outwards.map((level) => `${para(`out${level}`)}</w:tc></w:tr></w:tbl>`);
    const text = await textOf(writeDocx({ body: [...opening, ...closing, para('after')].join('') }));
    const words = [
      ...levels.map((level) => `in${level}`),
      ...outwards.map((level) => `out${level}`),
      'after',
    ];
    expect(text.match(/(?:in|out)\d+|after/g)).toEqual(words);
  });

  it('of more tags than ten thousand pages have is too complex', async () => {
    expect(await codeOf(writeDocx({ body: '<w:p/>'.repeat(4_000_000) }))).toBe('too_complex');
  });

  it('is measured by one walk where a field without an end asks for another', async () => {
    const field = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>';
    const body = para(run('x') + field + run('y')) + '<w:p/>'.repeat(1_600_000);
    expect(await textOf(writeDocx({ body }))).toBe('xy');
  });

  it('of depth, of open fields, or of unknown elements keeps its text', async () => {
    const deep = `${'<w:sdt><w:sdtContent>'.repeat(100_000)}${para('x')}${'</w:sdtContent></w:sdt>'.repeat(100_000)}`;
    expect(await textOf(writeDocx({ body: deep }))).toBe('x');
    const fields = para('<w:r><w:fldChar w:fldCharType="begin"/></w:r>'.repeat(50_000)) + para('y');
    expect(await textOf(writeDocx({ body: para('x') + fields }))).toBe('x\n\ny');
    const unknown = Array.from({ length: 100_000 }, (_, n) => `<a:x${n}/>`).join('');
    expect(await textOf(writeDocx({ body: unknown + para('x') }))).toBe('x');
  });

  it('of styles, levels, numbers and notes that refer to one another keeps its text', async () => {
    const count = 10_000;
    const each = (make: (index: number) => string): string =>
      Array.from({ length: count }, (_, index) => make(index)).join('');
    const styles = each(
      (n) =>
        `<w:style w:type="paragraph" w:styleId="s${n}"><w:name w:val="n"/><w:basedOn w:val="s${n + 1}"/><w:pPr><w:numPr><w:numId w:val="${n}"/></w:numPr></w:pPr></w:style>`,
    );
    const numbering = `<w:abstractNum w:abstractNumId="0">${each((n) => `<w:lvl w:ilvl="${n}"><w:pStyle w:val="s${n}"/></w:lvl>`)}</w:abstractNum>${each((n) => `<w:num w:numId="${n}"><w:abstractNumId w:val="0"/></w:num>`)}`;
    const body = each((n) => para('x', `<w:pStyle w:val="s${n}"/>`));
    const text = await textOf(writeDocx({ body, styles, numbering }));
    expect(text.match(/x/g)?.length).toBe(count);
  });

  it('of charts whose series share nothing, or whose elements nest, costs what they hold', async () => {
    const drawing = '<w:r><w:drawing><c:chart xmlns:c="urn:c" r:id="c"/></w:drawing></w:r>';
    const read = (chart: string): Promise<string> =>
      textOf(
        writeZip([
          ...docxEntries({
            body: para(run('a') + drawing),
            relationships: '<Relationship Id="c" Type="x/chart" Target="chart.xml"/>',
          }),
          {
            name: 'word/chart.xml',
            content: `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart">${chart}</c:chartSpace>`,
          },
        ]),
      );
    const series = Array.from(
      { length: 20_000 },
      (_, n) =>
        `<c:ser><c:cat><c:pt idx="${n}"><c:v>k</c:v></c:pt></c:cat><c:val><c:formatCode>${'y'.repeat(99)}</c:formatCode><c:pt idx="${n}"><c:v>${n}</c:v></c:pt></c:val></c:ser>`,
    );
    expect((await read(series.join(''))).length).toBeLessThan(2_000_000);
    const deep = `<c:ser><c:val>${'<c:v>1'.repeat(200_000)}${'</c:v>'.repeat(200_000)}</c:val></c:ser>`;
    expect(await read(deep)).toContain('a');
  });

  it('of levels of lists that cannot be keeps its text', async () => {
    const levels = Array.from(
      { length: 100_000 },
      (_, level) => `<w:lvl w:ilvl="-${level + 1}"><w:pStyle w:val="style${level}"/></w:lvl>`,
    );
    const bytes = writeDocx({
      body: '<w:p><w:pPr><w:pStyle w:val="S"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>'.repeat(50_000),
      numbering: `<w:abstractNum w:abstractNumId="0">${levels.join('')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`,
      styles:
        '<w:style w:type="paragraph" w:styleId="S"><w:name w:val="S"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>',
    });
    expect((await textOf(bytes)).match(/x/g)?.length).toBe(50_000);
  });

  it('of borders that no table has keeps its text', async () => {
    const borders = Array.from({ length: 100_000 }, (_, at) => `<w:border${at} w:val="nil"/>`);
    const bytes = writeDocx({
      body: `<w:tbl><w:tblPr><w:tblStyle w:val="S"/></w:tblPr>${row(cell('x'))}</w:tbl>`.repeat(20_000),
      styles: `<w:style w:type="table" w:styleId="S"><w:name w:val="S"/><w:tblPr><w:tblBorders>${borders.join('')}</w:tblBorders></w:tblPr></w:style>`,
    });
    expect((await textOf(bytes)).match(/x/g)?.length).toBe(20_000);
  });

  it('of long names, numbers and borders that are referred to again and again keeps its text', async () => {
    const long = '1'.repeat(400_000);
    const list = (id: string): string =>
      `<w:abstractNum w:abstractNumId="${id}"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="${' '.repeat(400_000)}"/></w:lvl></w:abstractNum><w:num w:numId="${id}"><w:abstractNumId w:val="${id}"/></w:num>`;
    const bytes = writeDocx({
      body:
        para('x', '<w:pStyle w:val="P"/>').repeat(40_000) +
        `<w:tbl><w:tblPr><w:tblStyle w:val="T"/></w:tblPr>${row(cell('x'))}</w:tbl>`.repeat(10_000),
      numbering: list(long),
      styles:
        `<w:style w:type="paragraph" w:styleId="P"><w:name w:val="P"/><w:pPr><w:numPr><w:numId w:val="${long}"/></w:numPr></w:pPr></w:style>` +
        `<w:style w:type="table" w:styleId="T"><w:tblPr><w:tblBorders><w:top w:val="none" w:x="${long}"/></w:tblBorders></w:tblPr></w:style>`,
    });
    expect((await textOf(bytes)).match(/x/g)?.length).toBe(50_000);
  });

  it('of links to one long address keeps their text, and writes the address only so often', async () => {
    const relationships = `<Relationship Id="h" Type="x/hyperlink" Target="http://x/${'a'.repeat(1980)}" TargetMode="External"/>`;
    const note = (id: number): string =>
      `<w:footnote w:id="${id}">${para(`<w:hyperlink r:id="h">${run('x')}</w:hyperlink>`)}</w:footnote>`;
    const body = para(`<w:hyperlink r:id="h">${run('x')}</w:hyperlink>`).repeat(20_000);
    const text = await textOf(writeDocx({ body, relationships, footnotes: note(1) }));
    expect(text.match(/\bx\b(?!\/)/g)?.length).toBe(20_000);
    expect(text.length).toBeLessThan(11_000_000);
  });

  it('of blanks in a mail archive inside it keeps its text', async () => {
    const mail = `MIME-Version: 1.0\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>a${' \t'.repeat(1_000_000)}b =\r\nc`;
    const bytes = writeZip([
      ...docxEntries({
        body: '<w:altChunk r:id="c"/>',
        relationships: '<Relationship Id="c" Type="x/aFChunk" Target="c.mht"/>',
      }),
      { name: 'word/c.mht', content: mail },
    ]);
    expect(await textOf(bytes)).toBe('a b c');
  });

  it('of a row of 130,000 cells, a table of 150,000 rows in a cell, or as many open fields in a note is read', async () => {
    const table = (rows: string): string => `<w:tbl>${rows}</w:tbl>`;
    const short = (content: string): string => `<w:tc><w:p>${content}</w:p></w:tc>`;
    const wide = table(row(short(run('x')).repeat(130_000)) + row(short(run('y'))));
    expect((await textOf(writeDocx({ body: wide }))).match(/[xy]/g)?.length).toBe(130_001);
    const tall = `<w:tc>${table(row(short('')).repeat(150_000))}${para('x')}</w:tc>`;
    expect(await textOf(writeDocx({ body: table(row(tall, cell('y'))) }))).toContain('x');
    const fields = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'.repeat(150_000);
    const footnotes = `<w:footnote w:id="1">${para(fields + run('n'))}</w:footnote>`;
    const body = para(`${run('a')}<w:r><w:footnoteReference w:id="1"/></w:r>`);
    expect(await textOf(writeDocx({ body, footnotes }))).toBe('a[^1]\n\n[^1]: n');
  });

  it('of a title is cut short, and damaged properties cost no text', async () => {
    const core = `<dc:title>${'long '.repeat(1_000_000)}</dc:title>`;
    const { title } = await DOCX.read({ bytes: writeDocx({ body: para('x'), core }) });
    expect(title).toHaveLength(299);
    const damaged = docxEntries({ body: para('x'), core, app: '<Pages>3</Pages>' }).map((entry) =>
      entry.name.startsWith('docProps/') ? { ...entry, content: '<a><b></a>' } : entry,
    );
    expect(await DOCX.read({ bytes: writeZip(damaged) })).toMatchObject({ text: 'x', declaredPages: 1 });
  });

  it('of text boxes in text boxes keeps its text', async () => {
    const open = `<w:p>${run('x')}<w:r><w:txbxContent>`;
    const body = `${open.repeat(20_000)}${para('x')}${'</w:txbxContent></w:r></w:p>'.repeat(20_000)}`;
    expect((await textOf(writeDocx({ body }))).match(/x/g)?.length).toBe(20_001);
  });

  it('of declared namespaces keeps its text', async () => {
    const opening = Array.from(
      { length: 20_000 },
      (_, n) => `<a:x xmlns:n${n}="urn:n${n}" xmlns:w${n}="urn:schemas-microsoft-com:vml">`,
    );
    const body = `${opening.join('')}${para('x')}${'</a:x>'.repeat(20_000)}`;
    expect(await textOf(writeDocx({ body }))).toBe('x');
  });

  it.each([
    ['<!--', 'corrupted'],
    ['<?a ', 'corrupted'],
    ['<![CDATA[', 'corrupted'],
    ['<!-- -->', 'empty_document'],
  ])('of 200,000 %j is %s', async (piece, code) => {
    expect(await codeOf(writeDocx({ body: piece.repeat(200_000) }))).toBe(code);
  });

  it.each(['</', '<m:oMath>', '<m:oMath><m:t '])('of half-open %j ends in a coded error', async (piece) => {
    const body = `${piece.repeat(400_000)}</m:oMath>`;
    expect(['corrupted', 'too_complex', 'empty_document']).toContain(await codeOf(writeDocx({ body })));
  });

  it('of one enormous paragraph is read, for its text costs little', async () => {
    const text = await textOf(writeDocx({ body: para('word '.repeat(2_000_000)) }));
    expect(text.length).toBe(9_999_999);
  });

  it('of spans stays small', async () => {
    const wide = '<w:gridSpan w:val="1000000000"/>';
    const body = `<w:tbl>${Array.from({ length: 2000 }, () => row(cell('x', wide), cell('y', wide))).join('')}</w:tbl>`;
    const text = await textOf(writeDocx({ body }));
    expect(text.match(/[xy]/g)?.length).toBe(4000);
    expect(text.length).toBeLessThan(100_000);
  });
});

describe('what lies outside the file', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('is never opened: linked pictures, attached templates, names that climb', async () => {
    const visit = vi.fn(() => Promise.reject(new Error('visited')));
    vi.stubGlobal('fetch', visit);
    const picture =
      '<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:docPr descr="a dog"/>' +
      '<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData>' +
      '<pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip r:link="p"/></pic:blipFill></pic:pic>' +
      '</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>';
    const relationships =
      '<Relationship Id="p" Type="x/image" Target="file:///etc/hostname" TargetMode="External"/>' +
      '<Relationship Id="s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="../../../../etc/hostname"/>';
    const bytes = writeZip([
      ...docxEntries({ body: para(run('see ') + picture), relationships }),
      { name: '../../etc/hostname', content: 'secret' },
    ]);
    expect(await textOf(bytes)).toBe('see [a dog]');
    expect(visit).not.toHaveBeenCalled();
  });

  it('has no part in the archive: folders and names that climb are none', () => {
    const names = ['word/', '../a.xml', 'word/../../a.xml', '..\\a.xml', 'word/..'];
    const archive = writeZip([...docxEntries(HELLO), ...names.map((name) => ({ name, content: 'x' }))]);
    const zip = openZip(archive);
    for (const name of names) expect(zip.has(name.replaceAll('\\', '/')), name).toBe(false);
    expect(zip.has(DOCUMENT)).toBe(true);
  });
});
