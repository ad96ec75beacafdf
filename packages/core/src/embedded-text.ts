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
/** The marks that open a fence, or close one. */
const FENCE = /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})/;
/** Matches a cell that says something: a letter, a figure, a sign such as a tick or an emoji, code. */
const CONTENT = new RegExp(String.raw`[\p{L}\p{N}\p{So}\p{Sm}\x60]`, 'u');

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
  const words = named.length <= LONGEST_NAMED ? named : linesOf(text, false);
  // Remote models reject a text without content, and tables may be empty.
  return words.trim() === '' ? text : words;
}

function linesOf(text: string, isNamed: boolean): string {
  const lines = text.split('\n');
  const out: (string | undefined)[] = [];
  /** The names of the columns, and the rows of labels that may still go on with them. */
  let names: readonly string[] = [];
  let labelRows = 0;
  /** Index in `out` of names that no row has taken over. */
  let header: number | undefined;
  let fence = '';
  for (const [index, line] of lines.entries()) {
    fence = fenceBehind(line, fence);
    if (fence !== '' || !ROW.test(line)) {
      // A header that is injected as context stands one empty line above its rows.
      if (labelRows === 0 || line.trim() !== '') [names, header] = [[], undefined];
      out.push(line);
    } else if (!RULE.test(line)) {
      const cells = cellsOf(line);
      // Below a header, dashes are missing values.
      const mayBeHeader = names.length === 0 || !ROW.test(lines[index - 1] ?? '');
      const isHeader = mayBeHeader && RULE.test(lines[index + 1] ?? '');
      const isLabels = labelRows > 0 && isLabelRow(line);
      if (isHeader) [names, header] = [cells, out.length];
      else if (isLabels) names = joined(names, cells);
      labelRows = isHeader ? MOST_LABEL_ROWS : isLabels ? labelRows - 1 : 0;
      if (!isNamed) out.push(wordsOf(cells.filter(saysSomething), ' '));
      else if (isHeader || isLabels) out[header ?? out.length] = wordsOf(names, ', ');
      else {
        const row = namedRow(names, cells);
        if (row !== undefined && header !== undefined) out[header] = undefined;
        out.push(row);
      }
    }
  }
  return out.filter((line) => line !== undefined).join('\n');
}

/** The marks of the fence that is open behind a line; '' outside of code. */
function fenceBehind(line: string, open: string): string {
  const marks = FENCE.exec(line)?.[1] ?? '';
  if (open === '') return marks;
  return marks.startsWith(open) && line.trim() === marks ? '' : open;
}

/** The cells that are not empty, if any. */
function wordsOf(cells: readonly string[], between: string): string | undefined {
  const filled = cells.filter((cell) => cell !== '');
  return filled.length === 0 ? undefined : filled.join(between);
}

/** `Depth, Low water: 3 m`: the first cell mostly names the row, and needs no name of a column. */
function namedRow(names: readonly string[], cells: readonly string[]): string | undefined {
  const named = cells.map((cell, column) => {
    const name = column === 0 ? '' : (names[column] ?? '');
    return cell === '' || name === '' ? cell : `${name}: ${cell}`;
  });
  return wordsOf(named, ', ');
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
