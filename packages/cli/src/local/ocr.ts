// OCR by the optional package, for `--ocr`.
import type * as OcrPackage from '@grainline/ocr';
import { CliError, codeOf, isMissing } from '../errors.ts';

/** Loads the used part of `@grainline/ocr`. */
export type ImportOcr = () => Promise<Pick<typeof OcrPackage, 'createOcr'>>;

/**
 * Loads OCR for some languages, `deu+eng`. Its thread starts with the first page.
 *
 * Rejects with `ocr_missing` without the package, and with `language_missing` without the data of a language.
 */
export async function loadOcr(
  languages: string,
  importOcr: ImportOcr = () => import('@grainline/ocr'),
): Promise<OcrPackage.TesseractOcr> {
  const { createOcr } = await importOcr().catch((error: unknown) => {
    throw isMissing('@grainline/ocr', error) ? new CliError('ocr_missing', { cause: error }) : error;
  });
  return createOcr({ languages }).catch((cause: unknown) => {
    if (codeOf(cause) !== 'language_missing') throw cause;
    // The command has no option for a folder of languages.
    const detail = (cause as Error).message.replace(/ Or give the folder .*$/, '');
    throw new CliError('language_missing', { detail, cause });
  });
}
