// Workbooks and delimited values made to break readers, beside those that all files of office programs share
// (office-hostile.slow.test.ts). Each ends in a coded error or in a text within the bounds.
import { describe, expect, it } from 'vitest';
import { XLSX } from '../src/readers/xlsx/index.ts';
import { CSV } from '../src/readers/csv/index.ts';
import { writeZip } from '@grainline/testing/docx-writer';
import { writeXlsx, xlsxEntries, type XlsxSheet } from '@grainline/testing/xlsx-writer';
import { expectLawful, MAX_MICROSECONDS, outcomeOf } from './laws.ts';

const sheetOf = (more: Partial<XlsxSheet> = {}): XlsxSheet => ({ name: 'S', rows: [['a', 1]], ...more });

/** A workbook with one part in place of its own. */
function withPart(name: string, content: string): Uint8Array {
  const entries = xlsxEntries({ sheets: [sheetOf()] });
  return writeZip([...entries.filter((entry) => entry.name !== name), { name, content }]);
}

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const SHEET = 'xl/worksheets/sheet1.xml';
const rows = (xml: string): string => `<worksheet ${MAIN}><sheetData>${xml}</sheetData></worksheet>`;

describe('a workbook', () => {
  it.each([
    [
      'a sheet of blanks',
      withPart(SHEET, `<worksheet ${MAIN}>${' '.repeat(250 << 20)}</worksheet>`),
      /too_large|corrupted/,
    ],
    ['a sheet cut off', withPart(SHEET, `<worksheet ${MAIN}><sheetData><row><c>`), /corrupted/],
    ['a sheet of another kind', withPart(SHEET, '<html/>'), /empty_document/],
    ['no sheets', withPart('xl/workbook.xml', `<workbook ${MAIN}/>`), /empty_document/],
  ])('of %s ends in a coded error', async (_, bytes, code) => {
    expect(await outcomeOf(bytes, 'a.xlsx')).toMatch(code);
  });

  it.each([
    [
      'a hundred thousand column definitions',
      sheetOf({ before: `<cols>${'<col min="3" max="16384" hidden="1"/>'.repeat(100_000)}</cols>` }),
    ],
    ['a format of many sections', sheetOf({ rows: [['a', { value: 1, style: 1 }]] })],
  ])('with %s is read', async (_, sheet) => {
    const format = '[>1]0;'.repeat(5000);
    const text = await outcomeOf(writeXlsx({ sheets: [sheet], styles: [{ format }] }), 'a.xlsx');
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
});

function cellAt(at: number): string {
  let [name, rest] = ['', at + 1];
  for (; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(0x41 + ((rest - 1) % 26)) + name;
  return `<c r="${name}${at + 1}"><v>1</v></c>`;
}

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
