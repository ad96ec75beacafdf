// Tables of RTF: cells come as text between `\cell`s, and the edges of their row before or behind them.
import { firstIndex } from '../../search.ts';
import { TreeBuilder } from '../../tree/builder.ts';
import type { LinkTargets } from '../../tree/links.ts';
import type { TreeNode } from '../../tree/node.ts';

/** The definition of a cell (specification, "Table Definitions"). */
export interface CellDefinition {
  /** Right edge in twips. */
  readonly right: number;
  /** Continues the cell at its left. */
  readonly joinsLeft: boolean;
  /** Continues the cell above. */
  readonly joinsAbove: boolean;
}

interface Row {
  readonly cells: readonly (readonly TreeNode[])[];
  readonly definitions: readonly CellDefinition[];
  readonly isHeader: boolean;
}

/** Edges closer than this in twips are the same one: a millimetre. */
const SAME_EDGE = 57;

/** A table while it is read. */
export class OpenTable {
  /** Builder of the open cell. */
  cell: TreeBuilder;
  isFramed = false;
  readonly #targets: LinkTargets;
  readonly #rows: Row[] = [];
  #cells: (readonly TreeNode[])[] = [];

  constructor(targets: LinkTargets) {
    this.#targets = targets;
    this.cell = new TreeBuilder(targets);
  }

  endCell(): void {
    this.#cells.push(this.cell.finish());
    this.cell = new TreeBuilder(this.#targets);
  }

  endRow(definitions: readonly CellDefinition[], isHeader: boolean): void {
    const rest = this.cell.finish();
    this.cell = new TreeBuilder(this.#targets);
    if (rest.length > 0) this.#cells.push(rest);
    if (this.#cells.length > 0) this.#rows.push({ cells: this.#cells, definitions, isHeader });
    this.#cells = [];
  }

  /** Writes the table; a row without an end is one. */
  writeTo(builder: TreeBuilder): void {
    this.endRow([], false);
    if (this.#rows.length === 0) return;
    const edges = edgesOf(this.#rows);
    builder.openTable(this.isFramed ? { isFramed: true } : {});
    /** The open cell of each left edge, for the ones that continue it below. */
    const above = new Map<number, { rowspan: number }>();
    for (const row of this.#rows) {
      builder.openRow({ header: row.isHeader });
      writeCells(row, edges, above, builder);
      builder.close();
    }
    builder.close();
  }
}

function writeCells(
  { cells, definitions }: Row,
  edges: readonly number[],
  above: Map<number, { rowspan: number }>,
  builder: TreeBuilder,
): void {
  let column = 0;
  for (let at = 0; at < cells.length; at++) {
    const content = [...(cells[at] ?? [])];
    const definition = definitions[at];
    const start = column;
    column = definition === undefined ? column + 1 : Math.max(start + 1, columnOf(edges, definition.right));
    while (at + 1 < cells.length && definitions[at + 1]?.joinsLeft === true) {
      column = Math.max(column, columnOf(edges, definitions[at + 1]?.right ?? 0));
      for (const node of cells[++at] ?? []) content.push(node);
    }
    const covering = definition?.joinsAbove === true ? above.get(start) : undefined;
    if (covering !== undefined) {
      covering.rowspan++;
      continue;
    }
    builder.openCell({ colspan: column - start });
    const opened = builder.cell;
    if (opened === undefined) above.delete(start);
    else above.set(start, opened);
    for (const node of content) builder.add(node);
    builder.close();
  }
}

/** Right edges of all columns, ascending. */
function edgesOf(rows: readonly Row[]): number[] {
  // Rows share their definitions until the next one: a thousand of them may stand for each row of ten bytes.
  const definitions = [...new Set(rows.map((row) => row.definitions))].flat();
  const all = definitions.map(({ right }) => right).sort((a, b) => a - b);
  const edges: number[] = [];
  for (const edge of all) if (edge - (edges.at(-1) ?? -Infinity) > SAME_EDGE) edges.push(edge);
  return edges;
}

/** Number of columns up to an edge. */
function columnOf(edges: readonly number[], right: number): number {
  return firstIndex(edges, (edge) => edge > right);
}
