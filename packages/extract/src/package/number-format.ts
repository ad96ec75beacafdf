// Numbers in the displayed form of their number format (ECMA-376 part 1, section 18.8.31): dates, percentages, amounts,
// fractions. The formats are interpreted by numfmt. Separators are the English ones, because those of a display are a
// setting of its machine and not of the document.
import { format, getFormatFromId, isDateFormat } from 'numfmt';

/** Longest format to interpret; Excel allows 255 characters. */
const MAX_FORMAT = 255;

/** Days between the first day of 1900, which dates are counted from, and that of 1904. */
const DAYS_1904 = 1462;

/** The format of the machine's short date, and with a time: no display has the same, so the date is an ISO date. */
const SHORT_DATES: ReadonlyMap<number, string> = new Map([
  [14, 'yyyy-mm-dd'],
  [22, 'yyyy-mm-dd hh:mm'],
]);

/** The built-in format with a number; formats of East Asian dates depend on the machine, too. */
export function builtInFormat(id: number): string {
  if ((id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return 'yyyy-mm-dd';
  return SHORT_DATES.get(id) ?? getFormatFromId(id);
}

/** A number format. Values take some 3 µs each. */
export class NumberFormat {
  readonly #code: string;
  readonly isDate: boolean;

  /** @param code as a file has it; '' for the general format */
  constructor(code: string) {
    const written = code.length > MAX_FORMAT || /^(?:general|@|)$/i.test(code) ? '' : code;
    this.isDate = written !== '' && isDate(written);
    // Excel takes the language of a date and the sign of a currency from such a code, but no separators.
    this.#code = this.isDate ? written : written.replaceAll(/\[\$([^\]-]*)(?:-[^\]]*)?\]/g, asCurrency);
  }

  /** The displayed form of a number. */
  display(value: number, is1904: boolean): string {
    if (this.#code === '') return general(value);
    try {
      const text = format(this.#code, this.isDate && is1904 ? value + DAYS_1904 : value, OPTIONS);
      return text.trim();
    } catch {
      return general(value);
    }
  }
}

const OPTIONS = { dateErrorNumber: true, nbsp: false } as const;

const asCurrency = (_code: string, sign: string): string =>
  sign === '' ? '' : `"${sign.replaceAll('"', '')}"`;

function isDate(code: string): boolean {
  try {
    return isDateFormat(code);
  } catch {
    return false;
  }
}

/** Whole numbers in full: Excel shortens those of more than eleven digits to fit its columns. */
function general(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : format('General', value);
}
