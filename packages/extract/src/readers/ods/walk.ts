// Tags of an OpenDocument spreadsheet → sheets of filled cells, in one pass. Cells and rows may claim any number of
// repetitions: empty ones cost nothing, filled ones are repeated within the bound on cells.
import { attributesOf, type XmlVisitor } from '../../package/xml.ts';
import {
  MAX_COLUMNS,
  MAX_ROWS,
  spendCell,
  type Range,
  type Sheet,
  type SheetCell,
  type SheetRow,
  type Spent,
} from '../../sheets/sheet.ts';
import type { OpenStyles } from '../open-document/styles.ts';

type Attributes = ReadonlyMap<string, string>;

/** Content that is no value of a cell, or no sheet. */
const SKIPPED: ReadonlySet<string> = new Set([
  'office:annotation',
  'office:forms',
  'table:tracked-changes',
  'table:dde-links',
  'table:shapes',
  'table:content-validations',
  'text:ruby-text',
  'draw:frame',
  'draw:custom-shape',
  'draw:control',
  'draw:g',
]);

/** Longest text of a cell; a longer one is cut. */
const MAX_TEXT = 32_767;
/** Merged ranges of a sheet and named ranges of a document that are kept. */
const MAX_KEPT = 100_000;

/** A sheet while it is read. */
interface OpenSheet {
  readonly name: string;
  readonly isHidden: boolean;
  readonly rows: SheetRow[];
  readonly merges: Range[];
  readonly titleRows: { top: number; bottom: number }[];
  readonly hiddenRows: number[];
  readonly hiddenColumns: Set<number>;
  /** Hidden columns with filled cells. */
  readonly leftOut: Set<number>;
  /** Number of the next row, and of the next column's definition. */
  row: number;
  column: number;
}

interface OpenRow {
  readonly cells: SheetCell[];
  readonly merges: Range[];
  readonly repeated: number;
  readonly isHidden: boolean;
  column: number;
}

interface OpenCell {
  readonly repeated: number;
  readonly attributes: Attributes;
  /** True for a cell below a merged one, which keeps a value that is not shown. */
  readonly isCovered: boolean;
  text: string;
  paragraphs: number;
  href: string | undefined;
}

/** Collects the sheets of a document while it is read. */
export class SpreadsheetWalk implements XmlVisitor {
  readonly #styles: OpenStyles;
  readonly #spent: Spent;
  readonly #sheets: OpenSheet[] = [];
  /** Ranges with the buttons of a filter, by the names of their sheets. */
  readonly #filters = new Map<string, Range[]>();
  #filterCount = 0;
  #sheet: OpenSheet | undefined;
  #row: OpenRow | undefined;
  #cell: OpenCell | undefined;
  #skipped = 0;
  #isInParagraph = false;

  constructor(styles: OpenStyles, spent: Spent) {
    this.#styles = styles;
    this.#spent = spent;
  }

  open(name: string, written: string): void {
    if (this.#skipped > 0 || SKIPPED.has(name)) {
      this.#skipped++;
      return;
    }
    if (this.#cell !== undefined) this.#openInCell(this.#cell, name, written);
    else if (name === 'table:table-cell' || name === 'table:covered-table-cell')
      this.#openCell(name, attributesOf(written));
    else if (name === 'table:table-row') this.#openRow(attributesOf(written));
    else if (name === 'table:table') this.#openSheet(attributesOf(written));
    else if (name === 'table:table-column') this.#openColumn(attributesOf(written));
    else if (name === 'table:table-header-rows') this.#openTitles();
    else if (name === 'table:database-range') this.#openFilter(attributesOf(written));
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    if (name === 'table:table-cell' || name === 'table:covered-table-cell') this.#closeCell();
    else if (name === 'table:table-row') this.#closeRow();
    else if (name === 'text:p') this.#isInParagraph = false;
    else if (name === 'table:table-header-rows') this.#closeTitles();
    else if (name === 'table:table' && this.#cell === undefined) this.#sheet = undefined;
  }

  text(text: string): void {
    if (this.#skipped === 0 && this.#isInParagraph) this.#add(text);
  }

  /** The visible sheets in order. Their rows end where the bound on cells is reached. */
  finish(): Sheet[] {
    for (const { isHidden, name, leftOut } of this.#sheets) {
      if (isHidden) this.#spent.hiddenSheets.push(name);
      else this.#spent.hiddenColumns += leftOut.size;
    }
    return this.#sheets
      .filter(({ isHidden }) => !isHidden)
      .map(({ name, rows, merges, titleRows, hiddenRows, hiddenColumns }) => ({
        name,
        rows,
        merges,
        titleRows,
        tables: [],
        filters: this.#filters.get(name) ?? [],
        hidden: { rows: hiddenRows, columns: hiddenColumns },
      }));
  }

  #openSheet(attributes: Attributes): void {
    this.#sheet = {
      name: attributes.get('name') ?? '',
      isHidden: this.#styles.isHiddenTable(attributes.get('style-name') ?? ''),
      rows: [],
      merges: [],
      titleRows: [],
      hiddenRows: [],
      hiddenColumns: new Set(),
      leftOut: new Set(),
      row: 0,
      column: 0,
    };
    this.#sheets.push(this.#sheet);
  }

  #openColumn(attributes: Attributes): void {
    const sheet = this.#sheet;
    if (sheet === undefined) return;
    const end = Math.min(MAX_COLUMNS, sheet.column + countOf(attributes, 'number-columns-repeated'));
    if (attributes.get('visibility') === 'collapse')
      for (let column = sheet.column; column < end; column++) sheet.hiddenColumns.add(column);
    sheet.column = end;
  }

  #openTitles(): void {
    const top = this.#sheet?.row ?? 0;
    this.#sheet?.titleRows.push({ top, bottom: top - 1 });
  }

  #closeTitles(): void {
    const last = this.#sheet?.titleRows.at(-1);
    if (last !== undefined) last.bottom = (this.#sheet?.row ?? 0) - 1;
  }

  #openRow(attributes: Attributes): void {
    this.#row = {
      cells: [],
      merges: [],
      repeated: countOf(attributes, 'number-rows-repeated'),
      // Rows that a filter hides are one click away.
      isHidden: attributes.get('visibility') === 'collapse',
      column: 0,
    };
  }

  #closeRow(): void {
    const [sheet, row, spent] = [this.#sheet, this.#row, this.#spent];
    this.#row = undefined;
    if (sheet === undefined || row === undefined) return;
    const end = Math.min(MAX_ROWS, sheet.row + row.repeated);
    if (row.cells.length > 0 && !sheet.isHidden)
      for (let index = sheet.row; index < end && !spent.isFull; index++) this.#addRow(sheet, row, index);
    sheet.row = end;
  }

  #addRow(sheet: OpenSheet, { cells, merges, isHidden }: OpenRow, index: number): void {
    const spent = this.#spent;
    if (isHidden) {
      spent.hiddenRows++;
      if (sheet.hiddenRows.length < MAX_KEPT) sheet.hiddenRows.push(index);
      return;
    }
    if (!cells.every(({ text }) => spendCell(spent, text))) return;
    sheet.rows.push({ index, cells });
    for (const { top, bottom, left, right } of merges)
      if (sheet.merges.length < MAX_KEPT)
        sheet.merges.push({ top: index + top, bottom: index + bottom, left, right });
  }

  #openCell(name: string, attributes: Attributes): void {
    if (this.#row === undefined) return;
    const repeated = countOf(attributes, 'number-columns-repeated');
    const isCovered = name === 'table:covered-table-cell';
    this.#cell = { repeated, attributes, isCovered, text: '', paragraphs: 0, href: undefined };
  }

  #openInCell(cell: OpenCell, name: string, written: string): void {
    if (name === 'text:p') {
      if (cell.paragraphs++ > 0) cell.text += '\n';
      this.#isInParagraph = true;
    } else if (name === 'text:line-break') this.#add('\n');
    else if (name === 'text:s' || name === 'text:tab') this.#add(' ');
    else if (name === 'text:a') cell.href ??= attributesOf(written).get('href');
  }

  #add(text: string): void {
    const cell = this.#cell;
    if (cell !== undefined && cell.text.length < MAX_TEXT) cell.text += text;
  }

  #closeCell(): void {
    const [row, cell, sheet] = [this.#row, this.#cell, this.#sheet];
    this.#cell = undefined;
    this.#isInParagraph = false;
    if (row === undefined || cell === undefined || sheet === undefined) return;
    const { attributes, repeated, href } = cell;
    const text = (cell.paragraphs === 0 ? valueIn(attributes) : cell.text.slice(0, MAX_TEXT)).trim();
    const [columns, rows] = [
      countOf(attributes, 'number-columns-spanned'),
      countOf(attributes, 'number-rows-spanned'),
    ];
    const start = row.column;
    row.column = Math.min(MAX_COLUMNS, start + repeated);
    if (text === '' || cell.isCovered) return;
    if (columns * rows > 1)
      row.merges.push({ top: 0, left: start, bottom: rows - 1, right: start + columns - 1 });
    const isBold = this.#styles.isBoldCell(attributes.get('style-name') ?? '');
    const isValue = !/^(?:string|)$/.test(attributes.get('value-type') ?? '');
    for (let column = start; column < row.column; column++) {
      if (sheet.hiddenColumns.has(column)) sheet.leftOut.add(column);
      else row.cells.push({ column, text, isBold, isValue, href });
    }
  }

  /** A range with the buttons of a filter: `Sheet1.A1:Sheet1.C9`, the name of the sheet perhaps in quotes. */
  #openFilter(attributes: Attributes): void {
    const [, quoted, plain, row] =
      /^\$?(?:'((?:[^']|'')+)'|([^.']+))\.\$?[A-Z]{1,3}\$?(\d{1,7})/.exec(
        attributes.get('target-range-address') ?? '',
      ) ?? [];
    const sheet = quoted?.replaceAll("''", "'") ?? plain;
    if (sheet === undefined || attributes.get('display-filter-buttons') !== 'true') return;
    const top = Number(row) - 1;
    if (++this.#filterCount > MAX_KEPT) return;
    const ranges = this.#filters.get(sheet) ?? [];
    ranges.push({ top, bottom: top, left: 0, right: 0 });
    this.#filters.set(sheet, ranges);
  }
}

/** A number of repetitions or spans, at least 1. */
function countOf(attributes: Attributes, name: string): number {
  const count = Number.parseInt(attributes.get(name) ?? '', 10);
  return count >= 1 ? Math.min(MAX_ROWS, count) : 1;
}

/** The value of a cell without text, from programs that leave its display to others. */
function valueIn(attributes: Attributes): string {
  const names = ['string-value', 'date-value', 'time-value', 'boolean-value', 'value'];
  return names.map((name) => attributes.get(name)).find((value) => value !== undefined) ?? '';
}
