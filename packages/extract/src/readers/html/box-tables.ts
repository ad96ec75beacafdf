// Tables of boxes, which only style sheets set side by side: those with ARIA roles on their parts, and the grids of
// Javadoc, in which classes mark the cells and the ends of rows.
import type { TreeBuilder } from '../../tree/builder.ts';
import {
  integerOf,
  isGridCell,
  isGridOfBoxes,
  isGridHeader,
  isGridRowEnd,
  roleOf,
  type Attributes,
} from './attributes.ts';
import type { AtEnd, OpenElements } from './open-elements.ts';

/** The innermost table of boxes that is open. */
interface BoxTable {
  /** Position of its element. */
  readonly position: number;
  /** True where its boxes are cells, with no box around a row. */
  readonly isGrid: boolean;
  /** Position of the row that is open, or -1; in a grid that of the table. */
  row: number;
}

/** The tables of boxes that are open. */
export class BoxTables {
  readonly #builder: TreeBuilder;
  readonly #elements: OpenElements;
  #table: BoxTable | undefined;

  constructor(builder: TreeBuilder, elements: OpenElements) {
    this.#builder = builder;
    this.#elements = elements;
  }

  /**
   * Opens a table or a part of a table, before its element is pushed, and returns the callback for its end; `undefined`
   * for other elements.
   */
  open(attributes: Attributes): AtEnd | undefined {
    if ((attributes.size === 0 && this.#table === undefined) || this.#builder.isInCode) return undefined;
    const role = roleOf(attributes);
    if (role === 'table' || isGridOfBoxes(attributes)) return this.#openTable(role !== 'table');
    const table = this.#table;
    // A table of HTML inside has parts of its own.
    if (table === undefined || this.#elements.last('table') > table.position) return undefined;
    if (table.isGrid) {
      const isCell = this.#elements.length === table.position + 1 && isGridCell(attributes);
      return isCell ? this.#openBox(table, attributes) : undefined;
    }
    if (role === 'row') return this.#openRow(table);
    const isCell = (role === 'cell' || role === 'header') && table.row > -1;
    return isCell ? this.#openCell(role === 'header', attributes) : undefined;
  }

  #openTable(isGrid: boolean): AtEnd {
    const outside = this.#table;
    const table = { position: this.#elements.length, isGrid, row: -1 };
    this.#table = table;
    this.#builder.openTable();
    return () => {
      if (isGrid && table.row > -1) this.#builder.close();
      this.#builder.close();
      this.#table = outside;
    };
  }

  #openRow(table: BoxTable): AtEnd {
    const outside = table.row;
    table.row = this.#elements.length;
    this.#builder.openRow({ header: false });
    return () => {
      table.row = outside;
      this.#builder.close();
    };
  }

  #openBox(table: BoxTable, attributes: Attributes): AtEnd {
    if (table.row === -1) {
      table.row = table.position;
      this.#builder.openRow({ header: false });
    }
    const close = this.#openCell(isGridHeader(attributes), attributes);
    if (!isGridRowEnd(attributes)) return close;
    return () => {
      close();
      table.row = -1;
      this.#builder.close();
    };
  }

  #openCell(header: boolean, attributes: Attributes): AtEnd {
    this.#builder.openCell({
      header,
      colspan: integerOf(attributes.get('aria-colspan')),
      rowspan: integerOf(attributes.get('aria-rowspan')),
    });
    return () => this.#builder.close();
  }
}
