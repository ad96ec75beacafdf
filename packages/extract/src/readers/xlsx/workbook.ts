// The workbook part: its sheets in order, the count of its dates, and the rows that repeat on printed pages.
import type { OfficePackage } from '../../package/office.ts';
import { attributesOf } from '../../package/xml.ts';
import type { Range } from '../../sheets/sheet.ts';

/** A sheet of the workbook. */
export interface SheetEntry {
  readonly name: string;
  readonly isHidden: boolean;
  /** Its part; `undefined` when it is missing or outside the package. */
  readonly part: string | undefined;
  /** Rows that repeat on each printed page. */
  readonly titleRows: readonly Pick<Range, 'top' | 'bottom'>[];
}

export interface Workbook {
  readonly sheets: readonly SheetEntry[];
  /** True when dates are counted from 1904. */
  readonly is1904: boolean;
}

/** Sheets that are looked at; a workbook has some ten. */
const MAX_SHEETS = 5000;
/** Names that are looked at for printed titles. */
const MAX_DEFINED = 10_000;
const MAX_REFERENCE = 500;

/** Reads the main part of a workbook. */
export function readWorkbook(parts: OfficePackage): Workbook {
  const sheets: { name: string; id: string; isHidden: boolean }[] = [];
  const titles = new Map<number, Pick<Range, 'top' | 'bottom'>[]>();
  let is1904 = false;
  let titled = -1;
  let names = 0;
  parts.visit(parts.main, {
    open: (name, written) => {
      if (name === 'x:sheet' && sheets.length < MAX_SHEETS) {
        const attributes = attributesOf(written);
        sheets.push({
          name: attributes.get('name') ?? '',
          id: attributes.get('id') ?? '',
          isHidden: /hidden/i.test(attributes.get('state') ?? ''),
        });
      } else if (name === 'x:workbookPr')
        is1904 = /^(?:1|true|on)$/.test(attributesOf(written).get('date1904') ?? '');
      else if (name === 'x:definedName' && names++ < MAX_DEFINED) {
        const attributes = attributesOf(written);
        if (attributes.get('name') === '_xlnm.Print_Titles')
          titled = Number(attributes.get('localSheetId') ?? -1);
      }
    },
    close: (name) => {
      if (name === 'x:definedName') titled = -1;
    },
    text: (text) => {
      const rows = titled < 0 ? undefined : rowsIn(text.slice(0, MAX_REFERENCE));
      if (rows !== undefined) titles.set(titled, [rows]);
    },
  });
  const relationships = parts.relationshipsOf(parts.main);
  return {
    is1904,
    sheets: sheets.map(({ id, ...sheet }, index) => {
      const found = relationships.get(id);
      const part = found?.isExternal === false && parts.has(found.target) ? found.target : undefined;
      return { ...sheet, part, titleRows: titles.get(index) ?? [] };
    }),
  };
}

/** Whole rows in a reference: `Sheet1!$A:$B,Sheet1!$1:$3`. */
function rowsIn(reference: string): Pick<Range, 'top' | 'bottom'> | undefined {
  const [, first, last] = /!\$?(\d{1,7}):\$?(\d{1,7})(?:,|$)/.exec(reference) ?? [];
  return first === undefined ? undefined : { top: Number(first) - 1, bottom: Number(last) - 1 };
}
