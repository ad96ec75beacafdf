// References to cells: A1 and A1:C3.
import { MAX_COLUMNS, MAX_ROWS, type Range } from '../../sheets/sheet.ts';

const LETTER_A = 0x41;
const LETTERS = 26;

/** Column and row of a reference, from 0; `undefined` for no cell of a sheet. */
export function cellAt(reference: string): { readonly row: number; readonly column: number } | undefined {
  let [column, row, at] = [0, 0, 0];
  for (; at < reference.length; at++) {
    const letter = (reference.charCodeAt(at) & ~0x20) - LETTER_A;
    if (letter < 0 || letter >= LETTERS || reference.charCodeAt(at) < LETTER_A) break;
    column = column * LETTERS + letter + 1;
    if (column > MAX_COLUMNS) return undefined;
  }
  for (; at < reference.length; at++) {
    const digit = reference.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    row = row * 10 + digit;
    if (row > MAX_ROWS) return undefined;
  }
  return column === 0 || row === 0 ? undefined : { row: row - 1, column: column - 1 };
}

/** The cells of a reference; a single cell is a range of one. */
export function rangeOf(reference: string): Range | undefined {
  const [first = '', last = first] = reference.replaceAll('$', '').split(':');
  const [from, to] = [cellAt(first), cellAt(last)];
  if (from === undefined || to === undefined || to.row < from.row || to.column < from.column)
    return undefined;
  return { top: from.row, left: from.column, bottom: to.row, right: to.column };
}
