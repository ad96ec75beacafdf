// The text of a chunk as an embedder gets it: tables in words. Rules, bars and a header far above the values take a
// vector's attention and a small model's window, so each row becomes a line of `name: value`.
import { isLabelRow, MOST_LABEL_ROWS, nextPipe } from './blocks/gfm-table.ts';
import { skipSpaces } from './blocks/marks.ts';

/**
 * Most UTF-16 units of a text with named values: about the 256 tokens that small models read of figures. Beyond, the
 * names in every row would push other rows out of the window.
 */
const LONGEST_NAMED = 900;
/** A line of a table, perhaps indented; any other line stays as it is. */
const ROW = /^[ \t]*\|/m;
/** The rule below a header. */
const RULE = /^[ \t]*\|(?=[^-]*-)[-:|\s]*$/;
const FENCE = /^[ \t]*(?:`{3,}|~{3,})/;
/** Matches a cell that says something: a letter or a figure of any script. */
const CONTENT = new RegExp(String.raw`[\p{L}\p{N}]`, 'u');

/**
 * The text to embed for an {@link indexedText}, or for the text of a stored record: rows of Markdown tables as `Depth,
 * Low water: 3 m, High water: 9 m`, without rules and bars. A text with names that would be longer than small models
 * read keeps the values alone. Text outside of tables, and code, stays as it is. With the option `embeddings`, and in
 * a load, vectors are of this text; the stored text stays as it is. Linear.
 *
 * @example
 * const { vectors } = await embed(chunks.map((piece) => embeddedText(indexedText(piece))), {});
 */
export function embeddedText(text: string): string {
  if (!ROW.test(text)) return text;
  const named = linesOf(text, true);
  return named.length <= LONGEST_NAMED ? named : linesOf(text, false);
}

function linesOf(text: string, isNamed: boolean): string {
  const lines = text.split('\n');
  const out: string[] = [];
  /** The names of the columns, and the rows of labels that may still go on with them. */
  let names: readonly string[] = [];
  let labelRows = 0;
  let isInCode = false;
  for (const [index, line] of lines.entries()) {
    if (FENCE.test(line)) isInCode = !isInCode;
    if (isInCode || !ROW.test(line)) {
      // A header that is injected as context stands one empty line above its rows.
      if (labelRows === 0 || line !== '') names = [];
      out.push(line);
    } else if (!RULE.test(line)) {
      const cells = cellsOf(line);
      const isHeader = RULE.test(lines[index + 1] ?? '');
      const isLabels = labelRows > 0 && isLabelRow(line);
      if (isHeader) names = cells;
      else if (isLabels) names = joined(names, cells);
      labelRows = isHeader ? MOST_LABEL_ROWS : isLabels ? labelRows - 1 : 0;
      if (!isNamed) pushContent(out, cells.filter(saysSomething).join(' '));
      else if (!isHeader && !isLabels) pushContent(out, namedRow(names, cells));
    }
  }
  return out.join('\n');
}

function pushContent(out: string[], line: string): void {
  if (line !== '') out.push(line);
}

/** `Depth, Low water: 3 m`: the first cell mostly names the row, and needs no name of a column. */
function namedRow(names: readonly string[], cells: readonly string[]): string {
  return cells
    .map((cell, column) => {
      const name = column === 0 ? '' : (names[column] ?? '');
      return cell === '' || name === '' ? cell : `${name}: ${cell}`;
    })
    .filter((cell) => cell !== '')
    .join(', ');
}

/** The names of columns from two rows of a header. */
function joined(names: readonly string[], labels: readonly string[]): string[] {
  return labels.map((label, column) => [names[column] ?? '', label].filter((name) => name !== '').join(' '));
}

function cellsOf(line: string): string[] {
  const cells: string[] = [];
  const end = line.trimEnd().length;
  for (let at = skipSpaces(line, 0, end) + 1; at < end;) {
    const pipe = nextPipe(line, at, end);
    cells.push(line.slice(at, pipe).trim());
    at = pipe + 1;
  }
  return cells;
}

function saysSomething(cell: string): boolean {
  return CONTENT.test(cell);
}
