// Workbooks: displayed values, what is a table, which rows name its columns, and what is left out.
import { describe, expect, it } from 'vitest';
import {
  relationship,
  writeXlsx,
  type XlsxCell,
  type XlsxSheet,
  type XlsxSpec,
} from '@grainline/testing/xlsx-writer';
import type { Document } from '@grainline/core';
import { expectLawful } from '../../../test/laws.ts';
import { XLSX } from './index.ts';

async function read(spec: XlsxSpec): Promise<Document> {
  const document = await XLSX.read({ bytes: writeXlsx(spec) });
  expectLawful(document);
  return document;
}

const sheetOf = (rows: readonly (readonly XlsxCell[])[], more: Partial<XlsxSheet> = {}): XlsxSheet => ({
  name: 'Sheet',
  rows,
  ...more,
});

async function textOf(...sheets: XlsxSheet[]): Promise<string> {
  return (await read({ sheets })).text;
}

/** Rows of all tables; `!` before a header. */
async function rowsOf(spec: XlsxSpec): Promise<string[][]> {
  const { text, blocks } = await read(spec);
  return blocks
    .filter(({ kind }) => kind === 'table')
    .map(({ children = [] }) =>
      children.map(({ start, end, header }) => {
        const line = text.slice(start, end).split('\n')[0] ?? '';
        return (header === true ? '!' : '') + line.slice(2, -2);
      }),
    );
}

describe('values', () => {
  it.each([
    [1234.5, '#,##0.00', '1,234.50'],
    [0.256, '0%', '26%'],
    [0.256, '0.0%', '25.6%'],
    [-3, '#,##0;[Red](#,##0)', '(3)'],
    [-3, '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\)', '$(3.00)'],
    [1234.5, '[$€-407] #,##0.00', '€ 1,234.50'],
    [2.5, '# ?/?', '2 1/2'],
    [198_000_000, '0.00E+00', '1.98E+08'],
    [45_366.75, 'yyyy-mm-dd hh:mm', '2024-03-15 18:00'],
    [45_366, '[$-407]d. mmmm yyyy', '15. März 2024'],
    [45_366, 14, '2024-03-15'],
    [1.5, '[h]:mm', '36:00'],
    [12, '0" pcs"', '12 pcs'],
    [0.1 + 0.2, 0, '0.3'],
    [123_456_789_012, 0, '123456789012'],
    [1 / 3, 0, '0.333333333'],
    [7, '0000', '0007'],
    [5, 'not "closed', '5'],
  ])('%s in the format %s are shown as %s', async (value, format, shown) => {
    const { text } = await read({ sheets: [sheetOf([['x', { value, style: 1 }]])], styles: [{ format }] });
    expect(text).toContain(`| x | ${shown} |`);
  });

  it('of dates count from 1904 where the workbook says so', async () => {
    const sheets = [sheetOf([['x', { value: 45_366 - 1462, style: 1 }]])];
    expect((await read({ sheets, styles: [{ format: 14 }], is1904: true })).text).toContain('2024-03-15');
  });

  it('are results of formulas, and the formula where there is none', async () => {
    const { text, warnings } = await read({
      sheets: [
        sheetOf([
          [
            { formula: 'A2*2', value: 8 },
            { formula: '"a"&"b"', value: 'ab', type: 'str' },
          ],
          [{ formula: '1/0', value: '#DIV/0!', type: 'e' }, { formula: 'SUM(A1:A9)' }],
        ]),
      ],
    });
    expect(text).toContain('| 8 | ab |\n| --- | --- |\n| #DIV/0! | =SUM(A1:A9) |');
    expect(warnings.map(({ code }) => code)).toEqual(['formulas_not_computed']);
  });

  it('are strings with their runs, line breaks and escapes, and without readings', async () => {
    const rich = '<is><r><t>East</t></r><r><rPr><b/></rPr><t> side</t></r><rPh><t>no</t></rPh></is>';
    expect(
      await textOf(sheetOf([[{ type: 'inlineStr', xml: rich }, 'two\nlines', 'a_x0041_|`b`', true, '=1+1']])),
    ).toContain('| East side | two<br>lines | aA\\|\\`b\\` | TRUE | =1+1 |');
  });
});

describe('tables', () => {
  const people = [
    ['Name', 'Age'],
    ['Ann', 31],
    ['Bob', 42],
  ];
  const words = [
    ['a', 'b'],
    ['c', 'd'],
    ['e', 'f'],
  ];

  it('stand under the name of their sheet, and are parted by empty rows and titles', async () => {
    const text = await textOf(
      sheetOf([
        ['Report'],
        ['in euros'],
        [],
        ...people,
        [],
        [],
        [],
        ['Town', 'Size'],
        ['Brest', 5],
        ['Source: none'],
      ]),
      { name: 'Second', rows: [['only words']] },
    );
    expect(text).toBe(
      '# Sheet\n\nReport\n\nin euros\n\n| Name | Age |\n| --- | --- |\n| Ann | 31 |\n| Bob | 42 |\n\n' +
        '| Town | Size |\n| --- | --- |\n| Brest | 5 |\n| Source: none |  |\n\n# Second\n\nonly words',
    );
  });

  it('go on below an empty row that names no columns', async () => {
    const found = await rowsOf({ sheets: [sheetOf([...people, [], ['Cid', 7], [], ['Dan', 8]])] });
    expect(found).toEqual([['!Name | Age', 'Ann | 31', 'Bob | 42', 'Cid | 7', 'Dan | 8']]);
  });

  it('go on below an empty row under their names', async () => {
    expect(
      await textOf(sheetOf([['Task', 'Owner', 'Days'], [], ['Sails', '', 4], ['Ropes', 'Ann', 2]])),
    ).toContain('| Task | Owner | Days |\n| --- | --- | --- |\n| Sails |  | 4 |\n| Ropes | Ann | 2 |');
  });

  it('stand beside one another with an empty column between them, where they are two', async () => {
    const beside = people.map((cells, at) => [...cells, null, ...(at < 2 ? ['Town', 9].slice(0, 2) : [])]);
    beside[0] = ['Name', 'Age', null, 'Town', 'Size'];
    expect(await rowsOf({ sheets: [sheetOf(beside)] })).toEqual([
      ['!Name | Age', 'Ann | 31', 'Bob | 42'],
      ['!Town | Size', 'Town | 9'],
    ]);
    const spaced = people.map(([name = null, age = null]) => [name, null, age, age]);
    expect(await rowsOf({ sheets: [sheetOf(spaced)] })).toHaveLength(1);
  });

  it.each([
    [
      'rows in view',
      { before: '<sheetViews><sheetView><pane ySplit="1" state="frozen"/></sheetView></sheetViews>' },
    ],
    ['a filter', { behind: '<autoFilter ref="A1:B3"/>' }],
  ])('have the header that %s show', async (_, more) => {
    expect((await rowsOf({ sheets: [sheetOf([[1, 2], ...words], more)] }))[0]?.slice(0, 2)).toEqual([
      '!1 | 2',
      'a | b',
    ]);
  });

  it('have rows in bold type and printed titles as header', async () => {
    const bold = [
      { value: 2019, style: 1 },
      { value: 2020, style: 1 },
    ];
    const spec = { sheets: [sheetOf([bold, ...words])], styles: [{ bold: true }] };
    expect((await rowsOf(spec))[0]?.[0]).toBe('!2019 | 2020');
    const titles =
      '<definedNames><definedName name="_xlnm.Print_Titles" localSheetId="0">Sheet!$A:$A,Sheet!$1:$2</definedName></definedNames>';
    const printed = await rowsOf({ sheets: [sheetOf([[1, 2], [3, 4], ...words])], workbook: titles });
    expect(printed[0]?.slice(0, 3)).toEqual(['!1 | 2', '!3 | 4', 'a | b']);
  });

  it('are those that the author has defined, wherever they stand', async () => {
    const rows = [
      ['Name', 'Age', 'Note'],
      ['Ann', 31, 'x'],
      ['Bob', 42, null],
    ];
    const spec: XlsxSpec = {
      sheets: [
        sheetOf(rows, {
          behind: '<tableParts><tablePart r:id="rId1"/></tableParts>',
          relationships: relationship('rId1', 'table', '../tables/table1.xml'),
        }),
      ],
      parts: [
        {
          name: 'xl/tables/table1.xml',
          content: '<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ref="A1:B3"/>',
        },
      ],
    };
    const { text } = await read(spec);
    expect(text).toBe('# Sheet\n\n| Name | Age |\n| --- | --- |\n| Ann | 31 |\n| Bob | 42 |\n\nNote\n\nx');
    expect((await rowsOf(spec))[0]?.[0]).toBe('!Name | Age');
  });

  it('keep what merged cells span, without the values below them', async () => {
    const sheets = [
      sheetOf(
        [
          ['Region', 'Sales', 'hidden below'],
          ['hidden too', 2019, 2020],
          ['North', 1, 2],
        ],
        { behind: '<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/></mergeCells>' },
      ),
    ];
    const { text, blocks } = await read({ sheets });
    expect(text).toContain(
      '| Region | Sales |  |\n| --- | --- | --- |\n|  | 2019 | 2020 |\n| North | 1 | 2 |',
    );
    const [first] = blocks[1]?.children ?? [];
    expect(first?.children?.map(({ columnSpan, rowSpan }) => [columnSpan, rowSpan])).toEqual([
      [undefined, 2],
      [2, undefined],
    ]);
  });
});

describe('what is not shown', () => {
  it('is left out with a warning: hidden sheets, rows and columns, but no collapsed or filtered rows', async () => {
    const rows = [
      ['Name', 'Age', 'Secret'],
      ['Ann', 31, 's1'],
      ['Bob', 42, 's2'],
      ['Cid', 7, 's3'],
    ];
    const { text, warnings } = await read({
      sheets: [
        sheetOf(rows, {
          before: '<cols><col min="3" max="3" hidden="1"/></cols>',
          rowAttributes: { 2: 'hidden="1"', 3: 'hidden="1" outlineLevel="1"' },
        }),
        { ...sheetOf(rows), name: 'Lookup', state: 'hidden' },
        sheetOf(rows, {
          name: 'Filtered',
          rowAttributes: { 3: 'hidden="1"' },
          behind: '<autoFilter ref="A1:C4"><filterColumn colId="0"/></autoFilter>',
        }),
      ],
    });
    expect(text).toBe(
      '# Sheet\n\n| Name | Age |\n| --- | --- |\n| Bob | 42 |\n| Cid | 7 |\n\n# Filtered\n\n' +
        '| Name | Age | Secret |\n| --- | --- | --- |\n| Ann | 31 | s1 |\n| Bob | 42 | s2 |\n| Cid | 7 | s3 |',
    );
    expect(warnings).toEqual([
      { code: 'hidden_left_out', message: 'Hidden, and left out: 1 sheet (Lookup), 1 row, 1 column.' },
    ]);
  });

  it('does not take links along: their targets are data', async () => {
    const { text, links } = await read({
      sheets: [
        sheetOf(
          [
            ['Site', 'Mail'],
            ['ours', { formula: 'HYPERLINK("https://example.org/f","shown")', value: 'shown', type: 'str' }],
          ],
          {
            behind: '<hyperlinks><hyperlink ref="A2" r:id="rId9"/></hyperlinks>',
            relationships: relationship('rId9', 'hyperlink', 'https://example.org/', true),
          },
        ),
      ],
    });
    expect(links?.map(({ start, end, href }) => [text.slice(start, end), href])).toEqual([
      ['ours', 'https://example.org/'],
      ['shown', 'https://example.org/f'],
    ]);
  });
});
