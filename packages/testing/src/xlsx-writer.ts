// Writes XLSX files for tests from rows of values. Values go into shared strings; XML of one's own goes anywhere.
import { writeZip, type ZipEntry } from './docx-writer.ts';

/** A cell: a string, a number, a truth value, nothing, or a value with its style, formula or own XML. */
export type XlsxCell = string | number | boolean | null | XlsxCellSpec;

export interface XlsxCellSpec {
  readonly value?: string | number | boolean;
  /** Number of a style: an index in {@link XlsxSpec.styles}, from 1. */
  readonly style?: number;
  /** Formula without its sign. */
  readonly formula?: string;
  /** Type of the cell in place of the one of its value, as `e`, `str` or `inlineStr`. */
  readonly type?: string;
  /** Content of the cell in place of that of its value. */
  readonly xml?: string;
}

export interface XlsxSheet {
  readonly name: string;
  readonly rows: readonly (readonly XlsxCell[])[];
  /** Attributes of rows by their numbers from 1. */
  readonly rowAttributes?: Readonly<Record<number, string>>;
  /** XML before and behind the rows. */
  readonly before?: string;
  readonly behind?: string;
  /** `<Relationship>` elements of the sheet. */
  readonly relationships?: string;
  readonly state?: 'hidden' | 'veryHidden';
}

/** A style of cells. */
export interface XlsxStyle {
  /** Code of its number format, or the number of a built-in one. */
  readonly format?: string | number;
  readonly bold?: boolean;
}

export interface XlsxSpec {
  readonly sheets: readonly XlsxSheet[];
  readonly styles?: readonly XlsxStyle[];
  /** XML behind the sheets of the workbook. */
  readonly workbook?: string;
  readonly is1904?: boolean;
  readonly title?: string;
  /** Further parts. */
  readonly parts?: readonly ZipEntry[];
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** A workbook as a file. */
export function writeXlsx(spec: XlsxSpec): Uint8Array {
  return writeZip(xlsxEntries(spec));
}

/** The parts of a workbook. */
export function xlsxEntries({
  sheets,
  styles = [],
  workbook = '',
  is1904 = false,
  title,
  parts = [],
}: XlsxSpec): ZipEntry[] {
  const strings = new Map<string, number>();
  const written = sheets.map((sheet) => sheetXml(sheet, strings));
  const list = sheets.map(
    ({ name, state }, at) =>
      `<sheet name="${escaped(name)}" sheetId="${at + 1}"${state === undefined ? '' : ` state="${state}"`} r:id="rId${at + 1}"/>`,
  );
  const shared = [...strings.keys()].map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`);
  const references = [
    ...sheets.map((_, at) => relationship(`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`)),
    relationship('rIdStyles', 'styles', 'styles.xml'),
    relationship('rIdStrings', 'sharedStrings', 'sharedStrings.xml'),
  ];
  return [
    part('[Content_Types].xml', `<Types xmlns="${PACKAGE}/content-types"/>`),
    part('_rels/.rels', relationships(relationship('rId1', 'officeDocument', 'xl/workbook.xml'))),
    part(
      'xl/workbook.xml',
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr${is1904 ? ' date1904="1"' : ''}/>` +
        `<sheets>${list.join('')}</sheets>${workbook}</workbook>`,
    ),
    part('xl/_rels/workbook.xml.rels', relationships(references.join(''))),
    part('xl/styles.xml', stylesXml(styles)),
    part('xl/sharedStrings.xml', `<sst xmlns="${MAIN}">${shared.join('')}</sst>`),
    ...written.map((xml, at) => part(`xl/worksheets/sheet${at + 1}.xml`, xml)),
    ...sheets.flatMap(({ relationships: own }, at) =>
      own === undefined ? [] : [part(`xl/worksheets/_rels/sheet${at + 1}.xml.rels`, relationships(own))],
    ),
    ...(title === undefined
      ? []
      : [
          part(
            'docProps/core.xml',
            `<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${escaped(title)}</dc:title></cp:coreProperties>`,
          ),
        ]),
    ...parts,
  ];
}

/** A `<Relationship>`; external ones have the address of another file. */
export function relationship(id: string, type: string, target: string, isExternal = false): string {
  const mode = isExternal ? ' TargetMode="External"' : '';
  return `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${escaped(target)}"${mode}/>`;
}

/** The name of a column from 0: A, Z, AA. */
function columnName(column: number): string {
  const before = column < 26 ? '' : columnName(Math.floor(column / 26) - 1);
  return before + String.fromCharCode(0x41 + (column % 26));
}

function sheetXml(
  { rows, rowAttributes = {}, before = '', behind = '' }: XlsxSheet,
  strings: Map<string, number>,
): string {
  const lines = rows.map((cells, row) => {
    const written = cells.map((cell, column) => cellXml(cell, `${columnName(column)}${row + 1}`, strings));
    return `<row r="${row + 1}" ${rowAttributes[row + 1] ?? ''}>${written.join('')}</row>`;
  });
  return `<worksheet xmlns="${MAIN}" xmlns:r="${OFFICE}">${before}<sheetData>${lines.join('')}</sheetData>${behind}</worksheet>`;
}

function cellXml(cell: XlsxCell, reference: string, strings: Map<string, number>): string {
  if (cell === null) return '';
  const spec: XlsxCellSpec = typeof cell === 'object' ? cell : { value: cell };
  const style = spec.style === undefined ? '' : ` s="${spec.style}"`;
  const formula = spec.formula === undefined ? '' : `<f>${escaped(spec.formula)}</f>`;
  const [type, content] = contentOf(spec, strings);
  return `<c r="${reference}"${style}${type === '' ? '' : ` t="${type}"`}>${formula}${content}</c>`;
}

function contentOf({ value, type, xml }: XlsxCellSpec, strings: Map<string, number>): [string, string] {
  if (xml !== undefined) return [type ?? '', xml];
  if (value === undefined) return [type ?? '', ''];
  if (type !== undefined || typeof value === 'number')
    return [type ?? '', `<v>${escaped(String(value))}</v>`];
  if (typeof value === 'boolean') return ['b', `<v>${value ? 1 : 0}</v>`];
  const index = strings.get(value) ?? strings.size;
  strings.set(value, index);
  return ['s', `<v>${index}</v>`];
}

function stylesXml(styles: readonly XlsxStyle[]): string {
  const codes = styles.map(({ format }, at) =>
    typeof format === 'string' ? `<numFmt numFmtId="${200 + at}" formatCode="${escaped(format)}"/>` : '',
  );
  const cells = styles.map(({ format = 0, bold = false }, at) => {
    const id = typeof format === 'string' ? 200 + at : format;
    return `<xf numFmtId="${id}" fontId="${bold ? 1 : 0}"/>`;
  });
  return (
    `<styleSheet xmlns="${MAIN}"><numFmts>${codes.join('')}</numFmts><fonts><font/><font><b/></font></fonts>` +
    `<cellXfs><xf numFmtId="0" fontId="0"/>${cells.join('')}</cellXfs></styleSheet>`
  );
}

const part = (name: string, xml: string): ZipEntry => ({ name, content: HEAD + xml });

function relationships(list: string): string {
  return `<Relationships xmlns="${PACKAGE}/relationships">${list}</Relationships>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"\r\n]/g, (character) => `&#${character.charCodeAt(0)};`);
}
