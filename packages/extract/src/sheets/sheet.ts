// A sheet as the readers of spreadsheets find it, before its cells become tables: filled cells alone, by rows.

/** A filled cell. Its text is the displayed value. */
export interface SheetCell {
  /** From 0. */
  readonly column: number;
  /** Lines are separated by LF. */
  readonly text: string;
  /** True for a number, a date, a truth value or an error: no name of a column. */
  readonly isValue: boolean;
  readonly isBold: boolean;
  /** Target of its link. */
  readonly href?: string | undefined;
}

/** A row with filled cells. */
export interface SheetRow {
  /** From 0. */
  readonly index: number;
  /** In ascending order of their columns. */
  readonly cells: SheetCell[];
}

/** Cells of a sheet in rows and columns, both ends included. */
export interface Range {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** A table that the author has defined. */
export interface DefinedTable extends Range {
  /** Number of its first rows that name the columns. */
  readonly headers: number;
}

/** A sheet with what its author says about its rows. */
export interface Sheet {
  readonly name: string;
  /** In ascending order. */
  readonly rows: readonly SheetRow[];
  readonly merges: readonly Range[];
  readonly tables: readonly DefinedTable[];
  /** Rows that stay in view or repeat on each printed page: `bottom` is the last of them. */
  readonly titleRows: readonly Pick<Range, 'top' | 'bottom'>[];
  /** Ranges whose first row has the buttons of a filter. */
  readonly filters: readonly Range[];
  /** Rows, in ascending order, and columns that are not shown: no empty space parts what is beside them. */
  readonly hidden: { readonly rows: readonly number[]; readonly columns: ReadonlySet<number> };
}

/** The part of its bounds that a workbook has used, and the parts that its text leaves out. */
export interface Spent {
  /** Filled cells, and the characters of their texts. */
  cells: number;
  characters: number;
  /** Positions of tables. */
  positions: number;
  /** True once rows had to be left out. */
  isFull: boolean;
  /** Formulas without a saved result. */
  formulas: number;
  /** Names of hidden sheets. */
  readonly hiddenSheets: string[];
  hiddenRows: number;
  hiddenColumns: number;
}

/** A workbook of which nothing is read yet. */
export function nothingSpent(): Spent {
  return {
    cells: 0,
    characters: 0,
    positions: 0,
    isFull: false,
    formulas: 0,
    hiddenSheets: [],
    hiddenRows: 0,
    hiddenColumns: 0,
  };
}

/** Filled cells of a workbook that are read. Each takes some 700 bytes until the document is written. */
export const MAX_CELLS = 400_000;

/** UTF-16 units of their texts: one long string may stand in every cell. */
export const MAX_CHARACTERS = 16 << 20;

/** Counts a filled cell. Returns false once a bound is reached. */
export function spendCell(spent: Spent, { length }: string): boolean {
  spent.cells++;
  spent.characters += length;
  if (spent.cells > MAX_CELLS || spent.characters > MAX_CHARACTERS) spent.isFull = true;
  return !spent.isFull;
}

/** Positions of the tables of a workbook, empty ones included: sparse rows of many columns cost their width. */
export const MAX_POSITIONS = 600_000;

/** The rows and columns of the widest spreadsheet programs. */
export const MAX_ROWS = 1_048_576;
export const MAX_COLUMNS = 16_384;

/** Rows as {@link Sheet.rows} has them, from rows in any order; of two cells in one place the later one. */
export function inOrder(rows: readonly SheetRow[]): readonly SheetRow[] {
  const isSorted = <Item>(items: readonly Item[], at: (item: Item) => number): boolean =>
    items.every((item, index) => index === 0 || at(item) > at(items[index - 1] ?? item));
  const byRow = isSorted(rows, ({ index }) => index) ? rows : joined(rows);
  return byRow.map((row) =>
    isSorted(row.cells, ({ column }) => column)
      ? row
      : { ...row, cells: [...new Map(row.cells.map((cell) => [cell.column, cell])).values()].sort(byColumn) },
  );
}

function joined(rows: readonly SheetRow[]): readonly SheetRow[] {
  const found = new Map<number, SheetCell[]>();
  for (const { index, cells } of rows) {
    const known = found.get(index);
    if (known === undefined) found.set(index, [...cells]);
    else for (const cell of cells) known.push(cell);
  }
  return [...found].sort(([one], [other]) => one - other).map(([index, cells]) => ({ index, cells }));
}

const byColumn = (one: SheetCell, other: SheetCell): number => one.column - other.column;
