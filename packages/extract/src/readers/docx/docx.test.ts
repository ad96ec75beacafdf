import { describe, expect, it } from 'vitest';
import type { Document } from '@grainline/core';
import {
  cell,
  docxEntries,
  item,
  LISTS,
  para,
  row,
  run,
  styled,
  writeDocx,
  writeZip,
  type DocxSpec,
} from '@grainline/testing/docx-writer';
import { expectLawful } from '../../../test/laws.ts';
import { DOCX } from './index.ts';

async function read(spec: DocxSpec | Uint8Array): Promise<Document> {
  const document = await DOCX.read({
    bytes: spec instanceof Uint8Array ? spec : writeDocx(spec),
    links: 'markdown',
  });
  expectLawful(document);
  return document;
}

const markdown = async (body: string, parts: Omit<DocxSpec, 'body'> = {}): Promise<string> =>
  (await read({ body, ...parts })).text;

const style = (id: string, name: string, more = ''): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`;

describe('headings', () => {
  const styles =
    style('berschrift1', 'heading 1') +
    style('Own', 'House style', '<w:basedOn w:val="berschrift1"/>') +
    style('Deep', 'Deep', '<w:pPr><w:outlineLvl w:val="7"/></w:pPr>') +
    style('Toc', 'TOC Heading', '<w:basedOn w:val="berschrift1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>') +
    style('LoopA', 'A', '<w:basedOn w:val="LoopB"/>') +
    style('LoopB', 'B', '<w:basedOn w:val="LoopA"/>') +
    style('Titel', 'Title');

  it('are known by name, by inheritance and by outline level', async () => {
    const body = [
      styled('berschrift1', 'a'),
      styled('Own', 'b'),
      styled('Deep', 'c'),
      styled('Toc', 'd'),
      styled('Titel', 'T'),
      styled('LoopA', 'e'),
    ];
    expect(await markdown(body.join(''), { styles })).toBe('# a\n\n# b\n\n###### c\n\nd\n\n# T\n\ne');
  });

  it('are known by the id of their style where the style sheet is missing', async () => {
    expect(await markdown(styled('Heading2', 'a') + styled('Heading9', 'b') + para('c'))).toBe(
      '## a\n\n###### b\n\nc',
    );
  });
});

describe('text', () => {
  it('joins neighbouring runs of the same marks', async () => {
    const bold = '<w:b/>';
    const body = para(
      run('a ') +
        run('b', bold) +
        run(' ', '<w:i/>') +
        run('c', bold) +
        run(' d', `${bold}<w:i/>`) +
        run(' e', '<w:strike/>') +
        run(', f'),
    );
    expect(await markdown(body)).toBe('a **b c *d*** ~~e~~, f');
  });

  it('keeps insertions and drops deletions, comments and field codes', async () => {
    const body = para(
      run('a') +
        `<w:ins>${run('b')}</w:ins><w:del><w:r><w:delText>c</w:delText></w:r></w:del>` +
        '<w:r><w:commentReference w:id="1"/></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>' +
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>',
    );
    expect(await markdown(body)).toBe('ab');
  });

  it('keeps tabs, line breaks, links and equations', async () => {
    const relationships =
      '<Relationship Id="l" Type="x/hyperlink" Target="http://x.example/" TargetMode="External"/>';
    const body =
      para(
        `<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r><w:hyperlink r:id="l">${run(' d')}</w:hyperlink>`,
      ) +
      para(`${run('so ')}<m:oMath><m:r><m:t>x</m:t></m:r><m:r><m:t>=1</m:t></m:r></m:oMath>`) +
      '<w:p><m:oMathPara><m:oMathParaPr><m:jc m:val="left"/></m:oMathParaPr><m:oMath><m:r><m:t>y</m:t></m:r></m:oMath></m:oMathPara></w:p>';
    expect(await markdown(body, { relationships })).toBe(
      'a b\nc [d](http://x.example/)\n\nso $x=1$\n\n$$y$$',
    );
  });

  it('joins paragraphs of code and of quotations', async () => {
    const styles = style('Src', 'Source Code') + style('Q', 'Quote');
    const body =
      styled('Src', '  a {') +
      styled('Src', '') +
      styled('Src', '}') +
      styled('Q', 'b') +
      styled('Q', 'c') +
      para('d');
    expect(await markdown(body, { styles })).toBe('```\n  a {\n\n}\n```\n\n> b\n>\n> c\n\nd');
  });

  it('puts notes at the end, in the order of their references', async () => {
    const footnotes = `<w:footnote w:id="7">${para('seven')}</w:footnote><w:footnote w:id="5">${para('five')}${para('more')}</w:footnote>`;
    const body =
      para(
        `${run('a')}<w:r><w:footnoteReference w:id="5"/></w:r>${run(' b')}<w:r><w:footnoteReference w:id="7"/></w:r>`,
      ) + para('c');
    const { text, blocks } = await read({ body, footnotes });
    expect(text).toBe('a[^1] b[^2]\n\nc\n\n[^1]: five\n    more\n\n[^2]: seven');
    expect(blocks.map(({ kind }) => kind)).toEqual(['paragraph', 'paragraph', 'footnote', 'footnote']);
  });
});

describe('lists', () => {
  it('nest by level, whatever levels are left out', async () => {
    const body = [
      para('intro'),
      item(1, 0, 'a'),
      item(1, 1, 'b'),
      item(2, 1, 'c'),
      item(2, 2, 'd'),
      item(1, 0, 'e'),
      item(1, 2, 'f'),
      item(1, 1, 'g'),
      para('end'),
    ].join('');
    expect(await markdown(body, { numbering: LISTS })).toBe(
      'intro\n\n- a\n  - b\n  1. c\n     1. d\n- e\n  - f\n  - g\n\nend',
    );
  });

  it('go on after a table and begin anew in its cells', async () => {
    const inside = `<w:tc><w:tcPr/>${item(1, 0, 'x')}${item(1, 0, 'y')}</w:tc>`;
    const body = `${item(2, 0, 'a')}<w:tbl>${row(cell('h'), cell('i'))}${row(inside, cell('z'))}</w:tbl>${item(2, 0, 'b')}`;
    expect(await markdown(body, { numbering: LISTS })).toBe(
      '1. a\n\n| h | i |\n| --- | --- |\n| - x<br>- y | z |\n\n2. b',
    );
  });
});

describe('tables', () => {
  it('give the value of a merged cell once', async () => {
    const span = '<w:gridSpan w:val="2"/>';
    const body = `<w:tbl>${row(cell('a'), cell('b'), cell('c'))}${row(cell('d', '<w:vMerge w:val="restart"/>'), cell('e', span))}${row(cell('', '<w:vMerge/>'), cell('f'), cell('g'))}</w:tbl>`;
    expect(await markdown(body)).toBe('| a | b | c |\n| --- | --- | --- |\n| d | e |  |\n|  | f | g |');
  });

  it('have the header row that Word repeats on every page', async () => {
    const header = `<w:tr><w:trPr><w:tblHeader/></w:trPr>${cell('1')}${cell('2')}</w:tr>`;
    expect(await markdown(`<w:tbl>${header}${row(cell('3'), cell('4'))}</w:tbl>`)).toBe(
      '| 1 | 2 |\n| --- | --- |\n| 3 | 4 |',
    );
  });
});

describe('a document', () => {
  it('has title, declared pages and media type', async () => {
    const { title, declaredPages, mediaType, pages } = await read({
      body: para('a'),
      app: '<Pages>12</Pages>',
      core: '<dc:title>A &amp; B</dc:title>',
    });
    expect({ title, declaredPages, mediaType, pages }).toEqual({
      title: 'A & B',
      declaredPages: 12,
      mediaType: DOCX.mediaTypes[0],
      pages: [],
    });
  });

  it('takes its title and pages from its text where it has no properties', async () => {
    const body = `${styled('Title', 'My title')}${para('a')}<w:p><w:r><w:br w:type="page"/></w:r></w:p>${para('b')}`;
    const { title, declaredPages } = await read({ body, styles: style('Title', 'Title') });
    expect({ title, declaredPages }).toEqual({ title: 'My title', declaredPages: 2 });
  });

  it('has its title as a paragraph above its headings, not as a section beside them', async () => {
    const styles = style('Title', 'Title') + style('H', 'heading 1');
    const body = para('ACME') + styled('Title', 'My title') + styled('H', 'a') + styled('Title', 'b');
    const { title, text } = await read({ body, styles });
    expect({ title, text }).toEqual({ title: 'My title', text: 'ACME\n\nMy title\n\n# a\n\n# b' });
  });

  it('is read in the strict format, at another path, with byte order marks and with odd names', async () => {
    expect(await markdown(para('a'), { strict: true, documentPath: 'word/other.xml' })).toBe('a');
    const marked = docxEntries({ body: para('a') }).map((entry) => ({
      ...entry,
      content: `\ufeff${String(entry.content)}`,
    }));
    expect((await read(writeZip(marked))).text).toBe('a');
    const slashed = docxEntries({ body: para('a') }).map((entry) => ({
      ...entry,
      name: `/${entry.name.replaceAll('/', '\\')}`,
    }));
    expect((await read(writeZip(slashed))).text).toBe('a');
  });

  it('is read in either order of UTF-16, by its byte order mark', async () => {
    const little = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
    for (const encode of [little, (text: string): Buffer => little(text).swap16()]) {
      const entries = docxEntries({ body: para('Größe') });
      const bytes = writeZip(
        entries.map(({ name, content }) => ({ name, content: encode(String(content)) })),
      );
      expect((await read(bytes)).text).toBe('Größe');
    }
  });

  it('is read in UTF-16 without a byte order mark, and in the encoding that its XML declares', async () => {
    const written = (encoding: BufferEncoding, declared: string): Uint8Array =>
      writeZip(
        docxEntries({ body: para('Größe') }).map(({ name, content }) => {
          const text = String(content).replace(
            /^<\?xml[^>]*>/,
            `<?xml version="1.0" encoding='${declared}'?>`,
          );
          return { name, content: Buffer.from(text, encoding) };
        }),
      );
    expect((await read(written('utf16le', 'UTF-16'))).text).toBe('Größe');
    expect((await read(written('latin1', 'ISO-8859-1'))).text).toBe('Größe');
    expect((await read(written('utf8', 'ISO-8859-1'))).text).toBe('Größe');
    for (const unknown of ['UTF-16', 'klingon']) {
      expect((await read(written('latin1', unknown))).text).toBe('Gr\ufffd\ufffde');
    }
  });

  it('is read whatever the case of the names of its parts', async () => {
    const entries = docxEntries({ body: para('a') });
    const renamed = entries.map((entry) => ({ ...entry, name: entry.name.toUpperCase() }));
    expect((await read(writeZip(renamed))).text).toBe('a');
    const both = [{ name: 'WORD/document.xml', content: '<x/>' }, ...entries];
    expect((await read(writeZip(both))).text).toBe('a');
  });

  it('may speak of document types, in its text and in comments', async () => {
    const text = '<w:t><![CDATA[<!DOCTYPE html>]]></w:t>';
    expect(await markdown(`<!-- <!DOCTYPE x> --><w:p><w:r>${text}</w:r></w:p>`)).toBe('<!DOCTYPE html>');
  });

  it('declares no namespace in the value of an attribute', async () => {
    const strict = 'http://purl.oclc.org/ooxml/officeDocument/math';
    const body = `<w:p w:x=" xmlns:w='${strict}' "><w:r><w:t>a</w:t></w:r></w:p>`;
    expect(await markdown(body)).toBe('a');
  });

  it('is read after what stands before its archive, and with stored entries', async () => {
    const stored = writeZip(docxEntries({ body: para('a') }).map((entry) => ({ ...entry, method: 0 })));
    expect((await read(Buffer.concat([Buffer.from('MZ stub'), stored]))).text).toBe('a');
  });
});
