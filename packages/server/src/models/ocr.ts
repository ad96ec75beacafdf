// The check of OCR at the start. The child processes load and run it.
import type * as OcrPackage from '@grainline/ocr';

/**
 * Rejects with a sentence that says what to install when the package or the data of a language is missing.
 *
 * @param languages Tesseract's names, `deu+eng`
 */
export async function assertOcrInstalled(
  languages: string,
  importOcr: () => Promise<Pick<typeof OcrPackage, 'createOcr'>> = () => import('@grainline/ocr'),
): Promise<void> {
  const { createOcr } = await importOcr().catch((cause: unknown) => {
    if ((Object(cause) as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new Error('OCR=tesseract requires the package @grainline/ocr. Run: npm install @grainline/ocr', {
      cause,
    });
  });
  await createOcr({ languages, runs: 'here' }).catch((cause: unknown) => {
    const { message } = Object(cause) as { message?: unknown };
    throw new Error(`OCR_LANGUAGES cannot be read. ${String(message)}`, { cause });
  });
}
