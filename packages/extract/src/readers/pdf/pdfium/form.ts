// The values of a page's form fields.
import { closing, withBuffer, type Pdfium } from './engine.ts';
import { readUtf16 } from './strings.ts';
import { turnPoint } from './turns.ts';
import { finite } from './words.ts';

/** PDFium finds a field by a walk over the others: 5000 take 0.5 s, 16,000 over 3 s. Real forms have some hundred. */
export const MAX_FIELDS = 5000;

/** The form of a file. */
export interface FormHandles {
  readonly pdfium: Pdfium;
  /** 0 when the file has no form. */
  readonly form: number;
  /** Form fields met so far, in the whole file. */
  readonly fields: { met: number };
}

/** Subtype and field types of fpdf_annot.h and fpdf_formfill.h. The content of buttons is no text. */
const WIDGET = 20;
const FIELDS_WITH_TEXT = [4, 5, 6]; // combo box, list box, text field
const HIDDEN = 1 << 1;
const PASSWORD = 1 << 13;

/** The value of a field, and the field's edges on the upright page, in points from the lower left corner. */
export interface FieldValue {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

/** Reads the values of the fields of a page that is turned by so many quarters clockwise. */
export function readFieldValues(
  { pdfium, form, fields }: FormHandles,
  page: number,
  quarterTurns: number,
): FieldValue[] {
  const values: FieldValue[] = [];
  for (let index = 0; index < pdfium.call.FPDFPage_GetAnnotCount(page); index++) {
    const annotation = pdfium.call.FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    const value = closing(
      () => {
        pdfium.call.FPDFPage_CloseAnnot(annotation);
      },
      () => {
        if (!isShownField(pdfium, annotation) || ++fields.met > MAX_FIELDS) return undefined;
        const text = readFieldValue(pdfium, form, annotation);
        return text.trim() === '' ? undefined : { text, ...edgesOf(pdfium, annotation, quarterTurns) };
      },
    );
    if (value !== undefined) values.push(value);
  }
  return values;
}

function isShownField({ call }: Pdfium, annotation: number): boolean {
  return (
    call.FPDFAnnot_GetSubtype(annotation) === WIDGET && (call.FPDFAnnot_GetFlags(annotation) & HIDDEN) === 0
  );
}

function readFieldValue(pdfium: Pdfium, form: number, annotation: number): string {
  const { call } = pdfium;
  if (!FIELDS_WITH_TEXT.includes(call.FPDFAnnot_GetFormFieldType(form, annotation))) return '';
  if ((call.FPDFAnnot_GetFormFieldFlags(form, annotation) & PASSWORD) !== 0) return '';
  return readUtf16(pdfium, (buffer, size) =>
    call.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, size),
  );
}

/** `FS_RECTF`: left, top, right and bottom as 32-bit floats. */
const RECT_BYTES = 16;

function edgesOf(pdfium: Pdfium, annotation: number, quarterTurns: number): Omit<FieldValue, 'text'> {
  return withBuffer(pdfium, RECT_BYTES, (buffer) => {
    pdfium.view(buffer, RECT_BYTES).fill(0);
    pdfium.call.FPDFAnnot_GetRect(annotation, buffer);
    const bytes = pdfium.view(buffer, RECT_BYTES);
    const edges = new DataView(bytes.buffer, bytes.byteOffset, RECT_BYTES);
    const edge = (at: number): number => finite(edges.getFloat32(4 * at, true));
    const corners = [
      turnPoint([edge(0), edge(1)], quarterTurns),
      turnPoint([edge(2), edge(3)], quarterTurns),
    ];
    const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
    return { left: Math.min(...xs), right: Math.max(...xs), bottom: Math.min(...ys), top: Math.max(...ys) };
  });
}
