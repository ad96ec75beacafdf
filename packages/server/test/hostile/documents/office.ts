// Presentations, spreadsheets and OpenDocument texts: references in circles, repetitions without number, values for all
// cells.
import {
  openCell,
  openDocumentEntries,
  openFrame,
  openList,
  openPage,
  openPara,
  openRow,
  writeFlatDocument,
  writeOpenDocument,
} from '@grainline/testing/open-document-writer';
import { writeZip } from '@grainline/testing/docx-writer';
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
import {
  relationship,
  writeXlsx,
  type XlsxCell,
  type XlsxSheet,
  xlsxEntries,
} from '@grainline/testing/xlsx-writer';
import { type DocumentRow, documentsOf, type HostileDocument, nested, series } from './row.ts';

const slide = (shapes: string, relationships = ''): Uint8Array =>
  writePptx({ slides: [{ shapes: slideTitle('hello') + shapes, relationships }] });
const CHART = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"';
const chartFrame = slideFrame(`<c:chart ${CHART} r:id="c"/>`);
const external = (type: string, target: string): string =>
  `<Relationship Id="c" Type="x/${type}" TargetMode="External" Target="${target}"/>`;

/** A presentation of one slide that shows a chart some times. */
function charted(frames: number, chart: string): Uint8Array {
  const relationships = '<Relationship Id="c" Type="x/chart" Target="../charts/chart1.xml"/>';
  const entries = [
    { name: 'ppt/charts/chart1.xml', content: `<c:chartSpace ${CHART}>${chart}</c:chartSpace>` },
  ];
  return writePptx({
    slides: [{ shapes: slideTitle('hello') + chartFrame.repeat(frames), relationships }],
    entries,
  });
}

const points = (count: number, text: string): string =>
  `<c:cat><c:strRef><c:strCache>${series(count, (at) => `<c:pt idx="${at}"><c:v>${text}</c:v></c:pt>`)}</c:strCache></c:strRef></c:cat>`;

/** The relationships of the first slide in place of its own. */
const looped = writeZip(
  pptxEntries({ slides: [{ shapes: slideTitle('hello') }] }).map((entry) =>
    entry.name === 'ppt/slides/_rels/slide1.xml.rels'
      ? {
          ...entry,
          content: `<Relationships xmlns="x">${['slideLayout', 'slideMaster', 'notesSlide', 'slide'].map((type) => `<Relationship Id="${type}" Type="x/${type}" Target="slide1.xml"/>`).join('')}</Relationships>`,
        }
      : entry,
  ),
);

const PPTX: DocumentRow[] = [
  { of: 'a slide that is its own layout, master and notes', bytes: () => looped, is: /hello/ },
  {
    of: 'a chart at an address',
    bytes: () => slide(chartFrame, external('chart', 'http://127.0.0.1:9/c')),
    is: /hello/,
  },
  {
    of: 'a picture from a share',
    bytes: () =>
      slide(
        '<p:pic><p:blipFill><a:blip r:link="c"/></p:blipFill></p:pic>',
        external('image', 'file://///127.0.0.1/share/a.png'),
      ),
    is: /hello/,
  },
  {
    of: 'one chart a hundred thousand times',
    bytes: () => charted(100_000, points(100, 'word')),
    is: '400 too_complex',
    isHeavy: true,
  },
  {
    of: 'a long name in a chart of many rows',
    bytes: () => charted(300, points(1, 'word '.repeat(200_000))),
    is: '413 too_large',
    isHeavy: true,
  },
  {
    of: 'series without names and a point in the last row',
    bytes: () =>
      charted(
        1,
        '<c:ser><c:val><c:numCache><c:pt idx="4294967295"><c:v>1</c:v></c:pt></c:numCache></c:val></c:ser>'.repeat(
          20_000,
        ),
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'groups in groups',
    bytes: () => slide(nested('<p:grpSp>', slideShape('deep'), '</p:grpSp>', 100_000)),
    is: /deep/,
  },
  {
    of: 'shapes in stairs',
    bytes: () => slide(series(20_000, (n) => slideShape('x', { at: [n, n, 10, 10] }))),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'shapes in one place',
    bytes: () => slide(slideShape('x', { at: [0, 0, 10, 10] }).repeat(20_000)),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'cells that span everything',
    bytes: () =>
      slide(
        slideFrame(
          `<a:tbl>${`<a:tr>${'<a:tc gridSpan="2147483647" rowSpan="2147483647"><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc>'.repeat(3)}</a:tr>`.repeat(5000)}</a:tbl>`,
        ),
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a list level and sizes beyond all numbers',
    bytes: () =>
      slide(
        `<p:sp><p:spPr><a:xfrm><a:off x="1e308" y="-1e308"/><a:ext cx="NaN" cy="99999999999999999999"/></a:xfrm></p:spPr><p:txBody><a:p><a:pPr lvl="999999999"><a:buChar char="x"/></a:pPr><a:r><a:t>deep</a:t></a:r></a:p></p:txBody></p:sp>`,
      ),
    is: /deep/,
  },
  {
    of: 'a hundred thousand links of two thousand characters',
    bytes: () =>
      slide(
        slideShape(slidePara((slideRun('x', '', '<a:hlinkClick r:id="c"/>') + slideRun('y')).repeat(50_000))),
        external('hyperlink', `https://example.org/${'a'.repeat(1900)}`),
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'five thousand slides of one part',
    bytes: () =>
      writeZip(
        pptxEntries({ slides: [{ shapes: slideTitle('hello') }] }).map((entry) =>
          entry.name === 'ppt/presentation.xml'
            ? {
                ...entry,
                content: entry.content.toString().replace(/<p:sldId [^>]*>/, (id) => id.repeat(200_000)),
              }
            : entry,
        ),
      ),
    is: /hello/,
  },
  {
    of: 'three thousand slides',
    bytes: () =>
      writePptx({
        slides: Array.from({ length: 3000 }, (_, at) => ({
          shapes: slideTitle(`hello ${at}`),
          notes: slideShape('note', { placeholder: 'body' }),
        })),
      }),
    is: /hello 2999/,
    isHeavy: true,
  },
  {
    of: 'groups beside one another at each depth',
    bytes: () =>
      slide(
        Array.from({ length: 5000 }).reduce<string>((inside) => slideGroup(slideShape('x') + inside), ''),
      ),
    is: /hello/,
    isHeavy: true,
  },
];

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const hello: XlsxCell[] = ['hello', 1];
const sheet = (more: Partial<XlsxSheet> = {}): Uint8Array =>
  writeXlsx({ sheets: [{ name: 'S', rows: [hello, ['b', 2]], ...more }] });
const rows = (xml: string, strings?: string): Uint8Array => {
  const parts: Readonly<Record<string, string | undefined>> = {
    'xl/worksheets/sheet1.xml': `<worksheet ${MAIN}><sheetData>${xml}</sheetData></worksheet>`,
    'xl/sharedStrings.xml': strings === undefined ? undefined : `<sst ${MAIN}>${strings}</sst>`,
  };
  return writeZip(
    xlsxEntries({ sheets: [{ name: 'S', rows: [hello] }] }).map((entry) => ({
      ...entry,
      content: parts[entry.name] ?? entry.content,
    })),
  );
};
const LONG = 'word '.repeat(6000);
const STRING = `<si><t>${LONG}</t></si>`;

const XLSX: DocumentRow[] = [
  {
    of: 'a dimension of all cells',
    bytes: () => sheet({ before: '<dimension ref="A1:XFD1048576"/>' }),
    is: /hello/,
  },
  {
    of: 'one long string in all cells',
    bytes: () => rows(`<row>${'<c t="s"><v>0</v></c>'.repeat(100)}</row>`.repeat(4000), STRING),
    is: '413 too_many_characters',
    isHeavy: true,
  },
  {
    of: 'a string of 150 MB',
    bytes: () => rows('<row><c t="s"><v>0</v></c></row>', `<si><t>${'x'.repeat(150 << 20)}</t></si>`),
    is: '400 corrupted',
    isHeavy: true,
  },
  {
    of: 'two million strings',
    bytes: () => rows('<row><c t="s"><v>0</v></c></row>', '<si><t>x</t></si>'.repeat(2_000_000)),
    is: '400 too_complex',
    isHeavy: true,
  },
  {
    of: 'seven million empty cells',
    bytes: () => rows(`<row>${'<c/>'.repeat(7_000_000)}</row>`),
    is: '400 too_complex',
    isHeavy: true,
  },
  {
    of: 'a million merged ranges over everything',
    bytes: () =>
      sheet({ behind: `<mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(1_000_000)}</mergeCells>` }),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'links to all cells',
    bytes: () =>
      sheet({
        behind: `<hyperlinks>${'<hyperlink ref="A1:XFD1048576" r:id="r"/>'.repeat(100_000)}</hyperlinks>`,
        relationships: relationship('r', 'hyperlink', `https://example.org/${'a'.repeat(1900)}`, true),
      }),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'cells on a diagonal',
    bytes: () =>
      rows(series(16_000, (at) => `<row r="${at + 1}"><c r="${nameOf(at)}${at + 1}"><v>1</v></c></row>`)),
    is: /^# S/,
    isHeavy: true,
  },
  {
    of: 'cells in the last row and column, and beyond',
    bytes: () =>
      rows(
        '<row r="1048576"><c r="XFD1048576"><v>7</v></c></row><row r="99999999999"><c r="ZZZZZZ99999999999"><v>8</v></c></row>',
      ),
    is: /7/,
  },
  {
    of: 'four hundred thousand cells of long formats',
    bytes: () =>
      writeXlsx({
        sheets: [
          {
            name: 'S',
            rows: [
              hello,
              ...Array.from({ length: 4000 }, () =>
                Array.from({ length: 90 }, (_, at): XlsxCell => ({
                  value: 45_000.123 + at,
                  style: 1 + (at % 8),
                })),
              ),
            ],
          },
        ],
        styles: [
          '?'.repeat(250),
          '0'.repeat(250),
          '[>1]0;[<0]0;0',
          '# ???/???',
          '[h]:mm:ss.000',
          'yyyy"y"'.repeat(30),
          '0.'.padEnd(250, '#'),
          '[$-1000000]' + 'd'.repeat(200),
        ].map((format) => ({ format })),
      }),
    is: '413 too_many_characters',
    isHeavy: true,
  },
  {
    of: 'rows and cells backwards',
    bytes: () =>
      rows(
        series(
          3000,
          (at) =>
            `<row r="${3000 - at}">${series(50, (column) => `<c r="${nameOf(49 - column)}${3000 - at}"><v>${at}</v></c>`)}</row>`,
        ),
      ),
    is: /2999/,
    isHeavy: true,
  },
  {
    of: 'another workbook, a program and an address',
    bytes: () =>
      sheet({
        rows: [
          hello,
          [
            { formula: "cmd|'/c calc'!A0", value: 'b' },
            { formula: 'WEBSERVICE("http://127.0.0.1:9/")', value: 3 },
          ],
        ],
        behind: '<drawing r:id="rId1"/>',
        relationships: relationship('rId1', 'drawing', 'http://127.0.0.1:9/x.xml', true),
      }),
    is: /hello/,
  },
  {
    of: 'five thousand sheets of one part',
    bytes: () =>
      writeZip(
        xlsxEntries({ sheets: [{ name: 'S', rows: [hello] }] }).map((entry) =>
          entry.name === 'xl/workbook.xml'
            ? {
                ...entry,
                content: entry.content.toString().replace(/<sheet [^>]*>/, (one) => one.repeat(5000)),
              }
            : entry,
        ),
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a drawing of charts in circles',
    bytes: () =>
      writeXlsx({
        sheets: [
          {
            name: 'S',
            rows: [hello],
            behind: '<drawing r:id="d"/>',
            relationships: relationship('d', 'drawing', 'worksheets/sheet1.xml'),
          },
        ],
      }),
    is: /hello/,
  },
];

function nameOf(column: number): string {
  return (column < 26 ? '' : nameOf(Math.floor(column / 26) - 1)) + String.fromCharCode(0x41 + (column % 26));
}

const EVERYWHERE = 'table:number-columns-repeated="99999999"';
const ALWAYS = 'table:number-rows-repeated="99999999"';
const table = (content: string, name = 'S'): string =>
  `<table:table table:name="${name}">${content}</table:table>`;
const odt = (body: string, more: { automatic?: string } = {}): Uint8Array =>
  writeOpenDocument({ kind: 'text', body: openPara('hello') + body, ...more });
const ods = (body: string): Uint8Array =>
  writeOpenDocument({
    kind: 'spreadsheet',
    body:
      table(openRow([openCell('hello'), openCell('b')]) + openRow([openCell('c'), openCell('d')]), 'A') +
      body,
  });
const odp = (body: string): Uint8Array =>
  writeOpenDocument({ kind: 'presentation', body: openPage(openFrame(openPara('hello')) + body) });

const ODT: DocumentRow[] = [
  {
    of: 'rows and cells without number',
    bytes: () => odt(table(openRow([openCell('x', EVERYWHERE)], ALWAYS))),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a long text in rows without number',
    bytes: () => odt(table(openRow([openCell(LONG, EVERYWHERE)], ALWAYS))),
    is: '413 too_many_characters',
    isHeavy: true,
  },
  {
    of: 'repeated tables in one another',
    bytes: () =>
      odt(
        Array.from({ length: 200 }).reduce<string>(
          (inside) =>
            table(openRow([`<table:table-cell ${EVERYWHERE}>${inside}</table:table-cell>`], ALWAYS)),
          openPara('x'),
        ),
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'lists in one another',
    bytes: () =>
      odt(nested('<text:list><text:list-item>', openPara('deep'), '</text:list-item></text:list>', 50_000)),
    is: /deep/,
  },
  {
    of: 'notes in one another',
    bytes: () =>
      odt(
        nested(
          '<text:p>x<text:note><text:note-body>',
          'deep',
          '</text:note-body></text:note></text:p>',
          5000,
        ),
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'frames in one another',
    bytes: () =>
      odt(
        openPara(
          nested('<draw:frame><draw:text-box>', openPara('deep'), '</draw:text-box></draw:frame>', 5000),
        ),
      ),
    is: /deep/,
  },
  {
    of: 'styles in a circle',
    bytes: () =>
      odt(
        series(10_000, (n) => openPara('x', `P${n}`)),
        {
          automatic: series(
            10_000,
            (n) =>
              `<style:style style:family="paragraph" style:name="P${n}" style:parent-style-name="P${(n + 1) % 10_000}"/>`,
          ),
        },
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'objects outside the archive',
    bytes: () =>
      odt(
        ['http://127.0.0.1:9/a', '../../etc/passwd', './', 'file:///etc/passwd']
          .map((name) =>
            openPara(
              `<draw:frame><draw:object xlink:href="${name}"/><draw:image xlink:href="${name}"/></draw:frame>`,
            ),
          )
          .join(''),
      ),
    is: /hello/,
  },
  {
    of: 'one object many times',
    bytes: () =>
      writeZip([
        ...openDocumentEntries({
          kind: 'text',
          body:
            openPara('hello') +
            openPara('<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>').repeat(100_000),
        }),
        {
          name: 'Object 1/content.xml',
          content: `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><table:table-row><table:table-cell><text:p>${LONG}</text:p></table:table-cell></table:table-row></office:document-content>`,
        },
      ]),
    is: '413 too_large',
    isHeavy: true,
  },
  {
    of: 'spaces without end',
    bytes: () => odt(openPara('a<text:s text:c="2147483647"/>b').repeat(100)),
    is: /hello/,
  },
  {
    of: 'flat XML of two million paragraphs',
    bytes: () => writeFlatDocument({ kind: 'text', body: '<text:p/>'.repeat(2_000_000) }),
    filename: 'a.fodt',
    is: '400 too_complex',
    isHeavy: true,
  },
  {
    of: 'macros and scripts',
    bytes: () =>
      writeZip([
        ...openDocumentEntries({
          kind: 'text',
          body: `<office:scripts><office:script>evil()</office:script></office:scripts><office:event-listeners/>${openPara('hello')}`,
        }),
        { name: 'Basic/Standard/a.xml', content: 'evil' },
      ]),
    is: /^(?!.*evil).*hello/s,
  },
];

const ODS: DocumentRow[] = [
  {
    of: 'cells and rows without number',
    bytes: () => ods(table(openRow([openCell('7', EVERYWHERE)], ALWAYS))),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'empty cells and rows without number',
    bytes: () => ods(table(openRow([openCell('', EVERYWHERE)], ALWAYS).repeat(1000))),
    is: /hello/,
  },
  {
    of: 'a long text in rows without number',
    bytes: () => ods(table(openRow([openCell(LONG, EVERYWHERE)], ALWAYS))),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'spans over everything',
    bytes: () =>
      ods(
        table(
          openRow([
            openCell('x', 'table:number-columns-spanned="2147483647" table:number-rows-spanned="2147483647"'),
          ]).repeat(50_000),
        ),
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'numbers that are none',
    bytes: () =>
      ods(
        table(
          openRow([openCell('x', 'table:number-columns-repeated="-1"')], 'table:number-rows-repeated="NaN"'),
        ),
      ),
    is: /x/,
  },
  {
    of: 'columns hidden without number',
    bytes: () =>
      ods(
        table(
          `<table:table-column ${EVERYWHERE} table:visibility="collapse"/>`.repeat(10_000) +
            openRow([openCell('x')]),
        ),
      ),
    is: /hello/,
  },
  {
    of: 'hidden rows without number',
    bytes: () => ods(table(openRow([openCell('x')], `${ALWAYS} table:visibility="collapse"`).repeat(100))),
    is: /hello/,
  },
  {
    of: 'tables in cells',
    bytes: () =>
      ods(
        nested(
          '<table:table><table:table-row><table:table-cell>',
          openPara('deep'),
          '</table:table-cell></table:table-row></table:table>',
          50_000,
        ),
      ),
    is: /hello/,
  },
  {
    of: 'a hundred thousand sheets',
    bytes: () => ods(series(100_000, (at) => table(openRow([openCell('x')]), `s${at}`))),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'filters without number',
    bytes: () =>
      ods(
        `<table:database-ranges>${'<table:database-range table:target-range-address="A.A1:A.XFD1048576" table:display-filter-buttons="true"/>'.repeat(200_000)}</table:database-ranges>`,
      ),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a million paragraphs in a cell',
    bytes: () =>
      ods(table(openRow([`<table:table-cell>${'<text:p>x</text:p>'.repeat(400_000)}</table:table-cell>`]))),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'links to programs',
    bytes: () =>
      ods(
        table(openRow([openCell('<text:a xlink:href="file:///etc/passwd">x</text:a>')])) +
          '<table:dde-links><table:dde-link><office:dde-source office:dde-application="cmd"/></table:dde-link></table:dde-links>',
      ),
    is: /x/,
  },
];

ODS.push({
  of: 'tables apart, below titles and filters without number',
  bytes: () =>
    ods(
      table(
        `<table:table-header-rows>${openRow([openCell('x')])}</table:table-header-rows>${openRow([''], 'table:number-rows-repeated="3" table:visibility="collapse"')}${openRow([''], 'table:number-rows-repeated="3"')}`.repeat(
          50_000,
        ),
        'B',
      ) +
        `<table:database-ranges>${series(50_000, (at) => `<table:database-range table:target-range-address="B.A${at}:B.C${at}" table:display-filter-buttons="true"/>`)}</table:database-ranges>`,
    ),
  is: /hello/,
  isHeavy: true,
});

const ODP: DocumentRow[] = [
  {
    of: 'frames in one another',
    bytes: () =>
      odp(nested('<draw:frame><draw:text-box>', openPara('deep'), '</draw:text-box></draw:frame>', 50_000)),
    is: /hello/,
  },
  {
    of: 'groups in one another',
    bytes: () => odp(nested('<draw:g>', openFrame(openPara('deep')), '</draw:g>', 100_000)),
    is: /deep/,
  },
  {
    of: 'frames in stairs',
    bytes: () => odp(series(20_000, (at) => openFrame(openPara('x'), { at: [at, at, 2, 2] }))),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'places beyond all numbers',
    bytes: () =>
      odp(
        '<draw:frame svg:x="1e999cm" svg:y="-1e999in" svg:width="NaNmm" svg:height="9999999999999999999999cm"><draw:text-box><text:p>deep</text:p></draw:text-box></draw:frame>',
      ),
    is: /deep/,
  },
  {
    of: 'a table without number',
    bytes: () => odp(`<draw:frame>${table(openRow([openCell('x', EVERYWHERE)], ALWAYS))}</draw:frame>`),
    is: /hello/,
    isHeavy: true,
  },
  {
    of: 'a table of a long text without number',
    bytes: () => odp(`<draw:frame>${table(openRow([openCell(LONG, EVERYWHERE)], ALWAYS))}</draw:frame>`),
    is: '413 too_many_characters',
    isHeavy: true,
  },
  {
    of: 'ten thousand pages',
    bytes: () =>
      writeOpenDocument({
        kind: 'presentation',
        body: series(10_000, (at) => openPage(openFrame(openPara(`hello ${at}`)))),
      }),
    is: /hello 9999/,
    isHeavy: true,
  },
  {
    of: 'notes in notes',
    bytes: () =>
      odp(nested('<presentation:notes>', openFrame(openPara('deep')), '</presentation:notes>', 10_000)),
    is: /hello/,
  },
  {
    of: 'a page in a page',
    bytes: () => odp(nested('<draw:page>', openFrame(openPara('deep')), '</draw:page>', 10_000)),
    is: /hello/,
  },
  {
    of: 'pictures and films elsewhere',
    bytes: () =>
      odp(
        '<draw:frame><draw:image xlink:href="http://127.0.0.1:9/a.png"/><draw:plugin xlink:href="http://127.0.0.1:9/a.mp4"/></draw:frame>',
      ),
    is: /hello/,
  },
  {
    of: 'lists in one another',
    bytes: () =>
      odp(
        openFrame(
          Array.from({ length: 3000 }).reduce<string>((inside) => openList([openPara('x') + inside]), ''),
        ),
      ),
    is: /hello/,
    isHeavy: true,
  },
];

export const OFFICE_DOCUMENTS: readonly HostileDocument[] = [
  ...documentsOf('pptx', PPTX),
  ...documentsOf('xlsx', XLSX),
  ...documentsOf('odt', ODT),
  ...documentsOf('ods', ODS),
  ...documentsOf('odp', ODP),
];
