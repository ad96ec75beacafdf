// PDF: PDFium reads the pages (file.ts), layout.ts makes text of them; document.ts judges the result.
import type { Document } from '@grainline/core';
import { ExtractError } from '../../errors.ts';
import type { Reader, Source } from '../../reader.ts';
import { layOutFile, readByOcr, readPages, VERSION } from './document.ts';
import type { PdfFile } from './pdfium/file.ts';
import { attemptsAt, isCutShort } from './pdfium/rebuild.ts';
import { tagReading } from './pdfium/tags.ts';

/**
 * Reads PDF. Scripts, launch actions, attachments and annotations are ignored, except links to addresses and the values
 * of form fields.
 */
export const PDF: Reader = {
  kind: 'pdf',
  version: VERSION,
  extensions: ['pdf'],
  mediaTypes: ['application/pdf', 'application/x-pdf'],
  read: readDocument,
};

async function readDocument(source: Source): Promise<Document> {
  const file = await readRepaired(source);
  const ocr = await readByOcr(file.pages, source);
  return layOutFile({ file, ocr, cutShort: isCutShort(source.bytes) }, source);
}

/** Reads the file unchanged; when no page loads, with a new trailer; then with a new page tree. */
async function readRepaired({ bytes, ...source }: Source): Promise<PdfFile> {
  const tags = tagReading();
  let damage = new ExtractError('corrupted', { detail: 'none of its pages can be loaded' });
  for (const candidate of attemptsAt(bytes)) {
    try {
      const file = await readPages({ ...source, bytes: candidate }, tags);
      if (file.pages.length > 0) return file;
    } catch (error) {
      if (!(error instanceof ExtractError) || error.code !== 'corrupted') throw error;
      damage = error;
    }
  }
  throw damage;
}
