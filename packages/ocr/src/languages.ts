// Where the data of a language is: a file in a folder, or the package @tesseract.js-data/NAME. Nothing is fetched.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { LanguageData } from './engine.ts';
import { OcrError } from './errors.ts';

/** Names as Tesseract has them: eng, chi_sim, aze_cyrl. */
const NAME = /^[A-Za-z]{2,10}(?:_[A-Za-z]{1,10})*$/;
/** The folder of a package with the quick models, whole numbers in place of fractions. */
const MODELS = '4.0.0_best_int';
/** Trained data takes up to 40 MB; a small file may claim more. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Parts the languages of a text, `deu+fra`.
 *
 * @throws OcrError `invalid_options` for a name that is none
 */
export function languagesOf(names: string): string[] {
  const languages = names.split('+');
  const wrong = languages.find((name) => !NAME.test(name));
  if (wrong !== undefined)
    throw new OcrError('invalid_options', `${wrong} is no name of a language, such as eng, deu or chi_sim`);
  return [...new Set(languages)];
}

/**
 * Reads the data of a language.
 *
 * @param folder of files NAME.traineddata or NAME.traineddata.gz; undefined for the installed packages
 * @throws OcrError `language_missing` with what to install, or with the file that cannot be read
 */
export async function readLanguage(name: string, folder: string | undefined): Promise<LanguageData> {
  for (const file of folder === undefined ? packaged(name) : inFolder(name, folder)) {
    const bytes = await readData(file);
    if (bytes !== undefined) return { name, bytes };
  }
  throw new OcrError('language_missing', missing(name, folder));
}

/** The unpacked data of a file; undefined when there is no such file. */
async function readData(file: string): Promise<Uint8Array | undefined> {
  try {
    const bytes = await readFile(file);
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return isPacked ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new OcrError('language_missing', `The file ${file} cannot be read: ${message}.`, cause);
  }
}

function missing(name: string, folder: string | undefined): string {
  if (folder !== undefined) return `There is no ${name}.traineddata in ${folder}.`;
  return `The data of the language ${name} is not installed. Run: npm install @tesseract.js-data/${name}. Or give the folder of ${name}.traineddata.`;
}

function inFolder(name: string, folder: string): string[] {
  return [`${name}.traineddata`, `${name}.traineddata.gz`].map((file) => path.join(folder, file));
}

/** Beside this package, and beside the program that runs: some installations keep them apart. */
function packaged(name: string): string[] {
  return [import.meta.url, path.join(process.cwd(), 'program.js')].flatMap((from) => {
    try {
      const manifest = createRequire(from).resolve(`@tesseract.js-data/${name}/package.json`);
      return [path.join(path.dirname(manifest), MODELS, `${name}.traineddata.gz`)];
    } catch {
      return [];
    }
  });
}
