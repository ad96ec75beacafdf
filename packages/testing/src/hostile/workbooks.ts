// Workbooks of Excel: references to all cells, strings and formats without end.
import { writeZip } from '../docx-writer.ts';
import { relationship, writeXlsx, type XlsxCell, type XlsxSheet, xlsxEntries } from '../xlsx-writer.ts';
import { type DocumentRow, LONG, series } from './row.ts';

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
const STRING = `<si><t>${LONG}</t></si>`;

export const XLSX: readonly DocumentRow[] = [
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
