// A table that the author has defined on a sheet (ECMA-376 part 1, section 18.5): its cells, and the rows of its names.
import type { OfficePackage } from '../../package/office.ts';
import { attributesOf } from '../../package/xml.ts';
import type { DefinedTable, Range } from '../../sheets/sheet.ts';
import { rangeOf } from './references.ts';

/** Filters that are looked at for a row. */
const MAX_FILTERS = 200;

/** Reads the part of a table; `undefined` when it is missing or names no cells. */
export function readTable(
  parts: OfficePackage,
  part: string | undefined,
): (DefinedTable & { readonly isFiltered: boolean }) | undefined {
  let table: DefinedTable | undefined;
  let isFiltered = false;
  parts.visit(part, {
    open: (name, written) => {
      if (name === 'x:filterColumn') isFiltered = true;
      if (name !== 'x:table') return;
      const attributes = attributesOf(written);
      const range = rangeOf(attributes.get('ref') ?? '');
      if (range !== undefined) table = { ...range, headers: headersOf(attributes.get('headerRowCount')) };
    },
    close: () => undefined,
    text: () => undefined,
  });
  return table === undefined ? undefined : { ...table, isFiltered };
}

function headersOf(count = '1'): number {
  return /^[01]$/.test(count) ? Number(count) : 1;
}

/** True for a row in one of the ranges, whose filter may hide it. */
export function isFiltered(row: number, filters: readonly Range[]): boolean {
  return filters.slice(0, MAX_FILTERS).some(({ top, bottom }) => row >= top && row <= bottom);
}
