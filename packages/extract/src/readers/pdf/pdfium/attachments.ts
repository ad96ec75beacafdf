// The files that a PDF carries along. They are named and not read.
import type { Pdfium } from './engine.ts';
import { readUtf16 } from './strings.ts';

/** Attachments that are named; a hostile file has a million. */
const MAX_ATTACHMENTS = 100;

/** Lists the names of attached files, at most the first hundred; '' for one without a name. */
export function readAttachments(pdfium: Pdfium, document: number): string[] {
  const { call } = pdfium;
  const count = Math.min(MAX_ATTACHMENTS, call.FPDFDoc_GetAttachmentCount(document));
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const attachment = call.FPDFDoc_GetAttachment(document, index);
    if (attachment === 0) return '';
    return readUtf16(pdfium, (buffer, size) => call.FPDFAttachment_GetName(attachment, buffer, size));
  });
}
