// Spreadsheets of OpenDocument: repeated and covered cells, headers, and what is left out.
import { describe, expect, it } from 'vitest';
import type { Document } from '@grainline/core';
import { expectLawful } from '../../../test/laws.ts';
import { ODS } from './index.ts';

const NAMES = ['office', 'style', 'text', 'table', 'draw', 'fo', 'xlink']
  .map((name) => {
    const address = { draw: 'drawing', fo: 'xsl-fo-compatible' }[name] ?? name;
    return name === 'xlink'
      ? 'xmlns:xlink="http://www.w3.org/1999/xlink"'
      : `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${address}:1.0"`;
  })
  .join(' ');
const STYLES =
  '<style:style style:name="off" style:family="table"><style:table-properties table:display="false"/></style:style>' +
  '<style:style style:name="bold" style:family="table-cell"><style:text-properties fo:font-weight="bold"/></style:style>';

async function read(sheets: string): Promise<Document> {
  const xml =
    `<?xml version="1.0"?><office:document ${NAMES} office:mimetype="application/vnd.oasis.opendocument.spreadsheet">` +
    `<office:automatic-styles>${STYLES}</office:automatic-styles>` +
    `<office:body><office:spreadsheet>${sheets}</office:spreadsheet></office:body></office:document>`;
  const document = await ODS.read({ bytes: Buffer.from(xml) });
  expectLawful(document);
  return document;
}

const cell = (text: string, more = ''): string =>
  `<table:table-cell ${more}>${text === '' ? '' : `<text:p>${text}</text:p>`}</table:table-cell>`;
const value = (text: string, more = ''): string => cell(text, `office:value-type="float" ${more}`);
const row = (cells: string, more = ''): string => `<table:table-row ${more}>${cells}</table:table-row>`;
const sheet = (rows: string, name = 'Sheet', more = ''): string =>
  `<table:table table:name="${name}" ${more}>${rows}</table:table>`;

const PEOPLE =
  row(cell('Name') + cell('Age')) + row(cell('Ann') + value('31')) + row(cell('Bob') + value('42'));

describe('a spreadsheet', () => {
  it('has its sheets as sections, and tables parted by empty rows', async () => {
    const gap = row(cell('', 'table:number-columns-repeated="16384"'), 'table:number-rows-repeated="5"');
    const end = row(
      cell('', 'table:number-columns-repeated="16384"'),
      'table:number-rows-repeated="1048500"',
    );
    const { text } = await read(
      sheet(PEOPLE + gap + PEOPLE.replaceAll('Bob', 'Cid') + end) + sheet(row(cell('x')), 'B'),
    );
    expect(text).toBe(
      '# Sheet\n\n| Name | Age |\n| --- | --- |\n| Ann | 31 |\n| Bob | 42 |\n\n' +
        '| Name | Age |\n| --- | --- |\n| Ann | 31 |\n| Cid | 42 |\n\n# B\n\nx',
    );
  });

  it('repeats filled cells and rows, and shows no covered ones', async () => {
    const { text, blocks } = await read(
      sheet(
        row(
          cell('Total', 'table:number-columns-spanned="2"') +
            '<table:covered-table-cell><text:p>no</text:p></table:covered-table-cell>' +
            cell('z'),
        ) +
          row(value('7', 'table:number-columns-repeated="2"') + cell('y'), 'table:number-rows-repeated="2"'),
      ),
    );
    expect(text).toContain('| Total |  | z |\n| --- | --- | --- |\n| 7 | 7 | y |\n| 7 | 7 | y |');
    expect(blocks[1]?.children?.[0]?.children?.[0]?.columnSpan).toBe(2);
  });

  it('shows the text of a cell with its breaks and links, and its value without a text', async () => {
    const { text, links } = await read(
      sheet(
        row(
          cell('a<text:s/>b</text:p><text:p>c') +
            '<table:table-cell office:value-type="float" office:value="4.5"/>',
        ) + row(cell('<text:a xlink:href="https://example.org/">there</text:a>') + cell('=1+1')),
      ),
    );
    expect(text).toContain('| a b<br>c | 4.5 |');
    expect(text).toContain('| there | =1+1 |');
    expect(links?.map(({ href }) => href)).toEqual(['https://example.org/']);
  });

  it('has the header that bold type, printed titles and filters show', async () => {
    const bold = 'table:style-name="bold"';
    const words = row(cell('a') + cell('b')) + row(cell('c') + cell('d'));
    const first = row(value('1') + value('2'));
    for (const sheets of [
      sheet(row(value('1', bold) + value('2', bold)) + words),
      sheet(`<table:table-header-rows>${first}</table:table-header-rows>${words}`),
      sheet(first + words) +
        '<table:database-ranges><table:database-range table:target-range-address="Sheet.A1:Sheet.B3" table:display-filter-buttons="true"/></table:database-ranges>',
    ]) {
      const { blocks } = await read(sheets);
      expect(blocks[1]?.children?.map(({ header = false }) => header)).toEqual([true, false, false]);
    }
  });

  it('leaves out hidden sheets, rows, columns, comments and DDE links', async () => {
    const { text, warnings } = await read(
      sheet(
        '<table:table-column/><table:table-column table:visibility="collapse"/>' +
          row(cell('a<office:annotation><text:p>no</text:p></office:annotation>') + cell('no')) +
          row(cell('no') + cell('no'), 'table:visibility="collapse"') +
          row(cell('filtered'), 'table:visibility="filter"'),
      ) +
        sheet(row(cell('no')), 'Secret', 'table:style-name="off"') +
        `<table:dde-links><table:dde-link>${sheet(row(cell('no')), 'DDE')}</table:dde-link></table:dde-links>`,
    );
    expect(text).toBe('# Sheet\n\na\n\nfiltered');
    expect(warnings.map(({ message }) => message)).toEqual([
      'Hidden, and left out: 1 sheet (Secret), 1 row, 1 column.',
    ]);
  });
});
