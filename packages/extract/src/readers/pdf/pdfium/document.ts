// Bytes → a document that is open in PDFium, with its form. For the reader (file.ts) and for drawing (drawing.ts).
import { ExtractError } from '../../../errors.ts';
import { closing, type Pdfium } from './engine.ts';

/** A document in PDFium's memory. */
export interface OpenPdf {
  readonly document: number;
  /** 0 when the file has no form. */
  readonly form: number;
  /** Releases the document with its form and its bytes. */
  readonly close: () => void;
}

/**
 * A page count is only a claim. After this many missing pages in a row the rest is missing too; a file that lost more
 * than this in its middle has lost its end as well.
 */
export const MAX_MISSING_IN_ROW = 1000;
/** No file has more pages that are readable in acceptable time; a page tree can name one page a million times. */
export const MAX_PAGES = 50_000;

/** `FPDF_GetLastError`: the password is missing or wrong. */
const PASSWORD_NEEDED = 4;
/** `FPDF_GetLastError`: the file is encrypted for the holders of certificates, or in a way of its own. */
const UNKNOWN_SECURITY = 5;

/**
 * Opens a document from a copy of its bytes.
 * @throws ExtractError `encrypted`, `wrong_password`, `corrupted` or `too_large`
 */
export function openDocument(pdfium: Pdfium, bytes: Uint8Array, password?: string): OpenPdf {
  const { call } = pdfium;
  const source = pdfium.allocate(bytes.length);
  pdfium.view(source, bytes.length).set(bytes);
  const document = load(pdfium, source, bytes.length, password);
  if (document instanceof ExtractError) {
    pdfium.free(source);
    throw document;
  }
  const { form, close } = openForm(pdfium, document);
  return {
    document,
    form,
    close() {
      closing(
        () => {
          pdfium.free(source);
        },
        () => {
          close();
          call.FPDF_CloseDocument(document);
        },
      );
    },
  };
}

/** A password is tried only where the file needs one. */
function load({ call }: Pdfium, source: number, length: number, password = ''): number | ExtractError {
  const document = call.FPDF_LoadMemDocument64(source, length, '');
  if (document !== 0) return document;
  const code = call.FPDF_GetLastError();
  if (code !== PASSWORD_NEEDED || password === '') return loadError(code);
  const opened = call.FPDF_LoadMemDocument64(source, length, password);
  if (opened !== 0) return opened;
  const error = call.FPDF_GetLastError();
  return error === PASSWORD_NEEDED ? new ExtractError('wrong_password') : loadError(error);
}

function loadError(code: number): ExtractError {
  if (code === PASSWORD_NEEDED || code === UNKNOWN_SECURITY) return new ExtractError('encrypted');
  return new ExtractError('corrupted', { detail: 'its page tree cannot be found' });
}

function openForm({ call }: Pdfium, document: number): Pick<OpenPdf, 'form' | 'close'> {
  if (call.FPDF_GetFormType(document) === 0) return { form: 0, close: () => undefined };
  const callbacks = call.PDFiumExt_OpenFormFillInfo();
  const form = call.PDFiumExt_InitFormFillEnvironment(document, callbacks);
  return {
    form,
    close() {
      if (form !== 0) call.PDFiumExt_ExitFormFillEnvironment(form);
      call.PDFiumExt_CloseFormFillInfo(callbacks);
    },
  };
}
