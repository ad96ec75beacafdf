// The values of a page's form fields as a viewer shows them.
import { closing, withBuffer, type Pdfium } from './engine.ts';
import { decodeUtf16, readUtf16 } from './strings.ts';
import { turnShapes, type Shape } from './rules.ts';
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

/** Subtype and field types of fpdf_annot.h and fpdf_formfill.h. The content of push buttons is no text. */
const WIDGET = 20;
const CHECK_BOX = 2;
const RADIO_BUTTON = 3;
const TEXT_FIELD = 6;
const CHOICES = [4, 5]; // combo box, list box
const HIDDEN = 1 << 1;
const NO_VIEW = 1 << 5;
const PASSWORD = 1 << 13;
/** Event of a script that formats the value of a field (fpdf_annot.h). */
const FORMAT = 13;
/** Options of a field that are searched for the chosen ones. */
const MAX_OPTIONS = 300;

/** The value of a field, and the field's edges on the upright page, in points from the lower left corner. */
export interface FieldValue extends Shape {
  readonly text: string;
  /** True for the sign of a check box or a radio button. */
  readonly isMark?: boolean;
}

/** Reads the values of the fields of a page before it is turned. */
export function readFieldValues({ pdfium, form, fields }: FormHandles, page: number): FieldValue[] {
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
        const shown = readFieldValue(pdfium, form, annotation);
        return shown.text.trim() === '' ? undefined : { ...shown, ...edgesOf(pdfium, annotation) };
      },
    );
    if (value !== undefined) values.push(value);
  }
  return values;
}

/** Values as their fields stand after the page was turned upright. */
export function turnFields(values: readonly FieldValue[], quarterTurns: number): readonly FieldValue[] {
  const shapes = turnShapes(values, quarterTurns);
  return values.map((value, at) => ({ ...value, ...shapes[at] }));
}

function isShownField({ call }: Pdfium, annotation: number): boolean {
  if (call.FPDFAnnot_GetSubtype(annotation) !== WIDGET) return false;
  return (call.FPDFAnnot_GetFlags(annotation) & (HIDDEN | NO_VIEW)) === 0;
}

function readFieldValue(
  pdfium: Pdfium,
  form: number,
  annotation: number,
): Pick<FieldValue, 'text' | 'isMark'> {
  const { call } = pdfium;
  const type = call.FPDFAnnot_GetFormFieldType(form, annotation);
  if (type === CHECK_BOX || type === RADIO_BUTTON)
    return { text: isChecked(pdfium, form, annotation) ? '☒' : '☐', isMark: true };
  const isText = type === TEXT_FIELD;
  if (!isText && !CHOICES.includes(type)) return { text: '' };
  if (isText && (call.FPDFAnnot_GetFormFieldFlags(form, annotation) & PASSWORD) !== 0) return { text: '' };
  const shown = isText ? formattedValue(pdfium, form, annotation) : chosenOptions(pdfium, form, annotation);
  if (shown !== '') return { text: shown };
  return { text: valueOf(pdfium, form, annotation) };
}

function valueOf(pdfium: Pdfium, form: number, annotation: number): string {
  return readUtf16(pdfium, (buffer, size) =>
    pdfium.call.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, size),
  );
}

/** True if a box shows its state for "on". PDFium's own function needs a form that is drawn. */
function isChecked(pdfium: Pdfium, form: number, annotation: number): boolean {
  const { call } = pdfium;
  const on = readUtf16(pdfium, (buffer, size) =>
    call.EPDFAnnot_GetButtonExportValue(annotation, buffer, size),
  );
  const state = readUtf16(pdfium, (buffer, size) =>
    call.FPDFAnnot_GetStringValue(annotation, 'AS', buffer, size),
  );
  return on !== '' && (state === '' ? valueOf(pdfium, form, annotation) : state) === on;
}

/**
 * The text of a field's appearance where a script formats its value, as of dates and amounts: the value itself is what
 * was typed. No script is run.
 */
function formattedValue(pdfium: Pdfium, form: number, annotation: number): string {
  const { call } = pdfium;
  if (call.FPDFAnnot_GetFormAdditionalActionJavaScript(form, annotation, FORMAT, 0, 0) <= 2) return '';
  const drawn = call.EPDFAnnot_ExportAppearanceAsDocument(annotation);
  if (drawn === 0) return '';
  return closing(
    () => {
      call.FPDF_CloseDocument(drawn);
    },
    () => textOfPage(pdfium, drawn).replace(/\s+/g, ' ').trim(),
  );
}

function textOfPage(pdfium: Pdfium, document: number): string {
  const { call } = pdfium;
  const page = call.FPDF_LoadPage(document, 0);
  if (page === 0) return '';
  const text = call.FPDFText_LoadPage(page);
  const count = text === 0 ? 0 : call.FPDFText_CountChars(text);
  const characters =
    count <= 0
      ? ''
      : withBuffer(pdfium, (2 * count + 1) * 2, (buffer) =>
          decodeUtf16(pdfium, buffer, call.FPDFText_GetText(text, 0, count, buffer) * 2),
        );
  if (text !== 0) call.FPDFText_ClosePage(text);
  call.FPDF_ClosePage(page);
  return characters;
}

/** The labels of the chosen options: the value itself is the name that is sent. */
function chosenOptions(pdfium: Pdfium, form: number, annotation: number): string {
  const { call } = pdfium;
  const count = Math.min(MAX_OPTIONS, call.FPDFAnnot_GetOptionCount(form, annotation));
  const labels: string[] = [];
  for (let index = 0; index < count; index++)
    if (call.FPDFAnnot_IsOptionSelected(form, annotation, index))
      labels.push(
        readUtf16(pdfium, (buffer, size) =>
          call.FPDFAnnot_GetOptionLabel(form, annotation, index, buffer, size),
        ).trim(),
      );
  return labels.filter(Boolean).join(', ');
}

/** `FS_RECTF`: left, top, right and bottom as 32-bit floats. */
const RECT_BYTES = 16;

function edgesOf(pdfium: Pdfium, annotation: number): Shape {
  return withBuffer(pdfium, RECT_BYTES, (buffer) => {
    pdfium.view(buffer, RECT_BYTES).fill(0);
    pdfium.call.FPDFAnnot_GetRect(annotation, buffer);
    const bytes = pdfium.view(buffer, RECT_BYTES);
    const edges = new DataView(bytes.buffer, bytes.byteOffset, RECT_BYTES);
    const [left = 0, top = 0, right = 0, bottom = 0] = [0, 1, 2, 3].map((at) =>
      finite(edges.getFloat32(4 * at, true)),
    );
    return {
      left: Math.min(left, right),
      right: Math.max(left, right),
      bottom: Math.min(bottom, top),
      top: Math.max(bottom, top),
    };
  });
}
