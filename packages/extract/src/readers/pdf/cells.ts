// What both kinds of tables are made of: pieces of lines, gathered into cells, made nodes of the tree.
import type { CellNode, RowNode, TableNode } from '../../tree/node.ts';
import { joinLines, type Cell, type Line } from './text.ts';

/** A table with the lines that it is made of; it stands where the first of them does. */
export interface Table {
  readonly lines: readonly Line[];
  readonly node: TableNode;
  /** What parts its columns, from the left. */
  readonly gutters: readonly Gutter[];
  /** Whether they are lines. */
  readonly isRuled: boolean;
}

/** The white between two columns, or the line there. */
export interface Gutter {
  readonly from: number;
  readonly to: number;
}

/** A cell of a line, with that line. */
export interface Piece extends Cell {
  readonly line: Line;
}

/** A row of cells by column. */
export type Cells = Piece[][];

/** At least this share of the cells of a table are filled: boxes of a drawing and of a form are mostly empty. */
export const FILLED = 0.55;
/** Tables with more columns than this are plots and maps. */
export const MAX_COLUMNS = 60;
/** A cell with more characters than this is a page in a frame. */
export const MAX_CELL = 700;

/** A figure or the dash that stands for none. */
export const FIGURE = /^[\s\d.,:;%$€£¥+()/*–−-]+$/;

/**
 * Whether the first of some rows names the columns: it alone is bold, or it has labels above figures. In doubt it does
 * not, for what stands in a header is told again with each part of the table.
 */
export function namesColumns(rows: readonly (readonly (readonly Piece[])[])[]): boolean {
  const [first = [], ...others] = rows;
  const labels = first.filter((cell) => cell.length > 0);
  if (labels.length < 2 || others.length === 0) return false;
  if (labels.every((cell) => textOf(cell).length <= MAX_LABEL) && labels.every(isBold))
    return others.flat().filter(isBold).length * 2 < others.flat().length;
  return isAboveFigures(rows.map((row) => row.map((cell) => textOf(cell))));
}

/** Longer cells than this, in characters, name no column. */
const MAX_LABEL = 80;

function isBold(cell: readonly Piece[]): boolean {
  return cell.length > 0 && cell.every((piece) => piece.isBold);
}

/** Of the columns behind the first, so many have a label above figures when a row is a header. */
const FIGURES_SHARE = 0.6;

/** Whether the first row of some texts has labels where the others have figures. */
export function isAboveFigures([labels = [], ...others]: readonly (readonly string[])[]): boolean {
  const named = labels.filter((label, column) => {
    const values = others.map((texts) => texts[column] ?? '').filter((text) => text !== '');
    const figures = values.filter((text) => FIGURE.test(text));
    const isOver = values.length > 0 && figures.length >= FIGURES_SHARE * values.length;
    return column > 0 && label !== '' && !FIGURE.test(label) && isOver;
  });
  return labels.length > 1 && named.length >= FIGURES_SHARE * (labels.length - 1);
}

/** A row; `header` when it names the columns. */
export function rowNode(cells: CellNode[], header: boolean): RowNode {
  return { kind: 'row', header, cells };
}

/** A cell of one paragraph, or none when it is empty; backticks are escaped as in every table. */
export function cellNode(text: string, { colspan = 1, rowspan = 1 } = {}): CellNode {
  return {
    kind: 'cell',
    header: false,
    colspan,
    rowspan,
    children: text === '' ? [] : [{ kind: 'paragraph', text: text.replaceAll('`', '\\`') }],
  };
}

/**
 * The text of a cell: its pieces in the order of the stream, those of one line parted by a blank. The last words of
 * `broken` pieces go on in the next.
 */
export function textOf(pieces: readonly Piece[], broken?: ReadonlySet<Piece>): string {
  // Most cells are one piece: this runs several times for each.
  const [only] = pieces;
  if (pieces.length < 2) return only?.text ?? '';
  return joinLines(
    pieces.map((piece) => {
      const { text, line, right } = piece;
      return { text, isDivided: (line.isDivided && right === line.right) || broken?.has(piece) === true };
    }),
    ' ',
  );
}

/** Where pieces begin and where they end, each from the left. */
export interface Edges {
  readonly begins: Float64Array;
  readonly ends: Float64Array;
}

/** The edges of pieces. Typed arrays are sorted without a call for each comparison: a page of figures has thousands. */
export function edgesOf(pieces: readonly { readonly left: number; readonly right: number }[]): Edges {
  const begins = new Float64Array(pieces.length);
  const ends = new Float64Array(pieces.length);
  for (let at = 0; at < pieces.length; at++) {
    const { left = 0, right = 0 } = pieces[at] ?? {};
    begins[at] = left;
    ends[at] = Math.max(left, right);
  }
  return { begins: begins.sort(), ends: ends.sort() };
}
