// The style sheet of a workbook as far as values depend on it: the number format of each cell style, and its bold type.
import { builtInFormat, NumberFormat } from '../../package/number-format.ts';
import type { OfficePackage } from '../../package/office.ts';
import { attributeOf, attributesOf, isOn } from '../../package/xml.ts';

/** The style of a cell. */
export interface CellStyle {
  readonly format: NumberFormat;
  readonly isBold: boolean;
}

/** CellStyles and formats that are read; Excel allows 65,490 styles of cells. */
const MAX_STYLES = 65_536;

/** The styles of cells by their numbers. */
export class CellStyles {
  readonly is1904: boolean;
  readonly #styles: readonly CellStyle[];

  constructor(parts: OfficePackage, is1904: boolean) {
    this.is1904 = is1904;
    this.#styles = readStyles(parts);
  }

  /** The style with a number; the general one without. */
  at(index: number): CellStyle {
    return this.#styles[index] ?? GENERAL;
  }
}

const GENERAL: CellStyle = { format: new NumberFormat(''), isBold: false };

function readStyles(parts: OfficePackage): CellStyle[] {
  const codes = new Map<number, string>();
  const bold: boolean[] = [];
  const styles: { format: number; font: number }[] = [];
  const path: string[] = [];
  parts.visit(parts.related('styles'), {
    open: (name, written) => {
      const around = path.at(-1);
      path.push(name);
      if (name === 'x:numFmt' && around === 'x:numFmts' && codes.size < MAX_STYLES) {
        const attributes = attributesOf(written);
        codes.set(Number(attributes.get('numFmtId')), attributes.get('formatCode') ?? '');
      } else if (name === 'x:font' && around === 'x:fonts') bold.push(false);
      else if (name === 'x:b' && around === 'x:font' && path.at(-3) === 'x:fonts')
        bold[bold.length - 1] = isOn(written);
      else if (name === 'x:xf' && around === 'x:cellXfs' && styles.length < MAX_STYLES)
        styles.push({
          format: Number(attributeOf(written, 'numFmtId')),
          font: Number(attributeOf(written, 'fontId')),
        });
    },
    close: () => path.pop(),
    text: () => undefined,
  });
  const formats = new Map<number, NumberFormat>();
  return styles.map(({ format, font }) => {
    const known = formats.get(format) ?? new NumberFormat(codes.get(format) ?? builtInFormat(format));
    formats.set(format, known);
    return { format: known, isBold: bold[font] ?? false };
  });
}
