// Tables of Word → calls of the tree builder: the cells that continue a cell above, the rows that name the columns, and
// the borders of the cells. A table without borders or colours is often a frame for columns of text.
import type { TreeBuilder } from '../../tree/builder.ts';
import { MAX_COLSPAN, type TableNode } from '../../tree/node.ts';
import { isLine, type Styles } from './styles.ts';
import { attributeOf, isOn, valueOf, type Properties } from '../../package/xml.ts';

/** Cells that may go on in the next row, by their first column. */
type Merged = Map<number, { rowspan: number }>;

/** An open table. It enters the builder once its properties are known. */
interface OpenTable {
  isOpen: boolean;
  node: Pick<TableNode, 'isFramed'> | undefined;
  /** True until the first row, if the style sets that row off. */
  isHeadDue: boolean;
  /** Column of the next cell. */
  column: number;
  merged: Merged;
  row: OpenRow | undefined;
}

/** An open row. It enters the builder with its first cell. */
interface OpenRow {
  isHeader: boolean;
  /** Columns that the row skips at its beginning. */
  before: number;
  isOpen: boolean;
  readonly merged: Merged;
}

/** The open tables, each in a cell of the one before. */
export class WordTables {
  readonly #builder: TreeBuilder;
  readonly #styles: Styles;
  readonly #open: OpenTable[] = [];
  /** True between the start of a cell and its first content. */
  #isCellPending = false;

  constructor(builder: TreeBuilder, styles: Styles) {
    this.#builder = builder;
    this.#styles = styles;
  }

  /**
   * True while a cell waits for {@link enterCell}: called with its properties, or with none before its first content.
   */
  get isCellPending(): boolean {
    return this.#isCellPending;
  }

  open(): void {
    this.#open.push({
      isOpen: false,
      node: undefined,
      isHeadDue: false,
      column: 0,
      merged: new Map(),
      row: undefined,
    });
  }

  close(): void {
    if (this.#open.pop()?.isOpen === true) this.#builder.close();
  }

  /** The properties of a table, before its first row. */
  enterTable(properties: Properties): void {
    const table = this.#open.at(-1);
    if (table === undefined || table.isOpen) return;
    const style = this.#styles.table(valueOf(properties, 'w:tblStyle'));
    table.isHeadDue = style.marksFirstRow && usesFirstRow(properties.get('w:tblLook') ?? '');
    const own = [...properties].filter(([name]) => name.startsWith(BORDERS));
    const borders = new Map([
      ...style.borders,
      ...own.map(([name, written]) => [name.slice(BORDERS.length), isLine(written)] as const),
    ]);
    this.#begin(table, style.isColoured || [...borders.values()].some(Boolean));
  }

  #begin(table: OpenTable, isFramed: boolean): void {
    table.isOpen = true;
    table.node = this.#builder.openTable({ isFramed });
  }

  openRow(): void {
    const table = this.#open.at(-1);
    if (table === undefined) return;
    if (!table.isOpen) this.#begin(table, false);
    table.row = { isHeader: table.isHeadDue, before: 0, isOpen: false, merged: new Map() };
    table.column = 0;
  }

  closeRow(): void {
    const table = this.#open.at(-1);
    if (table?.row?.isOpen !== true) return;
    this.#builder.close();
    table.merged = table.row.merged;
    table.isHeadDue = false;
  }

  /** The properties of a row. Returns false for a deleted row. */
  enterRow(properties: Properties): boolean {
    const row = this.#open.at(-1)?.row;
    if (row === undefined) return true;
    row.isHeader ||= isOn(properties.get('w:tblHeader'));
    row.before = Math.min(MAX_COLSPAN, Number.parseInt(valueOf(properties, 'w:gridBefore'), 10) || 0);
    return !properties.has('w:del');
  }

  /** False outside rows. */
  openCell(): boolean {
    const table = this.#open.at(-1);
    if (table?.row === undefined) return false;
    if (!table.row.isOpen) this.#beginRow(table, table.row);
    this.#isCellPending = true;
    return true;
  }

  #beginRow(table: OpenTable, row: OpenRow): void {
    row.isOpen = true;
    this.#builder.openRow({ header: row.isHeader });
    if (row.before === 0) return;
    this.#builder.openCell({ colspan: row.before });
    this.#builder.close();
    table.column = row.before;
  }

  /** Puts the cell into the builder. Returns false when the cell continues another one, or was deleted. */
  enterCell(properties: Properties): boolean {
    this.#isCellPending = false;
    const table = this.#open.at(-1);
    const row = table?.row;
    if (table === undefined || row === undefined) return true;
    const { column } = table;
    const colspan = Math.min(MAX_COLSPAN, Number.parseInt(valueOf(properties, 'w:gridSpan'), 10) || 1);
    const merge = properties.get('w:vMerge');
    const above = table.merged.get(column);
    table.column += colspan;
    if (table.node !== undefined && isSetOff(properties)) table.node.isFramed = true;
    if (merge !== undefined && attributeOf(merge, 'val') !== 'restart' && above !== undefined) {
      above.rowspan++;
      row.merged.set(column, above);
      return false;
    }
    if (properties.has('w:cellDel') || valueOf(properties, 'w:hMerge') === 'continue') return false;
    this.#builder.openCell({ colspan });
    const { cell } = this.#builder;
    if (merge !== undefined && cell !== undefined) row.merged.set(column, cell);
    return true;
  }
}

const BORDERS = 'w:tblBorders ';

/**
 * True if a table uses the style's first row: by name, or in older programs by a bit (ECMA-376 part 1, section
 * 17.4.55).
 */
function usesFirstRow(look: string): boolean {
  const named = attributeOf(look, 'firstRow');
  if (named !== '') return /^(?:1|true|on)$/.test(named);
  return (Number.parseInt(attributeOf(look, 'val'), 16) & 0x20) !== 0;
}

/** True if a cell has lines or a colour of its own. */
function isSetOff(properties: Properties): boolean {
  if (properties.size === 0) return false;
  const shade = properties.get('w:shd');
  if (shade !== undefined && !/^(?:|auto|ffffff)$/i.test(attributeOf(shade, 'fill'))) return true;
  for (const [name, written] of properties)
    if (name.startsWith('w:tcBorders ') && isLine(written)) return true;
  return false;
}
