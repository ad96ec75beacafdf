// Presentations and OpenDocument files made to break readers: archives that lie, XML that explodes, references that
// loop, tables that repeat without end. Each ends in a coded error or in its text within the bounds of the service.
import { writeZip, type ZipEntry } from '@grainline/testing/docx-writer';
import {
  openCell,
  openDocumentEntries,
  openFrame,
  openPage,
  openPara,
  openRow,
  writeFlatDocument,
  writeOpenDocument,
} from '@grainline/testing/open-document-writer';
import {
  pptxEntries,
  slideFrame,
  slideGroup,
  slidePara,
  slideRun,
  slideShape,
  slideTitle,
  writePptx,
} from '@grainline/testing/pptx-writer';
import { describe, expect, it } from 'vitest';
import { extract, ExtractError } from '../src/index.ts';
import { expectLawful } from './laws.ts';

/** Time of the service for a document, in milliseconds of the processor. */
const MAX_MS = 12_000;

/** The text of a document, or the code of its error; within the time of the service. */
async function outcomeOf(bytes: Uint8Array, filename?: string): Promise<string> {
  const started = process.cpuUsage();
  try {
    const document = await extract(bytes, { filename });
    expectLawful(document);
    return document.text;
  } catch (error) {
    expect(error).toBeInstanceOf(ExtractError);
    return `error ${(error as ExtractError).code}`;
  } finally {
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(MAX_MS);
  }
}

type Change = (entry: ZipEntry) => ZipEntry;

const HELLO = {
  pptx: {
    entries: pptxEntries({ slides: [{ shapes: slideTitle('hello') }] }),
    main: 'ppt/slides/slide1.xml',
  },
  odt: { entries: openDocumentEntries({ kind: 'text', body: openPara('hello') }), main: 'content.xml' },
  odp: {
    entries: openDocumentEntries({ kind: 'presentation', body: openPage(openFrame(openPara('hello'))) }),
    main: 'content.xml',
  },
} as const;
const KINDS = ['pptx', 'odt', 'odp'] as const;
type HostileKind = (typeof KINDS)[number];

const changed = (kind: HostileKind, name: string, change: Change): Uint8Array =>
  writeZip(HELLO[kind].entries.map((entry) => (entry.name === name ? change(entry) : entry)));
const mainChanged = (kind: HostileKind, change: Change): Uint8Array =>
  changed(kind, HELLO[kind].main, change);

/** A slide that is damaged is left out, which leaves this presentation empty. */
const DAMAGED: Readonly<Record<HostileKind, string>> = {
  pptx: 'error empty_document',
  odt: 'error corrupted',
  odp: 'error corrupted',
};

describe.each(KINDS)('%s', (kind) => {
  const { entries, main } = HELLO[kind];
  const textOf = (entry: ZipEntry): string => String(entry.content);

  it('cut anywhere is corrupted, or a coded error', async () => {
    const whole = writeZip(entries);
    for (let length = 0; length < whole.length; length += 97)
      expect(await outcomeOf(whole.subarray(0, length), `a.${kind}`)).toMatch(
        /^error (?:corrupted|empty_document|unsupported_type)$/,
      );
  });

  it('with any one byte changed in its directory ends in its text or a code', async () => {
    const whole = writeZip(entries);
    for (let at = whole.length - 500; at < whole.length; at += 3) {
      const bytes = Uint8Array.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      expect(await outcomeOf(bytes, `a.${kind}`)).toMatch(/^error |hello/);
    }
  });

  it('that unpacks to more than it declares is too large', async () => {
    const content = Buffer.alloc(110 << 20, 0x20);
    const bomb = mainChanged(kind, (entry) => ({ ...entry, content, declaredSize: 100 }));
    expect(bomb.length).toBeLessThan(1 << 20);
    expect(await outcomeOf(bomb)).toBe('error too_large');
  });

  it('with fifty thousand entries is too large', async () => {
    const more = Array.from({ length: 50_000 }, (_, index) => ({
      name: `x/${index}.xml`,
      content: '',
      method: 0,
    }));
    expect(await outcomeOf(writeZip([...entries, ...more]))).toBe('error too_large');
  });

  it('with entities or a document type expands and fetches nothing', async () => {
    for (const subset of [
      '<!ENTITY a "lol"><!ENTITY b "&a;&a;">',
      '<!ENTITY b SYSTEM "file:///etc/hostname">',
    ]) {
      const bytes = mainChanged(kind, (entry) => ({
        ...entry,
        content: textOf(entry).replace('?>', `?><!DOCTYPE x [${subset}]>`).replace('hello', '&b;'),
      }));
      expect(await outcomeOf(bytes)).toBe(DAMAGED[kind]);
    }
  });

  it('with broken XML is damaged', async () => {
    for (const content of ['', 'text', '<a', '<a></b>', '\0\0'])
      expect(await outcomeOf(mainChanged(kind, (entry) => ({ ...entry, content })))).toBe(DAMAGED[kind]);
  });

  it('of more tags than ten thousand pages have is too complex', async () => {
    const bytes = mainChanged(kind, (entry) => ({
      ...entry,
      content: textOf(entry).replace('hello', `hello${'<x/>'.repeat(4_000_000)}`),
    }));
    expect(await outcomeOf(bytes)).toBe('error too_complex');
  });

  it('with an encrypted part is encrypted', async () => {
    const bytes = mainChanged(kind, (entry) => ({ ...entry, flags: 1 }));
    expect(await outcomeOf(bytes)).toBe(kind === 'pptx' ? 'error empty_document' : 'error encrypted');
  });

  it('nested in itself is not opened, nor are its macros', async () => {
    const inner = writeZip(entries);
    const parts = ['Basic/Standard/a.xml', 'ppt/vbaProject.bin', 'ppt/embeddings/a.pptx', 'Object 1'];
    const more = parts.map((name) => ({ name, content: inner }));
    expect(await outcomeOf(writeZip([...entries, ...more]))).toContain('hello');
  });

  it('is known by its content under any name', async () => {
    for (const name of ['a.pdf', 'a.docx', 'a.txt', 'a'])
      expect(await outcomeOf(writeZip(entries), name)).toContain('hello');
    expect(await outcomeOf(Buffer.from('plain words'), `a.${kind}`)).toBe('error unsupported_type');
    expect(main).not.toBe('');
  });
});

describe('a presentation', () => {
  const read = (shapes: string): Promise<string> => outcomeOf(writePptx({ slides: [{ shapes }] }));

  it('whose references loop is read once', async () => {
    const content =
      '<Relationships xmlns="x"><Relationship Id="layout" Type="x/slideLayout" Target="slide1.xml"/><Relationship Id="m" Type="x/slideMaster" Target="slide1.xml"/><Relationship Id="n" Type="x/notesSlide" Target="slide1.xml"/></Relationships>';
    const bytes = changed('pptx', 'ppt/slides/_rels/slide1.xml.rels', (entry) => ({ ...entry, content }));
    expect(await outcomeOf(bytes)).toBe('## hello');
    const main = changed('pptx', 'ppt/presentation.xml', (entry) => ({
      ...entry,
      content: String(entry.content).replace(/<p:sldId [^>]*>/, (id) => id.repeat(100_000)),
    }));
    expect(await outcomeOf(main)).toBe('## hello');
  });

  it('with external parts reads none of them', async () => {
    const relationships =
      '<Relationship Id="c" Type="x/chart" TargetMode="External" Target="http://127.0.0.1:9/chart"/><Relationship Id="l" Type="x/chart" Target="../../../../../etc/passwd"/>';
    const shapes =
      slideTitle('hello') +
      slideFrame('<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="c"/>') +
      slideFrame('<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="l"/>');
    expect(await outcomeOf(writePptx({ slides: [{ shapes, relationships }] }))).toBe('## hello');
  });

  it('of groups in groups, of ten thousand shapes, or of shapes in stairs keeps its text', async () => {
    const deep = `${'<p:grpSp>'.repeat(100_000)}${slideShape('x')}${'</p:grpSp>'.repeat(100_000)}`;
    expect(await read(deep)).toBe('x');
    const stairs = Array.from({ length: 10_000 }, (_, n) => slideShape('x', { at: [n, n, 10, 10] })).join('');
    expect((await read(stairs)).match(/x/g)?.length).toBe(10_000);
    const nested = Array.from({ length: 5000 }).reduce<string>(
      (inside) => slideGroup(slideShape('x') + inside),
      '',
    );
    expect((await read(nested)).match(/x/g)?.length).toBe(5000);
  });

  it('of tables that claim any span keeps their cells', async () => {
    const cell = (text: string): string =>
      `<a:tc gridSpan="999999999" rowSpan="999999999"><a:txBody>${slidePara(text)}</a:txBody></a:tc>`;
    const table = `<a:tbl>${`<a:tr>${cell('x')}${cell('y')}</a:tr>`.repeat(2000)}</a:tbl>`;
    expect((await read(slideFrame(table))).match(/[xy]/g)?.length).toBe(4000);
  });

  it('of layouts with many placeholders, and links without end, costs what it holds', async () => {
    const placeholders = Array.from({ length: 20_000 }, (_, n) =>
      slideShape('x', { placeholder: 'body', idx: String(n) }),
    ).join('');
    const bytes = writePptx({ slides: [{ shapes: placeholders }], layout: { shapes: placeholders } });
    expect((await outcomeOf(bytes)).match(/x/g)?.length).toBe(20_000);
    const relationships = `<Relationship Id="l" Type="x/hyperlink" TargetMode="External" Target="https://example.org/${'a'.repeat(1900)}"/>`;
    const runs = (slideRun('x', '', '<a:hlinkClick r:id="l"/>') + slideRun('y')).repeat(50_000);
    const linked = writePptx({ slides: [{ shapes: slideShape(slidePara(runs)), relationships }] });
    expect((await outcomeOf(linked)).length).toBe(100_000);
  });
});

describe('an OpenDocument file', () => {
  const read = (body: string): Promise<string> => outcomeOf(writeOpenDocument({ kind: 'text', body }));

  it('whose rows and cells repeat without end is cut at its bound', async () => {
    const claim = 'table:number-columns-repeated="99999999"';
    const rows = 'table:number-rows-repeated="99999999"';
    const table = (content: string): string => `<table:table>${content}</table:table>`;
    const wide = await read(table(openRow([openCell('x', claim)])));
    expect(wide.match(/x/g)?.length).toBeGreaterThan(1000);
    const both = await read(table(openRow([openCell('x', claim)], rows)) + openPara('after'));
    expect(both).toContain('after');
    const empty = await read(table(openRow([openCell('', claim)], rows) + openRow([openCell('x')])));
    expect(empty).toBe('x');
    const nested = Array.from({ length: 200 }).reduce<string>(
      (inside) => table(openRow([`<table:table-cell ${claim}>${inside}</table:table-cell>`], rows)),
      openPara('x'),
    );
    expect(await read(nested + openPara('after'))).toContain('after');
  });

  it('of lists, spans, frames, notes and sections in one another keeps its text', async () => {
    const deep = (open: string, close: string, inside: string, times = 50_000): string =>
      open.repeat(times) + inside + close.repeat(times);
    const x = openPara('x');
    expect(await read(deep('<text:list><text:list-item>', '</text:list-item></text:list>', x))).toContain(
      'x',
    );
    expect(await read(openPara(deep('<text:span>', '</text:span>', 'x')))).toBe('x');
    expect(await read(deep('<text:section>', '</text:section>', x))).toBe('x');
    expect(
      await read(openPara(deep('<draw:frame><draw:text-box>', '</draw:text-box></draw:frame>', x, 5000))),
    ).toBe('x');
    const note = '<text:p>x<text:note><text:note-body>';
    expect(await read(deep(note, '</text:note-body></text:note></text:p>', x, 5000))).toMatch(/^x\[\^1\]/);
    const table = '<table:table><table:table-row><table:table-cell>';
    expect(await read(deep(table, '</table:table-cell></table:table-row></table:table>', x, 2000))).toContain(
      'x',
    );
  });

  it('of styles that refer to one another in a circle keeps its text', async () => {
    const automatic = Array.from(
      { length: 10_000 },
      (_, n) =>
        `<style:style style:family="paragraph" style:name="P${n}" style:parent-style-name="P${(n + 1) % 10_000}"/>`,
    ).join('');
    const body = Array.from({ length: 10_000 }, (_, n) => openPara('x', `P${n}`)).join('');
    const text = await outcomeOf(writeOpenDocument({ kind: 'text', body, automatic }));
    expect(text.match(/x/g)?.length).toBe(10_000);
  });

  it('with objects outside the package, or in a circle, reads none of them', async () => {
    const object = (name: string): string =>
      openPara(`<draw:frame><draw:object xlink:href="${name}"/></draw:frame>`);
    const names = ['http://127.0.0.1:9/a', '../../etc', './', 'file:///etc/passwd'];
    expect(await read(names.map(object).join('') + openPara('x'))).toBe('x');
  });

  it('of spaces without end is one blank, and flat XML has the same bounds', async () => {
    expect(await read(openPara(`a<text:s text:c="999999999"/>b`))).toBe('a b');
    const flat = writeFlatDocument({ kind: 'text', body: '<text:p/>'.repeat(2_000_000) });
    expect(await outcomeOf(flat)).toBe('error too_complex');
  });
});
