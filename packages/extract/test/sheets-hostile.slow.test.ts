// Spreadsheets made to break readers: archives that explode, cells and rows that claim any number, references that lead
// outside. Each ends in a coded error or in a text within the bounds.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { extract } from '../src/extract.ts';
import { ExtractError } from '../src/errors.ts';
import { XLSX } from '../src/readers/xlsx/index.ts';
import { CSV } from '../src/readers/csv/index.ts';
import { writeZip } from '@grainline/testing/docx-writer';
import { relationship, writeXlsx, xlsxEntries, type XlsxSheet } from '@grainline/testing/xlsx-writer';
import { expectLawful } from './laws.ts';

/** Processor time of the slowest file here, in microseconds; a service stops a document after 12 s. */
const MAX_MICROSECONDS = 12_000_000;

const sheetOf = (more: Partial<XlsxSheet> = {}): XlsxSheet => ({ name: 'S', rows: [['a', 1]], ...more });

/** The text, or the code of the error; within the bound on time either way. */
async function outcomeOf(bytes: Uint8Array, filename = 'a.xlsx'): Promise<string> {
  const started = process.cpuUsage().user;
  try {
    const document = await extract(bytes, { filename });
    expectLawful(document);
    return document.text;
  } catch (error) {
    expect(error).toBeInstanceOf(ExtractError);
    return (error as ExtractError).code;
  } finally {
    expect(process.cpuUsage().user - started).toBeLessThan(MAX_MICROSECONDS);
  }
}

/** A workbook with one part in place of its own. */
function withPart(name: string, content: string): Uint8Array {
  const entries = xlsxEntries({ sheets: [sheetOf()] });
  return writeZip([...entries.filter((entry) => entry.name !== name), { name, content }]);
}

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const SHEET = 'xl/worksheets/sheet1.xml';
const STRINGS = 'xl/sharedStrings.xml';
const rows = (xml: string): string => `<worksheet ${MAIN}><sheetData>${xml}</sheetData></worksheet>`;

afterEach(() => vi.unstubAllGlobals());

describe('a workbook', () => {
  it.each([
    [
      'a sheet of blanks',
      withPart(SHEET, `<worksheet ${MAIN}>${' '.repeat(250 << 20)}</worksheet>`),
      /too_large|corrupted/,
    ],
    [
      'strings of one letter',
      withPart(STRINGS, `<sst ${MAIN}>${'<si><t>x</t></si>'.repeat(2_000_000)}</sst>`),
      /too_complex/,
    ],
    [
      'one string without end',
      withPart(STRINGS, `<sst ${MAIN}><si><t>${'x'.repeat(150 << 20)}</t></si></sst>`),
      /too_large|corrupted/,
    ],
    [
      'empty cells',
      withPart(SHEET, rows(`<row>${'<c/>'.repeat(7_000_000)}</row>`)),
      /too_complex|empty_document/,
    ],
    ['a comment without end', withPart(SHEET, `<worksheet ${MAIN}><!--${'<'.repeat(30 << 20)}`), /corrupted/],
    ['a document type', withPart(SHEET, `<!DOCTYPE a [<!ENTITY b "c">]><worksheet ${MAIN}/>`), /corrupted/],
    ['a sheet cut off', withPart(SHEET, `<worksheet ${MAIN}><sheetData><row><c>`), /corrupted/],
    ['a sheet of another kind', withPart(SHEET, '<html/>'), /empty_document/],
    ['no sheets', withPart('xl/workbook.xml', `<workbook ${MAIN}/>`), /empty_document/],
  ])('of %s ends in a coded error', async (_, bytes, code) => {
    expect(await outcomeOf(bytes)).toMatch(code);
  });

  it.each([
    ['all cells declared', sheetOf({ before: '<dimension ref="A1:XFD1048576"/>' })],
    [
      'a million merged ranges',
      sheetOf({ behind: `<mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(1_000_000)}</mergeCells>` }),
    ],
    [
      'a hundred thousand links to all cells',
      sheetOf({
        behind: `<hyperlinks>${'<hyperlink ref="A1:XFD1048576" r:id="r"/>'.repeat(100_000)}</hyperlinks>`,
      }),
    ],
    [
      'a hundred thousand column definitions',
      sheetOf({ before: `<cols>${'<col min="3" max="16384" hidden="1"/>'.repeat(100_000)}</cols>` }),
    ],
    ['a format of many sections', sheetOf({ rows: [['a', { value: 1, style: 1 }]] })],
  ])('with %s is read', async (_, sheet) => {
    const format = '[>1]0;'.repeat(5000);
    const text = await outcomeOf(writeXlsx({ sheets: [sheet], styles: [{ format }] }));
    expect(text).toMatch(/^# S\n\n(?:\| a \| 1 \||a$)/);
  });

  it('with cells on a diagonal ends at the bound on positions', async () => {
    const cells = Array.from({ length: 16_000 }, (_, at) => `<row r="${at + 1}">${cellAt(at)}</row>`);
    const document = await XLSX.read({ bytes: withPart(SHEET, rows(cells.join(''))) });
    expect(document.warnings.map(({ code }) => code)).toEqual(['rows_left_out']);
  });

  it('with more cells than are read gives the first ones, with a warning', async () => {
    const line = '<c><v>1</v></c>'.repeat(100);
    const document = await XLSX.read({ bytes: withPart(SHEET, rows(`<row>${line}</row>`.repeat(5000))) });
    expect(document.warnings.map(({ code }) => code)).toEqual(['rows_left_out']);
    expect(document.text.length).toBeGreaterThan(1_000_000);
  });

  it('opens nothing outside of the file: other workbooks, DDE, pictures by address', async () => {
    const fetched = vi.fn(() => Promise.reject(new Error('fetched')));
    vi.stubGlobal('fetch', fetched);
    const text = await outcomeOf(
      writeXlsx({
        sheets: [
          sheetOf({
            rows: [
              ['a', { formula: "cmd|'/c calc'!A0", value: 1 }],
              ['b', { formula: '[1]S!A1', value: 2 }],
            ],
            behind: '<drawing r:id="rId1"/><tableParts><tablePart r:id="rId1"/></tableParts>',
            relationships: relationship('rId1', 'drawing', 'https://example.org/x.xml', true),
          }),
        ],
      }),
    );
    expect(text).toContain('| a | 1 |\n| --- | --- |\n| b | 2 |');
    expect(fetched).not.toHaveBeenCalled();
  });

  it('is corrupted, and never crashes, cut anywhere or with any byte changed in its directory', async () => {
    const whole = writeXlsx({ sheets: [sheetOf()] });
    for (let length = 1; length < whole.length; length += 97)
      expect(await outcomeOf(whole.subarray(0, length))).toMatch(/^(?:corrupted|unsupported_type)$/);
    for (let at = whole.length - 700; at < whole.length; at += 5) {
      const changed = Uint8Array.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      expect(await outcomeOf(changed)).not.toBe('');
    }
  });
});

function cellAt(at: number): string {
  let [name, rest] = ['', at + 1];
  for (; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(0x41 + ((rest - 1) % 26)) + name;
  return `<c r="${name}${at + 1}"><v>1</v></c>`;
}

describe('a spreadsheet of OpenDocument', () => {
  it.each([
    [
      'cells and rows without number',
      'table:number-columns-repeated="16384"',
      'table:number-rows-repeated="1048576"',
    ],
    ['spans over everything', 'table:number-columns-spanned="999999" table:number-rows-spanned="999999"', ''],
    ['numbers that are none', 'table:number-columns-repeated="-1"', 'table:number-rows-repeated="NaN"'],
    [
      'numbers beyond all sheets',
      'table:number-columns-repeated="99999999999"',
      'table:number-rows-repeated="1e9"',
    ],
  ])('with %s ends at its bounds', async (_, cell, row) => {
    const names = ['office', 'text', 'table'].map(
      (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
    );
    const text = await outcomeOf(
      Buffer.from(
        `<office:document ${names.join(' ')} office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body>` +
          `<office:spreadsheet><table:table table:name="S"><table:table-row ${row}><table:table-cell ${cell}><text:p>7</text:p>` +
          '</table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document>',
      ),
      'a.fods',
    );
    expect(text.startsWith('# S')).toBe(true);
    expect(text.length).toBeLessThan(4_000_000);
  });
});

describe('delimited values', () => {
  it.each([
    ['a quotation mark without end', `a,b\n"${'x,'.repeat(2_000_000)}`],
    ['nothing but quotation marks', '"'.repeat(3_000_000)],
    ['quotation marks that open on each line', 'a,b\n'.concat('"x,y\n'.repeat(300_000))],
    ['a row of a million cells', `a,b\n${','.repeat(1_000_000)}`],
    ['a million ragged rows', 'a,b,c\n1\n2,3,4,5\n'.repeat(200_000)],
  ])('of %s are read in linear time', async (_, text) => {
    const started = process.cpuUsage().user;
    const document = await CSV.read({ bytes: Buffer.from(text), filename: 'a.csv' });
    expect(document.blocks.length).toBeGreaterThan(0);
    expect(process.cpuUsage().user - started).toBeLessThan(MAX_MICROSECONDS);
  });

  it('keep cells that spreadsheets would compute as text', async () => {
    const text = 'name,value\n=1+1,+2\n-3,@x\n"=cmd|\'/c calc\'!A0",4';
    const document = await CSV.read({ bytes: Buffer.from(text), filename: 'a.csv' });
    expectLawful(document);
    expect(document.text).toBe(text);
    expect(document.mediaType).toBe('text/csv');
  });
});
