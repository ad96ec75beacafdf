// Documents inside a document, which servers assemble and Word imports on opening, and unreadable parts.
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
  writeDocx,
  writeZip,
  type DocxSpec,
  type ZipEntry,
} from '@grainline/testing/docx-writer';
import { expectLawful } from '../../../test/laws.ts';
import { DOCX } from './index.ts';
import { openOffice } from '../../package/office.ts';
import { openZip } from '../../package/zip.ts';

const relationship = (id: string, type: string, target: string): string =>
  `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`;

async function read(spec: DocxSpec, ...parts: readonly ZipEntry[]): Promise<Document> {
  const document = await DOCX.read({ bytes: writeZip([...docxEntries(spec), ...parts]) });
  expectLawful(document);
  return document;
}

/** A document that embeds others: `a`, each of them, `b`. */
function around(inside: readonly Uint8Array[], spec: Partial<DocxSpec> = {}): Uint8Array {
  const names = inside.map((_, index) => `chunk${index}.docx`);
  const body = names.map((_, index) => `<w:altChunk r:id="c${index}"/>`).join('');
  return writeZip([
    ...docxEntries({
      ...spec,
      body: spec.body ?? para('a') + body + para('b'),
      relationships: names.map((name, index) => relationship(`c${index}`, 'aFChunk', name)).join(''),
    }),
    ...inside.map((content, index) => ({ name: `word/${names[index] ?? ''}`, content })),
  ]);
}

const field = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>';
const reference = '<w:r><w:footnoteReference w:id="1"/></w:r>';
const note = (text: string): string => `<w:footnote w:id="1">${para(text)}</w:footnote>`;

const WORD = { usual: 'word/document.xml', what: 'Word document' };

describe('a document inside a document', () => {
  it('is taken in with its styles, lists, tables and notes, which are numbered through', async () => {
    const inside = writeDocx({
      body:
        para('Chapter', '<w:pStyle w:val="Own"/>') +
        item(1, 0, 'x') +
        `<w:tbl>${row(cell('Name'), cell('Age'))}${row(cell('Ann'), cell('9'))}</w:tbl>` +
        para(run('see') + reference),
      styles: '<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="heading 2"/></w:style>',
      numbering: LISTS,
      footnotes: note('inner'),
    });
    const chapter = '## Chapter\n\n- x\n\n| Name | Age |\n| --- | --- |\n| Ann | 9 |\n\nsee';
    const body = `${para(run('a') + reference)}<w:altChunk r:id="c0"/><w:altChunk r:id="c1"/>${para('b')}`;
    const document = await DOCX.read({ bytes: around([inside, inside], { body, footnotes: note('outer') }) });
    expectLawful(document);
    const notes = '[^1]: outer\n\n[^2]: inner\n\n[^3]: inner';
    expect(document.text).toBe(`a[^1]\n\n${chapter}[^2]\n\n${chapter}[^3]\n\nb\n\n${notes}`);
    expect(document.warnings).toEqual([]);
  });

  it('loses nothing behind a field that never ends, in it or around it', async () => {
    const inside = writeDocx({ body: para(run('x') + field + run('y') + reference), footnotes: note('n') });
    const outer = around([inside], {
      body: para(run('a') + field + run('b')) + '<w:altChunk r:id="c0"/>' + para('c'),
    });
    expect((await DOCX.read({ bytes: outer })).text).toBe('ab\n\nxy[^1]\n\nc\n\n[^1]: n');
  });

  it('stands in the cell that takes it in', async () => {
    const table = `<w:tbl>${row(cell('one'), cell('two'))}${row(`<w:tc><w:tcPr/><w:altChunk r:id="c0"/>${para('')}</w:tc>`, cell('four'))}</w:tbl>`;
    const { text } = await DOCX.read({
      bytes: around([writeDocx({ body: para('three') })], { body: table }),
    });
    expect(text).toBe('| one | two |\n| --- | --- |\n| three | four |');
  });

  it('is read with its pages of HTML, which a note may have as well', async () => {
    const page = { name: 'word/page.html', content: '<h1>Title</h1><p>x</p>' };
    const chunk = '<w:altChunk r:id="p"/>';
    const relationships = relationship('p', 'aFChunk', 'page.html');
    const inside = writeZip([...docxEntries({ body: chunk + para(''), relationships }), page]);
    expect((await DOCX.read({ bytes: around([inside]) })).text).toBe('a\n\n# Title\n\nx\n\nb');
    const footnotes = `<w:footnote w:id="1">${chunk}${para('')}</w:footnote>`;
    const ofNotes = {
      name: 'word/_rels/footnotes.xml.rels',
      content: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relationships}</Relationships>`,
    };
    const { text } = await read({ body: para(run('a') + reference), footnotes }, page, ofNotes);
    expect(text).toBe('a[^1]\n\n[^1]: Title\n    x');
  });

  it('is left out as a page of HTML whose reference is no chunk', async () => {
    const { text, warnings } = await read(
      { body: `${para('a')}<w:altChunk r:id="p"/>`, relationships: relationship('p', 'image', 'page.html') },
      { name: 'word/page.html', content: '<p>x</p>' },
    );
    expect(text).toBe('a');
    expect(warnings).toEqual([expect.objectContaining({ code: 'parts_left_out' })]);
  });

  it('is left out deeper than anybody nests them, and the document says so', async () => {
    let bytes = writeDocx({ body: para('x0') });
    for (let depth = 1; depth <= 5; depth++)
      bytes = around([bytes], { body: `${para(`x${depth}`)}<w:altChunk r:id="c0"/>` });
    const { text, warnings } = await DOCX.read({ bytes });
    expect(text).toBe('x5\n\nx4\n\nx3\n\nx2');
    expect(warnings).toEqual([expect.objectContaining({ code: 'parts_left_out' })]);
  });

  it('may be one of more than a thousand', async () => {
    const body = `${'<w:altChunk r:id="c0"/>'.repeat(1200)}${para('b')}`;
    const { text } = await DOCX.read({ bytes: around([writeDocx({ body: para('x') })], { body }) });
    expect(text).toBe(`${'x\n\n'.repeat(1200)}b`);
  });

  it('counts as six hundred tags, so that some five thousand are too complex', () => {
    const spent = { tags: 0, bytes: 0 };
    const parts = openOffice(around([writeDocx({ body: para('x') })]), WORD, spent);
    const before = spent.tags;
    parts.inside(parts.bytes('word/chunk0.docx') ?? new Uint8Array());
    expect(spent.tags - before).toBeGreaterThan(600);
    spent.tags = 3_000_000;
    expect(() => parts.visit(parts.main, { open: () => 0, close: () => 0, text: () => 0 })).toThrow(
      expect.objectContaining({ code: 'too_complex' }),
    );
  });

  it('counts as part of the one around it', () => {
    const limits = { maxEntries: 10, maxEntryBytes: 1000, maxTotalBytes: 1700 };
    const unpacked = { bytes: 0 };
    const archive = writeZip([{ name: 'a', content: 'x'.repeat(800) }]);
    openZip(archive, limits, unpacked).read('a');
    expect(() => openZip(archive, limits, unpacked).read('a')).toThrow(
      expect.objectContaining({ code: 'too_large' }),
    );
  });
});

describe('directories of archives', () => {
  it('count as read, with what stands behind them', () => {
    const limits = { maxEntries: 10, maxEntryBytes: 1000, maxTotalBytes: 300 };
    const unpacked = { bytes: 0 };
    const archive = writeZip([{ name: 'a', content: 'x' }]);
    for (let times = 0; times < 4; times++) openZip(archive, limits, unpacked);
    expect(unpacked.bytes).toBe(4 * (46 + 1 + 22));
    expect(() => openZip(archive, limits, unpacked)).toThrow(expect.objectContaining({ code: 'too_large' }));
  });
});

describe('parts that are not read', () => {
  it('are named in a warning: damaged, not there, packed in an unknown way, in another format', async () => {
    const chunks = ['rtf', 'docx', 'gone', 'method'].map((id) => `<w:altChunk r:id="${id}"/>`);
    const relationships = ['rtf', 'docx', 'gone', 'method']
      .map((id) => relationship(id, 'aFChunk', `${id}.part`))
      .join('');
    const { text, warnings } = await read(
      { body: para('a') + chunks.join('') + para('b'), relationships },
      { name: 'word/rtf.part', content: '{\\rtf1 x}' },
      { name: 'word/docx.part', content: 'PK\x03\x04' },
      { name: 'word/method.part', content: 'x', method: 12 },
    );
    expect(text).toBe('a\n\nb');
    expect(warnings).toEqual([
      {
        code: 'parts_left_out',
        message:
          'Damaged, not there, too deep inside, or in a format that is not read inside a DOCX, and left out: word/rtf.part, word/docx.part, word/gone.part, ….',
      },
    ]);
  });
});
