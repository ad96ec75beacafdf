// The values of a page's form fields.
import { closing, type Pdfium } from './engine.ts';
import { readUtf16 } from './strings.ts';

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

export function readFieldValues({ pdfium, form, fields }: FormHandles, page: number): string[] {
  const values: string[] = [];
  for (let index = 0; index < pdfium.call.FPDFPage_GetAnnotCount(page); index++) {
    const annotation = pdfium.call.FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    const value = closing(
      () => {
        pdfium.call.FPDFPage_CloseAnnot(annotation);
      },
      () => {
        if (!isShownField(pdfium, annotation) || ++fields.met > MAX_FIELDS) return '';
        return readFieldValue(pdfium, form, annotation);
      },
    );
    if (value.trim() !== '') values.push(value);
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
