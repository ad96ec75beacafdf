// The parts of both kinds of tables: pieces of lines, gathered into cells, turned into nodes of the tree.
import type { CellNode, RowNode, TableNode } from '../../../tree/node.ts';
import { joinLines, type Cell, type TextLine } from '../lines/text.ts';
import { joinGlyphs } from '../../../tree/glyphs.ts';

/** A table with its lines; it takes the position of the first. */
export interface Table {
  readonly lines: readonly TextLine[];
  readonly node: TableNode;
  /** The separators of its columns, from the left. */
  readonly gutters: readonly Gutter[];
  /** True if they are lines. */
  readonly isRuled: boolean;
}

/** The white space, or the line, between two columns. */
export interface Gutter {
  readonly from: number;
  readonly to: number;
}

/** A cell of a line, with that line. */
export interface Piece extends Cell {
  readonly line: TextLine;
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

/** A number in groups of three figures, or its beginning. */
const GROUPED = /^\D*\d{1,3}(?:,\d{3})*(?:,\d{0,3})?(?:\.\d*)?[)%]*$/;

/** True if a text goes on with the figures of a number that a narrow cell has broken: "502,0", "01". */
export function goesOnInFigures(above: string, below: string): boolean {
  const isOpen = (/,\d{0,2}$/.test(above) && /^\d/.test(below)) || (/\d$/.test(above) && /^,\d/.test(below));
  return isOpen && GROUPED.test(above + below);
}

/**
 * True if the first of some rows names the columns: it alone is bold, or it has labels above figures. In doubt it does
 * not, because a header repeats with each part of the table.
 */
export function namesColumns(rows: readonly (readonly (readonly Piece[])[])[]): boolean {
  const [first = [], ...others] = rows;
  if (first.filter((cell) => cell.length > 0).length < 2 || others.length === 0) return false;
  if (areBoldLabels(first)) return areMostlyPlain(others);
  return isAboveFigures(rows.map((row) => row.map((cell) => textOf(cell))));
}

/** True if the first of some rows has a bold label in each column, and the others are not bold. */
export function isHeaded([first = [], ...others]: readonly Cells[]): boolean {
  return first.every((cell) => cell.length > 0) && areBoldLabels(first) && areMostlyPlain(others);
}

/** True if the cells of a row that are not empty are short and bold. */
function areBoldLabels(row: readonly (readonly Piece[])[]): boolean {
  const labels = row.filter((cell) => cell.length > 0);
  return labels.every((cell) => textOf(cell).length <= MAX_LABEL) && labels.every(isBold);
}

function areMostlyPlain(rows: readonly (readonly (readonly Piece[])[])[]): boolean {
  return rows.flat().filter(isBold).length * 2 < rows.flat().length;
}

/** Longer cells than this, in characters, name no column. */
const MAX_LABEL = 80;

function isBold(cell: readonly Piece[]): boolean {
  return cell.length > 0 && cell.every((piece) => piece.isBold);
}

/** This share of the columns behind the first has a label above figures when a row is a header. */
const FIGURES_SHARE = 0.6;

/** True if the first row of some texts has labels where the others have figures. */
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

/**
 * A cell of one paragraph, or none when it is empty; backticks are escaped as in every table. The last words of
 * `broken` pieces go on in the next.
 */
export function cellNode(
  pieces: readonly Piece[],
  broken?: ReadonlySet<Piece>,
  { colspan = 1, rowspan = 1 } = {},
): CellNode {
  const text = textOf(pieces, broken);
  return {
    kind: 'cell',
    header: false,
    colspan,
    rowspan,
    children:
      text === '' ? [] : [{ kind: 'paragraph', text: text.replaceAll('`', '\\`'), ...joinGlyphs(pieces) }],
  };
}

/**
 * The text of a cell: its pieces in the order of the stream, with a blank between those of one line. The last words of
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

/** The left and right edges of pieces, each from the left. */
export function edgesOf(pieces: readonly { readonly left: number; readonly right: number }[]): {
  readonly begins: Float64Array;
  readonly ends: Float64Array;
} {
  return {
    begins: Float64Array.from(pieces, ({ left }) => left).sort(),
    ends: Float64Array.from(pieces, ({ left, right }) => Math.max(left, right)).sort(),
  };
}
