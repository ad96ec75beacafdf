// Texts and presentations of OpenDocument: headings, lists, tables, notes, frames, pages.
import {
  openCell,
  openFrame,
  openHeading,
  openList,
  openPage,
  openPara,
  openRow,
  openStyle,
  writeFlatDocument,
  writeOpenDocument,
  type OpenDocumentSpec,
} from '@grainline/testing/open-document-writer';
import { describe, expect, it } from 'vitest';
import { expectLawful } from '../../../test/laws.ts';
import { extract, type ExtractOptions } from '../../extract.ts';

type Spec = Partial<OpenDocumentSpec> & Pick<OpenDocumentSpec, 'body'>;

async function read(spec: Spec, options: ExtractOptions = {}): Promise<Awaited<ReturnType<typeof extract>>> {
  const document = await extract(writeOpenDocument({ kind: 'text', ...spec }), options);
  expectLawful(document);
  return document;
}

const textOf = async (body: string, spec: Partial<OpenDocumentSpec> = {}): Promise<string> =>
  (await read({ ...spec, body })).text;

const text = (attributes: string): string => `<style:text-properties ${attributes}/>`;

describe('an OpenDocument text', () => {
  it('has headings with their levels and numbers, paragraphs and a title', async () => {
    const level = (at: number, shown: number): string =>
      `<text:outline-level-style text:level="${at}" style:num-format="1" text:display-levels="${shown}"/>`;
    const styles =
      `<text:outline-style style:name="Outline">${level(1, 1)}${level(2, 2)}</text:outline-style>` +
      openStyle('paragraph', 'Title');
    const body = [
      openPara('The law', 'Title'),
      openHeading(1, 'Liability'),
      openPara('Somebody pays.'),
      openHeading(2, 'Limits'),
      openHeading(2, 'Terms'),
      openHeading(1, 'Ends'),
    ].join('');
    const { text: written, title, pages, outline } = await read({ body, styles });
    expect(written).toBe(
      'The law\n\n# 1 Liability\n\nSomebody pays.\n\n## 1.1 Limits\n\n## 1.2 Terms\n\n# 2 Ends',
    );
    expect(title).toBe('The law');
    expect(pages).toEqual([]);
    expect(outline?.map(({ title: entry }) => entry)).toEqual([
      '1 Liability',
      '1.1 Limits',
      '1.2 Terms',
      '2 Ends',
    ]);
  });

  it('has lists by the levels of their styles, counted on where they say so', async () => {
    const styles =
      '<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>' +
      '<text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/></text:list-style>' +
      '<text:list-style style:name="B"><text:list-level-style-bullet text:level="1"/></text:list-style>';
    const inner = openList([openPara('inner')]);
    const body =
      openList([openPara('one') + openPara('more'), openPara('two') + inner], 'text:style-name="N"') +
      openPara('between') +
      openList([openPara('three')], 'text:style-name="N" text:continue-numbering="true"') +
      openList([openPara('bullet')], 'text:style-name="B"');
    expect(await textOf(body, { styles })).toBe(
      '1. one\n\n   more\n\n2. two\n\n   - a) inner\n\nbetween\n\n3. three\n\n- bullet',
    );
  });

  it('has tables with spans, and header rows; covered and repeated empty cells take no room', async () => {
    const body =
      '<table:table><table:table-header-rows>' +
      openRow([
        openCell('port', 'table:number-rows-spanned="2"'),
        openCell('water', 'table:number-columns-spanned="2"'),
        '<table:covered-table-cell/>',
      ]) +
      '</table:table-header-rows>' +
      openRow(['<table:covered-table-cell/>', openCell('high'), openCell('low')]) +
      openRow([
        openCell('North'),
        openCell('', 'table:number-columns-repeated="2"'),
        openCell('', 'table:number-columns-repeated="16000"'),
      ]) +
      openRow(
        [openCell('', 'table:number-columns-repeated="16384"')],
        'table:number-rows-repeated="1048576"',
      ) +
      '</table:table>';
    expect(await textOf(body)).toBe(
      '| port | water |  |\n| --- | --- | --- |\n|  | high | low |\n| North |  |  |',
    );
  });

  it('repeats rows and cells with content', async () => {
    const body = `<table:table>${openRow([openCell('a', 'table:number-columns-repeated="2"'), openCell('b')], 'table:number-rows-repeated="2"')}</table:table>`;
    expect(await textOf(body)).toBe('| a | a | b |\n| --- | --- | --- |\n| a | a | b |');
  });

  it('has footnotes at the end, links as data, and marks', async () => {
    const automatic =
      openStyle('text', 'T1', text('fo:font-weight="bold"')) +
      openStyle('text', 'T2', text('style:text-position="super 58%"')) +
      openStyle('text', 'T3', text('text:display="none"')) +
      openStyle('paragraph', 'P1', text('fo:font-style="italic"'));
    const note =
      '<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>The note.</text:p></text:note-body></text:note>';
    const body =
      openPara(
        `A <text:span text:style-name="T1">bold</text:span> word${note}, 10<text:span text:style-name="T2">6</text:span>` +
          '<text:span text:style-name="T3"> hidden</text:span> and <text:a xlink:href="https://example.org/">a link</text:a>' +
          '<text:line-break/>next<text:s text:c="3"/>line<text:tab/>end',
      ) + openPara('slanted', 'P1');
    const { text: written, links } = await read({ body, automatic });
    expect(written).toBe(
      'A **bold** word[^1], 10⁶ and a link\nnext line end\n\n*slanted*\n\n[^1]: The note.',
    );
    expect(links?.map(({ start, end, href }) => [written.slice(start, end), href])).toEqual([
      ['a link', 'https://example.org/'],
    ]);
  });

  it('leaves out deletions, comments, hidden sections, sources of indices and forms', async () => {
    const body =
      '<text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion></text:changed-region></text:tracked-changes>' +
      '<office:forms><form:form xmlns:form="urn:form">form</form:form></office:forms>' +
      openPara('kept<office:annotation><text:p>comment</text:p></office:annotation>') +
      `<text:section text:display="none">${openPara('hidden')}</text:section>` +
      `<text:section>${openPara('shown')}</text:section>` +
      `<text:table-of-content><text:table-of-content-source><text:index-title-template>source</text:index-title-template></text:table-of-content-source><text:index-body>${openPara('entry')}</text:index-body></text:table-of-content>`;
    expect(await textOf(body)).toBe('kept\n\nshown\n\nentry');
  });

  it('has text boxes and floating pictures behind their paragraph, others in the line', async () => {
    const picture = (anchor: string, words: string): string =>
      `<draw:frame text:anchor-type="${anchor}"><draw:image/><svg:title>t</svg:title><svg:desc>${words}</svg:desc></draw:frame>`;
    const box = `<draw:frame text:anchor-type="paragraph"><draw:text-box>${openPara('boxed')}</draw:text-box></draw:frame>`;
    const shape = `<draw:custom-shape text:anchor-type="paragraph">${openPara('in a shape')}</draw:custom-shape>`;
    const body = openPara(
      `before ${picture('as-char', 'sign')} mid${picture('paragraph', 'view')}${box}${shape}dle`,
    );
    expect(await textOf(body)).toBe('before [sign] middle\n\nview\n\nboxed\n\nin a shape');
  });

  it('shows charts as their tables and formulas as LaTeX', async () => {
    const object = (name: string): string =>
      `<draw:frame text:anchor-type="as-char"><draw:object xlink:href="./${name}"/><draw:image/></draw:frame>`;
    const ns =
      'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"';
    const chart = `<office:document-content ${ns}><office:body><office:chart><chart:chart><chart:title><text:p>Ships</text:p></chart:title><table:table><table:table-header-rows>${openRow([openCell(''), openCell('2026')])}</table:table-header-rows>${openRow([openCell('May'), openCell('<text:a>3</text:a><office:annotation><text:p>no</text:p></office:annotation>')])}</table:table></chart:chart></office:chart></office:body></office:document-content>`;
    const formula =
      '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><msup><mi>x</mi><mn>2</mn></msup><annotation encoding="StarMath 5.0">x^2</annotation></semantics></math>';
    const entries = [
      { name: 'Object 1/content.xml', content: chart },
      { name: 'Object 2/content.xml', content: formula },
    ];
    const { text: written, warnings } = await read({
      body:
        openPara(`so ${object('Object 2')} holds`) +
        openPara(object('Object 1')) +
        openPara(object('Object 3')),
      entries,
    });
    expect(written).toBe('so $x^{2}$ holds\n\nShips\n\n|  | 2026 |\n| --- | --- |\n| May | 3 |');
    expect(warnings).toMatchObject([{ code: 'parts_left_out' }]);
  });

  it('has code and quotations by the names of their styles', async () => {
    const body = [
      openPara('let a<text:s/>= 1;', 'Preformatted_20_Text'),
      openPara('<text:s text:c="2"/>b();', 'Preformatted_20_Text'),
      openPara('said', 'Quotations'),
    ].join('');
    expect(await textOf(body)).toBe('```\nlet a = 1;\n  b();\n```\n\n> said');
  });

  it('keeps code inside its item', async () => {
    const code = (line: string): string => openPara(line, 'Preformatted_20_Text');
    const body = openList([
      openPara('run') + code('# one') + code('<text:s text:c="2"/>two') + openPara('and'),
      code('three'),
    ]);
    expect(await textOf(body)).toBe(
      '- run\n\n  ```\n  # one\n    two\n  ```\n\n  and\n\n- ```\n  three\n  ```',
    );
  });

  it('takes its title and its number of pages from its metadata', async () => {
    const meta = '<dc:title>Named</dc:title><meta:document-statistic meta:page-count="12"/>';
    expect(await read({ body: openPara('x'), meta })).toMatchObject({ title: 'Named', declaredPages: 12 });
  });

  it('is read as a template, a master document, and as one flat XML file', async () => {
    for (const form of ['-template', '-master']) expect(await textOf(openPara('x'), { form })).toBe('x');
    const automatic = openStyle('text', 'T1', text('fo:font-weight="bold"'));
    const body = openPara('<text:span text:style-name="T1">flat</text:span>');
    const flat = await extract(
      writeFlatDocument({ kind: 'text', body, automatic, meta: '<dc:title>F</dc:title>' }),
    );
    expect(flat).toMatchObject({ text: '**flat**', title: 'F', reader: 'odt-3' });
  });

  it('is encrypted where its manifest says so', async () => {
    const manifest =
      '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>';
    await expect(
      extract(writeOpenDocument({ kind: 'text', body: openPara('x'), manifest })),
    ).rejects.toMatchObject({
      code: 'encrypted',
    });
  });
});

describe('an OpenDocument presentation', () => {
  const deck = (body: string, options: ExtractOptions = {}): ReturnType<typeof read> =>
    read({ kind: 'presentation', body }, options);

  it('has a page for each slide, titles as headings, and shapes in reading order', async () => {
    const body =
      openPage(
        openFrame(openPara('Deck'), { placeholder: 'title' }) +
          openFrame(openPara('By us'), { placeholder: 'subtitle' }),
      ) +
      openPage(
        openFrame(openPara('right'), { at: [10, 5, 5, 5] }) +
          openFrame(openPara('left'), { at: [0, 5, 5, 5] }) +
          openFrame(openList([openPara('first') + openList([openPara('deeper')])]), {
            placeholder: 'outline',
          }) +
          openFrame(openPara('Slide'), { placeholder: 'title' }),
      );
    const { text: written, pages, title } = await deck(body);
    expect(written).toBe('# Deck\n\nBy us\n\n## Slide\n\n- first\n  - deeper\n\nleft\n\nright');
    expect(pages).toEqual([0, 15]);
    expect(title).toBe('Deck');
  });

  it('sets notes off, takes footers out, and keeps groups together', async () => {
    const notes = `<presentation:notes>${openFrame(openPara('Say this'), { placeholder: 'notes' })}${openFrame(openPara('9'), { placeholder: 'page-number' })}</presentation:notes>`;
    const group = `<draw:g>${openFrame(openPara('b'), { at: [20, 10, 5, 5] })}${openFrame(openPara('a'), { at: [0, 10, 5, 5] })}</draw:g>`;
    const body = openPage(
      openFrame(openPara('top'), { at: [0, 0, 5, 5] }) +
        group +
        openFrame(openPara('us'), { placeholder: 'footer' }) +
        notes,
    );
    const { text: written, furniture } = await deck(body);
    expect(written).toBe('top\n\na\n\nb\n\n> Say this');
    expect(furniture).toEqual([{ page: 1, text: 'us', kind: 'footer' }]);
    expect((await deck(body, { furniture: 'keep' })).text).toContain('us');
  });

  it('is read by the numbers of its pages', async () => {
    const body = ['One', 'Two', 'Three'].map((title) => openPage(openFrame(openPara(title)))).join('');
    const { text: written, pages, pagesRead } = await deck(body, { pages: '2' });
    expect([written, pages, pagesRead]).toEqual(['Two', [0, 0], 1]);
  });

  it('is read as one flat XML file', async () => {
    const body = openPage(openFrame(openPara('flat')));
    expect(await extract(writeFlatDocument({ kind: 'presentation', body }))).toMatchObject({
      text: 'flat',
      pages: [0],
    });
  });
});
