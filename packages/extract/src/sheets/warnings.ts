// Warnings about what a workbook holds and its text does not.
import type { Warning } from '@grainline/core';
import { MAX_CELLS, MAX_CHARACTERS, type Spent } from './sheet.ts';

/** Number of sheet names in a warning, and the longest part of each name. */
const MAX_NAMES = 3;
const MAX_NAME = 80;

/** The warnings of a workbook that has been written. */
export function warningsOf({
  isFull,
  characters,
  formulas,
  hiddenSheets,
  hiddenRows,
  hiddenColumns,
}: Spent): Warning[] {
  const warnings: Warning[] = [];
  if (isFull) {
    const bound = characters > MAX_CHARACTERS ? `${MAX_CHARACTERS} characters` : `${MAX_CELLS} cells`;
    const message = `The workbook is too long: the rows behind some ${bound} are left out. Cut it into parts, or save it as CSV.`;
    warnings.push({ code: 'rows_left_out', message });
  }
  const hidden = [
    ...(hiddenSheets.length > 0
      ? [`${counted(hiddenSheets.length, 'sheet')} (${namesOf(hiddenSheets)})`]
      : []),
    ...(hiddenRows > 0 ? [counted(hiddenRows, 'row')] : []),
    ...(hiddenColumns > 0 ? [counted(hiddenColumns, 'column')] : []),
  ];
  if (hidden.length > 0)
    warnings.push({ code: 'hidden_left_out', message: `Hidden, and left out: ${hidden.join(', ')}.` });
  if (formulas > 0)
    warnings.push({
      code: 'formulas_not_computed',
      message: `${counted(formulas, 'formula')} without a saved result: the formula stands in its place. Open the workbook in its program and save it.`,
    });
  return warnings;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function namesOf(names: readonly string[]): string {
  const some = names.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME).toWellFormed());
  return `${some.join(', ')}${names.length > MAX_NAMES ? ', …' : ''}`;
}
