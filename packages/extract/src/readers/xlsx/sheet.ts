// A worksheet part → its filled cells with their displayed values, and what its author says about rows and columns.
import type { OfficePackage } from '../../package/office.ts';
import { attributeOf, attributesOf, type XmlVisitor } from '../../package/xml.ts';
import {
  inOrder,
  MAX_COLUMNS,
  MAX_ROWS,
  spendCell,
  type DefinedTable,
  type Range,
  type Sheet,
  type SheetRow,
  type Spent,
} from '../../sheets/sheet.ts';
import { cellAt, rangeOf } from './references.ts';
import { StringText, unescape, type Strings } from './strings.ts';
import type { CellStyles } from './styles.ts';
import { isFiltered, readTable } from './tables.ts';

/** The facts that a sheet needs while it is read. */
export interface SheetSource extends Pick<Sheet, 'name' | 'titleRows'> {
  readonly styles: CellStyles;
  readonly strings: Strings;
  readonly spent: Spent;
  /** True once the parts so far have more tags than are read. */
  readonly isTooLong: () => boolean;
}

/** Ranges, links and tables of a sheet that are kept. */
const MAX_KEPT = 100_000;
/** Column elements of a sheet that are looked at. */
const MAX_COLUMN_ELEMENTS = 1000;

/** Reads a sheet, and the names of its drawings. */
export function readSheet(
  parts: OfficePackage,
  part: string,
  source: SheetSource,
): { readonly sheet: Sheet; readonly drawings: readonly string[] } {
  const { spent, isTooLong } = source;
  const visitor = new SheetVisitor(source);
  parts.stream(part, visitor, () => {
    if (isTooLong()) spent.isFull = true;
    return spent.isFull;
  });
  const relationships = parts.relationshipsOf(part);
  const targetOf = (id: string): string | undefined => {
    const found = relationships.get(id);
    return found?.isExternal === false ? found.target : undefined;
  };
  const tables = visitor.tables.map((id) => readTable(parts, targetOf(id)));
  const links = visitor.links.flatMap(({ range, id }) => {
    const found = relationships.get(id);
    return found?.isExternal === true ? [{ range, href: found.target }] : [];
  });
  return {
    sheet: visitor.sheet(
      tables.filter((table) => table !== undefined),
      links,
    ),
    drawings: visitor.drawings.map(targetOf).filter((name) => name !== undefined),
  };
}

/** A cell while it is read. */
interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  value: string;
  formula: string;
  hasValue: boolean;
}

interface Row extends SheetRow {
  readonly isHidden: boolean;
}

interface LinkedRange {
  readonly range: Range;
  readonly href: string;
}

/** Collects a sheet while it is read. */
class SheetVisitor implements XmlVisitor {
  readonly tables: string[] = [];
  readonly drawings: string[] = [];
  readonly links: { readonly range: Range; readonly id: string }[] = [];
  readonly #source: SheetSource;
  readonly #rows: Row[] = [];
  readonly #merges: Range[] = [];
  readonly #filters: (Range & { isActive?: boolean })[] = [];
  readonly #frozen: Pick<Range, 'top' | 'bottom'>[] = [];
  /** 1 for a hidden column, 2 for one with filled cells. */
  readonly #hiddenColumns = new Uint8Array(MAX_COLUMNS);
  readonly #hiddenRows: number[] = [];
  #columnElements = 0;
  readonly #string = new StringText();
  #row: Row = { index: -1, cells: [], isHidden: false };
  #column = -1;
  #cell: OpenCell | undefined;
  #inside: 'value' | 'formula' | undefined;

  constructor(source: SheetSource) {
    this.#source = source;
  }

  open(name: string, written: string): void {
    switch (name) {
      case 'x:c':
        this.#openCell(written);
        return;
      case 'x:v':
        this.#inside = 'value';
        if (this.#cell !== undefined) this.#cell.hasValue = true;
        return;
      case 'x:f':
        this.#inside = 'formula';
        return;
      case 'x:row':
        this.#openRow(written);
        return;
      case 'x:t':
      case 'x:rPh':
        this.#string.open(name);
        return;
      default:
        this.#openOther(name, written);
    }
  }

  #openOther(name: string, written: string): void {
    const range = (): Range | undefined => rangeOf(attributeOf(written, 'ref'));
    const keep = <Item>(items: Item[], item: Item | undefined): void => {
      if (item !== undefined && items.length < MAX_KEPT) items.push(item);
    };
    if (name === 'x:mergeCell') keep(this.#merges, range());
    else if (name === 'x:autoFilter') keep(this.#filters, range());
    else if (name === 'x:filterColumn') this.#activate();
    else if (name === 'x:col') this.#openColumns(written);
    else if (name === 'x:pane') this.#openPane(written);
    else if (name === 'x:tablePart') keep(this.tables, attributeOf(written, 'id'));
    else if (name === 'x:drawing') keep(this.drawings, attributeOf(written, 'id'));
    else if (name === 'x:hyperlink') {
      const [linked, id] = [range(), attributeOf(written, 'id')];
      keep(this.links, linked === undefined || id === '' ? undefined : { range: linked, id });
    }
  }

  close(name: string): void {
    if (name === 'x:c') this.#closeCell();
    else if (name === 'x:v' || name === 'x:f') this.#inside = undefined;
    else if (name === 'x:t' || name === 'x:rPh') this.#string.close(name);
    else if (name === 'x:row' && this.#row.cells.length > 0) this.#rows.push(this.#row);
  }

  text(text: string): void {
    const cell = this.#cell;
    if (cell === undefined) return;
    if (this.#inside === 'value') cell.value += text;
    else if (this.#inside === 'formula') cell.formula += text;
    else this.#string.text(text);
  }

  #openRow(written: string): void {
    const number = Number(valueOf(written, 'r') || this.#row.index + 2);
    const isRow = Number.isInteger(number) && number > 0 && number <= MAX_ROWS;
    // A collapsed group is one click away.
    const isHidden = isTrue(valueOf(written, 'hidden')) && !(Number(valueOf(written, 'outlineLevel')) > 0);
    this.#row = { index: isRow ? number - 1 : this.#row.index + 1, cells: [], isHidden };
    if (isHidden) this.#hiddenRows.push(this.#row.index);
    this.#column = -1;
  }

  #openCell(written: string): void {
    const reference = valueOf(written, 'r');
    const found = reference === '' ? undefined : cellAt(reference);
    this.#column = found?.column ?? this.#column + 1;
    this.#cell = {
      column: this.#column,
      type: valueOf(written, 't') || 'n',
      style: Number(valueOf(written, 's')),
      value: '',
      formula: '',
      hasValue: false,
    };
  }

  #closeCell(): void {
    const cell = this.#cell;
    this.#cell = undefined;
    if (cell === undefined || cell.column >= MAX_COLUMNS) return;
    const { spent, styles } = this.#source;
    const inline = this.#string.take();
    const text = (cell.type === 'inlineStr' ? inline : this.#display(cell)).trim();
    if (text === '') return;
    if (this.#hiddenColumns[cell.column] !== 0) {
      this.#hiddenColumns[cell.column] = 2;
      return;
    }
    if (!spendCell(spent, text)) return;
    this.#row.cells.push({
      column: cell.column,
      text,
      isValue: cell.hasValue && !/^(?:s|str)$/.test(cell.type),
      isBold: styles.at(cell.style).isBold,
      href: linkIn(cell.formula),
    });
  }

  /** The displayed value; the formula where it has no result. */
  #display({ type, value, style, formula, hasValue }: OpenCell): string {
    const { styles, strings, spent } = this.#source;
    if (!hasValue) {
      if (formula.trim() === '') return '';
      spent.formulas++;
      return `=${formula}`;
    }
    if (type === 's') return strings.at(Number(value));
    if (type === 'str' || type === 'd') return unescape(value);
    if (type === 'b') return isTrue(value.trim()) ? 'TRUE' : 'FALSE';
    const number = Number(value);
    if (type === 'e' || value.trim() === '' || !Number.isFinite(number)) return value;
    return styles.at(style).format.display(number, styles.is1904);
  }

  #openColumns(written: string): void {
    if (++this.#columnElements > MAX_COLUMN_ELEMENTS) return;
    const attributes = attributesOf(written);
    if (!isTrue(attributes.get('hidden') ?? '') || Number(attributes.get('outlineLevel') ?? 0) > 0) return;
    const [min, max] = [Number(attributes.get('min')), Number(attributes.get('max'))];
    this.#hiddenColumns.fill(1, Math.max(0, min - 1), Math.max(0, max));
  }

  #openPane(written: string): void {
    const attributes = attributesOf(written);
    const rows = Number(attributes.get('ySplit'));
    if (attributes.get('state')?.startsWith('frozen') === true && rows > 0)
      this.#frozen.push({ top: 0, bottom: Math.floor(rows) - 1 });
  }

  /** A filter hides the rows that it does not show: they are no hidden rows. */
  #activate(): void {
    const last = this.#filters.at(-1);
    if (last !== undefined) last.isActive = true;
  }

  sheet(
    tables: readonly (DefinedTable & { readonly isFiltered: boolean })[],
    links: readonly LinkedRange[],
  ): Sheet {
    const { name, titleRows, spent } = this.#source;
    const filters = [
      ...this.#filters.filter(({ isActive }) => isActive),
      ...tables.filter((table) => table.isFiltered),
    ];
    const shown = this.#rows.filter((row) => !row.isHidden || isFiltered(row.index, filters));
    spent.hiddenRows += this.#rows.length - shown.length;
    const columns = new Set<number>();
    for (const [column, state] of this.#hiddenColumns.entries()) {
      if (state > 0) columns.add(column);
      if (state === 2) spent.hiddenColumns++;
    }
    return {
      name,
      rows: withLinks(inOrder(shown), links),
      merges: this.#merges,
      tables,
      titleRows: [...titleRows, ...this.#frozen],
      filters: this.#filters,
      hidden: {
        rows: this.#hiddenRows.filter((row) => !isFiltered(row, filters)).sort((one, other) => one - other),
        columns,
      },
    };
  }
}

/** The link of a cell by its formula. */
function linkIn(formula: string): string | undefined {
  return formula === '' ? undefined : /^\s*HYPERLINK\(\s*"([^"]+)"/i.exec(formula)?.[1];
}

/** Rows with the links of their cells. Ranges of links share a bound on their cells. */
function withLinks(rows: readonly SheetRow[], links: readonly LinkedRange[]): readonly SheetRow[] {
  if (links.length === 0) return rows;
  const hrefs = new Map<number, string>();
  let free = MAX_KEPT;
  for (const { range, href } of links)
    for (let row = range.top; row <= range.bottom && free > 0; row++)
      for (let column = range.left; column <= range.right && free > 0; column++, free--)
        hrefs.set(row * MAX_COLUMNS + column, href);
  return rows.map(({ index, cells }) => ({
    index,
    cells: cells.map((cell) => {
      const href = hrefs.get(index * MAX_COLUMNS + cell.column);
      return href === undefined ? cell : { ...cell, href };
    }),
  }));
}

/** A truth value of an attribute or a cell. */
function isTrue(value: string): boolean {
  return value === '1' || value === 'true' || value === 'on';
}

/**
 * One attribute of a cell or a row, in the form that programs write: a search takes a quarter of the time of reading
 * all attributes.
 */
function valueOf(written: string, name: string): string {
  const start = written.indexOf(` ${name}="`);
  if (start === -1)
    return written.includes(`${name}=`) || written.includes(`${name} `) ? attributeOf(written, name) : '';
  const from = start + name.length + 3;
  const value = written.slice(from, written.indexOf('"', from));
  return value.includes('&') ? attributeOf(written, name) : value;
}
